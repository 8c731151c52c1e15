#include "outcore/data/graphs.h"
#include "base/draw.h"
#include "base/err.h"
#include "base/rng.h"
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SCALE_MOST = 47 };
#define VERTICES_MOST (INT64_C(1) << 48)

/* ---- graph names ----------------------------------------------------------------- */

static int parse_scale_free(struct graphs_made *g, const char *text)
{
    long long hubs, vertices, degree;
    char rest;
    if (sscanf(text, "S:%lld,%lld,%lld%c", &hubs, &vertices, &degree, &rest) != 3)
        return err_usage("%s: a scale-free graph is S:HUBS,VERTICES,DEGREE, as in "
                         "S:45,1000000,5",
                         text);
    g->hubs = hubs;
    g->vertices = vertices;
    g->degree = degree;
    if (hubs < 1 || vertices <= hubs || vertices > VERTICES_MOST || degree < 1 ||
        __builtin_mul_overflow(g->vertices, g->degree, &g->edges) ||
        g->edges > INT64_MAX / GRAPHS_EDGE || (g->edges /= 2) <= g->hubs)
        return err_usage("%s: it takes at least one hub, more vertices than hubs (at "
                         "most 2^48), and more edges (half of vertices x degree) than "
                         "hubs",
                         text);
    g->rows = 2 * g->edges;
    return 0;
}

static int parse_kronecker(struct graphs_made *g, const char *text)
{
    long long scale, factor;
    char rest;
    if (sscanf(text, "kronecker:%lld,%lld%c", &scale, &factor, &rest) != 2)
        return err_usage("%s: a Kronecker graph is kronecker:SCALE,EDGEFACTOR, as in "
                         "kronecker:20,16",
                         text);
    if (scale < 1 || scale > SCALE_MOST || factor < 1 ||
        factor > INT64_MAX / GRAPHS_EDGE >> scale)
        return err_usage("%s: the scale is 1 to %d, and there are fewer than 2^59 "
                         "edges (2^scale x factor)",
                         text, SCALE_MOST);
    g->scale = (int)scale;
    g->vertices = INT64_C(1) << scale;
    g->edges = g->rows = (int64_t)factor << scale;
    return 0;
}

int graphs_parse(struct graphs_made *g, const char *text)
{
    *g = (struct graphs_made){.kind = GRAPHS_SCALE_FREE};
    if (!strncmp(text, "S:", 2))
        return parse_scale_free(g, text);
    if (strncmp(text, "kronecker:", 10) != 0)
        return 1;
    g->kind = GRAPHS_KRONECKER;
    return parse_kronecker(g, text);
}

void graphs_seed(struct graphs_made *g, uint64_t seed)
{
    bool free = g->kind == GRAPHS_SCALE_FREE;
    g->key = rng_key(seed, free ? RNG_GRAPH : RNG_KRONECKER_BITS);
    g->renumber_key = rng_key(seed, RNG_KRONECKER_NUMBERING);
}

/* ---- edges ----------------------------------------------------------------------- */

static uint64_t source_of(const struct graphs_made *g, int64_t k)
{
    if (k < g->hubs)
        return (uint64_t)k;
    return (uint64_t)(g->hubs +
                      (int64_t)((__int128)(k - g->hubs) * (g->vertices - g->hubs) /
                                (g->edges - g->hubs)));
}

/* The target of edge k. Place p of the list of all ends, with sources at even places,
 * is a copy of an earlier place, which may be a copy itself. */
static uint64_t target_of(const struct graphs_made *g, int64_t k)
{
    if (k < g->hubs)
        return (uint64_t)((k + 1) % g->hubs);
    for (uint64_t p = 2 * (uint64_t)k + 1;;) {
        uint64_t q = rng_below(g->key, p, p - 1);
        int64_t h = (int64_t)(q / 2);
        if (q % 2 == 0)
            return source_of(g, h);
        if (h < g->hubs)
            return (uint64_t)((h + 1) % g->hubs);
        p = q;
    }
}

static void make_scale_free(const struct graphs_made *g, int64_t i, uint64_t edge[2])
{
    edge[i % 2] = source_of(g, i / 2);
    edge[1 - i % 2] = target_of(g, i / 2);
}

static void make_kronecker(const struct graphs_made *g, int64_t j, uint64_t edge[2])
{
    int64_t a = 0, b = 0;
    for (int bit = 0; bit < g->scale; bit++) {
        double r = rng_real(g->key, (uint64_t)j * (uint64_t)g->scale + (uint64_t)bit);
        a = a << 1 | (r >= .76);
        b = b << 1 | ((r >= .57 && r < .76) || r >= .95);
    }
    edge[0] = (uint64_t)shuffle(a, g->vertices, g->renumber_key);
    edge[1] = (uint64_t)shuffle(b, g->vertices, g->renumber_key);
}

void graphs_make(const void *made, int64_t first, int64_t n, void *to)
{
    const struct graphs_made *g = made;
    uint64_t edge[2];
    for (int64_t i = 0; i < n; i++) {
        if (g->kind == GRAPHS_SCALE_FREE)
            make_scale_free(g, first + i, edge);
        else
            make_kronecker(g, first + i, edge);
        edge[0] = htole64(edge[0]);
        edge[1] = htole64(edge[1]);
        memcpy((char *)to + i * GRAPHS_EDGE, edge, GRAPHS_EDGE);
    }
}
