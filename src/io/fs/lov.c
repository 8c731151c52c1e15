/* A layout is magic, pattern, object id (16 bytes), stripe size, stripe count and
 * generation, then with V3 the name of a pool, then the objects. A composite one is a
 * head of 32 bytes, an entry of 48 bytes for each component, and their layouts. */
#include "io/fs/lov.h"
#include "base/units.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    V1 = 0x0BD10BD0,
    V3 = 0x0BD30BD0,
    SPECIFIC = 0x0BD50BD0, /* V3, with its servers chosen */
    COMPOSITE = 0x0BD60BD0,
    FOREIGN = 0x0BD70BD0,
    V1_BYTES = 32,
    HEAD_BYTES = 32,
    ENTRY_BYTES = 48
};

enum {
    PATTERN_MDT = 0x100,
    PATTERN_FOREIGN = 0x400,
    PATTERN_RAID0 = 1,
    EVERY_SERVER = 0xffff,
    ANY_SERVER = 0xffff,
    COMPONENT_STALE = 0x1,      /* a mirror that is behind */
    COMPONENT_EXTENSION = 0x40, /* room for others to grow into */
    COMPONENT_PARITY = 0x80
};

static const uint32_t RELEASED = 0x80000000u;

static uint64_t get(const unsigned char *b, int n)
{
    uint64_t x = 0;
    for (int i = n - 1; i >= 0; i--)
        x = x << 8 | b[i];
    return x;
}

static void put(unsigned char *b, int n, uint64_t x)
{
    for (int i = 0; i < n; i++, x >>= 8)
        b[i] = (unsigned char)x;
}

static bool is_plain(uint32_t magic)
{
    return magic == V1 || magic == V3 || magic == SPECIFIC;
}

/* One that is in one piece. */
static int plain(const unsigned char *b, size_t n, struct io_stripes *s)
{
    if (n < V1_BYTES || !is_plain((uint32_t)get(b, 4)))
        return -EINVAL;
    uint32_t pattern = (uint32_t)get(b + 4, 4), size = (uint32_t)get(b + 24, 4);
    int count = (int)get(b + 28, 2);
    const char *why = "";
    if (pattern & PATTERN_MDT)
        why = ", on the metadata server";
    else if (pattern & PATTERN_FOREIGN)
        why = ", stored outside of Lustre";
    else {
        s->bytes = size;
        s->count = count == EVERY_SERVER ? 0 : count;
        if (count == EVERY_SERVER)
            why = ", over every server there is";
        else if (!size || !count)
            why = ", what is not told is the file system's default";
        if (pattern & RELEASED)
            why = ", released to an archive";
    }
    snprintf(s->about + strlen(s->about), sizeof s->about - strlen(s->about), "%s",
             why);
    return 0;
}

struct component {
    uint64_t from, to;
    const unsigned char *layout;
    size_t n;
    uint32_t flags;
};

static int component(const unsigned char *b, size_t n, int i, struct component *c)
{
    const unsigned char *e = b + HEAD_BYTES + i * ENTRY_BYTES;
    uint64_t at = get(e + 24, 4), size = get(e + 28, 4);
    c->flags = (uint32_t)get(e + 4, 4);
    c->from = get(e + 8, 8);
    c->to = get(e + 16, 8);
    if (at > n || size > n - at || c->from >= c->to || c->from > INT64_MAX)
        return -EINVAL;
    c->layout = b + at;
    c->n = (size_t)size;
    return 0;
}

/* How many of the file's first `bytes` it holds; of a file of unknown size all that it
 * may. */
static uint64_t holds(const struct component *c, int64_t bytes)
{
    uint64_t end = bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
    uint64_t to = c->to < end ? c->to : end;
    if (c->flags & (COMPONENT_STALE | COMPONENT_EXTENSION | COMPONENT_PARITY))
        return 0;
    return to > c->from ? to - c->from : 0;
}

static bool lov_alike(const struct component *a, const struct component *b)
{
    return a->n >= V1_BYTES && b->n >= V1_BYTES &&
           !memcmp(a->layout + 4, b->layout + 4, 4) &&
           !memcmp(a->layout + 24, b->layout + 24, 6);
}

static int composite(const unsigned char *b, size_t n, int64_t bytes,
                     struct io_stripes *s)
{
    int count = n < HEAD_BYTES ? 0 : (int)get(b + 14, 2);
    int mirrors = n < HEAD_BYTES ? 0 : (int)get(b + 16, 2) + 1, best = -1;
    bool differ = false;
    struct component c, most = {0};
    char from[16], to[16];
    if (!count || (n - HEAD_BYTES) / ENTRY_BYTES < (size_t)count)
        return -EINVAL;
    for (int i = 0; i < count; i++) {
        if (component(b, n, i, &c))
            return -EINVAL;
        differ |= i && !lov_alike(&c, &most);
        if (best < 0 || holds(&c, bytes) > holds(&most, bytes)) {
            best = i;
            most = c;
        }
    }
    size_t at = strlen(s->about), room = sizeof s->about - at;
    if (differ)
        snprintf(s->about + at, room,
                 ", component %d of %d, which differ: that from %s to %s, which holds "
                 "most of the file%s",
                 best + 1, count, units_bytes(from, (int64_t)most.from),
                 most.to > INT64_MAX ? "the end" : units_bytes(to, (int64_t)most.to),
                 mirrors > 1 ? ", mirrored" : "");
    else if (mirrors > 1)
        snprintf(s->about + at, room, ", %d mirrors", mirrors);
    if (most.n >= 4 && get(most.layout, 4) == FOREIGN) {
        at = strlen(s->about);
        snprintf(s->about + at, sizeof s->about - at, ", stored outside of Lustre");
        return 0;
    }
    return plain(most.layout, most.n, s);
}

int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s)
{
    uint32_t magic = n < 4 ? 0 : (uint32_t)get(b, 4);
    s->bytes = s->count = 0;
    snprintf(s->about, sizeof s->about, "Lustre's layout");
    if (magic == COMPOSITE)
        return composite(b, n, bytes, s);
    if (magic == FOREIGN) {
        snprintf(s->about, sizeof s->about,
                 "Lustre's layout, stored outside of Lustre");
        return 0;
    }
    return plain(b, n, s);
}

/* 0 is the file system's default, and servers are chosen by it. */
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES])
{
    memset(out, 0, LOV_BYTES);
    put(out, 4, V1);
    put(out + 4, 4, PATTERN_RAID0);
    put(out + 24, 4, (uint64_t)s->bytes);
    put(out + 28, 2, s->count < 0 ? EVERY_SERVER : (uint64_t)s->count);
    put(out + 30, 2, ANY_SERVER);
}
