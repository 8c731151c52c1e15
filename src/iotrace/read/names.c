#include "iotrace/read/names.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t left = NAMES_BUDGET;

int names_take(int64_t bytes)
{
    if (bytes > left)
        return -ENOMEM;
    left -= bytes;
    return 0;
}

void names_give(int64_t bytes)
{
    left += bytes;
}

static uint32_t hash_text(const char *s)
{
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

/* Returns the slot of `text`, or the free slot where it belongs. */
static uint32_t find_slot(const struct names *t, const char *text)
{
    uint32_t at = hash_text(text) & (t->slots - 1);
    while (t->slot[at] && strcmp(t->text + t->at[t->slot[at] - 1], text))
        at = (at + 1) & (t->slots - 1);
    return at;
}

static int grow_slots(struct names *t)
{
    uint32_t slots = t->slots ? 2 * t->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return -ENOMEM;
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (uint32_t i = 0; i < t->n; i++)
        t->slot[find_slot(t, t->text + t->at[i])] = i + 1;
    return 0;
}

/* Makes *what hold `need` elements of `size` bytes. */
static int names_grow(void **what, int64_t *room, int64_t need, int64_t size)
{
    if (need <= *room)
        return 0;
    int64_t want = need > 2 * *room ? need : 2 * *room;
    void *more = realloc(*what, (size_t)(want * size));
    if (!more)
        return -ENOMEM;
    *what = more;
    *room = want;
    return 0;
}

static int names_make_room(struct names *t, int64_t bytes)
{
    int64_t n_room = t->n_room;
    if (2 * (t->n + 1) > t->slots && grow_slots(t))
        return -ENOMEM;
    if (names_grow((void **)&t->text, &t->room, t->used + bytes, 1) ||
        names_grow((void **)&t->at, &n_room, t->n + 1, sizeof *t->at))
        return -ENOMEM;
    t->n_room = (uint32_t)n_room;
    return names_take(bytes + 16);
}

uint32_t names_find(const struct names *t, const char *text)
{
    return t->slots ? t->slot[find_slot(t, text)] : 0;
}

uint32_t names_add(struct names *t, const char *text)
{
    int64_t bytes = (int64_t)strlen(text) + 1;
    uint32_t known = names_find(t, text);
    if (known || names_make_room(t, bytes))
        return known;
    memcpy(t->text + t->used, text, (size_t)bytes);
    t->at[t->n] = t->used;
    t->used += bytes;
    t->slot[find_slot(t, text)] = ++t->n;
    return t->n;
}

const char *names_get(const struct names *t, uint32_t id)
{
    return id && id <= t->n ? t->text + t->at[id - 1] : "";
}

void names_free(struct names *t)
{
    names_give(t->used + 16 * (int64_t)t->n);
    free(t->text);
    free(t->at);
    free(t->slot);
    memset(t, 0, sizeof *t);
}
