#include "run/stream/stream.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <string.h>

enum {
    LINE = 64
}; /* bytes: slots begin at multiples, so that records may be aligned */

/* A reader's slot has room before `buf` for the beginning of a record that ends in
 * `buf`; a writer's has room after it for the beginning of the next slot's bytes. */
struct slot {
    struct run_io io;
    uint8_t *buf;
    int64_t from, end; /* reading: the requested bytes, within buf */
};

struct run_stream {
    struct run_file *f;
    struct run_stream_how how;
    bool direct, own;
    int now;      /* slot that is given out, or filled */
    int64_t at;   /* reading: file offset of the next byte to give out; writing: of the
                   * slot's first byte */
    int64_t fill; /* writing: bytes in the slot */
    bool clean;   /* writing: the file has all of them, too */
    int64_t made; /* writing: number of transfers */
    /* Reading: */
    int ahead;           /* slots that are full or in flight, from `now` on */
    bool given;          /* the program has the first of them */
    int64_t asked, end;  /* file offsets: the next byte to request; the end */
    const uint8_t *rest; /* beginning of a record, at the end of what was given */
    int64_t rest_bytes;
    struct slot slot[];
};

/* ---- memory ---------------------------------------------------------------------- */

static bool stream_is_direct(const struct run_file *f)
{
    return f->run->io_flags & IO_DIRECT & ~f->without;
}

static int64_t align_of(const struct run_file *f)
{
    return stream_is_direct(f) ? f->run->direct_align : LINE;
}

static int64_t lead_bytes(const struct run_file *f, const struct run_stream_how *how)
{
    return how->op == IO_OP_READ ? units_round_up(how->record, align_of(f)) : 0;
}

static int64_t stride(const struct run_file *f, const struct run_stream_how *how)
{
    int64_t behind = how->op == IO_OP_READ ? 0 : how->record;
    return lead_bytes(f, how) + units_round_up(how->slot_bytes + behind, align_of(f));
}

static int64_t head_bytes(const struct run_file *f, const struct run_stream_how *how)
{
    struct run_stream *s = NULL;
    int64_t bytes = (int64_t)sizeof *s + how->slots * (int64_t)sizeof s->slot[0];
    return units_round_up(bytes, align_of(f));
}

int64_t run_stream_memory(const struct run_file *f, const struct run_stream_how *how)
{
    return head_bytes(f, how) + how->slots * stride(f, how);
}

int64_t run_stream_slot_bytes(const struct run_file *f,
                              const struct run_stream_how *how, int64_t memory)
{
    int64_t align = align_of(f), least = how->record > 1 ? how->record : 1;
    int64_t each = (memory - head_bytes(f, how)) / how->slots;
    int64_t bytes = each - each % align - units_round_up(how->record, align);
    bytes = bytes < f->max_request ? bytes : f->max_request;
    if (bytes >= 16 * IO_DIRECT_ALIGN)
        bytes -= bytes % IO_DIRECT_ALIGN;
    bytes -= bytes % align;
    return bytes < least ? 0 : bytes;
}

/* ---- opening and closing --------------------------------------------------------- */

static int stream_check(const struct run_file *f, const struct run_stream_how *how)
{
    int64_t align = stream_is_direct(f) ? f->run->direct_align : 1;
    bool fits = how->slots > 0 && how->slots <= f->depth && how->slot_bytes > 0 &&
                how->slot_bytes <= f->max_request && how->record >= 0 &&
                how->record <= how->slot_bytes && how->from >= 0 && how->bytes >= -1;
    bool whole = how->slot_bytes % align == 0 &&
                 (how->op == IO_OP_READ || how->from % align == 0);
    if (fits && whole)
        return 0;
    return err_set(
        -EINVAL, f->path, how->from,
        "a stream of %d x %lld bytes is outside what the file was opened for "
        "(%d x %lld, in multiples of %lld)",
        how->slots, (long long)how->slot_bytes, f->depth, (long long)f->max_request,
        (long long)align);
}

static int find_end(struct run_stream *s)
{
    int64_t bytes = 0;
    s->end = s->how.from + s->how.bytes;
    if (s->how.op == IO_OP_WRITE || s->how.bytes >= 0)
        return 0;
    int rc = s->f->io ? io_file_size(s->f->io, &bytes) : 0;
    s->end = bytes > s->how.from ? bytes : s->how.from;
    return rc;
}

