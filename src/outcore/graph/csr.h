/* A graph in rows, "compressed sparse rows": all neighbours of a vertex follow each
 * other, so that a list is one read. An ingest sorts the edges by vertex, out of core
 * (extsort), and writes both files once, from their begins to their ends.
 *
 *   OFFSETS     64 bytes: "LLOFFS01", vertices, entries of the rank, and of all of
 *               them the sum of 31 vertex + neighbour (0: not known); then for each
 *               vertex of the rank, and once more, how many entries are before it
 *   NEIGHBOURS  64 bytes: "LLNEIG01", the same; then the neighbours, in the order in
 *               which their edges came
 *
 * All are 64-bit little-endian numbers. Of P ranks, rank v mod P has vertex v. */
#ifndef OUTCORE_GRAPH_CSR_H
#define OUTCORE_GRAPH_CSR_H

#include "outcore/graph/store.h"

/* Local. Memory to search with, 16 bytes for each vertex of a batch; what is found
 * takes 8 an entry besides, as it comes. 0 or -ENOMEM with a sentence; csr_close frees
 * it, also half. */
int64_t csr_batch_memory(int64_t most);
int csr_batch_open(struct store *s, int64_t most);

/* Local, in a phase. Neighbours of n vertices of this rank, which are in order: vertex
 * by vertex, in *found until the next call. Returns how many there are; a failure is
 * kept: offsets or neighbours that are none of this graph. */
int64_t csr_collect(struct store *s, const uint64_t *vertex, int64_t n,
                    const uint64_t **found);

/* Local. How many neighbours vertex i of the batch that was collected last has. */
int64_t csr_row(const struct store *s, int64_t i);

/* Local. Room for *n numbers, for a check, whose contents are anything. */
uint64_t *csr_room(struct store *s, int64_t *n);

/* Local, in `plan`. 0, or -EINVAL with a sentence: the adjacency buffer is too small to
 * sort with. */
int csr_check(const struct store *s);

#endif
