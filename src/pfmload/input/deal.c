#include "pfmload/input/deal.h"
#include "base/err.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct share {
    int64_t bytes;
    int64_t of; /* number of a piece or a rank */
};

static int compare_longest(const void *a, const void *b)
{
    const struct share *p = a, *q = b;
    if (p->bytes != q->bytes)
        return p->bytes > q->bytes ? -1 : 1;
    return p->of < q->of ? -1 : p->of > q->of;
}

static bool is_less(const struct share *a, const struct share *b)
{
    return a->bytes < b->bytes || (a->bytes == b->bytes && a->of < b->of);
}

/* Restores the order of a heap whose first share grew. */
static void deal_settle(struct share *heap, int n)
{
    int i = 0, child;
    while ((child = 2 * i + 1) < n) {
        if (child + 1 < n && is_less(&heap[child + 1], &heap[child]))
            child++;
        if (!is_less(&heap[child], &heap[i]))
            return;
        struct share swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

int deal(const int64_t *bytes, int64_t n, int ranks, int *rank_of)
{
    struct share *piece = calloc((size_t)n + 1, sizeof *piece);
    struct share *heap = calloc((size_t)ranks, sizeof *heap);
    int rc = piece && heap ? 0 : err_set(-ENOMEM, NULL, -1, "no memory to deal work");
    for (int i = 0; i < ranks && !rc; i++)
        heap[i].of = i;
    for (int64_t i = 0; i < n && !rc; i++)
        piece[i] = (struct share){bytes[i], i};
    if (!rc)
        qsort(piece, (size_t)n, sizeof *piece, compare_longest);
    for (int64_t i = 0; i < n && !rc; i++) {
        bool nobody = piece[i].bytes == DEAL_NOBODY;
        rank_of[piece[i].of] = nobody ? DEAL_NOBODY : (int)heap[0].of;
        heap[0].bytes += nobody ? 0 : piece[i].bytes;
        deal_settle(heap, ranks);
    }
    free(piece);
    free(heap);
    return rc;
}
