/* Scheme G: no I/O node. The rows of the grid are dealt to the ranks that write, in
 * bands; soundings go to the rank of their band, which sorts them. Ranks then agree on
 * the number of blocks of each band, and write their own bands directly into the one
 * PFM, with MPI-IO's collective transfers if --collective is given.
 *
 * On a rank that writes, 4 bytes of --memory are used for each bin of its bands. */
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "pfmload/input/deal.h"
#include "pfmload/input/load.h"
#include "pfmload/schemes/exchange.h"
#include "pfmload/store/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BANDS_PER_WRITER = 64 }; /* enough to give all about as many soundings */

struct bands {
    int writers, ranks;
    int64_t rows;    /* of a band */
    int64_t bins;    /* of a band */
    int64_t n;       /* number of bands */
    int64_t *offset; /* n + 1 entries: offset of each band's first block in the .ndx */
};

/* The bins of a band, and its writer. */
struct band {
    int64_t first, end;
    int writer;
    uint32_t *count; /* of its first bin, if this rank writes it */
};

struct g {
    struct load *l;
    struct bands bands;
    int writer;      /* number of this rank among the writers; -1: none */
    uint32_t *count; /* soundings of each bin of this rank's bands */
    struct band at;  /* band of the previous sounding */
    struct extsort *sorter;
    struct exchange *exchange;
    struct writer w;
    /* being written */
    const struct pfm_sounding *next;
    int64_t n;
};

/* ---- distribution --------------------------------------------------------------- */

static void set_bands(struct bands *b, const struct load *l)
{
    const struct pfm_head *h = &l->head;
    int64_t asked = l->set->io_ranks;
    b->ranks = l->r->world.size;
    b->writers = asked && asked < b->ranks ? (int)asked : b->ranks;
    b->rows = units_div_up(h->height, (int64_t)b->writers * BANDS_PER_WRITER);
    b->bins = b->rows * h->width;
    b->n = units_div_up(h->height, b->rows);
}

/* Spreads writers over all ranks, and so over nodes. */
static int rank_of(const struct bands *b, int writer)
{
    return (int)((int64_t)writer * b->ranks / b->writers);
}

static int writer_of(const struct bands *b, int64_t band)
{
    return (int)(band % b->writers);
}

static int find_writer(const struct bands *b, int rank)
{
    for (int i = 0; i < b->writers; i++)
        if (rank_of(b, i) == rank)
            return i;
    return -1;
}

static int64_t bands_of(const struct bands *b, int writer)
{
    return writer < 0 ? 0 : units_div_up(b->n - writer, b->writers);
}

/* ---- reading -------------------------------------------------------------------- */

static void find_band(struct g *g, int64_t bin)
{
    const struct bands *b = &g->bands;
    int64_t band = bin / b->bins;
    g->at = (struct band){.first = band * b->bins,
                          .end = (band + 1) * b->bins,
                          .writer = writer_of(b, band),
                          .count = g->count};
    if (g->at.writer == g->writer)
        g->at.count += band / b->writers * b->bins;
}

/* Finds the band of a bin, which is mostly the previous one. */
static inline const struct band *band_at(struct g *g, int64_t bin)
{
    if (bin < g->at.first || bin >= g->at.end)
        find_band(g, bin);
    return &g->at;
}

/* Stores soundings of this rank's bands, its own or from others. */
static int scheme_g_keep(void *context, const struct pfm_sounding *s, int64_t n)
{
    struct g *g = context;
    for (int64_t i = 0; i < n; i++) {
        const struct band *band = band_at(g, s[i].bin);
        band->count[s[i].bin - band->first]++;
    }
    return extsort_add(g->sorter, s, n);
}

static int route(void *context, const struct pfm_sounding *s, int64_t n)
{
    struct g *g = context;
    int rc = 0;
    /* others progress at about the same rate */
    load_progress(g->l, n * g->bands.ranks);
    for (int64_t i = 0, j; i < n && !rc; i = j) {
        int writer = band_at(g, s[i].bin)->writer;
        for (j = i + 1; j < n && band_at(g, s[j].bin)->writer == writer;)
            j++;
        if (writer == g->writer)
            rc = scheme_g_keep(g, s + i, j - i);
        else
            rc = exchange_add(g->exchange, s + i, j - i, rank_of(&g->bands, writer));
    }
    return rc;
}

/* Reads this rank's items. Those without bytes are dealt, too. */
static void read_mine(struct g *g)
{
    struct load *l = g->l;
    int64_t *bytes = mem_new(l->items + 1, sizeof *bytes, "dealing files");
    int *rank_of = mem_new(l->items + 1, sizeof *rank_of, "dealing files");
    int rc = 0;
    if (!bytes || !rank_of)
        rc = -ENOMEM;
    for (int64_t i = 0; i < l->items && !rc; i++)
        bytes[i] = l->item[i].bytes + 1;
    rc = rc ? rc : deal(bytes, l->items, g->bands.ranks, rank_of);
    load_fail(l, rc);
    for (int64_t i = 0; i < l->items && !rc; i++)
        if (rank_of[i] == l->r->world.rank)
            rc = load_item(l, &l->item[i], route, g);
    free(bytes);
    free(rank_of);
    rc = exchange_end(g->exchange, l->r->failed != 0);
    load_fail(l, rc == -ECANCELED ? 0 : rc);
}

/* ---- writing -------------------------------------------------------------------- */

