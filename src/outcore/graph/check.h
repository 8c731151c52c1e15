/* Checks the stored graph and the search's result, in a pass over PARTITION. */
#ifndef OUTCORE_GRAPH_CHECK_H
#define OUTCORE_GRAPH_CHECK_H

#include "outcore/graph/search.h"

struct check {
    int64_t entries, chunks; /* of lists; in rows: vertices that have some */
    uint64_t sum;            /* sum of 31 vertex + neighbour over all entries */
    int64_t reached;         /* entries of visited vertices, */
    uint64_t reached_sum;    /* and their sum */
    int64_t missed;          /* of these, entries for vertices that were not visited */
    int64_t read_bytes;
};

/* **Collective**, in a phase that is not part of the work, with the store's files
 * open for reading. Checks every chunk's CRC, or that each row begins at the end of
 * the previous one, and that visited vertices lead only to visited ones. A failure
 * is kept. */
void check_files(struct search *q, struct check *c);

#endif
