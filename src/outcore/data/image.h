/* Raw images, .llimg: a head of 4096 bytes, then rows of pixels back to back, all
 * numbers little endian. Head: "LLIMG001", width and height (64 bits), bits of a
 * pixel (32 bits), 0 for unsigned or 1 for floating-point pixels (32 bits), bytes of a
 * row (64 bits; 0: width x bits / 8), zeros. Rows are padded with zeros. And images in
 * FITS (Flexible Image Transport System, IAU standard 4.0): heads of blocks of 2880
 * bytes, rows back to back, all numbers big endian, a whole number of blocks. No MPI,
 * no files. */
#ifndef OUTCORE_DATA_IMAGE_H
#define OUTCORE_DATA_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_HEAD 4096

/* The same of a FITS image that is written; FITS files are made of such blocks. */
#define IMAGE_FITS_BLOCK 2880

/* Bytes of a row, at most: a request of one row must be possible everywhere. */
#define IMAGE_ROW_MOST ((INT64_C(1) << 31) - 4096)

enum image_kind { IMAGE_UNSIGNED, IMAGE_FLOAT };

/* How pixels of a FITS image are stored: big endian, signed but for those of 8 bits; a
 * pixel is zero + scale x what is stored, and none (NaN) where that is `blank`. */
struct image_fits {
    int bitpix; /* 8, 16, 32, 64; -32, -64: floating-point; 0: this is no FITS image */
    double zero, scale;
    bool has_blank;
    int64_t blank;
};

struct image {
    int64_t width, height;
    int bits; /* that a pixel has in the file. Raw: 8 or 16, or 32 of a float */
    enum image_kind kind; /* of the numbers: unsigned ones of 8 or 16 bits, or others */
    int64_t row_bytes;    /* with the padding */
    int64_t head;         /* bytes before the first row */
    struct image_fits fits;
};

/* Local. Of pixels of 8 or 16 bits, or 32 of floating-point ones; to be settled. */
struct image image_of(int64_t width, int64_t height, int bits);

/* Local. The image becomes one of FITS, of the same numbers: unsigned 16-bit ones are
 * stored less 32768. Before image_settle. */
void image_to_fits(struct image *m);

/* Local. Sets the bytes of a row, a multiple of `pad`, and those of the head where they
 * are not known yet, and checks the sizes. 0, or
 * -EINVAL with a sentence: no pixels, pixels of another kind, a row of 2 GiB or more,
 * or more than 2^63 - 1 bytes. path: of the file that says so; NULL: the options do. */
int image_settle(struct image *m, int64_t pad, const char *path);

/* Local. Of the whole file; and of what is behind the last row in it, all 0. */
int64_t image_bytes(const struct image *m);
int64_t image_tail(const struct image *m);

/* Local. Where row y begins in the file. */
static inline int64_t image_row_at(const struct image *m, int64_t y)
{
    return m->head + y * m->row_bytes;
}

/* Local. The head of an image that is made, m->head bytes. */
void image_head(const struct image *m, void *to);

/* Local. What a head says of a file of so many bytes. 0, or -EINVAL with a sentence: it
 * is no such image, or the file has fewer bytes than its head says. */
int image_parse(struct image *m, const void *head, int64_t file_bytes,
                const char *path);

/* A raw image from a seed: pixel (y, x) is the upper bits of number y width + x of the
 * key, or those of the sky's pixel (stars.h). Float pixels are the same numbers as
 * those of 16 bits. */
struct image_made {
    struct image image;
    bool stars;
    uint64_t key; /* rng_key(seed, RNG_IMAGE), or of RNG_STARS */
};

/* Local, any thread. Bytes first .. first + n - 1 of its file, as rows of one byte
 * (outcore/data/make.h). */
void image_make(const void *made, int64_t first, int64_t n, void *to);

#endif
