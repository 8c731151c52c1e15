#include "outcore/resample/kernel.h"
#include "base/units.h"
#include "base/wide.h"
#include <math.h>
#include <string.h>

enum { LINE = 64 / sizeof(float) };

/* ---- room ------------------------------------------------------------------------ */

struct room {
    float *row;    /* of the input, as floats */
    float *phases; /* of an output row: pixels 0, s, 2 s, ..., then 1, s + 1, ... */
    float *rows;   /* resampled along rows, or of the input */
    float *sum;    /* an output row */
    int64_t stride;
};

static int64_t most_in(const struct weights_axis *a, int64_t out)
{
    return out / a->s + a->taps + 2;
}

static int64_t padded(int64_t n)
{
    return units_round_up(n, LINE);
}

/* The floats of a row of any of them. */
static int64_t kernel_widest(const struct resample_how *k, int64_t width)
{
    int64_t in = most_in(&k->x, width);
    return padded((in > width ? in : width) + WEIGHTS_SCALE * WEIGHTS_TAPS);
}

int64_t resample_room(const struct resample_how *k, int64_t width, int64_t height)
{
    int64_t rows = most_in(&k->y, height) + 3;
    return rows * kernel_widest(k, width) * (int64_t)sizeof(float);
}

static struct room kernel_divide(const struct resample_how *k,
                                 const struct resample_tile *t, void *room)
{
    int64_t n = kernel_widest(k, t->X1 - t->X0);
    float *at = room;
    return (struct room){at, at + n, at + 3 * n, at + 2 * n, n};
}

/* ---- along rows ------------------------------------------------------------------ */

#define SUM_UP(TAPS)                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                  \
        float sum = 0;                                                                 \
        for (int j = 0; j < (TAPS); j++)                                               \
            sum += w[j] * from[i + j];                                                 \
        to[i] = sum;                                                                   \
    }

/* Computes n results, each from `taps` numbers starting at its own. */
WIDE static void slide(const float *from, const float *w, int taps, int64_t n,
                       float *to)
{
    switch (taps) {
    case 1:
        SUM_UP(1) break;
    case 4:
        SUM_UP(4) break;
    case 6:
        SUM_UP(6) break;
    default:
        SUM_UP(8) break;
    }
}

WIDE static void interleave_2(const float *a, const float *b, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[2 * i] = a[i];
        to[2 * i + 1] = b[i];
    }
}

WIDE static void interleave_4(const float *from, int64_t each, int64_t n, float *to)
{
    const float *a = from, *b = a + each, *c = b + each, *d = c + each;
    for (int64_t i = 0; i < n; i++) {
        to[4 * i] = a[i];
        to[4 * i + 1] = b[i];
        to[4 * i + 2] = c[i];
        to[4 * i + 3] = d[i];
    }
}

static void single(const struct weights_axis *a, const float *row, int64_t x0,
                   int64_t X, float *to)
{
    struct weights_of o = weights_of(a, X);
    float sum = 0;
    for (int i = 0; i < o.n; i++)
        sum += (float)o.w[i] * row[o.first - x0 + i];
    *to = sum;
}

/* Computes n times s output pixels from X on, a multiple of s, all of which have all
 * their taps. */
static void inside(const struct weights_axis *a, const float *row, int64_t x0,
                   int64_t X, int64_t n, float *phases, float *to)
{
    int64_t each = padded(n);
    for (int p = 0; p < a->s; p++) {
        float w[WEIGHTS_TAPS];
        for (int j = 0; j < a->taps; j++)
            w[j] = (float)a->w[p][j];
        slide(row + X / a->s + a->first[p] - x0, w, a->taps, n,
              a->s == 1 ? to : phases + p * each);
    }
    if (a->s == 2)
        interleave_2(phases, phases + each, n, to);
    if (a->s == 4)
        interleave_4(phases, each, n, to);
}

static void resample_row(const struct resample_how *k, const struct resample_tile *t,
                         const struct room *r, float *to)
{
    const struct weights_axis *a = &k->x;
    struct weights_span all = weights_inside(a);
    int64_t X = t->X0, from = units_round_up(all.from > X ? all.from : X, a->s);
    int64_t n = ((all.to < t->X1 ? all.to : t->X1) - from) / a->s;
    for (; X < from && X < t->X1; X++)
        single(a, r->row, t->x0, X, to + X - t->X0);
    if (n > 0) {
        inside(a, r->row, t->x0, X, n, r->phases, to + X - t->X0);
        X += n * a->s;
    }
    for (; X < t->X1; X++)
        single(a, r->row, t->x0, X, to + X - t->X0);
}