static int64_t bytes_of_band(const struct g *g, int64_t band)
{
    const struct pfm_head *h = &g->l->head;
    const uint32_t *count = g->count + band / g->bands.writers * g->bands.bins;
    int64_t bytes = 0;
    for (int64_t i = 0; i < g->bands.bins; i++)
        bytes += writer_bytes(h, count[i]);
    return bytes;
}

/* **Collective.** Computes the offsets of each band's blocks, which follow those of the
 * previous band. */
static void agree_on_offsets(struct g *g)
{
    struct bands *b = &g->bands;
    memset(b->offset, 0, (size_t)(b->n + 1) * sizeof *b->offset);
    for (int64_t k = g->writer; g->writer >= 0 && k < b->n; k += b->writers)
        b->offset[k + 1] = bytes_of_band(g, k);
    enum act before = phase_act(g->l->r->phase, ACT_COMMUNICATE);
    world_reduce(g->l->r->world.comm, b->offset, (int)b->n + 1, MPI_INT64_T, MPI_SUM);
    phase_act(g->l->r->phase, before);
    for (int64_t k = 0; k < b->n; k++)
        b->offset[k + 1] += b->offset[k];
    g->l->blocks_bytes = b->offset[b->n];
}

static int write_band(struct g *g, int64_t band)
{
    const struct bands *b = &g->bands;
    int rc = 0;
    writer_begin(&g->w, band * b->bins, b->offset[band]);
    while (!rc && g->n && g->next->bin / b->bins == band) {
        rc = writer_add(&g->w, g->next, g->n);
        g->next = extsort_group(g->sorter, 0, &g->n);
    }
    return rc ? rc : writer_end_bin(&g->w);
}

/* The most requests of a rank for the bands of one round. */
static int64_t requests_of_round(const struct bands *b, int64_t round)
{
    int64_t most = 0;
    for (int64_t k = round * b->writers; k < (round + 1) * b->writers && k < b->n;
         k++) {
        int64_t n = run_stream_transfers(WRITER_TRANSFER, b->offset[k],
                                         b->offset[k + 1] - b->offset[k]);
        most = n > most ? n : most;
    }
    return most;
}

/* Writes this rank's bands. A failure does not end the rounds: others wait in
 * collective transfers. */
static void write_mine(struct g *g)
{
    const struct bands *b = &g->bands;
    struct load *l = g->l;
    int64_t requests = 0, rounds = units_div_up(b->n, b->writers);
    if (g->writer >= 0 && !l->r->failed)
        load_fail(l, extsort_finish(g->sorter));
    if (g->writer >= 0 && !l->r->failed)
        g->next = extsort_group(g->sorter, 0, &g->n);
    for (int64_t k = 0; k < rounds; k++) {
        if (k < bands_of(b, g->writer) && !l->r->failed)
            load_fail(l, write_band(g, k * b->writers + g->writer));
        requests += requests_of_round(b, k);
        if (l->r->options->collective)
            run_stream_pad(g->w.blocks, requests);
    }
    load_fail(l, writer_end(&g->w));
    l->extremes = g->w.bins.extremes;
}

/* ---- all of it ------------------------------------------------------------------ */

/* The memory left for the sorter. */
static int64_t sorter_memory(const struct g *g)
{
    int64_t counts = bands_of(&g->bands, g->writer) * g->bands.bins * 4;
    int64_t exchange = exchange_bytes(g->bands.ranks);
    return load_sorter_memory(g->l, counts + exchange, g->bands.writers);
}

static int prepare_writer(struct g *g)
{
    struct load *l = g->l;
    char scratch[PFM_PATH];
    int64_t bins = bands_of(&g->bands, g->writer) * g->bands.bins;
    if (g->writer < 0)
        return 0;
    g->count = calloc((size_t)bins + 1, sizeof *g->count);
    if (!g->count || 4 * bins > load_memory(l) - SORTED_MEMORY_MIN)
        return err_set(-ENOMEM, NULL, -1,
                       "counting soundings in %lld bin%s does not fit into --memory: "
                       "raise it, take larger bins, or more ranks",
                       (long long)bins, units_s(bins));
    return sorted_soundings(&g->sorter, sorter_memory(g),
                            load_scratch(l, "runs", scratch), &l->sorted_io);
}

static int scheme_g_prepare(struct g *g)
{
    struct load *l = g->l;
    set_bands(&g->bands, l);
    g->writer = find_writer(&g->bands, l->r->world.rank);
    g->bands.offset =
        mem_new(g->bands.n + 1, sizeof *g->bands.offset, "bands of the grid");
    if (!g->bands.offset)
        return -ENOMEM;
    int rc =
        exchange_open(&g->exchange, l->r->world.comm, l->r->phase, scheme_g_keep, g);
    int opened = writer_open(&g->w, &l->head, &l->blocks, &l->bins, l->cover);
    rc = rc ? rc : opened;
    return rc ? rc : prepare_writer(g);
}

static void load_g(struct load *l)
{
    struct g g = {.l = l};
    if (load_ready(l, scheme_g_prepare(&g))) {
        read_mine(&g);
        if (load_ready(l, 0)) {
            agree_on_offsets(&g);
            write_mine(&g);
        }
    }
    load_count_scratch(l, g.sorter);
    writer_close(&g.w);
    exchange_close(&g.exchange);
    extsort_close(&g.sorter);
    free(g.bands.offset);
    free(g.count);
}

const struct scheme scheme_g = {
    .name = "G", .ranks_min = 1, .shared = true, .ordered = true, .load = load_g};
