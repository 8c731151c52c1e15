/* Does some I/O and ends, or becomes another process, in a given way:
 *     ends WAY      prints the number of writes of 10 bytes by it and its children */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 6000 }; /* more than a block of the log has room for */

extern char **environ;
static int file;
static const char *self;

static void writes(int n)
{
    for (int i = 0; i < n; i++)
        if (pwrite(file, "0123456789", 10, 10 * i) != 10)
            _exit(9);
}

/* Prints before the end, as that may come at once. */
static void says(long writes)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%ld\n", writes);
    if (write(1, line, (size_t)n) != n)
        _exit(9);
}

static void waits(pid_t pid)
{
    if (waitpid(pid, NULL, 0) != pid)
        _exit(9);
}

/* ---- ends ---- */

static void by_return(void)
{
}

static void by_exit(void)
{
    exit(0);
}

static void by_exit_now(void)
{
    _exit(0);
}

static void by_Exit(void)
{
    _Exit(0);
}

static void by_quick_exit(void)
{
    quick_exit(0);
}

static void by_abort(void)
{
    abort();
}

static void by_segv(void)
{
    raise(SIGSEGV);
}

static void by_kill(void)
{
    kill(getpid(), SIGKILL);
}

static void by_term(void)
{
    kill(getpid(), SIGTERM);
}

static void by_syscall(void)
{
    syscall(SYS_exit_group, 0);
}

static void by_thread_exit(void) /* the last thread ends, not main */
{
    pthread_exit(NULL);
}

/* ---- more I/O at the end ---- */

static void hundred(void)
{
    writes(100);
}

static void by_atexit(void)
{
    atexit(hundred);
}

__attribute__((destructor)) static void destructor(void)
{
    if (getenv("ENDS_DESTRUCTOR"))
        writes(100);
}

/* ---- children ---- */

static void by_fork(void)
{
    pid_t pid = fork();
    if (!pid) {
        writes(MANY);
        exit(0);
    }
    waits(pid);
    writes(100);
}

static void by_fork_twice(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (!pid) {
            writes(50);
            pid = fork();
            if (pid)
                waits(pid);
            else
                writes(50);
            _exit(0);
        }
        waits(pid);
    }
}

static void by_raw_fork(void) /* no library notices it */
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!pid) {
        writes(100);
        syscall(SYS_exit_group, 0);
    }
    waits(pid);
    writes(100);
}

static void by_vfork(void)
{
    pid_t pid = vfork();
    if (!pid) {
        execl(self, self, "child", (char *)NULL);
        _exit(9);
    }
    waits(pid);
    writes(100);
}

/* not allowed by any standard, but some programs do it */
static void by_vfork_writing(void)
{
    pid_t pid = vfork();
    if (!pid) {
        pwrite(file, "0123456789", 10, 0);
        close(file); /* the child's own, not the parent's */
        _exit(0);
    }
    waits(pid);
    writes(100);
}

static void by_spawn(void)
{
    char *argv[] = {(char *)(uintptr_t)self, "child", NULL};
    pid_t pid;
    if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
        _exit(9);
    waits(pid);
    writes(100);
}

static void by_system(void)
{
    char command[4200];
    snprintf(command, sizeof command, "exec %s child", self);
    if (system(command))
        _exit(9);
    writes(100);
}

static void by_exec(void)
{
    execl(self, self, "child", (char *)NULL);
}

/* Becomes another program; it does not return if that works. */
static void execs_by(int way)
{
    char *argv[] = {(char *)(uintptr_t)self, "child", NULL};
    writes(1); /* a process without events has no log */
    if (way == 0)
        execve(self, argv, environ);
    else if (way == 1)
        execvpe(self, argv, environ);
    else if (way == 2)
        execv(self, argv);
    else if (way == 3)
        execvp(self, argv);
    else if (way == 4)
        fexecve(open(self, O_RDONLY), argv, environ);
    else if (way == 5)
        execveat(AT_FDCWD, self, argv, environ, 0);
    else if (way == 6)
        execlp(self, self, "child", (char *)NULL);
    else
        execle(self, self, "child", (char *)NULL, environ);
}

static void by_exec_all(void)
{
    for (int way = 0; way < 8; way++) {
        pid_t pid = fork();
        if (!pid) {
            execs_by(way);
            _exit(9);
        }
        waits(pid);
    }
}

static void by_daemon(void) /* it keeps its folder and its output */
{
    if (daemon(1, 1))
        _exit(9);
    writes(100);
}

static void by_exec_failed(void)
{
    execl("/does/not/exist", "nothing", (char *)NULL);
    writes(100);
}

/* ---- threads ---- */

