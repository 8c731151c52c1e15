#include "hydro/swath.h"
#include "base/err.h"
#include "base/mem.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A ping goes through three steps, each of which needs later pings to have passed the
 * previous step: its scatter needs the values of one more, its suspects the scatter of
 * two more, and swath_next's cut the suspects of one more. */
enum { SCATTER_PINGS = SWATH_PINGS / 2, SLOTS = 16 };
enum {
    REACH = SWATH_BEAMS / 2
};                          /* of windows, to each side; rows have margins of
                             * this width */
enum { ENOUGH = 4 };        /* least neighbours for a decision */
#define MAD_TO_SIGMA 1.4826 /* for normal errors */

/* Rows of depths that are compared; NONE does not count. */
enum row {
    VALUE,   /* depths that no gate cut */
    KEPT,    /* ... and that are not suspected spikes */
    SCATTER, /* distance of a depth from the median of itself and its neighbours */
    ROWS
};
#define NONE INFINITY

/* A ping, and its depths as neighbours see them. */
struct slot {
    struct gsf_ping ping;
    int64_t run; /* pings of a run have no gap between them */
    int room;    /* beams */
    double *depth, *across, *along;
    float *row[ROWS];
    uint8_t *flag, *cut;
};

/* The two smallest and the two largest values of each column of some rows, and
 * their number. */
struct ends {
    float *low, *second_low, *high, *second_high, *n;
};

struct swath {
    struct swath_options o;
    double slope_max; /* of a beam: the tangent of the angle */
    struct swath_counts counts;
    struct slot slot[SLOTS]; /* ping i of the file, from 0, is in slot i % SLOTS */
    int64_t pushed, scattered, suspected, given, runs;
    bool ended;
    struct gsf_ping before; /* the last ping with a position; no arrays */
    int room;               /* beams in the arrays below */
    float *column[9], *pad, *nothing;
    struct ends ends;
    int8_t *side;
    uint8_t *spike;
};

static bool bad_options(const struct swath_options *o)
{
    return !(o->sigma >= 0 && o->floor_part >= 0 && o->floor_m >= 0 &&
             o->depth_min <= o->depth_max && o->angle_deg > 0 && o->angle_deg <= 90);
}

int swath_open(struct swath **w, const struct swath_options *o)
{
    *w = NULL;
    if (bad_options(o))
        return err_usage("the swath filter needs a sigma and floors of 0 or more, a "
                         "least depth that is not below the greatest, and an angle "
                         "over 0 and up to 90 degrees");
    *w = mem_new(1, sizeof **w, "the swath filter");
    if (!*w)
        return -ENOMEM;
    (*w)->o = *o;
    (*w)->slope_max = tan(o->angle_deg * (M_PI / 180));
    return 0;
}

void swath_close(struct swath **w)
{
    if (*w) {
        for (int i = 0; i < SLOTS; i++)
            free((*w)->slot[i].depth);
        free((*w)->pad);
    }
    free(*w);
    *w = NULL;
}

const struct swath_counts *swath_counts(const struct swath *w)
{
    return &w->counts;
}

/* ---- input ---------------------------------------------------------------------- */

/* Allocates one piece of memory for all arrays of a slot. Rows have margins, so a ping
 * without beams needs memory, too. */
static int swath_make_room(struct slot *s, int beams)
{
    size_t n = (size_t)beams, wide = n + 2 * REACH;
    if (s->depth && beams <= s->room)
        return 0;
    free(s->depth);
    s->room = 0;
    s->depth = mem_new(n * (3 * sizeof(double) + 2) + wide * ROWS * sizeof(float), 1,
                       "filtering pings");
    if (!s->depth)
        return -ENOMEM;
    s->room = beams;
    s->across = s->depth + n;
    s->along = s->across + n;
    float *rows = (float *)(s->along + n);
    for (int i = 0; i < ROWS; i++)
        s->row[i] = rows + wide * (size_t)i + REACH;
    s->flag = (uint8_t *)(rows + wide * ROWS);
    s->cut = s->flag + n;
    return 0;
}

static void clear_row(float *row, int beams)
{
    for (int i = -REACH; i < beams + REACH; i++)
        row[i] = NONE;
}

