/* Raw images, .llimg: a head of 4096 bytes, then rows of pixels back to back, all
 * numbers little-endian. Head: "LLIMG001", width and height (64 bits), bits of a pixel
 * (32 bits), 0 for unsigned or 1 for floating-point pixels (32 bits), bytes of a row
 * (64 bits; 0: width x bits / 8), zeros. Rows are padded with zeros. Also images in
 * FITS (Flexible Image Transport System, IAU standard 4.0): heads of blocks of 2880
 * bytes, rows back to back, all numbers big-endian, a whole number of blocks. No MPI,
 * no files. */
#ifndef OUTCORE_DATA_IMAGE_H
#define OUTCORE_DATA_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_HEAD 4096

enum image_kind { IMAGE_UNSIGNED, IMAGE_FLOAT };

/* The storage of a FITS image's pixels: big-endian, signed unless they have 8 bits; a
 * pixel is zero + scale x the stored value, and NaN if that is `blank`. */
struct image_fits {
    int bitpix; /* 8, 16, 32, 64; -32, -64: floating-point; 0: not a FITS image */
    double zero, scale;
    bool has_blank;
    int64_t blank;
};

struct image {
    int64_t width, height;
    int bits; /* bits of a pixel in the file. Raw: 8 or 16, or 32 for a float */
    enum image_kind kind; /* of the numbers: unsigned with 8 or 16 bits, or others */
    int64_t row_bytes;    /* including padding */
    int64_t head;         /* bytes before the first row */
    struct image_fits fits;
};

/* Local. Makes an image with pixels of 8 or 16 bits, or 32 for floating-point ones;
 * image_settle completes it. */
struct image image_of(int64_t width, int64_t height, int bits);

/* Local. Returns whether a file of this name (NULL: none) is a FITS image. */
bool image_is_fits(const char *path);

/* Local. Makes it a FITS image of the same numbers: unsigned 16-bit ones are stored
 * minus 32768. Before image_settle. */
void image_to_fits(struct image *m);

/* Local. Sets the bytes of a row, a multiple of `pad`, and of the head, if they are not
 * known yet, and checks the sizes. Returns 0, or -EINVAL with a sentence: no pixels,
 * pixels of another kind, a row of 2 GiB or more, or more than 2^63 - 1 bytes. path:
 * the file with these sizes; NULL: they come from options. */
int image_settle(struct image *m, int64_t pad, const char *path);

/* Local. The bytes of the whole file; and those behind its last row, all 0. */
int64_t image_bytes(const struct image *m);
int64_t image_tail(const struct image *m);

/* Local. The offset of row y in the file. */
static inline int64_t image_row_at(const struct image *m, int64_t y)
{
    return m->head + y * m->row_bytes;
}

/* Local. Makes the head of an image, m->head bytes. */
void image_head(const struct image *m, void *to);

/* Local. Parses the head of a file of file_bytes. Returns 0, or -EINVAL with a
 * sentence: it is no such image, or the file has fewer bytes than its head says. */
int image_parse(struct image *m, const void *head, int64_t file_bytes,
                const char *path);

/* A raw image from a seed: pixel (y, x) is the upper bits of number y width + x of
 * the key, or that of the sky (stars_pixel). Float pixels have the same values as those
 * of 16 bits. */
struct image_made {
    struct image image;
    bool stars;
    uint64_t key; /* rng_key(seed, RNG_IMAGE), or of RNG_STARS */
};

/* Local, any thread. Makes bytes first .. first + n - 1 of its file, as rows of one
 * byte (outcore/data/make.h). */
void image_make(const void *made, int64_t first, int64_t n, void *to);

#endif
