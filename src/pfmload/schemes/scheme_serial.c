/* One process. Per sounding: as the loader of 1998, adds soundings to bins one by one.
 * Cached: sorts soundings by bins first, so that each bin's blocks are written
 * contiguously. The baselines of all speed-ups. */
#include "base/err.h"
#include "pfmload/schemes/heap.h"
#include "pfmload/store/writer.h"

static void feed_all(struct load *l, feed_sink *sink, void *context)
{
    for (int64_t i = 0; i < l->items && !l->r->failed; i++)
        load_item(l, &l->item[i], sink, context);
}

/* ---- per sounding --------------------------------------------------------------- */

static int add_each(void *heap, const struct pfm_sounding *s, int64_t n)
{
    struct heap *h = heap;
    load_progress(h->l, n);
    return heap_add_each(h, s, n);
}

static void load_per_sounding(struct load *l)
{
    struct heap h;
    if (load_ready(l, heap_open(&h, l, 0)))
        feed_all(l, add_each, &h);
    heap_flush(&h);
    heap_close(&h);
}

const struct scheme scheme_serial_per_sounding = {.name = "serial",
                                                  .ranks_min = 1,
                                                  .ranks_max = 1,
                                                  .reads_back = true,
                                                  .load = load_per_sounding};

/* ---- cached --------------------------------------------------------------------- */

struct cached {
    struct load *l;
    struct extsort *sorter;
};

static int scheme_serial_sort(void *cached, const struct pfm_sounding *s, int64_t n)
{
    struct cached *c = cached;
    load_progress(c->l, n);
    return extsort_add(c->sorter, s, n);
}

static void load_cached(struct load *l)
{
    struct cached c = {.l = l};
    char scratch[PFM_PATH];
    struct writer w;
    int rc = writer_open(&w, &l->head, &l->blocks, &l->bins, l->cover);
    if (!rc)
        rc = sorted_soundings(&c.sorter, load_sorter_memory(l, 0, 1),
                              load_scratch(l, "runs", scratch), &l->sorted_io);
    if (load_ready(l, rc)) {
        feed_all(l, scheme_serial_sort, &c);
        writer_begin(&w, 0, 0);
        if (!l->r->failed)
            load_fail(l, writer_add_sorted(&w, c.sorter));
        l->blocks_bytes = run_stream_at(w.blocks);
        l->extremes = w.bins.extremes;
    }
    load_count_scratch(l, c.sorter);
    extsort_close(&c.sorter);
    writer_close(&w);
}

const struct scheme scheme_serial_cached = {.name = "serial",
                                            .ranks_min = 1,
                                            .ranks_max = 1,
                                            .ordered = true,
                                            .load = load_cached};
