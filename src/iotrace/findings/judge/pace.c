/* Judges missed overlap: what a run could do at the same time and does not. */
#include "base/units.h"
#include "iotrace/findings/inside.h"

#define WALL_LEAST_NS ((int64_t)1000000000)

/* ---- no-overlap ------------------------------------------------------------- */

void judge_overlap(const struct slice *s)
{
    struct findings *f = s->f;
    if (f->wall_ns < WALL_LEAST_NS)
        f->why_not[ID_OVERLAP] = "the run took less than a second";
    if (f->why_not[ID_OVERLAP])
        return;
    struct finding *x = finding_begin(s);
    double least = 1;
    int64_t gaps = INT64_MAX;
    char time[16];
    for (uint32_t i = 0; x && i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        const struct pace *p = &a->pace;
        double share = (double)p->hidden_ns / (double)f->wall_ns;
        if (!a->scope || (double)p->gaps < limit_of(OVERLAP_GAPS) ||
            share < limit_of(OVERLAP_SHARE) || p->submit.calls || p->wait_ns ||
            p->uring || p->threads)
            continue;
        finding_add(f, i, &p->v, (double)p->hidden_ns);
        least = share < least ? share : least;
        gaps = p->gaps < gaps ? p->gaps : gaps;
    }
    if (!x || !x->members)
        return finding_drop(f);
    x->group = main_group(f, x->worst, -1);
    finding_condition(f, OVERLAP_SHARE, least);
    finding_condition(f, OVERLAP_GAPS, (double)gaps);
    finding_say(
        f, "%lld burst%s of transfers, each followed by a gap; %s fit into these",
        (long long)f->actor[x->worst].pace.gaps, units_s(f->actor[x->worst].pace.gaps),
        units_seconds(time, x->worst_gain_ns * 1e-9));
    finding_end(f);
}

/* ---- async-blocks ----------------------------------------------------------- */

static double busy_ns(const struct pace *p)
{
    return (double)p->submit.ns + (double)p->wait_ns;
}

static bool is_blocking(const struct pace *p)
{
    return (double)p->submit.ns >= limit_of(ASYNC_SUBMITTING) * busy_ns(p) &&
           (double)p->blocked >= limit_of(ASYNC_BLOCKED) * (double)p->submit.calls;
}

/* True if each transfer is awaited before the next begins, and nothing else is done
 * meanwhile. */
static bool is_alone(const struct pace *p)
{
    return p->most_under_way == 1 && p->ended > 0 &&
           busy_ns(p) >= limit_of(ASYNC_WAITING) * (double)p->span_ns;
}

static uint32_t submitted_group(const struct findings *f, const struct pace *p)
{
    return p->files || !p->file ? NO_GROUP : f->file[p->file - 1].group;
}

static void judge_async_as(const struct slice *s, bool alone)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    double least = 1;
    for (uint32_t i = 0; x && i < f->actors; i++) {
        const struct pace *p = &f->actor[i].pace;
        if (!f->actor[i].scope || (double)p->submit.calls < limit_of(ASYNC_SUBMITS) ||
            p->uring || (alone ? !is_alone(p) : is_alone(p) || !is_blocking(p)))
            continue;
        uint32_t group = submitted_group(f, p);
        x->group = x->members == 0 || x->group == group ? group : NO_GROUP;
        finding_add(f, i, &p->submit, (double)p->submit.ns);
        double share = (double)p->submit.ns / busy_ns(p);
        least = share < least ? share : least;
    }
    if (!x || !x->members)
        return finding_drop(f);
    if (alone)
        finding_condition(f, ASYNC_AT_ONCE, 1);
    else
        finding_condition(f, ASYNC_SUBMITTING, least);
    finding_say(f,
                alone ? "%lld asynchronous transfers, each waited for before the next"
                      : "%lld submissions that return when the transfer is done",
                (long long)x->v.calls);
    finding_end(f);
}

static bool any_uring(const struct findings *f)
{
    for (uint32_t i = 0; i < f->actors; i++)
        if (f->actor[i].scope && f->actor[i].pace.uring)
            return true;
    return f->unseen.rings > 0;
}

void judge_async(const struct slice *s)
{
    if (any_uring(s->f))
        s->f->why_not[ID_ASYNC] =
            "that an io_uring transfer has ended is seen at the next call only";
    judge_async_as(s, false);
    judge_async_as(s, true);
}
