/* Prints text: the first look, at most 40 lines of 100 columns, most important first;
 * and each finding in full. */
#include "base/plain.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100
#define LOOK_FINDINGS 6
#define LOOK_CLASSES 6
#define LOOK_FILES 4
/* share of a rank's time; above it, the first look tells what is left out */
#define FOLD_SHARE 0.05
#define LOOK_RISKS 2

static void line(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a line that a terminal shows as one, whatever its text contains. */
static void line(FILE *out, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plain(text, sizeof text, text);
    size_t at = 0, columns = 0, cut = 0;
    while (text[at]) {
        int n = plain_utf8(&text[at]);
        at += n ? (size_t)n : 1;
        if (++columns == COLUMNS - 3)
            cut = at;
    }
    if (columns > COLUMNS) {
        snprintf(&text[cut], 4, "...");
    }
    fprintf(out, "%s\n", text);
}

/* Shortens a long name at its begin, as its end says more. */
static const char *short_name(char *out, size_t room, const char *name)
{
    size_t n = strlen(name);
    if (n < room)
        snprintf(out, room, "%s", name);
    else
        snprintf(out, room, "...%s", name + n - (room - 4));
    return out;
}

static const char *group_text(const struct findings *f, uint32_t group, size_t most,
                              char *out, size_t room)
{
    char name[4096], cut[128];
    if (group == NO_GROUP) {
        snprintf(out, room, "all files");
        return out;
    }
    group_name(f, group, name, sizeof name);
    short_name(cut, most < sizeof cut ? most : sizeof cut, name);
    if (f->group[group].files > 1)
        snprintf(out, room, "%s (%u file%s)", cut, f->group[group].files,
                 units_s(f->group[group].files));
    else
        snprintf(out, room, "%s", cut);
    return out;
}

/* ---- the first look --------------------------------------------------------- */

static void count_severities(const struct findings *f, int n[4])
{
    for (int i = 0; i < f->found; i++)
        if (f->finding[i].after < 0)
            n[f->finding[i].severity]++;
}

/* Returns the largest share of the run that an actor is in calls. */
static double io_share(const struct findings *f)
{
    double worst = 0;
    for (uint32_t i = 0; i < f->actors && f->wall_ns > 0; i++) {
        double share = (double)f->actor[i].io_ns / (double)f->wall_ns;
        worst = f->actor[i].scope && share > worst ? share : worst;
    }
    return worst;
}

const char *verdict_text(const struct findings *f, char *out, size_t room)
{
    int n[4] = {0}, judged = IDS;
    count_severities(f, n);
    for (int i = 0; i < IDS; i++)
        judged -= f->why_not[i] != NULL;
    double share = f->io_ns > 0 ? 100 * f->covered_ns / f->io_ns : 0;
    if (judged == 0)
        snprintf(out, room, "nothing judged: %s", f->why_not[0]);
    else if (n[1] + n[2] + n[3] == 0 && io_share(f) > limit_of(UNEXPLAINED_SHARE))
        snprintf(out, room,
                 "no finding: %.0f %% of the time is in large transfers or few calls; "
                 "%d of %d findings judged",
                 100 * io_share(f), judged, IDS);
    else if (n[1] + n[2] + n[3] == 0)
        snprintf(
            out, room,
            "nothing found that costs 0.5 %% of the time; %d of %d findings judged",
            judged, IDS);
    else
        snprintf(out, room,
                 "%d high, %d medium, %d low: findings cover %.0f %% of the I/O time",
                 n[3], n[2], n[1], share);
    return out;
}

/* Lists types such as ", files on ext4, nfs4", as far as the logs tell them. */
static const char *types_text(const struct findings *f, char *out, size_t room)
{
    size_t at = 0;
    *out = 0;
    for (uint32_t i = 0; i < f->files; i++) {
        const struct file *x = &f->file[i];
        if (x->sharers && *x->type && !strstr(out, x->type) &&
            at + sizeof x->type + 12 < room)
            at += (size_t)snprintf(out + at, room - at, "%s%s",
                                   at ? ", " : ", files on ", x->type);
    }
    return out;
}

static void look_head(const struct findings *f, FILE *out)
{
    char verdict[160], wall[16], io[16], where[64] = "", run[96], types[64];
    char cores[32] = "";
    double worst = 0;
    const struct actor *first = NULL;
    if (f->cores)
        snprintf(cores, sizeof cores, ", %d core%s to use%s", f->cores,
                 units_s(f->cores), f->hosts > 1 ? " on each" : "");
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (!a->scope)
            continue;
        first = first ? first : a;
        if ((double)a->io_ns > worst)
            worst = (double)a->io_ns;
    }
    if (f->hosts)
        snprintf(where, sizeof where, " on %d host%s%s", f->hosts, units_s(f->hosts),
                 cores);
    line(out, "verdict   %s", verdict_text(f, verdict, sizeof verdict));
    int n = scope_actors(f);
    line(out, "program   %s: %d %s%s%s; run %s", first ? first->program : "-", n,
         f->ranks ? "rank" : "process",
         n == 1     ? ""
         : f->ranks ? "s"
                    : "es",
         where, short_name(run, 40, f->run.path));
    line(out, "time      %s%s, of which the worst %s is in I/O for %.1f %%",
         f->wall_ns > 0 ? units_seconds(wall, (double)f->wall_ns * 1e-9) : "not known",
         f->ranks ? " from MPI_Init to MPI_Finalize" : "",
         f->ranks ? "rank" : "process",
         f->wall_ns > 0 ? 100 * worst / (double)f->wall_ns : 0);
    line(out, "I/O       %s of all %s together, %llu event%s%s",
         units_seconds(io, f->io_ns * 1e-9), f->ranks ? "ranks" : "processes",
         (unsigned long long)f->events, units_s(f->events),
         types_text(f, types, sizeof types));
}

