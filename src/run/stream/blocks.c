#include "run/stream/blocks.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct blocks_range { /* blocks that a request reads, or has read and will write */
    int64_t offset, bytes;
    bool changed;
};

struct blocks {
    struct run_file *f;
    const struct extent *e;
    int64_t n, block;
    int64_t most; /* bytes of a request at most */
    int64_t size; /* bytes of the file */
    int64_t end;  /* end of the part of it that can be read */
    int64_t next; /* first extent that requests do not yet cover to its end */
    int64_t covered;
    int64_t read;               /* blocks read so far */
    char *memory;               /* one buffer for each slot, and two for `carry` */
    struct blocks_range *range; /* blocks in each slot */
    /* for reading: */
    run_extent_done *done;
    void *context;
    int64_t told; /* extents that done() has seen */
    char *carry;  /* bytes from carry_offset on of an extent that is read in part */
    int64_t carry_offset, carry_bytes;
    /* for updating: */
    const void *const *with; /* new content; NULL: `change` makes it */
    run_extent_change *change;
};

static int64_t end_of(const struct extent *e)
{
    return e->offset + e->bytes;
}

static int64_t blocks_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool blocks_direct(const struct run_file *f)
{
    return f->run->io_flags & IO_DIRECT & ~f->without;
}

/* ---- requests ------------------------------------------------------------------- */

static int blocks_check_extent(const struct blocks *b, int64_t i)
{
    const struct extent *e = &b->e[i];
    const char *path = b->f->path;
    if (e->offset < 0 || e->bytes < 0 || (i && e->offset < e[-1].offset))
        return err_set(-EINVAL, path, e->offset,
                       "extent %lld comes after one of a larger offset: they must be "
                       "sorted",
                       (long long)i);
    if (e->bytes > b->most)
        return err_set(-EINVAL, path, e->offset,
                       "extent %lld has %lld bytes, and a request at most %lld",
                       (long long)i, (long long)e->bytes, (long long)b->most);
    if (e->bytes > b->size - e->offset)
        return err_set(
            -EINVAL, path, e->offset,
            "extent %lld of %lld bytes goes past the end of the file at %lld",
            (long long)i, (long long)e->bytes, (long long)b->size);
    return 0;
}

/* Checks the request. O_DIRECT cannot read a part of a block at the end of a file. */
static int blocks_check(const struct blocks *b)
{
    bool direct = blocks_direct(b->f);
    int rc = 0;
    if (b->block <= 0 || b->most < b->block ||
        (direct && b->block % b->f->run->direct_align))
        return err_set(-EINVAL, b->f->path, -1,
                       "blocks of %lld bytes do not fit requests of at most %lld%s",
                       (long long)b->block, (long long)b->f->max_request,
                       direct ? ", or are no multiple of what direct I/O moves" : "");
    for (int64_t i = 0; i < b->n && !rc; i++) {
        rc = blocks_check_extent(b, i);
        if (!rc && end_of(&b->e[i]) > b->end)
            rc = err_set(-EINVAL, b->f->path, b->e[i].offset,
                         "direct I/O does not reach the last bytes of a file whose "
                         "size is no multiple of %d",
                         b->f->run->direct_align);
    }
    return rc;
}

/* Finds the next consecutive blocks that no request covers. False: there are
 * no more. */
static bool blocks_next_range(struct blocks *b, struct blocks_range *range)
{
    const struct extent *e = b->e;
    while (b->next < b->n && (!e[b->next].bytes || end_of(&e[b->next]) <= b->covered))
        b->next++;
    if (b->next == b->n)
        return false;
    int64_t from = e[b->next].offset / b->block * b->block, end;
    from = end = blocks_max(from, b->covered);
    for (int64_t i = b->next; i < b->n && end - from < b->most; i++) {
        if (!e[i].bytes)
            continue;
        if (e[i].offset / b->block * b->block > end)
            break;
        int64_t last = (end_of(&e[i]) - 1) / b->block + 1;
        end = blocks_max(end, blocks_min(last * b->block, from + b->most));
    }
    b->covered = end;
    *range = (struct blocks_range){from, blocks_min(end, b->end) - from, false};
    return true;
}

/* bytes < 0: there is nothing to do. */
static struct io_req blocks_request(const struct blocks *b, enum io_op op, int slot)
{
    const struct blocks_range *range = &b->range[slot];
    return (struct io_req){.op = op,
                           .buf = b->memory + slot * b->most,
                           .offset = range->offset,
                           .bytes = range->bytes};
}

static struct io_req blocks_make(const void *blocks, int64_t i, int slot)
{
    struct blocks *b = *(struct blocks *const *)blocks;
    (void)i;
    if (b->range[slot].changed) {
        b->range[slot].changed = false;
        return blocks_request(b, IO_OP_WRITE, slot);
    }
    if (!blocks_next_range(b, &b->range[slot]))
        b->range[slot] = (struct blocks_range){.bytes = -1};
    return blocks_request(b, IO_OP_READ, slot);
}

static void blocks_count(struct blocks *b, const struct io_req *req)
{
    b->read += (req->bytes - 1) / b->block + 1;
}

/* ---- reading -------------------------------------------------------------------- */

/* Appends the bytes that follow the carry, up to `end`. */
static void blocks_append(struct blocks *b, const struct io_req *req, int64_t end)
{
    int64_t have = b->carry_offset + b->carry_bytes;
    if (end <= have)
        return;
    memcpy(b->carry + b->carry_bytes, (const char *)req->buf + (have - req->offset),
           (size_t)(end - have));
    b->carry_bytes += end - have;
}

