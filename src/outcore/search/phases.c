#include "base/err.h"
#include "base/units.h"
#include "outcore/search/index.h"
#include "outcore/search/search.h"
#include "outcore/sort/sorting.h"
#include "run/lanes.h"
#include "sort/order.h"
#include <errno.h>
#include <string.h>

/* ---- the check of answers -------------------------------------------------------- */

/* Verifies answers by the records themselves: the one at the position must not be
 * before the key, and the one before it must be. */

struct verify {          /* answers of a rank */
    struct run_file *of; /* for each lane */
    const struct sort_order *order;
    const struct pages *pages;
    const char *keys;
    int64_t first; /* number of the first of n look-ups, for the user */
    int64_t n, key_bytes;
    const int64_t *answer;     /* lookup_answer */
    struct io_req *const *req; /* for each lane's reads */
};

struct verifying { /* a lane: its n answers from `first` on */
    const struct verify *v;
    struct run *r;
    int64_t first;
};

/* The records before and at the position, as far as they exist. */
static struct fetch_records around(const struct pages *p, int64_t position)
{
    struct fetch_records w = {position - (position > 0), 0};
    w.n = position - w.first + (position < p->records);
    return w;
}

static struct fetch_records want(void *context, int64_t i, int slot)
{
    const struct verifying *c = context;
    (void)slot;
    return around(c->v->pages, lookup_found(c->v->answer[c->first + i]).position);
}

static bool is_right(const struct verify *v, struct found is, const char *records,
                     const char *key)
{
    const char *at = records + (is.position > 0) * v->order->bytes;
    int differs = is.position < v->pages->records ? sort_compare(v->order, at, key) : 1;
    bool after = !is.position || sort_compare(v->order, records, key) < 0;
    return after && differs >= 0 && is.equal == !differs;
}

static void have(void *context, const struct fetched *records, int64_t i, int slot)
{
    const struct verifying *c = context;
    const struct verify *v = c->v;
    int64_t q = c->first + i;
    struct found is = lookup_found(v->answer[q]);
    (void)slot;
    c->r->checked++;
    if (is_right(v, is, records->records, v->keys + q * v->key_bytes))
        return;
    c->r->bad++;
    run_fail(c->r, err_set(-EIO, v->of->path, is.position * v->order->bytes,
                           "look-up %lld was answered with record %lld, %s, and the "
                           "records there say otherwise",
                           (long long)v->first + q, (long long)is.position,
                           is.equal ? "which has the key" : "the first after the key"));
}

/* Local. The body, for run_lanes; `verify` is a struct verify. Reads untimed; a wrong
 * answer is a failure, and counts as bad. */
static void verify_answers(struct run *r, void *verify)
{
    const struct verify *v = verify;
    struct verifying c = {.v = v, .r = r};
    c.first = units_part(v->n, r->lane, r->lanes);
    struct fetch f = {.pages = v->pages,
                      .want = want,
                      .have = have,
                      .context = &c,
                      .n = units_part(v->n, r->lane + 1, r->lanes) - c.first,
                      .untimed = true};
    fetch_run(&f, &v->of[r->lane], v->req[r->lane]);
}

/* ---- phases ---------------------------------------------------------------------- */

enum { PROBE_READS = 256, PROBE_BYTES = 16 << 20 }; /* of a lane */

/* ---- phases ---------------------------------------------------------------------- */

/* Names the sorted file, for `depth` requests in flight per lane. */
static void name_sorted(struct run *r, struct search *s, int depth)
{
    data_name(r, &s->sorted, "sorted", search_request_bytes(s), depth);
}

static void search_begin(struct run *r, struct search *s, const char *name, bool aside)
{
    r->aside = r->samples_only = aside;
    run_phase_begin(r, name);
    data_open(r, &s->sorted);
}

static int search_end(struct run *r, struct search *s)
{
    data_close(r, &s->sorted);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    return rc;
}

