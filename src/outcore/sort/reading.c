#include "outcore/sort/reading.h"
#include "base/units.h"

/* Most requests that run_queue asks for: f->depth in flight. */
enum { DEPTH_MOST = 64 };

static bool is_direct(const struct run_file *f)
{
    return f->run->io_flags & IO_DIRECT & ~f->without;
}

int64_t reading_lead(const struct run_file *f, int64_t offset)
{
    return is_direct(f) ? offset % IO_DIRECT_ALIGN : 0;
}

static int64_t asked_bytes(const struct run_file *f, int64_t offset, int64_t bytes)
{
    int64_t all = reading_lead(f, offset) + bytes;
    return is_direct(f) ? units_round_up(all, IO_DIRECT_ALIGN) : all;
}

/* The bytes read for a range; the last block of the file may be incomplete. */
int64_t reading_bytes(const struct run_file *f, int64_t offset, int64_t bytes)
{
    int64_t all = asked_bytes(f, offset, bytes);
    int64_t left = f->bytes - offset + reading_lead(f, offset);
    return all < left ? all : left;
}

struct reading {
    char *room;
    int64_t offset, bytes; /* the range of all bytes to read */
    int64_t least;         /* bytes that must come, as the file may end */
    int64_t piece;
    int lane, lanes;
};

static struct io_req piece_of(const void *reading, int64_t i, int slot)
{
    const struct reading *g = reading;
    int64_t at = (i * g->lanes + g->lane) * g->piece;
    int64_t n = g->bytes - at < g->piece ? g->bytes - at : g->piece;
    int64_t least = g->least - at < n ? g->least - at : 0;
    (void)slot;
    return (struct io_req){.op = IO_OP_READ,
                           .buf = g->room + at,
                           .offset = g->offset + at,
                           .bytes = n,
                           .least = least};
}

void reading_share(struct run_file *f, void *room, int64_t offset, int64_t bytes,
                   int lane, int lanes)
{
    struct io_req req[DEPTH_MOST];
    int64_t lead = reading_lead(f, offset);
    struct reading g = {.room = room,
                        .offset = offset - lead,
                        .bytes = asked_bytes(f, offset, bytes),
                        .least = lead + bytes,
                        .piece = f->max_request,
                        .lane = lane,
                        .lanes = lanes};
    int64_t pieces = units_div_up(g.bytes, g.piece);
    struct run_queue q = {.make = piece_of,
                          .context = &g,
                          .total = pieces / lanes + (lane < pieces % lanes)};
    run_queue(f, req, &q);
}
