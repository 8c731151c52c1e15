#include "outcore/knn/scan.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/data/records.h"
#include "run/lanes.h"
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------- */

static struct run_stream_how how_to_read(const struct scan *s)
{
    return (struct run_stream_how){.op = IO_OP_READ,
                                   .slot_bytes = s->buffer,
                                   .slots = (int)s->slots,
                                   .record = s->format.stride};
}

static int64_t stream_memory(struct run *r, const struct scan *s)
{
    struct run_file any = {.run = r};
    struct run_stream_how how = how_to_read(s);
    return run_stream_memory(&any, &how);
}

int64_t scan_memory(struct run *r, const struct scan *s)
{
    int64_t lane = stream_memory(r, s) + kernel_room(s->kernel, s->format.dim) +
                   nearest_memory(s->most, s->k);
    return r->lanes * lane + 2 * kernel_memory(s->most, s->format.dim) +
           s->k * (int64_t)sizeof *s->room;
}

static int scan_open_lane(struct run *r, const struct scan *s, struct scan_lane *l)
{
    int rc = nearest_open(&l->nearest, s->most, s->k);
    if (!rc)
        rc = buf_alloc(&l->memory, stream_memory(r, s), "a stream");
    if (!rc)
        rc = buf_alloc(&l->room, kernel_room(s->kernel, s->format.dim), "vectors");
    return rc;
}

int scan_open(struct run *r, struct scan *s)
{
    int64_t bytes = kernel_memory(s->most, s->format.dim);
    int rc = 0;
    s->lane = mem_new(r->lanes, sizeof *s->lane, "queries");
    s->queries = mem_new(bytes, 1, "queries");
    s->packed.packed = mem_new(bytes, 1, "queries");
    s->room = mem_new(s->k, sizeof *s->room, "queries");
    if (!s->lane || !s->queries || !s->packed.packed || !s->room)
        return -ENOMEM;
    for (int i = 0; i < r->lanes && !rc; i++)
        rc = scan_open_lane(r, s, &s->lane[i]);
    return rc;
}

void scan_close(const struct run *r, struct scan *s)
{
    for (int i = 0; s->lane && i < r->lanes; i++) {
        nearest_close(&s->lane[i].nearest);
        buf_free(s->lane[i].memory);
        buf_free(s->lane[i].room);
    }
    free(s->lane);
    free(s->queries);
    free(s->packed.packed);
    free(s->room);
    s->lane = NULL;
}

/* ---- a section ------------------------------------------------------------------- */

void scan_queries(struct scan *s, int64_t first, int64_t n)
{
    s->packed.n = n;
    s->packed.dim = s->format.dim;
    vectors_make(s->key, s->format.dim, first, n, s->queries);
    kernel_pack(s->kernel, s->queries, &s->packed);
}

/* The section of this lane: rows *first .. *end - 1. */
static void scan_section(const struct run *r, const struct scan *s, int64_t *first,
                         int64_t *end)
{
    *first = data_share(&s->rows, r->worker, r->workers);
    *end = data_share(&s->rows, r->worker + 1, r->workers);
}

/* Adds the number of the next vector to the run's first failure, if it
 * happened here. */
static void name_failed(struct run *r, int64_t row)
{
    struct err e = err_copy();
    char text[sizeof e.text];
    if (!e.code || e.lane != err_lane_now())
        return;
    memcpy(text, e.text, sizeof text);
    snprintf(e.text, sizeof e.text, "vectors from number %lld on were not read: %.*s",
             (long long)row, (int)sizeof text / 2, text);
    err_put(&e);
    (void)r;
}

static void wrong_row(struct run *r, const struct scan *s, int64_t row)
{
    run_fail(r, err_set(-EINVAL, s->data.path, s->format.head + row * s->format.stride,
                        "vector %lld does not begin with its dimension, %lld",
                        (long long)row, (long long)s->format.dim));
}

static void scan_take(struct run *r, const struct scan *s, struct scan_lane *l,
                      const char *piece, int64_t n, int64_t row)
{
    int64_t wrong = format_wrong_row(&s->format, piece, n);
    struct kernel_rows rows = {piece + s->format.skip, n, s->format.stride,
                               (uint64_t)row};
    if (wrong < n) {
        wrong_row(r, s, row + wrong);
        return;
    }
    int64_t begin_ns = run_cpu_ns(r);
    s->kernel->scan(&rows, &s->packed, &l->nearest, l->room);
    l->cpu_ns += run_cpu_ns(r) - begin_ns;
    progress_step(&r->progress, n, r->phase->name);
}

