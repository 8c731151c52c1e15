#include "outcore/stream/large.h"
#include "base/rng.h"
#include "base/units.h"
#include "run/lanes.h"
#include "run/stream.h"
#include <string.h>

/* ---- contents -------------------------------------------------------------------- */

/* Byte i is byte i % 8, the lowest first, of number i / 8 of the key's
 * random sequence. */
static void large_make(const void *context, int64_t first, int64_t n, void *to)
{
    const struct large *g = context;
    unsigned char *out = to;
    for (int64_t i = first, end = first + n; i < end;) {
        uint64_t x = rng_at(g->key, (uint64_t)(i / 8));
        for (int k = (int)(i % 8); k < 8 && i < end; k++, i++)
            *out++ = (unsigned char)(x >> 8 * k);
    }
}

void large_prepare(struct large *g, int64_t bytes, uint64_t seed)
{
    g->key = rng_key(seed, RNG_MIXED);
    g->rows =
        (struct data_rows){.bytes = 1, .n = bytes, .make = large_make, .context = g};
}

int64_t large_memory(int64_t slots, int64_t slot_bytes)
{
    return (slots + 2) * slot_bytes + 2 * IO_DIRECT_ALIGN;
}

/* ---- reading --------------------------------------------------------------------- */

/* Returns the offset at which lane w of n begins. Sections are not divided. */
static int64_t large_share(const struct large *g, int w, int n)
{
    int64_t sections = units_div_up(g->file.bytes, LARGE_SECTION);
    int64_t at = units_part(sections, w, n) * LARGE_SECTION;
    return at < g->file.bytes ? at : g->file.bytes;
}

/* Gives the n bytes at offset `at` of the file to the sink, section by section. */
static void take_sections(const struct large *g, struct sink *s, int64_t at,
                          const char *data, int64_t n)
{
    while (n > 0) {
        int64_t left = LARGE_SECTION - at % LARGE_SECTION, part = n < left ? n : left;
        sink_take(s, data, part);
        at += part;
        data += part;
        n -= part;
        if (part == left || at == g->file.bytes)
            sink_end(s, NULL);
    }
}

struct reading {
    struct large *g;
    bool plainly;
};

static void large_lane(struct run *r, void *reading)
{
    const struct reading *d = reading;
    struct large *g = d->g;
    struct run_file *f = &g->file.of[r->lane];
    struct run_stream *s;
    int64_t from = large_share(g, r->worker, r->workers), n;
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .from = from,
                                 .bytes =
                                     large_share(g, r->worker + 1, r->workers) - from,
                                 .slot_bytes = g->slot_bytes,
                                 .slots = d->plainly ? 1 : g->slots};
    if (!how.bytes || r->failed)
        return;
    if (run_stream_memory(f, &how) <= large_memory(g->slots, g->slot_bytes))
        how.memory = r->buffer;
    if (run_stream_open(&s, f, &how))
        return;
    for (const char *data; (data = run_stream_next(s, &n)); from += n) {
        take_sections(g, &g->sink[r->lane], from, data, n);
        progress_step(&r->progress, n, r->phase->name);
    }
    run_stream_close(&s);
}

void large_run(struct large *g, struct run *r, bool plainly)
{
    struct reading d = {g, plainly};
    run_lanes(r, large_lane, &d);
}

/* ---- expected sums --------------------------------------------------------------- */

static void expect_lane(struct run *r, void *large)
{
    struct large *g = large;
    int64_t at = large_share(g, r->worker, r->workers);
    int64_t end = large_share(g, r->worker + 1, r->workers);
    int64_t most = large_memory(g->slots, g->slot_bytes);
    for (int64_t n; at < end; at += n) {
        n = end - at < most ? end - at : most;
        large_make(g, at, n, r->buffer);
        take_sections(g, &g->sink[r->lane], at, r->buffer, n);
    }
}

void large_expect(struct large *g, struct run *r)
{
    run_lanes(r, expect_lane, g);
}
