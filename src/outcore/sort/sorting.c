#include "outcore/sort/sorting.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/sort/sections.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRITING_SHARE = 8, /* of a rank's memory: the most for writing */
    PREFIX = 4096
};

struct sorting_way { /* method and memory of the sort */
    struct extsort_how how;
    struct extsort *sorter;
    struct exchange *exchange;            /* NULL: there is one rank */
    struct sections sections;             /* with an exchange */
    int64_t exchange_room;                /* bytes */
    int64_t slot_bytes;                   /* for a lane's writes */
    int64_t writing_bytes;                /* memory of these */
    char *writing;                        /* of all lanes that write */
    int64_t read_bytes;                   /* of the input, as requested by all lanes */
    int64_t first;                        /* this rank's first record in the output */
    struct extsort_counts counts, merged; /* after each phase */
    char prefix[PREFIX];
};

static bool is_alone(const struct run *r)
{
    return r->world.size == 1;
}

/* ---- the plan -------------------------------------------------------------------- */

static bool has_edge(const struct run *r)
{
    return r->shared && r->io_flags & IO_DIRECT;
}

/* Divides the memory: writing gets an eighth, or less if more would not make transfers
 * larger; the exchange what it needs, and the sorter the rest. */
static int share_memory(struct run *r, struct sorting *s, int64_t *sorter_bytes)
{
    struct sorting_way *w = s->way;
    int writers = s->output->writers;
    const struct run_file f = {.run = r, .max_request = SORTING_WRITE_MOST, .depth = 2};
    int64_t bytes = s->order.bytes, mine = s->memory_bytes / WRITING_SHARE / writers;
    w->slot_bytes = writing_slot_bytes(&f, has_edge(r), bytes, mine);
    w->exchange_room = is_alone(r) ? 0 : exchange_room(s->memory_bytes, bytes);
    if (!w->slot_bytes || (!is_alone(r) && w->exchange_room < bytes * r->lanes))
        return -1;
    w->writing_bytes = writing_memory(&f, has_edge(r), bytes, w->slot_bytes);
    *sorter_bytes = s->memory_bytes - writers * w->writing_bytes;
    if (!is_alone(r))
        *sorter_bytes -= exchange_memory(&s->order, w->exchange_room);
    return *sorter_bytes < s->memory_bytes / 4 ? -1 : 0;
}

static int64_t records_of_rank(const struct run *r, const struct sorting *s)
{
    return units_div_up(s->records, r->world.size);
}

/* Plans with the memory. Returns 0, or -1 if it is too small; without a sentence. */
static int divide_memory(struct run *r, struct sorting *s, struct extsort_counts *c)
{
    int64_t sorter_bytes = 0;
    if (share_memory(r, s, &sorter_bytes))
        return -1;
    s->way->how = (struct extsort_how){.order = s->order,
                                       .lanes = r->lanes,
                                       .merge_lanes = s->output->writers,
                                       .memory_bytes = sorter_bytes,
                                       .merge_bytes = s->merge_bytes,
                                       .keep = s->keep_runs,
                                       .settle = true,
                                       .scratch = s->way->prefix};
    struct err before = err_copy();
    int rc = extsort_expect(r, &s->way->how, records_of_rank(r, s), c);
    err_put(&before);
    return rc ? -1 : 0;
}

/* The smallest power of two above --memory that suffices; 0: none. */
static int64_t enough_memory(struct run *r, struct sorting *s)
{
    struct extsort_counts c;
    int64_t memory = s->memory_bytes, enough = 0;
    for (int64_t bytes = 1 << 16; !enough && bytes <= INT64_MAX / 4; bytes *= 2) {
        s->memory_bytes = bytes;
        if (bytes > memory && !divide_memory(r, s, &c))
            enough = bytes;
    }
    s->memory_bytes = memory;
    return enough;
}

static int too_small(struct run *r, struct sorting *s)
{
    int64_t enough = enough_memory(r, s), unit = enough < 1 << 20 ? 1 << 10 : 1 << 20;
    char would[48] = "take shorter records";
    if (enough)
        snprintf(would, sizeof would, "--memory=%lld%c would do",
                 (long long)(enough / unit), unit == 1 << 10 ? 'k' : 'M');
    return err_usage("--memory is too small for %d thread%s and records of %lld "
                     "bytes%s: %s, or take fewer threads",
                     r->lanes, units_s(r->lanes), (long long)s->order.bytes,
                     s->merge_bytes ? " with this --merge-buffer" : "", would);
}