static void scan_lane(struct run *r, void *scan)
{
    const struct scan *s = scan;
    struct scan_lane *l = &s->lane[r->lane];
    struct run_stream_how how = how_to_read(s);
    struct run_stream *stream;
    int64_t row, end, bytes;
    const char *piece;
    scan_section(r, s, &row, &end);
    nearest_begin(&l->nearest, s->packed.n);
    l->cpu_ns = 0;
    how.from = s->format.head + row * s->format.stride;
    how.bytes = (end - row) * s->format.stride;
    how.memory = l->memory;
    if (row == end || run_stream_open(&stream, &s->data.of[r->lane], &how))
        return;
    for (; (piece = run_stream_next(stream, &bytes)); row += bytes / s->format.stride) {
        data_sums_add(&s->data, run_stream_at(stream) - bytes, piece, bytes);
        scan_take(r, s, l, piece, bytes / s->format.stride, row);
    }
    if (r->failed && row < end)
        name_failed(r, row);
    run_stream_close(&stream);
}

/* ---- a pass ---------------------------------------------------------------------- */

/* The bytes that the sections must read. With direct I/O each begins and ends with
 * whole blocks, except at the end of the file. */
static int64_t expected_bytes(const struct run *r, const struct scan *s)
{
    const struct format *f = &s->format;
    int64_t sum = 0, align = r->io_flags & IO_DIRECT ? r->direct_align : 1;
    for (int w = 0; w < r->workers; w++) {
        int64_t from = f->head + data_share(&s->rows, w, r->workers) * f->stride;
        int64_t end = f->head + data_share(&s->rows, w + 1, r->workers) * f->stride;
        end = units_round_up(end, align);
        end = end < s->data.bytes ? end : s->data.bytes;
        if (from < end)
            sum += end - from / align * align;
    }
    return sum;
}

int scan_pass(struct run *r, struct scan *s, int64_t *cpu_ns)
{
    int64_t stride = s->format.stride;
    data_sums_begin(&s->data, stride * data_share(&s->rows, r->worker, r->workers),
                    stride * data_share(&s->rows, r->worker + r->lanes, r->workers));
    run_phase_begin(r, "scan");
    int rc = data_open(r, &s->data);
    int64_t begin_ns = clock_cpu_ns();
    if (!rc)
        run_lanes(r, scan_lane, s);
    *cpu_ns = clock_cpu_ns() - begin_ns;
    data_close(r, &s->data);
    rc = run_phase_end(r);
    return rc ? rc : run_moved(r, "scan", s->data.path, expected_bytes(r, s), 0);
}

/* ---- merging --------------------------------------------------------------------- */

static struct {
    int64_t k;
    struct neighbour *room;
} merging; /* MPI passes no context to its operations */

static void merge_lists(void *from, void *into, int *n, MPI_Datatype *list)
{
    (void)list;
    for (int i = 0; i < *n; i++)
        nearest_merge((struct neighbour *)from + i * merging.k,
                      (struct neighbour *)into + i * merging.k, merging.k,
                      merging.room);
}

static void sort_lane(struct run *r, void *scan)
{
    const struct scan *s = scan;
    nearest_sort(&s->lane[r->lane].nearest);
}

/* Merges the lists of ranks, with a type of k entries, so that no count is large and no
 * list is split. */
static void merge_ranks(struct run *r, struct scan *s)
{
    struct neighbour *all = s->lane[0].nearest.list;
    MPI_Datatype list;
    MPI_Op merge;
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Type_contiguous((int)(s->k * (int64_t)sizeof *all), MPI_BYTE, &list);
    MPI_Type_commit(&list);
    MPI_Op_create(merge_lists, 1, &merge);
    if (r->world.rank == 0)
        MPI_Reduce(MPI_IN_PLACE, all, (int)s->packed.n, list, merge, 0, r->world.comm);
    else
        MPI_Reduce(all, NULL, (int)s->packed.n, list, merge, 0, r->world.comm);
    MPI_Bcast(all, (int)s->packed.n, list, 0, r->world.comm);
    MPI_Op_free(&merge);
    MPI_Type_free(&list);
    phase_act(r->phase, before);
}

int scan_merge(struct run *r, struct scan *s)
{
    merging.k = s->k;
    merging.room = s->room;
    run_phase_begin(r, "merge");
    run_lanes(r, sort_lane, s);
    for (int i = 1; i < r->lanes; i++) {
        int n = (int)s->packed.n;
        merge_lists(s->lane[i].nearest.list, s->lane[0].nearest.list, &n, NULL);
    }
    merge_ranks(r, s);
    return run_phase_end(r);
}
