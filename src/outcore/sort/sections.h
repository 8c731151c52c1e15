/* Deals consecutive records to the sections of an external sorter, which all lanes fill
 * and sort: one section of each lane at a time. */
#ifndef OUTCORE_SORT_SECTIONS_H
#define OUTCORE_SORT_SECTIONS_H

#include "extsort/extsort.h"
#include "run/run.h"
#include "run/stream/stream.h"
#include "sort/order.h"

/* ---- splitters ------------------------------------------------------------------- */

/* Assigns records to ranks: a range of keys for each, between splitters that are taken
 * from samples. A splitter is a key and a place in the input, so that equal keys can go
 * to several ranks, in the order of their places. No MPI, no files. */

struct splitters {
    struct sort_order order; /* of keys as in samples */
    int64_t key_at;          /* of records */
    int ranks;
    char *splitter; /* ranks - 1 samples, set by the caller */
};

/* Local. Prepares splitters of this order; the caller allocates splitters_bytes
 * for s->splitter. */
void splitters_start(struct splitters *s, const struct sort_order *of, int ranks);
int64_t splitters_bytes(const struct splitters *s);

/* Local. The number of samples that each rank takes of n records: 32 for each rank, but
 * over all ranks not more than 2^18, or 32 per rank. */
int64_t splitters_samples(int ranks, int64_t n);

/* Local. The place in the input of sample i of rank `rank`: they are evenly spread. */
int64_t splitters_place(int ranks, int64_t n, int rank, int64_t i);

/* Local. The bytes of a sample: its key and its place; and makes one, from a
 * record's key. */
int64_t splitters_sample_bytes(const struct splitters *s);
void splitters_sample(const struct splitters *s, const void *key, int64_t place,
                      void *sample);

/* Local. Chooses from all n samples of all ranks, in the order of ranks. e: room for
 * n entries. */
void splitters_choose(struct splitters *s, const void *samples, int64_t n,
                      struct sort_entry *e);

/* Local, any thread. The rank of the record at this place of the input. */
int splitters_rank(const struct splitters *s, const void *record, int64_t place);

/* ---- reading --------------------------------------------------------------------- */

/* Reads ranges of the input into memory by many requests in flight. */

/* Room needed beyond a range: direct I/O reads whole blocks. */
#define READING_MORE (2 * IO_DIRECT_ALIGN)

/* Local. The bytes before the range that are read with it, and all bytes read. */
int64_t reading_lead(const struct run_file *f, int64_t offset);
int64_t reading_bytes(const struct run_file *f, int64_t offset, int64_t bytes);

/* Local, of a lane. Reads its share of a range that `lanes` lanes read together, each
 * with the same room, of bytes + READING_MORE and aligned to BUF_ALIGN; the range
 * begins reading_lead bytes into it. A failure is kept. */
void reading_share(struct run_file *f, void *room, int64_t offset, int64_t bytes,
                   int lane, int lanes);

/* ---- sections -------------------------------------------------------------------- */

struct sections {
    struct extsort *sorter;
    int64_t record; /* bytes of a record */
    int lanes;
    struct extsort_section *of; /* for each lane; in the order of their numbers: */
    int *order;                 /* of[order[0]] comes first */
    bool *taken;
    int64_t room, filled; /* records of all sections together */
    const char *from;     /* records to copy next, */
    int64_t n;            /* and their number */
};

/* Local. Returns -ENOMEM with a sentence. */
int sections_open(struct sections *s, struct extsort *sorter, int64_t record,
                  int lanes);
void sections_close(struct sections *s);

/* Local, on the rank's thread, in a phase. Call start before the first record of a
 * sort, add to copy the next n, and finish after the last one. */
void sections_start(struct run *r, struct sections *s);
void sections_add(struct run *r, struct sections *s, const void *from, int64_t n);
void sections_finish(struct run *r, struct sections *s);

/* ---- writing --------------------------------------------------------------------- */

