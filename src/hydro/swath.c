#include "hydro/swath.h"
#include "base/err.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The slots hold the window of the ping that is given next, and what may be pushed
 * before that. */
enum { REACH = SWATH_PINGS / 2, SLOTS = 16 };
enum { STEP = SWATH_BEAMS / 2 }; /* beams from end to end of a slope */
#define MAD_TO_SIGMA 1.4826      /* of normal errors */

/* A ping, and its depths as they count for neighbours. */
struct slot {
    struct gsf_ping ping;
    int64_t run; /* pings of one run have no gap between them */
    int room;    /* beams */
    double *depth, *across, *along;
    float *value; /* NONE: does not count */
    uint8_t *flag, *cut;
};
#define NONE INFINITY

struct swath {
    struct swath_options o;
    double slope_max; /* of a beam: the tangent of the angle */
    struct swath_counts counts;
    struct slot slot[SLOTS]; /* ping i of the file, from 0, is in slot i % SLOTS */
    int64_t pushed, given, runs;
    bool ended;
    struct gsf_ping before; /* the last that was placed; no arrays */
    int room;               /* beams of what follows */
    float *row[SWATH_BEAMS], *profile, *slope, *level;
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
    *w = calloc(1, sizeof **w);
    if (!*w)
        return err_set(-ENOMEM, NULL, -1, "no memory for the swath filter");
    (*w)->o = *o;
    (*w)->slope_max = tan(o->angle_deg * (M_PI / 180));
    return 0;
}

void swath_close(struct swath **w)
{
    if (*w) {
        for (int i = 0; i < SLOTS; i++)
            free((*w)->slot[i].depth);
        free((*w)->profile);
    }
    free(*w);
    *w = NULL;
}

const struct swath_counts *swath_counts(const struct swath *w)
{
    return &w->counts;
}

/* ---- pings come in -------------------------------------------------------------- */

/* One piece of memory for all arrays of a slot. */
static int swath_make_room(struct slot *s, int beams)
{
    size_t n = (size_t)beams;
    if (beams <= s->room)
        return 0;
    free(s->depth);
    s->room = 0;
    s->depth = malloc(n * (3 * sizeof(double) + sizeof(float) + 2));
    if (!s->depth)
        return err_set(-ENOMEM, NULL, -1, "no memory to filter pings of %d beams",
                       beams);
    s->room = beams;
    s->across = s->depth + n;
    s->along = s->across + n;
    s->value = (float *)(s->along + n);
    s->flag = (uint8_t *)(s->value + n);
    s->cut = s->flag + n;
    return 0;
}

static int make_work(struct swath *w, int beams)
{
    size_t n = (size_t)beams;
    if (beams <= w->room)
        return 0;
    free(w->profile);
    w->room = 0;
    w->profile = malloc(n * (SWATH_BEAMS + 3) * sizeof(float));
    if (!w->profile)
        return err_set(-ENOMEM, NULL, -1, "no memory to filter pings of %d beams",
                       beams);
    w->room = beams;
    w->slope = w->profile + n;
    w->level = w->slope + n;
    for (int i = 0; i < SWATH_BEAMS; i++)
        w->row[i] = w->level + n * (size_t)(1 + i);
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

/* What the gates cut counts for no neighbour. */
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
        s->value[i] = there && !s->cut[i] ? (float)z : NONE;
        c->tested += there;
        c->outside_depths += outside;
        c->outer += outer;
    }
}

static void copy(struct slot *s, const struct gsf_ping *ping)
{
    size_t n = (size_t)ping->beams;
    if (n) {
        memcpy(s->depth, ping->depth, n * sizeof(double));
        memcpy(s->across, ping->across, n * sizeof(double));
        memcpy(s->along, ping->along, n * sizeof(double));
        memcpy(s->flag, ping->flag, n);
        memset(s->cut, 0, n);
    }
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
        w->given = w->pushed = 0;
    }
    if (w->ended || w->pushed - w->given >= SLOTS - REACH)
        return err_set(-ENOBUFS, NULL, -1,
                       "the swath filter was given more pings than it was asked for");
    struct slot *s = &w->slot[w->pushed % SLOTS];
    int rc = swath_make_room(s, ping->beams);
    if (!rc)
        rc = make_work(w, ping->beams);
    if (rc)
        return rc;
    copy(s, ping);
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

/* ---- medians of many columns at once -------------------------------------------- */

/* Afterwards a[i] <= b[i]. */
static void swath_exchange(float *restrict a, float *restrict b, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        a[i] = low;
        b[i] = high;
    }
}

/* Exchanges that leave the median of 5 in the third row, of 9 in the fifth. */
static const uint8_t of5[][2] = {{0, 1}, {3, 4}, {0, 3}, {1, 4},
                                 {1, 2}, {2, 3}, {1, 2}};
