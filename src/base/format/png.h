/* Writes pictures as PNG files, row by row from the top. Programs that use it link
 * src/base/libpicture.a; if that was built without libpng, each call is refused. */
#ifndef BASE_FORMAT_PNG_H
#define BASE_FORMAT_PNG_H

#include <stdint.h>

struct png_file;

/* Channels of a pixel, a byte each. */
enum png_kind { PNG_FILE_GREY = 1, PNG_FILE_RGB = 3, PNG_FILE_RGBA = 4 };

/* Local. Begins the file `path`, replacing an old one; png_file_close frees *f. Returns
 * 0, or -errno with a sentence: a usage error without libpng. */
int png_file_open(struct png_file **f, const char *path, int64_t width, int64_t height,
                  enum png_kind kind);

/* Local. Writes the next row, width * kind bytes. Returns 0, or -errno with
 * a sentence. */
int png_file_row(struct png_file *f, const uint8_t *row);

/* Local. Ends the file; a regular file that lacks rows is removed. Returns 0, or -errno
 * with a sentence. */
int png_file_close(struct png_file **f);

#endif
