#include "base/program.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens /dev/null in the wrong direction: writing to a missing standard output is then
 * an error, and not lost silently. */
void program_begin(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
    scratch_outlive_limit();
}

int program_output(void)
{
    bool lost = ferror(stdout);
    errno = 0;
    lost |= fflush(stdout) != 0;
    int why = errno;
    clearerr(stdout);
    /* it failed earlier: find the reason */
    if (lost && !why && write(STDOUT_FILENO, "\n", 1) < 0)
        why = errno;
    /* NFS and quotas report some failures at a close only. Standard output itself stays
     * open, for MPI libraries print, too. */
    int copy = dup(STDOUT_FILENO);
    if (copy >= 0 && close(copy) && !lost) {
        lost = true;
        why = errno;
    }
    if (!lost)
        return 0;
    return err_set(-(why ? why : EIO), NULL, -1,
                   "standard output cannot be written%s%s: what was to be printed is "
                   "not all there, and what was written to files is",
                   why ? ": " : "", why ? strerror(why) : "");
}

int program_end(const char *name, int status)
{
    if (status == EXIT_GOOD)
        err_clear();
    bool said = err_get()->code; /* one sentence is enough */
    if (!program_output())
        return status;
    if (!said)
        err_print(stderr, name, err_get());
    return status == EXIT_GOOD ? EXIT_FAILED : status;
}

/* ---- programs of several commands ------------------------------------------------ */

/* Prints the error on one process of a launch. */
static int commands_refuse(const char *name)
{
    if (opt_speaks())
        err_print(stderr, name, err_get());
    return (int)err_exit_status(err_get());
}

static int help(const struct command_set *s)
{
    printf("usage: %s COMMAND [options] ...\n\n%s\n", s->program, s->about);
    for (int i = 0; i < s->n; i++)
        printf("  %-10s %s\n", s->command[i].name, s->command[i].about);
    printf("\n  -h, --help              this text; of a command: %s COMMAND --help\n"
           "  --version               the version\n",
           s->program);
    return EXIT_GOOD;
}

/* Refuses a command that is not in the set. */
static void refuse_command(const struct command_set *s, const char *name)
{
    const char *meant = NULL;
    for (int i = 0; i < s->n; i++)
        meant = opt_nearer(name, meant, s->command[i].name);
    err_usage("\"%s\" is not one of its commands%s%s%s %s --help", name,
              meant ? ": did you mean " : "", meant ? meant : "",
              meant ? "? See" : "; see", s->program);
}

static int program_run(const struct command_set *s, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->command[i].name, name))
            return s->command[i].run(argc - 1, argv + 1);
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        return help(s);
    if (!strcmp(name, "--version")) {
        printf("%s (Leadline) %s\n", s->program, leadline_version);
        return EXIT_GOOD;
    }
    if (name[0])
        refuse_command(s, name);
    else
        err_usage("it needs a command, as in %s %s; see %s --help", s->program,
                  s->example, s->program);
    return commands_refuse(s->program);
}

int commands_run(const struct command_set *s, int argc, char **argv)
{
    program_begin();
    return program_end(s->program, program_run(s, argc, argv));
}

bool command_options(const struct opt_program *p, int argc, char **argv, int *status)
{
    if (opt_early(p, leadline_version, argc, argv, status))
        return false;
    if (!opt_parse(p, argc, argv))
        return true;
    *status = commands_refuse(p->name);
    return false;
}

/* ---- other programs -------------------------------------------------------------- */

extern char **environ;

/* Starts the program with its output in `pipe_end`, in its own process group, so that
 * its children are killed with it. */
static int tool_start(char *const argv[], int pipe_end, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe_end, 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    int rc = -posix_spawnp(pid, argv[0], &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return rc;
}

/* Reads to the end of the output, or to the deadline: -ETIMEDOUT. */
static int tool_read_all(int fd, int64_t deadline_ns, char *out, size_t size)
{
    size_t n = 0;
    for (;;) {
        char lost[512];
        int64_t left_ms = (deadline_ns - clock_ns()) / 1000000;
        struct pollfd p = {fd, POLLIN, 0};
        int ready = left_ms > 0 ? poll(&p, 1, (int)left_ms) : 0;
        if (!ready)
            return -ETIMEDOUT;
        bool room = n + 1 < size;
        ssize_t got = ready < 0 ? -1
                                : read(fd, room ? out + n : lost,
                                       room ? size - 1 - n : sizeof lost);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? -errno : 0;
        n += room ? (size_t)got : 0;
        out[n] = 0;
    }
}

/* Waits for the program's end, which may come after that of its output, or never. */
static int await(pid_t pid, int64_t deadline_ns, int *status)
{
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return 0;
        /* another caller reaped it, or SIGCHLD is ignored */
        if (ended < 0 && errno == ECHILD) {
            *status = 0;
            return 0;
        }
        if (ended < 0 && errno != EINTR)
            return -errno;
        if (clock_ns() >= deadline_ns)
            return -ETIMEDOUT;
        usleep(1000);
    }
}

int tool_ask(char *const argv[], double limit_s, char *out, size_t size)
{
    int end[2], status = 0;
    pid_t pid;
    int64_t deadline_ns = clock_ns() + (int64_t)(limit_s * 1e9);
    out[0] = 0;
    if (pipe2(end, O_CLOEXEC))
        return -errno;
    int rc = tool_start(argv, end[1], &pid);
    close(end[1]);
    if (!rc) {
        rc = tool_read_all(end[0], deadline_ns, out, size);
        if (!rc)
            rc = await(pid, deadline_ns, &status);
        if (rc) {
            kill(-pid, SIGKILL);
            /* a process in state D stays */
            await(pid, clock_ns() + 100000000, &status);
        } else
            rc = WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
    }
    close(end[0]);
    return rc;
}
