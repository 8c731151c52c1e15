/* Counts each call in the cell of its rank and file. */
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

#define LOOKS_MAX 300000000   /* looks at other ranks' cells, in all: some seconds */
#define PIECE ((int64_t)4096) /* smaller pieces are no loss to read again */
#define PLACE_MAX (INT64_MAX / 4)

/* True if another rank has moved bytes there since this rank's set began. The distance
 * to the nearest bytes of others is kept: as long as none of them goes further, no cell
 * is examined again. */
static bool touched_by_others(const struct context *c, struct side *own, int write,
                              int64_t begin, int64_t end)
{
    struct findings *f = c->f;
    const struct file *x = &f->file[c->cell->file];
    if (x->sharers < 2 || x->last_ns[write] <= own->set_ns)
        return false;
    if (own->clear.spread == x->spread[write] && own->clear.begin <= begin &&
        own->clear.end >= end)
        return false;
    f->looks += x->sharers;
    if (f->looks > LOOKS_MAX) {
        f->extents_lost = true;
        return true;
    }
    int64_t low = 0, high = INT64_MAX;
    bool clear = true;
    for (uint32_t i = x->cells; i; i = f->cell[i - 1].next) {
        const struct side *s = f->cell[i - 1].side[write];
        if (!s || &f->cell[i - 1] == c->cell || s->high <= s->low)
            continue;
        if (s->high <= begin)
            low = s->high > low ? s->high : low;
        else if (s->low >= end)
            high = s->low < high ? s->low : high;
        else if (s->top.last_ns > own->set_ns)
            return true;
        else
            clear = false;
    }
    if (clear) {
        own->clear.begin = low;
        own->clear.end = high;
        own->clear.spread = x->spread[write];
    }
    return false;
}

/* Counts bytes that were read again without a write between, or written again without a
 * read. */
static void count_again(const struct context *c, struct side *s, int write,
                        int64_t bytes)
{
    const struct event *e = c->e;
    int64_t begin = e->offset, end = begin + bytes;
    struct side *other = c->cell->side[!write];
    if (!s->seen)
        s->set_ns = e->start_ns;
    int64_t there = extents_add(&s->seen, begin, end);
    if (other && other->seen)
        extents_remove(other->seen, begin, end);
    if (there < 0) {
        c->f->extents_lost = true;
        return;
    }
    if (there == 0 || bytes < PIECE)
        return;
    if (touched_by_others(c, s, !write, begin, end)) {
        extents_free(&s->seen);
        extents_add(&s->seen, begin, end);
        s->set_ns = e->start_ns;
        return;
    }
    double share = (double)there / (double)bytes;
    evidence_count(&s->again, e, c->seq, there,
                   (int64_t)(share * (double)e->duration_ns));
}

/* True if the place in the file is known, and no sum of places overflows: only damaged
 * logs have larger ones. */
static bool is_placed(const struct event *e)
{
    return e->offset >= 0 && e->offset < PLACE_MAX && e->bytes > 0 &&
           e->bytes < PLACE_MAX;
}

static void count_blocks(const struct context *c, struct side *s, int64_t bytes)
{
    const struct event *e = c->e;
    int64_t block = c->f->file[c->cell->file].lock_bytes;
    if (!block || bytes < block || !is_placed(e))
        return;
    int64_t touched = (e->offset + bytes - 1) / block - e->offset / block + 1;
    int64_t needed = (bytes + block - 1) / block;
    log_sum(&s->touched, touched);
    log_sum(&s->needed, needed);
    if (touched > needed)
        evidence_count(&s->crossing, e, c->seq, (touched - needed) * block,
                       (int64_t)((double)(touched - needed) / (double)touched *
                                 (double)e->duration_ns));
}

static void count_rare(const struct context *c, enum rare kind)
{
    struct evidence *v = cell_rare(c, kind);
    if (v)
        evidence_count(v, c->e, c->seq, c->e->bytes, c->e->duration_ns);
}

/* Counts a change of direction: the last transfer of the same descriptor went the other
 * way. */
