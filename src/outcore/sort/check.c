#include "base/err.h"
#include "base/format/crc.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/sort/sorting.h"
#include "run/lanes.h"
#include "run/stream/stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, SLOT_BYTES = 1 << 18 };

struct lane_check {
    int64_t records, duplicates;
    uint64_t in, out;   /* checksums */
    int64_t bad;        /* first of its records that is below the previous one;
                         * -1: none */
    char *first, *last; /* its first and last record, if records > 0 */
};

struct check {
    const struct sorting *s;
    struct lane_check *lane;
    char *records; /* two for each lane, and one from another rank */
};

static struct run_stream *sort_check_open_stream(struct run_file *f,
                                                 const struct sort_order *o,
                                                 int64_t first, int64_t records)
{
    struct run_stream *stream = NULL;
    int64_t slot =
        o->bytes < SLOT_BYTES ? SLOT_BYTES : units_round_up(o->bytes, IO_DIRECT_ALIGN);
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .from = first * o->bytes,
                                 .bytes = records * o->bytes,
                                 .slot_bytes = slot,
                                 .slots = SLOTS,
                                 .record = o->bytes};
    if (records > 0 && !f->run->failed)
        run_stream_open(&stream, f, &how);
    return stream;
}

/* ---- the input ------------------------------------------------------------------- */

static void sum_input(struct run *r, void *check)
{
    struct check *c = check;
    const struct sort_order *o = &c->s->order;
    int64_t first = units_part(c->s->records, r->worker, r->workers);
    int64_t end = units_part(c->s->records, r->worker + 1, r->workers), n;
    const char *records;
    struct run_stream *stream =
        sort_check_open_stream(&c->s->input->of[r->lane], o, first, end - first);
    while (stream && (records = run_stream_next(stream, &n))) {
        data_sums_add(c->s->input, run_stream_at(stream) - n, records, n);
        for (int64_t at = 0; at + o->bytes <= n; at += o->bytes)
            c->lane[r->lane].in += crc_of(records + at, o->bytes);
    }
    run_stream_close(&stream);
}

/* ---- the output ------------------------------------------------------------------ */

static void sort_check_compare(struct lane_check *l, const struct sort_order *o,
                               const char *before, const char *record)
{
    int above = sort_compare(o, record, before);
    l->duplicates += above == 0;
    if (above < 0 && l->bad < 0)
        l->bad = l->records;
}

/* Checks a piece: all but its first record have the previous one in memory. */
static void sort_check_look_at(struct check *c, struct lane_check *l,
                               const char *records, int64_t bytes)
{
    const struct sort_order *o = &c->s->order;
    const char *before = l->records ? l->last : NULL;
    if (!l->records)
        memcpy(l->first, records, (size_t)o->bytes);
    for (int64_t at = 0; at + o->bytes <= bytes; at += o->bytes) {
        if (before)
            sort_check_compare(l, o, before, records + at);
        l->out += crc_of(records + at, o->bytes);
        before = records + at;
        l->records++;
    }
    memcpy(l->last, before, (size_t)o->bytes);
}

/* Checks a range of a shared file, or a lane's own part file. */
static void check_output(struct run *r, void *check)
{
    struct check *c = check;
    const struct output *o = c->s->output;
    struct lane_check *l = &c->lane[r->lane];
    int64_t first = 0, end, n;
    const char *records;
    if (r->lane >= o->writers)
        return;
    end = c->s->part[r->lane];
    if (r->shared) {
        int64_t k = (int64_t)r->world.rank * o->writers + r->lane;
        int64_t parts = (int64_t)r->world.size * o->writers;
        first = units_part(c->s->records, k, parts);
        end = units_part(c->s->records, k + 1, parts);
    }
    struct run_stream *stream =
        sort_check_open_stream(&o->of[r->lane], &c->s->order, first, end - first);
    while (stream && (records = run_stream_next(stream, &n)))
        sort_check_look_at(c, l, records, n);
    run_stream_close(&stream);
    r->checked += l->records;
}

/* ---- the whole check ------------------------------------------------------------- */

static int out_of_order(const struct check *c)
{
    return err_set(-EIO, c->s->output->of->path, -1,
                   "the output is wrong: a record has a smaller key than the one "
                   "before it");
}

/* Checks the order between lanes, and between ranks: each passes on the last record up
 * to it. */
