#include "outcore/sort/sections.h"
#include "base/mem.h"
#include "base/units.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------- */

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

/* ---- sections -------------------------------------------------------------------- */

int sections_open(struct sections *s, struct extsort *sorter, int64_t record, int lanes)
{
    *s = (struct sections){.sorter = sorter, .record = record, .lanes = lanes};
    s->of = mem_new(lanes, sizeof *s->of, "sections of lanes");
    s->order = mem_new(lanes, sizeof *s->order, "sections of lanes");
    s->taken = mem_new(lanes, sizeof *s->taken, "sections of lanes");
    if (s->of && s->order && s->taken)
        return 0;
    return -ENOMEM;
}

void sections_close(struct sections *s)
{
    free(s->of);
    free(s->order);
    free(s->taken);
    *s = (struct sections){.sorter = NULL};
}

static void sections_take(struct run *r, void *sections)
{
    struct sections *s = sections;
    int i = r->lane;
    s->taken[i] = extsort_take(s->sorter, i, &s->of[i]);
    if (!s->taken[i])
        s->of[i].records = 0;
}

/* Sorts the sections by number. Each lane has one; lanes are few, and take them in
 * about this order. */
static void put_in_order(struct sections *s)
{
    s->room = s->filled = 0;
    for (int i = 0; i < s->lanes; i++) {
        int k = i;
        for (; k > 0 && s->of[s->order[k - 1]].number > s->of[i].number; k--)
            s->order[k] = s->order[k - 1];
        s->order[k] = i;
        s->room += s->of[i].records;
    }
}

void sections_start(struct run *r, struct sections *s)
{
    run_lanes(r, sections_take, s);
    put_in_order(s);
}

/* The beginning of the lane's section in the room of all. */
static int64_t begin_of(const struct sections *s, int lane)
{
    int64_t begin = 0;
    for (int k = 0; s->order[k] != lane; k++)
        begin += s->of[s->order[k]].records;
    return begin;
}

static void sections_copy(struct run *r, void *sections)
{
    const struct sections *s = sections;
    const struct extsort_section *mine = &s->of[r->lane];
    int64_t begin = begin_of(s, r->lane), end = begin + mine->records;
    int64_t from = s->filled > begin ? s->filled : begin;
    int64_t to = s->filled + s->n < end ? s->filled + s->n : end;
    if (from < to && !r->failed)
        memcpy((char *)mine->room + (from - begin) * s->record,
               s->from + (from - s->filled) * s->record,
               (size_t)((to - from) * s->record));
}

static void sort(struct run *r, void *sections)
{
    struct sections *s = sections;
    struct extsort_section mine = s->of[r->lane];
    int64_t there = s->filled - begin_of(s, r->lane);
    there = there < 0 ? 0 : there;
    mine.records = there < mine.records ? there : mine.records;
    if (s->taken[r->lane])
        extsort_run(s->sorter, r->lane, &mine);
}

void sections_add(struct run *r, struct sections *s, const void *from, int64_t n)
{
    s->from = from;
    while (n > 0 && !r->failed) {
        s->n = n < s->room - s->filled ? n : s->room - s->filled;
        run_lanes(r, sections_copy, s);
        s->filled += s->n;
        s->from += s->n * s->record;
        n -= s->n;
        if (s->filled == s->room) {
            run_lanes(r, sort, s);
            sections_start(r, s);
        }
    }
}

void sections_finish(struct run *r, struct sections *s)
{
    run_lanes(r, sort, s);
}

/* ---- writing --------------------------------------------------------------------- */

enum { SLOTS = 2, ROOM = 1 << 13 /* bytes, unless a record is longer */ };

static int64_t sections_room_bytes(int64_t record)
{
    return record > ROOM ? record : ROOM / record * record;
}

/* The bytes of an edge: a room, and two blocks. */
static int64_t edge_bytes(bool edge, int64_t record)
{
    return edge ? units_round_up(sections_room_bytes(record), IO_DIRECT_ALIGN) +
                      2 * IO_DIRECT_ALIGN
                : 0;
}

