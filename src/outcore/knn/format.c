#include "outcore/knn/format.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
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

static int knn_format_check_size(struct format *f, const char *path, int64_t bytes)
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
    return knn_format_check_size(f, path, bytes);
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

/* ---- labels ---------------------------------------------------------------------- */

int32_t labels_made(uint64_t seed, uint64_t id, int64_t classes)
{
    return (int32_t)rng_below(rng_key(seed, RNG_LABELS), id, (uint64_t)classes);
}

/* Counts votes pairwise: k is too small for a table of labels. */
int32_t labels_vote(const int32_t *label, int64_t n)
{
    int32_t best = LABELS_NONE;
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t votes = 0;
        for (int64_t j = i; j < n; j++)
            votes += label[j] == label[i];
        if (label[i] != LABELS_NONE && votes > most) {
            most = votes;
            best = label[i];
        }
    }
    return best;
}

/* ---- sweeps ---------------------------------------------------------------------- */

static int knn_format_wrong(const char *text)
{
    return err_usage("--sweep-queries=%s: numbers that rise, at most %d, are separated "
                     "by commas; A..B is A, 2 A, 4 A and so on, up to B",
                     text, SWEEP_MOST);
}

static int knn_format_add(struct sweep *s, int64_t queries)
{
    if (queries < 1 || queries > INT32_MAX || s->n == SWEEP_MOST ||
        (s->n && queries <= s->queries[s->n - 1]))
        return -1;
    s->queries[s->n++] = queries;
    return 0;
}

int sweep_parse(struct sweep *s, const char *text)
{
    char *end = NULL;
    *s = (struct sweep){.n = 0};
    for (const char *at = text; at && *at; at = end + (*end == ',')) {
        int64_t first = strtoll(at, &end, 10), last = first;
        if (end != at && !strncmp(end, "..", 2))
            last = strtoll(at = end + 2, &end, 10);
        if (end == at || (*end && *end != ',') || (*end && !end[1]) || last < first)
            return knn_format_wrong(text);
        for (int64_t q = first; q <= last; q *= 2)
            if (knn_format_add(s, q))
                return knn_format_wrong(text);
    }
    return 0;
}

void sweep_add(struct sweep *s, int i, double seconds, double MBps)
{
    if (s->s[i] > 0 && s->s[i] <= seconds)
        return;
    s->s[i] = seconds;
    s->MBps[i] = MBps;
}

double sweep_crossover(const struct sweep *s)
{
    double limit = s->n ? SWEEP_LONGER * s->s[0] : 0;
    int i = s->n - 1;
    while (i >= 0 && s->s[i] >= limit)
        i--;
    if (i < 0 || i == s->n - 1)
        return 0;
    double share = (limit - s->s[i]) / (s->s[i + 1] - s->s[i]);
    double step = (double)(s->queries[i + 1] - s->queries[i]);
    return (double)s->queries[i] + share * step;
}
