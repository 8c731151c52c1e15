/* --rate: an open loop. Transfers have intended starts, which do not wait for the
 * storage, and their latencies begin there: no delay by the storage is left out. */
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "block/block.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct block_arrivals { /* of a lane, in a phase */
    int64_t begin_ns;
    uint64_t key;
    int64_t number;                  /* of the next arrival */
    double at_s;                     /* its time since the beginning */
    bool put_off;                    /* it was asked for before its time */
    int64_t due_ns[BLOCK_DEPTH_MAX]; /* of the transfer in each slot */
    bool held[BLOCK_DEPTH_MAX];      /* it was due before the slot was free */
    struct {
        int64_t n[2], held[2], waited_ns[2], missed; /* reads, writes */
    } sum;
};

/* ---- the option ------------------------------------------------------------------ */

int block_rate_plan(struct block *b)
{
    const char *text = b->set.rate;
    char word[64];
    int64_t n;
    b->rate = 0;
    if (!text)
        return 0;
    snprintf(word, sizeof word, "%s", text);
    char *slash = strstr(word, "/s");
    if (slash && !slash[2])
        *slash = 0;
    if (!units_parse_int(word, &n))
        b->rate = (double)n;
    else if (!units_parse_bytes(word, &n))
        b->rate = (double)n / block_mean(b);
    if (b->rate > 0 && b->rate <= 1e7)
        return 0;
    return err_usage(
        "--rate=%s is not a number of transfers or bytes in a second, such "
        "as 500, 500/s or 20MB/s, of at most 10 million transfers",
        text);
}

/* ---- arrivals -------------------------------------------------------------------- */

int64_t block_arrivals_bytes(const struct block *b)
{
    return b->set.rate ? (int64_t)sizeof(struct block_arrivals) : 0;
}

struct block_arrivals *block_arrivals_open(void)
{
    return mem_new(1, sizeof(struct block_arrivals), "arrivals");
}

static double gap_s(const struct block *b, const struct block_arrivals *a)
{
    if (!strcmp(b->set.arrival, "poisson"))
        return -log1p(-rng_real(a->key, (uint64_t)a->number)) / b->rate;
    return a->number ? 1 / b->rate : 0;
}

static void arrivals_next(const struct block *b, struct block_arrivals *a)
{
    a->at_s += gap_s(b, a);
    a->number++;
    a->put_off = false;
}

void block_arrivals_begin(const struct run *r, struct block_arrivals *a)
{
    const struct block *b = r->context;
    memset(a, 0, sizeof *a);
    a->begin_ns = clock_ns();
    a->key = rng_key(r->seed, (uint64_t)r->worker << 32 | (uint64_t)r->rep);
    arrivals_next(b, a);
}

static int64_t arrivals_due(const struct block_arrivals *a)
{
    return a->begin_ns + (int64_t)(a->at_s * 1e9);
}

int64_t block_arrivals_due(const struct block *b, struct block_arrivals *a, int64_t i,
                           int64_t now_ns)
{
    while (a->number <= i)
        arrivals_next(b, a);
    a->put_off |= arrivals_due(a) > now_ns;
    return arrivals_due(a);
}

void block_arrivals_take(struct block_arrivals *a, int slot)
{
    a->due_ns[slot] = arrivals_due(a);
    a->held[slot] = !a->put_off;
}

void block_arrivals_done(struct block_arrivals *a, const struct io_req *req, int slot)
{
    int64_t waited_ns = req->start_ns - a->due_ns[slot];
    a->sum.n[req->op]++;
    a->sum.held[req->op] += a->held[slot];
    a->sum.waited_ns[req->op] += waited_ns > 0 ? waited_ns : 0;
}

void block_arrivals_end(const struct block *b, struct block_arrivals *a, int64_t made,
                        double limit_s)
{
    while (a->number <= made)
        arrivals_next(b, a);
    for (; a->at_s < limit_s; arrivals_next(b, a))
        a->sum.missed++;
}

/* ---- figures --------------------------------------------------------------------- */

static void kind_figures(struct run *r, const char *kind, int64_t n, int64_t held,
                         int64_t waited_ns)
{
    char name[32];
    if (!n)
        return;
    snprintf(name, sizeof name, "%s_waiting_us", kind);
    run_figure(r, r->phase->name, name, "us", "lower",
               "mean time from a transfer's intended start to its start",
               (double)waited_ns / (double)n / 1e3);
    snprintf(name, sizeof name, "%s_held_share", kind);
    run_figure(
        r, r->phase->name, name, "%", "lower",
        "transfers that were due while --depth others were in flight / all x 100",
        100.0 * (double)held / (double)n);
}

void block_arrivals_figures(struct run *r)
{
    const struct block *b = r->context;
    int64_t sum[7] = {0};
    enum act before = phase_act(r->phase, ACT_IDLE);
    for (int i = 0; i < r->lanes; i++) {
        const struct block_arrivals *a = b->lane[i].arrivals;
        for (int op = 0; op < 2; op++) {
            sum[op] += a->sum.n[op];
            sum[2 + op] += a->sum.held[op];
            sum[4 + op] += a->sum.waited_ns[op];
        }
        sum[6] += a->sum.missed;
    }
    world_reduce(r->world.comm, sum, 7, MPI_INT64_T, MPI_SUM);
    phase_act(r->phase, before);
    kind_figures(r, "read", sum[IO_OP_READ], sum[2 + IO_OP_READ], sum[4 + IO_OP_READ]);
    kind_figures(r, "write", sum[IO_OP_WRITE], sum[2 + IO_OP_WRITE],
                 sum[4 + IO_OP_WRITE]);
    if (b->set.run.time_s > 0)
        run_figure(
            r, r->phase->name, "missed", "1", "lower",
            "transfers of all ranks that were due within --time and could not be "
            "started",
            (double)sum[6]);
}