static const char *in_row(const struct resample_tile *t, int64_t y)
{
    return (const char *)t->in + (y - t->y0) * t->in_stride;
}

/* ---- along columns --------------------------------------------------------------- */

WIDE static void add_row(const float *from, float w, int64_t n, float *sum)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += w * from[i];
}

#define ADD_UP(TAPS)                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                  \
        float all = 0;                                                                 \
        for (int j = 0; j < (TAPS); j++)                                               \
            all += w[j] * rows[j * stride + i];                                        \
        sum[i] = all;                                                                  \
    }

/* Adds up n columns of `taps` rows. */
WIDE static void add_rows(const float *rows, int64_t stride, const float *w, int taps,
                          int64_t n, float *sum)
{
    switch (taps) {
    case 1:
        ADD_UP(1) break;
    case 4:
        ADD_UP(4) break;
    case 6:
        ADD_UP(6) break;
    case 8:
        ADD_UP(8) break;
    default:
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int j = 0; j < taps; j++)
            add_row(rows + j * stride, w[j], n, sum);
    }
}

static void separable(const struct resample_how *k, const struct resample_tile *t,
                      const struct room *r, struct resample_counts *counts)
{
    struct weights_span x = weights_need(&k->x, t->X0, t->X1);
    struct weights_span y = weights_need(&k->y, t->Y0, t->Y1);
    int64_t n = t->X1 - t->X0;
    for (int64_t i = y.from; i < y.to; i++) {
        pixels_widen(&k->in, in_row(t, i), x.to - x.from, r->row);
        resample_row(k, t, r, r->rows + (i - y.from) * r->stride);
    }
    for (int64_t Y = t->Y0; Y < t->Y1; Y++) {
        struct weights_of o = weights_of(&k->y, Y);
        float w[WEIGHTS_TAPS];
        for (int j = 0; j < o.n; j++)
            w[j] = (float)o.w[j];
        const float *rows = r->rows + (o.n ? o.first - y.from : 0) * r->stride;
        bool copied = o.n == 1 && !k->y.k; /* the nearest row unchanged */
        if (!copied)
            add_rows(rows, r->stride, w, o.n, n, r->sum);
        pixels_put(&k->out, copied ? rows : r->sum, n,
                   (char *)t->out + (Y - t->Y0) * t->out_stride, counts);
    }
}

/* ---- both together --------------------------------------------------------------- */

static float pixel_of_both(const struct weights_of *x, const struct weights_of *y,
                           const float *at, int64_t stride)
{
    float sum = 0;
    for (int j = 0; j < y->n; j++)
        for (int i = 0; i < x->n; i++)
            sum += (float)(y->w[j] * x->w[i]) * at[j * stride + i];
    return sum;
}

static void flat(const struct resample_how *k, const struct resample_tile *t,
                 const struct room *r, struct resample_counts *counts)
{
    struct weights_span x = weights_need(&k->x, t->X0, t->X1);
    struct weights_span y = weights_need(&k->y, t->Y0, t->Y1);
    for (int64_t i = y.from; i < y.to; i++)
        pixels_widen(&k->in, in_row(t, i), x.to - x.from,
                     r->rows + (i - y.from) * r->stride);
    for (int64_t Y = t->Y0; Y < t->Y1; Y++) {
        struct weights_of b = weights_of(&k->y, Y);
        for (int64_t X = t->X0; X < t->X1; X++) {
            struct weights_of a = weights_of(&k->x, X);
            bool any = a.n && b.n;
            const float *at = r->rows + (any ? b.first - y.from : 0) * r->stride +
                              (any ? a.first - x.from : 0);
            r->sum[X - t->X0] = any ? pixel_of_both(&a, &b, at, r->stride) : 0;
        }
        pixels_put(&k->out, r->sum, t->X1 - t->X0,
                   (char *)t->out + (Y - t->Y0) * t->out_stride, counts);
    }
}

void resample_tile(const struct resample_how *k, const struct resample_tile *t,
                   void *room, struct resample_counts *counts)
{
    struct room r = kernel_divide(k, t, room);
    if (k->flat)
        flat(k, t, &r, counts);
    else
        separable(k, t, &r, counts);
}

/* ---- bands ----------------------------------------------------------------------- */

int64_t bands_strips(const struct bands *b)
{
    return units_div_up(b->how.out.height, b->tile);
}

static struct weights_span stretch(int64_t i, int64_t each, int64_t n)
{
    struct weights_span s = {i * each, n - i * each < each ? n : (i + 1) * each};
    return s;
}

