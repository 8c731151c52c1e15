/* Counts the blocks that a pass over sorted places moves: each one with some place in
 * it, once. No MPI, no files. */
#ifndef OUTCORE_GRAPH_SPANS_H
#define OUTCORE_GRAPH_SPANS_H

#include <stdint.h>

struct spans {
    int64_t block, end; /* bytes of a block, and of the file */
    int64_t next;       /* first block that is not counted yet */
    int64_t blocks, bytes;
};

/* Local. Adds the blocks of bytes from .. to - 1, with `from` not less than in the
 * previous call. */
static inline void spans_add(struct spans *s, int64_t from, int64_t to)
{
    int64_t first = from / s->block, last = (to - 1) / s->block;
    first = first > s->next ? first : s->next;
    if (last < first)
        return;
    int64_t end = (last + 1) * s->block;
    s->blocks += last - first + 1;
    s->bytes += (end < s->end ? end : s->end) - first * s->block;
    s->next = last + 1;
}

/* Local. Begins the next pass, over a file of `end` bytes. */
static inline void spans_again(struct spans *s, int64_t end)
{
    s->next = 0;
    s->end = end;
}

#endif
