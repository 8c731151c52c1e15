/* An external sort: records of one size, any number of them, in a given memory. The
 * lanes of a rank sort sections of what comes, and write them as runs to a scratch file
 * that all share; then they merge the runs, each lane a part of the result (D. Knuth,
 * The Art of Computer Programming, volume 3, 5.4). Where all fits into memory there are
 * no runs. Equal keys stay in the order in which the records came, and the result does
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
 * Scratch files are run_file_beside's, transfers those of run streams. A failure is
 * sticky, in the run of the lane and then of the rank; what is called after it does
 * nothing. A chunk of a run that is not as it was written is one (-EIO), with the run
 * and the offset. */
#ifndef EXTSORT_EXTSORT_H
#define EXTSORT_EXTSORT_H

#include "run/run.h"
#include "sort/order.h"

enum {
    EXTSORT_TRANSFER = 4 << 20, /* bytes, at most, but for larger merge_bytes */
    EXTSORT_DEPTH = 16          /* of a queue, of one file or of several */
};

struct extsort;

struct extsort_how {
    struct sort_order order;
    int lanes;            /* that sort: all of the rank, or 1 */
    int merge_lanes;      /* that merge: as many, or 1, which has all the memory then */
    int64_t memory_bytes; /* of the rank; it takes less where all needs less */
    int64_t merge_bytes;  /* of a transfer in the merge; 0: as memory permits, 4 MiB
                             at most. Where memory has not one such piece of each run,
                             or two with asynchronous I/O, for each lane that merges,
                             or, with 0, not 256 KiB, there are several passes */
    bool groups;          /* extsort_group will be called, and nothing else for the
                             result; records begin with an int64_t that is in the order
                             of the key's first word */
    bool keep;            /* scratch files keep their names, and stay */
    bool settle;          /* runs are files of the workload as others: where the policy
                             flushes they are synced when they are written, and their
                             cached pages dropped before they are read */
    const char *scratch;  /* their paths begin with it; no other process uses it */
    const char *what;     /* records, to the user: "soundings"; NULL: "records" */
    struct io_queue *queue; /* with one lane: of other files, too; NULL: their own */
};

struct extsort_counts {   /* since extsort_begin, of all lanes */
    int64_t records;      /* that came */
    int64_t runs;         /* written of what came; 0: all is in memory */
    int64_t passes;       /* times that all runs were merged into fewer, longer ones */
    int64_t write_bytes;  /* to scratch files, in passes too */
    int64_t read_bytes;   /* from them: what is asked for is in it, so at the end it is
                             what the transfers must have moved */
    int64_t memory_bytes; /* allocated, from open to close */
};

/* ---- start and end -------------------------------------------------------------- */

/* Local. What a sort of so many records will need: counts as they will be, but that the
 * merge of several lanes reads chunks twice in which one's part ends and the next one's
 * begins (read_bytes is without them). For plans, before extsort_open. 0, or -EINVAL
 * with a sentence: the memory is too small. */
int extsort_expect(const struct run *r, const struct extsort_how *how, int64_t records,
                   struct extsort_counts *c);

/* Local. Reserves how->memory_bytes, or what `records` need if that is less (-1: it is
 * not known how many come), all that the sorter ever does but for a table of 32 bytes
 * and the key for each 256 KiB of runs. *how is copied, and the prefix; the rest of
 * what it points to is not. The run stays the caller's, and has its lanes already. 0,
 * or -errno with a sentence: -EINVAL, -ENOMEM; then *s is NULL. */
int extsort_open(struct extsort **s, struct run *r, const struct extsort_how *how,
                 int64_t records);

/* Local. Where scratch files are from the next extsort_begin on; copied. */
void extsort_scratch(struct extsort *s, const char *prefix);

/* Local, on the rank's thread, in a phase. So many records will come, in all (-1: not
 * known; not more than was said to extsort_open). Makes the scratch file, where there
 * are several lanes and it is not certain that all fits. Returns r->failed. */
int extsort_begin(struct extsort *s, int64_t records);

/* Local, on the rank's thread, in a phase. Closes and frees the disk space; before
 * extsort_begin, and after a failure, too. */
void extsort_end(struct extsort *s);

/* Local. Frees the memory; *s becomes NULL, NULL is left. */
void extsort_close(struct extsort **s);

/* Local, between bodies of lanes. */
struct extsort_counts extsort_counts(const struct extsort *s);

/* ---- what comes ----------------------------------------------------------------- */

/* A stretch of what comes. */
struct extsort_section {
    int64_t number;  /* 0.. in the order in which records come */
    int64_t first;   /* record, if all sections before it are full */
    int64_t records; /* for which there is room; no more than are still to come. The
                        caller sets it to how many there are */
    void *room;      /* aligned to BUF_ALIGN, for whole blocks of a device; records may
                        begin up to BUF_ALIGN - 1 bytes further on: the caller sets it
                        to where they do. Packed records behind it */
};

/* Local, by a lane, in a phase. The next section, which this lane fills and hands to
 * extsort_run, in whatever order; false: there is none, or the lane has failed. Each
 * lane takes sections until there are none; where the number of records is not known,
 * until there are no more records: a section that stays empty is handed over, too. What
 * the lane had before may be written now. */
bool extsort_take(struct extsort *s, int lane, struct extsort_section *section);

/* Local, by the lane that took it. Sorts the section, and writes it as a run unless all
 * fits into memory. */
void extsort_run(struct extsort *s, int lane, const struct extsort_section *section);

/* Local, with one lane, instead of these two: copies of the next n records. Returns
 * r->failed. */
int extsort_add(struct extsort *s, const void *from, int64_t n);

/* Local, on the rank's thread, in a phase; runs lanes itself. All has come: writes
 * what is still to be written of it, and with `settle` makes the runs durable and drops
 * their pages. extsort_plan does it where it was not done. Returns r->failed. */
int extsort_settle(struct extsort *s);

/* ---- the result ------------------------------------------------------------------ */

/* Local, on the rank's thread, in a phase; runs lanes itself. All has come: merges runs
 * into fewer as long as there are too many, and divides the result into `parts` by
 * keys, about equal ones; records with the same key may be in two. Returns
 * r->failed. */
int extsort_plan(struct extsort *s, int parts);

/* Local, with one lane: extsort_plan of one part, and extsort_part of that. */
int extsort_finish(struct extsort *s);

/* Local, by a lane below merge_lanes, in a phase. Starts with a part (0..), each of
 * which one lane takes; *first: the place in the whole result that its first record
 * has. What the lane had before is ended. Returns the lane's r->failed. */
int extsort_part(struct extsort *s, int lane, int part, int64_t *first);

/* Local, by that lane. Copies the next records of the part, `most` at most, to `to`.
 * How many: 0 at its end, or where the lane has failed. At the end what was read is
 * checked to its last byte. */
int64_t extsort_next(struct extsort *s, int lane, void *to, int64_t most);

/* Local, by that lane. The next record, uncopied, which is there until the next call;
 * NULL: the end, or the lane has failed. */
const void *extsort_record(struct extsort *s, int lane);

/* Local, with one lane, and an order that sorts in place. The next *n records, in which
 * the key's first word is the same (sort_word), and which are there until the next
 * call; 0: the end, or a failure. More than fit into an eighth of the memory may come
 * in pieces, one after another. */
const void *extsort_group(struct extsort *s, int lane, int64_t *n);

#endif
