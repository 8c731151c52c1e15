/* Sends each record to the rank that sorts its range of keys, in rounds. Round i takes
 * the i-th range of the input, of which rank s reads the s-th piece, so that the
 * records a rank gets, round by round and rank by rank, are in the order of the input.
 *
 * Memory of a rank: two rooms of a piece, and 4 bytes for each record of one. In
 * addition, for each rank a splitter (the key's bytes + 8), 16 bytes of MPI's counts,
 * 16 of sums, and 8 for each lane; and on rank 0, while it chooses splitters, the key's
 * bytes + 24 for each sample of all ranks. */
#ifndef OUTCORE_SORT_EXCHANGE_H
#define OUTCORE_SORT_EXCHANGE_H

#include "outcore/sort/splitters.h"
#include "run/run.h"

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