static int make_work(struct swath *w, int beams)
{
    size_t n = (size_t)beams;
    if (w->pad && beams <= w->room)
        return 0;
    free(w->pad);
    w->room = 0;
    w->pad = mem_new((n * (1 + 9 + 5 + 1) + 2 * REACH) * sizeof(float) + 2 * n, 1,
                     "filtering pings");
    if (!w->pad)
        return -ENOMEM;
    w->room = beams;
    float *next = w->pad;
    for (int i = 0; i < 9; i++)
        w->column[i] = next += n;
    w->ends =
        (struct ends){next + n, next + 2 * n, next + 3 * n, next + 4 * n, next + 5 * n};
    w->nothing = next + 6 * n + REACH;
    clear_row(w->nothing, beams);
    w->side = (int8_t *)(w->nothing + n + REACH);
    w->spike = (uint8_t *)w->side + n;
    return 0;
}

static bool swath_apart(const struct gsf_ping *a, const struct gsf_ping *b)
{
    struct geo_point metres = geo_degree(a->lat);
    double north = (b->lat - a->lat) * metres.lat,
           east = geo_wrap(b->lon - a->lon) * metres.lon;
    return hypot(north, east) > SWATH_GAP_M ||
           llabs(b->time_s - a->time_s) > SWATH_GAP_S;
}

/* Applies the gates. Depths that they cut do not count as neighbours. */
static void gate(struct swath *w, struct slot *s)
{
    struct swath_counts *c = &w->counts;
    for (int i = 0; i < s->ping.beams; i++) {
        double z = s->depth[i];
        bool there = z != GSF_NULL_DEPTH && !(s->flag[i] & GSF_BEAM_IGNORE);
        bool outside = there && (z < w->o.depth_min || z > w->o.depth_max);
        bool outer = there && !outside && w->o.angle_deg < 90 &&
                     fabs(s->across[i]) > w->slope_max * fabs(z);
        s->cut[i] = outside || outer;
        s->row[VALUE][i] = there && !s->cut[i] ? (float)z : NONE;
        c->tested += there;
        c->outside_depths += outside;
        c->outer += outer;
    }
}

static void swath_copy(struct slot *s, const struct gsf_ping *ping)
{
    size_t n = (size_t)ping->beams;
    if (n) {
        memcpy(s->depth, ping->depth, n * sizeof(double));
        memcpy(s->across, ping->across, n * sizeof(double));
        memcpy(s->along, ping->along, n * sizeof(double));
        memcpy(s->flag, ping->flag, n);
        memset(s->cut, 0, n);
    }
    for (int i = 0; i < ROWS; i++)
        clear_row(s->row[i], ping->beams);
    s->ping = *ping;
    s->ping.depth = s->depth;
    s->ping.across = s->across;
    s->ping.along = s->along;
    s->ping.flag = s->flag;
}

int swath_push(struct swath *w, const struct gsf_ping *ping)
{
    if (w->ended && w->given == w->pushed) {
        w->ended = false;
        w->given = w->suspected = w->scattered = w->pushed = 0;
    }
    if (w->ended || w->pushed - w->given >= SLOTS - SCATTER_PINGS)
        return err_set(-ENOBUFS, NULL, -1,
                       "the swath filter was given more pings than it was asked for");
    struct slot *s = &w->slot[w->pushed % SLOTS];
    int rc = swath_make_room(s, ping->beams);
    if (!rc)
        rc = make_work(w, ping->beams);
    if (rc)
        return rc;
    swath_copy(s, ping);
    if (!ping->ignored)
        gate(w, s);
    w->runs += ping->placed && w->before.placed && swath_apart(&w->before, ping);
    if (ping->placed)
        w->before = *ping;
    s->run = w->runs;
    w->pushed++;
    return 0;
}

void swath_flush(struct swath *w)
{
    w->ended = true;
}

/* A row of a ping near another one, or nothing if they are not neighbours. */
static const float *row_near(const struct swath *w, int64_t i, const struct slot *s,
                             enum row row)
{
    const struct slot *t = i < 0 || i >= w->pushed ? NULL : &w->slot[i % SLOTS];
    return t && t->run == s->run && t->ping.beams == s->ping.beams && !t->ping.ignored
               ? t->row[row]
               : w->nothing;
}