static void say_need(const struct run *r, const struct sorting *s,
                     const struct extsort_counts *c, struct run_need *n)
{
    int64_t bytes = s->input->bytes, ranks = r->world.size;
    n->memory_bytes += s->memory_bytes;
    if (!is_alone(r)) {
        n->memory_bytes += exchange_beside(r, &s->order, s->records);
        n->read_bytes += exchange_sample_bytes(r, &s->order, s->records);
    }
    n->disk_bytes += bytes + (c->runs ? bytes : 0);
    n->read_bytes += bytes + c->read_bytes * ranks;
    n->write_bytes += bytes + c->write_bytes * ranks;
}

int sorting_plan(struct run *r, struct sorting *s, struct run_need *n)
{
    struct extsort_counts c;
    s->output->writers = s->single ? 1 : r->lanes;
    s->records = s->input->bytes / s->order.bytes;
    if (s->order.bytes > SORTING_RECORD_MAX)
        return err_usage("records of %lld bytes are longer than the longest that are "
                         "sorted, %d bytes",
                         (long long)s->order.bytes, SORTING_RECORD_MAX);
    s->way = mem_new(1, sizeof *s->way, "a sort");
    s->part = mem_new(r->lanes, sizeof *s->part, "a sort");
    if (!s->way || !s->part)
        return -ENOMEM;
    if (divide_memory(r, s, &c))
        return too_small(r, s);
    say_need(r, s, &c, n);
    return 0;
}

static int open_exchange(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    if (is_alone(r))
        return 0;
    int rc = exchange_open(&w->exchange, r, &s->order, w->exchange_room, s->records);
    return rc ? rc : sections_open(&w->sections, w->sorter, s->order.bytes, r->lanes);
}

int sorting_open(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    void *writing = NULL;
    int rc = extsort_open(&w->sorter, r, &w->how, is_alone(r) ? s->records : -1);
    if (!rc)
        rc = buf_alloc(&writing, s->output->writers * w->writing_bytes, "the output");
    w->writing = writing;
    if (!rc)
        rc = open_exchange(r, s);
    return err_agree(r->world.comm, rc);
}

void sorting_close(struct sorting *s)
{
    struct sorting_way *w = s->way;
    free(s->part);
    s->part = NULL;
    s->way = NULL;
    if (!w)
        return;
    sections_close(&w->sections);
    exchange_close(&w->exchange);
    extsort_close(&w->sorter);
    buf_free(w->writing);
    free(w);
}

/* ---- phase runs ------------------------------------------------------------------ */

/* Reads sections directly into the sorter's memory, and sorts them. Faster lanes take
 * more of them. */
static void sort_sections(struct run *r, void *sorting)
{
    const struct sorting *s = sorting;
    struct sorting_way *w = s->way;
    struct run_file *f = &s->input->of[r->lane];
    int64_t bytes = s->order.bytes, asked = 0;
    struct extsort_section section;
    while (extsort_take(w->sorter, r->lane, &section)) {
        int64_t at = section.first * bytes, n = section.records * bytes;
        reading_share(f, section.room, at, n, 0, 1);
        asked += reading_bytes(f, at, n);
        section.room = (char *)section.room + reading_lead(f, at);
        extsort_run(w->sorter, r->lane, &section);
    }
    __atomic_add_fetch(&w->read_bytes, asked, __ATOMIC_RELAXED);
}

/* Exchanges all records. A rank that has failed continues without records, as others
 * wait for it. */
static void exchange_all(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    int64_t before = exchange_read_bytes(w->exchange);
    exchange_split(w->exchange, s->input->of);
    sections_start(r, &w->sections);
    for (int64_t i = 0; i < exchange_rounds(w->exchange); i++) {
        int64_t steps = exchange_round(w->exchange, s->input->of, i);
        for (int64_t k = 0; k < steps; k++) {
            const void *records;
            int64_t n = exchange_step(w->exchange, k, &records);
            sections_add(r, &w->sections, records, n);
        }
    }
    sections_finish(r, &w->sections);
    w->read_bytes = exchange_read_bytes(w->exchange) - before;
}

static void make_runs(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    bool alone = is_alone(r);
    extsort_begin(w->sorter, alone ? s->records : -1);
    if (alone)
        run_lanes(r, sort_sections, s);
    else
        exchange_all(r, s);
    extsort_settle(w->sorter);
}

static int sorting_add_up(struct run *r, int64_t x[], int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INT64_T, MPI_SUM, r->world.comm);
}

static void book(struct run *r, struct sorting *s, double *share)
{
    s->wall_s += r->last.wall_s;
    s->read_bytes += r->last.read_bytes;
    s->write_bytes += r->last.write_bytes;
    *share = r->last.io_s / r->last.wall_s;
}

