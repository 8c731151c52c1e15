/* Files of vectors in the formats of three kinds of programs: places of their rows. */
#ifndef OUTCORE_KNN_FORMAT_H
#define OUTCORE_KNN_FORMAT_H

#include <stdint.h>

#define FORMAT_CHOICES "raw|fvecs|npy"
#define FORMAT_HEAD 4096 /* most bytes at a file's beginning that describe its layout */

struct format {
    int64_t dim, rows;
    int64_t head;   /* bytes before the first row */
    int64_t skip;   /* bytes of a row before its first component */
    int64_t stride; /* bytes of a row */
};

/* Local. The format raw: float32 after float32, nothing else; generated files
 * have it. */
struct format format_raw(int64_t dim, int64_t rows);

/* Local. Determines the format of a file of `bytes`, with vectors of `dim` components,
 * by its first n bytes (FORMAT_HEAD, or all there are), which are not used for a raw
 * file. Returns 0, or -EINVAL with a sentence that has the sizes. */
int format_of(struct format *f, const char *name, const char *path, const void *first,
              int64_t n, int64_t bytes, int64_t dim);

/* Local. The first of n rows in memory that does not begin as its format requires;
 * n: none. */
int64_t format_wrong_row(const struct format *f, const void *rows, int64_t n);

#endif
