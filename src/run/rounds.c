/* The rounds of a comparison: the order of arms in each, and the reasons to end. */
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/scratch.h"
#include "base/stats.h"
#include "base/units.h"
#include "run/compare.h"
#include "run/inside.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS_LEAST = 12, /* before --until may end the run */
    NARROW_TIMES = 2,  /* rounds in a row that must be narrow */
    BATCH_SPARE = 30   /* seconds left to a batch job for its end */
};

struct compare {
    struct run *r;
    struct arms *a;
    struct report_rounds told; /* what the report reads */
    struct report_arm arm[ARMS_MAX];
    struct report_setting setting[ARMS_MAX][ARMS_FACTORS * ARMS_FACTORS];
    struct report_factor factor[ARMS_FACTORS];
    const char *value[ARMS_FACTORS][ARMS_MAX];
    struct report_turn *turn; /* as in report_rounds */
    int64_t room;             /* rounds that fit */
    double begin_s, longest_s;
    struct progress progress; /* in turns of arms, or in milliseconds of the budget */
    double shown_s;           /* when it was last moved on */
    int narrow;               /* rounds in a row with narrow intervals */
};

/* ---- what the report is told ----------------------------------------------------- */

static void tell_arm(struct compare *c, int k)
{
    const struct arms *a = c->a;
    int n = 0;
    for (int i = 0; i < a->factors; i++) {
        const struct arms_value *v = &a->factor[i].value[a->arm[k].value[i]];
        for (int s = 0; s < v->settings; s++)
            c->setting[k][n++] =
                (struct report_setting){v->setting[s].option, v->setting[s].value};
    }
    c->arm[k] = (struct report_arm){a->arm[k].name, NULL, n, c->setting[k]};
}

static void tell_factor(struct compare *c, int i)
{
    const struct arms_factor *f = &c->a->factor[i];
    for (int k = 0; k < f->values; k++)
        c->value[i][k] = f->value[k].name;
    c->factor[i] = (struct report_factor){f->option, f->values, c->value[i]};
}

static void tell_all(struct compare *c)
{
    struct arms *a = c->a;
    for (int k = 0; k < a->n; k++)
        tell_arm(c, k);
    for (int i = 0; i < a->factors; i++)
        tell_factor(c, i);
    c->told = (struct report_rounds){.arms = a->n,
                                     .factors = a->factors,
                                     .arm = c->arm,
                                     .factor = c->factor,
                                     .seed = c->r->seed};
    report_rounds(c->r->report, &c->told);
}

/* Makes room for the turns of one more round. */
static int begin_row(struct compare *c)
{
    int arms = c->a->n;
    size_t bytes = (size_t)arms * sizeof *c->turn;
    int rc = mem_room(&c->turn, c->told.rows, &c->room, bytes, "rounds");
    if (rc)
        return rc;
    for (int i = 0; i < arms; i++)
        c->turn[c->told.rows * arms + i] = (struct report_turn){.arm = -1};
    c->told.turn = c->turn;
    c->told.rows++;
    return 0;
}

/* ---- the order ------------------------------------------------------------------- */

/* Draws the order of a round by the run's seed alone (Fisher and Yates): all orders are
 * equally likely, as the intervals by permutation need; base/draw.h's shuffle only
 * looks random. */
