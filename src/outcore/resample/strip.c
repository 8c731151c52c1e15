/* Strip: full rows of the image, as many as a tile has, in one read and one write. A
 * stream (run/stream.h) would split transfers at multiples of its slots in the file,
 * but these begin at rows, and there are as many as strips. */
#include "outcore/resample/job.h"
#include <string.h>

struct strip {
    struct weights_span Y; /* output rows */
    struct weights_span y; /* input rows in the slot, from its beginning on */
    struct run_io read, write;
    char *in, *out;
};

/* Loads a strip: rows that the previous strip has, too, are copied; the others are read
 * behind them. */
static void load(struct job *j, struct strip *s, const struct strip *before, int64_t Y)
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

/* Runs the strips. With two slots the next strip is read, and the previous one written,
 * while this one is computed. */
void strips_run(struct job *j)
{
    struct strip slot[2] = {{.in = j->in, .out = j->out},
                            {.in = j->in + (j->slots - 1) * j->in_slot,
                             .out = j->out + (j->slots - 1) * j->out_slot}};
    bool ahead = j->slots > 1;
    int now = 0;
    if (j->band.from < j->band.to)
        load(j, &slot[0], NULL, j->band.from);
    for (int64_t Y = j->band.from; Y < j->band.to && !j->run->failed; now = !now) {
        struct strip *s = &slot[now], *other = &slot[!now];
        Y = s->Y.to;
        run_await(j->input.of, &s->read);
        if (ahead && Y < j->band.to)
            load(j, other, s, Y);
        run_await(j->output.of, &s->write);
        job_compute_strip(j, s->Y, s->y.from, s->in, s->out);
        store(j, s);
        if (!ahead && Y < j->band.to)
            load(j, other, s, Y);
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
