#include "base/tool.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

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
