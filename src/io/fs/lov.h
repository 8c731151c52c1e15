/* Lustre's layout of a file, as its extended attribute has it. Included only inside
 * src/io. */
#ifndef IO_FS_LOV_H
#define IO_FS_LOV_H

#include "io/io.h"

/* Local. The layout in the n bytes of lustre.lov or trusted.lov (both are little
 * endian), of a file of `bytes` (0: not known). Of a composite layout whose components
 * differ that one is told which holds most of these bytes, or where the size is not
 * known, the last one; s->about says so. Returns 0, or -EINVAL: it is no layout that is
 * known here. */
int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s);

/* Local. What sets a new file's stripes: LOV_BYTES of the attribute lustre.lov. */
enum { LOV_BYTES = 32 };
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES]);

#endif
