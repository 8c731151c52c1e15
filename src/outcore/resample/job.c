#include "outcore/resample/job.h"
#include "base/buf.h"
#include "base/units.h"
#include <string.h>

static const struct method *const methods[] = {&method_basic, &method_block,
                                               &method_mmap, &method_strip};

const struct method *job_method(const char *name)
{
    int i = 0;
    while (strcmp(methods[i]->name, name) != 0)
        i++;
    return methods[i];
}

/* ---- memory ---------------------------------------------------------------------- */

static int64_t room_bytes(const struct job *j)
{
    return units_round_up(resample_room(&j->bands.how, j->bands.tile, j->bands.tile),
                          BUF_ALIGN);
}

/* Sets the distance of a tile's rows, by its number of columns. */
static void settle_rows(const struct job *j, int64_t *in, int64_t *out)
{
    const struct resample_how *how = &j->bands.how;
    *in = how->in.row_bytes;
    *out = how->out.row_bytes;
    if (!j->method->by_tiles)
        return;
    *in = bands_most_columns(&j->bands) * (how->in.bits / 8);
    struct weights_span first = bands_column(&j->bands, 0);
    struct weights_span last = bands_column(&j->bands, bands_columns(&j->bands) - 1);
    *out = bands_out_row(&j->bands, first);
    if (*out < bands_out_row(&j->bands, last))
        *out = bands_out_row(&j->bands, last);
}

int64_t job_memory(struct job *j, int64_t parts, bool async)
{
    struct weights_span rows = bands_most(&j->bands, parts);
    int64_t in_row, out_row, all;
    j->slots = j->method->slots_double && async ? 2 : 1;
    settle_rows(j, &in_row, &out_row);
    if (__builtin_mul_overflow(rows.from, in_row, &j->in_slot) ||
        __builtin_mul_overflow(rows.to, out_row, &j->out_slot) ||
        j->in_slot > INT64_MAX / 16 || j->out_slot > INT64_MAX / 16)
        return -1;
    j->in_slot = units_round_up(j->in_slot, BUF_ALIGN);
    j->out_slot = units_round_up(j->out_slot, BUF_ALIGN);
    all = j->slots * (j->in_slot + j->out_slot) + room_bytes(j);
    return all;
}

/* Fills an input that is not read. */
static void fill(struct job *j)
{
    const struct image *m = &j->bands.how.in;
    float real = JOB_PIXEL;
    int64_t bytes = j->slots * j->in_slot, each = m->bits / 8;
    for (int64_t i = 0; i < bytes; i += each) {
        memset(j->in + i, 0, (size_t)each);
        if (m->kind == IMAGE_FLOAT)
            memcpy(j->in + i, &real, sizeof real);
        else
            j->in[i] = JOB_PIXEL;
    }
}

int job_open(struct job *j)
{
    void *in = NULL, *out = NULL;
    int rc = buf_alloc(&in, j->slots * j->in_slot, "rows of the input");
    if (!rc)
        rc = buf_alloc(&out, j->slots * j->out_slot, "rows of the output");
    if (!rc)
        rc = buf_alloc(&j->room, room_bytes(j), "tiles");
    j->in = in;
    j->out = out;
    if (rc)
        return rc;
    memset(out, 0, (size_t)(j->slots * j->out_slot)); /* the padding of rows stays 0 */
    run_buffer(j->run, in, j->slots * j->in_slot);
    run_buffer(j->run, out, j->slots * j->out_slot);
    if (!j->bands.reads)
        fill(j);
    return 0;
}

void job_close(struct job *j)
{
    buf_free(j->in);
    buf_free(j->out);
    buf_free(j->room);
    j->in = j->out = NULL;
    j->room = NULL;
}

/* ---- computing ------------------------------------------------------------------- */

void job_compute(struct job *j, const struct job_tile *t)
{
    struct run *r = j->run;
    if (j->idle || r->failed)
        return;
    struct resample_tile tile = {.in = t->in,
                                 .x0 = t->x,
                                 .y0 = t->y,
                                 .in_stride = t->in_stride,
                                 .out = t->out,
                                 .out_stride = t->out_stride,
                                 .X0 = t->X.from,
                                 .X1 = t->X.to,
                                 .Y0 = t->Y.from,
                                 .Y1 = t->Y.to};
    int64_t begin_ns = clock_thread_ns();
    resample_tile(&j->bands.how, &tile, j->room, &j->counts);
    j->compute_ns += clock_thread_ns() - begin_ns;
    run_poll(j->input.of);
    run_poll(j->output.of);
}

static void compute_row_of_tiles(struct job *j, struct weights_span Y, int64_t y,
                                 const char *in, char *out)
{
    const struct resample_how *how = &j->bands.how;
    for (int64_t i = 0; i < bands_columns(&j->bands); i++) {
        struct weights_span X = bands_column(&j->bands, i);
        int64_t x = weights_need(&how->x, X.from, X.to).from;
        struct job_tile t = {.X = X,
                             .Y = Y,
                             .x = x,
                             .y = y,
                             .in = in + x * (how->in.bits / 8),
                             .in_stride = how->in.row_bytes,
                             .out = out + X.from * (how->out.bits / 8),
                             .out_stride = how->out.row_bytes};
        job_compute(j, &t);
    }
}

/* Computes a strip, or a whole band, which has several rows of tiles. */
void job_compute_strip(struct job *j, struct weights_span Y, int64_t y, const char *in,
                       char *out)
{
    const struct resample_how *how = &j->bands.how;
    for (int64_t from = Y.from, end; from < Y.to; from = end) {
        end = Y.to - from < j->bands.tile ? Y.to : from + j->bands.tile;
        int64_t first = weights_need(&how->y, from, end).from;
        compute_row_of_tiles(j, (struct weights_span){from, end}, first,
                             in + (first - y) * how->in.row_bytes,
                             out + (from - Y.from) * how->out.row_bytes);
        progress_step(&j->run->progress, 1, j->run->phase->name);
    }
}

int64_t job_out_at(const struct job *j, int64_t Y)
{
    return image_row_at(&j->bands.how.out, Y - j->out_first);
}
