/* What other programs and attributes say of stripes, as tests hand it in. Included only
 * inside src/io. */
#ifndef IO_FS_STRIPE_H
#define IO_FS_STRIPE_H

#include "io/io.h"

/* Local, all of them. False: the text tells of no stripes. */
bool stripes_of_lfs(const char *text, struct io_stripes *s);
bool stripes_of_beegfs(const char *text, const char *tool, struct io_stripes *s);
bool stripes_of_gluster(const char *text, struct io_stripes *s);

#endif
