/* An external sort: records of one size, any number of them, in a given memory. The
 * lanes of a rank sort sections of the input, and write them as runs to a scratch file
 * that all share; then they merge the runs, each lane a part of the result (D. Knuth,
 * The Art of Computer Programming, volume 3, 5.4). If all fits into memory there are no
 * runs. Equal keys stay in the order in which the records came, and the result does
 * not depend on lanes or memory.
 *
 *     extsort_open                         once
 *     extsort_begin                        each sort, in a phase
 *         extsort_take, extsort_run        by lanes; or extsort_add, with one lane
 *     extsort_plan                         may be in another phase
 *         extsort_part, extsort_next       by lanes; or extsort_record, extsort_group
 *     extsort_end                          in a phase
 *     extsort_close
 *
 * Scratch files are made by run_file_beside, and transfers by run streams. A failure is
 * sticky, in the run of the lane and then of the rank; later calls do nothing. A chunk
 * of a run that reads back different from what was written is a failure (-EIO), with
 * the run and the offset. */
#ifndef EXTSORT_EXTSORT_H
#define EXTSORT_EXTSORT_H

#include "run/run.h"
#include "sort/order.h"

enum {
    EXTSORT_TRANSFER = 4 << 20, /* bytes, at most, unless merge_bytes is larger */
    EXTSORT_DEPTH = 16          /* depth of a queue, for one file or for several */
};

struct extsort;

struct extsort_how {
    struct sort_order order;
    int lanes; /* lanes that sort: all of the rank, or 1 */
    /* lanes that merge: as many, or 1, which then has all the memory */
    int merge_lanes;
    int64_t memory_bytes; /* memory of the rank; it takes less if less suffices */
    /* Bytes of a transfer in the merge; 0: as memory permits, 4 MiB at most. There are
     * several passes if memory has not one such piece of each run (two with
     * asynchronous I/O; with 0, 256 KiB) for each lane that merges. */
    int64_t merge_bytes;
    /* Only extsort_group will be called for the result. Records begin with an int64_t
     * that is in the order of the key's first word. */
    bool groups;
    bool keep; /* scratch files keep their names, and stay */
    /* Runs are files of the workload as others: if the policy flushes, they are synced
     * after writing, and their cached pages dropped before reading. */
    bool settle;
    const char *scratch; /* prefix of their paths; no other process uses it */
    /* name of the records for the user: "soundings"; NULL: "records" */
    const char *what;
    /* with one lane: a queue shared with other files; NULL: its own */
    struct io_queue *queue;
};

struct extsort_counts {  /* since extsort_begin, of all lanes */
    int64_t records;     /* that came */
    int64_t runs;        /* written from what came; 0: all is in memory */
    int64_t passes;      /* times that all runs were merged into fewer, longer ones */
    int64_t write_bytes; /* to scratch files, in passes too */
    /* From scratch files. A read counts when it is asked for, so at the end it is what
     * the transfers must have moved. */
    int64_t read_bytes;
    int64_t memory_bytes; /* allocated, from open to close */
};

/* ---- start and end -------------------------------------------------------------- */

/* Local. Predicts the counts of a sort of so many records. They are exact, except that
 * the merge of several lanes reads chunks twice in which one lane's part ends and the
 * next one's begins (read_bytes is without them). For plans, before extsort_open.
 * Returns 0, or -EINVAL with a sentence: the memory is too small. */
int extsort_expect(const struct run *r, const struct extsort_how *how, int64_t records,
                   struct extsort_counts *c);

/* Local. Reserves how->memory_bytes, or what `records` need if that is less (-1: their
 * number is not known). The sorter allocates nothing else but a table of 32 bytes and
 * the key for each 256 KiB of runs. *how is copied, and the prefix; the rest of what it
 * points to is not. The run stays the caller's, and must have its lanes already.
 * Returns 0, or -errno with a sentence: -EINVAL, -ENOMEM; then *s is NULL. */
int extsort_open(struct extsort **s, struct run *r, const struct extsort_how *how,
                 int64_t records);

