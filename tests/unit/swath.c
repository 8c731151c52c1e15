/* The swath filter finds false depths, keeps good ones, and does not depend on how
 * pings are passed to it. */
#include "tap.h"

#include "hydro/swath.h"

enum { PINGS = 60, BEAMS = 64 };

/* A file: a floor that slopes to all sides, with noise. */
struct file {
    int n, beams; /* n counts pings */
    struct gsf_ping ping[PINGS];
    double depth[PINGS][BEAMS], across[PINGS][BEAMS], along[PINGS][BEAMS];
    uint8_t flag[PINGS][BEAMS];
    bool spike[PINGS][BEAMS];
};

/* The output of the filter. */
struct result {
    int n, wrong; /* pings; those that differ from the input */
    uint8_t cut[PINGS][BEAMS];
};

static uint64_t state;

/* Returns a number in [-1, 1). */
static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state * 0x1p-63;
}

static void make(struct file *f, int pings, int beams, double noise_part)
{
    memset(f, 0, sizeof *f);
    f->n = pings;
    f->beams = beams;
    for (int p = 0; p < pings; p++) {
        for (int b = 0; b < beams; b++) {
            double angle = (b - (beams - 1) / 2.0) * (M_PI / 180) * 0.9;
            double z = 100 / (1 - 0.2 * tan(angle)) + 0.8 * p; /* 11 and 11 degrees */
            f->depth[p][b] = z * (1 + noise_part * (noise() + noise()));
            f->across[p][b] = z * tan(angle);
        }
        f->ping[p] = (struct gsf_ping){.number = p + 1,
                                       .offset = 1000 * p,
                                       .time_s = 1000 + p,
                                       .lat = 30 + 4e-5 * p,
                                       .lon = 179.9999,
                                       .placed = true,
                                       .flags = (unsigned)p,
                                       .beams = beams,
                                       .depth = f->depth[p],
                                       .across = f->across[p],
                                       .along = f->along[p],
                                       .flag = f->flag[p]};
    }
}

static void plant(struct file *f, int p, int b, double factor)
{
    f->depth[p][b] *= factor;
    f->spike[p][b] = true;
}

static void take(struct swath *w, const struct file *f, struct result *r)
{
    struct gsf_ping q;
    const uint8_t *cut;
    while (swath_next(w, &q, &cut)) {
        const struct gsf_ping *p = &f->ping[r->n];
        size_t n = (size_t)p->beams;
        r->wrong += q.number != p->number || q.offset != p->offset ||
                    q.flags != p->flags || q.time_s != p->time_s ||
                    q.beams != p->beams || (p->beams && q.depth == p->depth) ||
                    memcmp(q.depth, p->depth, n * sizeof *q.depth) ||
                    memcmp(q.across, p->across, n * sizeof *q.across) ||
                    memcmp(q.along, p->along, n * sizeof *q.along) ||
                    memcmp(q.flag, p->flag, n);
        memcpy(r->cut[r->n++], cut, n);
    }
}

/* Filters a file, with `together` pings at a time. */
static void filter_file(struct swath *w, const struct file *f, int together,
                        struct result *r)
{
    *r = (struct result){0};
    for (int p = 0; p < f->n; p++) {
        if (swath_push(w, &f->ping[p]))
            r->wrong++;
        if (p % together == together - 1)
            take(w, f, r);
    }
    take(w, f, r);
    swath_flush(w);
    take(w, f, r);
}

static struct result filter(const struct file *f, const struct swath_options *o,
                            struct swath_counts *counts)
{
    struct result r = {0};
    struct swath *w;
    if (swath_open(&w, o))
        r.wrong = 1;
    else
        filter_file(w, f, 1, &r);
    if (w && counts)
        *counts = *swath_counts(w);
    swath_close(&w);
    return r;
}

static int cuts(const struct result *r)
{
    int n = 0;
    for (int i = 0; i < PINGS * BEAMS; i++)
        n += r->cut[i / BEAMS][i % BEAMS] != 0;
    return n;
}

/* Counts soundings that are cut and no spikes, or spikes and not cut. */
static int errors(const struct file *f, const struct result *r)
{
    int n = 0;
    for (int i = 0; i < PINGS * BEAMS; i++)
        n += (r->cut[i / BEAMS][i % BEAMS] != 0) != f->spike[i / BEAMS][i % BEAMS];
    return n;
}

static const struct swath_options usual = SWATH_DEFAULTS;
static struct file file, other;

/* Adds spikes here and there, also at edges and in corners, beside null and edited
 * beams. */
