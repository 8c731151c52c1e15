#include "outcore/search/fetch.h"
#include "base/units.h"

struct fetching {
    struct fetch *f;
    struct run_file *file;
    int64_t first[FETCH_DEPTH_MOST]; /* of each slot */
};

int64_t fetch_slot_bytes(const struct pages *p)
{
    int64_t row = FETCH_IN_A_ROW * p->record_bytes;
    int64_t most = units_round_up(row, p->align) + p->align;
    int64_t page = pages_most(p);
    return units_round_up(page > most ? page : most, IO_DIRECT_ALIGN);
}

/* Makes a request; with direct I/O for whole blocks, except at the end of the file. */
struct io_req fetch_request(const struct run_file *f, const struct pages_read *read,
                            int slot, int64_t slot_bytes)
{
    bool direct = f->run->io_flags & IO_DIRECT;
    int64_t bytes = direct ? read->whole : read->bytes;
    return (struct io_req){.op = IO_OP_READ,
                           .buf = f->run->buffer + slot * slot_bytes,
                           .offset = read->offset,
                           .bytes = bytes,
                           .least = read->bytes < bytes ? read->bytes : 0};
}

static struct io_req make(const void *context, int64_t i, int slot)
{
    struct fetching *c = *(struct fetching *const *)context;
    struct fetch_records w = c->f->want(c->f->context, i, slot);
    struct pages_read read = pages_read_records(c->f->pages, w.first, w.n);
    c->first[slot] = w.first;
    c->f->bytes += read.bytes;
    return fetch_request(c->file, &read, slot, fetch_slot_bytes(c->f->pages));
}

static void done(void *context, const struct io_req *req, int64_t i, int slot)
{
    struct fetching *c = *(struct fetching *const *)context;
    int64_t at = c->first[slot] * c->f->pages->record_bytes - req->offset;
    const struct fetched is = {.data = req->buf,
                               .offset = req->offset,
                               .bytes = req->done,
                               .records = (const char *)req->buf + at};
    c->f->have(c->f->context, &is, i, slot);
}

void fetch_run(struct fetch *f, struct run_file *file, struct io_req *req)
{
    struct fetching c = {.f = f, .file = file}, *context = &c;
    struct run_queue q = {.make = make,
                          .done = done,
                          .context = &context,
                          .total = f->n,
                          .ordered = f->ordered,
                          .untimed = f->untimed};
    f->bytes = 0;
    run_queue(file, req, &q);
}