static void look_finding(const struct findings *f, const struct finding *x, FILE *out)
{
    char ranks[24], file[160], gain[16], more[40] = "";
    ranks_text(f, x, ranks, sizeof ranks);
    for (int i = 0, n = 0; i < f->found; i++)
        if (f->finding[i].after == (int)(x - f->finding)) {
            n++;
            snprintf(more, sizeof more, " (and %d more of the same)", n);
        }
    line(out, "%-7s %s: %s %s, %s", severity_name(x->severity), finding_kind[x->id].id,
         f->ranks ? x->members > 1 ? "ranks" : "rank" : "process", ranks,
         group_text(f, x->group, 50, file, sizeof file));
    line(out, "        %s%s %.1f %% of the time: %s%s", x->gain_known ? "" : "at most ",
         units_seconds(gain, x->worst_gain_ns * 1e-9), 100 * x->share, x->sentence,
         more);
}

static void look_findings(const struct findings *f, FILE *out)
{
    int shown = 0, more = 0, below = 0;
    for (int i = 0; i < f->found; i++) {
        const struct finding *x = &f->finding[i];
        if (x->after >= 0)
            continue;
        if (x->severity == SEVERITY_BELOW)
            below++;
        else if (shown < LOOK_FINDINGS) {
            look_finding(f, x, out);
            shown++;
        } else
            more++;
    }
    if (more || below)
        line(out,
             "        %s%s%d more below 0.5 %% of the time: iotrace findings tells",
             more ? "more of the above kinds" : "", more ? ", " : "", below);
}

static void look_risks(const struct findings *f, FILE *out)
{
    char ranks[24], file[160];
    for (int i = 0; i < f->risks && i < LOOK_RISKS; i++) {
        const struct finding *x = &f->finding[f->found + i];
        line(out, "risk    %s: %s %s, %s: %s", finding_kind[x->id].id,
             f->ranks ? x->members > 1 ? "ranks" : "rank" : "process",
             ranks_text(f, x, ranks, sizeof ranks),
             group_text(f, x->group, 30, file, sizeof file), x->sentence);
    }
    if (f->risks > LOOK_RISKS)
        line(out, "        %d more risks: iotrace findings tells",
             f->risks - LOOK_RISKS);
}

/* Returns a sentence about what was not seen; the last is the figure. */
static const char *look_sentence(const struct unseen *u, int i, char one[UNSEEN_SIZE])
{
    const char *text = unseen_text(u, i, one);
    if (text)
        return text;
    return i == 0 || unseen_text(u, i - 1, one) ? unseen_figure(u, one) : NULL;
}

