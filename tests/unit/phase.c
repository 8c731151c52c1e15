/* ranks: 1 */
/* Parts add up to the whole; buckets have their bounds; device bytes. */
#include "report/phase.h"
#include "tap.h"

static struct phase *p;

static void spin(int64_t ns)
{
    int64_t end = clock_ns() + ns;
    while (clock_ns() < end)
        ;
}

static int64_t parts(void)
{
    int64_t sum = 0;
    for (int a = 0; a < ACT_COUNT; a++)
        sum += p->act[a].ns;
    return sum;
}

static void check_split(void)
{
    phase_begin(p, "a name too long for it", 3);
    enum act first = phase_act(p, ACT_WRITE);
    spin(2000000);
    enum act inner = phase_act(p, ACT_CHECK);
    spin(1000000);
    phase_act(p, inner);
    phase_act(p, first);
    spin(1000000);
    phase_end(p);
    tap_ok(first == ACT_COMPUTE && inner == ACT_WRITE, "what was is handed back");
    tap_ok(parts() == p->end_ns - p->begin_ns, "the parts are the whole, exactly");
    tap_ok(p->act[ACT_WRITE].ns >= 2000000 && p->act[ACT_CHECK].ns >= 1000000 &&
               p->act[ACT_COMPUTE].ns >= 1000000 && p->act[ACT_READ].ns == 0,
           "each activity has its own time");
    tap_ok(strlen(p->name) == sizeof p->name - 1 && p->rep == 3, "name and repetition");
    tap_ok(strlen(p->utc_begin) == 24 && strcmp(p->utc_begin, p->utc_end) <= 0,
           "UTC begin and end");
}

static void check_outside(void)
{
    int64_t end = p->end_ns, sum = parts();
    enum act was = phase_act(p, ACT_READ);
    spin(100000);
    phase_act(p, was);
    phase_end(p);
    tap_ok(parts() == sum && p->end_ns == end, "nothing is counted after the end");
    phase_device(p, ACT_READ, 5);
    tap_ok(p->act[ACT_READ].device_bytes == 5, "but device bytes are");
    phase_begin(p, "W", 1);
    phase_end(p);
    tap_ok(p->act[ACT_READ].device_bytes < 0 && p->act[ACT_WRITE].ns == 0 &&
               parts() == p->end_ns - p->begin_ns,
           "a new phase starts from nothing");
}

static void check_transfers(void)
{
    phase_begin(p, "W", 1);
    phase_transfer(p, ACT_READ, 100, 0, 1000);
    phase_transfer(p, ACT_READ, 50, 5000, 8000);
    phase_transfer(p, ACT_WRITE, (int64_t)1 << 33, 0, 1000);
    phase_visible(p, ACT_READ, 10, 20);
    phase_visible(p, ACT_READ, 1, 2);
    phase_op(p, PHASE_OP_OPEN, p->begin_ns, p->begin_ns + 30000000);
    phase_end(p);
    const struct series *s = p->act[ACT_OPEN_CLOSE].series;
    tap_ok(s->slot[30000000 >> s->shift].calls == 1 && s->slot[0].calls == 0,
           "an operation counts when it ends");
    const struct phase_act *r = &p->act[ACT_READ], *w = &p->act[ACT_WRITE];
    tap_ok(r->calls == 2 && r->bytes == 150 && r->latency_max_ns == 3000 &&
               r->hist[hist_bucket(1000)] == 1 && r->hist[hist_bucket(3000)] == 1,
           "reads are counted");
    tap_ok(w->calls == 1 && w->bytes == (int64_t)1 << 33 &&
               w->hist[hist_bucket(1000)] == 1 && w->hist[hist_bucket(3000)] == 0,
           "writes are counted apart");
    tap_ok(r->submit_ns == 11 && r->wait_ns == 22, "visible time adds up");
    phase_device(p, ACT_READ, 7);
    phase_device(p, ACT_READ, 8);
    tap_ok(r->device_bytes == 15, "device bytes add up");
    phase_device(p, ACT_READ, -1);
    phase_device(p, ACT_READ, 8);
    tap_ok(r->device_bytes < 0, "once unknown, they stay unknown");
    phase_begin(p, "W", 2);
    tap_ok(r->calls == 0 && r->hist[hist_bucket(1000)] == 0, "histograms start empty");
}

