#include "io/engines/pieces.h"
#include "base/thread.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Requests split into pieces: those in flight, and their results. */

struct pieces;

struct part { /* a request, and the state of its pieces */
    struct io_req *r;
    const struct io_file *file; /* NULL: unused, or done */
    int64_t given;              /* bytes of it in pieces so far */
    int64_t end;                /* bytes to transfer: fewer if the file ends */
    int64_t failed_at; /* offset of the first byte not transferred, if rc is not 0 */
    int rc, under_way;
    const char *why; /* NULL: strerror of rc */
    struct part *next;
};

struct line { /* first in, first out */
    struct part *first, *last;
};

struct pieces {
    int64_t bytes;
    int depth, count, under_way;
    struct line todo, done;
    struct piece *again; /* short pieces to be continued */
    struct piece *unused;
    struct part *unused_parts;
    struct part *parts; /* depth */
    struct piece *all;  /* count */
};

/* The number of pieces of all requests, limited to `most`. */
static int count_for(const struct io_queue *q, int64_t bytes)
{
    int64_t largest = q->max_request ? q->max_request : INT64_MAX;
    int64_t each = largest / bytes + (largest % bytes != 0);
    int64_t usual = q->depth > PIECES_MOST ? q->depth : PIECES_MOST;
    int64_t most = io_option(q->options, "depth", usual);
    most = most < PIECES_ASKED_MOST ? most : PIECES_ASKED_MOST;
    return (int)(each <= most / q->depth ? each * q->depth : most);
}

struct pieces *pieces_make(const struct io_queue *q, int64_t bytes)
{
    struct pieces *p = thread_alloc(sizeof *p, "requests");
    if (!p)
        return NULL;
    p->bytes = bytes;
    p->depth = q->depth;
    p->count = count_for(q, bytes);
    p->parts = thread_alloc((size_t)q->depth * sizeof p->parts[0], "requests");
    p->all = thread_alloc((size_t)p->count * sizeof p->all[0], "requests");
    if (!p->parts || !p->all) {
        pieces_free(p);
        return NULL;
    }
    for (int i = q->depth - 1; i >= 0; i--) {
        p->parts[i].next = p->unused_parts;
        p->unused_parts = &p->parts[i];
    }
    for (int i = p->count - 1; i >= 0; i--) {
        p->all[i].next = p->unused;
        p->unused = &p->all[i];
    }
    return p;
}

void pieces_free(struct pieces *p)
{
    if (p) {
        free(p->parts);
        free(p->all);
    }
    free(p);
}

int pieces_count(const struct pieces *p)
{
    return p->count;
}

static void pieces_put(struct line *l, struct part *part)
{
    part->next = NULL;
    if (l->first)
        l->last->next = part;
    else
        l->first = part;
    l->last = part;
}

static void drop_first(struct line *l)
{
    l->first = l->first->next;
}

void pieces_add(struct pieces *p, struct io_req *r)
{
    struct part *part = p->unused_parts;
    p->unused_parts = part->next;
    *part = (struct part){.r = r, .file = r->file, .end = r->bytes};
    pieces_put(r->bytes ? &p->todo : &p->done, part);
}

struct piece *pieces_next(struct pieces *p)
{
    struct piece *one = p->again;
    if (one) {
        p->again = one->next;
        p->under_way++;
        return one;
    }
    struct part *part = p->todo.first;
    if (!part || !p->unused)
        return NULL;
    int64_t left = part->r->bytes - part->given;
    one = p->unused;
    p->unused = one->next;
    *one = (struct piece){.r = part->r,
                          .at = part->given,
                          .from = part->given,
                          .bytes = left < p->bytes ? left : p->bytes,
                          .of = part};
    part->given += one->bytes;
    part->under_way++;
    p->under_way++;
    if (part->given == part->r->bytes)
        drop_first(&p->todo);
    return one;
}

/* Records a failure. Of several, the first one in the file is reported. */
static void pieces_fail(struct part *part, int64_t at, int rc, const char *why)
{
    if (part->rc && part->failed_at <= at)
        return;
    part->rc = rc;
    part->failed_at = at;
    part->why = why;
}

/* Stops making pieces of a failed request that is still in line. */
static void give_up(struct pieces *p, struct part *part)
{
    if (p->todo.first == part)
        drop_first(&p->todo);
}

static bool again(struct pieces *p, struct piece *one)
{
    if (!one->bytes || one->of->rc)
        return false;
    one->next = p->again;
    p->again = one;
    return true;
}

static bool is_over(const struct part *part)
{
    return !part->under_way && (part->rc || part->given == part->r->bytes);
}

/* True if a short operation, up to `at`, has met the end of a file that the request
 * may exceed. */
static bool pieces_ends(struct part *part, int64_t at)
{
    const struct io_req *r = part->r;
    if (r->op != IO_OP_READ || !r->least || at < r->least)
        return false;
    part->end = at < part->end ? at : part->end;
    return true;
}

