/* The stages' bodies: every lane keeps a queue full of requests for its blocks. */
#include "block/block.h"
#include "run/lanes.h"

struct lane_work {
    struct run *r;
    const struct block *b;
    const struct block_work *w;
};

static struct io_req request(const void *lane_work, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    struct run *r = l->r;
    int place = r->file->place;
    int64_t block = order_block(&l->b->order, place, i);
    struct extent e = order_extent(&l->b->order, place, block);
    struct io_req req = {.op = l->w->op,
                         .buf = r->buffer + slot * l->b->set.block,
                         .offset = e.offset,
                         .bytes = e.bytes};
    if (req.op == IO_OP_WRITE)
        run_stamp(r, req.buf, req.bytes, (int)block, 1);
    else if (l->w->checks)
        run_poison(r, req.buf, req.bytes);
    return req;
}

static void check_block(void *lane_work, const struct io_req *req, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    struct run_file *f = l->r->file;
    (void)slot;
    run_check(f, req->buf, req->offset, req->bytes,
              (int)order_block(&l->b->order, f->place, i), 1);
}

/* Up to the limit, or what is left to do. */
static void transfer_blocks(struct run *r, void *work)
{
    struct io_req req[BLOCK_DEPTH_MAX];
    struct lane_work l = {r, r->context, work};
    bool writes = l.w->op == IO_OP_WRITE;
    struct run_queue q = {.make = request,
                          .done = l.w->checks ? check_block : NULL,
                          .context = &l,
                          .from = r->made,
                          .total = l.w->total - r->made,
                          .limit_s = l.w->limit_s,
                          .untimed = l.w->untimed,
                          .all_visible = r->verify && (writes || l.w->checks)};
    run_queue(r->file, req, &q);
}

static void transfer(struct run *r, struct block_work *w)
{
    run_lanes(r, transfer_blocks, w);
    if (!w->limit_s)
        return;
    w->total = run_wear_out(r);
    w->limit_s = 0;
    run_lanes(r, transfer_blocks, w);
}

int block_write_all(struct run *r, void *context)
{
    struct block *b = r->context;
    struct block_work w = {
        .op = IO_OP_WRITE, .limit_s = b->set.run.time_s, .total = b->order.layout.blks};
    (void)context;
    transfer(r, &w);
    b->written = w.total;
    return 0;
}

int block_read_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {.op = IO_OP_READ,
                           .checks = r->verify && !b->pass,
                           .limit_s = b->set.run.time_s,
                           .total = b->written};
    (void)context;
    transfer(r, &w);
    return 0;
}

/* --verify=pass: no time of transfers, so that these have all of theirs. */
int block_check_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {
        .op = IO_OP_READ, .checks = true, .untimed = true, .total = b->written};
    (void)context;
    transfer(r, &w);
    return 0;
}
