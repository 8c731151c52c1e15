/* Files of vectors, as three kinds of programs write them: where their rows are. */
#ifndef OUTCORE_KNN_FORMAT_H
#define OUTCORE_KNN_FORMAT_H

#include <stdint.h>

#define FORMAT_CHOICES "raw|fvecs|npy"
#define FORMAT_HEAD 4096 /* bytes of a file that say how it is laid out, at most */

struct format {
    int64_t dim, rows;
    int64_t head;   /* bytes before the first row */
    int64_t skip;   /* bytes of a row before its first component */
    int64_t stride; /* bytes of a row */
};

/* Local. raw: float32 after float32, nothing else; made files are such. */
struct format format_raw(int64_t dim, int64_t rows);

/* Local. A file of so many bytes, with vectors of `dim` components, by its first n
 * bytes (FORMAT_HEAD, or all there are), which of a raw file are not looked at. 0, or
 * -EINVAL with a sentence that has the sizes. */
int format_of(struct format *f, const char *name, const char *path, const void *first,
              int64_t n, int64_t bytes, int64_t dim);

/* Local. Of n rows in memory, the first one that does not begin as its format says; n:
 * they all do. */
int64_t format_wrong_row(const struct format *f, const void *rows, int64_t n);

#endif
