/* A graph in rows, "compressed sparse rows": all neighbours of a vertex follow each
 * other, so that a list is one read. An ingest sorts the edges by vertex, out of core
 * (extsort), and writes both files once, from beginning to end.
 *
 *   OFFSETS     64 bytes: "LLOFFS01", vertices, entries of the rank, and of all of them
 *               the sum of 31 vertex + neighbour (0: not known); then for each vertex
 *               of the rank, and once more, the number of entries before it
 *   NEIGHBOURS  64 bytes: "LLNEIG01", the same; then the neighbours, in the order of
 *               the stream of edges
 *
 * All are 64-bit little-endian numbers. With P ranks, rank v mod P has vertex v. */
#ifndef OUTCORE_GRAPH_CSR_H
#define OUTCORE_GRAPH_CSR_H

#include "outcore/graph/store.h"

/* Local. The memory for searching, 16 bytes for each vertex of a batch; neighbours
 * found take 8 bytes each in addition. Returns 0, or -ENOMEM with a sentence; csr_close
 * frees it, even if it is incomplete. */
int64_t csr_batch_memory(int64_t most);
int csr_batch_open(struct store *s, int64_t most);

/* Local, in a phase. Collects the neighbours of n vertices of this rank, which are in
 * order: vertex by vertex, in *found until the next call. Returns their number; a
 * failure is kept: offsets or neighbours that cannot belong to this graph. */
int64_t csr_collect(struct store *s, const uint64_t *vertex, int64_t n,
                    const uint64_t **found);

/* Local. The number of neighbours of vertex i in the last batch collected. */
int64_t csr_row(const struct store *s, int64_t i);

/* Local. Returns room for *n numbers, for a check, with undefined content. */
uint64_t *csr_room(struct store *s, int64_t *n);

/* Local, in `plan`. Returns 0, or -EINVAL with a sentence: the adjacency buffer is too
 * small for sorting. */
int csr_check(const struct store *s);

#endif
