/* Classifies the transfers of one process to or from one file: they continue where the
 * last one ended, jump by a constant distance, or neither. */
#ifndef IOTRACE_READ_ACCESS_H
#define IOTRACE_READ_ACCESS_H

#include "iotrace/read/reader.h"
#include <stdbool.h>
#include <stdint.h>

enum access_kind { ACCESS_SEQUENTIAL, ACCESS_STRIDED, ACCESS_RANDOM, ACCESS_UNKNOWN };
#define ACCESS_KINDS 4

struct access {
    int64_t at, end; /* begin and end of the last transfer */
    int64_t jump;    /* distance between the last two */
    int64_t bytes;
    bool begun, jumped, counted_random;
};

struct access_count {
    int64_t calls[ACCESS_KINDS], bytes[ACCESS_KINDS];
};

/* Local. Counts a transfer of `bytes` at `offset` (-1: unknown). The first transfer of
 * a stream is sequential; one that repeats the distance of the last jump is strided,
 * and so was that jump. */
void access_count(struct access *a, struct access_count *n, int64_t offset,
                  int64_t bytes);

/* Threads that are within a call which tells its place in the file. */
struct told {
    bool lane[256]; /* one for each thread */
};

/* Local. True if an event's offset is the program's own choice: it is a call of the
 * program with an offset, or one made within a transfer that has none; not one by which
 * a library carries out a known transfer. Call it for all events of a log in their
 * order. */
bool told_by(struct told *t, const struct event *e);

#endif
