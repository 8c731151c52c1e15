/* libFuzzer target: any text is read as an access pattern and as a plan of all ranks.
 * Accepted input must print as text that reads the same, and its map must lead back. */
#include "algebra/descriptor.h"
#include "fuzz.h"

enum { RUNS = 64, TEXT = 1 << 20 };

static char printed[TEXT], again[TEXT];

static void try_descriptor(const char *text)
{
    struct ldad d, e;
    if (ldad_parse(text, &d)) {
        fuzz_ended(-1);
        return;
    }
    fuzz_demand(ldad_print(printed, LDAD_TEXT, &d) < LDAD_TEXT);
    fuzz_demand(!ldad_parse(printed, &e) && ldad_same(&d, &e));
    fuzz_demand(ldad_low(&d) >= 0 && ldad_low(&d) < ldad_high(&d));
    fuzz_demand(ldad_chunk(&d, ldad_chunks(&d) - 1) < ldad_high(&d));
    ldad_single(&d);
    if (!ldad_normal(&d, &e))
        return;
    int64_t bytes = ldad_bytes(&e), last = ldad_at(&e, bytes - 1);
    fuzz_demand(ldad_low(&e) == ldad_low(&d) && ldad_high(&e) == ldad_high(&d));
    fuzz_demand(last == ldad_high(&e) - 1 && ldad_before(&e, last) == bytes - 1);
}

/* Follows runs, each of which must lead back to its place in the file. */
static void follow(const struct ldad_map *m)
{
    int64_t at = m->low, end = m->plan.end;
    for (int i = 0; i < RUNS && at < end; i++) {
        struct ldad_run run = ldad_map_run(m, at, end - at);
        fuzz_demand(run.offset == at && run.bytes > 0 && run.bytes <= end - at);
        fuzz_demand(run.rank >= -1 && run.rank < m->plan.ranks);
        if (run.rank >= 0) {
            fuzz_demand(ldad_map_offset(m, run.rank, run.at) == at);
            fuzz_demand(run.at + run.bytes <= ldad_map_bytes(m, run.rank));
            fuzz_demand(ldad_map_lands(m, run.rank, at, run.bytes, &run.at));
        }
        at += run.bytes;
    }
}

static void try_plan(const char *text)
{
    struct ldad_plan p, q;
    struct ldad_map m;
    if (ldad_plan_parse(text, &p)) {
        fuzz_ended(-1);
        return;
    }
    fuzz_demand(ldad_plan_print(printed, TEXT, &p) < TEXT);
    fuzz_demand(!ldad_plan_parse(printed, &q));
    ldad_plan_print(again, TEXT, &q);
    fuzz_demand(!strcmp(printed, again));
    ldad_plan_relation(&p);
    ldad_plan_disjoint(&p);
    ldad_plan_tiles(&p, p.each.start, p.end);
    if (ldad_map_make(&m, &p))
        fuzz_ended(-1);
    else
        follow(&m);
    ldad_plan_free(&p);
    ldad_plan_free(&q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    try_descriptor(text);
    try_plan(text);
    free(text);
    return 0;
}
