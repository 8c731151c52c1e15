/* Comparisons of arms within a run: ratios over the rounds, the JSON group, and the
 * answer in words. Rounds pair the arms; base/paired.h makes the intervals. */
#include "base/format/json.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "report/sink.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CARRIED 1.02 /* a smaller effect of the arm before is not worth a line */
#define SHORT_S 1.0  /* a shorter repetition may fit into a cache below */

void report_rounds(struct report *r, const struct report_rounds *rounds)
{
    if (r->model)
        r->model->rounds = rounds;
}

void report_turn(struct report *r, int arm, int round)
{
    if (!r->model)
        return;
    r->model->arm = arm;
    r->model->round = round;
}

double report_clock_s(const struct report *r)
{
    return r->model ? (double)(clock_ns() - r->model->start_ns) / 1e9 : 0;
}

/* ---- ratios ---------------------------------------------------------------------- */

static bool is_total(const struct figure *f)
{
    return f->known && !f->at.name[0] &&
           (!strcmp(f->name, "write_MBps") || !strcmp(f->name, "read_MBps"));
}

/* True for bytes or calls per second, which have such names. */
static bool is_rate(const struct figure *f)
{
    static const char *const ends[] = {"_MBps", "per_s"};
    size_t n = strlen(f->name);
    bool rate = false;
    for (int i = 0; i < 2; i++) {
        size_t end = strlen(ends[i]);
        rate |= n >= end && !strcmp(f->name + n - end, ends[i]);
    }
    return rate && f->known && !f->at.name[0];
}

static bool has_value(const struct figure *f)
{
    return f->known && !f->at.name[0];
}

enum { HEADLINES = 6 };

/* Lists the figures that the answer is about: the totals, or else the first rates, or
 * else the first two. Those of arm 0 decide. Returns their number.
 * python/leadline/judge/compare.py has the same rule. */
static int list_headlines(const struct model *m, const struct figure *list[HEADLINES])
{
    static const struct {
        bool (*is)(const struct figure *f);
        int most;
    } kinds[] = {{is_total, 2}, {is_rate, HEADLINES}, {has_value, 2}};
    int n = 0;
    for (int kind = 0; kind < 3 && !n; kind++)
        for (int i = 0; i < m->figures && n < kinds[kind].most; i++)
            if (m->figure[i].arm == 0 && kinds[kind].is(&m->figure[i]))
                list[n++] = &m->figure[i];
    return n;
}

static const struct figure *of_arm(const struct model *m, const struct figure *f,
                                   int arm)
{
    for (int i = 0; i < m->figures; i++) {
        const struct figure *g = &m->figure[i];
        if (g->arm == arm && !strcmp(g->name, f->name) && at_same(&g->at, &f->at))
            return g;
    }
    return NULL;
}

/* Logarithms of a figure, [round][arm]; NULL: no memory. */
static double *logs_of(const struct model *m, const struct figure *first)
{
    int arms = m->rounds->arms, rounds = m->rounds->rows - 1;
    double *ln = rounds > 0 ? malloc((size_t)arms * (size_t)rounds * sizeof *ln) : NULL;
    for (int a = 0; ln && a < arms; a++) {
        const struct figure *f = of_arm(m, first, a);
        for (int i = 0; i < rounds; i++) {
            double x = f && i < f->n ? f->reps[i] : NAN;
            ln[i * arms + a] = x > 0 ? log(x) : NAN;
        }
    }
    return ln;
}

static struct paired paired_of(const struct model *m, const double *ln, int comparisons)
{
    const struct report_rounds *c = m->rounds;
    return (struct paired){.arms = c->arms,
                           .rounds = c->rows - 1,
                           .ln = ln,
                           .comparisons = comparisons > 0 ? comparisons : 1,
                           .seed = c->seed};
}

static bool has_ratio(const struct paired *p, int arm)
{
    int both = 0;
    for (int i = 0; p->ln && i < p->rounds; i++)
        both += isfinite(p->ln[i * p->arms]) && isfinite(p->ln[i * p->arms + arm]);
    return both >= STATS_CI_MIN;
}

/* Counts the ratios that have an interval. These hold together. */
static int count_ratios(const struct model *m, const struct figure *const head[], int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        double *ln = logs_of(m, head[i]);
        struct paired p = paired_of(m, ln, 1);
        for (int a = 1; a < p.arms; a++)
            found += has_ratio(&p, a);
        free(ln);
    }
    return found;
}

/* Fills in the ratios of one figure, one for each further arm. */
static void fill_ratios(const struct model *m, const struct figure *first,
                        int comparisons, struct ratio *out)
{
    double *ln = logs_of(m, first);
    struct paired p = paired_of(m, ln, comparisons);
    bool higher = !strcmp(first->better, "higher");
    for (int a = 1; a < p.arms; a++, out++) {
        *out = (struct ratio){.figure = of_arm(m, first, a)};
        out->known = ln && out->figure && paired_ratio(&p, a, &out->of);
        if (out->known)
            paired_verdict(&out->of, higher, out->verdict, sizeof out->verdict);
    }
    free(ln);
}