struct weights_span bands_strip(const struct bands *b, int64_t i)
{
    return stretch(i, b->tile, b->how.out.height);
}

int64_t bands_columns(const struct bands *b)
{
    return units_div_up(b->how.out.width, b->tile);
}

struct weights_span bands_column(const struct bands *b, int64_t j)
{
    return stretch(j, b->tile, b->how.out.width);
}

struct weights_span bands_part(const struct bands *b, int64_t p, int64_t parts)
{
    int64_t n = bands_strips(b), height = b->how.out.height;
    int64_t first = units_part(n, p, parts), end = units_part(n, p + 1, parts);
    return (struct weights_span){first < n ? first * b->tile : height,
                                 end < n ? end * b->tile : height};
}

int64_t bands_step(const struct bands *b, int64_t Y, int64_t end)
{
    return b->whole || end - Y < b->tile ? end - Y : b->tile;
}

struct weights_span bands_fresh(const struct bands *b, int64_t Y, int64_t end,
                                int64_t there)
{
    struct weights_span need = weights_need(&b->how.y, Y, end);
    if (b->keeps && need.from < there)
        need.from = there < need.to ? there : need.to;
    return need;
}

int64_t bands_out_row(const struct bands *b, struct weights_span X)
{
    const struct image *m = &b->how.out;
    int64_t pixel = m->bits / 8;
    return (X.to == m->width ? m->row_bytes : X.to * pixel) - X.from * pixel;
}

/* ---- bytes moved ----------------------------------------------------------------- */

static void count_strip(const struct bands *b, int64_t Y, int64_t end, int64_t there,
                        struct bands_count *c)
{
    struct weights_span fresh = bands_fresh(b, Y, end, there);
    int64_t rows = fresh.to - fresh.from;
    c->writes++;
    c->write_bytes += (end - Y) * b->how.out.row_bytes;
    if (!b->reads)
        return;
    c->reads += rows > 0;
    c->read_bytes += rows * b->how.in.row_bytes;
}

static int64_t columns_bytes(const struct bands *b)
{
    int64_t columns = 0;
    for (int64_t j = 0; j < bands_columns(b); j++) {
        struct weights_span X = bands_column(b, j);
        struct weights_span x = weights_need(&b->how.x, X.from, X.to);
        columns += x.to - x.from;
    }
    return columns * (b->how.in.bits / 8);
}

/* Counts a strip's tiles; columns: bytes of a row of all their inputs. */
static void count_tiles(const struct bands *b, int64_t Y, int64_t end, int64_t columns,
                        struct bands_count *c)
{
    struct weights_span need = weights_need(&b->how.y, Y, end);
    c->writes += (end - Y) * bands_columns(b);
    c->write_bytes += (end - Y) * b->how.out.row_bytes;
    if (!b->reads)
        return;
    c->reads += (need.to - need.from) * bands_columns(b);
    c->read_bytes += (need.to - need.from) * columns;
}

struct bands_count bands_expect(const struct bands *b, int64_t p, int64_t parts)
{
    struct weights_span band = bands_part(b, p, parts);
    struct bands_count c = {0};
    int64_t columns = b->by_tiles ? columns_bytes(b) : 0, there = 0;
    for (int64_t Y = band.from, end; Y < band.to; Y = end) {
        end = Y + bands_step(b, Y, band.to);
        if (b->by_tiles)
            count_tiles(b, Y, end, columns, &c);
        else
            count_strip(b, Y, end, there, &c);
        there = weights_need(&b->how.y, Y, end).to;
    }
    return c;
}

/* ---- memory ---------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest needs of whole bands, or of strips, which differ at the edges. */
struct weights_span bands_most(const struct bands *b, int64_t parts)
{
    struct weights_span most = {0, 0};
    int64_t n = b->whole ? parts : bands_strips(b);
    for (int64_t i = 0; i < n; i++) {
        struct weights_span Y = b->whole ? bands_part(b, i, parts) : bands_strip(b, i);
        if (Y.from == Y.to)
            continue;
        struct weights_span y = weights_need(&b->how.y, Y.from, Y.to);
        most.from = larger(most.from, y.to - y.from);
        most.to = larger(most.to, Y.to - Y.from);
    }
    return most;
}

int64_t bands_most_columns(const struct bands *b)
{
    int64_t most = 0;
    for (int64_t j = 0; j < bands_columns(b); j++) {
        struct weights_span X = bands_column(b, j);
        struct weights_span x = weights_need(&b->how.x, X.from, X.to);
        most = larger(most, x.to - x.from);
    }
    return most;
}
