/* Sums over groups, and ranks as text. */
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

static int groups_by_time(const void *a, const void *b)
{
    const struct group_sum *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

struct group_sum *group_sums(const struct findings *f, uint32_t *n)
{
    struct group_sum *g = calloc((size_t)f->groups + 1, sizeof *g);
    for (uint32_t i = 0; g && i < f->cells; i++) {
        const struct cell *c = &f->cell[i];
        struct group_sum *to = &g[f->file[c->file].group];
        for (int w = 0; w < 2; w++)
            if (c->side[w]) {
                evidence_add(&to->asked[w], &c->side[w]->top);
                evidence_add(&to->done[w], &c->side[w]->leaf);
            }
        evidence_add(&to->meta, &c->meta);
        to->ns += c->ns;
        to->opens += c->open.calls;
        to->stats += c->stat.calls;
        to->seeks += c->seek.calls;
        to->syncs += c->sync.calls;
    }
    *n = 0;
    for (uint32_t i = 0; g && i < f->groups; i++) {
        g[i].group = i;
        if (g[i].ns > 0 || g[i].asked[0].calls || g[i].asked[1].calls)
            g[(*n)++] = g[i];
    }
    if (g)
        qsort(g, *n, sizeof *g, groups_by_time);
    return g;
}

/* ---- ranks ------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Prints numbers as "0-3,7"; numbers that do not fit become "..". */
static const char *numbers_text(int32_t *v, int n, char *out, size_t room)
{
    size_t at = 0;
    out[0] = 0;
    qsort(v, (size_t)n, sizeof *v, by_number);
    for (int i = 0, k; i < n; i = k) {
        char one[32];
        for (k = i + 1; k < n && v[k] <= v[k - 1] + 1; k++)
            ;
        int m =
            v[k - 1] > v[i]
                ? snprintf(one, sizeof one, "%s%d-%d", at ? "," : "", v[i], v[k - 1])
                : snprintf(one, sizeof one, "%s%d", at ? "," : "", v[i]);
        if (at + (size_t)m + 4 > room) {
            snprintf(out + at, room - at, "%s", at ? ",.." : "several");
            break;
        }
        memcpy(out + at, one, (size_t)m + 1);
        at += (size_t)m;
    }
    return out;
}

static int32_t number_of(const struct findings *f, uint32_t actor)
{
    return f->ranks ? f->actor[actor].rank : f->actor[actor].pid;
}

const char *ranks_text(const struct findings *f, const struct finding *x, char *out,
                       size_t room)
{
    int32_t *v = calloc((size_t)x->members + 1, sizeof *v);
    out[0] = 0;
    for (int i = 0; v && i < x->members; i++)
        v[i] = number_of(f, x->member[i].actor);
    if (v)
        numbers_text(v, x->members, out, room);
    free(v);
    return out;
}

const char *ranks_of_group(const struct findings *f, uint32_t group, char *out,
                           size_t room, int *count)
{
    int32_t *v = calloc((size_t)f->actors + 1, sizeof *v);
    bool *has = calloc((size_t)f->actors + 1, sizeof *has);
    *count = 0;
    out[0] = 0;
    for (uint32_t i = 0; has && i < f->cells; i++)
        has[f->cell[i].actor] |= f->file[f->cell[i].file].group == group;
    for (uint32_t i = 0; v && has && i < f->actors; i++)
        if (has[i])
            v[(*count)++] = number_of(f, i);
    if (v && has)
        numbers_text(v, *count, out, room);
    free(v);
    free(has);
    return out;
}

/* Marks the kinds that were found. */
void findings_which(const struct findings *f, bool found[IDS])
{
    memset(found, 0, IDS * sizeof *found);
    for (int i = 0; i < f->found + f->risks; i++)
        found[f->finding[i].id] = true;
}

const char *severity_name(enum severity s)
{
    static const char *const name[] = {"below", "low", "medium", "high"};
    return name[s];
}

const char *finding_remedy(const struct finding *x)
{
    const struct finding_kind *k = &finding_kind[x->id];
    return x->direction == 0 && k->remedy_of_reads ? k->remedy_of_reads : k->remedy;
}
