/* Verifies the output: compares its pixels with those computed from the input in 64-bit
 * numbers. All pixels of a small band; else corners, edges, both sides of seams of
 * tiles, and others. */
#include "base/err.h"
#include "base/rng.h"
#include "outcore/resample/phases.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct verify {
    struct job *j;
    struct run_file in, out;
    char *rows; /* of the input, from row y0 and column x0 on, packed */
    char *row;  /* of the output */
    int64_t x0, y0, columns, asked, pixels;
};

static bool is_small(const struct job *j)
{
    const struct image *out = &j->bands.how.out;
    return (j->band.to - j->band.from) * out->width <= VERIFY_ALL;
}

static int64_t rows_bytes(const struct job *j)
{
    const struct image *in = &j->bands.how.in;
    int64_t columns = is_small(j) ? in->width : WEIGHTS_TAPS;
    return WEIGHTS_TAPS * columns * (in->bits / 8);
}

static int64_t row_bytes(const struct job *j)
{
    return is_small(j) ? j->bands.how.out.width * (j->bands.how.out.bits / 8)
                       : (int64_t)sizeof(float);
}

int64_t verify_memory(const struct job *j)
{
    return rows_bytes(j) + row_bytes(j);
}

/* ---- pixels read ----------------------------------------------------------------- */

static int64_t ask(struct run_file *f, char *to, int64_t offset, int64_t bytes)
{
    struct io_req req = {.op = IO_OP_READ, .buf = to, .offset = offset, .bytes = bytes};
    run_transfer(f, &req, 1);
    return bytes;
}

static void read_rows(struct verify *v, int64_t Y, struct weights_span X)
{
    const struct resample_how *how = &v->j->bands.how;
    int64_t in_pixel = how->in.bits / 8, out_pixel = how->out.bits / 8;
    struct weights_span x = weights_need(&how->x, X.from, X.to);
    struct weights_span y = weights_need(&how->y, Y, Y + 1);
    v->x0 = x.from;
    v->y0 = y.from;
    v->columns = x.to - x.from;
    v->asked += ask(&v->out, v->row, job_out_at(v->j, Y) + X.from * out_pixel,
                    (X.to - X.from) * out_pixel);
    for (int64_t i = y.from; i < y.to && v->j->bands.reads; i++)
        v->asked +=
            ask(&v->in, v->rows + (i - y.from) * v->columns * in_pixel,
                image_row_at(&how->in, i) + x.from * in_pixel, v->columns * in_pixel);
}

static double pixel_of(const void *context, int64_t x, int64_t y)
{
    const struct verify *v = context;
    const struct image *in = &v->j->bands.how.in;
    int64_t at = (y - v->y0) * v->columns + x - v->x0;
    return v->j->bands.reads ? resample_pixel(in, v->rows + at * (in->bits / 8))
                             : JOB_PIXEL;
}

/* ---- expected values ------------------------------------------------------------- */

/* The full scale of a pixel; for floats, the largest of its input pixels. */
static double full_scale(const struct verify *v, int64_t X, int64_t Y)
{
    const struct resample_how *how = &v->j->bands.how;
    double most = 1;
    if (how->in.kind == IMAGE_UNSIGNED)
        return how->in.bits == 8 ? 255 : 65535;
    struct weights_span x = weights_need(&how->x, X, X + 1);
    struct weights_span y = weights_need(&how->y, Y, Y + 1);
    for (int64_t i = y.from; i < y.to; i++)
        for (int64_t k = x.from; k < x.to; k++)
            most = fmax(most, fabs(pixel_of(v, k, i)));
    return most;
}

/* True if a pixel is right. Integer pixels must be the nearest number; for a value
 * halfway, either. */
static bool is_right(const struct verify *v, double found, double exact, double scale)
{
    const struct resample_how *how = &v->j->bands.how;
    double most = how->out.bits == 8 ? 255 : 65535;
    double tolerance = how->x.k ? VERIFY_TOLERANCE * scale : 0;
    if (how->out.kind == IMAGE_FLOAT)
        return found == exact || (isnan(found) && isnan(exact)) ||
               fabs(found - exact) <= tolerance;
    exact = isnan(exact) || exact < 0 ? 0 : exact > most ? most : exact;
    return fabs(found - exact) <= 0.5 + tolerance;
}