void pieces_result(struct pieces *p, struct piece *one, int64_t result)
{
    struct part *part = one->of;
    bool try_again = result > 0 || result == -EAGAIN || result == -EINTR;
    p->under_way--;
    if (result > 0) {
        one->at += result;
        one->bytes -= result;
    }
    if (result >= 0 && one->bytes && pieces_ends(part, one->at)) {
        one->bytes = 0;
        try_again = false;
    } else if (!result)
        pieces_fail(part, one->at, -EIO,
                    one->r->op == IO_OP_READ ? "the file ends here"
                                             : "nothing was written");
    else if (!try_again)
        pieces_fail(part, one->at, (int)result, NULL);
    if (try_again && again(p, one))
        return;
    if (part->rc)
        give_up(p, part);
    if (one->bytes) /* left because another piece has failed */
        pieces_fail(part, one->at, part->rc, part->why);
    one->next = p->unused;
    p->unused = one;
    part->under_way--;
    if (is_over(part))
        pieces_put(&p->done, part);
}

static void pieces_forget(struct pieces *p, struct part *part)
{
    part->file = NULL;
    part->next = p->unused_parts;
    p->unused_parts = part;
}

int pieces_reap(struct pieces *p, struct io_req *done[], int max)
{
    int n = 0;
    while (p->done.first && n < max) {
        struct part *part = p->done.first;
        struct io_req *r = part->r;
        drop_first(&p->done);
        r->done = part->rc ? part->failed_at : part->end;
        if (part->rc)
            io_req_fail(r, part->rc, part->why ? part->why : strerror(-part->rc));
        done[n++] = r;
        pieces_forget(p, part);
    }
    return n;
}

bool pieces_any_done(const struct pieces *p)
{
    return p->done.first;
}

int pieces_under_way(const struct pieces *p)
{
    return p->under_way;
}

bool pieces_busy(const struct pieces *p, const struct io_file *f)
{
    for (int i = 0; i < p->depth; i++)
        if (p->parts[i].file == f && !is_over(&p->parts[i]))
            return true;
    return false;
}

static void pieces_leave_out(struct line *l, const struct io_file *f)
{
    struct part *part = l->first, *next;
    l->first = NULL;
    for (; part; part = next) {
        next = part->next;
        if (part->file != f)
            pieces_put(l, part);
    }
}

static void leave_out_again(struct pieces *p, const struct io_file *f)
{
    struct piece *one = p->again, *next;
    p->again = NULL;
    for (; one; one = next) {
        struct piece **to = one->of->file == f ? &p->unused : &p->again;
        next = one->next;
        one->of->under_way -= to == &p->unused;
        one->next = *to;
        *to = one;
    }
}

bool pieces_drop(struct pieces *p, const struct io_file *f)
{
    bool busy = false;
    pieces_leave_out(&p->todo, f);
    pieces_leave_out(&p->done, f);
    leave_out_again(p, f);
    for (int i = 0; i < p->depth; i++) {
        struct part *part = &p->parts[i];
        if (part->file != f)
            continue;
        part->rc = -ECANCELED; /* its pieces are not retried */
        busy = busy || part->under_way;
        if (!part->under_way)
            pieces_forget(p, part);
    }
    return busy;
}

/* ---- slabs of an array ----------------------------------------------------------- */

/* Makes each slab as large as possible at its place: they grow to the largest, and
 * shrink again at the end. */

/* The outermost dimension in which a whole step fits: a step there is `*size` elements,
 * `at` is at the beginning of one, and n is no less. */
static int widest(int ndims, const int64_t *dims, int64_t at, int64_t n, int64_t *size)
{
    int k = ndims - 1;
    *size = 1;
    while (k > 0 && at % (*size * dims[k]) == 0 && n >= *size * dims[k])
        *size *= dims[k--];
    return k;
}

/* The slab of `steps` steps in dimension k. */
static struct slab slab_at(int ndims, const int64_t *dims, int64_t at, int k,
                           int64_t steps)
{
    struct slab s;
    for (int d = ndims - 1; d >= 0; d--) {
        s.start[d] = at % dims[d];
        s.count[d] = d > k ? dims[d] : d == k ? steps : 1;
        at /= dims[d];
    }
    return s;
}

int slabs_of(int ndims, const int64_t *dims, int64_t at, int64_t n,
             struct slab out[SLABS_MOST])
{
    int count = 0;
    while (n > 0) {
        int64_t size;
        int k = widest(ndims, dims, at, n, &size);
        int64_t steps = dims[k] - at / size % dims[k];
        if (steps > n / size)
            steps = n / size;
        out[count++] = slab_at(ndims, dims, at, k, steps);
        at += steps * size;
        n -= steps * size;
    }
    return count;
}