static int runs_phase(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    run_path(r, "runs", "", w->prefix, sizeof w->prefix - 16);
    snprintf(w->prefix + strlen(w->prefix), 16, ".%06d", r->world.rank);
    extsort_scratch(w->sorter, w->prefix);
    w->read_bytes = 0;
    run_phase_begin(r, "runs");
    if (!data_open(r, s->input))
        make_runs(r, s);
    data_close(r, s->input);
    int rc = run_phase_end(r);
    if (rc)
        return rc;
    w->counts = extsort_counts(w->sorter);
    int64_t moved[2] = {w->read_bytes + w->counts.read_bytes, w->counts.write_bytes};
    sorting_add_up(r, moved, 2);
    book(r, s, &s->runs_share);
    return run_moved(r, "runs", s->input->path, moved[0], moved[1]);
}

/* ---- phase merge ----------------------------------------------------------------- */

static void write_part(struct run *r, void *sorting)
{
    const struct sorting *s = sorting;
    const struct sorting_way *w = s->way;
    const struct output *o = s->output;
    int64_t first = 0, n, written = 0;
    struct writing out;
    if (r->lane >= o->writers || extsort_part(w->sorter, r->lane, r->lane, &first))
        return;
    int64_t from = r->shared ? (w->first + first) * s->order.bytes : 0;
    if (writing_open(&out, &o->of[r->lane], o->edge ? &o->edge[r->lane] : NULL, from,
                     s->order.bytes, w->slot_bytes,
                     w->writing + r->lane * w->writing_bytes))
        return;
    do {
        void *room = writing_room(&out);
        n = extsort_next(w->sorter, r->lane, room, out.most);
        writing_done(&out, n);
        written += n;
    } while (n > 0);
    writing_close(&out);
    s->part[r->lane] = written;
}

/* Finds this rank's place in the output, behind those of lower ranks. */
static void find_place(struct run *r, struct sorting_way *w)
{
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    w->first = 0;
    MPI_Exscan(&w->counts.records, &w->first, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    if (!r->world.rank)
        w->first = 0;
    phase_act(r->phase, before);
}

/* Counts the records of this rank's parts, and the bytes written for them: for part
 * files with direct I/O, whole blocks of each. */
static void count_output(const struct run *r, const struct sorting *s, int64_t *records,
                         int64_t *bytes)
{
    bool whole = !r->shared && r->io_flags & IO_DIRECT;
    *records = *bytes = 0;
    for (int i = 0; i < s->output->writers; i++) {
        int64_t part = s->part[i] * s->order.bytes;
        *records += s->part[i];
        *bytes += whole ? units_round_up(part, IO_DIRECT_ALIGN) : part;
    }
}

static int merged(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    struct extsort_counts c = w->merged;
    int64_t records, bytes;
    count_output(r, s, &records, &bytes);
    int64_t sum[4] = {c.read_bytes - w->counts.read_bytes,
                      c.write_bytes - w->counts.write_bytes + bytes, records, c.runs};
    sorting_add_up(r, sum, 4);
    s->passes = c.passes;
    s->runs = sum[3];
    world_reduce(r->world.comm, &s->passes, 1, MPI_INT64_T, MPI_MAX);
    book(r, s, &s->merge_share);
    if (sum[2] != s->records)
        return err_set(-EIO, s->output->of->path, -1,
                       "%lld records were read, and %lld written",
                       (long long)s->records, (long long)sum[2]);
    return run_moved(r, "merge", s->output->of->path, sum[0], sum[1]);
}

static int merge_phase(struct run *r, struct sorting *s)
{
    struct sorting_way *w = s->way;
    memset(s->part, 0, (size_t)s->output->writers * sizeof *s->part);
    run_phase_begin(r, "merge");
    extsort_plan(w->sorter, s->output->writers);
    find_place(r, w);
    if (!output_open(r, s->output, s->input->bytes, SORTING_WRITE_MOST, 2))
        run_lanes(r, write_part, s);
    output_close(r, s->output, true);
    if (!r->failed)
        w->merged = extsort_counts(w->sorter);
    extsort_end(w->sorter);
    int rc = run_phase_end(r);
    return rc ? rc : merged(r, s);
}

int sorting_run(struct run *r, struct sorting *s)
{
    s->wall_s = s->cpu_s = 0;
    s->read_bytes = s->write_bytes = 0;
    int64_t begin_ns = clock_cpu_ns();
    int rc = runs_phase(r, s);
    if (!rc)
        rc = merge_phase(r, s);
    else
        extsort_end(s->way->sorter);
    double cpu_s = (double)(clock_cpu_ns() - begin_ns) / 1e9;
    MPI_Allreduce(&cpu_s, &s->cpu_s, 1, MPI_DOUBLE, MPI_SUM, r->world.comm);
    return rc;
}
