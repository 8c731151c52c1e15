/* The begin and the end of processes, and their change to other programs. */
#include "iotrace/format/program.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

extern char **environ;

/* ---- fork ---- */

/* Records a fork in the parent; the child has a log of its own from its first event
 * on. */
static int forked(struct event *e, enum trace_op op, int pid)
{
    if (pid)
        event_moved(e, op, -1, 0, pid);
    return pid;
}

WRAP(pid_t, fork, (void))
{
    struct event e = event_now();
    fds_shared();
    return forked(&e, OP_FORK, REAL(fork)());
}
ALIAS(__fork, fork);

WRAP(pid_t, _Fork, (void)) /* it runs no handlers of pthread_atfork */
{
    struct event e = event_now();
    fds_shared();
    pid_t pid = REAL(_Fork)();
    if (!pid) {
        lane = NULL;
        recorder_forked();
    }
    return forked(&e, OP_FORK, pid);
}

/* vfork returns twice on one stack: no frame of ours may be on it. The child shares our
 * memory and table of descriptors; while it lives, `vforked` shows that to this
 * thread. */
#ifdef __x86_64__
EXPORT pid_t vfork_here(void) __asm__("vfork");
__attribute__((used)) static pid_t vfork_failed(int error)
{
    errno = error;
    return -1;
}
__attribute__((used)) static void vfork_begins(void)
{
    if (idle_is()) /* the child would share what is begun then */
        recorder_start();
    fds_shared();
}
__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    endbr64\n"
        "    subq $8, %rsp\n"
        "    call vfork_begins\n"
        "    addq $8, %rsp\n"
        "    movq vforked@gottpoff(%rip), %rsi\n"
        "    incl %fs:(%rsi)\n"
        "    popq %rdi\n" /* the child will use this place of the stack */
        "    movl $58, %eax\n"
        "    syscall\n"
        "    pushq %rdi\n"
        "    testl %eax, %eax\n"
        "    jz 1f\n"
        "    decl %fs:(%rsi)\n"
        "    testl %eax, %eax\n"
        "    js 2f\n"
        "1:  ret\n"
        "2:  negl %eax\n"
        "    movl %eax, %edi\n"
        "    jmp vfork_failed\n"
        ".size vfork, . - vfork\n");
#else
EXPORT pid_t wrap_vfork(void) __asm__("vfork");
pid_t wrap_vfork(void) /* vfork may be the same as fork */
{
    return wrap_fork();
}
#endif

/* ---- exec ---- */

/* Returns the reasons why the program will leave no log; 0: it will. */
static uint32_t unseen_kinds(enum trace_op op, int dir, const char *path)
{
    int error = errno;
    bool searched =
        op == OP_EXECVP || op == OP_EXECVPE || op == OP_EXECLP || op == OP_POSIX_SPAWNP;
    uint32_t kinds = 0;
    ROOM(room);
    if (room && path && (!searched || strchr(path, '/')))
        kinds = program_kinds(dir, path, room);
    else if (room && path &&
             program_find(path, environment("PATH"), room + PROGRAM_ROOM, PATH_BYTES))
        kinds = program_kinds(AT_FDCWD, room + PROGRAM_ROOM, room);
    errno = error;
    return kinds & PROGRAM_UNSEEN ? kinds : 0;
}

static void put_kinds(const struct event *e, uint32_t kinds)
{
    char words[PROGRAM_WORDS];
    int error = errno;
    program_words(kinds, words);
    if (kinds && e->file && is_logged(e))
        name_of_text(words, TRACE_PROGRAM, (int)e->file);
    errno = error;
}

/* Records an exec before the call: a successful one never returns. A child without a
 * log needs none for this, except to tell that the program will leave none. */
static bool calls_process_before(enum trace_op op, int dir, const char *path,
                                 uint32_t kinds)
{
    if (!is_running() && !((kinds || idle_is()) && recorder_start()))
        return false;
    struct event e = event_now();
    event_over(&e);
    if (path)
        e.file = name_of_path_at(dir, path, -1);
    put_kinds(&e, kinds);
    event_put(&e, op, -1, 0, 0);
    bool ends = !vforked;
    recorder_suspend(TRACE_EXEC);
    return ends;
}

/* Records an exec that returned, in the log that follows. */
static int calls_process_after(enum trace_op op, int dir, const char *path)
{
    int error = errno;
    struct event e = event_now();
    event_over(&e);
    if (path && error != EFAULT)
        e.file = name_of_path_at(dir, path, -1);
    event_put(&e, op, -1, 0, -error);
    errno = error;
    return -1;
}

#define EXECUTE(op, dir, path, envp, call)                                             \
    uint32_t kinds = unseen_kinds(op, dir, path);                                      \
    bool ends = calls_process_before(op, dir, path, kinds);                            \
    char *const *env =                                                                 \
        environment_next(alloca(environment_room(envp)), envp, kinds, ends);           \
    call;                                                                              \
    return calls_process_after(op, dir, path)

WRAP(int, execve, (const char *path, char *const argv[], char *const envp[]))
{
    EXECUTE(OP_EXECVE, AT_FDCWD, path, envp, REAL(execve)(path, argv, env));
}

WRAP(int, execvpe, (const char *path, char *const argv[], char *const envp[]))
{
    EXECUTE(OP_EXECVPE, AT_FDCWD, path, envp, REAL(execvpe)(path, argv, env));
}

WRAP(int, execv, (const char *path, char *const argv[]))
{
    EXECUTE(OP_EXECV, AT_FDCWD, path, environ, REAL(execve)(path, argv, env));
}

