#include "outcore/resample/job.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <string.h>

struct job_tile {
    struct weights_span X, Y;
    int64_t x, y;
    const void *in;
    int64_t in_stride;
    void *out;
    int64_t out_stride;
};

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

static int64_t resample_job_room_bytes(const struct job *j)
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
    all = j->slots * (j->in_slot + j->out_slot) + resample_job_room_bytes(j);
    return all;
}

/* Fills an input that is not read. */
static void resample_job_fill(struct job *j)
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
        rc = buf_alloc(&j->room, resample_job_room_bytes(j), "tiles");
    j->in = in;
    j->out = out;
    if (rc)
        return rc;
    memset(out, 0, (size_t)(j->slots * j->out_slot)); /* the padding of rows stays 0 */
    run_buffer(j->run, in, j->slots * j->in_slot);
    run_buffer(j->run, out, j->slots * j->out_slot);
    if (!j->bands.reads)
        resample_job_fill(j);
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

/* Local, in a phase. Computes output rows Y .. end - 1, columns X .. right - 1, whose
 * input is at `in` from row y and column x on. Advances transfers in flight. */
static void job_compute(struct job *j, const struct job_tile *t)
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

/* ---- block ----------------------------------------------------------------------- */

/* Block: a read for each row of a tile's input, and a write for each of its rows, with
 * as many of them in flight as an asynchronous engine takes. */

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

/* Local, in a phase. Does the same for each tile of the band. */
static void tiles_run(struct job *j)
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

/* ---- strip ----------------------------------------------------------------------- */

/* Strip: full rows of the image, as many as a tile has, in one read and one write. A
 * stream (run/stream) would split transfers at multiples of its slots in the file,
 * but these begin at rows, and there are as many as strips. */

struct strip {
    struct weights_span Y; /* output rows */
    struct weights_span y; /* input rows in the slot, from its beginning on */
    struct run_io read, write;
    char *in, *out;
};

/* Loads a strip: rows that the previous strip has, too, are copied; the others are read
 * behind them. */
static void resample_job_load(struct job *j, struct strip *s,
                              const struct strip *before, int64_t Y)
{
    const struct bands *b = &j->bands;
    const struct image *m = &b->how.in;
    struct weights_span had = before ? before->y : (struct weights_span){0, 0};
    const char *from = before ? before->in : NULL;
    s->Y = (struct weights_span){Y, Y + bands_step(b, Y, j->band.to)};
    s->y = weights_need(&b->how.y, s->Y.from, s->Y.to);
    if (!b->reads)
        return;
    struct weights_span fresh = bands_fresh(b, s->Y.from, s->Y.to, had.to);
    if (fresh.from > s->y.from)
        memmove(s->in, from + (s->y.from - had.from) * m->row_bytes,
                (size_t)((fresh.from - s->y.from) * m->row_bytes));
    if (fresh.from == fresh.to)
        return;
    s->read.req =
        (struct io_req){.op = IO_OP_READ,
                        .buf = s->in + (fresh.from - s->y.from) * m->row_bytes,
                        .offset = image_row_at(m, fresh.from),
                        .bytes = (fresh.to - fresh.from) * m->row_bytes};
    run_submit(j->input.of, &s->read);
}

static void store(struct job *j, struct strip *s)
{
    const struct image *m = &j->bands.how.out;
    s->write.req = (struct io_req){.op = IO_OP_WRITE,
                                   .buf = s->out,
                                   .offset = job_out_at(j, s->Y.from),
                                   .bytes = (s->Y.to - s->Y.from) * m->row_bytes};
    run_submit(j->output.of, &s->write);
}

/* Local, in a phase. Reads, computes and writes each strip of the band.
 * Runs the strips. With two slots the next strip is read, and the previous one
 * written, while this one is computed. */
static void strips_run(struct job *j)
{
    struct strip slot[2] = {{.in = j->in, .out = j->out},
                            {.in = j->in + (j->slots - 1) * j->in_slot,
                             .out = j->out + (j->slots - 1) * j->out_slot}};
    bool ahead = j->slots > 1;
    int now = 0;
    if (j->band.from < j->band.to)
        resample_job_load(j, &slot[0], NULL, j->band.from);
    for (int64_t Y = j->band.from; Y < j->band.to && !j->run->failed; now = !now) {
        struct strip *s = &slot[now], *other = &slot[!now];
        Y = s->Y.to;
        run_await(j->input.of, &s->read);
        if (ahead && Y < j->band.to)
            resample_job_load(j, other, s, Y);
        run_await(j->output.of, &s->write);
        job_compute_strip(j, s->Y, s->y.from, s->in, s->out);
        store(j, s);
        if (!ahead && Y < j->band.to)
            resample_job_load(j, other, s, Y);
    }
    for (int i = 0; i < 2; i++) {
        run_await(j->input.of, &slot[i].read);
        run_await(j->output.of, &slot[i].write);
    }
}