static void count_change(const struct context *c, int write)
{
    struct cell *cell = c->cell;
    if (cell->last_fd == c->e->fd + 1 && cell->last_fd && cell->wrote_last != write)
        count_rare(c, RARE_CHANGE);
    cell->last_fd = c->e->fd + 1;
    cell->wrote_last = write;
}

/* Counts transfers within HDF5's calls that create, open and close. */
static void count_hdf5(const struct context *c, int write)
{
    if (!c->in.creates && c->e->bytes < PIECE)
        count_rare(c, RARE_META);
    else if (c->in.creates && write && c->e->bytes >= PIECE)
        count_rare(c, RARE_FILL);
}

/* Counts a call that the system saw. */
static void count_leaf(const struct context *c, struct side *s, int write,
                       int64_t bytes)
{
    struct findings *f = c->f;
    const struct event *e = c->e;
    evidence_count(&s->leaf, e, c->seq, bytes, e->duration_ns);
    if (is_placed(e) && !c->in.collective) {
        f->file[c->cell->file].spread[write] +=
            e->offset < s->low || e->offset + bytes > s->high;
        s->low = e->offset < s->low ? e->offset : s->low;
        s->high = e->offset + bytes > s->high ? e->offset + bytes : s->high;
    }
    if (e->flags & TRACE_STREAM)
        return;
    fit_count(f, &f->file[c->cell->file], write, e);
    risk_leaf(c, write);
    if (c->in.mpi_write && !write) {
        evidence_count(&s->helping, e, c->seq, bytes, e->duration_ns);
        return; /* the library did it, not the program */
    }
    count_change(c, write);
    if (c->in.mpi_read || c->in.mpi_write)
        evidence_count(&s->under, e, c->seq, bytes, e->duration_ns);
    count_blocks(c, s, bytes);
    if (f->clients && is_placed(e) &&
        blocks_touch(c, f->file[c->cell->file].lock_bytes))
        evidence_count(&s->switched, e, c->seq, bytes, e->duration_ns);
    if (c->in.hdf5_meta) {
        count_hdf5(c, write);
        return;
    }
    struct bin *b = side_bin(f, s, bytes, c->in.collective);
    if (!b)
        return;
    evidence_count(&b->v, e, c->seq, bytes, e->duration_ns);
    if (is_placed(e))
        b->order[order_next(&s->order, e->offset, bytes)]++;
}

/* Counts stdio calls that move less than the stream's buffer holds. */
static void count_stream(const struct context *c, struct side *s, int64_t bytes)
{
    const struct event *e = c->e;
    int64_t buffer = c->cell->buffer_bytes ? c->cell->buffer_bytes : 4096;
    if ((e->flags & TRACE_STREAM) && bytes < buffer)
        evidence_count(&s->stdio, e, c->seq, bytes, e->duration_ns);
}

static void count_top(const struct context *c, struct side *s, int64_t bytes)
{
    const struct event *e = c->e;
    bool collective = e->flags & TRACE_COLLECTIVE;
    evidence_count(&s->top, e, c->seq, bytes, e->duration_ns);
    int64_t *last_ns = &c->f->file[c->cell->file].last_ns[e->file_class == CLASS_WRITE];
    *last_ns = s->top.last_ns > *last_ns ? s->top.last_ns : *last_ns;
    if (!collective)
        evidence_count(&s->alone, e, c->seq, bytes, e->duration_ns);
    count_stream(c, s, bytes);
}

static void count_mpi(const struct context *c, struct side *s)
{
    const struct event *e = c->e;
    log_sum(&s->mpi_bytes, e->bytes);
    if (e->flags & TRACE_COLLECTIVE)
        evidence_count(&s->together, e, c->seq, e->bytes, e->duration_ns);
}

/* Notes the first transfer: files that begin with a write are made by the run. */
static void count_made(struct file *x, int write)
{
    x->made |= !x->moved && write;
    x->moved = true;
    x->removed = x->removed && !write;
}

