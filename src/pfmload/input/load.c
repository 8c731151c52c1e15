/* Functions of a load for all schemes. */
#include "pfmload/input/load.h"
#include "base/err.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct scheme *load_scheme(const char *name, const char *library)
{
    static const struct scheme *const all[] = {&scheme_c, &scheme_d, &scheme_d_threaded,
                                               &scheme_e, &scheme_f, &scheme_g};
    if (!strcmp(name, "serial"))
        return strcmp(library, "cached") ? &scheme_serial_per_sounding
                                         : &scheme_serial_cached;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(name, all[i]->name))
            return all[i];
    return NULL;
}

int64_t load_bin_bytes(const struct pfm_head *h)
{
    int64_t bins = h->width * h->height;
    return h->version < 7 ? pfm_coverage_at(h) + bins
                          : h->header_bytes + bins * h->bin_bytes;
}

void load_fail(struct load *l, int rc)
{
    run_fail(l->r, rc);
}

int load_agree(struct load *l)
{
    struct phase *p = l->r->phase;
    enum act before = phase_act(p, ACT_IDLE);
    l->r->failed = err_agree(l->r->world.comm, l->r->failed);
    phase_act(p, before);
    return l->r->failed;
}

bool load_ready(struct load *l, int rc)
{
    load_fail(l, rc);
    return !load_agree(l);
}

void load_progress(struct load *l, int64_t soundings)
{
    struct progress *p = &l->progress;
    char what[64];
    if (!p->on)
        return;
    double s = (double)(clock_ns() - p->start_ns) / 1e9;
    snprintf(what, sizeof what, "load %.2f M soundings/s",
             (double)(p->done + soundings) / (s > 0 ? s : 1) / 1e6);
    progress_step(p, soundings, what);
}

static void transferred(void *context, bool write, int64_t bytes, int64_t ns)
{
    struct phase *p = ((struct load *)context)->r->phase;
    enum act a = write ? ACT_WRITE : ACT_READ;
    phase_move(p, p->now, a, ns);
    phase_transfer(p, a, bytes, p->switch_ns - ns, p->switch_ns);
}

struct told load_told(struct load *l)
{
    return (struct told){.transfer = transferred, .context = l};
}

/* ---- input ---------------------------------------------------------------------- */

struct count {
    struct load *l;
    feed_sink *sink;
    void *context;
};

static int load_count(void *context, const struct pfm_sounding *s, int64_t n)
{
    struct count *c = context;
    if (c->l->r->verify)
        c->l->tally.hash += feed_hash(s, n);
    c->l->tally.soundings += n;
    return c->sink(c->context, s, n);
}

static int feed_item(struct load *l, const struct item *item, struct count *c)
{
    if (item->file < 0)
        return feed_pfm(l->feed, l->old, item->row0, item->row1, load_count, c);
    struct list_file *f = &l->list->file[item->file];
    struct feed_counts before = *feed_counts(l->feed);
    int rc = feed_file(l->feed, l->inputs_before + item->file, f->path, load_count, c);
    f->loaded = feed_counts(l->feed)->soundings - before.soundings;
    f->cut_bytes = feed_counts(l->feed)->cut_bytes - before.cut_bytes;
    return rc;
}

int load_item(struct load *l, const struct item *item, feed_sink *sink, void *context)
{
    struct count c = {.l = l, .sink = sink, .context = context};
    int rc = feed_item(l, item, &c);
    load_fail(l, rc == -ECANCELED ? 0 : rc);
    return rc;
}

void load_drop_input(struct load *l)
{
    int64_t resident;
    if (!l->r->flush || l->r->world.node_rank)
        return;
    for (int64_t i = 0; i < l->list->n; i++)
        if (!l->list->file[i].bad)
            load_fail(l, io_cache_drop(l->list->file[i].path, 0, 0, &resident));
}

/* ---- output --------------------------------------------------------------------- */

const char *load_scratch(const struct load *l, const char *what, char *out)
{
    const char *dir = l->r->engine ? l->dest.part : l->r->options->dir;
    if (l->set->scratch_dir)
        dir = l->set->scratch_dir;
    snprintf(out, PFM_PATH, "%.3900s/pfmload-%s.%s.%06d", dir, l->r->id, what,
             l->r->world.rank);
    return out;
}

void load_count_scratch(struct load *l, const struct extsort *s)
{
    if (!s)
        return;
    struct extsort_counts c = extsort_counts(s);
    l->scratch_bytes += c.write_bytes;
    l->spilled_runs += c.runs;
}

int64_t load_expected(const struct load *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->list->n; i++)
        n += l->list->file[i].bad ? 0 : l->list->file[i].soundings;
    return n;
}

int64_t load_memory(const struct load *l)
{
    enum { OTHERS = 75 << 20 }; /* resident memory besides, measured: 50 and 24 MiB */
    int64_t half = l->set->memory / 2, rest = l->set->memory - OTHERS;
    return rest > half ? rest : half;
}

int64_t load_sorter_memory(const struct load *l, int64_t taken, int sharers)
{
    int64_t most = load_memory(l) - taken, least = load_memory(l) / 2;
    int64_t expected = load_expected(l);
    /* Half as much again, as ranks get unequal parts. */
    int64_t need = expected / sharers * (int64_t)sizeof(struct pfm_sounding);
    need += need / 2 + (1 << 20);
    most = most > least ? most : least;
    return expected && !l->old && need < most ? need : most;
}
