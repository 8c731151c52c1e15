/* One log, as a stream of events in time order: a log of the recorder (trace.h),
 * finished or not, or a table with the columns of Table 2.1.
 *
 * Reading succeeds for any contents: what is not plausible is skipped and counted.
 * Memory is a window for each thread, the index of blocks (16 bytes for each 256 KiB)
 * and the names of files; it does not grow with the number of events. */
#ifndef IOTRACE_READ_READER_H
#define IOTRACE_READ_READER_H

#include "iotrace/format/trace.h"
#include "iotrace/read/op.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- facts ----------------------------------------------------------------------- */

struct log_process {
    int cores; /* cores that it could use; 0: not known */
    /* their numbers, as "0-3,8"; valid as long as the log; "": not known */
    const char *cpus;
    /* time that its threads were ready and had no core, of a rank between MPI_Init and
     * MPI_Finalize; -1: not known */
    int64_t waited_ns;
    /* The kernel's counts of bytes of calls, [0] read and [1] written, with those of
     * children that were waited for. */
    bool began, counted;            /* `before` is known; all are */
    int64_t before[2];              /* before the log began */
    int64_t bytes[2], all_bytes[2]; /* since then, without and with the recorder's */
    int64_t passed[2]; /* in recorded functions, and on purpose without an event */
};

struct log_facts {        /* facts of a file */
    char type[32];        /* type of its file system; "": not known */
    const char *point;    /* its mount point; valid as long as a name is */
    int64_t block_bytes;  /* st_blksize; 0: not known */
    int64_t stripe_bytes; /* 0: none, or not known */
    int stripes;          /* 0: likewise */
    int comm_ranks;       /* ranks that opened it together by MPI; 0: none did */
    const char *hints;    /* hints in effect then: "KEY=VALUE;KEY=VALUE;" */
};

/* Local. Reads facts from the lines of a header; "" if there is none. The times of
 * `waited` count until the end, the end of MPI_Init and the begin of MPI_Finalize. */
void facts_of_process(struct log_process *p, const char *cores, const char *cpus,
                      const char *const waited[3], const char *before, const char *io);

/* Local. Adds processors, as "0-3,8", to the set of TRACE_CPUS bits. False: it is no
 * such list. */
bool facts_add_cpus(const char *list, unsigned char *set);

/* Local. Reads facts from the texts of TRACE_PLACE and TRACE_MPI; NULL if there is
 * none. False: there are no facts. */
bool facts_of_file(struct log_facts *f, const char *place, const char *mpi);

/* ---- the reader ------------------------------------------------------------------ */

struct event {
    int64_t start_ns; /* since the epoch, by rank 0's clock if it is known */
    int64_t duration_ns;
    int64_t bytes;   /* moved; 0: the call moves none; -1: it failed */
    int64_t offset;  /* in the file; -1: not known */
    int64_t request; /* see struct trace_record */
    int64_t result;
    uint32_t name;   /* number in this log, 0: none; see log_name */
    uint32_t thread; /* 0: not known */
    int32_t pid;
    int32_t fd;  /* -1: none */
    uint16_t op; /* op_get */
    uint8_t class, level, flags;
    /* The way in which tables count it: see below. */
    uint8_t calls, time_class, file_class;
    bool other_end;
    uint16_t row;
    int64_t begun_ns;
};

/* An asynchronous transfer is one transfer, though it is two calls and two events. The
 * submission has `calls` 0, and tables add its time only. The completion has the
 * transfer's bytes, `calls` 1, the submission's call in `row` and its begin in
 * `begun_ns`. All other events have `calls` 1, `row` = `op`, `begun_ns` = `start_ns`. A
 * submission that failed is a call like others.
 *
 * `time_class` is the class of the duration, and `class` that of the bytes: it is
 * CLASS_WAIT if the call waits for a transfer of MPI-IO to end.
 *
 * A copy has two events with the same bytes, one about each of its files. `file_class`
 * is the copy as seen by that file: CLASS_READ for the source, CLASS_WRITE for the
 * destination, CLASS_COPY if the log does not tell. Other events have `file_class` =
 * `class`. The second event has `other_end` and `calls` 0: it counts in the row of its
 * file only. */

