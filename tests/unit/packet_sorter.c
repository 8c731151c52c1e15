/* The sorter of packets against qsort: in memory, with runs, with merges of merges. */
#include "tap.h"

#include "base/err.h"
#include "local_run.h"
#include "pfmload/store/packet_sorter.h"
#include "pfmload/store/spill.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 1 << 20 };

static struct run run;
static const struct spill_io io = {.run = &run};

/* A packet's key, and after it, all over it, when it came. */
static void make(uint8_t *packet, int64_t bytes, uint64_t key, uint64_t number)
{
    memcpy(packet, &key, sizeof key);
    for (int64_t i = 8; i < bytes; i += 8)
        memcpy(packet + i, &number, sizeof number);
}

static uint64_t word(const uint8_t *packet, int64_t at)
{
    uint64_t w;
    memcpy(&w, packet + at, sizeof w);
    return w;
}

struct pair {
    uint64_t key, number;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Adds n packets, in calls of a few, and writes what should come out into `should`. */
static int fill(struct packet_sorter *s, int64_t bytes, int64_t n, uint64_t keys,
                struct pair *should)
{
    enum { FEW = 7 };
    uint8_t *few = calloc(FEW, (size_t)bytes);
    uint64_t random = 88172645463325252;
    int rc = 0;
    for (int64_t i = 0; i < n && !rc; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        should[i] = (struct pair){(random % keys) << 16, (uint64_t)i};
        make(few + i % FEW * bytes, bytes, should[i].key, (uint64_t)i);
        if (i % FEW == FEW - 1 || i == n - 1)
            rc = packet_sorter_add(s, few, i % FEW + 1);
    }
    free(few);
    qsort(should, (size_t)n, sizeof *should, by_key);
    return rc;
}

static int64_t wrong(struct packet_sorter *s, int64_t bytes, int64_t n,
                     const struct pair *should)
{
    const uint8_t *packet;
    int64_t bad = 0, i = 0;
    while (!packet_sorter_next(s, &packet) && packet && i < n) {
        bad += word(packet, 0) != should[i].key;
        bad += word(packet, 8) != should[i].number;
        bad += word(packet, bytes - 8) != should[i].number;
        i++;
    }
    return bad + n - i + (packet != NULL);
}

static void sorted(const char *what, int64_t bytes, int64_t n, uint64_t keys, bool runs,
                   bool passes)
{
    struct pair *should = calloc((size_t)n + 1, sizeof *should);
    struct packet_sorter *s = NULL;
    char scratch[TAP_PATH];
    int rc = packet_sorter_open(&s, bytes, MEMORY, tap_path(scratch, "runs"), &io);
    rc = rc ? rc : fill(s, bytes, n, keys, should);
    rc = rc ? rc : packet_sorter_finish(s);
    int64_t bad = rc ? -1 : wrong(s, bytes, n, should);
    const struct sorter_counts *c = packet_sorter_counts(s);
    tap_ok(!rc && !bad, "%s: %lld packets of %lld bytes are sorted", what, (long long)n,
           (long long)bytes);
    tap_ok((c->runs > 0) == runs && (c->passes > 0) == passes && c->soundings == n,
           "%s: runs %lld, merges before the last %lld", what, (long long)c->runs,
           (long long)c->passes);
    tap_ok(!passes == (c->spilled_bytes <= n * bytes), "%s: %lld bytes were written",
           what, (long long)c->spilled_bytes);
    packet_sorter_close(&s);
    free(should);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    local_run(&run);
    sorted("none", 112, 0, 1, false, false);
    sorted("one", 112, 1, 1, false, false);
    sorted("in memory", 112, 6000, 900, false, false);
    sorted("all equal", 112, 5000, 1, false, false);
    sorted("far apart", 112, 5000, UINT64_C(1) << 47, false, false);
    sorted("runs", 112, 50000, 5000, true, false);
    sorted("runs of equals", 32, 80000, 3, true, false);
    sorted("many runs", 112, 700000, 90000, true, true);
    sorted("large ones", 65544, 500, 90, true, true);
    struct packet_sorter *s;
    tap_ok(packet_sorter_open(&s, 112, MEMORY, "/no/such/folder/runs", &io) == 0,
           "a scratch file is made when it is needed");
    uint8_t packet[112] = {0};
    int rc = 0;
    for (int i = 0; i < 20000 && !rc; i++)
        rc = packet_sorter_add(s, packet, 1);
    tap_ok(rc < 0 && err_get()->code == rc &&
               strstr(err_get()->file, "/no/such/folder"),
           "and where it cannot be, that is said");
    packet_sorter_close(&s);
    phase_close(&run.phase);
    return tap_end();
}
