#include "outcore/knn/format.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPONENT = 4,  /* bytes */
    NPY_BEGIN = 10, /* magic, version, length of the description */
    NPY_TEXT = 512
};

struct format format_raw(int64_t dim, int64_t rows)
{
    return (struct format){.dim = dim, .rows = rows, .stride = dim * COMPONENT};
}

static int32_t little_32(const uint8_t *p)
{
    return (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                     (uint32_t)p[3] << 24);
}

static int fvecs_of(struct format *f, const char *path, const uint8_t *first, int64_t n)
{
    int32_t dim = n < COMPONENT ? 0 : little_32(first);
    if (dim < 1)
        return err_set(-EINVAL, path, 0,
                       "a .fvecs file begins with the dimension of its first vector, "
                       "and this one with %d: give its --format",
                       dim);
    f->dim = dim;
    f->skip = COMPONENT;
    return 0;
}

/* The value of a key in the description, which is a Python dictionary. */
static const char *npy_value(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    at = at ? strchr(at, ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : "";
}

static int npy_of(struct format *f, const char *path, const uint8_t *first, int64_t n)
{
    char text[NPY_TEXT];
    if (n < NPY_BEGIN || memcmp(first, "\x93NUMPY\x01", 7))
        return err_set(-EINVAL, path, 0, "this is no .npy file of version 1");
    int64_t length = first[8] | first[9] << 8;
    int64_t shown = length < n - NPY_BEGIN ? length : n - NPY_BEGIN;
    while (shown > 0 && first[NPY_BEGIN + shown - 1] <= ' ')
        shown--;
    snprintf(text, sizeof text, "%.*s", (int)shown, (const char *)first + NPY_BEGIN);
    const char *shape = npy_value(text, "'shape'");
    char *end = NULL;
    f->head = NPY_BEGIN + length;
    f->rows = *shape == '(' ? strtoll(shape + 1, &end, 10) : 0;
    f->dim = end && *end == ',' ? strtoll(end + 1, &end, 10) : 0;
    bool closed = end && (*end == ')' || !strncmp(end, ",)", 2));
    if (strncmp(npy_value(text, "'descr'"), "'<f4'", 5) ||
        strncmp(npy_value(text, "'fortran_order'"), "False", 5) || !closed ||
        f->rows < 1 || f->dim < 1)
        return err_set(-EINVAL, path, 0,
                       "of .npy files, tables of float32 ('<f4') row by row are read, "
                       "and this one is %s",
                       text);
    return 0;
}

static int check_size(struct format *f, const char *path, int64_t bytes)
{
    int64_t told = f->rows, data = bytes - f->head;
    f->rows = data / f->stride;
    if (data < f->stride || data % f->stride)
        return err_set(-EINVAL, path, -1,
                       "the file has %lld bytes, which is no whole number of vectors: "
                       "one of %lld component%s has %lld bytes%s",
                       (long long)bytes, (long long)f->dim, units_s(f->dim),
                       (long long)f->stride, f->head ? ", after a head" : "");
    if (told && told != f->rows)
        return err_set(-EINVAL, path, -1,
                       "the file has %lld vector%s of %lld bytes, and its head says "
                       "%lld",
                       (long long)f->rows, units_s(f->rows), (long long)f->stride,
                       (long long)told);
    return 0;
}

int format_of(struct format *f, const char *name, const char *path, const void *first,
              int64_t n, int64_t bytes, int64_t dim)
{
    int rc = 0;
    *f = format_raw(dim, 0);
    if (!strcmp(name, "fvecs"))
        rc = fvecs_of(f, path, first, n);
    else if (!strcmp(name, "npy"))
        rc = npy_of(f, path, first, n);
    if (rc)
        return rc;
    if (dim != f->dim)
        return err_usage("--dim=%lld: vectors of %s have %lld component%s",
                         (long long)dim, path, (long long)f->dim, units_s(f->dim));
    f->stride = f->skip + dim * COMPONENT;
    return check_size(f, path, bytes);
}

int64_t format_wrong_row(const struct format *f, const void *rows, int64_t n)
{
    const uint8_t *at = rows;
    int64_t i = 0;
    if (!f->skip)
        return n;
    while (i < n && little_32(at + i * f->stride) == f->dim)
        i++;
    return i;
}