static const uint8_t of9[][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                 {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                 {2, 5}, {4, 7}, {2, 4}, {4, 6}, {2, 4}};

/* Of each column of the first 5 or 9 rows; changes them. */
static const float *medians(float *const row[], int rows, int n)
{
    const uint8_t(*pair)[2] = rows == 5 ? of5 : of9;
    int pairs = rows == 5 ? sizeof of5 / sizeof of5[0] : sizeof of9 / sizeof of9[0];
    for (int i = 0; i < pairs; i++)
        swath_exchange(row[pair[i][0]], row[pair[i][1]], n);
    return row[rows / 2];
}

/* ---- the line ------------------------------------------------------------------- */

/* What is missing in a row stands at alternate ends, so that it does not draw the
 * median to either; `pad` says at which, and is turned. */
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

/* The medians over the pings, one for each beam, not finite where there is none. */
static void make_profile(struct swath *w, const struct slot *const slot[SWATH_PINGS],
                         int beams)
{
    float *pad = w->slope;
    for (int i = 0; i < beams; i++)
        pad[i] = NONE;
    for (int k = 0; k < SWATH_PINGS; k++) {
        if (slot[k]) {
            pad_row(w->row[k], slot[k]->value, pad, beams);
            continue;
        }
        for (int i = 0; i < beams; i++) {
            w->row[k][i] = pad[i];
            pad[i] = -pad[i];
        }
    }
    memcpy(w->profile, medians(w->row, SWATH_PINGS, beams),
           (size_t)beams * sizeof(float));
}

/* Beams from *first, *n of them, with nothing missing: gaps become straight lines, and
 * what is missing at the ends is left out. */
static void close_gaps(float *profile, int beams, int *first, int *n)
{
    int last = -1;
    *first = 0;
    for (int i = 0; i < beams; i++) {
        if (!isfinite(profile[i]))
            continue;
        if (last < 0)
            *first = i;
        for (int j = last + 1; last >= 0 && j < i; j++)
            profile[j] = profile[last] + (profile[i] - profile[last]) *
                                             (float)(j - last) / (float)(i - last);
        last = i;
    }
    *n = last + 1 - *first;
}

/* A line for each window of SWATH_BEAMS beams of the profile: its level at the window's
 * first beam, and its slope. Fewer beams have one window, and no slope. */
static int make_lines(struct swath *w, const float *profile, int n)
{
    int windows = n < SWATH_BEAMS ? 1 : n - SWATH_BEAMS + 1;
    for (int k = 0; k < SWATH_BEAMS - STEP && n >= SWATH_BEAMS; k++) {
        float *row = w->row[k];
#pragma omp simd
        for (int i = 0; i < windows; i++)
            row[i] = (profile[i + k + STEP] - profile[i + k]) / STEP;
    }
    if (n >= SWATH_BEAMS)
        memcpy(w->slope, medians(w->row, SWATH_BEAMS - STEP, windows),
               (size_t)windows * sizeof(float));
    else
        w->slope[0] = 0;
    for (int k = 0; k < SWATH_BEAMS; k++) {
        float *row = w->row[k];
        if (k >= n) {
            row[0] = k % 2 ? INFINITY : -INFINITY;
            continue;
        }
#pragma omp simd
        for (int i = 0; i < windows; i++)
            row[i] = profile[i + k] - (float)k * w->slope[i];
    }
    memcpy(w->level, medians(w->row, SWATH_BEAMS, windows),
           (size_t)windows * sizeof(float));
    return windows;
}

/* ---- cutting -------------------------------------------------------------------- */

/* A window of beams, from `first`, `beams` of them, and its surface. */
struct window {
    const struct slot *const *slot;
    int first, beams;
    float level, slope; /* of the line, in the middle ping */
    float along;        /* metres from ping to ping */
};

/* How far below the surface a depth is, of ping k of the window. */
static float below(const struct window *v, int k, int beam, float depth)
{
    return depth - (v->level + v->slope * (float)(beam - v->first) +
                    v->along * (float)(k - REACH));
}

/* The median of all distances from the surface is below `limit`: more than half of them
 * are. No need to know the median itself. */
static bool near(const struct window *v, float limit)
{
    int n = 0, within = 0;
    for (int k = 0; k < SWATH_PINGS; k++) {
        if (!v->slot[k])
            continue;
        const float *value = v->slot[k]->value;
        for (int i = v->first; i < v->first + v->beams; i++) {
            n += value[i] < NONE;
            within += fabsf(below(v, k, i, value[i])) < limit;
        }
    }
    return n >= SWATH_NEIGHBOURS && 2 * within > n;
}

static float median_of(float *a, int n)
{
    for (int i = 1; i < n; i++) {
        float x = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
    return n ? a[n / 2] : 0;
}

/* The median of the slopes between the other pings, in all beams of the window: the
 * middle one may be a shoal of fish. */
static float along_slope(const struct window *v)
{
    static const int pair[][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 3}, {1, 4}, {3, 4}};
    float slope[SWATH_BEAMS * sizeof pair / sizeof *pair];
    int n = 0;
    for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
        const struct slot *s = v->slot[pair[p][0]], *t = v->slot[pair[p][1]];
        float pings = (float)(pair[p][1] - pair[p][0]);
        for (int i = v->first; s && t && i < v->first + v->beams; i++)
            if (s->value[i] < NONE && t->value[i] < NONE)
                slope[n++] = (t->value[i] - s->value[i]) / pings;
    }
    return median_of(slope, n);
}

