/* How many blocks a pass over sorted places moves: each one that some place is in,
 * once. No MPI, no files. */
#ifndef OUTCORE_GRAPH_SPANS_H
#define OUTCORE_GRAPH_SPANS_H

#include <stdint.h>

struct spans {
    int64_t block, end; /* bytes of a block, and of the file */
    int64_t next;       /* the first block that is not counted yet */
    int64_t blocks, bytes;
};

/* Local. Adds what bytes from .. to - 1 are in, with `from` not less than in the call
 * before. */
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

/* Local. The next pass begins, over a file of so many bytes. */
static inline void spans_again(struct spans *s, int64_t end)
{
    s->next = 0;
    s->end = end;
}

#endif
