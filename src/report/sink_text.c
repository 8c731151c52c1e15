/* Prints the report for people: the setup, a row per phase as it completes, and the
 * figures at the end. At most some 110 columns, no colour. */
#include "base/plain.h"
#include "base/program.h"
#include "base/stats.h"
#include "base/units.h"
#include "report/sink.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define WIDTH 100         /* column at which text is wrapped */
#define ROWS_A_HEADING 40 /* rows after which the column headings are repeated */

/* ---- helpers ----------------------------------------------------------------- */

/* Prints `text` after `label`, broken between words, the further lines indented. */
static void put_wrapped(const char *label, const char *text)
{
    int column = printf("%-9s ", label), margin = 10;
    char one[PLAIN_PATH];
    while (*text) {
        int word = (int)strcspn(text, " \n");
        snprintf(one, sizeof one, "%.*s", word, text);
        if (column > margin && column + 1 + word > WIDTH)
            column = printf("\n%*s", margin, "") - 1;
        if (word > 0)
            column +=
                printf("%s%s", column > margin ? " " : "", plain(one, sizeof one, one));
        text += word + (text[word] != 0);
    }
    putchar('\n');
}

static void sink_text_put_line(const char *label, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void sink_text_put_line(const char *label, const char *fmt, ...)
{
    char text[8192]; /* longer text is cut: the JSON has all of it */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    put_wrapped(label, text);
}

static bool is_empty(const char *text)
{
    return !text || !text[0];
}

/* Formats five significant digits in at most eight characters; "-" for NAN
 * and infinity. */
static const char *sink_text_number(char out[24], double x)
{
    double size = fabs(x);
    if (!isfinite(x))
        return "-";
    if (size >= 1e7 || (size > 0 && size < 1e-4))
        snprintf(out, 24, "%.2e", x);
    else
        snprintf(out, 24, "%.*f",
                 size < 10      ? 4
                 : size < 100   ? 3
                 : size < 1000  ? 2
                 : size < 10000 ? 1
                                : 0,
                 x);
    return out;
}

/* ---- header ------------------------------------------------------------------ */

static void put_ranks(const struct model *m)
{
    const struct world *w = m->world;
    int cores = 0;
    bool crowded = false;
    for (int i = 0; i < m->hosts; i++) {
        cores += m->host[i].cores;
        crowded |= m->host[i].ranks > m->host[i].cores;
    }
    char more[64] = "";
    if (m->hosts)
        snprintf(more, sizeof more, ", %d core%s%s", cores, units_s(cores),
                 crowded ? ": more ranks than cores" : "");
    sink_text_put_line("ranks", "%d on %d node%s, at most %d on one%s", w->size,
                       w->nodes, units_s(w->nodes), w->ranks_per_node_max, more);
}

static void put_file(const struct model_file *f)
{
    char size[16] = "size not known";
    if (f->bytes >= 0)
        units_bytes(size, f->bytes);
    sink_text_put_line(
        "files", "%s: %lld %s file%s, %s, order %s, on %s%s%s%s, %s",
        f->role ? f->role : "", (long long)f->count, f->kind ? f->kind : "",
        units_s(f->count), size, is_empty(f->layout) ? "-" : f->layout,
        is_empty(f->fs) ? "an unknown file system" : f->fs,
        is_empty(f->mount) ? "" : " (", is_empty(f->mount) ? "" : f->mount,
        is_empty(f->mount) ? "" : ")", f->path ? f->path : "");
    if (f->storage)
        sink_text_put_line("storage", "%s", f->storage);
}

static void put_pairs(const char *label, const char *before, const struct pairs *p)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "%s", before);
    for (int i = 0; i < p->n && n < (int)sizeof text; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s=%s", i ? "," : "",
                      p->pair[i].key ? p->pair[i].key : "",
                      p->pair[i].value ? p->pair[i].value : "");
    if (p->n)
        put_wrapped(label, text);
}

