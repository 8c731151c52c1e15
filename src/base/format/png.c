/* Writes PNG files with libpng or, without it (no HAVE_LIBPNG), refuses to. */
#include "base/format/png.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>

#ifdef HAVE_LIBPNG
#include "base/format/outfile.h"
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct png_file {
    char *path;
    struct outfile out;
    png_structp png;
    png_infop info;
    int64_t rows_left;
    bool failed;
};

/* Handles an error of libpng, which reports them from within its calls and
 * cannot continue. */
static void png_fail(png_structp png, png_const_charp why)
{
    struct png_file *f = png_get_error_ptr(png);
    f->failed = true;
    err_set(errno ? -errno : -EIO, f->path, -1, "the picture cannot be written: %s",
            errno ? strerror(errno) : why);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp why)
{
    (void)png, (void)why;
}

static int png_begin(struct png_file *f, int64_t width, int64_t height,
                     enum png_kind kind)
{
    int colour = kind == PNG_FILE_GREY  ? PNG_COLOR_TYPE_GRAY
                 : kind == PNG_FILE_RGB ? PNG_COLOR_TYPE_RGB
                                        : PNG_COLOR_TYPE_RGBA;
    errno = 0;
    if (setjmp(png_jmpbuf(f->png)))
        return -EIO;
    png_init_io(f->png, f->out.file);
    png_set_IHDR(f->png, f->info, (png_uint_32)width, (png_uint_32)height, 8, colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(f->png, f->info);
    return 0;
}

int png_file_open(struct png_file **out, const char *path, int64_t width,
                  int64_t height, enum png_kind kind)
{
    struct png_file *f = *out = mem_of(path, 1, sizeof *f, "writing a picture");
    if (f) {
        f->rows_left = height;
        f->path = mem_text(path, "writing a picture");
        f->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, f, png_fail, ignore);
        f->info = f->png ? png_create_info_struct(f->png) : NULL;
    }
    if (!f || !f->path || !f->info)
        return mem_none(path, 0, "writing a picture");
    int rc = outfile_open(&f->out, path, OUTFILE_STREAM);
    return rc ? rc : png_begin(f, width, height, kind);
}

int png_file_row(struct png_file *f, const uint8_t *row)
{
    errno = 0;
    if (setjmp(png_jmpbuf(f->png)))
        return -EIO;
    png_write_row(f->png, row);
    f->rows_left--;
    return 0;
}

static int png_end(struct png_file *f)
{
    errno = 0;
    if (setjmp(png_jmpbuf(f->png)))
        return -EIO;
    png_write_end(f->png, f->info);
    return 0;
}

int png_file_close(struct png_file **file)
{
    struct png_file *f = *file;
    int rc = 0;
    if (!f)
        return 0;
    bool whole = f->out.file && !f->failed && !f->rows_left;
    if (whole)
        rc = outfile_close(&f->out, png_end(f));
    else /* an incomplete picture is of no use */
        outfile_close(&f->out, -ECANCELED);
    if (f->png)
        png_destroy_write_struct(&f->png, &f->info);
    free(f->path);
    free(f);
    *file = NULL;
    return rc;
}

#else /* no libpng */

int png_file_open(struct png_file **f, const char *path, int64_t width, int64_t height,
                  enum png_kind kind)
{
    (void)width, (void)height, (void)kind;
    *f = NULL;
    return err_usage("the picture %s cannot be drawn: this program was built without "
                     "libpng",
                     path);
}

int png_file_row(struct png_file *f, const uint8_t *row)
{
    (void)f, (void)row;
    return -ENOTSUP;
}

int png_file_close(struct png_file **f)
{
    *f = NULL;
    return 0;
}

#endif
