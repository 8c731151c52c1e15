/* Detects whether the ranks of a run waited for each other before they synced a file.
 * No event says so, but their times do: all had ended their earlier work when the first
 * began. Then the time that each waited is known, too: the last one to come did not
 * wait. */
#include "base/err.h"
#include "iotrace/read/reach.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>

static struct skeleton_meeting *meeting_of(struct skeleton_stream *t, int64_t n)
{
    struct skeleton_meeting *more =
        list_reach(t->meeting, &t->meetings, (uint32_t)n, sizeof *more);
    if (more)
        t->meeting = more;
    return more ? more + n : NULL;
}

/* Notes a sync. The stream of the first process holds what is known of all. */
int skeleton_meet(struct skeleton *s, int stream, int64_t ended_ns,
                  const struct event *e)
{
    const struct skeleton_stream *mine = &s->stream[stream];
    int64_t n = mine->sum.calls - 1, gap_ns = e->start_ns - ended_ns;
    int first =
        skeleton_stream_find(s, mine->role, mine->member, mine->phase, mine->op, 0);
    if (!first || n >= SKELETON_MEETINGS)
        return 0;
    struct skeleton_stream *of = &s->stream[first - 1];
    if (n >= of->sum.calls) /* more than the first process made: they do not meet */
        return 0;
    struct skeleton_meeting *m = meeting_of(of, n);
    if (!m)
        return err_set(-ENOMEM, NULL, -1, "no memory for the skeleton");
    bool new = mine == of;
    m->ended_ns = new || ended_ns > m->ended_ns ? ended_ns : m->ended_ns;
    m->begun_ns = new || e->start_ns < m->begun_ns ? e->start_ns : m->begun_ns;
    m->least_ns = new || gap_ns < m->least_ns ? gap_ns : m->least_ns;
    m->sum_ns = (new ? 0 : m->sum_ns) + gap_ns;
    return 0;
}

static int64_t known_calls(const struct skeleton_stream *t)
{
    return t->sum.calls < SKELETON_MEETINGS ? t->sum.calls : SKELETON_MEETINGS;
}

bool skeleton_met(const struct skeleton *s, struct skeleton_stream *const *t, int n)
{
    bool met = n == s->processes && n > 1 && t[0]->meeting && !t[0]->failed;
    for (int i = 1; i < n && met; i++)
        met = t[i]->sum.calls == t[0]->sum.calls && !t[i]->failed;
    for (int64_t i = 0; met && i < known_calls(t[0]); i++)
        met = t[0]->meeting[i].ended_ns <= t[0]->meeting[i].begun_ns;
    return met;
}

double skeleton_waited_s(const struct skeleton_stream *t, int n)
{
    double all_ns = 0;
    for (int64_t i = 0; i < known_calls(t); i++)
        all_ns += (double)t->meeting[i].sum_ns / n - (double)t->meeting[i].least_ns;
    return all_ns * 1e-9 * (double)t->sum.calls / (double)known_calls(t);
}