/* Compares the bytes counted with those that all lanes were to read. */
static int counted(struct run *r, const char *phase, int64_t bytes)
{
    world_reduce(r->world.comm, &bytes, 1, MPI_INT64_T, MPI_SUM);
    return run_moved(r, phase, NULL, bytes, 0);
}

static int64_t all_max(const struct run *r, int64_t value)
{
    world_reduce(r->world.comm, &value, 1, MPI_INT64_T, MPI_MAX);
    return value;
}

/* ---- the index ------------------------------------------------------------------- */

static int64_t built_bytes(const struct run *r, const struct build *b)
{
    int64_t bytes = 0;
    for (int i = 0; i < r->lanes; i++)
        bytes += b->lane[i].bytes;
    return bytes;
}

/* Reads a small part of the file in one way: returns the pages of all ranks
 * per second. */
static double probe_rate(struct run *r, struct search *s, bool scan, int64_t most,
                         int64_t *bytes)
{
    struct build b = s->build;
    int64_t pages = 0, begin_ns = clock_ns();
    b.scan = scan;
    b.most = most;
    run_lanes(r, build_words, &b);
    int64_t ns = all_max(r, clock_ns() - begin_ns);
    *bytes += built_bytes(r, &b);
    for (int i = 0; i < r->lanes; i++) {
        int64_t n = units_part(b.end - b.from, i + 1, r->lanes) -
                    units_part(b.end - b.from, i, r->lanes);
        pages += n < most ? n : most;
    }
    world_reduce(r->world.comm, &pages, 1, MPI_INT64_T, MPI_SUM);
    return (double)pages / ((double)(ns ? ns : 1) / 1e9);
}

/* --build=auto. Estimates the times of both ways by a part of the file. */
static int search_probe(struct run *r, struct search *s)
{
    int64_t bytes = 0, most = PROBE_BYTES / s->pages.block;
    search_begin(r, s, "probe", false);
    r->samples_only = true;
    double strided = probe_rate(r, s, false, PROBE_READS, &bytes);
    double scan = probe_rate(r, s, true, most > 1 ? most : 1, &bytes);
    int rc = search_end(r, s);
    if (rc || (rc = counted(r, "probe", bytes)))
        return rc;
    s->build.scan = scan > strided;
    run_figure(r, "index", "scan_expected_s", "s", "lower",
               "pages / those that were read sequentially in a second, in a part of "
               "the file",
               (double)s->pages.n / scan);
    run_figure(r, "index", "strided_expected_s", "s", "lower",
               "pages / those of which one record each was read in a second, in a part "
               "of the file",
               (double)s->pages.n / strided);
    return 0;
}

/* Sends all words to all ranks. */
static void replicate(struct run *r, struct search *s)
{
    enum { MOST = 1 << 30 };
    int64_t n = s->pages.n, P = r->world.size;
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    for (int i = 0; i < P; i++) {
        int64_t end = units_part(n, i + 1, P);
        for (int64_t at = units_part(n, i, P); at < end; at += MOST)
            MPI_Bcast(s->index.word + at, (int)(end - at < MOST ? end - at : MOST),
                      MPI_UINT64_T, i, r->world.comm);
    }
    phase_act(r->phase, before);
}

static int build_index(struct run *r, struct search *s)
{
    struct build *b = &s->build;
    b->most = INT64_MAX;
    search_begin(r, s, "index", false);
    run_lanes(r, build_words, b);
    build_join(r, b);
    if (!s->split && r->world.size > 1)
        replicate(r, s);
    index_finish(&s->index);
    int rc = search_end(r, s);
    if (!rc)
        rc = counted(r, "index", built_bytes(r, b));
    if (!rc && !b->scan)
        run_figure(r, "index", "reads_per_s", "1/s", "higher",
                   "reads of a record, one for each block / slowest rank's phase "
                   "seconds",
                   (double)s->pages.n / r->last.wall_s);
    return rc;
}

