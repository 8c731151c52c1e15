#include "outcore/search/lookups.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lookups_open(struct lookups *l, int lanes, int depth)
{
    l->lane = calloc((size_t)lanes, sizeof *l->lane);
    for (int i = 0; l->lane && i < lanes; i++) {
        struct lookups_lane *of = &l->lane[i];
        of->req = calloc((size_t)depth, sizeof *of->req);
        of->slot = calloc((size_t)depth, sizeof *of->slot);
        if (!of->req || !of->slot)
            return err_set(-ENOMEM, NULL, -1, "no memory for %d look-ups", depth);
    }
    return l->lane ? 0
                   : err_set(-ENOMEM, NULL, -1, "no memory for %d lane%s", lanes,
                             units_s(lanes));
}

void lookups_close(struct lookups *l, int lanes)
{
    for (int i = 0; l->lane && i < lanes; i++) {
        free(l->lane[i].req);
        free(l->lane[i].slot);
    }
    free(l->lane);
    l->lane = NULL;
}

void lookups_begin(struct lookups *l, int lanes)
{
    for (int i = 0; i < lanes; i++) {
        l->lane[i].reads = l->lane[i].bytes = l->lane[i].longest_ns = 0;
        memset(l->lane[i].hist, 0, sizeof l->lane[i].hist);
    }
}

struct looking { /* state of a lane */
    struct lookups *all;
    struct lookups_lane *l;
    struct run_file *file;
    int64_t slot_bytes;
};

/* Takes the next key. */
static bool take(const struct looking *c, struct lookup *s)
{
    struct lookups *all = c->all;
    s->number = atomic_fetch_add_explicit(&all->next, 1, memory_order_relaxed);
    if (s->number >= all->n)
        return false;
    finding_begin(&s->finding, all->order, all->index, all->from, all->end,
                  all->keys + s->number * all->key_bytes);
    return true;
}

static struct io_req make(const void *context, int64_t i, int slot)
{
    const struct looking *c = context;
    struct lookup *s = &c->l->slot[slot];
    (void)i;
    if (!s->going_on && !take(c, s))
        return (struct io_req){.bytes = -1};
    struct pages_read read = pages_read_page(c->all->pages, s->finding.page);
    c->l->bytes += read.bytes;
    c->l->reads++;
    return fetch_request(c->file, &read, slot, c->slot_bytes);
}

static void refuse(const struct looking *c, const struct io_req *req)
{
    run_fail(c->file->run,
             err_set(-EIO, c->file->path, req->offset,
                     "what is in this block is not where the index has it: the file "
                     "is not sorted, or was changed"));
}

static void done(void *context, const struct io_req *req, int64_t i, int slot)
{
    const struct looking *c = context;
    const struct lookups *all = c->all;
    struct lookup *s = &c->l->slot[slot];
    struct pages_read read = pages_read_page(all->pages, s->finding.page);
    (void)i;
    s->start_ns = s->going_on ? s->start_ns : req->start_ns;
    enum finding_next next = finding_look(&s->finding, all->order, all->pages,
                                          (const char *)req->buf + read.skip);
    s->going_on = next == FINDING_READ;
    if (next == FINDING_UNSORTED)
        refuse(c, req);
    if (next != FINDING_DONE)
        return;
    int64_t ns = req->end_ns - s->start_ns;
    c->l->longest_ns = ns > c->l->longest_ns ? ns : c->l->longest_ns;
    c->l->hist[hist_bucket(ns)]++;
    all->answer[s->number] = lookup_answer(s->finding.is);
}

void lookups_run(struct run *r, void *lookups)
{
    struct lookups *all = lookups;
    struct looking c = {.all = all,
                        .l = &all->lane[r->lane],
                        .file = &all->of[r->lane],
                        .slot_bytes = fetch_slot_bytes(all->pages)};
    struct run_queue q = {.make = make, .done = done, .context = &c, .total = -1};
    if (r->lane >= all->lanes || all->from == all->end)
        return;
    memset(c.l->slot, 0, (size_t)c.file->depth * sizeof *c.l->slot);
    run_queue(c.file, c.l->req, &q);
}