int run_stream_open(struct run_stream **out, struct run_file *f,
                    const struct run_stream_how *how)
{
    void *memory = how->memory;
    int rc = stream_check(f, how);
    *out = NULL;
    if (!rc && !memory)
        rc = buf_alloc(&memory, run_stream_memory(f, how), "a stream");
    if (rc) {
        run_fail(f->run, rc);
        return rc;
    }
    struct run_stream *s = memory;
    memset(s, 0, (size_t)head_bytes(f, how));
    s->f = f;
    s->how = *how;
    s->own = !how->memory;
    s->direct = stream_is_direct(f);
    s->at = s->asked = how->from;
    uint8_t *buf = (uint8_t *)memory + head_bytes(f, how) + lead_bytes(f, how);
    for (int i = 0; i < how->slots; i++)
        s->slot[i].buf = buf + i * stride(f, how);
    *out = s;
    rc = find_end(s);
    run_fail(f->run, rc);
    if (rc)
        run_stream_close(out);
    return rc;
}

/* A transfer that did not finish in time may still move bytes: its memory is
 * not freed. */
void run_stream_close(struct run_stream **stream)
{
    struct run_stream *s = *stream;
    bool late = false;
    *stream = NULL;
    if (!s)
        return;
    for (int i = 0; i < s->how.slots; i++) {
        run_await(s->f, &s->slot[i].io);
        late |= s->slot[i].io.req.start_ns && !s->slot[i].io.req.end_ns;
    }
    if (s->own && !late)
        buf_free(s);
}

int64_t run_stream_at(const struct run_stream *s)
{
    return s->at + s->fill;
}

/* ---- transfers ------------------------------------------------------------------- */

/* True if the run goes on, or others wait for this file's transfers. */
static bool stream_goes_on(const struct run_stream *s)
{
    const struct run *r = s->f->run;
    return !r->failed || (r->options->collective && !s->f->independent);
}

static void stream_submit(struct run_stream *s, struct slot *slot)
{
    if (s->f->io && stream_goes_on(s) && run_await_room(s->f, slot->io.req.op))
        run_submit(s->f, &slot->io);
}

/* ---- reading --------------------------------------------------------------------- */

/* Requests the transfer from s->asked on, into a free slot. The tail may be short at
 * the end of the file. */
static void stream_ask(struct run_stream *s)
{
    struct slot *slot = &s->slot[(s->now + s->ahead) % s->how.slots];
    int64_t align = s->direct ? s->f->run->direct_align : 1;
    int64_t begin = s->asked - s->asked % align;
    int64_t end = s->asked - s->asked % s->how.slot_bytes + s->how.slot_bytes;
    int64_t stop = end < s->end ? end : s->end,
            bytes = units_round_up(stop - begin, align);
    slot->from = s->asked - begin;
    slot->end = stop - begin;
    slot->io.req = (struct io_req){.op = IO_OP_READ,
                                   .buf = slot->buf,
                                   .offset = begin,
                                   .bytes = bytes,
                                   .least = slot->end < bytes ? slot->end : 0};
    s->asked = stop;
    s->ahead++;
    stream_submit(s, slot);
}

/* Requests at least the slot that is needed now; and all others if transfers go on in
 * the background, as long as none has to wait for room in the queue. */
static void stream_read_ahead(struct run_stream *s)
{
    const struct run_file *f = s->f;
    while (s->asked < s->end && s->ahead < s->how.slots && !f->run->failed) {
        bool room = f->run->async && f->io && io_queue_room(io_file_queue(f->io)) > 0;
        if (s->ahead && !room)
            return;
        stream_ask(s);
    }
}

/* Frees the slot that was given, and moves the record that it ends with before the
 * next slot. */
static void stream_give_back(struct run_stream *s)
{
    if (!s->given)
        return;
    s->now = (s->now + 1) % s->how.slots;
    s->ahead--;
    s->given = false;
    if (s->rest_bytes)
        s->rest = memmove(s->slot[s->now].buf - s->rest_bytes, s->rest,
                          (size_t)s->rest_bytes);
}

/* Returns the bytes of the next slot, with the beginning of a record before it. */
static int64_t stream_take(struct run_stream *s, const uint8_t **piece)
{
    struct slot *slot = &s->slot[s->now];
    run_await(s->f, &slot->io);
    *piece = slot->buf + slot->from;
    int64_t n = slot->end - slot->from;
    if (s->rest_bytes)
        *piece = s->rest;
    n += s->rest_bytes;
    s->given = true;
    return n;
}

