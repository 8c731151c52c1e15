/* Shows one line of progress on stderr, only if a terminal shows it in the end: as this
 * process's stderr, or as that of the launcher which forwards it. */
#ifndef BASE_FORMAT_PROGRESS_H
#define BASE_FORMAT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;
    int64_t total; /* units of work in the whole run (0: not known) */
    int64_t done;
    int64_t start_ns;
    int64_t shown_ns; /* when the line was last drawn */
};

/* Local. Starts the line, if `wanted` (rank 0, no --quiet) and there is a terminal. */
void progress_start(struct progress *p, bool wanted, int64_t total);

/* Local; cheap enough for every request. Adds `units` done; redraws at most five
 * times a second: "W rep 2/6  38 %  00:00:42 left". `what` is the text before. */
void progress_step(struct progress *p, int64_t units, const char *what);

/* Local. Clears the line, before anything else is printed. */
void progress_clear(struct progress *p);

#endif