static void blocks_carry(struct blocks *b, const struct io_req *req)
{
    int64_t end = req->offset + req->bytes;
    if (b->told == b->n || b->e[b->told].offset >= end)
        return;
    if (b->e[b->told].offset >= req->offset) {
        b->carry_offset = b->e[b->told].offset;
        b->carry_bytes = 0;
        memcpy(b->carry, (const char *)req->buf + (b->carry_offset - req->offset),
               (size_t)(end - b->carry_offset));
        b->carry_bytes = end - b->carry_offset;
    } else
        blocks_append(b, req, end);
}

/* The bytes of an extent that ends within the request: in its buffer, or in
 * the carry. */
static const char *blocks_data(struct blocks *b, const struct io_req *req,
                               const struct extent *e)
{
    if (e->offset >= req->offset)
        return (const char *)req->buf + (e->offset - req->offset);
    blocks_append(b, req, end_of(e));
    return b->carry + (e->offset - b->carry_offset);
}

static void blocks_tell(struct blocks *b, const char *data)
{
    b->done(b->context, &b->e[b->told], b->told, data);
    b->told++;
}

static void blocks_tell_empty(struct blocks *b)
{
    while (b->told < b->n && !b->e[b->told].bytes)
        blocks_tell(b, b->memory);
}

static void blocks_have_read(void *blocks, const struct io_req *req, int64_t i,
                             int slot)
{
    struct blocks *b = *(struct blocks **)blocks;
    int64_t end = req->offset + req->bytes;
    (void)i;
    (void)slot;
    blocks_count(b, req);
    blocks_tell_empty(b);
    while (b->told < b->n && end_of(&b->e[b->told]) <= end) {
        blocks_tell(b, blocks_data(b, req, &b->e[b->told]));
        blocks_tell_empty(b);
    }
    blocks_carry(b, req);
}

/* ---- updating ------------------------------------------------------------------- */

/* Copies the new content of extent i into the request, or calls `change` for
 * it there. */
static void blocks_change(const struct blocks *b, const struct io_req *req, int64_t i)
{
    const struct extent *e = &b->e[i];
    int64_t from = blocks_max(e->offset, req->offset);
    int64_t end = blocks_min(end_of(e), req->offset + req->bytes);
    if (from >= end)
        return;
    if (b->change)
        b->change(b->context, e, i, (char *)req->buf + (from - req->offset));
    else
        memcpy((char *)req->buf + (from - req->offset),
               (const char *)b->with[i] + (from - e->offset), (size_t)(end - from));
}

/* The first extent that may reach beyond `offset`: none is longer than a request. */
static int64_t blocks_first(const struct blocks *b, int64_t offset)
{
    int64_t low = 0, high = b->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (b->e[middle].offset < offset - b->most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void blocks_have_moved(void *blocks, const struct io_req *req, int64_t i,
                              int slot)
{
    struct blocks *b = *(struct blocks **)blocks;
    (void)i;
    if (req->op == IO_OP_WRITE)
        return;
    blocks_count(b, req);
    int64_t at = blocks_first(b, req->offset);
    for (; at < b->n && b->e[at].offset < req->offset + req->bytes; at++)
        blocks_change(b, req, at);
    b->range[slot].changed = true;
}

/* ---- both ----------------------------------------------------------------------- */

static int blocks_size(struct blocks *b)
{
    const struct run *r = b->f->run;
    b->size = INT64_MAX;
    int rc = io_engine_stores(r->engine) ? io_file_size(b->f->io, &b->size) : 0;
    b->end = b->size - (blocks_direct(b->f) ? b->size % r->direct_align : 0);
    return rc;
}

static int blocks_alloc(struct blocks *b, struct io_req **req)
{
    int64_t bytes = (b->f->depth + (b->done ? 2 : 0)) * b->most;
    void *memory = NULL;
    int rc = buf_alloc(&memory, bytes, "blocks");
    b->memory = memory;
    b->range = mem_of(b->f->path, b->f->depth, sizeof *b->range, "requests");
    *req = mem_of(b->f->path, b->f->depth, sizeof **req, "requests");
    b->carry = b->memory + b->f->depth * b->most;
    if (!rc && (!b->range || !*req))
        rc = -ENOMEM;
    return rc;
}

static int64_t blocks_run(struct blocks *b, run_request_done *done)
{
    struct run *r = b->f->run;
    struct io_req *req = NULL;
    if (!b->f->io || r->failed)
        return 0;
    b->most = b->block > 0 ? b->f->max_request / b->block * b->block : 0;
    int rc = blocks_size(b);
    rc = rc ? rc : blocks_check(b);
    rc = rc ? rc : blocks_alloc(b, &req);
    struct run_queue q = {.make = blocks_make,
                          .done = done,
                          .context = &b,
                          .total = -1,
                          .ordered = b->done != NULL};
    if (!rc)
        run_queue(b->f, req, &q);
    run_fail(r, rc);
    if (b->done && !r->failed)
        blocks_tell_empty(b);
    free(req);
    free(b->range);
    buf_free(b->memory);
    return b->read;
}

int64_t run_blocks_read(struct run_file *f, const struct extent *e, int64_t n,
                        int64_t block, run_extent_done *done, void *context)
{
    struct blocks b = {
        .f = f, .e = e, .n = n, .block = block, .done = done, .context = context};
    return blocks_run(&b, blocks_have_read);
}

int64_t run_blocks_update(struct run_file *f, const struct extent *e,
                          const void *const *with, int64_t n, int64_t block)
{
    struct blocks b = {.f = f, .e = e, .n = n, .block = block, .with = with};
    return blocks_run(&b, blocks_have_moved);
}

int64_t run_blocks_change(struct run_file *f, const struct extent *e, int64_t n,
                          int64_t block, run_extent_change *change, void *context)
{
    struct blocks b = {
        .f = f, .e = e, .n = n, .block = block, .change = change, .context = context};
    return blocks_run(&b, blocks_have_moved);
}