static void check_pixel(struct verify *v, int64_t X, int64_t Y, const char *at)
{
    const struct resample_how *how = &v->j->bands.how;
    struct run *r = v->j->run;
    double found = resample_pixel(&how->out, at);
    double exact = weights_reference(&how->x, &how->y, X, Y, pixel_of, v);
    v->pixels++;
    r->checked++;
    if (is_right(v, found, exact, full_scale(v, X, Y)))
        return;
    r->bad++;
    run_fail(r,
             err_set(-EIO, v->out.path, job_out_at(v->j, Y) + X * (how->out.bits / 8),
                     "verification failed: the output's pixel at row %lld, column "
                     "%lld is %.9g, and 64-bit numbers give %.9g",
                     (long long)Y, (long long)X, found, exact));
}

static void check_stretch(struct verify *v, int64_t Y, struct weights_span X)
{
    struct run *r = v->j->run;
    int64_t each = v->j->bands.how.out.bits / 8;
    read_rows(v, Y, X);
    enum act before = phase_act(r->phase, ACT_CHECK);
    for (int64_t x = X.from; x < X.to && !r->failed; x++)
        check_pixel(v, x, Y, v->row + (x - X.from) * each);
    phase_act(r->phase, before);
}

/* ---- places ---------------------------------------------------------------------- */

/* Chooses one of n pixels along an axis by `kind`: an end, a side of a seam, or any. */
static int64_t choose(uint64_t key, int64_t i, int kind, int64_t n, int64_t tile)
{
    int64_t seams = (n - 1) / tile;
    int64_t any = (int64_t)rng_below(key, (uint64_t)i, (uint64_t)n);
    if (kind < 2)
        return kind ? n - 1 : 0;
    if (kind > 5 || !seams)
        return any;
    int64_t seam = 1 + (int64_t)rng_below(key, (uint64_t)i, (uint64_t)seams);
    return seam * tile - kind % 2;
}

static void check_points(struct verify *v)
{
    const struct job *j = v->j;
    int64_t height = j->band.to - j->band.from, width = j->bands.how.out.width;
    uint64_t key = rng_key(j->run->seed, RNG_SEARCHED);
    for (int i = 0; i < VERIFY_POINTS && !j->run->failed; i++) {
        int64_t X = choose(key, 2 * i, i % 8, width, j->bands.tile);
        int64_t Y = choose(key, 2 * i + 1, i / 8 % 8, height, j->bands.tile);
        check_stretch(v, j->band.from + Y, (struct weights_span){X, X + 1});
    }
}

static void check_all(struct verify *v)
{
    const struct job *j = v->j;
    for (int64_t Y = j->band.from; Y < j->band.to && !j->run->failed; Y++)
        check_stretch(v, Y, (struct weights_span){0, j->bands.how.out.width});
}

/* Opens a file for checking, through the page cache if there is one: few
 * bytes, anywhere. */
static int open_beside(struct run_file *f, struct job *j, const char *path,
                       int64_t bytes)
{
    run_file_beside(f, j->run, path, bytes, 1);
    f->engine = "posix";
    f->without |= IO_DIRECT;
    return run_file_open(f, IO_READ);
}

static void verify_open(struct verify *v)
{
    struct job *j = v->j;
    v->rows = malloc((size_t)rows_bytes(j));
    v->row = malloc((size_t)row_bytes(j));
    if (!v->rows || !v->row)
        run_fail(j->run, err_set(-ENOMEM, NULL, -1, "no memory to read pixels back"));
    if (!j->run->failed)
        open_beside(&v->out, j, j->output.of->path, row_bytes(j));
    if (!j->run->failed && j->bands.reads)
        open_beside(&v->in, j, j->input.path, rows_bytes(j));
}

int64_t verify_band(struct job *j, int64_t *pixels)
{
    struct verify v = {.j = j};
    if (j->band.from < j->band.to) {
        verify_open(&v);
        if (!j->run->failed && is_small(j))
            check_all(&v);
        else if (!j->run->failed)
            check_points(&v);
        if (v.out.run)
            run_file_close(&v.out, false);
        if (v.in.run)
            run_file_close(&v.in, false);
    }
    free(v.rows);
    free(v.row);
    *pixels = v.pixels;
    return v.asked;
}
