/* Passes after a load: statistics if the scheme did not compute them, the order of
 * soundings, and verification. */
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "base/units.h"
#include "hydro/pfm_make.h"
#include "hydro/pfm_pack.h"
#include "pfmload/steps.h"
#include "pfmload/store/batch.h"
#include "pfmload/store/pages.h"
#include "pfmload/store/writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chains of an open file ----------------------------------------------------- */

/* A reader of chains. Bins are read in their order; chains are anywhere. */
struct chains {
    struct load *l;
    struct pages *blocks, *bins;
    uint8_t *block, *record;
    struct pfm_sounding *sounding;
    int64_t room;
};

static int chains_open(struct chains *c, struct load *l)
{
    *c = (struct chains){.l = l};
    c->block = mem_new(1, l->head.block_bytes, "a block");
    c->record = mem_new(1, l->head.bin_bytes, "a block");
    if (!c->block || !c->record)
        return -ENOMEM;
    int64_t window = load_memory(l);
    if (window > l->blocks_bytes + PAGES_PAGE)
        window = l->blocks_bytes + PAGES_PAGE;
    int rc = pages_open(&c->blocks, &l->blocks, l->blocks_bytes, window);
    return rc ? rc
              : pages_open(&c->bins, &l->bins, load_bin_bytes(&l->head), PAGES_PAGE);
}

static void chains_close(struct chains *c)
{
    pages_close(&c->blocks);
    pages_close(&c->bins);
    free(c->block);
    free(c->record);
    free(c->sounding);
}

static int passes_make_room(struct chains *c, int64_t n)
{
    if (n <= c->room)
        return 0;
    free(c->sounding);
    c->room = 2 * n;
    c->sounding =
        mem_of(c->l->bins.path, c->room, sizeof *c->sounding, "a bin's soundings");
    return c->sounding ? 0 : -ENOMEM;
}

static void get_bin(struct chains *c, int64_t index, struct pfm_bin *bin)
{
    const struct pfm_head *h = &c->l->head;
    const struct load_bin *known = c->l->known;
    if (known) {
        pfm_empty_bin(h, bin);
        bin->first = known[index].first;
        bin->soundings = known[index].soundings;
    } else {
        pages_get(c->bins, h->header_bytes + index * h->bin_bytes, h->bin_bytes,
                  c->record);
        pfm_get_bin(h, c->record, bin);
    }
    bin->index = index;
}

static int get_chain(struct chains *c, int64_t index, const struct pfm_bin *bin)
{
    const struct pfm_head *h = &c->l->head;
    int64_t at = bin->first, length = h->record_length;
    int rc = passes_make_room(c, bin->soundings);
    for (int64_t i = 0; i < bin->soundings && !rc; i += length) {
        int64_t left = bin->soundings - i;
        pages_get(c->blocks, at, h->block_bytes, c->block);
        pfm_get_soundings(h, c->block, 0, &c->sounding[i],
                          left < length ? left : length, index);
        at = pfm_get_next(h, c->block);
        rc = c->l->r->failed;
    }
    return rc;
}

/* ---- statistics ----------------------------------------------------------------- */

static int recompute_bin(struct chains *c, struct bin_writer *w, int64_t index)
{
    struct pfm_sums sums = {0};
    struct pfm_bin bin;
    get_bin(c, index, &bin);
    if (!bin.soundings || c->l->r->failed)
        return c->l->r->failed;
    int rc = get_chain(c, index, &bin);
    if (!rc)
        pfm_sums_add(&c->l->head, &sums, c->sounding, bin.soundings);
    if (c->l->known)
        bin.last = c->l->known[index].last;
    pfm_sums_bin(&c->l->head, &sums, &bin);
    return rc ? rc : bin_writer_put(w, &bin);
}

void passes_recompute(struct load *l)
{
    int64_t bins = l->head.width * l->head.height;
    struct bin_writer w;
    struct chains c;
    int rc = chains_open(&c, l);
    int opened = bin_writer_open(&w, &l->head, &l->bins, l->cover);
    rc = rc ? rc : opened;
    if (!rc)
        bin_writer_begin(&w, 0);
    for (int64_t i = 0; i < bins && !rc; i++)
        rc = recompute_bin(&c, &w, i);
    if (!rc)
        bin_writer_flush(&w);
    l->extremes = w.extremes;
    bin_writer_close(&w);
    chains_close(&c);
    load_fail(l, rc);
}

/* ---- order ---------------------------------------------------------------------- */

static int rewrite_bin(struct chains *c, struct writer *w, int64_t index)
{
    struct pfm_bin bin;
    get_bin(c, index, &bin);
    if (!bin.soundings || c->l->r->failed)
        return c->l->r->failed;
    int rc = get_chain(c, index, &bin);
    if (rc)
        return rc;
    batch_sort_row(c->sounding, bin.soundings);
    return writer_add(w, c->sounding, bin.soundings);
}

void passes_rewrite(struct load *l, struct run_file *blocks)
{
    int64_t bins = l->head.width * l->head.height;
    struct writer w;
    struct chains c;
    int rc = chains_open(&c, l);
    int opened = writer_open(&w, &l->head, blocks, &l->bins, l->cover);
    rc = rc ? rc : opened;
    if (!rc)
        writer_begin(&w, 0, 0);
    for (int64_t i = 0; i < bins && !rc; i++)
        rc = rewrite_bin(&c, &w, i);
    if (!rc)
        rc = writer_end(&w);
    l->extremes = w.bins.extremes;
    writer_close(&w);
    chains_close(&c);
    load_fail(l, rc);
}