/* Prints what was not seen, on two lines at most: the most important comes first. */
static void look_unseen(const struct findings *f, FILE *out)
{
    char text[2 * COLUMNS + 3 * UNSEEN_SIZE], one[UNSEEN_SIZE];
    size_t at = 0, begin = 0;
    const char *say;
    for (int i = 0; at - begin < COLUMNS && (say = look_sentence(&f->unseen, i, one));
         i++) {
        if (i && !begin && at + strlen(say) + sizeof "unseen    ; " > COLUMNS) {
            line(out, "unseen    %s;", text);
            begin = at;
        } else if (i)
            at += (size_t)sprintf(text + at, "; ");
        at += (size_t)sprintf(text + at, "%s", say);
    }
    line(out, "%s%s", begin ? "          " : "unseen    ", text + begin);
}

static void look_unjudged(const struct findings *f, FILE *out)
{
    char text[1024] = "";
    size_t at = 0;
    for (int i = 0; i < IDS && at < sizeof text - 1; i++)
        if (f->why_not[i])
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? ", " : "",
                                   finding_kind[i].id);
    if (at)
        line(out, "unjudged  %s", text);
}

/* Finds the time of all threads, and the mean and worst share of a kind in the ranks'
 * time. */
static void kind_shares(const struct findings *f, int kind, double *ns, double *mean,
                        double *worst, uint32_t *who)
{
    int n = 0;
    *ns = *mean = *worst = 0;
    *who = 0;
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        double v = (double)a->kind_ns[kind] / actor_at_once(a);
        if (!a->scope)
            continue;
        n++;
        *ns += (double)a->kind_ns[kind];
        *mean += v;
        if (v > *worst) {
            *worst = v;
            *who = i;
        }
    }
    double wall = f->wall_ns > 0 ? (double)f->wall_ns : 1;
    *mean = n ? *mean / n / wall : 0;
    *worst /= wall;
}

struct kind_row {
    double ns, mean, worst;
    uint32_t who;
    int kind;
};

static int by_ns(const void *a, const void *b)
{
    const struct kind_row *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->kind - y->kind;
}

static void look_classes(const struct findings *f, FILE *out)
{
    struct kind_row row[KINDS] = {{0}};
    int n = 0;
    for (int k = 0; k < KINDS; k++) {
        struct kind_row r = {.kind = k};
        kind_shares(f, k, &r.ns, &r.mean, &r.worst, &r.who);
        if (f->kind_sum[k].calls || r.ns != 0)
            row[n++] = r;
    }
    qsort(row, (size_t)n, sizeof *row, by_ns);
    if (n)
        line(out, "%-9s %12s %11s %10s %9s %9s", "time in", "calls", "bytes", "time",
             "mean", "worst");
    for (int i = 0; i < n && i < LOOK_CLASSES; i++) {
        char time[16], bytes[16];
        const struct kind_row *r = &row[i];
        line(out, "  %-7s %12lld %11s %10s %7.1f %% %7.1f %%  (%s %d)",
             kind_name[r->kind], (long long)f->kind_sum[r->kind].calls,
             units_bytes(bytes, f->kind_sum[r->kind].bytes),
             units_seconds(time, r->ns * 1e-9), 100 * r->mean, 100 * r->worst,
             f->ranks ? "rank" : "process",
             f->ranks ? f->actor[r->who].rank : f->actor[r->who].pid);
    }
}

static void look_files(const struct findings *f, FILE *out)
{
    uint32_t n;
    struct group_sum *g = group_sums(f, &n);
    char name[160], time[16], rd[16], wr[16], ranks[24];
    int count;
    if (g && n)
        line(out, "%-44s %9s %10s %10s %9s  %s", "files, by time", "time", "read",
             "written", "metadata", f->ranks ? "ranks" : "processes");
    for (uint32_t i = 0; g && i < n && i < LOOK_FILES; i++)
        line(out, "  %-42s %9s %10s %10s %9lld  %s",
             group_text(f, g[i].group, 30, name, sizeof name),
             units_seconds(time, (double)g[i].ns * 1e-9),
             units_bytes(rd, g[i].asked[0].bytes), units_bytes(wr, g[i].asked[1].bytes),
             (long long)g[i].meta.calls,
             ranks_of_group(f, g[i].group, ranks, 12, &count));
    if (g && n > LOOK_FILES)
        line(out, "  ... and %u more: iotrace summary --files", n - LOOK_FILES);
    free(g);
}

static void look_rank(const struct findings *f, const char *which, uint32_t i,
                      FILE *out)
{
    const struct actor *a = &f->actor[i];
    char io[16], rd[16], wr[16];
    line(out, "%-9s %s %d on %s: %s in I/O, %s read, %s written, %lld call%s", which,
         f->ranks ? "rank" : "process", f->ranks ? a->rank : a->pid,
         *a->host ? a->host : "-", units_seconds(io, (double)a->io_ns * 1e-9),
         units_bytes(rd, a->bytes[0]), units_bytes(wr, a->bytes[1]),
         (long long)a->calls, units_s(a->calls));
}

