/* Collects the ranks' knowledge of an open container on rank 0, which writes it to the
 * header, at each sync and at the close. It takes a message from each rank and one to
 * all, and more if writes did not fit the plan. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "io/part/part.h"
#include "world/world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The message of a rank to rank 0. */
struct told {
    int64_t bytes;                 /* of the file, as it knows */
    int64_t fresh;                 /* number of ranges that it put into the
                                    * shared part */
    int64_t misfits, misfit_bytes; /* since it opened the file */
    uint64_t host;                 /* hash of the node's host */
    int32_t failed, dirty, changed, pad;
    unsigned char record[CONTAINER_RECORD]; /* of its partition */
};

/* The message of rank 0 to all. */
struct verdict {
    int64_t bytes, fresh, ns;
    int32_t failed; /* a rank has failed: nothing was done */
    int32_t dirty, changed, rc;
};

static int64_t header_ns;

int64_t io_header_ns(void)
{
    return header_ns;
}

void part_header_took(int64_t ns)
{
    header_ns += ns;
}

int part_save_allocate(struct part *p)
{
    int size;
    MPI_Comm_size(p->f->comm, &size);
    if (p->f->rank || !(p->f->flags & IO_WRITE))
        return 0;
    p->told = mem_of(p->f->path, size, sizeof *p->told, "records");
    return p->told ? 0 : -ENOMEM;
}

/* ---- ranges of the shared part --------------------------------------------------- */

int part_share_ranges(struct io_file *f, struct extents *x)
{
    int64_t n = x->n;
    MPI_Bcast(&n, 1, MPI_INT64_T, 0, f->comm);
    if (f->rank && n > x->room) {
        free(x->range);
        x->range = mem_of(f->path, n, sizeof *x->range, "a map");
        x->room = x->range ? n : 0;
    }
    int rc = n > x->room ? -ENOMEM : 0;
    rc = err_agree(f->comm, rc);
    if (rc)
        return rc;
    x->n = n;
    MPI_Bcast(x->range, (int)(2 * n), MPI_INT64_T, 0, f->comm);
    return 0;
}

/* On rank 0: allocates the list of all ranges, and finds each rank's place in it. */
static int place_ranges(const struct part *p, int64_t all, int **count, int **at,
                        int64_t **list)
{
    int size;
    MPI_Comm_size(p->f->comm, &size);
    *count = mem_of(p->f->path, size, sizeof **count, "a map");
    *at = mem_of(p->f->path, size + 1, sizeof **at, "a map");
    *list = mem_of(p->f->path, all * 2, sizeof **list, "a map");
    if (!*count || !*at || !*list)
        return -ENOMEM;
    for (int r = 0; r < size; r++) {
        (*count)[r] = (int)(2 * p->told[r].fresh);
        (*at)[r + 1] = (*at)[r] + (*count)[r];
    }
    return 0;
}

