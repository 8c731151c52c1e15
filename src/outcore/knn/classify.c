#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/knn/format.h"
#include "outcore/knn/scan.h"
#include "run/stream/blocks.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries --------------------------------------------------------------------- */

struct entry {
    uint64_t id;
    int64_t query, place; /* number of the query, from 0; index in its list */
};

enum { ENTRIES_BLOCK = 4096, ENTRIES_DEPTH = 2 };

static int classify_compare(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

/* Local. Collects the entries of the lists of queries from .. end - 1, into room for
 * all of them. Returns their number. */
static int64_t entries_of(const struct scan *s, int64_t from, int64_t end,
                          struct entry *to)
{
    int64_t n = 0;
    for (int64_t q = from; q < end; q++) {
        const struct neighbour *list = scan_answer(s, q);
        for (int64_t j = 0; j < s->k; j++)
            if (list[j].id != NEAREST_NONE)
                to[n++] = (struct entry){list[j].id, q, j};
    }
    qsort(to, (size_t)n, sizeof *to, classify_compare);
    return n;
}

void entries_file(struct run_file *f, struct run *r, const char *path,
                  int64_t max_request)
{
    run_file_beside(f, r, path, max_request, ENTRIES_DEPTH);
    f->engine = "posix";
    f->without |= IO_DIRECT;
}

/* ---- classification -------------------------------------------------------------- */

enum { REQUEST = 1 << 16 };

int64_t classify_memory(const struct scan *s)
{
    int64_t each =
        (int64_t)(sizeof(struct entry) + sizeof(struct extent) + sizeof(int32_t));
    return s->most * s->k * each + s->most * (int64_t)sizeof(int32_t) +
           (ENTRIES_DEPTH + 2) * REQUEST;
}

int classify_open(struct classify *c, const struct scan *s)
{
    if (c->path && c->bytes != s->rows.n && c->bytes != 2 * s->rows.n)
        return err_set(-EINVAL, c->path, -1,
                       "the file of labels has %lld bytes, and there are %lld vectors: "
                       "it must have one byte, or two, for each",
                       (long long)c->bytes, (long long)s->rows.n);
    c->label = mem_new(s->most, sizeof *c->label, "labels");
    c->near = mem_new(s->most * s->k, sizeof *c->near, "labels");
    if (c->label && c->near)
        return 0;
    return -ENOMEM;
}

void classify_close(struct classify *c)
{
    free(c->label);
    free(c->near);
    c->label = c->near = NULL;
}

/* ---- labels of the neighbours ---------------------------------------------------- */

struct reading {
    const struct classify *c;
    const struct scan *s;
    const struct entry *entry;
};

static void put_label(const struct reading *w, int64_t i, int32_t label)
{
    w->c->near[w->entry[i].query * w->s->k + w->entry[i].place] = label;
}

static void have_read(void *reading, const struct extent *e, int64_t i,
                      const void *data)
{
    const uint8_t *p = data;
    put_label(reading, i, e->bytes == 1 ? p[0] : p[0] | p[1] << 8);
}

static void read_labels(struct run *r, struct reading *w, struct extent *e, int64_t n)
{
    int64_t width = w->c->bytes / w->s->rows.n;
    struct run_file f;
    for (int64_t i = 0; i < n; i++)
        e[i] =
            (struct extent){.offset = (int64_t)w->entry[i].id * width, .bytes = width};
    entries_file(&f, r, w->c->path, REQUEST);
    if (run_file_open(&f, IO_READ))
        return;
    run_blocks_read(&f, e, n, ENTRIES_BLOCK, have_read, w);
    run_file_close(&f, false);
}

static void find_labels(struct run *r, struct classify *c, const struct scan *s)
{
    size_t most = (size_t)(s->packed.n * s->k);
    struct entry *entry = mem_new(most, sizeof *entry, "labels");
    struct extent *e = mem_new(most, sizeof *e, "labels");
    struct reading w = {c, s, entry};
    for (size_t i = 0; i < most; i++)
        c->near[i] = LABELS_NONE;
    if (!entry || !e)
        run_fail(r, -ENOMEM);
    int64_t n = entry && e ? entries_of(s, 0, s->packed.n, entry) : 0;
    for (int64_t i = 0; i < n && !c->path; i++)
        put_label(&w, i, labels_made(r->seed, entry[i].id, c->classes));
    if (c->path && n)
        read_labels(r, &w, e, n);
    free(entry);
    free(e);
}

int classify_answer(struct run *r, struct classify *c, struct scan *s)
{
    r->aside = r->samples_only = true;
    run_phase_begin(r, "classify");
    if (r->world.rank == 0) {
        find_labels(r, c, s);
        for (int64_t q = 0; q < s->packed.n; q++)
            c->label[q] = labels_vote(c->near + q * s->k, s->k);
    }
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    return rc;
}

/* ---- the check ------------------------------------------------------------------- */

enum {
    CHECK_REQUEST = 1 << 20,
    STRETCHES = 16 /* runs of consecutive vectors in the sample, to save seeks */
};

static const double NEAR = 1e-5; /* relative error allowed to float32 */

struct checking {
    struct run *r;
    const struct scan *s;
    struct entry *entry; /* of extents, if these are entries of lists */
    int64_t distances;
};

static int64_t request_bytes(const struct scan *s)
{
    return CHECK_REQUEST + units_round_up(s->format.stride, ENTRIES_BLOCK);
}

/* The memory for entries of the lists of one rank's queries, each with its extent. */
int64_t check_memory(const struct scan *s)
{
    int64_t n = s->most * s->k + STRETCHES;
    return n * (int64_t)(sizeof(struct entry) + sizeof(struct extent)) +
           (ENTRIES_DEPTH + 2) * request_bytes(s);
}

static void classify_wrong(const struct checking *c, const char *what, int64_t query,
                           uint64_t id, double d2, double expected)
{
    run_fail(c->r,
             err_set(-EIO, c->s->data.path, -1,
                     "the answer is wrong: query %lld, vector %llu %s (d^2 %.9g, "
                     "by float64 %.9g)",
                     (long long)query, (unsigned long long)id, what, d2, expected));
}

/* ---- entries of the lists -------------------------------------------------------- */

static void check_order(const struct checking *c, int64_t query)
{
    const struct neighbour *list = scan_answer(c->s, query);
    for (int64_t j = 1; j < c->s->k; j++)
        if (list[j].id != NEAREST_NONE && !nearest_before(&list[j - 1], &list[j]))
            classify_wrong(c, "comes before a nearer one", query, list[j - 1].id,
                           (double)list[j - 1].d2, (double)list[j].d2);
}

static void check_entry(void *checking, const struct extent *e, int64_t i,
                        const void *data)
{
    struct checking *c = checking;
    const struct scan *s = c->s;
    const struct entry *p = &c->entry[i];
    double d2 = (double)scan_answer(s, p->query)[p->place].d2;
    double exact = kernel_exact((const char *)data + s->format.skip,
                                s->queries + p->query * s->format.dim, s->format.dim);
    c->distances++;
    c->r->checked++;
    (void)e;
    /* An infinite distance is one beyond float32. */
    if (!(fabs(d2 - exact) <= NEAR * exact + 1e-30) && !(isinf(d2) && exact > 3e38))
        classify_wrong(c, "is not as far as said", p->query, p->id, d2, exact);
}

static struct extent extent_of(const struct scan *s, int64_t row, int64_t rows)
{
    return (struct extent){.offset = s->format.head + row * s->format.stride,
                           .bytes = rows * s->format.stride};
}

/* ---- vectors that are not in the lists ------------------------------------------- */

static bool is_listed(const struct scan *s, int64_t query, uint64_t id)
{
    const struct neighbour *list = scan_answer(s, query);
    for (int64_t j = 0; j < s->k; j++)
        if (list[j].id == id)
            return true;
    return false;
}

static void check_row(struct checking *c, const char *row, uint64_t id)
{
    const struct scan *s = c->s;
    for (int64_t q = 0; q < s->packed.n; q++) {
        double last = (double)scan_answer(s, q)[s->k - 1].d2;
        double exact = kernel_exact(row + s->format.skip,
                                    s->queries + q * s->format.dim, s->format.dim);
        if (exact < last * (1 - NEAR) && !is_listed(s, q, id))
            classify_wrong(c, "is nearer than the last one of the list, and missing", q,
                           id, last, exact);
    }
    c->distances += s->packed.n;
    c->r->checked++;
}

static void check_stretch(void *checking, const struct extent *e, int64_t i,
                          const void *data)
{
    struct checking *c = checking;
    int64_t stride = c->s->format.stride;
    int64_t row = (e->offset - c->s->format.head) / stride;
    (void)i;
    for (int64_t at = 0; at < e->bytes && !c->r->failed; at += stride)
        check_row(c, (const char *)data + at, (uint64_t)(row + at / stride));
}

/* Divides this rank's rows into equal parts, and takes a run of vectors somewhere
 * in each. */
static int64_t stretches(const struct checking *c, int64_t sample, struct extent *e)
{
    const struct scan *s = c->s;
    struct run *r = c->r;
    int64_t from = data_share(&s->rows, r->worker, r->workers);
    int64_t rows = data_share(&s->rows, r->worker + r->lanes, r->workers) - from;
    int64_t most = request_bytes(s) / s->format.stride, n = 0;
    for (int64_t i = 0; i < STRETCHES; i++) {
        int64_t first = rows * i / STRETCHES, part = rows * (i + 1) / STRETCHES - first;
        int64_t want = units_div_up(sample, STRETCHES);
        want = want < most ? want : most;
        want = want < part ? want : part;
        int64_t skip = (int64_t)rng_below(s->key, (uint64_t)(from + first),
                                          (uint64_t)(part - want + 1));
        if (want)
            e[n++] = extent_of(s, from + first + skip, want);
    }
    return n;
}

/* ---- the whole check ------------------------------------------------------------- */

/* Checks through another open of the file, so that the measured one is not affected. */
static void check_by(struct checking *c, struct extent *e, int64_t sample)
{
    struct run_file f;
    entries_file(&f, c->r, c->s->data.path, request_bytes(c->s));
    if (run_file_open(&f, IO_READ))
        return;
    int64_t size = c->r->world.size, rank = c->r->world.rank, queries = c->s->packed.n;
    int64_t from = units_part(queries, rank, size);
    int64_t end = units_part(queries, rank + 1, size);
    int64_t n = entries_of(c->s, from, end, c->entry);
    for (int64_t q = from; q < end; q++)
        check_order(c, q);
    for (int64_t i = 0; i < n; i++)
        e[i] = extent_of(c->s, (int64_t)c->entry[i].id, 1);
    run_blocks_read(&f, e, n, ENTRIES_BLOCK, check_entry, c);
    n = stretches(c, sample, e);
    run_blocks_read(&f, e, n, ENTRIES_BLOCK, check_stretch, c);
    run_file_close(&f, false);
}

int check_answer(struct run *r, struct scan *s, int64_t sample, int64_t *distances)
{
    size_t n = (size_t)(s->most * s->k + STRETCHES);
    struct checking c = {r, s, mem_new(n, sizeof *c.entry, "checking distances"), 0};
    struct extent *e = mem_new(n, sizeof *e, "checking distances");
    r->aside = r->samples_only = true;
    run_phase_begin(r, "check");
    enum act before = phase_act(r->phase, ACT_CHECK);
    data_sums_check(r, &s->data);
    if (!c.entry || !e)
        run_fail(r, -ENOMEM);
    else if (!r->failed)
        check_by(&c, e, sample);
    phase_act(r->phase, before);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    free(c.entry);
    free(e);
    MPI_Allreduce(&c.distances, distances, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    return rc;
}