/* Local. Sets the prefix of scratch files from the next extsort_begin on; copied. */
void extsort_scratch(struct extsort *s, const char *prefix);

/* Local, on the rank's thread, in a phase. Begins a sort of `records` in all (-1: not
 * known; not more than extsort_open was told). Makes the scratch file if there are
 * several lanes and it is not certain that all fits. Returns r->failed. */
int extsort_begin(struct extsort *s, int64_t records);

/* Local, on the rank's thread, in a phase. Closes files and frees the disk space; also
 * before extsort_begin and after a failure. */
void extsort_end(struct extsort *s);

/* Local. Frees the memory and sets *s to NULL; does nothing if it is NULL. */
void extsort_close(struct extsort **s);

/* Local, between bodies of lanes. Returns the counts. */
struct extsort_counts extsort_counts(const struct extsort *s);

/* ---- input ---------------------------------------------------------------------- */

/* A section of the records that come. */
struct extsort_section {
    int64_t number; /* 0.. in the order in which records come */
    int64_t first;  /* number of its first record if all sections before it are full */
    /* Records that fit, and no more than are still to come. The caller sets it to the
     * number there are. */
    int64_t records;
    /* Aligned to BUF_ALIGN, for whole blocks of a device. Records may begin up to
     * BUF_ALIGN - 1 bytes further on, packed; the caller sets it to their begin. */
    void *room;
};

/* Local, by a lane, in a phase. Takes the next section, which this lane fills and hands
 * to extsort_run, in any order; false: there is none, or the lane has failed. Each lane
 * takes sections until there are none. If the number of records is not known, it takes
 * sections until there are no more records, and hands over one that stays empty, too.
 * The lane's section before may be written now. */
bool extsort_take(struct extsort *s, int lane, struct extsort_section *section);

/* Local, by the lane that took it. Sorts the section, and writes it as a run unless all
 * fits into memory. */
void extsort_run(struct extsort *s, int lane, const struct extsort_section *section);

/* Local, with one lane, instead of these two: copies the next n records. Returns
 * r->failed. */
int extsort_add(struct extsort *s, const void *from, int64_t n);

/* Local, on the rank's thread, in a phase; runs lanes itself. Ends the input: writes
 * what is still to be written of it, and with `settle` makes the runs durable and drops
 * their pages. extsort_plan does it if the caller does not. Returns r->failed. */
int extsort_settle(struct extsort *s);

/* ---- the result ------------------------------------------------------------------ */

/* Local, on the rank's thread, in a phase; runs lanes itself. Ends the input: merges
 * runs into fewer as long as there are too many, and divides the result into `parts` of
 * about equal size by keys; records with the same key may be in two. Returns
 * r->failed. */
int extsort_plan(struct extsort *s, int parts);

/* Local, with one lane. Calls extsort_plan for one part, and extsort_part for that. */
int extsort_finish(struct extsort *s);

/* Local, by a lane below merge_lanes, in a phase. Starts a part (0..), which one lane
 * takes; *first is the place of its first record in the whole result. Ends the lane's
 * part before. Returns the lane's r->failed. */
int extsort_part(struct extsort *s, int lane, int part, int64_t *first);

/* Local, by that lane. Copies the next records of the part, `most` at most, to `to`.
 * Returns their number: 0 at the end, or if the lane has failed. At the end, everything
 * that was read has been checked. */
int64_t extsort_next(struct extsort *s, int lane, void *to, int64_t most);

/* Local, by that lane. Returns the next record, uncopied and valid until the next call;
 * NULL: the end, or the lane has failed. */
const void *extsort_record(struct extsort *s, int lane);

/* Local, with one lane, and an order that sorts in place. Returns the next *n records
 * with the same first word of the key (sort_word), valid until the next call; 0: the
 * end, or a failure. If they take more than an eighth of the memory, they may come in
 * pieces, one after another. */
const void *extsort_group(struct extsort *s, int lane, int64_t *n);

#endif
