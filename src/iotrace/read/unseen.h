/* Activity that a trace cannot have seen: gathered from the logs of a run, and printed
 * by all commands that show the run. */
#ifndef IOTRACE_READ_UNSEEN_H
#define IOTRACE_READ_UNSEEN_H

#include "base/format/json.h"
#include "iotrace/read/reader.h"

#define UNSEEN_PROGRAMS 64 /* further programs share one entry */
#define UNSEEN_GAPS 3
#define PROGRAM_NAME 48

/* File of a run's directory: "PID READ WRITTEN HOST" of "iotrace run", with all that it
 * has waited for. */
#define RUN_COUNTS "counts"

struct unseen_program {
    char name[48]; /* its name without the directory */
    uint32_t kinds;
    int64_t starts;
};

/* A log beside the kernel's counts; [0] read and [1] written. The first log of a
 * process has the sums of all. */
struct process_bytes {
    char host[64], program[PROGRAM_NAME];
    char became[PROGRAM_NAME]; /* program that followed the log; "": none did */
    char lost[PROGRAM_NAME];   /* program that left no log; "": none */
    int32_t pid, ppid;
    uint32_t generation;
    int64_t begin_ns, first; /* place of the process's first log */
    bool known, counted;     /* `life` is known, and exact */
    bool unsaid;             /* a child has not said its end */
    bool root;               /* "iotrace run" itself */
    int64_t seen[2], missing[2];
    int64_t life[2]; /* counts of the whole process */
    /* bytes that streams may have read in vain, or that the recorder moved */
    int64_t excess[2];
    int64_t others; /* children, and programs after the first */
};

struct gap { /* bytes of a process and its children that no event has */
    char program[PROGRAM_NAME], lost[PROGRAM_NAME];
    int32_t pid;
    bool unsaid; /* perhaps of a child that has not said its end */
    int64_t bytes[2];
};

struct unseen {
    int ranks, missing_ranks; /* missing: ranks without a log, if they are looked for */
    int logs, unreadable;
    uint64_t dropped, excluded; /* numbers of events */
    int64_t maps;               /* calls that map files */
    uint64_t loads[2];          /* libraries that are hidden from us */
    uint64_t rings, transfers;  /* io_uring without calls */
    int64_t unfollowed;         /* events of files beyond a limit ... */
    int64_t followed;           /* ... which is this */
    int endless;                /* processes whose end is not known */
    struct unseen_program program[UNSEEN_PROGRAMS + 1];
    int programs;
    struct process_bytes *tally;
    int64_t tallies, tally_room;
    int64_t counted;                        /* logs with counts of the kernel */
    bool uncounted;                         /* not all of them are known */
    int64_t seen[2], missing[2], unsaid[2]; /* unsaid: a part of missing */
    struct gap gap[UNSEEN_GAPS];            /* the largest */
    int gaps;
};

/* Local. unseen_event adds an event of the class PROCESS; unseen_profile an entry of a
 * profile, with its calls and failures. */
void unseen_event(struct unseen *u, const struct log *l, const struct event *e);
void unseen_profile(struct unseen *u, const struct log *l, int op, uint32_t file,
                    int64_t calls, int64_t errors);

/* Local. Adds the facts of a log that has been read. */
void unseen_log(struct unseen *u, const struct log *l);
void complete_add(struct unseen *u, const struct log *l);

/* Local. Compares the logs with the kernel's counts, when all have been added. */
void complete_end(struct unseen *u, const char *run);
void unseen_free(struct unseen *u);

/* Local. Returns sentence `i` (0..); NULL after the last. Names in it are as
 * recorded. */
#define UNSEEN_SIZE 256
const char *unseen_text(const struct unseen *u, int i, char text[UNSEEN_SIZE]);
const char *complete_gap(const struct gap *g, char text[UNSEEN_SIZE]);

/* Local. Returns the share of the bytes read (w = 0) or written that is in the logs;
 * -1: not known. unseen_figure says both. */
double unseen_share(const struct unseen *u, int w);
void unseen_json(const struct unseen *u, struct json *j);
const char *unseen_figure(const struct unseen *u, char text[UNSEEN_SIZE]);

#endif
