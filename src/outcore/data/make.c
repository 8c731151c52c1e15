#include "outcore/data/make.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "base/units.h"
#include "run/lanes.h"
#include "run/stream/stream.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------- */

int64_t data_share(const struct data_rows *rows, int w, int n)
{
    int64_t whole = IO_DIRECT_ALIGN / units_gcd(IO_DIRECT_ALIGN, rows->bytes);
    int64_t first = units_part(rows->n, w, n);
    return w == n ? rows->n : first - first % whole;
}

struct writing {
    struct run_file *of;
    const struct data_rows *rows;
    const struct written *sums;
};

static void make_write_rows(struct run_stream *s, const struct writing *w,
                            int64_t first, int64_t end)
{
    const struct data_rows *rows = w->rows;
    int64_t most = DATA_SLOT_BYTES / rows->bytes;
    for (int64_t n; first < end; first += n) {
        n = end - first < most ? end - first : most;
        void *to = run_stream_room(s, n * rows->bytes);
        rows->make(rows->context, first, n, to);
        if (w->sums)
            written_add(w->sums->written, first * rows->bytes, to, n * rows->bytes);
    }
}

static void write_share(struct run *r, void *writing)
{
    const struct writing *w = writing;
    const struct data_rows *rows = w->rows;
    int64_t first = data_share(rows, r->worker, r->workers);
    int64_t end = data_share(rows, r->worker + 1, r->workers);
    struct run_stream *s;
    struct run_stream_how how = {.op = IO_OP_WRITE,
                                 .from = first * rows->bytes,
                                 .slot_bytes = DATA_SLOT_BYTES,
                                 .slots = DATA_SLOTS,
                                 .record = DATA_SLOT_BYTES};
    if (first == end || run_stream_open(&s, &w->of[r->lane], &how))
        return;
    make_write_rows(s, w, first, end);
    run_stream_flush(s);
    run_stream_close(&s);
}

void data_write(struct run *r, struct run_file of[], const struct data_rows *rows,
                const struct written *sums)
{
    struct writing w = {of, rows, sums};
    run_lanes(r, write_share, &w);
}

/* ---- properties ------------------------------------------------------------------ */

int data_whole_rows(const struct data_file *d, int64_t row_bytes)
{
    int64_t over = d->bytes % row_bytes;
    if (!over)
        return 0;
    return err_set(-EINVAL, d->path, d->bytes - over,
                   "the input has %lld bytes, which are %lld records of %lld bytes and "
                   "%lld bytes more: it was cut short, or its records are of another "
                   "size",
                   (long long)d->bytes, (long long)(d->bytes / row_bytes),
                   (long long)row_bytes, (long long)over);
}

static int make_files(const struct run *r, struct data_file *d)
{
    d->of = mem_new(r->lanes, sizeof *d->of, "files");
    return d->of ? 0 : -ENOMEM;
}

int data_given(struct run *r, struct data_file *d, const char *path, int64_t row_bytes,
               bool alone)
{
    d->given = true;
    if (snprintf(d->path, sizeof d->path, "%s", path) >= (int)sizeof d->path)
        return err_set(-ENAMETOOLONG, path, -1, "the path is too long");
    int rc = run_input(r, d->path, &d->is, d->may_be_empty);
    if (rc)
        return rc;
    d->bytes = d->is.bytes;
    if (alone)
        r->input = (struct run_input){
            .path = d->path, .count = 1, .bytes = d->is.bytes, .device = d->is.device};
    rc = data_whole_rows(d, row_bytes);
    return err_agree(r->world.comm, rc ? rc : make_files(r, d));
}

int data_planned(const struct run *r, struct data_file *d, const struct data_rows *rows)
{
    d->given = false;
    if (!__builtin_mul_overflow(rows->bytes, rows->n, &d->bytes))
        return make_files(r, d);
    return err_usage("%lld record%s of %lld bytes would exceed 2^63 - 1 bytes",
                     (long long)rows->n, units_s(rows->n), (long long)rows->bytes);
}

int data_say(struct run *r, const struct data_file *d)
{
    if (!d->given)
        return 0;
    run_input_say(r, d->path, &d->is, "");
    return r->input.path ? 0 : run_reads(r, d->path);
}

void data_again(struct run *r, const struct data_file *d)
{
    if (d->given)
        run_input_again(r, d->path, &d->is);
}

/* ---- the file -------------------------------------------------------------------- */

