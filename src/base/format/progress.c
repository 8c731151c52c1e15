#include "base/format/progress.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REDRAW_NS 200000000

/* The parent of a process, and the process's name. */
static pid_t parent_of(pid_t pid, char name[64])
{
    char path[32];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*d (%63[^)]) %*c %d", name, &parent) != 2)
        parent = 0;
    fclose(f);
    return parent;
}

static bool is_launcher(const char *name)
{
    static const char *const names[] = {"mpiexec", "mpirun", "orterun", "prterun"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* True if the launcher's stderr is a terminal. A rank's stderr is a pipe to its
 * launcher, which can be inspected if it runs on the same node, as it mostly does for
 * rank 0. */
static bool launcher_has_terminal(void)
{
    char name[64], path[32], target[64];
    pid_t pid = getppid();
    for (int i = 0; i < 8 && pid > 1; i++) {
        pid_t parent = parent_of(pid, name);
        if (parent && is_launcher(name)) {
            snprintf(path, sizeof path, "/proc/%d/fd/2", (int)pid);
            ssize_t n = readlink(path, target, sizeof target - 1);
            target[n > 0 ? n : 0] = 0;
            return !strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8);
        }
        pid = parent;
    }
    return false;
}

void progress_start(struct progress *p, bool wanted, int64_t total)
{
    p->on = wanted && (isatty(STDERR_FILENO) || launcher_has_terminal());
    p->total = total;
    p->done = 0;
    p->start_ns = clock_ns();
    p->shown_ns = 0;
}

void progress_step(struct progress *p, int64_t units, const char *what)
{
    p->done += units;
    if (!p->on)
        return;
    int64_t now = clock_ns();
    if (now - p->shown_ns < REDRAW_NS)
        return;
    p->shown_ns = now;
    fprintf(stderr, "\r%-24s", what);
    if (p->total > 0 && p->done > 0) {
        double share = (double)p->done / (double)p->total;
        double spent = (double)(now - p->start_ns) / 1e9;
        long left = (long)(spent / share - spent + 0.5);
        left = left > 0 ? left : 0;
        fprintf(stderr, " %3.0f %%  %02ld:%02ld:%02ld left", share * 100, left / 3600,
                left / 60 % 60, left % 60);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

void progress_clear(struct progress *p)
{
    if (p->on && p->shown_ns) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        p->shown_ns = 0;
    }
}
