/* Lustre's layout of a file, as the attributes lustre.lov and trusted.lov have it:
 * magic, pattern, object id (16 bytes), stripe size, stripe count and generation, with
 * V3 the name of a pool, then the objects. A composite one is a head of 32 bytes, an
 * entry of 48 bytes for each component, and their layouts. All numbers are
 * little-endian. Needs the C library only, as the recorder has it, too. */
#ifndef BASE_FORMAT_LUSTRE_H
#define BASE_FORMAT_LUSTRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LUSTRE_V1 = 0x0BD10BD0,
    LUSTRE_COMPOSITE = 0x0BD60BD0,
    LUSTRE_FOREIGN = 0x0BD70BD0,
    LUSTRE_BYTES = 32 /* of a layout in one piece, at least */
};

enum {
    LUSTRE_PATTERN_MDT = 0x100,
    LUSTRE_PATTERN_FOREIGN = 0x400,
    LUSTRE_EVERY_SERVER = 0xffff
};

/* Local, all of them. The magic of the n bytes; 0: there are fewer than its own. */
uint32_t lustre_magic(const unsigned char *b, size_t n);

struct lustre_plain { /* in one piece; all as it is stored */
    uint32_t pattern, stripe_bytes;
    int stripes; /* LUSTRE_EVERY_SERVER: all there are */
};

/* False: it is none in one piece that is known here. */
bool lustre_plain(const unsigned char *b, size_t n, struct lustre_plain *p);

/* How many components a composite layout has; 0: it is cut off. */
int lustre_components(const unsigned char *b, size_t n);

/* How many mirrors, of a layout that has components. */
int lustre_mirrors(const unsigned char *b);

struct lustre_component {
    uint64_t from, to; /* bytes of the file */
    const unsigned char *layout;
    size_t n;
    uint32_t flags;
};

/* Component i, below their number. False: its layout is not in the n bytes. */
bool lustre_component(const unsigned char *b, size_t n, int i,
                      struct lustre_component *c);

#endif
