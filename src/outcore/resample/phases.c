#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "outcore/resample/job.h"
#include "run/lanes.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the check ------------------------------------------------------------------- */

/* Verifies the output: compares its pixels with those computed from the input in 64-bit
 * numbers. All pixels of a small band; else corners, edges, both sides of seams of
 * tiles, and others. */

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

static int64_t resample_row_bytes(const struct job *j)
{
    return is_small(j) ? j->bands.how.out.width * (j->bands.how.out.bits / 8)
                       : (int64_t)sizeof(float);
}

int64_t verify_memory(const struct job *j)
{
    return rows_bytes(j) + resample_row_bytes(j);
}

/* ---- pixels read ----------------------------------------------------------------- */

static int64_t ask(struct run_file *f, char *to, int64_t offset, int64_t bytes)
{
    struct io_req req = {.op = IO_OP_READ, .buf = to, .offset = offset, .bytes = bytes};
    run_transfer(f, &req, 1);
    return bytes;
}

static void resample_read_rows(struct verify *v, int64_t Y, struct weights_span X)
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
    resample_read_rows(v, Y, X);
    enum act before = phase_act(r->phase, ACT_CHECK);
    for (int64_t x = X.from; x < X.to && !r->failed; x++)
        check_pixel(v, x, Y, v->row + (x - X.from) * each);
    phase_act(r->phase, before);
}

/* ---- places ---------------------------------------------------------------------- */

/* Chooses one of n pixels along an axis by `kind`: an end, a side of a seam, or any. */
static int64_t resample_choose(uint64_t key, int64_t i, int kind, int64_t n,
                               int64_t tile)
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
        int64_t X = resample_choose(key, 2 * i, i % 8, width, j->bands.tile);
        int64_t Y = resample_choose(key, 2 * i + 1, i / 8 % 8, height, j->bands.tile);
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
    v->rows = mem_new(rows_bytes(j), 1, "reading pixels back");
    v->row = mem_new(resample_row_bytes(j), 1, "reading pixels back");
    if (!v->rows || !v->row)
        run_fail(j->run, -ENOMEM);
    if (!j->run->failed)
        open_beside(&v->out, j, j->output.of->path, resample_row_bytes(j));
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

/* ---- settings -------------------------------------------------------------------- */

#define SHIFT_MOST 1e9 /* pixels; small enough for exact fractions */

/* Parses the number at *at, which must end with `end`; *at moves behind it. */
static bool resample_take_number(const char **at, char end, double *x)
{
    char *rest;
    *x = strtod(*at, &rest);
    bool good = rest != *at && *rest == end && fabs(*x) <= SHIFT_MOST;
    *at = rest + (good && end);
    return good;
}

static int take_shift(const struct settings *s, struct resample_how *how)
{
    const char *at = s->shift;
    if (resample_take_number(&at, ',', &how->x.shift) &&
        resample_take_number(&at, 0, &how->y.shift))
        return 0;
    return err_usage("--shift=%s: two numbers with a comma between them, as in "
                     "0.25,-1.5, of at most %g pixels",
                     s->shift, SHIFT_MOST);
}

static int resample_find(const char *what, const char *const names[], int n)
{
    int i = 0;
    while (i < n - 1 && strcmp(names[i], what) != 0)
        i++;
    return i;
}

int settings_kernel(const struct settings *s, struct resample_how *how)
{
    static const char *const edges[] = {"renorm", "clamp", "zero"};
    static const char *const scales[] = {"1", "4", "16"};
    static const char *const taps[] = {"1", "16", "36", "64"};
    static const int ks[] = {0, 2, 3, 4};
    struct weights_axis axis = {
        .s = 1 << resample_find(s->scale, scales, 3),
        .k = ks[resample_find(s->taps, taps, 4)],
        .normalize = s->normalize,
        .edge = (enum weights_edge)resample_find(s->edge, edges, 3)};
    if (!axis.normalize && axis.edge == EDGE_RENORM && axis.k)
        return err_usage("--no-normalize keeps the weights as they are, and "
                         "--edge=renorm scales them at edges: give --edge=clamp or "
                         "--edge=zero");
    how->x = how->y = axis;
    how->flat = !strcmp(s->kernel, "2d");
    return take_shift(s, how);
}

/* ---- phases ---------------------------------------------------------------------- */

/* ---- the input ------------------------------------------------------------------- */

