/* A layout is magic, pattern, object id (16 bytes), stripe size, stripe count; all are
 * little-endian. One of components begins with 32 bytes and an entry of 48 for each,
 * which says where its layout is. */
#include "iotrace/format/lustre.h"

enum {
    V1 = 0x0BD10BD0,
    V3 = 0x0BD30BD0,
    SPECIFIC = 0x0BD50BD0, /* V3, with its servers chosen */
    COMPOSITE = 0x0BD60BD0,
    LAYOUT_BYTES = 32,
    HEAD_BYTES = 32,
    ENTRY_BYTES = 48,
    PATTERN_MDT = 0x100,
    PATTERN_FOREIGN = 0x400,
    EVERY_SERVER = 0xffff
};

static uint32_t word(const unsigned char *b, int bytes)
{
    uint32_t x = 0;
    while (bytes-- > 0)
        x = x << 8 | b[bytes];
    return x;
}

/* The last component's layout takes the place of *b. */
static bool last_component(const unsigned char **b, size_t *n)
{
    uint32_t count = *n < HEAD_BYTES ? 0 : word(*b + 14, 2);
    if (!count || (*n - HEAD_BYTES) / ENTRY_BYTES < count)
        return false;
    const unsigned char *entry = *b + HEAD_BYTES + (size_t)(count - 1) * ENTRY_BYTES;
    uint32_t at = word(entry + 24, 4), size = word(entry + 28, 4);
    if (at > *n || size > *n - at)
        return false;
    *b += at;
    *n = size;
    return true;
}

bool lustre_stripes(const unsigned char *b, size_t n, uint32_t *bytes, uint32_t *count)
{
    *bytes = *count = 0;
    if (n >= 4 && word(b, 4) == COMPOSITE && !last_component(&b, &n))
        return false;
    uint32_t magic = n < LAYOUT_BYTES ? 0 : word(b, 4);
    if (magic != V1 && magic != V3 && magic != SPECIFIC)
        return false;
    if (word(b + 4, 4) & (PATTERN_MDT | PATTERN_FOREIGN))
        return true;
    *bytes = word(b + 24, 4);
    *count = word(b + 28, 2) == EVERY_SERVER ? 0 : word(b + 28, 2);
    return true;
}