/* ---- scatter -------------------------------------------------------------------- */

/* Exchanges values so that a[i] <= b[i]. */
static void swath_exchange(float *restrict a, float *restrict b, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        a[i] = low;
        b[i] = high;
    }
}

/* Exchanges that leave the median of 9 in the fifth row. */
static const uint8_t of9[][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                 {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                 {2, 5}, {4, 7}, {2, 4}, {4, 6}, {2, 4}};

/* Replaces missing values by alternating extremes, so that they do not move the median;
 * `pad` is the next one, and is negated. */
static void pad_row(float *restrict row, const float *restrict value,
                    float *restrict pad, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        bool there = value[i] < NONE;
        row[i] = there ? value[i] : pad[i];
        pad[i] = there ? pad[i] : -pad[i];
    }
}

static void find_scatter(struct swath *w, int64_t ping)
{
    struct slot *s = &w->slot[ping % SLOTS];
    int n = s->ping.beams;
    for (int i = 0; i < n; i++)
        w->pad[i] = NONE;
    for (int k = 0; k < 9; k++)
        pad_row(w->column[k], row_near(w, ping + k / 3 - 1, s, VALUE) + k % 3 - 1,
                w->pad, n);
    for (size_t i = 0; i < sizeof of9 / sizeof *of9; i++)
        swath_exchange(w->column[of9[i][0]], w->column[of9[i][1]], n);
    const float *value = s->row[VALUE];
    for (int i = 0; i < n; i++)
        s->row[SCATTER][i] = value[i] < NONE ? fabsf(value[i] - w->column[4][i]) : NONE;
}

/* ---- spikes --------------------------------------------------------------------- */

static void no_ends(const struct ends *e, int n)
{
    for (int i = 0; i < n; i++) {
        e->low[i] = e->second_low[i] = INFINITY;
        e->high[i] = e->second_high[i] = -INFINITY;
        e->n[i] = 0;
    }
}

static void add_row(const struct ends *e, const float *restrict row, int n)
{
    float *restrict low = e->low, *restrict low2 = e->second_low,
                    *restrict high = e->high, *restrict high2 = e->second_high,
                    *restrict count = e->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        bool there = row[i] < NONE;
        float x = row[i], y = there ? x : -INFINITY;
        float above = x < low[i] ? low[i] : x, below = y > high[i] ? high[i] : y;
        low2[i] = above < low2[i] ? above : low2[i];
        low[i] = x < low[i] ? x : low[i];
        high2[i] = below > high2[i] ? below : high2[i];
        high[i] = y > high[i] ? y : high[i];
        count[i] += there ? 1.0F : 0.0F;
    }
}

/* Finds the extremes of the pings before and after. */
static void find_ends(struct swath *w, const struct ends *e, int64_t ping,
                      const struct slot *s, enum row row)
{
    no_ends(e, s->ping.beams);
    for (int k = -1; k <= 1; k++) {
        add_row(e, row_near(w, ping - 1, s, row) + k, s->ping.beams);
        add_row(e, row_near(w, ping + 1, s, row) + k, s->ping.beams);
    }
}

/* The distance of a depth beyond all neighbours but one: negative above them, positive
 * below them. */
static float beyond(const struct ends *e, int i, float z)
{
    if (e->n[i] < ENOUGH)
        return 0;
    return fminf(z - e->second_low[i], 0) + fmaxf(z - e->second_high[i], 0);
}

/* True if a distance exceeds the floor and the scatter around it, which are added as
 * independent errors. The scatter's median is below a limit if more than half of the
 * values are: the median itself is not needed. */
static bool is_far(const struct swath *w, const float *const scatter[SWATH_PINGS],
                   int beam, float z, float off)
{
    float floor = fmaxf((float)w->o.floor_part * fabsf(z), (float)w->o.floor_m);
    if (!(fabsf(off) > floor))
        return false;
    float limit = sqrtf(off * off - floor * floor) / (float)(w->o.sigma * MAD_TO_SIGMA);
    int n = 0, within = 0;
    for (int k = 0; k < SWATH_PINGS; k++)
        for (int i = beam - REACH; i <= beam + REACH; i++) {
            n += scatter[k][i] < NONE;
            within += scatter[k][i] < limit;
        }
    return n >= SWATH_NEIGHBOURS && 2 * within > n;
}

