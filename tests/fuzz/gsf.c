/* libFuzzer target: any bytes are read as a GSF file, to the end or to a sentence.
 * How to run it: tests/fuzz/README. */
#include "hydro/gsf.h"
#include "fuzz.h"
#include "hydro/geodesy.h"

/* Touches all that a ping promises; a wrong length is then a fault under ASan. */
static void use(const struct gsf_ping *p)
{
    static double sum;
    struct geo_point beam;
    for (int i = 0; i < p->beams; i++)
        sum += p->depth[i] + p->across[i] + p->along[i] + p->flag[i];
    if (p->beams && p->placed)
        geo_beams(GEO_EXACT, (struct geo_point){p->lat, p->lon}, p->heading, 1,
                  p->across, p->along, &beam);
}

static void read_all(const char *path)
{
    struct gsf *g;
    struct gsf_ping p;
    int rc = gsf_open(&g, path);
    while (!rc && (rc = gsf_next(g, &p)) == 1) {
        use(&p);
        rc = 0;
    }
    fuzz_ended(rc);
    gsf_close(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(fuzz_file(data, size));
    return 0;
}
