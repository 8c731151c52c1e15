/* Counts each call in the cell of its rank and file. */
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

#define LOOKS_MAX 300000000 /* looks at other ranks' cells, in all: some seconds */
#define PLACE_MAX (INT64_MAX / 4)
#define APPENDS 02000 /* O_APPEND where the recorder runs, and ... */
#define SYNCED 010000 /* ... O_DSYNC, which is a part of O_SYNC */

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
    else if (write && c->cell->appends)
        b->order[ORDER_SEQUENTIAL]++; /* to the end, wherever that is */
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
    if (call->opens && e->bytes >= 0 && !call->library) {
        cell->appends = e->request & APPENDS;
        cell->synced = e->request & SYNCED;
    }
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
        odd_count(c->f, c->actor, c->cell, e, c->seq);
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

/* ---- call ------------------------------------------------------------------------ */

/* The kind of each call, by its name. */

const char *const kind_name[KINDS] = {"read", "write",   "copy", "open", "close",
                                      "seek", "meta",    "sync", "lock", "map",
                                      "wait", "library", "other"};

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

static enum kind kind_of_class(enum trace_class class)
{
    static const uint8_t kind[CLASSES] = {
        [CLASS_NONE] = KIND_OTHER,  [CLASS_READ] = KIND_READ,
        [CLASS_WRITE] = KIND_WRITE, [CLASS_OPEN] = KIND_OPEN,
        [CLASS_CLOSE] = KIND_CLOSE, [CLASS_SEEK] = KIND_SEEK,
        [CLASS_SYNC] = KIND_SYNC,   [CLASS_META] = KIND_META,
        [CLASS_MAP] = KIND_MAP,     [CLASS_COPY] = KIND_COPY,
        [CLASS_MARK] = KIND_OTHER,  [CLASS_PROCESS] = KIND_OTHER,
        [CLASS_WAIT] = KIND_WAIT,   [CLASS_LOCK] = KIND_LOCK};
    return kind[class];
}

static struct call call_make(const struct op *o)
{
    static const char *const opens[] = {
        "open",    "openat",    "openat2",    "creat",        "fopen", "MPI_File_open",
        "H5Fopen", "H5Fcreate", "ncmpi_open", "ncmpi_create", NULL};
    static const char *const asks[] = {"stat",  "lstat",  "fstat",     "fstatat",
                                       "statx", "access", "faccessat", NULL};
    static const char *const renews[] = {
        "open",          "openat",       "openat2",   "creat",
        "fopen",         "freopen",      "truncate",  "ftruncate",
        "unlink",        "unlinkat",     "remove",    "rename",
        "renameat",      "renameat2",    "H5Fcreate", "MPI_File_set_size",
        "MPI_File_open", "ncmpi_create", NULL};
    static const char *const renames[] = {"rename", "renameat", "renameat2", NULL};
    static const char *const removes[] = {"unlink", "unlinkat", "remove",
                                          "MPI_File_delete", NULL};
    static const char *const hdf5_meta[] = {
        "H5Fcreate", "H5Fopen",   "H5Fclose", "H5Fflush", "H5Dcreate", "H5Dopen",
        "H5Dclose",  "H5Acreate", "H5Aopen",  "H5Aclose", NULL};
    static const char *const together[] = {"MPI_File_open",
                                           "MPI_File_close",
                                           "MPI_File_set_view",
                                           "MPI_File_set_size",
                                           "MPI_File_preallocate",
                                           "MPI_File_sync",
                                           NULL};
    const char *name = o->name;
    enum trace_class class = o->class;
    bool mpi = !strncmp(name, "MPI_File_", 9), wait = !strncmp(name, "MPI_Wait_", 9);
    size_t n = strlen(name);
    bool end = mpi && n > 4 && !strcmp(name + n - 4, "_end");
    struct call c = {.kind = (uint8_t)kind_of_class(class)};
    c.hdf5 = o->library == LIBRARY_HDF5;
    c.library = mpi || wait || c.hdf5 || o->library == LIBRARY_PNETCDF;
    if (c.library)
        c.kind = wait || end ? KIND_WAIT : KIND_LIBRARY;
    c.mpi = mpi || wait;
    c.init = !strncmp(name, "MPI_Init", 8) || !strcmp(name, "MPI_Finalize");
    c.opens = is_one_of(name, opens);
    c.asks = is_one_of(name, asks);
    c.renews = is_one_of(name, renews);
    c.hdf5_meta = is_one_of(name, hdf5_meta);
    c.creates = !strcmp(name, "H5Dcreate");
    c.renames = is_one_of(name, renames);
    c.removes = is_one_of(name, removes);
    c.uring = !strncmp(name, "uring_", 6) || !strcmp(name, "io_uring_wait");
    c.flushes = !strcmp(name, "fflush");
    c.durable = class == CLASS_SYNC && !c.flushes;
    c.set_view = !strcmp(name, "MPI_File_set_view");
    c.mpi_open = !strcmp(name, "MPI_File_open");
    c.buffer = !strcmp(name, "setvbuf");
    c.collective = is_one_of(name, together) ||
                   (mpi && op_moves(class) && !end &&
                    (strstr(name, "_all") || strstr(name, "_ordered")));
    return c;
}