const void *run_stream_next(struct run_stream *s, int64_t *n)
{
    const uint8_t *piece = NULL;
    int64_t got = 0, whole = 0;
    while (!whole) {
        stream_give_back(s);
        stream_read_ahead(s);
        *n = 0;
        if (!s->ahead || s->f->run->failed)
            return NULL;
        got = stream_take(s, &piece);
        if (s->f->run->failed)
            return NULL;
        whole = got;
        if (s->how.record > 1 && (s->asked < s->end || s->ahead > 1))
            whole -= got % s->how.record;
        s->rest = piece + whole;
        s->rest_bytes = got - whole;
    }
    s->at += whole;
    *n = whole;
    return piece;
}

/* ---- writing --------------------------------------------------------------------- */

/* The bytes from s->at to the next multiple of a slot's bytes. */
static int64_t stream_limit(const struct run_stream *s)
{
    return s->how.slot_bytes - s->at % s->how.slot_bytes;
}

/* Writes the first n bytes of the slot; the rest moves to the next one. */
static void stream_write(struct run_stream *s, int64_t n)
{
    struct slot *slot = &s->slot[s->now];
    slot->io.req = (struct io_req){
        .op = IO_OP_WRITE, .buf = slot->buf, .offset = s->at, .bytes = n};
    s->now = (s->now + 1) % s->how.slots;
    stream_submit(s, slot);
    struct slot *next = &s->slot[s->now];
    run_await(s->f, &next->io); /* before it is filled again */
    if (s->fill > n)
        memmove(next->buf, slot->buf + n, (size_t)(s->fill - n));
    s->at += n;
    s->fill = s->fill > n ? s->fill - n : 0;
    s->made++;
}

void *run_stream_room(struct run_stream *s, int64_t n)
{
    if (s->fill >= stream_limit(s))
        stream_write(s, stream_limit(s));
    void *room = s->slot[s->now].buf + s->fill;
    s->fill += n;
    s->clean = false;
    return room;
}

void run_stream_back(struct run_stream *s, int64_t n)
{
    s->fill -= n;
}

void run_stream_put(struct run_stream *s, const void *from, int64_t n)
{
    for (int64_t done = 0, part; done < n; done += part) {
        int64_t room = stream_limit(s) - s->fill;
        if (room <= 0) {
            stream_write(s, stream_limit(s));
            room = stream_limit(s) - s->fill;
        }
        part = n - done < room ? n - done : room;
        memcpy(s->slot[s->now].buf + s->fill, (const uint8_t *)from + done,
               (size_t)part);
        s->fill += part;
        s->clean = false;
    }
}

static void stream_await_all(struct run_stream *s)
{
    for (int i = 0; i < s->how.slots; i++)
        run_await(s->f, &s->slot[(s->now + i) % s->how.slots].io);
}

/* Writes whole blocks, padded with zeros; the partial block stays here, to be written
 * again with what follows it. */
static void stream_write_tail(struct run_stream *s)
{
    int align = s->f->run->direct_align;
    int64_t part = s->fill % align, whole = s->fill - part;
    int64_t end = s->at + s->fill, padded = units_round_up(s->fill, align);
    const struct slot *slot = &s->slot[s->now];
    memset(slot->buf + s->fill, 0, (size_t)(padded - s->fill));
    s->fill = padded;
    stream_write(s, padded);
    stream_await_all(s);
    if (s->f->io && !s->how.uncut && stream_goes_on(s))
        run_fail(s->f->run, io_file_cut(s->f->io, end));
    memmove(s->slot[s->now].buf, slot->buf + whole, (size_t)part);
    s->at = end - part;
    s->fill = part;
    s->clean = true;
}

void run_stream_flush(struct run_stream *s)
{
    if (s->fill > stream_limit(s))
        stream_write(s, stream_limit(s));
    if (s->direct && s->fill % s->f->run->direct_align && !s->clean)
        stream_write_tail(s);
    else if (s->fill && !s->clean)
        stream_write(s, s->fill);
    stream_await_all(s);
}

void run_stream_seek(struct run_stream *s, int64_t offset)
{
    if (offset == run_stream_at(s))
        return;
    run_stream_flush(s);
    s->at = offset;
    s->fill = 0;
    if (s->direct && offset % s->f->run->direct_align)
        run_fail(s->f->run, err_set(-EINVAL, s->f->path, offset,
                                    "direct I/O goes on at multiples of %d bytes only",
                                    s->f->run->direct_align));
}

int64_t run_stream_transfers(int64_t slot_bytes, int64_t offset, int64_t bytes)
{
    return bytes ? (offset + bytes - 1) / slot_bytes - offset / slot_bytes + 1 : 0;
}

void run_stream_pad(struct run_stream *s, int64_t transfers)
{
    run_stream_flush(s);
    while (s->made < transfers)
        stream_write(s, 0);
    stream_await_all(s);
}