static void put_io(const struct model_io *io)
{
    bool why = !is_empty(io->chosen_because);
    sink_text_put_line("engine", "%s%s%s, %s, %s, depth %d, time limit %g s%s%s",
                       io->engine ? io->engine : "-", is_empty(io->version) ? "" : " ",
                       io->version ? io->version : "", io->mode ? io->mode : "-",
                       io->collective ? "collective" : "independent", io->depth,
                       io->timeout_s, why ? "; chosen because " : "",
                       why ? io->chosen_because : "");
    put_pairs("", "settings", &io->settings);
    sink_text_put_line("cache", "%s, sync %s", io->cache ? io->cache : "-",
                       io->sync ? io->sync : "-");
    put_pairs("hints", "asked:", &io->asked);
    if (io->in_effect.n)
        put_pairs("hints", "in effect:", &io->in_effect);
    else if (io->asked.n)
        sink_text_put_line("hints", "in effect: none that the library tells");
}

/* Prints what is new: the rest of the header, or, at the end, what became known after
 * it was printed. */
static void put_news(struct model *m)
{
    if (m->io && !m->text.io)
        put_io(m->io);
    m->text.io = m->io;
    for (; m->text.notes < m->notes.n; m->text.notes++)
        sink_text_put_line(m->notes.pair[m->text.notes].key, "%s",
                           m->notes.pair[m->text.notes].value);
}

static void put_header(struct model *m)
{
    const char *layer = m->io ? m->io->io_layer : NULL;
    char id[128], label[1024];
    m->text.header = true;
    printf("%s %s, run %s%s%s, %s\n", m->program->name, leadline_version,
           plain(id, sizeof id, m->run_id ? m->run_id : "-"),
           is_empty(m->label) ? "" : ", ",
           plain(label, sizeof label, m->label ? m->label : ""), m->start_utc);
    sink_text_put_line("mpi", "%s, %s, threads %s%s%s", m->world->library,
                       m->world->launcher, m->world->thread_level,
                       is_empty(layer) ? "" : ", I/O layer ",
                       is_empty(layer) ? "" : layer);
    put_ranks(m);
    for (int i = 0; i < m->files; i++)
        put_file(&m->file[i]);
    put_news(m);
}

/* ---- one row per phase ------------------------------------------------------- */

static void put_columns(struct model *m)
{
    printf("\n%-7s %4s %7s %7s %7s %7s %7s %7s %7s %7s %7s %10s %10s  %s\n", "phase",
           "rep", "wall", "compute", "comm", "op/clo", "read", "write", "sync", "check",
           "idle", "read", "write", "slowest");
    printf("%-13s%-71s %10s %10s  %s\n", "", "seconds, mean over ranks", "MB/s", "MB/s",
           "in I/O");
    m->text.rows = 0;
}

static const struct sample *find_act(const struct sample *s, int n, int act)
{
    for (int i = 0; i < n; i++)
        if (s[i].act == act)
            return &s[i];
    return NULL;
}

static void put_seconds(const struct sample *s)
{
    char text[24];
    double x = s ? s->mean_s : NAN;
    if (s && x < 100)
        printf(" %7.4f", x); /* aligns the points in a column */
    else
        printf(" %7s", sink_text_number(text, x));
}

/* The sample with the slowest rank: if a phase does I/O, the one with the longest I/O;
 * else the longest in all. Barriers make the walls alike, so the wall would name an
 * arbitrary rank. */
static const struct sample *slowest(const struct sample *s, int n)
{
    const struct sample *worst = NULL;
    for (int i = 0; i < n; i++)
        if ((s[i].act == ACT_READ || s[i].act == ACT_WRITE || s[i].act == ACT_SYNC) &&
            (!worst || s[i].max_s > worst->max_s))
            worst = &s[i];
    return worst ? worst : find_act(s, n, SAMPLE_WALL);
}