static int check_meetings(struct run *r, struct check *c, struct lane_check *all)
{
    int bytes = (int)c->s->order.bytes, rank = r->world.rank, rc = 0;
    char *last = c->records + 2 * (int64_t)r->lanes * bytes;
    int there = 0;
    if (rank) {
        MPI_Recv(&there, 1, MPI_INT, rank - 1, 0, r->world.comm, MPI_STATUS_IGNORE);
        MPI_Recv(last, bytes, MPI_BYTE, rank - 1, 0, r->world.comm, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < c->s->output->writers; i++) {
        struct lane_check *l = &c->lane[i];
        if (l->records && there)
            sort_check_compare(all, &c->s->order, last, l->first);
        if (l->bad >= 0)
            all->bad = l->bad;
        if (l->records)
            memcpy(last, l->last, (size_t)bytes);
        there |= l->records > 0;
    }
    if (rank + 1 < r->world.size) {
        MPI_Send(&there, 1, MPI_INT, rank + 1, 0, r->world.comm);
        MPI_Send(last, bytes, MPI_BYTE, rank + 1, 0, r->world.comm);
    }
    if (all->bad >= 0) {
        r->bad++;
        rc = out_of_order(c);
    }
    return rc;
}

static int compare_sums(struct run *r, const struct check *c, struct lane_check *all,
                        struct check_answer *a)
{
    uint64_t sum[4] = {all->in, all->out, (uint64_t)all->records,
                       (uint64_t)all->duplicates};
    world_reduce(r->world.comm, sum, 4, MPI_UINT64_T, MPI_SUM);
    *a = (struct check_answer){
        .records = (int64_t)sum[2], .duplicates = (int64_t)sum[3], .sum = sum[1]};
    if (sum[0] == sum[1] && a->records == c->s->records)
        return 0;
    r->bad += r->world.rank == 0;
    return err_set(
        -EIO, c->s->output->of->path, -1,
        "the output is wrong: it has %lld record%s with the CRC-32 sum %llx, "
        "and the input %lld with %llx",
        (long long)a->records, units_s(a->records), (unsigned long long)sum[1],
        (long long)c->s->records, (unsigned long long)sum[0]);
}

static int compare_all(struct run *r, struct check *c, struct check_answer *a)
{
    struct lane_check all = {.bad = -1};
    for (int i = 0; i < r->lanes; i++) {
        all.in += c->lane[i].in;
        all.out += c->lane[i].out;
        all.records += c->lane[i].records;
        all.duplicates += c->lane[i].duplicates;
    }
    int rc = err_agree(r->world.comm, check_meetings(r, c, &all));
    return rc ? rc : err_agree(r->world.comm, compare_sums(r, c, &all, a));
}

static int sort_check_start(const struct run *r, struct check *c)
{
    int64_t bytes = c->s->order.bytes;
    c->lane = mem_new(r->lanes, sizeof *c->lane, "verifying the output");
    c->records = mem_new(2 * r->lanes + 1, bytes, "verifying the output");
    if (!c->lane || !c->records)
        return -ENOMEM;
    for (int i = 0; i < r->lanes; i++)
        c->lane[i] = (struct lane_check){.bad = -1,
                                         .first = c->records + 2 * i * bytes,
                                         .last = c->records + (2 * i + 1) * bytes};
    return 0;
}

static int read_both(struct run *r, struct check *c)
{
    int64_t bytes = c->s->order.bytes, records = c->s->records;
    run_phase_begin(r, "verify");
    data_sums_begin(c->s->input, bytes * units_part(records, r->worker, r->workers),
                    bytes * units_part(records, r->worker + r->lanes, r->workers));
    if (!data_open(r, c->s->input))
        run_lanes(r, sum_input, c);
    data_sums_check(r, c->s->input);
    data_close(r, c->s->input);
    if (!output_read(c->s->output))
        run_lanes(r, check_output, c);
    output_close(r, c->s->output, false);
    return run_phase_end(r);
}

int check_sorted(struct run *r, const struct sorting *s, struct check_answer *a)
{
    struct check c = {.s = s};
    int rc = err_agree(r->world.comm, sort_check_start(r, &c));
    r->aside = r->samples_only = true;
    if (!rc)
        rc = read_both(r, &c);
    r->aside = r->samples_only = false;
    if (!rc)
        rc = compare_all(r, &c, a);
    free(c.lane);
    free(c.records);
    return rc;
}
