/* Chooses the component of a layout that decides, and describes it. */
#include "io/fs/lov.h"
#include "base/format/lustre.h"
#include "base/units.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    PATTERN_RAID0 = 1,
    ANY_SERVER = 0xffff,
    COMPONENT_STALE = 0x1,      /* a mirror that is out of date */
    COMPONENT_EXTENSION = 0x40, /* room into which others can grow */
    COMPONENT_PARITY = 0x80
};

static const uint32_t RELEASED = 0x80000000u;

static void put(unsigned char *b, int n, uint64_t x)
{
    for (int i = 0; i < n; i++, x >>= 8)
        b[i] = (unsigned char)x;
}

/* Reads a layout without components. */
static int plain(const unsigned char *b, size_t n, struct io_stripes *s)
{
    struct lustre_plain p;
    const char *why = "";
    if (!lustre_plain(b, n, &p))
        return -EINVAL;
    if (p.pattern & LUSTRE_PATTERN_MDT)
        why = ", on the metadata server";
    else if (p.pattern & LUSTRE_PATTERN_FOREIGN)
        why = ", stored outside of Lustre";
    else {
        s->bytes = p.stripe_bytes;
        s->count = p.stripes == LUSTRE_EVERY_SERVER ? 0 : p.stripes;
        if (p.stripes == LUSTRE_EVERY_SERVER)
            why = ", over every server there is";
        else if (!p.stripe_bytes || !p.stripes)
            why = ", what is not told is the file system's default";
        if (p.pattern & RELEASED)
            why = ", released to an archive";
    }
    snprintf(s->about + strlen(s->about), sizeof s->about - strlen(s->about), "%s",
             why);
    return 0;
}

/* The number of the file's first `bytes` that a component holds; for an unknown size,
 * the most that it may hold. */
static uint64_t holds(const struct lustre_component *c, int64_t bytes)
{
    uint64_t end = bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
    uint64_t to = c->to < end ? c->to : end;
    if (c->flags & (COMPONENT_STALE | COMPONENT_EXTENSION | COMPONENT_PARITY))
        return 0;
    return to > c->from ? to - c->from : 0;
}

static bool lov_alike(const struct lustre_component *a,
                      const struct lustre_component *b)
{
    return a->n >= LUSTRE_BYTES && b->n >= LUSTRE_BYTES &&
           !memcmp(a->layout + 4, b->layout + 4, 4) &&
           !memcmp(a->layout + 24, b->layout + 24, 6);
}

static int composite(const unsigned char *b, size_t n, int64_t bytes,
                     struct io_stripes *s)
{
    int count = lustre_components(b, n), best = -1;
    bool differ = false;
    struct lustre_component c, most = {0};
    char from[16], to[16];
    if (!count)
        return -EINVAL;
    int mirrors = lustre_mirrors(b);
    for (int i = 0; i < count; i++) {
        if (!lustre_component(b, n, i, &c) || c.from >= c.to || c.from > INT64_MAX)
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
        snprintf(s->about + at, room, ", %d mirror%s", mirrors, units_s(mirrors));
    if (lustre_magic(most.layout, most.n) == LUSTRE_FOREIGN) {
        at = strlen(s->about);
        snprintf(s->about + at, sizeof s->about - at, ", stored outside of Lustre");
        return 0;
    }
    return plain(most.layout, most.n, s);
}

int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s)
{
    uint32_t magic = lustre_magic(b, n);
    s->bytes = s->count = 0;
    snprintf(s->about, sizeof s->about, "Lustre's layout");
    if (magic == LUSTRE_COMPOSITE)
        return composite(b, n, bytes, s);
    if (magic == LUSTRE_FOREIGN) {
        snprintf(s->about, sizeof s->about,
                 "Lustre's layout, stored outside of Lustre");
        return 0;
    }
    return plain(b, n, s);
}

/* 0 is the file system's default, also for the choice of servers. */
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES])
{
    memset(out, 0, LOV_BYTES);
    put(out, 4, LUSTRE_V1);
    put(out + 4, 4, PATTERN_RAID0);
    put(out + 24, 4, (uint64_t)s->bytes);
    put(out + 28, 2, s->count < 0 ? LUSTRE_EVERY_SERVER : (uint64_t)s->count);
    put(out + 30, 2, ANY_SERVER);
}