/* Prints the differences from the previous row: parameter, repetition. */
static void put_break(struct model *m, const struct sample *s)
{
    char text[AT_TEXT];
    if (!at_same(&m->text.at, &s->at) && s->at.name[0])
        printf("%s = %s\n", s->at.name, at_text(&s->at, text));
    m->text.at = s->at;
    m->text.rep = s->rep;
}

void sink_text_phase(struct model *m, int n, const struct report_rate *rate)
{
    const struct sample *s = m->sample + m->samples - n;
    char text[24];
    if (m->quiet || n == 0)
        return;
    if (!m->text.header)
        put_header(m);
    if (m->arm >= 0) /* the answer comes at the end */
        return;
    /* Headings are repeated only between repetitions, so that none is split. */
    if (m->text.rep == 0 || (m->text.rows >= ROWS_A_HEADING && m->text.rep != s->rep))
        put_columns(m);
    put_break(m, s);
    printf("%-7s %4d", s->phase, s->rep);
    put_seconds(find_act(s, n, SAMPLE_WALL));
    for (int act = 0; act < ACT_COUNT; act++)
        put_seconds(find_act(s, n, act));
    printf(" %10s", sink_text_number(text, report_rate_read_MBps(rate)));
    printf(" %10s", sink_text_number(text, report_rate_write_MBps(rate)));
    const struct sample *last = slowest(s, n);
    if (last)
        printf("  %d %s", last->max_rank, last->max_host ? last->max_host : "");
    putchar('\n');
    fflush(stdout);
    m->text.rows++;
}

/* ---- end --------------------------------------------------------------------- */

static int unit_width(const struct model *m)
{
    int width = 6;
    for (int i = 0; i < m->figures; i++) {
        int length = m->figure[i].unit ? (int)strlen(m->figure[i].unit) : 0;
        width = length > width ? length : width;
    }
    return width;
}

static void put_figure(const struct figure *f, int width, int unit)
{
    struct figure_summary s = figure_summary(f);
    char a[24], b[24];
    printf("%-*s %-*s %4d", width, f->name ? f->name : "", unit, f->unit ? f->unit : "",
           f->known);
    printf(" %10s", sink_text_number(a, s.median));
    printf(" %10s", sink_text_number(a, s.min));
    printf(" %10s", sink_text_number(a, s.max));
    if (s.has_ci)
        printf("   %s .. %s\n", sink_text_number(a, s.lo), sink_text_number(b, s.hi));
    else
        printf("   -\n");
}

/* True if a figure is shown. A percentile without enough transfers is not. */
static bool is_told(const struct figure *f)
{
    return !f->at.name[0] && (f->known || strcmp(f->unit ? f->unit : "", "us"));
}

/* The next figure after i without a parameter; m->figures: none. */
static int next_plain(const struct model *m, int i)
{
    do
        i++;
    while (i < m->figures && !is_told(&m->figure[i]));
    return i;
}

static bool is_first_at(const struct model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (at_same(&m->figure[k].at, &m->figure[i].at))
            return false;
    return m->figure[i].at.name[0];
}

static void put_names_at(const struct model *m, int i)
{
    printf("\n%-10s", m->figure[i].at.name);
    for (int k = i; k < m->figures; k++)
        if (at_same(&m->figure[k].at, &m->figure[i].at))
            printf(" %12s", m->figure[k].name);
    putchar('\n');
}

static void put_medians_at(const struct model *m, int i)
{
    char text[24];
    printf("%-10s", sink_text_number(text, m->figure[i].at.value));
    for (int k = i; k < m->figures; k++)
        if (at_same(&m->figure[k].at, &m->figure[i].at))
            printf(" %12s",
                   sink_text_number(text, figure_summary(&m->figure[k]).median));
    putchar('\n');
}

static bool is_first_name(const struct model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (m->figure[k].at.name[0] && !strcmp(m->figure[k].name, m->figure[i].name))
            return false;
    return m->figure[i].at.name[0];
}