static void make_rough(struct file *f)
{
    make(f, PINGS, BEAMS, 0.0015);
    for (int i = 0; i < PINGS * BEAMS; i += 23) {
        int p = i / BEAMS, b = i % BEAMS;
        if (i % 3 == 0) {
            plant(f, p, b, i % 2 ? 1.07 : 0.93);
        } else if (i % 3 == 1) {
            f->depth[p][b] = GSF_NULL_DEPTH;
            f->flag[p][b] = GSF_BEAM_NULL;
        } else {
            f->depth[p][b] *= 1.5;
            f->flag[p][b] = GSF_BEAM_MANUAL;
        }
    }
}

static void test_spikes(void)
{
    struct swath_counts c;
    make(&file, PINGS, BEAMS, 0.0015);
    struct result r = filter(&file, &usual, NULL);
    tap_ok(r.n == PINGS && !r.wrong, "%d pings come back as they were", r.n);
    tap_ok(!cuts(&r), "nothing of a clean floor is cut (%d)", cuts(&r));
    make_rough(&file);
    r = filter(&file, &usual, &c);
    tap_ok(!r.wrong && !errors(&file, &r), "all spikes are cut, and nothing else (%d)",
           errors(&file, &r));
    tap_ok(cuts(&r) == c.spikes && c.spikes > 50 && !c.outer && !c.outside_depths,
           "they are counted: %lld", (long long)c.spikes);
    struct swath_options off = usual;
    off.sigma = 0;
    r = filter(&file, &off, &c);
    tap_ok(!cuts(&r) && !c.spikes && c.tested > 3000, "without a sigma none are");
}

/* Noise of 0.8 % sometimes exceeds the floor, and dominates the window. */
static void test_noise(void)
{
    struct swath_options o = usual;
    o.sigma = 5;
    make(&file, PINGS, BEAMS, 0.01);
    struct result r = filter(&file, &o, NULL);
    tap_ok(!cuts(&r), "noise over the floor is no spike (%d)", cuts(&r));
    make(&file, PINGS, BEAMS, 0);
    for (int i = 0; i < PINGS * BEAMS; i++)
        file.depth[i / BEAMS][i % BEAMS] = 100;
    plant(&file, 20, 20, 1.014);
    plant(&file, 30, 30, 1.016);
    file.spike[20][20] = false;
    r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r), "without noise the floor counts (%d)",
           errors(&file, &r));
    for (int i = 0; i < PINGS * BEAMS; i++)
        file.depth[i / BEAMS][i % BEAMS] = 5;
    file.depth[20][20] = 5.09;
    file.depth[30][30] = 5.11;
    r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r), "in shallow water it is in metres (%d)",
           errors(&file, &r));
}

/* A wall along the track or across it, 30 m high, with a spike at its foot. */
static void test_walls(void)
{
    struct swath_options o = usual;
    o.sigma = 5;
    for (int across = 0; across < 2; across++) {
        make(&file, PINGS, BEAMS, 0);
        for (int i = 0; i < PINGS * BEAMS; i++) {
            int p = i / BEAMS, b = i % BEAMS, at = across ? p - 30 : b - 32;
            double step = at < 0 ? 0 : at > 5 ? 30 : 5.0 * at;
            file.depth[p][b] = (100 + step) * (1 + 0.001 * noise());
        }
        plant(&file, 28, 26, 1.1);
        plant(&file, 45, 50, 0.9);
        struct result r = filter(&file, &o, NULL);
        tap_ok(!errors(&file, &r), "a wall %s the track is no spike (%d)",
               across ? "across" : "along", errors(&file, &r));
    }
}

/* On a steep slope along the track, 4 m from ping to ping, spikes of 6 m are found. */
static void test_slope(void)
{
    struct swath_options o = usual;
    o.sigma = 5;
    make(&file, PINGS, BEAMS, 0);
    for (int i = 0; i < PINGS * BEAMS; i++)
        file.depth[i / BEAMS][i % BEAMS] =
            (80 + 4 * (i / BEAMS)) * (1 + 0.001 * noise());
    for (int i = 0; i < 20; i++) {
        int p = 5 + 2 * i, b = 3 + (i * 7) % 57;
        file.depth[p][b] += i % 2 ? 15 : -15;
        file.spike[p][b] = true;
    }
    struct result r = filter(&file, &o, NULL);
    tap_ok(!errors(&file, &r), "spikes on a steep slope along the track (%d)",
           errors(&file, &r));
}

/* A feature that several pings and beams see is real; in a single ping, a narrow one is
 * not. */
static void test_features(void)
{
    make(&file, PINGS, BEAMS, 0.0015);
    for (int p = 20; p < 22; p++)
        for (int b = 30; b < 32; b++)
            file.depth[p][b] *= 0.95;
    for (int b = 10; b < 13; b++)
        file.depth[40][b] *= 0.95;
    plant(&file, 50, 20, 0.95);
    plant(&file, 50, 21, 1.05);
    struct result r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r),
           "boulders stay, and spikes beside each other do not (%d)",
           errors(&file, &r));
}

