/* The external sort of a file, by all lanes of all ranks, as two phases: `runs` reads
 * the input, in sections that are sorted and written as runs; `merge` merges these into
 * the output. Of several ranks each sorts a range of the keys, and gets the records
 * that are in it from all others (exchange.h). Who comes between two equal keys is
 * decided by their places in the input, so that the output is the same for any number
 * of ranks and lanes and any memory.
 *
 * Bytes of all ranks, N those of the input: phase runs reads N (and of several ranks
 * their samples) and writes N where not all fits into memory; each pass reads and
 * writes N; phase merge reads what was written last, and a little more where parts of
 * lanes meet (extsort.h), and writes N. Past the page cache (--cache=direct) what is
 * read are whole blocks. */
#ifndef OUTCORE_SORT_SORTING_H
#define OUTCORE_SORT_SORTING_H

#include "extsort/extsort.h"
#include "outcore/data/make.h"
#include "outcore/data/output.h"
#include "run/run.h"

/* Requests of the input, and the largest ones of the output. */
enum {
    SORTING_READ_BYTES = 1 << 20,
    SORTING_READ_DEPTH = 4,
    SORTING_WRITE_MOST = 1 << 21
};

/* Bytes of a record, at most: one is read in one request. */
#define SORTING_RECORD_MAX SORTING_READ_BYTES

struct sorting_way;

struct sorting {
    struct sort_order order;
    struct data_file *input; /* with its bytes known */
    struct output *output;
    int64_t memory_bytes; /* of a rank, for all its lanes */
    int64_t merge_bytes;  /* of a read of the merge; 0: as extsort.h says */
    bool single;          /* one lane of each rank merges */
    bool keep_runs;
    /* Of the last sorting_run, of all ranks, on every rank: */
    int64_t records, runs, read_bytes, write_bytes;
    int64_t *part;                  /* of each writer of this rank: records */
    int64_t passes;                 /* of the rank that had most */
    double wall_s, cpu_s;           /* of both phases */
    double runs_share, merge_share; /* of I/O in the slowest rank's time, 0..1 */
    struct sorting_way *way;        /* its own */
};

/* Local, in `plan`, once all but the last group is set: s->output->writers follows.
 * Adds to *n: memory, disk space, bytes; n->memory_bytes is exact but for a lane's
 * threads. 0, or -EINVAL with a sentence: the memory is too small. */
int sorting_plan(struct run *r, struct sorting *s, struct run_need *n);

/* **Collective**, in `open`. Allocates all memory. Returns the agreed verdict. */
int sorting_open(struct run *r, struct sorting *s);

/* **Collective**, outside of phases, the input named (data_name, for requests of
 * SORTING_READ_BYTES and SORTING_READ_DEPTH of them) and made. The output is closed
 * then, and still has its temporary name (output_settle). Returns the agreed verdict.
 * */
int sorting_run(struct run *r, struct sorting *s);

/* Local, in `close`. */
void sorting_close(struct sorting *s);

#endif
