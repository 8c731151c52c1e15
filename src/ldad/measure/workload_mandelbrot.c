/* ldad mandelbrot: options, memory and the set itself for workloads/mandelbrot.c. */
#include "base/buf.h"
#include "base/err.h"
#include "base/format/png.h"
#include "base/stamp.h"
#include "ldad/lib/libldad.h"
#include "ldad/measure/workload.h"
#include "ldad/workloads/workloads.h"
#include <stdio.h>
#include <string.h>

static struct {
    struct workload_options o;
    int64_t width, height, chunk, rounds, iterations;
    const char *decomp, *png;
    bool paper;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Workload:"},
    {.kind = OPT_INT, .name = "width", .value = &set.width, .preset = "2048",
     .arg = "N", .unit = "1", .min = 1, .max = 1 << 30, .workload = true,
     .help = "pixels per row, one byte each"},
    {.kind = OPT_INT, .name = "height", .value = &set.height, .preset = "2048",
     .arg = "N", .unit = "1", .min = 1, .max = 1e9, .workload = true,
     .help = "rows of the picture"},
    {.kind = OPT_INT, .name = "iterations", .value = &set.iterations, .preset = "256",
     .arg = "N", .unit = "1", .min = 1, .max = 1e9, .workload = true,
     .help = "iterations after which a point counts as part of the set"},
    {.kind = OPT_CHOICE, .name = "decomp", .value = &set.decomp, .preset = "rows",
     .arg = "WAY", .choices = "rows|cyclic|slabs", .workload = true,
     .help = "how rows are dealt to ranks: one row at a time, one chunk of rows at a "
             "time, or one slab per rank",
     .text = "The part of the file that a rank writes.",
     .choice_text = {"ranks take turns in single rows", "ranks take turns in chunks",
                     "each rank has one slab"}},
    {.kind = OPT_BYTES, .name = "chunk", .letter = 'c', .value = &set.chunk,
     .preset = "64k", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30,
     .workload = true,
     .help = "cyclic and slabs: bytes of one transfer, rounded down to whole rows, "
             "at least one"},
    {.kind = OPT_INT, .name = "rounds", .value = &set.rounds, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 1e9, .workload = true,
     .help = "with collective transfers: limit the picture to this many chunks per "
             "rank; 0: no limit",
     .text = "With MPI-IO's collective transfers: at most this many chunks per rank, "
             "in a smaller picture, since collective transfers of small chunks may "
             "take forever. 0: no limit."},
    {.kind = OPT_TEXT, .name = "png", .value = &set.png, .arg = "FILE",
     .help = "also write the picture as a PNG file, from what the data file holds"},
    {.kind = OPT_FLAG, .name = "paper", .value = &set.paper, .preset = "no",
     .workload = true, .help = "the problem of Wang and Kaeli: 16384 x 16384 pixels, "
                               "256 MiB"},
    WORKLOAD_OPTIONS(set.o),
};
/* clang-format on */

static const char *const role[] = {"picture"};
static struct ldad_workload w = {.options = &set.o, .role = role, .files = 1};
static struct mandelbrot picture;
static void *expected; /* a strip, computed again for checking */

/* ---- the set --------------------------------------------------------------------- */

/* Returns how soon z <- z^2 + c leaves the circle of radius 2, as a grey; 0: it does
 * not. */
static unsigned char pixel(double re, double im)
{
    double x = 0, y = 0;
    for (int64_t i = 0; i < set.iterations; i++) {
        double xx = x * x, yy = y * y;
        if (xx + yy > 4)
            return (unsigned char)(1 + i % 255);
        y = 2 * x * y + im;
        x = xx - yy + re;
    }
    return 0;
}

static void render(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows,
                   unsigned char *out)
{
    for (MPI_Offset row = first; row < first + rows; row++)
        for (MPI_Offset column = 0; column < p->width; column++)
            *out++ = pixel(-2.25 + 3.0 * ((double)column + 0.5) / (double)p->width,
                           1.5 - 3.0 * ((double)row + 0.5) / (double)set.height);
}

void mandelbrot_render(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows)
{
    render(p, first, rows, p->strip);
}

/* Checks rows. Mostly another rank than the one that wrote them does it, with any kind
 * of file. */