/* Prints the rank with most time in I/O, and the one with least. */
static void look_ranks(const struct findings *f, FILE *out)
{
    uint32_t most = 0, least = 0;
    int n = 0;
    for (uint32_t i = 0; i < f->actors; i++) {
        if (!f->actor[i].scope)
            continue;
        if (n++ == 0)
            most = least = i;
        if (f->actor[i].io_ns > f->actor[most].io_ns)
            most = i;
        if (f->actor[i].io_ns < f->actor[least].io_ns)
            least = i;
    }
    if (n == 0)
        return;
    look_rank(f, n > 1 ? "longest" : "all", most, out);
    if (n > 1)
        look_rank(f, "shortest", least, out);
}

/* Returns the largest share of a rank's time in a kind of calls that are left out;
 * MPI_Init and MPI_Finalize are not part of that. */
static double worst_fold(const struct findings *f, int kind)
{
    const struct folded *x = &f->fold[kind];
    int64_t worst = 0;
    if (kind == FOLD_INIT)
        return 0;
    for (uint32_t i = 0; x->by_actor && i < f->actors; i++)
        if (f->actor[i].scope && x->by_actor[i] > worst)
            worst = x->by_actor[i];
    return f->wall_ns > worst ? (double)worst / (double)f->wall_ns : 1;
}

static void look_folded(const struct findings *f, FILE *out)
{
    char text[512] = "", bytes[16], time[16], share[48];
    struct folded all = {0};
    size_t at = 0;
    for (int k = 1; k < FOLDS && at < sizeof text - 1; k++) {
        const struct folded *x = &f->fold[k];
        double worst = worst_fold(f, k);
        if (!x->calls)
            continue;
        all.calls += x->calls;
        log_sum(&all.bytes, x->bytes);
        log_sum(&all.ns, x->ns);
        snprintf(share, sizeof share, worst > FOLD_SHARE ? " (%.0f %%)" : "",
                 100 * worst);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s", at ? ", " : "",
                               fold_name[k], share);
    }
    if (at)
        line(out, "left out  %lld call%s, %s, %s: %s", (long long)all.calls,
             units_s(all.calls), units_bytes(bytes, all.bytes),
             units_seconds(time, (double)all.ns * 1e-9), text);
}

static void look_notes(const struct findings *f, FILE *out)
{
    char more[32] = "";
    if (f->notes > 1)
        snprintf(more, sizeof more, " (and %d more)", f->notes - 1);
    if (f->notes)
        line(out, "note      %s%s", f->note[0].text, more);
}

void findings_look(const struct findings *f, FILE *out)
{
    look_head(f, out);
    look_findings(f, out);
    look_risks(f, out);
    look_unseen(f, out);
    look_unjudged(f, out);
    look_classes(f, out);
    look_files(f, out);
    look_ranks(f, out);
    look_folded(f, out);
    look_notes(f, out);
    line(out,
         "more: iotrace findings RUN, iotrace report RUN, iotrace summary --all; other "
         "ways: leadline whatif");
}

/* ---- in full ---------------------------------------------------------------- */

static void put_conditions(const struct finding *x, FILE *out)
{
    for (int i = 0; i < x->conditions; i++) {
        const struct condition *c = &x->condition[i];
        char value[32], limit[32], v16[16], l16[16];
        if (!strcmp(c->unit, "share")) {
            snprintf(value, sizeof value, "%.1f %%", 100 * c->value);
            snprintf(limit, sizeof limit, "%.0f %%", 100 * c->limit);
        } else if (!strcmp(c->unit, "bytes")) {
            snprintf(value, sizeof value, "%s", units_bytes(v16, (int64_t)c->value));
            snprintf(limit, sizeof limit, "%s", units_bytes(l16, (int64_t)c->limit));
        } else if (!strcmp(c->unit, "s")) {
            snprintf(value, sizeof value, "%s", units_seconds(v16, c->value));
            snprintf(limit, sizeof limit, "%s", units_seconds(l16, c->limit));
        } else {
            snprintf(value, sizeof value, "%.0f", c->value);
            snprintf(limit, sizeof limit, "%.0f", c->limit);
        }
        fprintf(out, "    %-10s %s (%s %s) %s\n", i ? "" : "because", value,
                c->relation, limit, c->what);
    }
}

