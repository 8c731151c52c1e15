/* Runs the area filter as a step of the load: over row bands on all ranks, or, as in
 * 2002, over everything on the rank that wrote. */
#include "base/mem.h"
#include "pfmload/area/area_pass.h"
#include "pfmload/steps.h"
#include "pfmload/store/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct files {
    struct run_file *file[2]; /* by enum area_file */
};

static int area_step_transfer(const struct files *f, enum area_file which,
                              enum io_op op, int64_t offset, int64_t bytes, void *buf)
{
    struct io_req req = {.op = op, .buf = buf, .offset = offset, .bytes = bytes};
    run_transfer(f->file[which], &req, 1);
    return f->file[which]->run->failed;
}

static int read_at(void *context, enum area_file which, int64_t offset, int64_t bytes,
                   void *to)
{
    return area_step_transfer(context, which, IO_OP_READ, offset, bytes, to);
}

static int write_at(void *context, enum area_file which, int64_t offset, int64_t bytes,
                    const void *from)
{
    return area_step_transfer(context, which, IO_OP_WRITE, offset, bytes,
                              (void *)(uintptr_t)from);
}

struct band {
    int64_t row0, row1;
    uint8_t *coverage;
};

static struct band my_band(const struct load *l)
{
    const struct world *w = &l->r->world;
    int64_t height = l->head.height;
    if (l->set->area_serial)
        return (struct band){.row1 = w->rank ? 0 : height};
    return (struct band){.row0 = height * w->rank / w->size,
                         .row1 = height * (w->rank + 1) / w->size};
}

static void put_coverage(struct load *l, const struct band *b)
{
    int64_t bytes = (b->row1 - b->row0) * l->head.width;
    int64_t at = pfm_coverage_at(&l->head) + b->row0 * l->head.width;
    for (int64_t done = 0, n; done < bytes && !l->r->failed; done += n) {
        n = bytes - done < WRITER_TRANSFER ? bytes - done : WRITER_TRANSFER;
        struct io_req req = {.op = IO_OP_WRITE,
                             .buf = b->coverage + done,
                             .offset = at + done,
                             .bytes = n};
        run_transfer(l->cover, &req, 1);
    }
}

static int open_pass(struct load *l, struct area_pass **p, struct band *b,
                     struct files *f)
{
    const struct settings *s = l->set;
    struct area_rule rule = {.sigma = s->area_sigma,
                             .slope = AREA_SLOPE,
                             .bin_m = l->head.bin_m,
                             .order = strcmp(s->area_order, "raster") ? AREA_TWO_PASS
                                                                      : AREA_RASTER};
    struct area_io io = {.read = read_at, .write = write_at, .context = f};
    if (b->row0 == b->row1)
        return 0;
    b->coverage = mem_of(l->cover->path, (b->row1 - b->row0) * l->head.width, 1,
                         "the coverage map");
    if (!b->coverage)
        return -ENOMEM;
    return area_pass_open(p, &l->head, l->blocks.path, l->blocks_bytes, b->row0,
                          b->row1, &rule, &io);
}

/* Opens all bands, which reads the rows beside them, before any is changed. */
void area_step(struct load *l)
{
    struct files files = {{&l->bins, &l->blocks}};
    struct area_pass *p = NULL;
    struct band b = my_band(l);
    memset(&l->extremes, 0, sizeof l->extremes);
    l->area_cut = 0;
    if (load_ready(l, open_pass(l, &p, &b, &files)) && p) {
        load_fail(l, area_pass_apply(p, &l->extremes, b.coverage));
        put_coverage(l, &b);
        l->area_cut = area_pass_counts(p)->cut;
    }
    area_pass_close(&p);
    free(b.coverage);
}