static int index_phases(struct run *r, struct search *s)
{
    int rc = s->how == SEARCH_AUTO ? search_probe(r, s) : 0;
    if (s->how != SEARCH_AUTO)
        s->build.scan = s->how == SEARCH_SCAN;
    return rc ? rc : build_index(r, s);
}

/* ---- keys and checks ------------------------------------------------------------- */

static int make_keys(struct run *r, struct search *s)
{
    struct keys_work w = {.of = s->sorted.of,
                          .keys = &s->keys,
                          .first = s->first,
                          .n = s->n,
                          .to = s->key,
                          .req = s->req};
    search_begin(r, s, "keys", true);
    run_lanes(r, keys_fill, &w);
    return search_end(r, s);
}

static int search_verify(struct run *r, struct search *s)
{
    struct verify v = {.of = s->sorted.of,
                       .order = &s->form.order,
                       .pages = &s->pages,
                       .keys = s->key,
                       .first = s->first,
                       .n = s->n,
                       .key_bytes = s->keys.key_bytes,
                       .answer = s->answer,
                       .req = s->req};
    search_begin(r, s, "verify", true);
    run_lanes(r, verify_answers, &v);
    return search_end(r, s);
}

/* ---- look-ups -------------------------------------------------------------------- */

struct pass { /* of this rank; then of all */
    int64_t wall_ns, cpu_ns, reads, bytes, longest_ns;
    int64_t hist[HIST_SIZE];
};

static void add_lanes(const struct run *r, const struct search *s, struct pass *p)
{
    for (int i = 0; i < r->lanes; i++) {
        const struct lookups_lane *l = &s->lookups.lane[i];
        p->reads += l->reads;
        p->bytes += l->bytes;
        p->longest_ns = l->longest_ns > p->longest_ns ? l->longest_ns : p->longest_ns;
        for (int b = 0; b < HIST_SIZE; b++)
            p->hist[b] += l->hist[b];
    }
}

static void add_ranks(const struct run *r, struct pass *p)
{
    p->wall_ns = all_max(r, p->wall_ns);
    p->longest_ns = all_max(r, p->longest_ns);
    world_reduce(r->world.comm, &p->cpu_ns, 3, MPI_INT64_T, MPI_SUM);
    world_reduce(r->world.comm, p->hist, HIST_SIZE, MPI_INT64_T, MPI_SUM);
}

static void search_add_figures(struct run *r, const struct search *s,
                               const struct pass *p)
{
    const double n = (double)s->set->lookups, longest_s = (double)p->longest_ns / 1e9;
    static const struct {
        const char *name, *what;
        double q;
    } tails[] = {
        {"p50_us", "median of the look-ups' latencies", 0.5},
        {"p99_us", "latency that 99 % of the look-ups do not exceed", 0.99},
        {"p999_us", "latency that 99.9 % of the look-ups do not exceed", 0.999}};
    run_figure(r, "lookup", "mean_us", "us", "lower",
               "slowest rank's time for all look-ups / look-ups of all ranks",
               (double)p->wall_ns / 1e3 / n);
    run_figure(r, "lookup", "per_s", "1/s", "higher",
               "look-ups of all ranks / slowest rank's time for them",
               n / ((double)p->wall_ns / 1e9));
    run_figure(r, "lookup", "cpu_us", "us", "lower",
               "processor time of all ranks' processes in that time / look-ups",
               (double)p->cpu_ns / 1e3 / n);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        run_figure(
            r, "lookup", tails[i].name, "us", "lower", tails[i].what,
            1e6 * report_quantile(p->hist, s->set->lookups, tails[i].q, longest_s));
}

static int64_t unanswered(const struct search *s)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->answer[i] < 0)
            return i;
    return -1;
}

static struct search_answers search_sum_up(const struct run *r, const struct search *s)
{
    struct search_answers a = {0};
    for (int64_t i = 0; i < s->n; i++) {
        struct found f = lookup_found(s->answer[i]);
        a.found += f.equal;
        a.sum += f.position;
        if (s->first + i < SEARCH_FIRST)
            a.first[s->first + i] = f.position;
    }
    world_reduce(r->world.comm, &a, (int)(sizeof a / sizeof(int64_t)), MPI_INT64_T,
                 MPI_SUM);
    return a;
}