static void put_cost(const struct findings *f, const struct finding *x, FILE *out)
{
    char at[16], gain[16], most[16], worst[16];
    units_seconds(at, (double)x->v.ns * 1e-9);
    fprintf(out, "    %-10s ", "cost");
    if (x->most_ns > 0)
        fprintf(out, "%s of %s at stake, or %s if the device limits operations; ",
                units_seconds(gain, x->gain_ns * 1e-9), at,
                units_seconds(most, x->most_ns * 1e-9));
    else if (x->gain_known)
        fprintf(out, "%s of %s at stake; ", units_seconds(gain, x->gain_ns * 1e-9), at);
    else
        fprintf(out, "at most %s at stake; ", at);
    fprintf(out, "%s %d loses most: %s, %.2f %% of the time\n",
            f->ranks ? "rank" : "process",
            f->ranks ? f->actor[x->worst].rank : f->actor[x->worst].pid,
            units_seconds(worst, x->worst_gain_ns * 1e-9), 100 * x->share);
}

static void put_events(const struct findings *f, const struct evidence *v, FILE *out)
{
    char bytes[16], from[16], to[16];
    fprintf(out, "    %-10s %lld call%s, %s, from %s to %s; numbers %llu, %llu, %llu\n",
            "events", (long long)v->calls, units_s(v->calls),
            units_bytes(bytes, v->bytes),
            units_seconds(from, (double)(v->first_ns - f->begin_ns) * 1e-9),
            units_seconds(to, (double)(v->last_ns - f->begin_ns) * 1e-9),
            (unsigned long long)v->seq[0], (unsigned long long)v->seq[1],
            (unsigned long long)v->seq[2]);
}

static void put_finding(const struct findings *f, const struct finding *x, FILE *out)
{
    char ranks[256], file[4096], text[4096];
    const struct evidence *v = &x->v;
    bool risk = finding_kind[x->id].risk;
    group_text(f, x->group, 120, file, sizeof file);
    fprintf(out, "%s: %s: %s\n", risk ? "risk" : severity_name(x->severity),
            finding_kind[x->id].id, finding_kind[x->id].title);
    if (x->after >= 0)
        fprintf(out, "    %-10s %s, whose events these are\n", "after",
                finding_kind[f->finding[x->after].id].id);
    fprintf(out, "    %-10s %s; %s %s\n", "where", plain(text, sizeof text, file),
            f->ranks ? "ranks" : "processes", ranks_text(f, x, ranks, sizeof ranks));
    fprintf(out, "    %-10s %s\n", "what", x->sentence);
    if (!risk)
        put_cost(f, x, out);
    put_conditions(x, out);
    if (v->calls)
        put_events(f, v, out);
    fprintf(out, "    %-10s %s\n\n", "remedy", finding_remedy(x));
}

static void put_not_found(const struct findings *f, FILE *out)
{
    bool found[IDS], any = false;
    findings_which(f, found);
    for (int i = 0; i < IDS; i++)
        if (!found[i] && !f->why_not[i] && !f->not_asked[i]) {
            fprintf(out, "%s %s", any ? "," : "not found:", finding_kind[i].id);
            any = true;
        }
    if (any)
        fputc('\n', out);
    for (int i = 0; i < IDS; i++)
        if (!found[i] && f->why_not[i] && !f->not_asked[i])
            fprintf(out, "not judged: %s, because %s\n", finding_kind[i].id,
                    f->why_not[i]);
}

void findings_text(const struct findings *f, FILE *out)
{
    char verdict[160], text[PLAIN_PATH], one[UNSEEN_SIZE];
    fprintf(out, "%s\n\n", verdict_text(f, verdict, sizeof verdict));
    for (int i = 0; i < f->found + f->risks; i++)
        put_finding(f, &f->finding[i], out);
    put_not_found(f, out);
    for (int i = 0; unseen_text(&f->unseen, i, one); i++)
        fprintf(out, "unseen: %s\n", plain(text, sizeof text, one));
    fprintf(out, "unseen: %s\n", unseen_figure(&f->unseen, one));
    for (int i = 0; i < f->notes; i++)
        fprintf(out, "note: %s: %s\n", plain(text, sizeof text, f->note[i].log),
                f->note[i].text);
}
