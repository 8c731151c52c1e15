/* Block: a read for each row of a tile's input, and a write for each of its rows, with
 * as many of them in flight as an asynchronous engine takes. */
#include "outcore/resample/job.h"
#include <string.h>

/* n rows of `bytes` each, the first at offset `at` of the file, each next one a stride
 * further on; packed in memory. */
struct rows {
    struct run_file *file;
    enum io_op op;
    char *buf;
    int64_t n, at, stride, bytes;
};

static void move_rows(const struct rows *rows)
{
    struct io_req req[TILES_DEPTH];
    for (int64_t i = 0; i < rows->n;) {
        int n = 0;
        for (; n < TILES_DEPTH && i < rows->n; n++, i++)
            req[n] = (struct io_req){.op = rows->op,
                                     .buf = rows->buf + i * rows->bytes,
                                     .offset = rows->at + i * rows->stride,
                                     .bytes = rows->bytes};
        run_transfer(rows->file, req, n);
    }
}

/* Clears the padding of the last tile's rows, where pixels of other tiles have been. */
static void clear_padding(const struct rows *out, int64_t pixels_bytes)
{
    for (int64_t i = 0; i < out->n && pixels_bytes < out->bytes; i++)
        memset(out->buf + i * out->bytes + pixels_bytes, 0,
               (size_t)(out->bytes - pixels_bytes));
}

static void move_tile(struct job *j, struct weights_span Y, struct weights_span X)
{
    const struct resample_how *how = &j->bands.how;
    struct weights_span y = weights_need(&how->y, Y.from, Y.to);
    struct weights_span x = weights_need(&how->x, X.from, X.to);
    int64_t in_pixel = how->in.bits / 8, out_pixel = how->out.bits / 8;
    struct rows in = {.file = j->input.of,
                      .op = IO_OP_READ,
                      .buf = j->in,
                      .n = y.to - y.from,
                      .at = image_row_at(&how->in, y.from) + x.from * in_pixel,
                      .stride = how->in.row_bytes,
                      .bytes = (x.to - x.from) * in_pixel};
    struct rows out = {.file = j->output.of,
                       .op = IO_OP_WRITE,
                       .buf = j->out,
                       .n = Y.to - Y.from,
                       .at = job_out_at(j, Y.from) + X.from * out_pixel,
                       .stride = how->out.row_bytes,
                       .bytes = bands_out_row(&j->bands, X)};
    struct job_tile t = {.X = X,
                         .Y = Y,
                         .x = x.from,
                         .y = y.from,
                         .in = in.buf,
                         .in_stride = in.bytes,
                         .out = out.buf,
                         .out_stride = out.bytes};
    if (j->bands.reads)
        move_rows(&in);
    clear_padding(&out, (X.to - X.from) * out_pixel);
    job_compute(j, &t);
    move_rows(&out);
}

void tiles_run(struct job *j)
{
    for (int64_t Y = j->band.from, end; Y < j->band.to; Y = end) {
        end = Y + bands_step(&j->bands, Y, j->band.to);
        for (int64_t i = 0; i < bands_columns(&j->bands); i++)
            move_tile(j, (struct weights_span){Y, end}, bands_column(&j->bands, i));
        progress_step(&j->run->progress, 1, j->run->phase->name);
    }
}

const struct method method_block = {
    .name = "block",
    .about = "a read for each row of a tile's input, a write for each of its rows",
    .by_tiles = true,
    .run = tiles_run};