static void test_burst(void)
{
    make(&file, PINGS, BEAMS, 0.0015);
    for (int b = 5; b < 40; b++)
        plant(&file, 30, b, 0.9);
    for (int b = 0; b < 12; b++)
        plant(&file, 1, b, 0.9);
    struct result r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r),
           "many beams of a ping are cut together, and only they "
           "(%d)",
           errors(&file, &r));
}

static void test_streaming(void)
{
    struct swath *w;
    struct result r, first;
    int same = 1;
    make_rough(&file);
    make(&other, 3, 40, 0.0015);
    plant(&other, 1, 20, 0.8);
    first = filter(&file, &usual, NULL);
    tap_ok(!swath_open(&w, &usual), "a filter for many files");
    for (int together = 1; together <= SWATH_PINGS; together++) {
        filter_file(w, &file, together, &r);
        same = same && r.n == PINGS && !r.wrong && !memcmp(&r, &first, sizeof r);
        filter_file(w, &other, together, &r);
        same = same && r.n == 3 && !errors(&other, &r);
    }
    tap_ok(same, "the same comes out however many pings are pushed at a time, and "
                 "whichever file was before");
    int pushed = 0;
    while (pushed < PINGS && !swath_push(w, &file.ping[pushed]))
        pushed++;
    tap_ok(pushed >= SWATH_PINGS && pushed < PINGS && err_get()->code == -ENOBUFS,
           "it takes %d pings before it wants some to be taken", pushed);
    err_clear();
    swath_flush(w);
    tap_ok(swath_push(w, &file.ping[0]) == -ENOBUFS,
           "the next file waits for the end of the last");
    err_clear();
    swath_close(&w);
    tap_ok(!w, "closed");
}

static void test_gates(void)
{
    struct swath_options o = usual;
    struct swath_counts c;
    int right = 1;
    make(&file, PINGS, BEAMS, 0);
    o.sigma = 0;
    o.depth_min = 95;
    o.depth_max = 120;
    o.angle_deg = 25;
    file.flag[3][0] = GSF_BEAM_MANUAL;
    file.ping[7].ignored = true;
    for (int p = 0; p < PINGS; p++) { /* the limits themselves are valid */
        file.depth[p][BEAMS / 2] = p % 2 ? 95 : 120;
        file.across[p][BEAMS / 2] = file.depth[p][BEAMS / 2] * tan(25 * M_PI / 180);
    }
    struct result r = filter(&file, &o, &c);
    for (int p = 0; p < PINGS; p++)
        for (int b = 0; b < BEAMS; b++) {
            double z = file.depth[p][b];
            bool cut =
                z < 95 || z > 120 || fabs(file.across[p][b]) > z * tan(25 * M_PI / 180);
            cut = cut && !file.flag[p][b] && p != 7;
            right = right && r.cut[p][b] == cut;
        }
    tap_ok(right && c.outer && c.outside_depths &&
               c.outer + c.outside_depths == cuts(&r),
           "depths and angles beyond the gates are cut: %lld and %lld",
           (long long)c.outside_depths, (long long)c.outer);
    make(&file, PINGS, BEAMS, 0.0015);
    for (int b = 10; b < 20; b++)
        for (int p = 0; p < PINGS; p++)
            plant(&file, p, b, (p + b) % 3 ? 4 : 1);
    for (int b = 10; b < 20; b++)
        for (int p = 0; p < PINGS; p++)
            file.spike[p][b] = (p + b) % 3;
    o = usual;
    o.depth_max = 300;
    r = filter(&file, &o, NULL);
    tap_ok(!errors(&file, &r), "what a gate cuts is no neighbour (%d)",
           errors(&file, &r));
}

/* Beams are at -1, 0, 1, -1, ... units, so that all medians of nine are 0, and that of
 * their distances is 1 unit. The neighbours of a beam that is k standard deviations off
 * reach to 1; 1 unit is 1 / 1.4826 of one (the 3rd quartile of N(0, 1)). */
static struct result filter_at(double deviations, double unit)
{
    struct swath_options o = usual;
    o.floor_part = o.floor_m = 0;
    make(&file, PINGS, BEAMS, 0);
    for (int p = 0; p < PINGS; p++)
        for (int b = 0; b < BEAMS; b++)
            file.depth[p][b] = 100 + unit * (b % 3 - 1);
    file.depth[34][31] = 100 + unit * (1 + deviations / 0.67448975);
    return filter(&file, &o, NULL);
}

