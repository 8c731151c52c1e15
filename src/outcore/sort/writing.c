#include "outcore/sort/writing.h"
#include "base/units.h"
#include <string.h>

enum { SLOTS = 2, ROOM = 1 << 13 /* bytes, unless a record is longer */ };

static int64_t room_bytes(int64_t record)
{
    return record > ROOM ? record : ROOM / record * record;
}

/* The bytes of an edge: a room, and two blocks. */
static int64_t edge_bytes(bool edge, int64_t record)
{
    return edge ? units_round_up(room_bytes(record), IO_DIRECT_ALIGN) +
                      2 * IO_DIRECT_ALIGN
                : 0;
}

static struct run_stream_how how_to(bool edge, int64_t record, int64_t slot_bytes)
{
    return (struct run_stream_how){.op = IO_OP_WRITE,
                                   .slot_bytes = slot_bytes,
                                   .slots = SLOTS,
                                   .record = edge ? 0 : room_bytes(record)};
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
                          .most = room_bytes(record) / record,
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
static void divide(struct writing *w, const char *from, int64_t n)
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
        divide(w, w->chunk, records * w->record);
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
