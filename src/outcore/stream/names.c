#include "base/draw.h"
#include "base/mem.h"
#include "base/rng.h"
#include "outcore/stream/passing.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum names_order names_order_of(const char *word)
{
    return !strcmp(word, "name")    ? NAMES_BY_NAME
           : !strcmp(word, "inode") ? NAMES_BY_INODE
                                    : NAMES_SHUFFLED;
}

static int names_fit(struct names *s, int64_t bytes)
{
    if (s->n == s->most) {
        int64_t most = s->most ? 2 * s->most : 1024;
        struct name *is = mem_grow(s->is, most, sizeof *is, "names");
        if (!is)
            return -ENOMEM;
        s->is = is;
        s->most = most;
    }
    if (s->used + bytes > s->room) {
        int64_t room = 2 * (s->room + bytes) + 16384;
        char *text = mem_grow(s->text, room, 1, "names");
        if (!text)
            return -ENOMEM;
        s->text = text;
        s->room = room;
    }
    return 0;
}

int names_add(struct names *s, const char *name, uint64_t inode)
{
    int64_t bytes = (int64_t)strlen(name) + 1;
    int rc = names_fit(s, bytes);
    if (rc)
        return rc;
    memcpy(s->text + s->used, name, (size_t)bytes);
    s->is[s->n++] = (struct name){s->used, inode};
    s->used += bytes;
    return 0;
}

int names_deal(const char *name, int n)
{
    uint64_t x = 0;
    while (*name)
        x = rng_mix(x + RNG_STEP + (unsigned char)*name++);
    return (int)rng_below(x, 0, (uint64_t)n);
}

static int by_name(const void *a, const void *b, void *names)
{
    const struct names *s = names;
    const struct name *x = a, *y = b;
    return strcmp(s->text + x->at, s->text + y->at);
}

static int by_inode(const void *a, const void *b, void *names)
{
    const struct name *x = a, *y = b;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return by_name(a, b, names);
}

static int mix_up(struct names *s, uint64_t key)
{
    struct name *is = mem_new(s->most, sizeof *is, "names");
    if (!is)
        return -ENOMEM;
    for (int64_t i = 0; i < s->n; i++)
        is[i] = s->is[shuffle(i, s->n, key)];
    free(s->is);
    s->is = is;
    return 0;
}

int names_sort(struct names *s, enum names_order order, uint64_t key)
{
    if (!s->n)
        return 0;
    qsort_r(s->is, (size_t)s->n, sizeof s->is[0],
            order == NAMES_BY_INODE ? by_inode : by_name, s);
    return order == NAMES_SHUFFLED ? mix_up(s, key) : 0;
}

void names_free(struct names *s)
{
    free(s->is);
    free(s->text);
    *s = (struct names){.n = 0};
}
