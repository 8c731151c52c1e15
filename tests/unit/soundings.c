/* Soundings of real files fall into as many bins as in the PFMs that NAVO's library
 * made from them, and their depths have the same sum (tests/data/gsf/truth.json). For
 * that, headings, offsets, their signs and the positions all have to be right. */
#include "tap.h"

#include "hydro/geodesy.h"
#include "hydro/gsf.h"

static const struct load {
    const char *name;
    double min_x, min_y, bin_x, bin_y;
    int width, height, bins, soundings;
    long long depth_sum; /* of depths in cm */
} loads[] = {
    {"GSF3_08_test_file.gsf", 167.4159172, 8.6515166, 0.000908731938011,
     0.000904159847817, 133, 135, 554, 2962, 1200602658},
    {"6_184_1440.mb121", -76.3512001, 37.962955, 0.000284569104736, 0.000225233895684,
     221, 183, 131, 132, 167184},
};

struct found {
    int bins, soundings, outside;
    long long depth_sum;
    char used[221 * 183];
};

static void add(const struct load *l, struct geo_point p, double depth, struct found *f)
{
    int column = (int)((p.lon - l->min_x) / l->bin_x);
    int row = (int)((p.lat - l->min_y) / l->bin_y);
    f->soundings++;
    f->depth_sum += lroundf((float)depth * 100); /* the library's depths are floats */
    if (column < 0 || column >= l->width || row < 0 || row >= l->height) {
        f->outside++;
        return;
    }
    f->bins += !f->used[row * l->width + column];
    f->used[row * l->width + column] = 1;
}

static int load(const struct load *l, enum geo_how how, struct found *f)
{
    static struct geo_point beam[65536];
    const char *top = getenv("top_srcdir");
    char path[TAP_PATH];
    struct gsf *g;
    struct gsf_ping p;
    memset(f, 0, sizeof *f);
    snprintf(path, sizeof path, "%s/tests/data/gsf/%s", top ? top : ".", l->name);
    int rc = gsf_open(&g, path);
    while (!rc && (rc = gsf_next(g, &p)) == 1) {
        rc = 0;
        geo_beams(how, (struct geo_point){p.lat, p.lon}, p.heading, p.beams, p.across,
                  p.along, beam);
        for (int i = 0; i < p.beams; i++)
            if (p.depth[i] != GSF_NULL_DEPTH && p.flag[i] != GSF_BEAM_NULL)
                add(l, beam[i], p.depth[i], f);
    }
    gsf_close(&g);
    return rc;
}

int main(int argc, char **argv)
{
    static struct found f;
    tap_start(&argc, &argv, 0);
    for (int i = 0; i < 2; i++) {
        const struct load *l = &loads[i];
        int rc = load(l, GEO_EXACT, &f);
        tap_ok(!rc && f.soundings == l->soundings && !f.outside,
               "%s: %d soundings are to be loaded (%s)", l->name, f.soundings,
               err_get()->text);
        tap_ok(f.bins == l->bins, "they fall into %d bins", f.bins);
        tap_ok(f.depth_sum == l->depth_sum, "their depths add up to %lld cm",
               f.depth_sum);
    }
    return tap_end();
}