struct ratio *comparison_ratios(const struct model *m, int *n)
{
    const struct figure *head[HEADLINES];
    int figures = list_headlines(m, head), each = m->rounds->arms - 1;
    int comparisons = count_ratios(m, head, figures);
    *n = figures * each;
    struct ratio *all = *n > 0 ? calloc((size_t)*n, sizeof *all) : NULL;
    for (int i = 0; all && i < figures; i++)
        fill_ratios(m, head[i], comparisons, &all[each * i]);
    return all;
}

double report_width(const struct report *r)
{
    const struct model *m = r->model;
    int n;
    struct ratio *all = comparison_ratios(m, &n);
    double widest = all ? 0 : NAN;
    for (int i = 0; all && i < n; i++) {
        bool out = m->rounds->arm[i % (m->rounds->arms - 1) + 1].failed;
        if (!out) /* fmax would ignore a NAN */
            widest = all[i].known && widest == widest
                         ? fmax(widest, sqrt(all[i].of.high / all[i].of.low) - 1)
                         : NAN;
    }
    free(all);
    return widest;
}

/* ---- JSON ------------------------------------------------------------------------ */

static void put_factors(struct json *j, const struct report_rounds *c)
{
    json_array(j, "factors");
    for (int i = 0; i < c->factors; i++) {
        json_object_flat(j, NULL);
        json_text(j, "option", c->factor[i].option);
        json_array_flat(j, "values");
        for (int k = 0; k < c->factor[i].values; k++)
            json_text(j, NULL, c->factor[i].value[k]);
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_arms(struct json *j, const struct report_rounds *c)
{
    json_array(j, "arms");
    for (int i = 0; i < c->arms; i++) {
        const struct report_arm *a = &c->arm[i];
        json_object_flat(j, NULL);
        json_text(j, "name", a->name);
        json_object_flat(j, "settings");
        for (int k = 0; k < a->settings; k++)
            json_text(j, a->setting[k].option, a->setting[k].value);
        json_end_object(j);
        json_text(j, "failed", a->failed);
        json_end_object(j);
    }
    json_end_array(j);
}

enum turn_part { TURN_ARM, TURN_START, TURN_END, TURN_BYTES };

/* Writes one part of all turns, a line for each round. */
static void put_turns(struct json *j, const struct report_rounds *c, const char *key,
                      enum turn_part part)
{
    json_array(j, key);
    for (int i = 0; i < c->rows; i++) {
        json_array_flat(j, NULL);
        for (int k = 0; k < c->arms; k++) {
            const struct report_turn *t = &c->turn[i * c->arms + k];
            if (t->arm < 0)
                continue;
            if (part == TURN_ARM)
                json_int(j, NULL, t->arm);
            else if (part == TURN_BYTES)
                json_int(j, NULL, t->bytes);
            else
                json_real(j, NULL, part == TURN_START ? t->start_s : t->end_s);
        }
        json_end_array(j);
    }
    json_end_array(j);
}

static void put_ratios(struct json *j, const struct model *m)
{
    int n;
    struct ratio *all = comparison_ratios(m, &n);
    json_array(j, "ratios");
    for (int i = 0; all && i < n; i++) {
        if (!all[i].known)
            continue;
        json_object_flat(j, NULL);
        json_text(j, "figure", all[i].figure->name);
        json_int(j, "arm", all[i].figure->arm);
        json_real(j, "ratio", all[i].of.ratio);
        json_real(j, "low", all[i].of.low);
        json_real(j, "high", all[i].of.high);
        json_text(j, "verdict", all[i].verdict);
        json_real(j, "effective_rounds", all[i].of.effective);
        json_end_object(j);
    }
    json_end_array(j);
    free(all);
}

void comparison_json(struct json *j, const struct model *m)
{
    const struct report_rounds *c = m->rounds;
    if (!c)
        return;
    json_object(j, "comparison");
    put_factors(j, c);
    put_arms(j, c);
    json_unsigned(j, "seed", c->seed);
    json_int(j, "rounds", c->counted);
    json_text(j, "ended_by", c->ended_by);
    put_turns(j, c, "order", TURN_ARM);
    put_turns(j, c, "start_s", TURN_START);
    put_turns(j, c, "end_s", TURN_END);
    put_turns(j, c, "bytes", TURN_BYTES);
    put_ratios(j, m);
    json_end_object(j);
}

/* ---- text ------------------------------------------------------------------------ */

static const char *arm_name(const struct model *m, int arm)
{
    return m->rounds->arm[arm].name;
}

/* Shortens a figure's name for a sentence: "write_MBps" to "write", "create.per_s" to
 * "create". */
static const char *what_of(const struct figure *f, char text[64])
{
    static const char *const ends[] = {"_MBps", ".per_s"};
    snprintf(text, 64, "%s", f->name);
    for (int i = 0; i < 2; i++) {
        char *end = strstr(text, ends[i]);
        if (end)
            *end = 0;
    }
    return text;
}

/* The sentence that answers: one for each ratio. */
static void say_ratio(const struct model *m, const struct ratio *x)
{
    char what[64];
    what_of(x->figure, what);
    printf("%s: %s over %s: ", what, arm_name(m, x->figure->arm), arm_name(m, 0));
    if (x->known)
        printf("%.3f [%.3f, %.3f], %s\n", x->of.ratio, x->of.low, x->of.high,
               x->verdict);
    else
        printf("too few rounds for an interval (%d needed)\n", STATS_CI_MIN);
}

static void put_arm_row(const struct model *m, const struct figure *f, int arm,
                        int width)
{
    struct figure_summary s = figure_summary(f);
    printf("  %-*s %4d %10.4g %10.4g %10.4g\n", width, arm_name(m, arm), f->known,
           s.median, s.min, s.max);
}

static int name_width(const struct model *m)
{
    int width = 12;
    for (int i = 0; i < m->rounds->arms; i++) {
        int n = (int)strlen(arm_name(m, i));
        width = n > width ? n : width;
    }
    return width;
}

static void put_table(const struct model *m, const struct figure *first)
{
    int width = name_width(m);
    char heading[96];
    snprintf(heading, sizeof heading, "%s, %s", first->name, first->unit);
    printf("\n  %-*s %4s %10s %10s %10s\n", width, heading, "n", "median", "min",
           "max");
    for (int a = 0; a < m->rounds->arms; a++) {
        const struct figure *f = of_arm(m, first, a);
        if (f)
            put_arm_row(m, f, a, width);
        else
            printf("  %-*s    - %s\n", width, arm_name(m, a), "no value");
    }
}

static const char *end_text(const char *ended_by)
{
    static const struct {
        const char *by, *text;
    } row[] = {{"rounds", "as --rounds asks"},
               {"width", "when the intervals were as narrow as --until asks"},
               {"budget", "when the time of --budget was used up"},
               {"limit", "before the batch job's time is used up"},
               {"signal", "by a signal"},
               {"failure", "as fewer than two arms were left"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (ended_by && !strcmp(row[i].by, ended_by))
            return row[i].text;
    return "early";
}

/* Says how much an arm's repetition moves, and what so short a one cannot show. */
static void say_slice(const struct model *m)
{
    const struct report_rounds *c = m->rounds;
    double seconds = 0, longest = 0;
    int64_t bytes = 0;
    int n = 0;
    for (int i = c->arms; i < c->rows * c->arms; i++) {
        const struct report_turn *t = &c->turn[i];
        if (t->arm < 0)
            continue;
        n++;
        seconds += t->end_s - t->start_s;
        longest = fmax(longest, t->end_s - t->start_s);
        bytes = t->bytes > bytes ? t->bytes : bytes;
    }
    char size[16], took[16];
    if (!n)
        return;
    printf("Each repetition moved %s in %s on average, with making and removing its "
           "files.\n",
           units_bytes(size, bytes), units_seconds(took, seconds / n));
    if (longest < SHORT_S)
        printf(
            "So short a one cannot show what comes when a cache of the device or its "
            "controller is full, nor rates that last.\n");
}

/* Says which arm's effect remains in what runs next. */
static void say_carried(const struct model *m, const struct figure *first)
{
    const struct report_rounds *c = m->rounds;
    double *ln = logs_of(m, first), factor;
    int *order = malloc((size_t)c->rows * (size_t)c->arms * sizeof *order);
    struct paired p = paired_of(m, ln, 1);
    char what[64];
    for (int i = 0; order && i < (c->rows - 1) * c->arms; i++)
        order[i] = c->turn[c->arms + i].arm;
    for (int a = 0; ln && order && a < c->arms; a++)
        if (paired_carry_over(&p, order, a, &factor) &&
            fmax(factor, 1 / factor) > CARRIED)
            printf("%s: what runs just after %s is %.3f times as fast as after others: "
                   "it leaves the storage in another state.\n",
                   what_of(first, what), arm_name(m, a), factor);
    free(order);
    free(ln);
}

static void say_failures(const struct model *m)
{
    for (int a = 0; a < m->rounds->arms; a++)
        if (m->rounds->arm[a].failed)
            printf("left out: %s failed: %s\n", arm_name(m, a),
                   m->rounds->arm[a].failed);
}

void comparison_text(const struct model *m)
{
    const struct report_rounds *c = m->rounds;
    const struct figure *head[HEADLINES];
    int n, figures = list_headlines(m, head);
    struct ratio *all = comparison_ratios(m, &n);
    putchar('\n');
    for (int i = 0; all && i < n; i++)
        if (all[i].figure && (all[i].known || !c->arm[all[i].figure->arm].failed))
            say_ratio(m, &all[i]);
    free(all);
    say_failures(m);
    for (int i = 0; i < figures; i++)
        put_table(m, head[i]);
    putchar('\n');
    printf("In this run, of %d round%s after one of warm-up, each in an order of its "
           "own; ended %s.\n",
           c->counted, units_s(c->counted), end_text(c->ended_by));
    say_slice(m);
    for (int i = 0; i < figures; i++)
        say_carried(m, head[i]);
}