void mandelbrot_check(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows)
{
    size_t bytes = (size_t)(rows * p->width);
    if (!w.run->verify || w.run->failed || !rows)
        return;
    enum act before = workload_care_begin(&w);
    render(p, first, rows, expected);
    bool same = !memcmp(p->strip, expected, bytes);
    workload_checked(&w, first * p->width, (int64_t)bytes,
                     same ? NULL : "a serial rendering has other pixels; " STAMP_WRONG);
    buf_poison(p->strip, (int64_t)bytes);
    workload_care_end(&w, before);
}

/* ---- the picture ----------------------------------------------------------------- */

static int draw_rows(const struct mandelbrot *p, ldad_file in, struct png_file *out)
{
    int rc = 0;
    for (int64_t row = 0; row < p->height && !rc; row++) {
        if (ldad_file_read_at_all(in, row * p->width, p->strip, (int)p->width, MPI_BYTE,
                                  MPI_STATUS_IGNORE))
            return err_get()->code;
        rc = png_file_row(out, p->strip);
    }
    return rc;
}

/* Draws the picture on one rank, row by row: any program that has the container can
 * read it. */
static int draw_png(const struct mandelbrot *p, const char *path)
{
    ldad_file in;
    struct png_file *out;
    if (ldad_file_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, w.info, &in))
        return err_get()->code;
    int rc = png_file_open(&out, set.png, p->width, p->height, PNG_FILE_GREY);
    if (!rc) {
        rc = draw_rows(p, in, out);
        int closed = png_file_close(&out);
        rc = rc ? rc : closed;
    }
    ldad_file_close(&in);
    return rc;
}

/* ---- the run --------------------------------------------------------------------- */

static int mandelbrot_write_all(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(
        &w, mandelbrot_write(&picture, r->world.comm, w.path[0], w.info));
}

static int view_all(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(&w,
                           mandelbrot_view(&picture, r->world.comm, w.path[0], w.info));
}

static int draw_once(struct run *r, void *unused)
{
    (void)unused;
    return set.png && !r->world.rank ? draw_png(&picture, w.path[0]) : 0;
}

static int mandelbrot_lay_out(struct mandelbrot *p)
{
    int64_t ranks = w.run->world.size, bytes;
    if (set.paper)
        set.width = set.height = 16384;
    bool slabs = !strcmp(set.decomp, "slabs"), by_row = !strcmp(set.decomp, "rows");
    int64_t rows = by_row || set.chunk < set.width ? 1 : set.chunk / set.width;
    *p = (struct mandelbrot){
        .width = set.width, .height = set.height, .rows = rows, .slabs = slabs};
    if (set.rounds && workload_collective(&w) && set.height / ranks / rows > set.rounds)
        p->height = set.rounds * ranks * rows;
    bytes = p->width * p->height; /* below 2^60 */
    return slabs ? ldad_plan_blocks(&w.plan, ranks, 0, bytes, p->width)
                 : ldad_plan_cyclic(&w.plan, ranks, 0, bytes, rows * p->width);
}

static int mandelbrot_plan(struct run *r, struct run_need *n)
{
    w.run = r;
    int rc = mandelbrot_lay_out(&picture);
    int64_t bytes = picture.width * picture.height;
    n->order = set.decomp;
    n->memory_bytes = picture.rows * picture.width * (r->verify ? 2 : 1);
    n->buffer_bytes = n->memory_bytes;
    n->write_bytes = n->read_bytes = bytes;
    return workload_plan(&w, rc, bytes, n);
}

static int mandelbrot_open_all(struct run *r)
{
    picture.strip = (unsigned char *)r->buffer;
    expected = r->buffer + picture.rows * picture.width;
    return workload_open(r);
}

int workload_mandelbrot(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = workload_begin},
        {.phase = "write", .body = mandelbrot_write_all},
        {.phase = "read", .body = view_all},
        {.body = draw_once},
        {.body = NULL}};
    static const struct workload mandelbrot = {
        .name = "ldad mandelbrot",
        .line = "",
        .about =
            "Ranks compute rows of a picture of the Mandelbrot set and write them to "
            "a file. Then each rank reads a band of it.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.o.run,
        .context = &w,
        .plan = mandelbrot_plan,
        .open = mandelbrot_open_all,
        .stages = stages,
        .close = workload_close,
        WORKLOAD_HOOKS};
    return workload_main(&mandelbrot, argc, argv);
}
