#include "outcore/search/verify.h"
#include "base/err.h"
#include "base/units.h"
#include "outcore/search/lookups.h"
#include <errno.h>

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

void verify_answers(struct run *r, void *verify)
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
