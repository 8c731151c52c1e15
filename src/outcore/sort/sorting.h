/* The external sort of a file, on all lanes of all ranks, in two phases: `runs` reads
 * the input, in sections that are sorted and written as runs; `merge` merges these into
 * the output. With several ranks each sorts a range of the keys, and gets its records
 * from all others (exchange.c). The order of equal keys is that of their places in the
 * input, so that the output is the same for any number of ranks and lanes and any
 * memory.
 *
 * Bytes of all ranks, with N those of the input: phase runs reads N (and with several
 * ranks their samples) and writes N if not all fits into memory; each pass reads and
 * writes N; phase merge reads what was written last, and a little more where parts of
 * lanes meet (extsort.h), and writes N. With --cache=direct whole blocks are read. */
#ifndef OUTCORE_SORT_SORTING_H
#define OUTCORE_SORT_SORTING_H

#include "extsort/extsort.h"
#include "outcore/data/make.h"
#include "outcore/data/output.h"
#include "run/run.h"

/* ---- the sort -------------------------------------------------------------------- */

/* Requests on the input, and the largest ones on the output. */
enum {
    SORTING_READ_BYTES = 1 << 20,
    SORTING_READ_DEPTH = 4,
    SORTING_WRITE_MOST = 1 << 21
};

/* Most bytes of a record: one is read in one request. */
#define SORTING_RECORD_MAX SORTING_READ_BYTES

struct sorting_way;

struct sorting {
    struct sort_order order;
    struct data_file *input; /* with its bytes known */
    struct output *output;
    int64_t memory_bytes; /* of a rank, for all its lanes */
    int64_t merge_bytes;  /* of a read of the merge; 0: as in extsort.h */
    bool single;          /* one lane of each rank merges */
    bool keep_runs;
    /* of the last sorting_run, over all ranks, on every rank: */
    int64_t records, runs, read_bytes, write_bytes;
    int64_t *part;                  /* records of each of this rank's writers */
    int64_t passes;                 /* maximum over ranks */
    double wall_s, cpu_s;           /* of both phases */
    double runs_share, merge_share; /* share of I/O in the slowest rank's time, 0..1 */
    struct sorting_way *way;        /* internal */
};

/* Local, in `plan`, once all members but the last group are set; s->output->writers
 * follows. Adds to *n: memory, disk space, bytes; n->memory_bytes is exact except for a
 * lane's threads. Returns 0, or -EINVAL with a sentence: the memory is too small. */
int sorting_plan(struct run *r, struct sorting *s, struct run_need *n);

/* **Collective**, in `open`. Allocates all memory. Returns the agreed verdict. */
int sorting_open(struct run *r, struct sorting *s);

/* **Collective**, outside of phases, with the input named (data_name, for
 * SORTING_READ_DEPTH requests of SORTING_READ_BYTES) and made. Afterwards the
 * output is closed, and still has its temporary name (output_settle). Returns the
 * agreed verdict. */
int sorting_run(struct run *r, struct sorting *s);

/* Local, in `close`. Frees the memory. */
void sorting_close(struct sorting *s);

/* ---- the check ------------------------------------------------------------------- */

/* Checks, outside of the measurement, that the output is the sorted input: each record
 * is not below the previous one, their number is the same, and the sums of their CRC-32
 * are. The sum, and the number of keys equal to the previous one, are those of valsort,
 * the Sort Benchmark's program. */

/* Bytes of a lane's memory during the check, more for records longer than some
 * 100 KiB. */
#define CHECK_MEMORY (1 << 20)

struct check_answer {
    int64_t records;    /* of the output */
    int64_t duplicates; /* records with the previous one's key */
    uint64_t sum;       /* of their CRC-32, modulo 2^64 */
};

/* **Collective**, after sorting_run. Phase `verify`, which is not part of the work:
 * reads both files. Returns the agreed verdict: -EIO with a sentence if the output
 * is wrong. */
int check_sorted(struct run *r, const struct sorting *s, struct check_answer *a);

#endif
