/* What a trace cannot have seen: gathered from the logs of a run, told by all that
 * shows it. */
#ifndef IOTRACE_READ_UNSEEN_H
#define IOTRACE_READ_UNSEEN_H

#include "iotrace/read/reader.h"

#define UNSEEN_PROGRAMS 64 /* further ones are one */

struct unseen_program {
    char name[48]; /* without its directory */
    uint32_t kinds;
    int64_t starts;
};

struct unseen {
    int ranks, missing_ranks; /* without a log; where that is looked for */
    int logs, unreadable;
    uint64_t dropped, excluded; /* events */
    int64_t maps;               /* calls that map files */
    uint64_t rings, transfers;  /* io_uring without calls */
    int64_t unfollowed;         /* events of files beyond a limit... */
    int64_t followed;           /* ...of so many */
    int endless;                /* processes that have not said their end */
    struct unseen_program program[UNSEEN_PROGRAMS + 1];
    int programs;
};

/* Local. Adds an event of the class PROCESS; an entry of a profile, by its calls and
 * those that failed. */
void unseen_event(struct unseen *u, const struct log *l, const struct event *e);
void unseen_profile(struct unseen *u, const struct log *l, int op, uint32_t file,
                    int64_t calls, int64_t errors);

/* Local. Adds what a log that has been read tells of itself. */
void unseen_log(struct unseen *u, const struct log *l);

/* Local. Sentence `i` (0..); NULL after the last. Where there is none of these,
 * unseen_nothing says so. Names in it are as they were. */
#define UNSEEN_SIZE 256
const char *unseen_text(const struct unseen *u, int i, char text[UNSEEN_SIZE]);
const char *unseen_nothing(void);

#endif
