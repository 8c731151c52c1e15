/* Parsers of stripes in the output of other programs and in attributes, in a form for
 * tests. Included only inside src/io. */
#ifndef IO_FS_STRIPE_H
#define IO_FS_STRIPE_H

#include "io/io.h"

/* ---- Lustre's layout ------------------------------------------------------------- */

/* Lustre's layout of a file, as in its extended attribute. Included only
 * inside src/io. */

/* Local. Reads the layout in the n bytes of lustre.lov or trusted.lov (both
 * little-endian), for a file of `bytes` (0: not known). If components of a composite
 * layout differ, takes the one with most of these bytes or, if the size is not known,
 * the last one; s->about says so. Returns 0, or -EINVAL for an unknown layout. */
int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s);

/* Local. Makes the LOV_BYTES of the attribute lustre.lov that set a new
 * file's stripes. */
enum { LOV_BYTES = 32 };
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES]);

/* ---- stripes --------------------------------------------------------------------- */

/* Local, all of them. Return false if the text has no stripes. */
bool stripes_of_lfs(const char *text, struct io_stripes *s);
bool stripes_of_beegfs(const char *text, const char *tool, struct io_stripes *s);
bool stripes_of_gluster(const char *text, struct io_stripes *s);

#endif