/* Takes the answers, and compares them with those of earlier passes: they must be the
 * same for any way. */
static int take_answers(struct run *r, struct search *s, int64_t reads)
{
    int64_t none = unanswered(s);
    int rc = none < 0 ? 0
                      : err_set(-EIO, s->sorted.path, -1, "look-up %lld has no answer",
                                (long long)s->first + none);
    rc = err_agree(r->world.comm, rc);
    if (rc)
        return rc;
    struct search_answers a = search_sum_up(r, s);
    if (s->answered && (a.found != s->answers.found || a.sum != s->answers.sum))
        return err_set(-EIO, s->sorted.path, -1,
                       "%lld keys were found, and the sum of positions is %lld; in the "
                       "pass before it was %lld and %lld",
                       (long long)a.found, (long long)a.sum,
                       (long long)s->answers.found, (long long)s->answers.sum);
    a.reads = reads;
    s->answers = a;
    s->answered = true;
    return 0;
}

static int search_look_up(struct run *r, struct search *s, int lanes)
{
    struct pass p = {0};
    s->lookups.lanes = lanes;
    lookups_begin(&s->lookups, r->lanes);
    search_begin(r, s, "lookup", false);
    p.wall_ns = -clock_ns();
    p.cpu_ns = -clock_cpu_ns();
    if (!r->failed)
        share_look_up(r, &s->share, &s->lookups, s->key, s->n, s->answer);
    p.cpu_ns += clock_cpu_ns();
    p.wall_ns += clock_ns();
    int rc = search_end(r, s);
    add_lanes(r, s, &p);
    if (!rc)
        rc = counted(r, "lookup", p.bytes);
    if (!rc) {
        add_ranks(r, &p);
        search_add_figures(r, s, &p);
        rc = take_answers(r, s, p.reads);
    }
    return rc;
}

static int look_up_all(struct run *r, struct search *s)
{
    int rc = 0;
    if (!s->sweep.n)
        return search_look_up(r, s, r->lanes);
    for (int i = 0; i < s->sweep.n && !rc; i++) {
        int value = (int)s->sweep.is[i];
        r->at = (struct report_at){.name = s->sweeps_threads ? "threads" : "depth",
                                   .value = value};
        if (!s->sweeps_threads)
            name_sorted(r, s, value);
        rc = search_look_up(r, s, s->sweeps_threads ? value : r->lanes);
    }
    r->at.name = NULL;
    name_sorted(r, s, search_depth_most(s));
    return rc;
}

/* ---- a repetition ---------------------------------------------------------------- */

/* Makes and sorts the file, which is not part of the work. */
static int make_sorted(struct run *r, struct search *s)
{
    struct check_answer sorted;
    data_name(r, &s->unsorted, "unsorted", SORTING_READ_BYTES, SORTING_READ_DEPTH);
    int rc = data_make(r, &s->unsorted, &s->rows);
    r->aside = r->samples_only = true;
    if (!rc)
        rc = sorting_run(r, &s->sorting);
    r->aside = r->samples_only = false;
    if (!rc && r->verify)
        rc = check_sorted(r, &s->sorting, &sorted);
    int removed = data_remove(r, &s->unsorted);
    snprintf(s->sorted.path, sizeof s->sorted.path, "%s", s->output.of->path);
    return rc ? rc : removed;
}

int search_repetition(struct run *r, void *context)
{
    struct search *s = context;
    int rc = s->set->records ? make_sorted(r, s) : 0;
    if (rc)
        return rc;
    name_sorted(r, s, search_depth_most(s));
    rc = s->indexed ? index_phases(r, s) : 0;
    if (!rc)
        rc = make_keys(r, s);
    if (!rc)
        rc = look_up_all(r, s);
    if (!rc && r->verify)
        rc = search_verify(r, s);
    return rc;
}