static void draw_order(const struct compare *c, int row, int order[ARMS_MAX])
{
    uint64_t key = rng_key(rng_key(c->r->seed, RNG_ROUNDS), (uint64_t)row);
    for (int i = 0; i < c->a->n; i++)
        order[i] = i;
    for (int i = c->a->n - 1; i > 0; i--) {
        int k = (int)rng_below(key, (uint64_t)i, (uint64_t)i + 1), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
}

/* ---- progress -------------------------------------------------------------------- */

static void start_progress(struct compare *c)
{
    const struct run *r = c->r;
    bool wanted = r->world.rank == 0 && !r->options->quiet;
    int64_t turns = (r->options->rounds + 1) * c->a->n;
    progress_start(&c->progress, wanted,
                   c->a->budget_s       ? (int64_t)(1e3 * c->a->budget_s)
                   : r->options->rounds ? turns
                                        : 0);
    c->shown_s = c->begin_s;
}

static void show_progress(struct compare *c)
{
    char what[64];
    double now_s = report_clock_s(c->r->report);
    int64_t ms = (int64_t)(1e3 * (now_s - c->shown_s));
    snprintf(what, sizeof what, "round %d", c->told.rows - 1);
    progress_step(&c->progress, c->a->budget_s ? ms : 1, what);
    c->shown_s = now_s;
}

/* ---- the end --------------------------------------------------------------------- */

static int arms_left(const struct arms *a)
{
    int n = 0;
    for (int k = 0; k < a->n; k++)
        n += !a->arm[k].failed.code;
    return a->arm[0].failed.code ? 0 : n;
}

/* Seconds until a batch job's time is used up, as far as Slurm tells. */
static double batch_left_s(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    double left = end ? (double)(atoll(end) - (int64_t)time(NULL)) - BATCH_SPARE : 0;
    return end ? left : INFINITY;
}

/* True if all intervals have been narrow for some rounds. On rank 0. */
static bool is_narrow(struct compare *c)
{
    if (!c->a->width || c->told.counted < ROUNDS_LEAST)
        return false;
    double width = report_width(c->r->report);
    c->narrow = width <= c->a->width ? c->narrow + 1 : 0;
    return c->narrow >= NARROW_TIMES;
}

/* The reason to begin no further round; NULL: none. On rank 0. */
static const char *reason_to_end(struct compare *c)
{
    const struct run_options *o = c->r->options;
    double spent_s = report_clock_s(c->r->report) - c->begin_s;
    if (o->rounds && c->told.counted >= o->rounds)
        return "rounds";
    if (is_narrow(c))
        return "width";
    if (c->a->budget_s && spent_s + c->longest_s > c->a->budget_s)
        return "budget";
    return c->longest_s > batch_left_s() ? "limit" : NULL;
}

/* Tells all ranks if a signal has asked one of them to end. */
static bool asked_to_end(const struct run *r)
{
    int asked = scratch_asked();
    world_reduce(r->world.comm, &asked, 1, MPI_INT, MPI_MAX);
    return asked;
}

/* **Collective.** Rank 0 decides whether the comparison ends here. */
static bool is_over(struct compare *c)
{
    if (arms_left(c->a) < 2) {
        c->told.ended_by = "failure";
        return true;
    }
    if (asked_to_end(c->r)) {
        c->told.ended_by = "signal";
        return true;
    }
    int over = 0;
    if (c->r->world.rank == 0) {
        const char *why = reason_to_end(c);
        c->told.ended_by = why ? why : c->told.ended_by;
        over = why != NULL;
    }
    MPI_Bcast(&over, 1, MPI_INT, 0, c->r->world.comm);
    return over;
}

/* ---- directories ----------------------------------------------------------------- */

static void place_save(const struct run *r, struct arms_place *p)
{
    *p = (struct arms_place){r->fs, r->stack, r->counters, r->counts_here};
}

static void place_restore(struct run *r, const struct arms_place *p)
{
    r->fs = p->fs;
    r->stack = p->stack;
    r->counters = p->counters;
    r->counts_here = p->counts_here;
}

/* The first arm with the same --dir as arm k. */
static int same_dir(const char *const dir[], int k)
{
    int i = 0;
    while (strcmp(dir[i], dir[k]) != 0)
        i++;
    return i;
}

int compare_look(struct run *r, int64_t disk_bytes, const char *layout)
{
    const char *dir[ARMS_MAX];
    struct arms *a = r->arms;
    int rc = 0;
    place_save(r, &a->arm[0].place);
    for (int k = 0; k < a->n && !rc; k++) {
        rc = arms_apply(r, k);
        dir[k] = r->options->dir;
        int first = same_dir(dir, k);
        if (first < k || !k) {
            a->arm[k].place = a->arm[first].place;
            continue;
        }
        rc = rc ? rc : run_again(r);
        report_turn(r->report, k, 1);
        rc = rc ? rc : run_look(r, disk_bytes, layout);
        report_turn(r->report, -1, 0);
        place_save(r, &a->arm[k].place);
    }
    return rc;
}

/* ---- the rounds ------------------------------------------------------------------ */

/* Leaves out an arm that has failed: the others go on. */
static void arm_leave_out(struct compare *c, int k)
{
    c->a->arm[k].failed = err_copy();
    c->arm[k].failed = c->a->arm[k].failed.text;
    c->r->failed = 0;
    err_clear();
}

static void add_origin(struct run_origin *to, const struct run_origin *more)
{
    to->looked_bytes += more->looked_bytes;
    to->resident_bytes += more->resident_bytes;
    to->read_bytes += more->read_bytes;
    if (to->device_read_bytes >= 0)
        to->device_read_bytes = more->device_read_bytes < 0
                                    ? -1
                                    : to->device_read_bytes + more->device_read_bytes;
}

static int64_t bytes_moved(const struct run *r)
{
    return r->rates.read_bytes + r->rates.write_bytes;
}

static void make_turn(struct compare *c, int k, struct report_turn *t,
                      int (*once)(void *), void *context)
{
    struct run *r = c->r;
    report_turn(r->report, k, c->told.rows - 1);
    t->start_s = report_clock_s(r->report);
    int rc = arms_apply(r, k);
    place_restore(r, &c->a->arm[k].place);
    if (!rc)
        rc = once(context);
    t->end_s = report_clock_s(r->report);
    t->arm = k;
    t->bytes = bytes_moved(r);
    add_origin(&c->a->arm[k].origin, &r->origin);
    r->origin = (struct run_origin){0};
    if (rc)
        arm_leave_out(c, k);
}

/* Says that the workload is too long for the budget. */
static void say_too_long(const struct compare *c)
{
    char round[16];
    double fits_s = c->a->budget_s / (ROUNDS_LEAST + 1);
    if (c->r->world.rank || !c->a->budget_s || c->longest_s * 3 < c->a->budget_s)
        return;
    err_tell(
        c->r->program->name, "note", NULL,
        "a round takes %s, and --budget is %.0f s: for %d rounds make the workload "
        "%.0f times smaller, or the budget %.0f s",
        units_seconds(round, c->longest_s), c->a->budget_s, ROUNDS_LEAST,
        ceil(c->longest_s / fits_s), ceil(c->longest_s * (ROUNDS_LEAST + 1)));
}

/* Makes a round. Returns false if a signal has cut it short. */
static bool make_round(struct compare *c, int (*once)(void *), void *context)
{
    struct run *r = c->r;
    struct arms *a = c->a;
    int order[ARMS_MAX], row = c->told.rows - 1;
    double begin_s = report_clock_s(r->report);
    draw_order(c, row, order);
    for (int i = 0; i < a->n; i++) {
        int k = order[i];
        if (a->arm[k].failed.code)
            continue;
        make_turn(c, k, &c->turn[row * a->n + i], once, context);
        show_progress(c);
        if (i + 1 < a->n && asked_to_end(r))
            return false;
    }
    c->longest_s = fmax(c->longest_s, report_clock_s(r->report) - begin_s);
    c->told.counted += row > 0 && arms_left(a) > 1;
    return true;
}

int compare_rounds(struct run *r, int (*once)(void *context), void *context)
{
    static struct compare c; /* static: the report reads it until it is closed */
    c = (struct compare){.r = r, .a = r->arms};
    c.begin_s = report_clock_s(r->report);
    tell_all(&c);
    start_progress(&c);
    r->progress.on = false; /* the line of a run that only repeats */
    scratch_ask_first(true);
    int rc = 0;
    while (!rc && !(c.told.rows && is_over(&c))) {
        rc = err_agree(r->world.comm, begin_row(&c));
        if (rc)
            break;
        bool whole = make_round(&c, once, context);
        if (c.told.rows == 1 && whole)
            say_too_long(&c);
    }
    scratch_ask_first(false);
    progress_clear(&c.progress);
    report_turn(r->report, -1, 0);
    if (!rc)
        rc = arms_apply(r, 0); /* for the report's options */
    if (!rc)
        rc = run_again(r);
    if (!rc && arms_left(c.a) < 2 && c.told.counted < STATS_CI_MIN)
        rc = compare_verdict(r, 0);
    return rc; /* the answer so far stands */
}

void compare_warn(struct run *r)
{
    struct arms *a = r->arms;
    struct run_origin all = {0};
    for (int k = 0; k < a->n; k++) {
        struct report_checks c = {0};
        r->origin = a->arm[k].origin;
        place_restore(r, &a->arm[k].place);
        add_origin(&all, &r->origin);
        if (r->groups) /* they are warned of as a whole */
            continue;
        report_turn(r->report, k, 1);
        run_storage_shares(r, &c);
        run_storage_warn(r, &c);
    }
    report_turn(r->report, -1, 0);
    place_restore(r, &a->arm[0].place);
    r->origin = all;
}

int compare_verdict(struct run *r, int rc)
{
    for (int k = 0; r->arms && !rc && k < r->arms->n; k++)
        if (r->arms->arm[k].failed.code) {
            err_put(&r->arms->arm[k].failed);
            rc = r->arms->arm[k].failed.code;
        }
    return rc;
}
