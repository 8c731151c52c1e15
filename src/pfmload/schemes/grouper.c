/* The slaves of schemes E and F: they send whole blocks of one bin each, and keep
 * leftovers until more soundings of the bin come. At the end the first slave to finish
 * groups the leftovers of all. */
#include "base/mem.h"
#include "pfmload/schemes/packet.h"
#include "pfmload/schemes/roles.h"
#include "pfmload/store/batch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct grouper {
    struct load *l;
    int64_t due;           /* size of the batch that starts the next round */
    struct channel blocks; /* to the I/O node */
    struct channel rest;   /* to the slave that groups */
    struct receiver others;
    struct batch batch;
    struct extsort *left; /* leftovers that do not fit in the batch; all of them at
                           * the end */
    /* at the end, of the bin being grouped: */
    struct pfm_sounding *part;
    int64_t parts;
    bool groups;
};

enum { ROUND_LEAST = 1 << 16 }; /* least soundings of a round */

static int grouper_open(struct grouper *g, struct load *l)
{
    int64_t half = load_memory(l) / 2;
    char scratch[PFM_PATH];
    *g = (struct grouper){.l = l};
    g->part = mem_new(l->head.record_length, sizeof *g->part, "a block");
    int rc = g->part ? 0 : -ENOMEM;
    if (!rc)
        rc = channel_open(&g->blocks, l, LOAD_IO_RANK);
    if (!rc)
        rc = channel_open(&g->rest, l, LOAD_IO_RANK);
    if (!rc)
        rc = receiver_open(&g->others, l);
    if (!rc)
        rc = batch_open(&g->batch, load_sorter_memory(l, half, roles_slaves(l)));
    if (!rc)
        rc = sorted_soundings(&g->left, load_sorter_memory(l, half, 1),
                              load_scratch(l, "left", scratch), &l->sorted_io);
    return rc;
}

static void grouper_close(struct grouper *g)
{
    channel_close(&g->blocks);
    channel_close(&g->rest);
    receiver_close(&g->others);
    batch_close(&g->batch);
    extsort_close(&g->left);
    free(g->part);
}

/* ---- while there are items ------------------------------------------------------ */

static void send_block(struct grouper *g, const struct pfm_sounding *s, int64_t n)
{
    const struct pfm_head *h = &g->l->head;
    packet_put(h, channel_take(&g->blocks, packet_bytes(h)), s, n);
}

/* Sets the size for the next round: at least as many new soundings as leftovers. */
static void set_due(struct grouper *g)
{
    int64_t most = g->batch.capacity, due = 2 * g->batch.n + ROUND_LEAST;
    g->due = due < most ? due : most;
}

/* Sends all full blocks of the batch. Leftovers move to its start, or, if they would
 * fill half of it, to the sorter. */
static int send_full(struct grouper *g)
{
    struct batch *b = &g->batch;
    int64_t length = g->l->head.record_length, left = 0, end;
    int rc = 0;
    batch_sort(b);
    for (int64_t i = 0; i < b->n; i = end) {
        end = batch_bin_end(b, i);
        for (; end - i >= length; i += length)
            send_block(g, b->sounding + i, length);
        memmove(b->sounding + left, b->sounding + i,
                (size_t)(end - i) * sizeof *b->sounding);
        left += end - i;
    }
    if (left > b->capacity / 2) {
        rc = extsort_add(g->left, b->sounding, left);
        left = 0;
    }
    b->n = left;
    set_due(g);
    return rc;
}

static int grouper_take(void *grouper, const struct pfm_sounding *s, int64_t n)
{
    struct grouper *g = grouper;
    int rc = 0;
    while (n && !rc) {
        int64_t done = batch_add(&g->batch, s, n);
        s += done;
        n -= done;
        if (g->batch.n >= g->due)
            rc = send_full(g);
    }
    return rc;
}

/* ---- at the end ----------------------------------------------------------------- */

/* Receives other slaves' leftovers. */
static void take_rest(void *grouper, const uint8_t *buf, int64_t n, int from)
{
    struct grouper *g = grouper;
    (void)from;
    load_fail(g->l, extsort_add(g->left, (const void *)buf,
                                n / (int64_t)sizeof(struct pfm_sounding)));
}

static void end_bin(struct grouper *g)
{
    if (g->parts && g->groups)
        send_block(g, g->part, g->parts);
    for (int64_t i = 0; i < g->parts && !g->groups; i++)
        memcpy(channel_take(&g->rest, sizeof *g->part), &g->part[i], sizeof *g->part);
    g->parts = 0;
}

static void group(struct grouper *g, const struct pfm_sounding *s, int64_t n)
{
    if (g->parts && g->part->bin != s->bin)
        end_bin(g);
    for (int64_t i = 0; i < n; i++) {
        g->part[g->parts++] = s[i];
        if (g->parts == g->l->head.record_length) {
            send_block(g, g->part, g->parts);
            g->parts = 0;
        }
    }
}

/* Groups all leftovers, in the order of bins, into blocks; a slave that does not group
 * makes only full ones, and sends the rest. */
static int group_all(struct grouper *g)
{
    const struct pfm_sounding *s;
    int64_t n;
    int rc = extsort_finish(g->left);
    while (!rc && (s = extsort_group(g->left, 0, &n), n))
        group(g, s, n);
    end_bin(g);
    return g->l->r->failed;
}

/* Ends a slave. All full blocks arrive before the rest: none of a bin comes after its
 * block that is not full. */
static void grouper_finish(struct grouper *g, const struct roles_end *end)
{
    struct load *l = g->l;
    g->groups = end->groups;
    g->rest.to = end->group;
    if (!l->r->failed)
        load_fail(l, send_full(g));
    if (!l->r->failed)
        load_fail(l, extsort_add(g->left, g->batch.sounding, g->batch.n));
    if (g->groups)
        receiver_run(&g->others, end->slaves, take_rest, g);
    if (!l->r->failed)
        load_fail(l, group_all(g));
    channel_end(&g->blocks);
    if (!g->groups)
        channel_end(&g->rest);
    load_count_scratch(l, g->left);
}

void grouper_slave(struct load *l)
{
    struct grouper g;
    if (load_ready(l, grouper_open(&g, l))) {
        set_due(&g);
        struct roles_end end = roles_slave(l, grouper_take, &g);
        grouper_finish(&g, &end);
    }
    grouper_close(&g);
}