static void count_transfer(const struct context *c)
{
    const struct event *e = c->e;
    const struct call *call = call_of(e->op);
    int write = e->file_class == CLASS_WRITE;
    if (e->bytes < 0 || (!e->calls && !e->other_end) ||
        (e->file_class != CLASS_READ && e->file_class != CLASS_WRITE))
        return;
    struct side *s = cell_side(c->f, c->cell, write);
    if (!s)
        return;
    count_made(&c->f->file[c->cell->file], write);
    if (c->top)
        count_top(c, s, e->bytes);
    if (call->mpi && !c->in.mpi_read && !c->in.mpi_write && !c->in.hdf5_meta)
        count_mpi(c, s);
    if (!call->library)
        count_leaf(c, s, write, e->bytes);
    bool sure = c->told && is_placed(e) && !c->in.collective && !c->in.hdf5_meta &&
                !(e->flags & TRACE_COLLECTIVE) && !(call->library && c->cell->has_view);
    if (!sure)
        return;
    count_again(c, s, write, e->bytes);
    risk_known(c, write);
}

static void count_stat(const struct context *c)
{
    struct cell *cell = c->cell;
    struct file *x = &c->f->file[cell->file];
    const struct event *e = c->e;
    if (e->result == -2) { /* ENOENT on every system */
        evidence_count(&c->actor->missed, e, c->seq, 0, e->duration_ns);
    }
    bool changed = x->write_ns > cell->stat_ns && cell->stat_ns;
    cell->stat_ns = e->start_ns;
    if (!changed)
        evidence_count(&cell->stat, e, c->seq, 0, e->duration_ns);
}

/* Forgets a file's former bytes, so that writing them anew is no rewriting. */
static void renew(const struct context *c)
{
    struct side *s = c->cell->side[1];
    if (s)
        extents_free(&s->seen);
}

static void count_call(const struct context *c, const struct call *call)
{
    const struct event *e = c->e;
    struct cell *cell = c->cell;
    if (call->opens && e->bytes >= 0)
        evidence_count(&cell->open, e, c->seq, 0, e->duration_ns);
    if (call->opens && e->result == -2)
        evidence_count(&c->actor->missed, e, c->seq, 0, e->duration_ns);
    if (e->class == CLASS_CLOSE)
        evidence_count(&cell->close, e, c->seq, 0, e->duration_ns);
    if (e->class == CLASS_SEEK)
        evidence_count(&cell->seek, e, c->seq, 0, e->duration_ns);
    if (call->durable)
        evidence_count(&cell->sync, e, c->seq, 0, e->duration_ns);
    if (e->class == CLASS_OPEN || e->class == CLASS_CLOSE || e->class == CLASS_META)
        evidence_count(&cell->meta, e, c->seq, 0, e->duration_ns);
    if (call->asks)
        count_stat(c);
    if (call->buffer && e->request > 0)
        cell->buffer_bytes = e->request;
    cell->flushes += call->flushes;
    c->f->unseen.maps += e->class == CLASS_MAP && !strcmp(op_get(e->op)->name, "mmap");
}

void transfer_count(const struct context *c)
{
    const struct event *e = c->e;
    const struct call *call = call_of(e->op);
    if (c->top && !e->other_end) {
        c->cell->ops++;
        log_sum(&c->cell->ns, e->duration_ns);
        count_call(c, call);
        moments_event(c, call);
    }
    risk_call(c, call);
    if (call->removes && e->bytes >= 0)
        c->f->file[c->cell->file].removed = true;
    if (call->collective)
        moments_collective(c);
    if (e->class == CLASS_LOCK)
        evidence_count(&c->cell->lock, e, c->seq, 0, e->duration_ns);
    if (call->set_view)
        c->cell->has_view = true;
    if (call->renews)
        renew(c);
    if (e->file_class == CLASS_WRITE || call->renews)
        c->f->file[c->cell->file].write_ns = e->start_ns + e->duration_ns;
    if (op_moves((enum trace_class)e->class))
        count_transfer(c);
}