struct log;

struct log_info {
    char path[4096];
    bool table; /* the log is text: no offsets, no threads, no levels */
    const char *app, *execution, *exe, *argv, *host, *mode, *cwd; /* never NULL */
    /* Begin and end of the process, since the epoch; 0: not known. For one whose end is
     * not known (TRACE_RUNNING), the second is its last look at the clock: events may
     * be later. A table's are known when it has been read. */
    int64_t begin_ns, end_ns;
    enum trace_state state;
    int32_t pid, ppid;
    uint32_t generation;
    int32_t rank, ranks; /* -1: none */
    int threads;
    uint64_t dropped, excluded;
    /* Counts made while reading. */
    uint64_t events;
    uint64_t damaged;    /* records that are not plausible, skipped */
    uint64_t unfinished; /* records that were being written when the process ended */
    uint64_t damaged_blocks, missing_blocks;
    /* calls that were found to be within others, without levels in the table */
    uint64_t inferred;
    uint64_t uncompleted; /* submissions whose end is missing */
    /* Bytes of the events, [0] read and [1] written, that the kernel counts as such,
     * and what a stream may have read in excess of its caller's wishes. */
    int64_t moved[2], excess;
    /* Names of programs, 0: none. The last event executes the first; the second was
     * started and leaves no log. */
    uint32_t became, lost;
    /* Known when the log is opened: io_uring's own counts of transfers without a
     * recorded call. */
    uint64_t uring_rings, uring_unseen;
    uint64_t loads[2];          /* libraries that are hidden from us: trace.h */
    uint32_t program;           /* enum program_kind: reasons for unseen calls */
    struct log_process process; /* facts from the system */
    uint32_t version;           /* version of the log; 0: a table */
    bool clock_unknown;         /* times are in ticks, which were never calibrated */
};

/* Local. True if the path, "FILE@N", is of a process in a common log (trace.h). */
bool log_is_place(const char *path);

/* Local. Opens the log `path`. Returns 0, or -errno with a sentence. */
int log_open(struct log **l, const char *path);
void log_close(struct log **l);

/* Local. Finds the next event by start time; a call comes before those within it.
 * Returns 1: there is one; 0: that was all; -errno with a sentence: reading failed. */
int log_next(struct log *l, struct event *e);

const struct log_info *log_info(const struct log *l);

/* Local. Returns the name of the file (or the text of the mark) with number `id`: ""
 * for 0, "?" if the log does not tell. Valid until the log is read on. Names are
 * numbered 1..log_names(). */
const char *log_name(const struct log *l, uint32_t id);
uint32_t log_names(const struct log *l);

/* Local. True if `id` is the name of a file in a log of the recorder; *fd is the
 * descriptor with which it was first seen (-1: none). */
bool log_is_file(const struct log *l, uint32_t id, int32_t *fd);

/* Local. Finds the facts of the file `id`; false: the log has none. */
bool log_facts(const struct log *l, uint32_t id, struct log_facts *f);

/* Local. If `id` is a program that leaves no log, returns the reasons, of enum
 * program_kind; else 0. */
uint32_t log_program(const struct log *l, uint32_t id);

/* Local. True if the process of a log may still be writing it. */
bool log_is_growing(const struct log *l);

/* Local. Returns sentence `n` (0..) about limits of the figures: events dropped,
 * records damaged, ... NULL after the last. */
#define LOG_NOTE_SIZE 256
const char *log_note(const struct log *l, int n, char text[LOG_NOTE_SIZE]);

/* Local. Hands each entry of a log's profile to `visit`, with the number of its call
 * (op_get) and its nanoseconds. Stops if `visit` returns other than 0, and returns
 * that; -errno with a sentence. Tables have no profile. */
int log_profile(struct log *l,
                int (*visit)(void *arg, const struct trace_profile *p, int op,
                             int64_t ns),
                void *arg);

/* Local. Adds `more` to *sum, which is not below 0. A sum that overflows, which takes a
 * damaged log, stays at the largest number. */
static inline void log_sum(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

/* Local. Sets the bytes of each thread's window, for all logs opened later: fewer if
 * very many are read at once. */
void log_window(int64_t bytes);

#endif