static void *writes_many(void *n)
{
    writes((int)(intptr_t)n);
    return NULL;
}

static void run_threads(int n, int each, int at_once)
{
    pthread_t t[64];
    for (int begun = 0; begun < n; begun += at_once) {
        for (int i = 0; i < at_once; i++)
            pthread_create(&t[i], NULL, writes_many, (void *)(intptr_t)each);
        for (int i = 0; i < at_once; i++)
            pthread_join(t[i], NULL);
    }
}

static void by_threads(void)
{
    run_threads(8, 2 * MANY, 8);
}

static void by_pool(void)
{
    run_threads(50, 10, 1);
}

static void *waits_for_ever(void *lock)
{
    writes(MANY);
    pthread_mutex_lock(lock);
    return NULL;
}

static void by_exit_beside_thread(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, waits_for_ever, &lock);
    usleep(300000);
    exit(0);
}

static void by_fork_of_thread(void) /* while another writes */
{
    pthread_t t;
    pthread_create(&t, NULL, writes_many, (void *)(intptr_t)(4 * MANY));
    for (int i = 0; i < 10; i++) {
        pid_t pid = fork();
        if (!pid) {
            writes(10);
            _exit(0);
        }
        waits(pid);
    }
    pthread_join(t, NULL);
}

/* ---- interruptions ---- */

static volatile long handled;

static void handler(int signal)
{
    (void)signal;
    handled++;
    writes(1);
}

static void by_signals(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {0};
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20; i++)
        writes(MANY);
    setitimer(ITIMER_REAL, &never, NULL);
    says(20 * MANY + handled);
}

static void caught(int signal)
{
    (void)signal;
    writes(100);
}

static void by_abort_caught(void)
{
    signal(SIGABRT, caught);
    abort();
}

/* ---- descriptors ---- */

static void by_closing_all(void)
{
    int copy = dup2(file, 2000);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    file = copy;
    writes(100);
    file = dup2(copy, 512); /* a number that the log likes to have */
    closefrom(600);
    writes(MANY);
    close_range(513, 5000, 0);
    writes(MANY);
}

static void by_raw_closing(void) /* and opens another file under the log's number */
{
    int copy = dup2(file, 3);
    syscall(SYS_close_range, 4, ~0u, 0);
    file = (int)syscall(SYS_dup3, copy, 512, 0);
    writes(MANY);
    file = copy;
    writes(MANY);
}

static const struct way {
    const char *name;
    void (*run)(void);
    long writes; /* by it and its children; -1: it prints them itself */
} ways[] = {
    {"return", by_return, 0},
    {"exit", by_exit, 0},
    {"_exit", by_exit_now, 0},
    {"_Exit", by_Exit, 0},
    {"quick_exit", by_quick_exit, 0},
    {"abort", by_abort, 0},
    {"segv", by_segv, 0},
    {"kill", by_kill, 0},
    {"term", by_term, 0},
    {"exit_group", by_syscall, 0},
    {"thread_exit", by_thread_exit, 0},
    {"atexit", by_atexit, 100},
    {"fork", by_fork, MANY + 100},
    {"fork_twice", by_fork_twice, 200},
    {"raw_fork", by_raw_fork, 200},
    {"vfork", by_vfork, MANY + 100},
    {"vfork_writing", by_vfork_writing, 101},
    {"spawn", by_spawn, MANY + 100},
    {"system", by_system, MANY + 100},
    {"exec", by_exec, MANY},
    {"exec_all", by_exec_all, 8L * (MANY + 1)},
    {"exec_failed", by_exec_failed, 100},
    {"daemon", by_daemon, 100},
    {"threads", by_threads, 16 * MANY},
    {"pool", by_pool, 500},
    {"exit_beside_thread", by_exit_beside_thread, MANY},
    {"fork_of_thread", by_fork_of_thread, 4 * MANY + 100},
    {"signals", by_signals, -1},
    {"abort_caught", by_abort_caught, 100},
    {"closing_all", by_closing_all, 2 * MANY + 100},
    {"raw_closing", by_raw_closing, 2 * MANY},
};

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1) /* else it only lists the ways */
        file = open("data", O_RDWR | O_CREAT, 0644);
    if (argc == 2 && !strcmp(argv[1], "child")) {
        writes(MANY);
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name)) {
            if (ways[i].writes >= 0) {
                writes(MANY);
                says(MANY + ways[i].writes + (getenv("ENDS_DESTRUCTOR") ? 100 : 0));
            }
            ways[i].run();
            return 0;
        }
    for (size_t i = 0; argc == 1 && i < sizeof ways / sizeof *ways; i++)
        puts(ways[i].name);
    return argc != 1;
}
