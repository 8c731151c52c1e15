#include "outcore/knn/entries.h"
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

int64_t entries_of(const struct scan *s, int64_t from, int64_t end, struct entry *to)
{
    int64_t n = 0;
    for (int64_t q = from; q < end; q++) {
        const struct neighbour *list = scan_answer(s, q);
        for (int64_t j = 0; j < s->k; j++)
            if (list[j].id != NEAREST_NONE)
                to[n++] = (struct entry){list[j].id, q, j};
    }
    qsort(to, (size_t)n, sizeof *to, compare);
    return n;
}

void entries_file(struct run_file *f, struct run *r, const char *path,
                  int64_t max_request)
{
    run_file_beside(f, r, path, max_request, ENTRIES_DEPTH);
    f->engine = "posix";
    f->without |= IO_DIRECT;
}
