#include "base/progress.h"
#include "base/clock.h"
#include <stdio.h>
#include <unistd.h>

#define REDRAW_NS 200000000

void progress_start(struct progress *p, bool wanted, int64_t total)
{
    p->on = wanted && isatty(STDERR_FILENO);
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