/* About as far off the surface, on the same side. */
static bool agrees(const struct window *v, int k, int beam, float off)
{
    float z = v->slot[k]->value[beam];
    float part = z < NONE ? below(v, k, beam, z) / off : 0;
    return part > 1 / SWATH_ALIKE && part < SWATH_ALIKE;
}

/* Beams side by side of the middle ping that are off as this one is. */
static int width_of(const struct window *v, int beam, int beams, float off)
{
    int width = 1;
    for (int i = beam + 1; i < beams && agrees(v, REACH, i, off); i++)
        width++;
    for (int i = beam - 1; i >= 0 && agrees(v, REACH, i, off); i--)
        width++;
    return width;
}

/* Two more soundings are off as this one is, beside it in its ping or around it in the
 * pings before and after: something lies there. In its own ping that counts for narrow
 * things only, as wide ones may be shoals of fish. */
static bool confirmed(const struct window *v, int beam, int beams, float off)
{
    int width = width_of(v, beam, beams, off), n = width < SWATH_SHOAL ? width - 1 : 0;
    for (int k = REACH - 1; k <= REACH + 1; k += 2)
        for (int i = beam - 1; i <= beam + 1; i++)
            if (v->slot[k] && i >= 0 && i < beams)
                n += agrees(v, k, i, off);
    return n >= 2;
}

/* `off`: of a beam from the line. On a slope along the track, the line is right for
 * the middle ping only; the plane is right for all of them. */
static bool is_spike(struct window *v, int beam, int beams, float off, float limit)
{
    v->along = 0;
    bool far = near(v, limit);
    v->along = along_slope(v);
    return (far || near(v, limit)) && !confirmed(v, beam, beams, off);
}

static void cut_spikes(struct swath *w, const struct slot *const slot[SWATH_PINGS],
                       const struct slot *s)
{
    int first, n;
    make_profile(w, slot, s->ping.beams);
    close_gaps(w->profile, s->ping.beams, &first, &n);
    if (!n)
        return;
    int windows = make_lines(w, w->profile + first, n);
    struct window v = {.slot = slot, .beams = n < SWATH_BEAMS ? n : SWATH_BEAMS};
    float part = (float)w->o.floor_part, metres = (float)w->o.floor_m,
          to_limit = (float)(1 / (w->o.sigma * MAD_TO_SIGMA));
    for (int i = 0; i < n; i++) {
        int at = i - SWATH_BEAMS / 2;
        at = at < 0 ? 0 : at >= windows ? windows - 1 : at;
        float z = s->value[first + i];
        float off = z - (w->level[at] + w->slope[at] * (float)(i - at));
        if (!(z < NONE) || fabsf(off) <= fmaxf(part * fabsf(z), metres))
            continue;
        v.first = first + at;
        v.level = w->level[at];
        v.slope = w->slope[at];
        bool spike = is_spike(&v, first + i, s->ping.beams, off, fabsf(off) * to_limit);
        s->cut[first + i] = spike;
        w->counts.spikes += spike;
    }
}

/* A ping of the file that may be a neighbour of `s`. */
static const struct slot *neighbour(const struct swath *w, int64_t i,
                                    const struct slot *s)
{
    const struct slot *t = i < 0 || i >= w->pushed ? NULL : &w->slot[i % SLOTS];
    return t && t->run == s->run && t->ping.beams == s->ping.beams && !t->ping.ignored
               ? t
               : NULL;
}

int swath_next(struct swath *w, struct gsf_ping *ping, const uint8_t **cut)
{
    if (w->given == w->pushed || (!w->ended && w->given + REACH >= w->pushed))
        return 0;
    const struct slot *slot[SWATH_PINGS], *s = &w->slot[w->given % SLOTS];
    for (int k = 0; k < SWATH_PINGS; k++)
        slot[k] = neighbour(w, w->given + k - REACH, s);
    if (w->o.sigma > 0 && s->ping.beams && !s->ping.ignored)
        cut_spikes(w, slot, s);
    w->given++;
    *ping = s->ping;
    *cut = s->cut;
    return 1;
}
