/* Lustre's distribution of a file over its servers, as far as the recorder needs it. */
#ifndef IOTRACE_FORMAT_LUSTRE_H
#define IOTRACE_FORMAT_LUSTRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Local. Finds the stripes' size and number in the n bytes of the attribute lustre.lov;
 * 0: the file system's default. Of a layout with several components it takes the last:
 * the size of a new file tells nothing. False: it finds no stripes of a known kind. */
bool lustre_stripes(const unsigned char *b, size_t n, uint32_t *bytes, uint32_t *count);

#endif