static void check_series(void)
{
    int64_t ms = 1000000;
    phase_begin(p, "W", 1);
    const struct series *r = p->act[ACT_READ].series, *w = p->act[ACT_WRITE].series;
    tap_ok(r->slot[0].calls == 0 && w->slot[0].calls == 0, "a phase's series is empty");
    phase_transfer(p, ACT_WRITE, 10, p->begin_ns, p->begin_ns + 100 * ms);
    phase_transfer(p, ACT_READ, 20, p->begin_ns + 99 * ms, p->begin_ns + 100 * ms);
    phase_end(p);
    int at = (int)((100 * ms) >> SERIES_SHIFT);
    tap_ok(w->slot[at].bytes == 10 && w->slot[at].longest_ns == 100 * ms &&
               w->slot[0].calls == 0,
           "a transfer is booked where it ended");
    tap_ok(r->slot[at].bytes == 20 && r->slot[at].longest_ns == ms,
           "reads and writes apart");
}

static void check_ops(void)
{
    phase_begin(p, "W", 1);
    phase_op(p, PHASE_OP_OPEN, 0, 5000);
    phase_op(p, PHASE_OP_OPEN, 5000, 7000);
    phase_op(p, PHASE_OP_FSYNC, 0, 1);
    phase_end(p);
    const struct phase_calls *x = &p->op[PHASE_OP_OPEN];
    tap_ok(x->calls == 2 && x->ns == 7000 && x->latency_max_ns == 5000 &&
               x->hist[hist_bucket(5000)] == 1 && x->hist[hist_bucket(2000)] == 1,
           "calls are counted by what they do");
    tap_ok(p->act[ACT_OPEN_CLOSE].calls == 2 && p->act[ACT_SYNC].calls == 1,
           "and are calls of opening and closing, or of syncing");
    phase_begin(p, "W", 2);
    tap_ok(x->calls == 0 && x->hist[hist_bucket(5000)] == 0, "they start empty");
    for (int i = 0; i < PHASE_OPS; i++)
        tap_ok(phase_op_name[i] && phase_op_name[i][0], "operation %d has a name", i);
}

static void check_buckets(void)
{
    int holds = 1, rises = 1, last = 0;
    for (int64_t ns = 1; ns < (int64_t)1 << 43; ns += ns / 37 + 1) {
        int b = hist_bucket(ns);
        holds &= (double)ns * 1e-9 <= (hist_bound(b) * 1e-9) * (1 + 1e-12);
        holds &=
            b == 0 || (double)ns * 1e-9 >= (hist_bound(b - 1) * 1e-9) * (1 - 1e-12);
        rises &= b >= last;
        last = b;
    }
    tap_ok(holds, "every latency lies between its bucket's bounds");
    tap_ok(rises, "buckets rise with latency");
    tap_ok(hist_bucket(1024) == 10 * HIST_SUB, "an octave begins with its power");
    tap_ok(hist_bucket(1023) == 10 * HIST_SUB - 1, "and the last one ends there");
    tap_ok(hist_bucket(0) == 0 && hist_bucket(-5) == 0 &&
               hist_bucket(INT64_MAX) == HIST_SIZE - 1,
           "what is out of range goes to the ends");
    tap_ok(fabs((hist_bound(30 * HIST_SUB - 1) * 1e-9) - 1.073741824) < 1e-12,
           "a bound is in seconds");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_ok(phase_open(&p) == 0, "a phase opens");
    check_split();
    check_outside();
    check_transfers();
    check_series();
    check_ops();
    check_buckets();
    phase_close(&p);
    tap_ok(!p, "and closes");
    return tap_end();
}