/* The median of figure `name` at the same value as figure i's. */
static double median_at(const struct model *m, const char *name, int i)
{
    for (int k = 0; k < m->figures; k++)
        if (at_same(&m->figure[k].at, &m->figure[i].at) &&
            !strcmp(m->figure[k].name, name))
            return figure_summary(&m->figure[k]).median;
    return NAN;
}

/* Prints figures by named values, such as engines. They are few: each has a column. */
static void put_named(const struct model *m)
{
    char text[AT_TEXT];
    int width = 12, unit = unit_width(m);
    for (int i = 0; i < m->figures; i++) {
        int length = (int)strlen(at_text(&m->figure[i].at, text));
        width = length > width ? length : width;
    }
    printf("\n%-24s %-*s", "figure (median)", unit, "unit");
    for (int i = 0; i < m->figures; i++)
        if (is_first_at(m, i))
            printf(" %*s", width, at_text(&m->figure[i].at, text));
    putchar('\n');
    for (int f = 0; f < m->figures; f++) {
        if (!is_first_name(m, f))
            continue;
        printf("%-24s %-*s", m->figure[f].name, unit, m->figure[f].unit);
        for (int i = 0; i < m->figures; i++)
            if (is_first_at(m, i))
                printf(" %*s", width,
                       sink_text_number(text, median_at(m, m->figure[f].name, i)));
        putchar('\n');
    }
}

static bool is_named(const struct model *m)
{
    for (int i = 0; i < m->figures; i++)
        if (m->figure[i].at.text[0])
            return true;
    return false;
}

/* Prints the figures of a parameter: a row for each of its values, a column for each
 * name, in the first value's order. */
static void put_swept(const struct model *m)
{
    bool heading = false;
    if (is_named(m)) {
        put_named(m);
        return;
    }
    for (int i = 0; i < m->figures; i++) {
        if (!is_first_at(m, i))
            continue;
        if (!heading)
            put_names_at(m, i);
        put_medians_at(m, i);
        heading = true;
    }
}

static void put_figures(const struct model *m)
{
    int width = 24, unit = unit_width(m);
    bool few = false;
    if (next_plain(m, -1) >= m->figures)
        return;
    for (int i = next_plain(m, -1); i < m->figures; i = next_plain(m, i)) {
        int length = m->figure[i].name ? (int)strlen(m->figure[i].name) : 0;
        width = length > width ? length : width;
        few |= m->figure[i].known < STATS_CI_MIN;
    }
    printf("\n%-*s %-*s %4s %10s %10s %10s   %s\n", width, "figure", unit, "unit", "n",
           "median", "min", "max", "95 % interval of the geometric mean");
    for (int i = next_plain(m, -1); i < m->figures; i = next_plain(m, i))
        put_figure(&m->figure[i], width, unit);
    if (few)
        printf("No interval is given (-) for fewer than %d repetitions.\n",
               STATS_CI_MIN);
}

/* ---- ranks and transfers ------------------------------------------------------- */

/* One activity of one phase over all repetitions. */
struct spread {
    double min_s, sum_s, max_s, latency_max_s;
    int n, max_rank;
    const char *max_host;
    int64_t calls, hist[HIST_SIZE];
};

/* Adds a sample's latencies. A bucket is identified by its bound, 2^((b + 1) /
 * 16) ns. */
static void add_latency(struct spread *to, const struct latency *l)
{
    to->latency_max_s = fmax(to->latency_max_s, l->max_s);
    for (int i = 0; i < l->n; i++) {
        int b = (int)lround(log2(l->hist[i].bound_s * 1e9) * HIST_SUB) - 1;
        to->hist[b < HIST_SIZE ? b : HIST_SIZE - 1] += l->hist[i].count;
    }
}

