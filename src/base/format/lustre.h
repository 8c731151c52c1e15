/* Lustre's layout of a file, as in the attributes lustre.lov and trusted.lov: magic,
 * pattern, object id (16 bytes), stripe size, stripe count and generation; in V3 the
 * name of a pool; then the objects. A composite layout is a head of 32 bytes, an entry
 * of 48 bytes for each component, and their layouts. All numbers are little-endian.
 * Needs only the C library, because the recorder uses it, too. */
#ifndef BASE_FORMAT_LUSTRE_H
#define BASE_FORMAT_LUSTRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LUSTRE_V1 = 0x0BD10BD0,
    LUSTRE_COMPOSITE = 0x0BD60BD0,
    LUSTRE_FOREIGN = 0x0BD70BD0,
    LUSTRE_BYTES = 32 /* least bytes of a layout without components */
};

enum {
    LUSTRE_PATTERN_MDT = 0x100,
    LUSTRE_PATTERN_FOREIGN = 0x400,
    LUSTRE_EVERY_SERVER = 0xffff
};

/* Local, all of them. The magic of the n bytes; 0: fewer than the magic's own. */
uint32_t lustre_magic(const unsigned char *b, size_t n);

struct lustre_plain { /* layout without components; values as stored */
    uint32_t pattern, stripe_bytes;
    int stripes; /* LUSTRE_EVERY_SERVER: all servers */
};

/* Reads a layout without components. Returns false if it is another or unknown kind. */
bool lustre_plain(const unsigned char *b, size_t n, struct lustre_plain *p);

/* The number of components of a composite layout; 0: it is truncated. */
int lustre_components(const unsigned char *b, size_t n);

/* The number of mirrors of a composite layout. */
int lustre_mirrors(const unsigned char *b);

struct lustre_component {
    uint64_t from, to; /* range of bytes in the file */
    const unsigned char *layout;
    size_t n;
    uint32_t flags;
};

/* Reads component i, below their number. Returns false if its layout is beyond the
 * n bytes. */
bool lustre_component(const unsigned char *b, size_t n, int i,
                      struct lustre_component *c);

#endif