static void test_sigma(void)
{
    struct result below = filter_at(usual.sigma * 0.99, 0.25),
                  above = filter_at(usual.sigma * 1.01, 0.25);
    tap_ok(!cuts(&below) && cuts(&above) == 1 && above.cut[34][31],
           "sigma is standard deviations of normal errors, within a hundredth");
}

/* The floor after a gap must not be compared with that before. */
static void test_gaps(void)
{
    make(&file, PINGS, BEAMS, 0.0015);
    for (int p = 30; p < PINGS; p++) {
        file.ping[p].time_s += 3600;
        for (int b = 0; b < BEAMS; b++)
            file.depth[p][b] *= 1.2;
    }
    plant(&file, 29, 20, 1.2);
    plant(&file, 30, 20, 1 / 1.2);
    struct result r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r), "pings on both sides of a pause do not mix (%d)",
           errors(&file, &r));
    for (int p = 30; p < PINGS; p++) {
        file.ping[p].time_s -= 3600;
        file.ping[p].lon = -179.98;
    }
    r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r), "nor on both sides of a jump (%d)", errors(&file, &r));
    make(&file, PINGS, BEAMS, 0);
    for (int p = 0; p < PINGS; p++) {
        file.ping[p].time_s += p / 2 * 3600;
        for (int b = 0; b < BEAMS; b++)
            file.depth[p][b] = p / 2 % 2 ? 120 : 100;
    }
    r = filter(&file, &usual, NULL);
    tap_ok(!cuts(&r), "two pings between pauses are compared with each other (%d)",
           cuts(&r));
    make_rough(&file);
    for (int p = 0; p < PINGS; p += 2)
        file.ping[p].lon = -179.9999;
    r = filter(&file, &usual, NULL);
    tap_ok(!errors(&file, &r), "the step over 180 degrees is no jump");
}

/* Single-beam pings between the others, one that is ignored, and one without beams. */
static void test_mixed(void)
{
    make_rough(&file);
    for (int p = 5; p < PINGS; p += 4) {
        file.ping[p].beams = 1;
        file.depth[p][0] = 1000;
        file.flag[p][0] = 0;
        for (int b = 0; b < BEAMS; b++)
            file.spike[p][b] = false;
    }
    file.ping[16].ignored = true;
    for (int b = 0; b < BEAMS; b++) {
        file.depth[16][b] *= 2;
        file.spike[16][b] = false;
    }
    file.ping[22].beams = 0;
    memset(file.spike[22], 0, sizeof file.spike[22]);
    struct result r = filter(&file, &usual, NULL);
    tap_ok(r.n == PINGS && !r.wrong, "pings of all kinds come back");
    tap_ok(!errors(&file, &r), "and are not compared with each other (%d)",
           errors(&file, &r));
}

static void test_small(void)
{
    struct result r;
    int right = 1;
    for (int beams = 0; beams < 14; beams++)
        for (int pings = 1; pings < 7; pings++) {
            make(&file, pings, beams, 0);
            if (beams > 8 && pings > 2)
                plant(&file, pings / 2, beams / 2, 1.5);
            r = filter(&file, &usual, NULL);
            right = right && r.n == pings && !r.wrong && !errors(&file, &r);
        }
    tap_ok(right, "small files, and few beams or none");
    make(&file, 1, BEAMS, 0);
    plant(&file, 0, 20, 1.5);
    r = filter(&file, &usual, NULL);
    tap_ok(r.n == 1 && !cuts(&r), "a ping alone has too few neighbours");
    make(&file, 2, BEAMS, 0);
    memset(file.flag, GSF_BEAM_NULL, sizeof file.flag);
    memset(file.depth, 0, sizeof file.depth);
    r = filter(&file, &usual, NULL);
    tap_ok(r.n == 2 && !r.wrong && !cuts(&r), "nothing but null beams");
}

static void test_options(void)
{
    struct swath_options bad[] = {usual, usual, usual, usual, usual};
    int refused = 0;
    bad[0].sigma = -1;
    bad[1].angle_deg = 0;
    bad[2].depth_min = 10;
    bad[2].depth_max = 9;
    bad[3].floor_m = NAN;
    bad[4].angle_deg = 91;
    for (int i = 0; i < 5; i++) {
        struct swath *w;
        refused += swath_open(&w, &bad[i]) == -EINVAL && !w && err_get()->usage;
        err_clear();
        swath_close(&w);
    }
    tap_ok(refused == 5, "options without sense are refused (%d)", refused);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_spikes();
    test_noise();
    test_walls();
    test_slope();
    test_features();
    test_burst();
    test_streaming();
    test_gates();
    test_sigma();
    test_gaps();
    test_mixed();
    test_small();
    test_options();
    return tap_end();
}
