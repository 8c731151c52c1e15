/* Overlap of a rank's transfers, and missed overlap: bursts of transfers with gaps
 * between them, and the asynchronous transfers in flight at once. */
#include "iotrace/findings/inside.h"

#define BLOCKS_NS 50000           /* a submission that returns earlier does not block */
#define GAP_NS ((int64_t)1000000) /* shorter gaps have no room for anything */

/* Detects a gap, in which no rank is in a call: during a call, others may be waiting
 * for it, and the file system has something to do. */
static void find_gap(struct findings *f, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (f->pace_end_ns && e->start_ns - f->pace_end_ns > GAP_NS) {
        f->gaps++;
        f->gap_ns = e->start_ns - f->pace_end_ns;
    }
    if (end > f->pace_end_ns)
        f->pace_end_ns = end;
}

static void end_burst(struct pace *p, const struct findings *f)
{
    if (p->burst_ns > 0) {
        log_sum(&p->hidden_ns, f->gap_ns < p->burst_ns ? f->gap_ns : p->burst_ns);
        p->gaps++;
    }
    p->burst_ns = 0;
    p->gap = f->gaps;
}

/* Counts a burst. Calls that transfer nothing are no burst, but no gap either. */
static void count_burst(struct findings *f, struct pace *p, const struct event *e,
                        uint64_t seq, const struct call *call)
{
    find_gap(f, e);
    if (p->gap != f->gaps)
        end_burst(p, f);
    bool moves = e->class == CLASS_READ || e->class == CLASS_WRITE;
    if (call->library || !moves || e->bytes <= 0)
        return;
    p->threads |= e->thread > 0;
    log_sum(&p->burst_ns, e->duration_ns);
    evidence_count(&p->v, e, seq, e->bytes, e->duration_ns);
}

static void count_submission(struct pace *p, const struct event *e, uint64_t seq,
                             uint32_t file)
{
    if (++p->under_way > p->most_under_way)
        p->most_under_way = p->under_way;
    evidence_count(&p->submit, e, seq, e->request > 0 ? e->request : 0, e->duration_ns);
    p->blocked += e->duration_ns >= BLOCKS_NS;
    p->files |= p->file && p->file != file;
    p->file = p->file ? p->file : file;
}

void pace_event(struct findings *f, struct actor *a, const struct event *e,
                uint64_t seq, const struct call *call, bool top, uint32_t file)
{
    struct pace *p = &a->pace;
    if (e->other_end)
        return;
    count_burst(f, p, e, seq, call);
    if (!top)
        return;
    p->uring |= call->uring;
    if (!e->calls)
        count_submission(p, e, seq, file);
    if (call->kind == KIND_WAIT)
        log_sum(&p->wait_ns, e->duration_ns);
    if (e->begun_ns != e->start_ns) {
        p->under_way -= p->under_way > 0;
        p->ended++;
        log_sum(&p->span_ns, e->start_ns + e->duration_ns - e->begun_ns);
    }
}