static void add_sample(struct spread *to, const struct sample *s)
{
    if (!to->n || s->max_s > to->max_s) {
        to->max_s = s->max_s;
        to->max_rank = s->max_rank;
        to->max_host = s->max_host;
    }
    to->min_s = to->n ? fmin(to->min_s, s->min_s) : s->min_s;
    to->sum_s += s->mean_s;
    to->n++;
    if (!s->latency)
        return;
    to->calls += s->calls;
    add_latency(to, s->latency);
}

static bool sink_text_alike(const struct sample *a, const struct sample *b)
{
    return a->act == b->act && !strcmp(a->phase, b->phase) && at_same(&a->at, &b->at);
}

static bool is_first_alike(const struct model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (sink_text_alike(&m->sample[k], &m->sample[i]))
            return false;
    return true;
}

static void put_quantile(double s)
{
    char unit[16];
    printf(" %8s", isfinite(s) ? units_seconds(unit, s) : "-");
}

static void sink_text_put_spread(const struct sample *s, const struct spread *all)
{
    static const double quantiles[] = {0.5, 0.95, 0.99, 0.999};
    char text[24];
    printf("%-7s %-6s", s->phase, sample_act_name(s->act));
    printf(" %8s", sink_text_number(text, all->min_s));
    printf(" %8s", sink_text_number(text, all->sum_s / all->n));
    printf(" %8s", sink_text_number(text, all->max_s));
    snprintf(text, sizeof text, "%d %.16s", all->max_rank,
             all->max_host ? all->max_host : "");
    printf("  %s", text);
    if (all->calls > 0) {
        printf("%*s %9lld", strlen(text) < 14 ? 14 - (int)strlen(text) : 0, "",
               (long long)all->calls);
        for (int i = 0; i < 4; i++)
            put_quantile(report_quantile(all->hist, all->calls, quantiles[i],
                                         all->latency_max_s));
        put_quantile(all->latency_max_s);
    }
    putchar('\n');
}

/* Prints the slowest ranks and the latencies of transfers: reads, writes and syncs. */
static void put_transfers(const struct model *m)
{
    static struct spread all; /* large: a histogram */
    bool heading = false;
    for (int i = 0; i < m->samples; i++) {
        const struct sample *s = &m->sample[i];
        bool wanted = s->act == ACT_READ || s->act == ACT_WRITE ||
                      (s->act == ACT_SYNC && s->max_s > 1e-5);
        /* a sweep would have too many */
        if (!wanted || s->at.name[0] || !is_first_alike(m, i))
            continue;
        if (!heading)
            printf("\n%-14s %26s  %-14s %9s %8s %8s %8s %8s %8s\n", "",
                   "seconds of a rank: min     mean      max", "slowest rank",
                   "transfers", "p50", "p95", "p99", "p99.9", "max");
        heading = true;
        memset(&all, 0, sizeof all);
        for (int k = i; k < m->samples; k++)
            if (sink_text_alike(&m->sample[k], s))
                add_sample(&all, &m->sample[k]);
        sink_text_put_spread(s, &all);
    }
}

/* ---- calls that move no data --------------------------------------------------- */

/* Adds all repetitions of one kind of call in one phase. */
static void add_op(struct spread *to, const struct model *m, int i, int op)
{
    const struct sample *first = &m->sample[i];
    memset(to, 0, sizeof *to);
    for (; i < m->samples; i++) {
        const struct sample *s = &m->sample[i];
        if (!s->op || !s->op[op].latency || !sink_text_alike(s, first))
            continue;
        to->n++;
        to->calls += s->op[op].calls;
        to->sum_s += s->op[op].sum_s;
        add_latency(to, s->op[op].latency);
    }
}

static void put_op(const char *phase, int op, const struct spread *all)
{
    char mean[16];
    printf("%-7s %-8s %9lld %8s", phase, phase_op_name[op], (long long)all->calls,
           units_seconds(mean, all->sum_s / (double)all->calls));
    put_quantile(report_quantile(all->hist, all->calls, 0.5, all->latency_max_s));
    put_quantile(report_quantile(all->hist, all->calls, 0.99, all->latency_max_s));
    put_quantile(all->latency_max_s);
    putchar('\n');
}

