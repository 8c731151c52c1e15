/* How Lustre has spread a file over its servers: as little as the recorder needs. */
#ifndef IOTRACE_FORMAT_LUSTRE_H
#define IOTRACE_FORMAT_LUSTRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Local. The stripes' size and number, 0 where the file system's default holds, from
 * the n bytes of the attribute lustre.lov. Of a layout of several components those of
 * the last: the size of a file that is only just made tells nothing. False: there are
 * no stripes in it that are known here. */
bool lustre_stripes(const unsigned char *b, size_t n, uint32_t *bytes, uint32_t *count);

#endif