const struct method method_strip = {
    .name = "strip",
    .about = "full-width strips of a tile's height, each in one read and one write",
    .slots_double = true,
    .run = strips_run};

/* ---- basic ----------------------------------------------------------------------- */

/* Basic: resamples everything in memory, with one read and one write. To the strips'
 * loop it is a single strip. */

const struct method method_basic = {.name = "basic",
                                    .about = "all in memory: one read and one write",
                                    .whole = true,
                                    .run = strips_run};

/* ---- mmap ------------------------------------------------------------------------ */

/* MMap: the output is made with its full size, and both files are mapped. The engine
 * copies from and to the mappings, and turns the SIGBUS of a full disk into a sentence.
 * A strip is one copy: if several ranks write a file, each copy first allocates its
 * space, and one call for each row of a tile would be ten times as slow. */

const struct method method_mmap = {
    .name = "mmap",
    .about = "both files mapped into memory, a strip copied at a time",
    .engine = "mmap",
    .run = strips_run};

/* ---- heads ----------------------------------------------------------------------- */

/* ---- the input's ----------------------------------------------------------------- */

static int read_begin(const char *path, char *to, int64_t bytes)
{
    struct io_file *f = NULL;
    const struct io_open open = {.engine = "posix",
                                 .path = path,
                                 .flags = IO_READ | IO_LOCAL,
                                 .max_request = IMAGE_HEAD,
                                 .depth = 1};
    struct io_req req = {.op = IO_OP_READ, .buf = to, .bytes = bytes};
    int rc = io_file_open(&f, &open);
    if (!rc)
        rc = io_file_transfer(f, &req);
    if (f) {
        int closed = io_file_close(&f);
        rc = rc ? rc : closed;
    }
    return rc;
}

int heads_read(struct job *j, const char *path)
{
    static const char packed[] = {0x1f, (char)0x8b};
    char head[IMAGE_HEAD] = {0};
    struct image *m = &j->bands.how.in;
    int64_t bytes = j->input.bytes;
    int rc = read_begin(path, head, bytes < IMAGE_HEAD ? bytes : IMAGE_HEAD);
    if (rc)
        return rc;
    if (!memcmp(head, FITS_MAGIC, strlen(FITS_MAGIC)))
        return fits_parse(m, bytes, path);
    if (!memcmp(head, packed, sizeof packed))
        return err_set(-EINVAL, path, 0, "this file is compressed: gunzip it first");
    return image_parse(m, head, bytes, path);
}

/* ---- the output's ---------------------------------------------------------------- */

/* The image that worker w writes. */
static struct image resample_job_part_of(const struct job *j, int w)
{
    struct image m = j->bands.how.out;
    struct weights_span band = bands_part(&j->bands, w, j->run->workers);
    if (!j->run->shared)
        m.height = band.to - band.from;
    return m;
}

int64_t heads_expect(const struct job *j)
{
    int64_t all = 0;
    for (int w = 0; w < (j->run->shared ? 1 : j->run->workers); w++) {
        struct image m = resample_job_part_of(j, w);
        all += m.head + image_tail(&m);
    }
    return all;
}

/* Writes the head last, so that an unfinished image is not taken for a complete one. */
void heads_write(struct job *j)
{
    struct run *r = j->run;
    struct image m = resample_job_part_of(j, r->worker);
    void *room = NULL;
    if (r->shared && r->world.rank)
        return;
    int rc = buf_alloc(&room, IMAGE_HEAD, "a head");
    run_fail(r, rc);
    if (rc)
        return;
    struct io_req tail = {.op = IO_OP_WRITE,
                          .buf = room,
                          .offset = image_row_at(&m, m.height),
                          .bytes = image_tail(&m)};
    struct io_req head = {.op = IO_OP_WRITE, .buf = room, .bytes = m.head};
    memset(room, 0, IMAGE_HEAD);
    if (tail.bytes)
        run_transfer(j->output.of, &tail, 1);
    image_head(&m, room);
    run_transfer(j->output.of, &head, 1);
    buf_free(room);
}
