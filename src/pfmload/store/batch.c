#include "pfmload/store/batch.h"
#include "base/buf.h"
#include <stddef.h>

#define RADIX(name) soundings_##name
#define RADIX_TYPE struct pfm_sounding
#define RADIX_WORD(c, p, k) batch_word(p, k)
#define RADIX_BEFORE(c, p, q) batch_before(p, q)
#include "sort/radix.h"

void batch_sort_row(struct pfm_sounding *a, int64_t n)
{
    soundings_sort(a, n, 0, NULL);
}

/* ---- the batch ------------------------------------------------------------------ */

int batch_open(struct batch *b, int64_t bytes)
{
    int64_t one = sizeof *b->sounding;
    void *room = NULL;
    *b = (struct batch){.capacity = bytes < one ? 1 : bytes / one};
    int rc = buf_reserve(&room, b->capacity * one, "a batch of soundings");
    b->sounding = room;
    return rc;
}

int64_t batch_add(struct batch *b, const struct pfm_sounding *s, int64_t n)
{
    int64_t room = b->capacity - b->n, some = n < room ? n : room;
    memcpy(b->sounding + b->n, s, (size_t)some * sizeof *s);
    b->n += some;
    return some;
}

void batch_sort(struct batch *b)
{
    soundings_sort(b->sounding, b->n, 0, NULL);
}

int64_t batch_bin_end(const struct batch *b, int64_t i)
{
    int64_t bin = b->sounding[i].bin;
    while (i < b->n && b->sounding[i].bin == bin)
        i++;
    return i;
}

void batch_close(struct batch *b)
{
    buf_free(b->sounding);
    b->sounding = NULL;
}
