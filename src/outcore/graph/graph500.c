#include "outcore/graph/graph500.h"
#include "base/draw.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/graph/teps.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIED = 1024 }; /* candidates looked up at a time */

int64_t graph500_memory(const struct graph500 *g)
{
    return tree_memory(g->q->s) + g->most * 32;
}

int graph500_open(struct graph500 *g)
{
    size_t most = (size_t)g->most;
    g->root = malloc(most * sizeof *g->root);
    g->seconds = malloc(most * 3 * sizeof *g->seconds);
    if (!g->root || !g->seconds)
        return err_set(-ENOMEM, NULL, -1, "no memory for %zu root%s", most,
                       units_s(most));
    g->edge = g->seconds + most;
    g->rate = g->edge + most;
    return tree_open(&g->tree, g->q, g->edges);
}

void graph500_close(struct graph500 *g)
{
    tree_close(&g->tree);
    free(g->root);
    free(g->seconds);
    g->root = NULL;
    g->seconds = NULL;
}

/* ---- roots ----------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the candidates of this rank that have an edge to another vertex, as flags in
 * the order of the candidates. */
static void look_up(struct search *q, const uint64_t *vertex, int64_t n, int *good)
{
    uint64_t ranks = (uint64_t)q->s->r->world.size,
             rank = (uint64_t)q->s->r->world.rank;
    const uint64_t *found = NULL;
    int64_t mine = 0, at = 0;
    for (int64_t i = 0; i < n; i++)
        if (vertex[i] % ranks == rank)
            q->taken.key[mine++] = vertex[i];
    qsort(q->taken.key, (size_t)mine, sizeof *q->taken.key, by_number);
    int64_t count = mine ? search_collect(q, mine, &found) : 0;
    for (int64_t k = 0; k < mine && count; k++) {
        int other = 0;
        for (; at < (int64_t)q->list_end[k]; at++)
            other |= found[at] != q->taken.key[k];
        for (int64_t i = 0; i < n; i++)
            if (vertex[i] == q->taken.key[k])
                good[i] = other;
    }
}

/* Draws roots. Candidates come in an order without repetition that depends on the
 * seed only. */
static void draw_roots(struct graph500 *g)
{
    struct search *q = g->q;
    struct run *r = q->s->r;
    int64_t vertices = (int64_t)q->s->vertices, done = 0;
    int64_t most = q->batch < TRIED ? q->batch : TRIED;
    uint64_t vertex[TRIED], key = rng_key(r->seed, RNG_SEARCHED);
    int good[TRIED], failed = 0;
    g->roots = 0;
    while (done < vertices && g->roots < g->most && !failed) {
        int64_t n = vertices - done < most ? vertices - done : most;
        for (int64_t i = 0; i < n; i++, done++) {
            vertex[i] = (uint64_t)shuffle(done, vertices, key);
            good[i] = 0;
        }
        if (!r->failed)
            look_up(q, vertex, n, good);
        MPI_Allreduce(MPI_IN_PLACE, good, (int)n, MPI_INT, MPI_MAX, r->world.comm);
        for (int64_t i = 0; i < n && g->roots < g->most; i++)
            if (good[i])
                g->root[g->roots++] = vertex[i];
        failed = r->failed != 0;
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, r->world.comm);
    }
}

static int find_roots(struct graph500 *g)
{
    struct store *s = g->q->s;
    struct run *r = s->r;
    run_phase_begin(r, "roots");
    store_searched_none(s);
    store_files_open(s, false);
    draw_roots(g);
    store_files_close(s, false);
    int rc = run_phase_end(r);
    if (!rc)
        rc = store_moved_all(s, "roots",
                             s->searched.places.bytes + s->searched.lists.bytes, 0);
    if (rc || g->roots)
        return rc;
    return err_set(-EINVAL, g->edges->file.path, -1,
                   "no edge connects two vertices: there is nothing to search from");
}

/* ---- searches -------------------------------------------------------------------- */

static int validate(struct graph500 *g, int64_t i)
{
    struct run *r = g->q->s->r;
    run_phase_begin(r, "validate");
    tree_check(&g->tree);
    int rc = run_phase_end(r);
    if (!rc)
        rc = store_moved_all(g->q->s, "validate", edges_bytes(g->edges), 0);
    if (rc)
        return rc;
    int64_t inside = g->tree.inside;
    MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    g->edge[i] = (double)(inside / 2);
    g->rate[i] = g->edge[i] / g->seconds[i];
    return 0;
}

static int search_from(struct graph500 *g, int64_t i)
{
    struct run *r = g->q->s->r;
    g->q->root = g->root[i];
    int rc = search_phase(g->q);
    if (rc)
        return rc;
    g->seconds[i] = r->last.work_s;
    g->read_bytes += r->last.read_bytes;
    g->write_bytes += r->last.write_bytes;
    r->aside = true;
    rc = validate(g, i);
    r->aside = false;
    return rc;
}

static void add_figures(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    run_figure(r, "search", "harmonic_TEPS", "1/s", "higher",
               "harmonic mean over roots of edges with both ends in the tree / slowest "
               "rank's seconds of reading, computing, exchanging, writing and syncing",
               teps_of(g->rate, (int)g->roots, 1).mean);
    run_figure(r, "search", "read_MB", "MB", "lower", "bytes read / 1e6",
               (double)g->read_bytes / 1e6);
    run_figure(r, "search", "write_MB", "MB", "lower", "bytes written / 1e6",
               (double)g->write_bytes / 1e6);
}

int graph500_run(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    r->samples_only = r->aside = true;
    int rc = find_roots(g);
    r->aside = false;
    g->read_bytes = g->write_bytes = 0;
    for (int64_t i = 0; i < g->roots && !rc; i++)
        rc = search_from(g, i);
    r->samples_only = false;
    if (!rc)
        add_figures(g);
    return rc;
}

/* ---- results --------------------------------------------------------------------- */

static void say(struct run *r, const char *what, double *x, int64_t n, int harmonic)
{
    struct teps t = teps_of(x, (int)n, harmonic);
    const struct {
        const char *name;
        double value;
    } of[] = {{"min", t.min},
              {"firstquartile", t.first_quartile},
              {"median", t.median},
              {"thirdquartile", t.third_quartile},
              {"max", t.max},
              {harmonic ? "harmonic_mean" : "mean", t.mean},
              {harmonic ? "harmonic_stddev" : "stddev", t.stddev}};
    char name[64];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        snprintf(name, sizeof name, "%s_%s", of[i].name, what);
        run_result(r, name, of[i].value);
    }
}

void graph500_results(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    run_result(r, "NBFS", (double)g->roots);
    say(r, "time", g->seconds, g->roots, 0);
    say(r, "nedge", g->edge, g->roots, 0);
    say(r, "TEPS", g->rate, g->roots, 1);
}