/* ---- check ---------------------------------------------------------------------- */

static bool differ(const struct pfm_head *h, const struct pfm_bin *is,
                   const struct pfm_bin *should)
{
    uint8_t a[PFM_BLOCK_MAX], b[PFM_BLOCK_MAX];
    struct pfm_bin s = *should;
    s.first = is->first;
    s.last = is->last;
    pfm_put_bin(h, a, is);
    pfm_put_bin(h, b, &s);
    return memcmp(a, b, (size_t)h->bin_bytes) != 0;
}

static int check_cover(struct load *l, FILE *cover, const struct pfm_bin *bin)
{
    int byte = getc_unlocked(cover);
    if (byte != EOF && pfm_coverage_fits((uint8_t)byte, bin))
        return 0;
    return err_set(-EIO, l->cover->path, pfm_coverage_at(&l->head) + bin->index,
                   "verification failed: the coverage map says otherwise of a bin of "
                   "%lld sounding%s: " STAMP_WRONG,
                   (long long)bin->soundings, units_s(bin->soundings));
}

static int check_bin(struct load *l, struct pfm *p, FILE *cover, int64_t row,
                     int64_t column, struct tally *found, struct pfm_walk *walk)
{
    const struct pfm_sounding *s;
    struct pfm_bin bin, should;
    int rc = pfm_bin(p, row, column, &bin);
    if (!rc)
        rc = check_cover(l, cover, &bin);
    if (rc || !bin.soundings)
        return rc;
    rc = pfm_chain(p, &bin, walk, &s);
    if (rc)
        return rc;
    should = bin;
    pfm_recompute(&l->head, s, bin.soundings, &should);
    found->soundings += bin.soundings;
    found->hash += feed_hash(s, bin.soundings);
    if (differ(&l->head, &bin, &should))
        rc = err_set(-EIO, l->bins.path, -1,
                     "verification failed: the summary of the bin in row %lld, column "
                     "%lld is not that of its %lld sounding%s: " STAMP_WRONG,
                     (long long)row, (long long)column, (long long)bin.soundings,
                     units_s(bin.soundings));
    return rc;
}

static int open_cover(struct load *l, int64_t row, FILE **cover)
{
    int64_t at = pfm_coverage_at(&l->head) + row * l->head.width;
    *cover = fopen(l->cover->path, "re");
    if (*cover && !fseeko(*cover, at, SEEK_SET))
        return 0;
    return err_set(-errno, l->cover->path, at, "the coverage map cannot be read: %s",
                   strerror(errno));
}

/* Turns a damaged PFM into a failed verification: it was written as a PFM. */
static int explain(int rc)
{
    struct err e = *err_get();
    if (rc != -EBADMSG)
        return rc;
    err_clear();
    return err_set(-EIO, e.file, e.offset, "verification failed: %.600s: " STAMP_WRONG,
                   e.text);
}

static int check_rows(struct load *l, int64_t row, int64_t end, struct tally *found)
{
    struct pfm_walk walk = {0};
    struct pfm *p;
    FILE *cover = NULL;
    int rc = pfm_open(&p, l->dest.part_handle);
    if (!rc)
        rc = open_cover(l, row, &cover);
    for (; row < end && !rc; row++)
        for (int64_t column = 0; column < l->head.width && !rc; column++)
            rc = check_bin(l, p, cover, row, column, found, &walk);
    l->r->checked += walk.blocks ? walk.blocks : 1; /* at least 1, for the check that
                                                     * the bin is empty */
    if (cover)
        fclose(cover);
    pfm_close(&p);
    return explain(rc);
}

/* **Collective.** Sums over all ranks. */
static struct tally sum(const struct load *l, const struct tally *mine)
{
    struct tally all;
    MPI_Allreduce(&mine->soundings, &all.soundings, 1, MPI_INT64_T, MPI_SUM,
                  l->r->world.comm);
    MPI_Allreduce(&mine->hash, &all.hash, 1, MPI_UINT64_T, MPI_SUM, l->r->world.comm);
    return all;
}

/* **Collective.** Checks that all soundings that were fed have been found. A rank that
 * failed has not looked at all of them. */
static void check_sums(struct load *l, const struct tally *mine)
{
    struct tally fed = sum(l, &l->tally), found = sum(l, mine);
    load_fail(l, err_agree(l->r->world.comm, l->r->failed));
    if (l->r->failed || (fed.soundings == found.soundings && fed.hash == found.hash))
        return;
    load_fail(l, err_set(-EIO, l->blocks.path, -1,
                         "verification failed: %lld soundings were loaded, and the "
                         "PFM has %lld%s: " STAMP_WRONG,
                         (long long)fed.soundings, (long long)found.soundings,
                         fed.soundings == found.soundings ? ", which differ" : ""));
}

void passes_check(struct load *l)
{
    const struct world *w = &l->r->world;
    struct tally found = {0};
    int64_t height = l->head.height, sharers = w->node ? 0 : w->node_ranks;
    enum act before = phase_act(l->r->phase, ACT_CHECK);
    if (sharers)
        load_fail(l, check_rows(l, height * w->node_rank / sharers,
                                height * (w->node_rank + 1) / sharers, &found));
    check_sums(l, &found);
    phase_act(l->r->phase, before);
}