/* Prints the calls, if a rank makes many of them; for one open and close the
 * seconds suffice. */
static void put_ops(const struct model *m)
{
    static struct spread all;
    bool heading = false;
    for (int i = 0; i < m->samples; i++)
        for (int op = 0; op < PHASE_OPS; op++) {
            const struct sample *s = &m->sample[i];
            if (!s->op || s->at.name[0] || !is_first_alike(m, i))
                continue;
            add_op(&all, m, i, op);
            if (all.calls < 10LL * m->world->size * all.n || !all.n)
                continue;
            if (!heading)
                printf("\n%-16s %9s %8s %8s %8s %8s\n", "", "calls", "mean", "p50",
                       "p99", "max");
            heading = true;
            put_op(s->phase, op, &all);
        }
}

/* ---- end, continued ------------------------------------------------------------- */

static void put_stripes(const struct model_file *f)
{
    char size[16] = "unknown size", count[24] = "some";
    if (!f->stripe_bytes && !f->stripe_count)
        return;
    if (f->stripe_bytes > 0)
        units_bytes(size, f->stripe_bytes);
    if (f->stripe_count > 0)
        snprintf(count, sizeof count, "%lld", (long long)f->stripe_count);
    sink_text_put_line("stripes", "%s: %s of %s (%s)", f->role ? f->role : "", count,
                       size, f->stripe_about ? f->stripe_about : "");
}

static void put_checks(const struct model *m)
{
    const struct report_checks *c = &m->checks;
    char device[512] = "not known", resident[64] = "";
    if (c->by_group)
        snprintf(device, sizeof device, "by groups of nodes, above");
    else if (c->device_share >= 0)
        snprintf(device, sizeof device, "%.1f %% of the bytes read came from it",
                 100 * c->device_share);
    else if (c->below_share >= 0 && c->why)
        snprintf(device, sizeof device,
                 "not known: %.1f %% of the bytes read came from below the page cache, "
                 "from %s",
                 100 * c->below_share, c->why);
    if (c->resident_share >= 0 && !c->by_group)
        snprintf(resident, sizeof resident, "; in memory before reading: %.1f %%",
                 100 * c->resident_share);
    sink_text_put_line("device", "%s%s", device, resident);
    sink_text_put_line("verified", "%lld block%s, %lld wrong",
                       (long long)c->blocks_checked, units_s(c->blocks_checked),
                       (long long)c->blocks_bad);
}

static void put_warning(const struct model *m, const struct model_warning *w)
{
    bool armed = w->arm >= 0 && m->rounds;
    sink_text_put_line("warning", "%s%s%s", armed ? m->rounds->arm[w->arm].name : "",
                       armed ? ": " : "", w->text ? w->text : "");
}

void sink_text_close(struct model *m)
{
    if (m->quiet)
        return;
    if (!m->text.header && (m->samples || m->figures))
        put_header(m);
    if (m->valid && m->rounds)
        comparison_text(m);
    else if (m->valid) {
        put_transfers(m);
        put_ops(m);
        put_swept(m);
        put_figures(m);
    }
    if (m->text.header)
        putchar('\n');
    if (m->text.header)
        put_news(m);
    for (int i = 0; i < m->files; i++)
        put_stripes(&m->file[i]);
    if (m->checked)
        put_checks(m);
    for (int i = 0; i < m->warnings; i++)
        put_warning(m, &m->warning[i]);
    if (!m->valid) /* the reason is on stderr: the end of the program prints it */
        sink_text_put_line("failed",
                           "The run did not succeed, so no figures are given.");
    else if (m->json_path)
        sink_text_put_line("report", "%s", m->json_path);
    fflush(stdout);
}
