/* Raw images, .llimg: a head of 4096 bytes, then rows of pixels back to back, all
 * numbers little endian. Head: "LLIMG001", width and height (64 bits), bits of a
 * pixel (32 bits), 0 for unsigned or 1 for floating-point pixels (32 bits), bytes of a
 * row (64 bits; 0: width x bits / 8), zeros. Rows are padded with zeros. No MPI, no
 * files. */
#ifndef OUTCORE_DATA_IMAGE_H
#define OUTCORE_DATA_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_HEAD 4096

/* Bytes of a row, at most: a request of one row must be possible everywhere. */
#define IMAGE_ROW_MOST ((INT64_C(1) << 31) - 4096)

enum image_kind { IMAGE_UNSIGNED, IMAGE_FLOAT };

struct image {
    int64_t width, height;
    int bits; /* of a pixel: 8 or 16, or 32 of a float */
    enum image_kind kind;
    int64_t row_bytes; /* with the padding */
};

/* Local. Sets the bytes of a row, a multiple of `pad`, and checks the sizes. 0, or
 * -EINVAL with a sentence: no pixels, pixels of another kind, a row of 2 GiB or more,
 * or more than 2^63 - 1 bytes. path: of the file that says so; NULL: the options do. */
int image_settle(struct image *m, int64_t pad, const char *path);

/* Local. Of the whole file. */
int64_t image_bytes(const struct image *m);

/* Local. Where row y begins in the file. */
static inline int64_t image_row_at(const struct image *m, int64_t y)
{
    return IMAGE_HEAD + y * m->row_bytes;
}

/* Local. The head, IMAGE_HEAD bytes. */
void image_head(const struct image *m, void *to);

/* Local. What a head says of a file of so many bytes. 0, or -EINVAL with a sentence: it
 * is no such image, or the file has fewer bytes than its head says. */
int image_parse(struct image *m, const void *head, int64_t file_bytes,
                const char *path);

/* An image from a seed: pixel (y, x) is the upper bits of number y width + x of the
 * key. Float pixels are the same, as 16 bits. */
struct image_made {
    struct image image;
    uint64_t key; /* rng_key(seed, RNG_IMAGE) */
};

/* Local, any thread. Bytes first .. first + n - 1 of its file, as rows of one byte
 * (outcore/data/make.h). */
void image_make(const void *made, int64_t first, int64_t n, void *to);

#endif
