/* One log, as a stream of events in time order: a log of the recorder (trace.h),
 * finished or not, or a table with the columns of Table 2.1.
 *
 * Whatever a file holds, reading it ends well: what cannot be believed is skipped and
 * counted. Memory is a window per thread, the index of blocks (16 bytes for each 256
 * KiB) and the names of files; it does not grow with the number of events. */
#ifndef IOTRACE_READ_READER_H
#define IOTRACE_READ_READER_H

#include "iotrace/format/trace.h"
#include "iotrace/read/facts.h"
#include "iotrace/read/op.h"
#include <stdbool.h>
#include <stdint.h>

struct event {
    int64_t start_ns; /* since the epoch, by rank 0's clock where that is known */
    int64_t duration_ns;
    int64_t bytes;   /* moved; 0: the call moves none; -1: it failed */
    int64_t offset;  /* in the file; -1: not known */
    int64_t request; /* as in struct trace_record */
    int64_t result;
    uint32_t name;   /* of this log, 0: none; see log_name */
    uint32_t thread; /* 0: not known */
    int32_t pid;
    int32_t fd;  /* -1: none */
    uint16_t op; /* op_get */
    uint8_t class, level, flags;
    /* How tables count it: see below. */
    uint8_t calls, time_class, file_class;
    bool other_end;
    uint16_t row;
    int64_t begun_ns;
};

/* An asynchronous transfer is one transfer, though it is two calls and two events. The
 * submission has `calls` 0, and tables add its time only. The completion has the
 * transfer's bytes, `calls` 1, the submission's call in `row` and its beginning in
 * `begun_ns`. Of all other events `calls` is 1, `row` is `op`, `begun_ns` `start_ns`. A
 * submission that failed is a call like others.
 *
 * `time_class` is the class of the duration, where `class` is that of the bytes: it is
 * CLASS_WAIT of what waits for a transfer of MPI-IO to end.
 *
 * A copy has two events with the same bytes, one about each of its files. `file_class`
 * is how that file sees it: CLASS_READ of the source, CLASS_WRITE of the destination,
 * CLASS_COPY where the log does not tell. Of other events it is `class`. The second
 * event has `other_end` and `calls` 0: it counts in the row of its file only. */

struct log;

struct log_info {
    char path[4096];
    bool table; /* of text: no offsets, no threads, no levels */
    const char *app, *execution, *exe, *argv, *host, *mode, *cwd; /* never NULL */
    /* Of the process, since the epoch; 0: not known. Of one that has not said its end
     * (TRACE_RUNNING), the second is when its clock was looked at last: events may be
     * later. A table's are known when it has been read. */
    int64_t begin_ns, end_ns;
    enum trace_state state;
    int32_t pid, ppid;
    uint32_t generation;
    int32_t rank, ranks; /* -1: none */
    int threads;
    uint64_t dropped, excluded;
    /* counted while reading */
    uint64_t events;
    uint64_t damaged;    /* records that make no sense, skipped */
    uint64_t unfinished; /* records that were being written when all ended */
    uint64_t damaged_blocks, missing_blocks;
    uint64_t inferred;    /* calls that a table does not say are within others */
    uint64_t uncompleted; /* submissions whose end is not in the log */
    /* Known when the log is opened: io_uring by itself, without calls that are seen. */
    uint64_t uring_rings, uring_unseen;
    uint32_t program;           /* of enum program_kind: what of it is not seen */
    struct log_process process; /* what the system knew of it */
    uint32_t version;           /* of the log; 0: a table */
    bool clock_unknown;         /* times are in ticks: it was never calibrated */
};

/* Local. Opens the log `path`. 0, or -errno with a sentence. */
int log_open(struct log **l, const char *path);
void log_close(struct log **l);

/* Local. The next event by start time; a call comes before those made within it.
 * 1: there is one; 0: that was all; -errno with a sentence: it cannot be read. */
int log_next(struct log *l, struct event *e);

const struct log_info *log_info(const struct log *l);

/* Local. The file (or mark's text) called `id`: "" for 0, "?" where the log does not
 * tell. Valid until the log is read on. Names are numbered 1..log_names(). */
const char *log_name(const struct log *l, uint32_t id);
uint32_t log_names(const struct log *l);

/* Local. Whether `id` is the name of a file in a log of the recorder, and the
 * descriptor it was seen with (-1: none). */
bool log_is_file(const struct log *l, uint32_t id, int32_t *fd);

/* Local. What the log tells of the file `id`: false where it tells nothing. */
bool log_facts(const struct log *l, uint32_t id, struct log_facts *f);

/* Local. If `id` is a program that leaves no log, why: of enum program_kind; or 0. */
uint32_t log_program(const struct log *l, uint32_t id);

/* Local. Whether the process of a log may still be writing it. */
bool log_is_growing(const struct log *l);

/* Local. Sentence `n` (0..) of what the reader of figures must know: events dropped,
 * records damaged, ... NULL after the last. */
#define LOG_NOTE_SIZE 256
const char *log_note(const struct log *l, int n, char text[LOG_NOTE_SIZE]);

/* Local. Hands each entry of a log's profile to `visit`, with the number of its call
 * (op_get) and its nanoseconds. Stops where that returns other than 0, and returns it;
 * -errno with a sentence. Tables have none. */
int log_profile(struct log *l,
                int (*visit)(void *arg, const struct trace_profile *p, int op,
                             int64_t ns),
                void *arg);

/* Local. *sum += more, where *sum is not below 0. What only damage makes larger stays
 * at the largest number. */
static inline void log_sum(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

/* Local. Bytes of the window of each thread from now on, in all logs opened later: less
 * where very many are read at once. */
void log_window(int64_t bytes);

#endif
