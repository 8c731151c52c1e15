/* Activity that a trace cannot have seen: gathered from the logs of a run, and printed
 * by all commands that show the run. */
#ifndef IOTRACE_READ_UNSEEN_H
#define IOTRACE_READ_UNSEEN_H

#include "iotrace/read/reader.h"

#define UNSEEN_PROGRAMS 64 /* further programs share one entry */

struct unseen_program {
    char name[48]; /* its name without the directory */
    uint32_t kinds;
    int64_t starts;
};

struct unseen {
    int ranks, missing_ranks; /* missing: ranks without a log, if they are looked for */
    int logs, unreadable;
    uint64_t dropped, excluded; /* numbers of events */
    int64_t maps;               /* calls that map files */
    uint64_t rings, transfers;  /* io_uring without calls */
    int64_t unfollowed;         /* events of files beyond a limit ... */
    int64_t followed;           /* ... which is this */
    int endless;                /* processes whose end is not known */
    struct unseen_program program[UNSEEN_PROGRAMS + 1];
    int programs;
};

/* Local. unseen_event adds an event of the class PROCESS; unseen_profile an entry of a
 * profile, with its calls and failures. */
void unseen_event(struct unseen *u, const struct log *l, const struct event *e);
void unseen_profile(struct unseen *u, const struct log *l, int op, uint32_t file,
                    int64_t calls, int64_t errors);

/* Local. Adds the facts of a log that has been read. */
void unseen_log(struct unseen *u, const struct log *l);

/* Local. Returns sentence `i` (0..); NULL after the last. If there is none,
 * unseen_nothing returns a sentence that says so. Names in it are as recorded. */
#define UNSEEN_SIZE 256
const char *unseen_text(const struct unseen *u, int i, char text[UNSEEN_SIZE]);
const char *unseen_nothing(void);

#endif