static struct run_stream_how how_to(bool edge, int64_t record, int64_t slot_bytes)
{
    return (struct run_stream_how){.op = IO_OP_WRITE,
                                   .slot_bytes = slot_bytes,
                                   .slots = SLOTS,
                                   .record = edge ? 0 : sections_room_bytes(record)};
}

int64_t writing_slot_bytes(const struct run_file *f, bool edge, int64_t record,
                           int64_t memory)
{
    struct run_stream_how how = how_to(edge, record, 0);
    return run_stream_slot_bytes(f, &how, memory - edge_bytes(edge, record));
}

int64_t writing_memory(const struct run_file *f, bool edge, int64_t record,
                       int64_t slot_bytes)
{
    struct run_stream_how how = how_to(edge, record, slot_bytes);
    return edge_bytes(edge, record) +
           units_round_up(run_stream_memory(f, &how), IO_DIRECT_ALIGN);
}

int writing_open(struct writing *w, struct run_file *f, struct run_file *edge,
                 int64_t from, int64_t record, int64_t slot_bytes, void *memory)
{
    struct run_stream_how how = how_to(edge, record, slot_bytes);
    char *at = memory;
    *w = (struct writing){.edge = edge,
                          .record = record,
                          .most = sections_room_bytes(record) / record,
                          .from = from,
                          .at = from,
                          .head = at,
                          .rest = at + IO_DIRECT_ALIGN,
                          .chunk = at + 2 * IO_DIRECT_ALIGN};
    w->head_end = edge ? units_round_up(from, IO_DIRECT_ALIGN) : from;
    how.from = w->head_end;
    how.memory = at + edge_bytes(edge, record);
    return run_stream_open(&w->stream, f, &how);
}

void *writing_room(struct writing *w)
{
    return w->edge ? w->chunk : run_stream_room(w->stream, w->most * w->record);
}

/* Copies as much as fits to a block; returns the amount. */
static int64_t fill_block(char *block, int64_t *filled, int64_t most, const char *from,
                          int64_t n)
{
    int64_t part = n < most - *filled ? n : most - *filled;
    memcpy(block + *filled, from, (size_t)part);
    *filled += part;
    return part;
}

/* Divides the data into the head, whole blocks, and an incomplete block. */
static void sections_divide(struct writing *w, const char *from, int64_t n)
{
    int64_t done = fill_block(w->head, &w->head_bytes, w->head_end - w->from, from, n);
    if (w->rest_bytes || n - done < IO_DIRECT_ALIGN)
        done +=
            fill_block(w->rest, &w->rest_bytes, IO_DIRECT_ALIGN, from + done, n - done);
    if (w->rest_bytes == IO_DIRECT_ALIGN) {
        run_stream_put(w->stream, w->rest, IO_DIRECT_ALIGN);
        w->rest_bytes = 0;
    }
    int64_t whole = n - done - (n - done) % IO_DIRECT_ALIGN;
    run_stream_put(w->stream, from + done, whole);
    done += whole;
    fill_block(w->rest, &w->rest_bytes, IO_DIRECT_ALIGN, from + done, n - done);
    w->at += n;
}

void writing_done(struct writing *w, int64_t records)
{
    if (w->edge)
        sections_divide(w, w->chunk, records * w->record);
    else
        run_stream_back(w->stream, (w->most - records) * w->record);
}

static void write_edge(struct writing *w, char *from, int64_t offset, int64_t n)
{
    struct io_req req = {.op = IO_OP_WRITE, .buf = from, .offset = offset, .bytes = n};
    if (n)
        run_transfer(w->edge, &req, 1);
}

void writing_close(struct writing *w)
{
    run_stream_flush(w->stream);
    if (w->edge) {
        write_edge(w, w->head, w->from, w->head_bytes);
        write_edge(w, w->rest, w->at - w->rest_bytes, w->rest_bytes);
    }
    run_stream_close(&w->stream);
}
