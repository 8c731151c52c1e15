/* Replaces png.c if there is no libpng. */
#include "base/err.h"
#include "base/format/png.h"
#include <errno.h>

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