/* Writes a lane's part of the output: consecutive records, from any byte of the file
 * on. With direct I/O a stream writes whole blocks, and the ends, whose blocks are also
 * another lane's, are written through the page cache. */

struct writing {
    struct run_stream *stream;
    struct run_file *edge; /* NULL: the stream writes everything */
    int64_t record, most;  /* bytes of a record; records of a room */
    int64_t from, at;      /* offsets of the first byte, and of the next */
    char *chunk;           /* with an edge: a room */
    char *head, *rest;     /* with an edge: a block each */
    int64_t head_bytes, rest_bytes;
    int64_t head_end; /* offset where the stream begins */
};

/* Local. The bytes of the stream's slots within `memory` (0: too little), and the total
 * memory then. */
int64_t writing_slot_bytes(const struct run_file *f, bool edge, int64_t record,
                           int64_t memory);
int64_t writing_memory(const struct run_file *f, bool edge, int64_t record,
                       int64_t slot_bytes);

/* Local, of a lane. `memory`: of writing_memory bytes, aligned to BUF_ALIGN. Returns 0,
 * or -errno with a sentence, which is kept. */
int writing_open(struct writing *w, struct run_file *f, struct run_file *edge,
                 int64_t from, int64_t record, int64_t slot_bytes, void *memory);

/* Local. Returns room for w->most records; and takes the number filled in. */
void *writing_room(struct writing *w);
void writing_done(struct writing *w, int64_t records);

/* Local. Writes the rest, and waits for it. */
void writing_close(struct writing *w);

/* ---- the exchange ---------------------------------------------------------------- */

/* Sends each record to the rank that sorts its range of keys, in rounds. Round i takes
 * the i-th range of the input, of which rank s reads the s-th piece, so that the
 * records a rank gets, round by round and rank by rank, are in the order of the input.
 *
 * Memory of a rank: two rooms of a piece, and 4 bytes for each record of one. In
 * addition, for each rank a splitter (the key's bytes + 8), 16 bytes of MPI's counts,
 * 16 of sums, and 8 for each lane; and on rank 0, while it chooses splitters, the key's
 * bytes + 24 for each sample of all ranks. */

struct exchange;

/* Local. The room for a piece within memory_bytes, at least a record for each lane; the
 * memory of rooms; and the additional memory, on rank 0. */
int64_t exchange_room(int64_t memory_bytes, int64_t record);
int64_t exchange_memory(const struct sort_order *o, int64_t room);
int64_t exchange_beside(const struct run *r, const struct sort_order *o,
                        int64_t records);

/* Local. The bytes of samples that all ranks read; with direct I/O they take more. */
int64_t exchange_sample_bytes(const struct run *r, const struct sort_order *o,
                              int64_t records);

/* Local. Opens an exchange for an input of `records`. -ENOMEM with a sentence; then *x
 * is NULL. */
int exchange_open(struct exchange **x, struct run *r, const struct sort_order *o,
                  int64_t room, int64_t records);
void exchange_close(struct exchange **x);

/* **Collective**, in a phase, as all below. Reads samples through `f`, and chooses
 * splitters. A failure on a rank is kept; the others go on. */
void exchange_split(struct exchange *x, struct run_file *f);

/* The number of rounds; the same on every rank. */
int64_t exchange_rounds(const struct exchange *x);

/* Reads this rank's piece of a round, on all lanes (f[i] is lane i's), and finds the
 * destination of each record. Returns the number of steps in which all ranks' records
 * are sent, the same on every rank: a rank gets at most a room of them in each. */
int64_t exchange_round(struct exchange *x, struct run_file f[], int64_t round);

/* Makes one step. *records has the records received, until the next call; returns
 * their number. */
int64_t exchange_step(struct exchange *x, int64_t step, const void **records);

/* Local. The bytes that this rank's reads must have moved so far. */
int64_t exchange_read_bytes(const struct exchange *x);

#endif
