#include "base/format/lustre.h"

enum {
    V3 = 0x0BD30BD0,
    SPECIFIC = 0x0BD50BD0, /* V3 with chosen servers */
    HEAD_BYTES = 32,
    ENTRY_BYTES = 48
};

static uint64_t get(const unsigned char *b, int n)
{
    uint64_t x = 0;
    for (int i = n - 1; i >= 0; i--)
        x = x << 8 | b[i];
    return x;
}

uint32_t lustre_magic(const unsigned char *b, size_t n)
{
    return n < 4 ? 0 : (uint32_t)get(b, 4);
}

bool lustre_plain(const unsigned char *b, size_t n, struct lustre_plain *p)
{
    uint32_t magic = n < LUSTRE_BYTES ? 0 : lustre_magic(b, n);
    if (magic != LUSTRE_V1 && magic != V3 && magic != SPECIFIC)
        return false;
    p->pattern = (uint32_t)get(b + 4, 4);
    p->stripe_bytes = (uint32_t)get(b + 24, 4);
    p->stripes = (int)get(b + 28, 2);
    return true;
}

int lustre_components(const unsigned char *b, size_t n)
{
    int count = n < HEAD_BYTES ? 0 : (int)get(b + 14, 2);
    return count && (n - HEAD_BYTES) / ENTRY_BYTES >= (size_t)count ? count : 0;
}

int lustre_mirrors(const unsigned char *b)
{
    return (int)get(b + 16, 2) + 1;
}

bool lustre_component(const unsigned char *b, size_t n, int i,
                      struct lustre_component *c)
{
    const unsigned char *e = b + HEAD_BYTES + i * ENTRY_BYTES;
    uint64_t at = get(e + 24, 4), size = get(e + 28, 4);
    c->flags = (uint32_t)get(e + 4, 4);
    c->from = get(e + 8, 8);
    c->to = get(e + 16, 8);
    if (at > n || size > n - at)
        return false;
    c->layout = b + at;
    c->n = (size_t)size;
    return true;
}