struct call call_table[OP_TABLE_MAX];
int calls_known;

void calls_learn(int op)
{
    for (; calls_known <= op; calls_known++)
        call_table[calls_known] = call_make(op_get(calls_known));
}

/* ---- pace ------------------------------------------------------------------------ */

/* Overlap of a rank's transfers, and missed overlap: bursts of transfers with gaps
 * between them, and the asynchronous transfers in flight at once. */

#define GAP_NS ((int64_t)1000000) /* shorter gaps have no room for anything */

/* Detects a gap, in which no rank is in a call: during a call, others may be waiting
 * for it, and the file system has something to do. */
static void find_gap(struct findings *f, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (f->pace_end_ns && e->start_ns - f->pace_end_ns > GAP_NS) {
        f->gaps++;
        f->gap_ns = e->start_ns - f->pace_end_ns;
    }
    if (end > f->pace_end_ns)
        f->pace_end_ns = end;
}

static void end_burst(struct pace *p, const struct findings *f)
{
    if (p->burst_ns > 0) {
        log_sum(&p->hidden_ns, f->gap_ns < p->burst_ns ? f->gap_ns : p->burst_ns);
        p->gaps++;
    }
    p->burst_ns = 0;
    p->gap = f->gaps;
}

/* Counts a burst. Calls that transfer nothing are no burst, but no gap either. */
static void count_burst(struct findings *f, struct pace *p, const struct event *e,
                        uint64_t seq, const struct call *call)
{
    find_gap(f, e);
    if (p->gap != f->gaps)
        end_burst(p, f);
    bool moves = e->class == CLASS_READ || e->class == CLASS_WRITE;
    if (call->library || !moves || e->bytes <= 0)
        return;
    p->threads |= e->thread > 0;
    log_sum(&p->burst_ns, e->duration_ns);
    evidence_count(&p->v, e, seq, e->bytes, e->duration_ns);
}

static void count_submission(struct pace *p, const struct event *e, uint64_t seq,
                             uint32_t file)
{
    if (++p->under_way > p->most_under_way)
        p->most_under_way = p->under_way;
    evidence_count(&p->submit, e, seq, e->request > 0 ? e->request : 0, e->duration_ns);
    p->blocked += (double)e->duration_ns >= limit_of(ASYNC_TAKES);
    p->files |= p->file && p->file != file;
    p->file = p->file ? p->file : file;
}

void pace_event(struct findings *f, struct actor *a, const struct event *e,
                uint64_t seq, const struct call *call, bool top, uint32_t file)
{
    struct pace *p = &a->pace;
    if (e->other_end)
        return;
    count_burst(f, p, e, seq, call);
    if (!top)
        return;
    p->uring |= call->uring;
    if (!e->calls)
        count_submission(p, e, seq, file);
    if (call->kind == KIND_WAIT)
        log_sum(&p->wait_ns, e->duration_ns);
    if (e->begun_ns != e->start_ns) {
        p->under_way -= p->under_way > 0;
        p->ended++;
        log_sum(&p->span_ns, e->start_ns + e->duration_ns - e->begun_ns);
    }
}