/* The end of a run of beams that are off to one side, skipping missing ones; *n
 * of them. */
static int end_of_run(const int8_t *side, const float *value, int first, int beams,
                      int *n)
{
    int i = first;
    for (*n = 0; i < beams && (side[i] == side[first] || !(value[i] < NONE)); i++)
        *n += side[i] == side[first];
    return i;
}

/* Collects the scatter around a ping. */
static void scatter_of(const struct swath *w, int64_t ping,
                       const float *scatter[SWATH_PINGS])
{
    for (int k = 0; k < SWATH_PINGS; k++)
        scatter[k] =
            row_near(w, ping + k - SCATTER_PINGS, &w->slot[ping % SLOTS], SCATTER);
}

/* Cuts adjacent beams that stand out from the pings before and after together. */
static void cut_shoals(struct swath *w, int64_t ping)
{
    struct slot *s = &w->slot[ping % SLOTS];
    const float *value = s->row[VALUE], *scatter[SWATH_PINGS];
    int beams = s->ping.beams, n = 0;
    scatter_of(w, ping, scatter);
    find_ends(w, &w->ends, ping, s, VALUE);
    for (int i = 0; i < beams; i++) {
        float off = beyond(&w->ends, i, value[i]);
        bool far = value[i] < NONE && is_far(w, scatter, i, value[i], off);
        w->side[i] = (int8_t)(far ? copysignf(1, off) : 0);
    }
    for (int i = 0; i < beams;) {
        int end = w->side[i] ? end_of_run(w->side, value, i, beams, &n) : i + 1;
        for (int j = i; w->side[i] && n >= SWATH_SHOAL && j < end; j++) {
            s->cut[j] |= value[j] < NONE;
            w->counts.spikes += value[j] < NONE;
        }
        i = end;
    }
}

/* Finds the beams of a ping that stand out from those of `row` around it. */
static void find_spikes(struct swath *w, int64_t ping, enum row row)
{
    const struct slot *s = &w->slot[ping % SLOTS];
    const float *value = s->row[VALUE], *scatter[SWATH_PINGS];
    scatter_of(w, ping, scatter);
    find_ends(w, &w->ends, ping, s, row);
    for (int k = -SWATH_BESIDE; k <= SWATH_BESIDE; k++)
        if (k)
            add_row(&w->ends, s->row[row] + k, s->ping.beams);
    for (int i = 0; i < s->ping.beams; i++) {
        float off = beyond(&w->ends, i, value[i]);
        w->spike[i] = value[i] < NONE && is_far(w, scatter, i, value[i], off);
    }
}

static bool to_filter(const struct swath *w, const struct slot *s)
{
    return w->o.sigma > 0 && s->ping.beams && !s->ping.ignored;
}

/* Processes pings as far as the later ones allow. */
static void advance(struct swath *w)
{
    for (; w->scattered < w->pushed - !w->ended; w->scattered++)
        if (to_filter(w, &w->slot[w->scattered % SLOTS]))
            find_scatter(w, w->scattered);
    for (; w->suspected < w->scattered - (w->ended ? 0 : SCATTER_PINGS);
         w->suspected++) {
        struct slot *s = &w->slot[w->suspected % SLOTS];
        if (!to_filter(w, s))
            continue;
        cut_shoals(w, w->suspected);
        find_spikes(w, w->suspected, VALUE);
        for (int i = 0; i < s->ping.beams; i++)
            s->row[KEPT][i] = w->spike[i] || s->cut[i] ? NONE : s->row[VALUE][i];
    }
}

int swath_next(struct swath *w, struct gsf_ping *ping, const uint8_t **cut)
{
    advance(w);
    if (w->given >= w->suspected - !w->ended)
        return 0;
    const struct slot *s = &w->slot[w->given % SLOTS];
    if (to_filter(w, s)) {
        find_spikes(w, w->given, KEPT);
        for (int i = 0; i < s->ping.beams; i++) {
            w->counts.spikes += w->spike[i] && !s->cut[i];
            s->cut[i] |= w->spike[i];
        }
    }
    w->given++;
    *ping = s->ping;
    *cut = s->cut;
    return 1;
}
