/* A run's requests to its files, in figures: summary_make fills them in one pass over
 * the events, in memory that does not depend on their number. */
#ifndef IOTRACE_SUMMARY_H
#define IOTRACE_SUMMARY_H

#include "base/format/json.h"
#include "base/stats.h"
#include "iotrace/read/access.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/unseen.h"

#define SUMMARY_FILES 32768 /* further files share one row */
#define SUMMARY_COARSE 4    /* buckets of HIST_ in one bucket of a file */
#define SUMMARY_FILE_HIST (HIST_SIZE / SUMMARY_COARSE)

struct sum {
    int64_t calls, errors, bytes, ns;
};

struct call_sum { /* one operation, called by the program or within another call */
    struct sum sum;
    int64_t min_ns, max_ns;
    int64_t transfers, min_bytes, max_bytes; /* transfers that moved bytes */
    int64_t latency[HIST_SIZE], size[HIST_SIZE];
};

struct file_sum {
    struct sum sum[CLASSES];
    struct access_count access[2]; /* reads, and writes */
    int64_t min_bytes, max_bytes, max_ns;
    int32_t processes, last_process;
    int64_t timed;
    bool stored;                         /* not a pipe, a socket, or the kernel's */
    uint32_t latency[SUMMARY_FILE_HIST]; /* latency of transfers */
};

struct process_sum {
    int32_t rank, pid;
    uint32_t generation;
    int threads;
    /* next process with a like number, while its log is read: see summary.c */
    int next;
    char app[64], program[64], host[64];
    struct sum sum[CLASSES];
    int64_t begin_ns, end_ns; /* 0: not known */
    int64_t io_ns;            /* time with at least one thread in a call */
    int64_t covered_ns;       /* io_ns counts up to here */
};

struct summary_note {
    char *log, *text;
};

struct summary {
    struct run run;
    int read;                               /* logs that were read */
    struct call_sum *call[2][OP_TABLE_MAX]; /* [nested][op]; NULL: never called */
    struct names files;
    /* [0]: files without a name, or beyond SUMMARY_FILES; else [id] */
    struct file_sum *file;
    uint32_t file_room;
    struct process_sum *process;
    int processes, process_room;
    struct sum total[CLASSES], nested[CLASSES];
    struct access_count access[2];
    /* transfers of stored files: those below SUMMARY_SMALL, and all */
    int64_t small_calls, transfers;
    int64_t begin_ns, end_ns;
    struct unseen unseen;
    uint64_t damaged;
    struct summary_note *note;
    int notes;
};

#define SUMMARY_SMALL 4096

/* Local. Makes the summary of a run. Returns 0, or -errno with a sentence; free it with
 * summary_free in both cases. */
int summary_make(struct summary **s, const char *path);
void summary_free(struct summary **s);

/* Local. Sums over the classes that take time in files. */
struct sum summary_io(const struct sum *by_class);
/* Local. Sums over the classes that neither move bytes nor make them durable: open,
 * close, seek, meta. */
struct sum summary_metadata(const struct sum *by_class);

/* Local. Returns the name of a file's row. */
const char *summary_file_name(const struct summary *s, uint32_t id);

/* Local. Returns nanoseconds as seconds. */
static inline double summary_s(int64_t ns)
{
    return (double)ns * 1e-9;
}

/* Local. Returns the seconds from the first process's start to the last end; 0: not
 * known. */
static inline double summary_wall_s(const struct summary *s)
{
    return s->end_ns > s->begin_ns ? summary_s(s->end_ns - s->begin_ns) : 0;
}

/* Local. Return the quantile `q`: that share of values is at most the result. Latencies
 * of a call and of a file in seconds; sizes of a call in bytes. */
double summary_latency_s(const struct call_sum *c, double q);
double summary_file_latency_s(const struct file_sum *f, double q);
int64_t summary_size(const struct call_sum *c, double q);

/* Local. List the numbers of the files (of the operations, nested or not) that occur,
 * by descending time. Return their number; the list is allocated. -ENOMEM with a
 * sentence. */
int summary_by_time(const struct summary *s, uint32_t **ids);
int summary_calls_by_time(const struct summary *s, int nested, uint32_t **ops);

/* The difference between ranks (or processes, without ranks) in one figure. */
struct imbalance {
    int n;
    double mean, max;
    int max_process;
};
struct imbalance summary_imbalance(const struct summary *s,
                                   double (*of)(const struct process_sum *));
double process_io_s(const struct process_sum *p);
double process_bytes(const struct process_sum *p);
double process_wall_s(const struct process_sum *p);

struct summary_tables { /* tables to show */
    bool calls, files, ranks;
    int64_t top; /* most rows of the last two */
};

/* Local. Print the summary as text, and all of it as JSON. Return 0 or -errno. */
int summary_text(const struct summary *s, const struct summary_tables *show, FILE *out);
int summary_json(const struct summary *s, FILE *out);

/* Local. Puts the member `key` of the current object: calls, errors, bytes, seconds. */
void summary_put_sum(struct json *j, const char *key, const struct sum *sum);

#endif