static int plan_made(struct phases *p, const struct run *r, const struct settings *s)
{
    struct image *in = &p->job.bands.how.in;
    *in = image_of(s->width, s->height, atoi(s->bits));
    int rc = image_settle(in, s->row_pad ? IO_DIRECT_ALIGN : 1, NULL);
    if (rc)
        return rc;
    p->made.image = *in;
    p->rows = (struct data_rows){
        .bytes = 1, .n = image_bytes(in), .make = image_make, .context = &p->made};
    return data_planned(r, &p->job.input, &p->rows);
}

int phases_input(struct phases *p, struct run *r, const struct settings *s)
{
    if (!s->input)
        return err_agree(r->world.comm, plan_made(p, r, s));
    int rc = data_given(r, &p->job.input, s->input, 1, false);
    return rc ? rc : err_agree(r->world.comm, heads_read(&p->job, s->input));
}

/* ---- bytes moved ----------------------------------------------------------------- */

struct bands_count phases_expect(const struct phases *p, const struct run *r)
{
    struct bands_count all = {0};
    for (int w = 0; w < r->workers; w++) {
        struct bands_count c = bands_expect(&p->job.bands, w, r->workers);
        all.reads += c.reads;
        all.read_bytes += c.read_bytes;
        all.writes += c.writes;
        all.write_bytes += c.write_bytes;
    }
    return all;
}

/* Checks the number of requests. */
static int check_calls(struct run *r, const struct phases *p,
                       const struct bands_count *expected)
{
    int64_t n[2] = {r->phase->act[ACT_READ].calls, r->phase->act[ACT_WRITE].calls};
    world_reduce(r->world.comm, n, 2, MPI_INT64_T, MPI_SUM);
    bool reads = n[0] != expected->reads;
    if (!reads && n[1] == expected->writes)
        return 0;
    return err_set(-EIO, p->job.output.of->path, -1,
                   "phase %s has made %lld %s, expected %lld", r->phase->name,
                   (long long)(reads ? n[0] : n[1]), reads ? "reads" : "writes",
                   (long long)(reads ? expected->reads : expected->writes));
}

/* ---- resampling ------------------------------------------------------------------ */

static void name_input(struct phases *p, struct run *r)
{
    const struct job *j = &p->job;
    int depth = j->method->by_tiles ? TILES_DEPTH : j->slots;
    data_name(r, &p->job.input, "image", j->in_slot, depth);
}

static int open_files(struct phases *p, struct run *r)
{
    struct job *j = &p->job;
    int depth = j->method->by_tiles ? TILES_DEPTH : j->slots;
    if (j->bands.reads)
        data_open(r, &j->input);
    if (r->failed)
        return r->failed;
    return output_open(r, &j->output, image_bytes(&j->bands.how.out), j->out_slot,
                       depth);
}

/* Makes a phase of resampling; the verdict is agreed. */
static int resample(struct phases *p, struct run *r, const char *phase)
{
    struct job *j = &p->job;
    struct bands_count expected = phases_expect(p, r);
    j->counts = (struct resample_counts){0};
    j->compute_ns = 0;
    run_phase_begin(r, phase);
    if (!open_files(p, r))
        j->method->run(j);
    if (j->input.of->io)
        data_close(r, &j->input);
    output_close(r, &j->output, true);
    int rc = run_phase_end(r);
    if (!rc)
        rc = run_moved(r, phase, j->output.of->path, expected.read_bytes,
                       expected.write_bytes);
    return rc ? rc : check_calls(r, p, &expected);
}

static void resample_add_figures(struct run *r, struct phases *p)
{
    struct job *j = &p->job;
    double bytes = (double)r->last.write_bytes;
    int64_t sum[3] = {j->compute_ns, j->counts.saturated, j->counts.nans};
    world_reduce(r->world.comm, sum, 3, MPI_INT64_T, MPI_SUM);
    p->counts = (struct resample_counts){.saturated = sum[1], .nans = sum[2]};
    run_figure(r, "resample", "out_MBps", "MB/s", "higher",
               "bytes of the output's rows / slowest rank's seconds of reading, "
               "computing, writing and syncing / 1e6",
               bytes / r->last.work_s / 1e6);
    run_figure(r, "compute", "out_MBps_per_cpu_s", "MB/s", "higher",
               "bytes of the output's rows / processor seconds of all ranks in tiles / "
               "1e6",
               bytes / ((double)sum[0] / 1e9) / 1e6);
}

