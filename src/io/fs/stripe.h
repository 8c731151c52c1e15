/* Parsers of stripes in the output of other programs and in attributes, in a form for
 * tests. Included only inside src/io. */
#ifndef IO_FS_STRIPE_H
#define IO_FS_STRIPE_H

#include "io/io.h"

/* Local, all of them. Return false if the text has no stripes. */
bool stripes_of_lfs(const char *text, struct io_stripes *s);
bool stripes_of_beegfs(const char *text, const char *tool, struct io_stripes *s);
bool stripes_of_gluster(const char *text, struct io_stripes *s);

#endif