static void name_lanes(struct run *r, struct data_file *d, int64_t max_request,
                       int depth)
{
    for (int i = 0; i < r->lanes; i++)
        run_file_at(&d->of[i], run_lane_of(r, i), d->path, true, true, d->bytes,
                    max_request, depth);
}

void data_name(struct run *r, struct data_file *d, const char *role,
               int64_t max_request, int depth)
{
    if (!d->given)
        run_path(r, role, "", d->path, sizeof d->path);
    name_lanes(r, d, max_request, depth);
}

/* Checks the bytes written. With --cache=direct the last transfer is a whole block,
 * which is cut afterwards. */
int data_written(const struct run *r, const char *phase, const char *path,
                 int64_t bytes)
{
    bool direct = r->io_flags & IO_DIRECT;
    int64_t expected = direct ? units_round_up(bytes, r->direct_align) : bytes;
    return run_moved(r, phase, path, -1, expected);
}

/* Combines the ranks' sums to those of the file on all ranks. */
static void share_sums(const struct run *r, const uint32_t *mine, uint32_t *all,
                       int64_t blocks)
{
    for (int64_t at = 0, n; at < blocks; at += n) {
        n = blocks - at < INT_MAX ? blocks - at : INT_MAX;
        MPI_Allreduce(mine + at, all + at, (int)n, MPI_UINT32_T, MPI_BXOR,
                      r->world.comm);
    }
}

static void agree_on_written(const struct run *r, struct written *s)
{
    uint32_t *mine = s->written;
    share_sums(r, mine, s->all, s->blocks);
    s->written = s->all;
    s->all = mine;
}

int data_make(struct run *r, struct data_file *d, const struct data_rows *rows)
{
    int64_t max_request = d->of->max_request;
    int depth = d->of->depth;
    if (d->given)
        return 0;
    int rc = err_agree(r->world.comm, written_room(&d->sums, d->bytes));
    if (rc)
        return rc;
    written_clear(&d->sums, d->sums.written);
    r->aside = r->samples_only = true;
    run_phase_begin(r, "make");
    name_lanes(r, d, DATA_SLOT_BYTES, DATA_SLOTS);
    if (!run_file_open_lanes(d->of, r->lanes, IO_WRITE | IO_CREATE))
        data_write(r, d->of, rows, &d->sums);
    run_file_close_lanes(d->of, r->lanes, true);
    rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    if (!rc)
        agree_on_written(r, &d->sums);
    name_lanes(r, d, max_request, depth);
    return rc ? rc : data_written(r, "make", d->path, d->bytes);
}

int data_open(struct run *r, struct data_file *d)
{
    return run_file_open_lanes(d->of, r->lanes, IO_READ);
}

int data_close(struct run *r, struct data_file *d)
{
    return run_file_close_lanes(d->of, r->lanes, false);
}

void data_sums_begin(struct data_file *d, int64_t from, int64_t to)
{
    d->from = from;
    d->to = to;
    written_clear(&d->sums, d->sums.read);
}

void data_sums_add(const struct data_file *d, int64_t at, const void *from, int64_t n)
{
    if (d->sums.blocks)
        written_add(d->sums.read, at, from, n);
}

/* Checks the blocks; a rank that has read a part of a wrong block reports it. */
void data_sums_check(struct run *r, const struct data_file *d)
{
    const struct written *s = &d->sums;
    if (!s->blocks)
        return;
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    int failed = r->failed != 0;
    world_reduce(r->world.comm, &failed, 1, MPI_INT, MPI_MAX);
    if (!failed)
        share_sums(r, s->read, s->all, s->blocks);
    phase_act(r->phase, before);
    int64_t at = failed ? -1 : written_differ(s, s->all);
    if (at >= 0 && at < d->to && at + WRITTEN_BLOCK > d->from)
        run_fail(
            r, err_set(-EIO, d->path, at,
                       "the bytes of the generated input from here to offset "
                       "%lld were read otherwise than they were written: " STAMP_WRONG,
                       (long long)(at + WRITTEN_BLOCK < d->bytes ? at + WRITTEN_BLOCK
                                                                 : d->bytes)));
}

int data_remove(struct run *r, struct data_file *d)
{
    if (!d->of || !d->of->run)
        return 0;
    if (!d->given)
        return run_file_remove_lanes(d->of, r->lanes);
    for (int i = 0; i < r->lanes; i++)
        if (d->of[i].io)
            run_fail(r, io_file_close(&d->of[i].io));
    return err_agree(r->world.comm, r->failed);
}

void data_free(struct data_file *d)
{
    free(d->of);
    d->of = NULL;
    written_free(&d->sums);
}