/* ---- overlap --------------------------------------------------------------------- */

static void compute_alone(struct job *j)
{
    for (int64_t Y = j->band.from, end; Y < j->band.to; Y = end) {
        end = Y + bands_step(&j->bands, Y, j->band.to);
        job_compute_strip(j, (struct weights_span){Y, end},
                          weights_need(&j->bands.how.y, Y, end).from, j->in, j->out);
    }
}

/* The bound of the overlap, on the rank with the most strips. */
static double overlap_bound(const struct phases *p, const struct run *r)
{
    int64_t strips = bands_strips(&p->job.bands);
    int64_t most = (strips + r->workers - 1) / r->workers;
    return 1 - 1 / (double)most;
}

/* Measures the seconds of transfers alone, and of computing alone. The verdict
 * is agreed. */
static int measure_alone(struct phases *p, struct run *r, double *io_s, double *comp_s)
{
    r->aside = r->samples_only = true;
    p->job.idle = true;
    int rc = resample(p, r, "io_alone");
    p->job.idle = false;
    *io_s = r->last.work_s;
    int settled = output_settle(r, &p->job.output, false);
    rc = rc ? rc : settled;
    if (!rc) {
        run_phase_begin(r, "compute_alone");
        compute_alone(&p->job);
        rc = run_phase_end(r);
        *comp_s = r->last.work_s;
    }
    r->aside = r->samples_only = false;
    return rc;
}

static void resample_add_overlap(struct phases *p, struct run *r, double io_s,
                                 double comp_s)
{
    const char *formula = "slowest rank's seconds of computing, reading, writing and "
                          "syncing";
    double both_s = r->last.work_s, bound = overlap_bound(p, r);
    run_figure(r, "resample", "t_io_s", "s", "lower", formula, io_s);
    run_figure(r, "resample", "t_comp_s", "s", "lower", formula, comp_s);
    run_figure(r, "resample", "t_both_s", "s", "lower", formula, both_s);
    run_figure(r, "resample", "overlap", "1", "higher",
               "(t_io + t_comp - t_both) / min(t_io, t_comp)",
               (io_s + comp_s - both_s) / fmin(io_s, comp_s));
    run_figure(r, "resample", "overlap_bound", "1", "higher",
               "1 - 1 / strips of the rank with most of them", bound);
}

/* ---- the check ------------------------------------------------------------------- */

/* Checks the output; the verdict is agreed. */
static int phases_check(struct phases *p, struct run *r)
{
    struct job *j = &p->job;
    int64_t sum[2] = {0, 0};
    r->aside = r->samples_only = true;
    run_phase_begin(r, "check");
    if (!run_file_open_lanes(j->output.of, 1, IO_WRITE))
        heads_write(j);
    run_file_close_lanes(j->output.of, 1, true);
    world_barrier(r->world.comm);
    if (!r->failed)
        sum[0] = verify_band(j, &sum[1]);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    p->pixels = sum[1];
    return rc ? rc : run_moved(r, "check", j->output.of->path, sum[0], heads_expect(j));
}

int phases_run(struct phases *p, struct run *r, const struct settings *s)
{
    double io_s = 0, comp_s = 0;
    name_input(p, r);
    int rc = s->no_read ? 0 : data_make(r, &p->job.input, &p->rows);
    if (!rc && s->overlap)
        rc = measure_alone(p, r, &io_s, &comp_s);
    if (!rc)
        rc = resample(p, r, "resample");
    if (rc)
        return rc;
    resample_add_figures(r, p);
    if (s->overlap)
        resample_add_overlap(p, r, io_s, comp_s);
    struct report_rate last = r->last;
    rc = phases_check(p, r);
    r->last = last;
    return rc;
}

void phases_results(const struct phases *p, struct run *r)
{
    const struct resample_how *how = &p->job.bands.how;
    struct bands_count all = phases_expect(p, r);
    run_result(r, "width", (double)how->out.width);
    run_result(r, "height", (double)how->out.height);
    run_result(r, "reads", (double)all.reads);
    run_result(r, "writes", (double)all.writes);
    run_result(r, "pixels_checked", (double)p->pixels);
    run_result(r, "saturated", (double)p->counts.saturated);
    run_result(r, "nan", (double)p->counts.nans);
}
