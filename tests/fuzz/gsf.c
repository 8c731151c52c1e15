/* libFuzzer target: any bytes are read as a GSF file, to the end or to a sentence, and
 * all pings go through the swath filter.
 *
 * tests/fuzz/README tells how to run it. */
#include "hydro/gsf.h"
#include "fuzz.h"
#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include "hydro/swath.h"

/* Touches all arrays of a ping; a wrong length is then a fault under ASan. */
static void use(const struct gsf_ping *p)
{
    static double sum;
    struct geo_point beam;
    for (int i = 0; i < p->beams; i++)
        sum += p->depth[i] + p->across[i] + p->along[i] + p->flag[i] +
               (double)gsf_why_beam_out(p, i);
    if (p->beams && p->placed)
        geo_beams(GEO_EXACT, (struct geo_point){p->lat, p->lon}, p->heading, 1,
                  p->across, p->along, &beam);
}

/* Takes the filter's output: as many pings as it was given. */
static int64_t take(struct swath *w)
{
    struct gsf_ping p;
    const uint8_t *cut;
    int64_t n = 0;
    for (; swath_next(w, &p, &cut); n++)
        use(&p);
    return n;
}

static void read_all(const char *path)
{
    static const struct swath_options usual = SWATH_DEFAULTS;
    struct gsf *g;
    struct swath *w;
    struct gsf_ping p;
    int64_t given = 0, got = 0;
    int rc = gsf_open(&g, path), filters = swath_open(&w, &usual);
    while (!rc && (rc = gsf_next(g, &p)) == 1) {
        use(&p);
        if (!filters && !(filters = swath_push(w, &p))) {
            given++;
            got += take(w);
        }
        rc = 0;
    }
    if (!filters) {
        swath_flush(w);
        fuzz_demand(got + take(w) == given);
    }
    fuzz_ended(rc);
    gsf_close(&g);
    swath_close(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(fuzz_file(data, size));
    return 0;
}
