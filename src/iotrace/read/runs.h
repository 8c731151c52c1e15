/* RUN: a folder of logs (and of folders of logs), or one log. */
#ifndef IOTRACE_READ_RUNS_H
#define IOTRACE_READ_RUNS_H

#include "iotrace/read/reader.h"
#include <stdio.h>

struct run {
    const char *path;
    char **log; /* paths, sorted */
    int logs;
    int idle;       /* of them, places in a common log */
    int unreadable; /* counted by run_each and stream_open */
    bool again;     /* reported before */
};

/* Local. Finds the logs of RUN: all *.bin, *.part and *.tsv that are not a copy of
 * another one. Returns 0, or -errno with a sentence, also if there are none. */
int run_find(struct run *r, const char *path);
void run_free(struct run *r);

/* Local. Opens one log after the other and hands it to `visit`. A log that cannot be
 * read is reported on stderr and counted; -errno if none can, or if `visit` returned
 * it. */
int run_each(struct run *r, int (*visit)(void *arg, struct log *l), void *arg);

/* Local. Prints a sentence about a file on stderr. */
void run_say(const char *path, const char *text);

/* Local. Prints the notes of a log (log_note) on stderr. */
void run_say_notes(const struct log *l);

/* All logs of a run as one stream in time order. */
struct stream {
    struct log **log;
    int logs;
    struct lane *lane;
    int *heap;
    int heap_n;
    struct log *last; /* the log of the event handed out last */
    bool behind;      /* that event is still the head of the first lane */
};

/* Local. Opens all logs. Returns 0, or -errno with a sentence. */
int stream_open(struct stream *s, struct run *r);
/* Returns the next event as log_next does: *e is valid until the next call; s->last is
 * its log, the one with number s->heap[0] of those that could be opened. */
int stream_next(struct stream *s, const struct event **e);
void stream_close(struct stream *s);

/* Local. Returns the exit status of a command over `r` that ended with `rc`. */
int run_verdict(const struct run *r, int rc);

#endif
