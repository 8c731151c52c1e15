/* Whether what was stored and what was found are right, in a pass over PARTITION. */
#ifndef OUTCORE_GRAPH_CHECK_H
#define OUTCORE_GRAPH_CHECK_H

#include "outcore/graph/search.h"

struct check {
    int64_t entries, chunks; /* of lists; in rows: vertices that have some */
    uint64_t sum;            /* 31 vertex + neighbour, of all entries */
    int64_t reached;         /* entries of vertices that were visited, */
    uint64_t reached_sum;    /* and of these only */
    int64_t missed;          /* of these, to vertices that were not */
    int64_t read_bytes;
};

/* **Collective**, in a phase that is none of the work, with the store's files open to
 * be read. Every chunk's CRC, or that each row begins where the one before ends, and
 * that what was visited leads to nothing else. A failure is kept. */
void check_files(struct search *q, struct check *c);

#endif