/* Adds the ranges `fresh` of all ranks, `all` in number, to rank 0's `moved`. */
static int gather_ranges(struct part *p, int64_t all)
{
    struct io_file *f = p->f;
    int *count = NULL, *at = NULL, rc = 0;
    int64_t *list = NULL;
    if (all > EXTENTS_MOST)
        return err_set(-E2BIG, f->path, -1, "more than %d ranges do not fit the plan",
                       EXTENTS_MOST);
    if (f->rank == 0)
        rc = place_ranges(p, all, &count, &at, &list);
    rc = err_agree(f->comm, rc);
    if (!rc)
        MPI_Gatherv(p->fresh.range, (int)(2 * p->fresh.n), MPI_INT64_T, list, count, at,
                    MPI_INT64_T, 0, f->comm);
    for (int64_t i = 0; f->rank == 0 && i < 2 * all && !rc; i += 2)
        if (extents_add(&p->moved, list[i], list[i + 1]))
            rc = mem_none(f->path, 0, "a map");
    free(list);
    free(count);
    free(at);
    p->map_changed = true;
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------- */

void part_name_host(struct container_part *own)
{
    gethostname(own->host, sizeof own->host);
    own->host[sizeof own->host - 1] = 0;
}

static uint64_t host_number(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return stamp_hash(name, (int64_t)strlen(name));
}

struct on_host {
    uint64_t host;
    int rank, first; /* the lowest rank there */
};

static int by_host(const void *a, const void *b)
{
    const struct on_host *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->rank - y->rank;
}

static int part_save_by_rank(const void *a, const void *b)
{
    const struct on_host *x = a, *y = b;
    return x->rank - y->rank;
}

/* On rank 0: numbers nodes by their lowest ranks. With node directories this was done
 * when the partitions were made. */
static int number_nodes(struct part *p, int size)
{
    struct on_host *on = mem_of(p->f->path, size, sizeof *on, "nodes");
    int nodes = 0;
    if (!on)
        return -ENOMEM;
    for (int r = 0; r < size; r++)
        on[r] = (struct on_host){p->told[r].host, r, r};
    qsort(on, (size_t)size, sizeof *on, by_host);
    for (int i = 1; i < size; i++)
        if (on[i].host == on[i - 1].host)
            on[i].first = on[i - 1].first;
    qsort(on, (size_t)size, sizeof *on, part_save_by_rank);
    for (int r = 0; r < size && r < p->c.parts; r++)
        p->c.part[r].node = on[r].first == r ? nodes++ : p->c.part[on[r].first].node;
    free(on);
    return 0;
}

/* ---- the header ------------------------------------------------------------------ */

static void tell(struct part *p, struct told *t, int rc)
{
    *t = (struct told){.bytes = p->bytes,
                       .fresh = p->fresh.n,
                       .misfits = p->misfits,
                       .misfit_bytes = p->misfit_bytes,
                       .host = host_number(),
                       .failed = rc != 0,
                       .dirty = p->dirty,
                       .changed = p->changed};
    if (p->mine < 0)
        return;
    p->c.part[p->mine].bytes = p->own_bytes;
    p->c.part[p->mine].misfits = p->own_misfits + p->misfits;
    container_record_encode(&p->c, p->mine, t->record);
}

/* On rank 0: the verdict, from all ranks' messages. */
static struct verdict part_save_judge(struct part *p)
{
    struct verdict v = {.bytes = p->bytes};
    int size;
    MPI_Comm_size(p->f->comm, &size);
    for (int r = 0; r < size; r++) {
        const struct told *t = &p->told[r];
        v.bytes = v.bytes > t->bytes ? v.bytes : t->bytes;
        v.fresh += t->fresh;
        v.failed |= t->failed;
        v.dirty |= t->dirty;
        v.changed |= t->changed;
    }
    return v;
}

/* Sets the header's numbers from all ranks' messages. */
static int take_told(struct part *p, int64_t bytes)
{
    int size, rc = 0;
    MPI_Comm_size(p->f->comm, &size);
    p->c.bytes = bytes;
    p->c.misfits = p->misfits_before;
    p->c.misfit_bytes = p->misfit_bytes_before;
    for (int r = 0; r < size && !rc; r++) {
        p->c.misfits += p->told[r].misfits;
        p->c.misfit_bytes += p->told[r].misfit_bytes;
        if (r < p->c.parts)
            rc = container_record_decode(&p->c, r, p->told[r].record);
    }
    return rc || !p->made ? rc : number_nodes(p, size);
}

/* On rank 0: writes the header. Bytes that are not durable on all ranks are not
 * called synced. */
static int write_down(struct part *p, struct verdict *v, enum container_state state)
{
    int64_t begin_ns = clock_ns();
    bool closing = state == CONTAINER_COMPLETE;
    if (!closing && (v->dirty || !(v->changed || p->map_changed)))
        return 0;
    int rc = take_told(p, v->bytes);
    p->c.state = state;
    if (!rc)
        rc = container_save(&p->c, p->f->path, p->map_changed ? &p->moved : NULL,
                            !v->dirty);
    p->map_changed = p->map_changed && rc;
    v->ns = clock_ns() - begin_ns;
    return rc;
}

int part_save(struct part *p, enum container_state state, int rc)
{
    struct io_file *f = p->f;
    struct told mine;
    struct verdict v = {0};
    tell(p, &mine, rc);
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, p->told, sizeof mine, MPI_BYTE, 0,
               f->comm);
    if (f->rank == 0) {
        v = part_save_judge(p);
        if (!v.failed && !v.fresh)
            v.rc = write_down(p, &v, state);
    }
    MPI_Bcast(&v, sizeof v, MPI_BYTE, 0, f->comm);
    if (!v.failed && v.fresh) {
        rc = gather_ranges(p, v.fresh);
        if (!rc && f->rank == 0)
            rc = write_down(p, &v, state);
        rc = err_agree(f->comm, rc);
        rc = rc ? rc : part_share_ranges(f, &p->moved);
        p->fresh.n = 0;
    }
    if (v.failed || v.rc)
        rc = err_agree(f->comm, v.failed ? rc : f->rank ? 0 : v.rc);
    p->bytes = v.bytes > p->bytes ? v.bytes : p->bytes;
    p->changed = p->changed && (rc || v.dirty);
    if (state == CONTAINER_COMPLETE)
        part_header_took(v.ns);
    return rc;
}
