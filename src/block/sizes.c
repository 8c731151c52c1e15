/* --block-sizes: blocks of several sizes in shares of their number, and the latencies
 * of each size. A slot of the layout holds a whole cycle of them, so that places stay
 * arithmetic. */
#include "base/err.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "block/block.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct block_size {
    int64_t calls[2], longest_ns[2]; /* reads, writes */
    int64_t hist[2][HIST_SIZE];
};

/* ---- the option ------------------------------------------------------------------ */

/* Takes "SIZE:SHARE" and the comma after it from *text. */
static bool take_size(const char **text, int64_t *bytes, int64_t *share)
{
    char word[64];
    size_t n = strcspn(*text, ",");
    if (n >= sizeof word)
        return false;
    memcpy(word, *text, n);
    word[n] = 0;
    *text += n + ((*text)[n] == ',');
    char *colon = strchr(word, ':');
    if (!colon)
        return false;
    *colon = 0;
    return !units_parse_bytes(word, bytes) && !units_parse_int(colon + 1, share) &&
           *bytes > 0 && *share > 0 && *share <= ORDER_CYCLE;
}

static int64_t common(int64_t a, int64_t b)
{
    return b ? common(b, a % b) : a;
}

/* Spreads the sizes over the cycle, the same for all files. */
static int spread_sizes(struct order *o, const int64_t share[])
{
    int64_t sum = 0, divisor = 0;
    for (int k = 0; k < o->sizes; k++)
        divisor = common(share[k], divisor);
    for (int k = 0; k < o->sizes; k++)
        sum += share[k] / divisor;
    if (sum > ORDER_CYCLE)
        return err_usage(
            "--block-sizes: the shares make a cycle of %lld blocks, and %d "
            "are the most: take shares that add up to 100",
            (long long)sum, ORDER_CYCLE);
    o->cycle = (int)sum;
    for (int64_t k = 0, i = 0; k < o->sizes; k++)
        for (int64_t n = share[k] / divisor; n > 0; n--)
            o->kind[shuffle(i++, sum, 0)] = (unsigned char)k;
    o->cycle_bytes = 0;
    for (int i = 0; i < o->cycle; i++) {
        o->at[i] = o->cycle_bytes;
        if (__builtin_add_overflow(o->cycle_bytes, o->size[o->kind[i]],
                                   &o->cycle_bytes))
            return err_usage("--block-sizes: a cycle exceeds 2^63 bytes");
    }
    return 0;
}

int block_sizes_plan(struct block *b)
{
    struct order *o = &b->order;
    const char *text = b->set.sizes;
    int64_t share[ORDER_SIZES];
    o->sizes = 0;
    o->cycle = 1;
    if (!text)
        return 0;
    b->set.block = 0;
    while (*text) {
        if (o->sizes == ORDER_SIZES)
            return err_usage("--block-sizes: %d sizes are the most", ORDER_SIZES);
        if (!take_size(&text, &o->size[o->sizes], &share[o->sizes]))
            return err_usage("--block-sizes=%s is not SIZE:SHARE,SIZE:SHARE, such as "
                             "4k:60,64k:40",
                             b->set.sizes);
        if (o->size[o->sizes] > b->set.block)
            b->set.block = o->size[o->sizes];
        o->sizes++;
    }
    return o->sizes ? spread_sizes(o, share)
                    : err_usage("--block-sizes names no size: 4k:60,64k:40");
}

int64_t block_least(const struct block *b)
{
    int64_t least = b->set.block;
    for (int k = 0; k < b->order.sizes; k++)
        least = b->order.size[k] < least ? b->order.size[k] : least;
    return least;
}

double block_mean(const struct block *b)
{
    const struct order *o = &b->order;
    return o->sizes ? (double)o->cycle_bytes / o->cycle : (double)b->set.block;
}

/* ---- latencies ------------------------------------------------------------------- */

int64_t block_sizes_bytes(const struct block *b)
{
    return b->order.sizes * (int64_t)sizeof(struct block_size);
}

struct block_size *block_sizes_open(const struct block *b)
{
    return mem_new(b->order.sizes, sizeof(struct block_size), "block sizes");
}

void block_sizes_note(struct block_size *s, int kind, const struct io_req *req)
{
    int64_t ns = req->end_ns - req->start_ns;
    s += kind;
    s->calls[req->op]++;
    s->hist[req->op][hist_bucket(ns)]++;
    if (ns > s->longest_ns[req->op])
        s->longest_ns[req->op] = ns;
}

/* Adds up the lanes' counts in `sum`, and clears them. */
static void take_lanes(const struct run *r, int kind, struct block_size *sum)
{
    const struct block *b = r->context;
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < r->lanes; i++) {
        struct block_size *s = &b->lane[i].sizes[kind];
        for (int op = 0; op < 2; op++) {
            sum->calls[op] += s->calls[op];
            if (s->longest_ns[op] > sum->longest_ns[op])
                sum->longest_ns[op] = s->longest_ns[op];
            for (int k = 0; k < HIST_SIZE; k++)
                sum->hist[op][k] += s->hist[op][k];
        }
        memset(s, 0, sizeof *s);
    }
}

static void add_figures(struct run *r, const struct block_size *s, int op,
                        int64_t bytes)
{
    static const struct {
        const char *name;
        double q;
    } row[] = {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}};
    double max_s = (double)s->longest_ns[op] / 1e9;
    char name[64];
    for (int k = 0; k < WORKLOAD_COUNT(row); k++) {
        snprintf(name, sizeof name, "%s_%lldB_%s_us",
                 op == IO_OP_READ ? "read" : "write", (long long)bytes, row[k].name);
        run_figure(r, r->phase->name, name, "us", "lower",
                   "latency that this part of the transfers of this size do not exceed",
                   report_quantile(s->hist[op], s->calls[op], row[k].q, max_s) * 1e6);
    }
}

void block_sizes_figures(struct run *r)
{
    struct block *b = r->context;
    struct block_size s;
    enum act before = phase_act(r->phase, ACT_IDLE);
    for (int k = 0; k < b->order.sizes; k++) {
        take_lanes(r, k, &s);
        world_reduce(r->world.comm, s.calls, 2, MPI_INT64_T, MPI_SUM);
        world_reduce(r->world.comm, s.longest_ns, 2, MPI_INT64_T, MPI_MAX);
        world_reduce(r->world.comm, s.hist, 2 * HIST_SIZE, MPI_INT64_T, MPI_SUM);
        for (int op = 0; op < 2; op++) {
            b->moved[op] += r->phase->mixed ? 0 : s.calls[op];
            if (s.calls[op])
                add_figures(r, &s, op, b->order.size[k]);
        }
    }
    phase_act(r->phase, before);
}