WRAP(int, execvp, (const char *path, char *const argv[]))
{
    EXECUTE(OP_EXECVP, AT_FDCWD, path, environ, REAL(execvpe)(path, argv, env));
}

WRAP(int, fexecve, (int fd, char *const argv[], char *const envp[]))
{
    EXECUTE(OP_FEXECVE, fd, "", envp, REAL(fexecve)(fd, argv, env));
}

WRAP(int, execveat,
     (int dir, const char *path, char *const argv[], char *const envp[], int flags))
{
    EXECUTE(OP_EXECVEAT, dir, path, envp, REAL(execveat)(dir, path, argv, env, flags));
}

/* Wraps functions that take arguments one by one, the last NULL, and with `e` the
 * environment after it. */
#define EXEC_LIST(name, OP, how, environment)                                          \
    EXPORT int wrap_##name(const char *path, const char *first, ...) __asm__(#name);   \
    int wrap_##name(const char *path, const char *first, ...)                          \
    {                                                                                  \
        va_list list;                                                                  \
        int n = 0;                                                                     \
        va_start(list, first);                                                         \
        for (const char *a = first; a; a = va_arg(list, const char *))                 \
            n++;                                                                       \
        va_end(list);                                                                  \
        char **argv = alloca(((size_t)n + 1) * sizeof *argv);                          \
        va_start(list, first);                                                         \
        n = 0;                                                                         \
        for (const char *a = first; a; a = va_arg(list, const char *))                 \
            argv[n++] = (char *)(uintptr_t)a;                                          \
        argv[n] = NULL;                                                                \
        char *const *given = environment;                                              \
        va_end(list);                                                                  \
        EXECUTE(OP, AT_FDCWD, path, given, REAL(how)(path, argv, env));                \
    }
EXEC_LIST(execl, OP_EXECL, execve, environ)
EXEC_LIST(execlp, OP_EXECLP, execvpe, environ)
EXEC_LIST(execle, OP_EXECLE, execve, va_arg(list, char *const *))

/* ---- spawn: the C library does all of it without calling us ---- */

static int spawned(struct event *e, enum trace_op op, const char *path, uint32_t kinds,
                   const pid_t *pid, int rc)
{
    event_over(e);
    e->file = name_of_path(path, -1);
    put_kinds(e, rc ? 0 : kinds);
    event_put(e, op, -1, 0, rc ? -rc : pid ? *pid : 0);
    return rc;
}

#define SPAWNS(name, OP)                                                               \
    WRAP(int, name,                                                                    \
         (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,    \
          const posix_spawnattr_t *attributes, char *const argv[],                     \
          char *const envp[]))                                                         \
    {                                                                                  \
        struct event e = event_now();                                                  \
        uint32_t kinds = unseen_kinds(OP, AT_FDCWD, path);                             \
        void *room = alloca(environment_room(envp));                                   \
        fds_shared();                                                                  \
        int rc = REAL(name)(pid, path, actions, attributes, argv,                      \
                            environment_next(room, envp, kinds, false));               \
        return spawned(&e, OP, path, kinds, pid, rc);                                  \
    }
SPAWNS(posix_spawn, OP_POSIX_SPAWN)
SPAWNS(posix_spawnp, OP_POSIX_SPAWNP)

WRAP(int, system, (const char *command))
{
    struct event e = event_now();
    fds_shared();
    int status = REAL(system)(command);
    event_put(&e, OP_SYSTEM, -1, 0, status == -1 ? -errno : status);
    return status;
}

/* The parent ends within this call. */
WRAP(int, daemon, (int nochdir, int noclose))
{
    if (is_running() || (idle_is() && recorder_start())) {
        struct event e = event_now();
        event_put(&e, OP_DAEMON, -1, 0, 0);
        recorder_suspend(TRACE_QUIT);
    }
    int rc = REAL(daemon)(nochdir, noclose);
    if (!rc && !nochdir)
        names_moved();
    if (!rc && !noclose)
        fds_start();
    return rc;
}

/* ---- calls after which the log could perhaps not be made any more ---- */

#define BEFORE(name, params, args)                                                     \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        if (idle_is())                                                                 \
            recorder_start();                                                          \
        return REAL(name) args;                                                        \
    }
BEFORE(chroot, (const char *path), (path))
BEFORE(setuid, (uid_t u), (u))
BEFORE(setgid, (gid_t g), (g))
BEFORE(seteuid, (uid_t u), (u))
BEFORE(setegid, (gid_t g), (g))
BEFORE(setreuid, (uid_t r, uid_t e), (r, e))
BEFORE(setregid, (gid_t r, gid_t e), (r, e))
BEFORE(setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s))
BEFORE(setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s))
BEFORE(unshare, (int what), (what))
BEFORE(setns, (int fd, int what), (fd, what))
BEFORE(capset, (void *head, const void *data), (head, data))
#ifndef __SANITIZE_THREAD__ /* it calls these before it can check what they do */
BEFORE(setrlimit, (int what, const struct rlimit *l), (what, l))
ALIAS(setrlimit64, setrlimit);
BEFORE(prlimit, (pid_t pid, int what, const struct rlimit *l, struct rlimit *old),
       (pid, what, l, old))
ALIAS(prlimit64, prlimit);
BEFORE(prctl, (int what, long a, long b, long c, long d), (what, a, b, c, d))
#endif

/* ---- the end ---- */

WRAP(void, _exit, (int status))
{
    recorder_end(TRACE_QUIT);
    REAL(_exit)(status);
    __builtin_unreachable();
}
ALIAS(_Exit, _exit);

WRAP(void, abort, (void))
{
    recorder_suspend(TRACE_QUIT);
    REAL(abort)();
    __builtin_unreachable();
}
