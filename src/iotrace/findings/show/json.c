/* Writes everything as JSON: leadline-iotrace-findings, version 1. Times are in
 * seconds, moments in seconds after begin_s. */
#include "base/format/json.h"
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

#define FILES_MOST 200
#define RANKS_MOST 64
#define SERIES_MOST 256

static double seconds(double ns)
{
    return ns * 1e-9;
}

static double moment(const struct findings *f, int64_t ns)
{
    return ns ? (double)(ns - f->begin_ns) * 1e-9 : 0;
}

static void put_known(struct json *j, const char *key, int64_t value)
{
    if (value)
        json_int(j, key, value);
    else
        json_null(j, key);
}

static void put_texts(struct json *j, const char *key, const char *text)
{
    if (text && *text)
        json_text(j, key, text);
    else
        json_null(j, key);
}

static void put_options(struct json *j, const struct findings_ask *a)
{
    json_object(j, "options");
    json_real(j, "floor_s", a->floor_s);
    put_known(j, "small_bytes", a->small_bytes);
    put_known(j, "block_bytes", a->block_bytes);
    put_known(j, "lock_bytes", a->lock_bytes);
    json_text(j, "client", a->client);
    json_bool(j, "all", a->all);
    if (a->rank >= 0)
        json_int(j, "rank", a->rank);
    else
        json_null(j, "rank");
    json_array_flat(j, "file");
    for (int i = 0; i < a->file.n; i++)
        json_text(j, NULL, a->file.item[i]);
    json_end_array(j);
    put_texts(j, "phase", a->phase);
    put_texts(j, "process", a->process);
    json_end_object(j);
}

static void findings_put_head(struct json *j, const struct findings *f)
{
    const struct actor *first = NULL;
    for (uint32_t i = 0; i < f->actors && !first; i++)
        if (f->actor[i].scope)
            first = &f->actor[i];
    json_text(j, "schema", "leadline-iotrace-findings");
    json_int(j, "schema_version", 1);
    json_text(j, "run", f->run.path);
    json_text(j, "program", first ? first->program : "");
    json_text(j, "command", first ? *first->argv ? first->argv : first->app : "");
    json_real(j, "begin_s", seconds((double)f->begin_ns));
    json_real(j, "wall_s", seconds((double)f->wall_ns));
    json_int(j, "rank_count", f->ranks ? scope_actors(f) : 0);
    json_int(j, "process_count", f->processes);
    json_array_flat(j, "hosts");
    for (uint32_t i = 0; i < f->actors; i++)
        if (f->actor[i].client == i && f->actor[i].scope)
            json_text(j, NULL, f->actor[i].host);
    json_end_array(j);
    put_known(j, "cores", f->cores);
    put_options(j, &f->ask);
}

static void put_verdict(struct json *j, const struct findings *f)
{
    char text[160];
    int n[4] = {0}, not_judged = 0;
    for (int i = 0; i < f->found; i++)
        if (f->finding[i].after < 0)
            n[f->finding[i].severity]++;
    for (int i = 0; i < IDS; i++)
        not_judged += f->why_not[i] != NULL;
    json_object(j, "verdict");
    json_text(j, "text", verdict_text(f, text, sizeof text));
    json_int(j, "high", n[SEVERITY_HIGH]);
    json_int(j, "medium", n[SEVERITY_MEDIUM]);
    json_int(j, "low", n[SEVERITY_LOW]);
    json_int(j, "below", n[SEVERITY_BELOW]);
    json_int(j, "risks", f->risks);
    json_int(j, "not_judged", not_judged);
    json_real(j, "io_s", seconds(f->io_ns));
    json_real(j, "covered_s", seconds(f->covered_ns));
    json_real(j, "covered_share", f->io_ns > 0 ? f->covered_ns / f->io_ns : 0);
    json_end_object(j);
}

static void put_classes(struct json *j, const struct findings *f)
{
    int n = scope_actors(f);
    double wall = f->wall_ns > 0 ? (double)f->wall_ns : 1;
    json_array(j, "classes");
    for (int k = 0; k < KINDS; k++) {
        double ns = 0, mean = 0, worst = 0;
        uint32_t who = 0;
        for (uint32_t i = 0; i < f->actors; i++) {
            const struct actor *a = &f->actor[i];
            double v = a->scope ? (double)a->kind_ns[k] / actor_at_once(a) : 0;
            ns += a->scope ? (double)a->kind_ns[k] : 0;
            mean += v;
            if (v > worst) {
                worst = v;
                who = i;
            }
        }
        if (!f->kind_sum[k].calls && ns == 0)
            continue;
        json_object_flat(j, NULL);
        json_text(j, "class", kind_name[k]);
        json_int(j, "calls", f->kind_sum[k].calls);
        json_int(j, "bytes", f->kind_sum[k].bytes);
        json_real(j, "seconds", seconds(ns));
        json_real(j, "mean_share", n ? mean / n / wall : 0);
        json_real(j, "worst_share", worst / wall);
        json_int(j, "worst_rank", f->actors ? f->actor[who].rank : -1);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_group(struct json *j, const struct findings *f, uint32_t group)
{
    char name[4096] = "";
    const struct group *g = group == NO_GROUP ? NULL : &f->group[group];
    json_text(j, "file", g ? group_name(f, group, name, sizeof name) : "");
    json_int(j, "file_count", g ? g->files : 0);
    json_array(j, "files");
    for (uint32_t i = 0; g && i < g->files && i < 4; i++)
        json_text(j, NULL, names_get(&f->names, g->sample[i]));
    json_end_array(j);
}

static void put_who(struct json *j, const struct findings *f, const struct finding *x)
{
    char text[512];
    for (int pids = 0; pids < 2; pids++) {
        json_array_flat(j, pids ? "processes" : "ranks");
        for (int i = 0; i < x->members && i < RANKS_MOST && f->ranks == !pids; i++) {
            const struct actor *a = &f->actor[x->member[i].actor];
            json_int(j, NULL, pids ? a->pid : a->rank);
        }
        json_end_array(j);
    }
    json_text(j, "ranks_text", ranks_text(f, x, text, sizeof text));
    json_array_flat(j, "hosts");
    for (uint32_t h = 0; h < f->actors; h++)
        for (int i = 0; i < x->members; i++)
            if (f->actor[x->member[i].actor].client == h) {
                json_text(j, NULL, f->actor[h].host);
                break;
            }
    json_end_array(j);
}

static void put_conditions(struct json *j, const struct finding *x)
{
    json_array(j, "condition");
    for (int i = 0; i < x->conditions; i++) {
        const struct condition *c = &x->condition[i];
        json_object_flat(j, NULL);
        json_text(j, "what", c->what);
        json_real(j, "value", c->value);
        json_text(j, "relation", c->relation);
        json_real(j, "limit", c->limit);
        json_text(j, "unit", c->unit);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Compares by time. The gain would tell less: by the fit, equal calls gain the same,
 * however long they took. */
static int members_by_time(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->v.ns != y->v.ns)
        return x->v.ns > y->v.ns ? -1 : 1;
    return x->actor < y->actor ? -1 : x->actor > y->actor;
}

static void put_series(struct json *j, const struct findings *f,
                       const struct finding *x)
{
    struct member *m = calloc((size_t)x->members + 1, sizeof *m);
    if (m) {
        memcpy(m, x->member, (size_t)x->members * sizeof *m);
        qsort(m, (size_t)x->members, sizeof *m, members_by_time);
    }
    json_array(j, "series");
    for (int i = 0; m && i < x->members && i < SERIES_MOST; i++) {
        const struct actor *a = &f->actor[m[i].actor];
        json_object_flat(j, NULL);
        json_int(j, "rank", f->ranks ? a->rank : a->pid);
        json_real(j, "seconds", seconds((double)m[i].v.ns));
        json_real(j, "gain_s", seconds(m[i].gain_ns));
        json_int(j, "calls", m[i].v.calls);
        json_int(j, "bytes", m[i].v.bytes);
        json_real(j, "first_s", moment(f, m[i].v.first_ns));
        json_real(j, "last_s", moment(f, m[i].v.last_ns));
        json_end_object(j);
    }
    json_end_array(j);
    free(m);
}

static void put_also(struct json *j, const struct findings *f, const struct finding *x)
{
    json_array_flat(j, "also");
    for (int i = 0; i < f->found; i++)
        if (f->finding[i].after == (int)(x - f->finding))
            json_text(j, NULL, finding_kind[f->finding[i].id].id);
    json_end_array(j);
    json_text(j, "after", x->after < 0 ? "" : finding_kind[f->finding[x->after].id].id);
}

static void put_cost(struct json *j, const struct findings *f, const struct finding *x)
{
    const struct evidence *v = &x->v;
    int64_t median = x->median_bytes        ? x->median_bytes
                     : v->calls && v->bytes ? v->bytes / v->calls
                                            : 0;
    json_real(j, "at_stake_s", seconds((double)v->ns));
    if (x->gain_known)
        json_real(j, "gain_s", seconds(x->gain_ns));
    else
        json_null(j, "gain_s");
    if (x->most_ns > 0)
        json_real(j, "gain_most_s", seconds(x->most_ns));
    json_int(j, "worst_rank", f->actor[x->worst].rank);
    json_real(j, "worst_gain_s", seconds(x->worst_gain_ns));
    json_real(j, "share_of_wall", x->share);
    json_real(j, "first_s", moment(f, v->first_ns));
    json_real(j, "last_s", moment(f, v->last_ns));
    json_int(j, "calls", v->calls);
    json_int(j, "bytes", v->bytes);
    json_int(j, "median_bytes", median);
}

static void put_what(struct json *j, const struct findings *f, const struct finding *x)
{
    json_text(j, "id", finding_kind[x->id].id);
    json_text(j, "title", finding_kind[x->id].title);
    json_text(j, "sentence", x->sentence);
    put_group(j, f, x->group);
    json_text(j, "remedy", finding_remedy(x));
}

static void put_events(struct json *j, const struct finding *x)
{
    json_array_flat(j, "events");
    for (int i = 0; i < 3; i++)
        json_unsigned(j, NULL, x->v.seq[i]);
    json_end_array(j);
}

static void put_risk(struct json *j, const struct findings *f, const struct finding *x)
{
    json_object(j, NULL);
    put_what(j, f, x);
    put_who(j, f, x);
    json_real(j, "first_s", moment(f, x->v.first_ns));
    json_real(j, "last_s", moment(f, x->v.last_ns));
    json_int(j, "calls", x->v.calls);
    json_int(j, "bytes", x->v.bytes);
    put_events(j, x);
    json_end_object(j);
}

static void put_finding(struct json *j, const struct findings *f,
                        const struct finding *x)
{
    static const char *const direction[] = {"", "read", "write"};
    json_object(j, NULL);
    put_what(j, f, x);
    json_text(j, "severity", severity_name(x->severity));
    json_text(j, "direction", direction[x->direction + 1]);
    put_who(j, f, x);
    put_cost(j, f, x);
    put_conditions(j, x);
    put_events(j, x);
    put_also(j, f, x);
    put_series(j, f, x);
    json_end_object(j);
}

static void put_judged(struct json *j, const struct findings *f)
{
    bool found[IDS];
    findings_which(f, found);
    json_array_flat(j, "not_found");
    for (int i = 0; i < IDS; i++)
        if (!found[i] && !f->why_not[i] && !f->not_asked[i])
            json_text(j, NULL, finding_kind[i].id);
    json_end_array(j);
    json_array(j, "not_judged");
    for (int i = 0; i < IDS; i++)
        if (!found[i] && f->why_not[i] && !f->not_asked[i]) {
            json_object_flat(j, NULL);
            json_text(j, "id", finding_kind[i].id);
            json_text(j, "because", f->why_not[i]);
            json_end_object(j);
        }
    json_end_array(j);
    json_array(j, "unseen");
    char text[UNSEEN_SIZE];
    for (int i = 0; unseen_text(&f->unseen, i, text); i++)
        json_text(j, NULL, text);
    json_end_array(j);
    unseen_json(&f->unseen, j);
}

static void put_folded(struct json *j, const struct findings *f)
{
    json_array(j, "folded");
    for (int k = 1; k < FOLDS; k++) {
        const struct folded *x = &f->fold[k];
        int64_t worst = 0, files = 0;
        if (!x->calls)
            continue;
        for (uint32_t i = 0; x->by_actor && i < f->actors; i++)
            worst = x->by_actor[i] > worst ? x->by_actor[i] : worst;
        for (uint32_t i = 0; i < f->files; i++)
            files += f->file[i].fold == k;
        json_object_flat(j, NULL);
        json_text(j, "what", fold_name[k]);
        json_int(j, "files", files);
        json_int(j, "calls", x->calls);
        json_int(j, "bytes", x->bytes);
        json_real(j, "seconds", seconds((double)x->ns));
        json_real(j, "worst_share",
                  f->wall_ns > worst ? (double)worst / (double)f->wall_ns : 1);
        json_end_object(j);
    }
    json_end_array(j);
}

/* ---- files ------------------------------------------------------------------ */

static void put_evidence(struct json *j, const char *key, const struct evidence *v)
{
    json_object_flat(j, key);
    json_int(j, "calls", v->calls);
    json_int(j, "bytes", v->bytes);
    json_real(j, "seconds", seconds((double)v->ns));
    json_end_object(j);
}

struct leaves { /* leaves of a group in one direction */
    int64_t calls[64], ns[64], order[ORDERS];
};

static struct leaves leaves_of(const struct findings *f, uint32_t group, int write)
{
    struct leaves l = {.calls = {0}};
    for (uint32_t i = 0; i < f->cells; i++) {
        const struct side *s = f->cell[i].side[write];
        if (!s || f->file[f->cell[i].file].group != group)
            continue;
        for (int k = 0; k < s->bins; k++) {
            l.calls[s->bin[k].power] += s->bin[k].v.calls;
            l.ns[s->bin[k].power] += s->bin[k].v.ns;
            for (int o = 0; o < ORDERS; o++)
                l.order[o] += s->bin[k].order[o];
        }
    }
    return l;
}

static void put_pattern(struct json *j, const char *key, const struct leaves *l)
{
    static const char *const name[ORDERS] = {"sequential", "strided", "random"};
    double n = (double)(l->order[0] + l->order[1] + l->order[2]);
    if (n <= 0) {
        json_null(j, key);
        return;
    }
    json_object_flat(j, key);
    for (int o = 0; o < ORDERS; o++)
        json_real(j, name[o], (double)l->order[o] / n);
    json_end_object(j);
}

static void put_sizes(struct json *j, const char *key, const struct leaves *l)
{
    json_array_flat(j, key);
    for (int p = 0; p < 62; p++)
        if (l->calls[p]) {
            json_array_flat(j, NULL);
            json_int(j, NULL, ((int64_t)2 << p) - 1);
            json_int(j, NULL, l->calls[p]);
            json_real(j, NULL, seconds((double)l->ns[p]));
            json_end_array(j);
        }
    json_end_array(j);
}

static void put_leaves(struct json *j, const struct findings *f, uint32_t group)
{
    struct leaves read = leaves_of(f, group, 0), write = leaves_of(f, group, 1);
    json_object(j, "patterns");
    put_pattern(j, "read", &read);
    put_pattern(j, "write", &write);
    json_end_object(j);
    json_object(j, "sizes");
    put_sizes(j, "read", &read);
    put_sizes(j, "write", &write);
    json_end_object(j);
}

static const struct file *file_of_group(const struct findings *f, uint32_t group)
{
    for (uint32_t i = 0; i < f->files; i++)
        if (f->file[i].group == group)
            return &f->file[i];
    return NULL;
}

static void put_group_sum(struct json *j, const struct findings *f,
                          const struct group_sum *g)
{
    char name[4096], ranks[512];
    int count;
    const struct file *x = file_of_group(f, g->group);
    json_object(j, NULL);
    json_text(j, "name", group_name(f, g->group, name, sizeof name));
    json_int(j, "count", f->group[g->group].files);
    json_text(j, "ranks_text",
              ranks_of_group(f, g->group, ranks, sizeof ranks, &count));
    json_int(j, "rank_count", count);
    put_texts(j, "file_system", x ? x->type : NULL);
    put_known(j, "block_bytes", x ? x->block_bytes : 0);
    put_known(j, "lock_bytes", x ? x->lock_bytes : 0);
    json_real(j, "seconds", seconds((double)g->ns));
    json_object(j, "asked");
    put_evidence(j, "read", &g->asked[0]);
    put_evidence(j, "write", &g->asked[1]);
    put_evidence(j, "meta", &g->meta);
    json_end_object(j);
    json_object(j, "done");
    put_evidence(j, "read", &g->done[0]);
    put_evidence(j, "write", &g->done[1]);
    json_end_object(j);
    json_int(j, "opens", g->opens);
    json_int(j, "stats", g->stats);
    json_int(j, "seeks", g->seeks);
    json_int(j, "syncs", g->syncs);
    put_leaves(j, f, g->group);
    json_end_object(j);
}

static void findings_put_files(struct json *j, const struct findings *f)
{
    uint32_t n;
    struct group_sum *g = group_sums(f, &n);
    json_array(j, "files");
    for (uint32_t i = 0; g && i < n && i < FILES_MOST; i++)
        put_group_sum(j, f, &g[i]);
    json_end_array(j);
    json_int(j, "file_groups", n);
    free(g);
}

/* ---- ranks ------------------------------------------------------------------ */

static void put_ranks(struct json *j, const struct findings *f)
{
    json_array(j, "ranks");
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (!a->scope)
            continue;
        json_object_flat(j, NULL);
        json_int(j, "rank", a->rank);
        json_int(j, "pid", a->pid);
        json_text(j, "host", a->host);
        json_text(j, "program", a->program);
        json_real(j, "wall_s", seconds((double)(a->end_ns - a->begin_ns)));
        json_real(j, "begin_s", moment(f, a->begin_ns));
        json_real(j, "end_s", moment(f, a->end_ns));
        json_real(j, "io_s", seconds((double)a->io_ns));
        json_int(j, "bytes_read", a->bytes[0]);
        json_int(j, "bytes_written", a->bytes[1]);
        json_int(j, "calls", a->calls);
        json_object_flat(j, "classes");
        for (int k = 0; k < KINDS; k++)
            if (a->kind_ns[k])
                json_real(j, kind_name[k], seconds((double)a->kind_ns[k]));
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_moments(struct json *j, const struct findings *f)
{
    json_array(j, "phases");
    for (int i = 0; i < f->phases; i++) {
        json_object_flat(j, NULL);
        json_text(j, "name", f->ask.phase ? f->ask.phase : "");
        json_real(j, "first_s", moment(f, f->phase[i].first_ns));
        json_real(j, "last_s", moment(f, f->phase[i].last_ns));
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_fits(struct json *j, const struct findings *f)
{
    json_array(j, "small");
    for (int i = 0; i < f->fits; i++) {
        const struct fit *t = &f->fit[i];
        json_object_flat(j, NULL);
        put_texts(j, "file_system", t->type);
        json_text(j, "direction", t->write ? "write" : "read");
        json_int(j, "small_below_bytes", t->small_bytes);
        if (t->fits) {
            json_real(j, "startup_s", seconds(t->startup_ns));
            json_real(j, "rate_bytes_per_s", 1e9 / t->ns_per_byte);
        } else {
            json_null(j, "startup_s");
            json_null(j, "rate_bytes_per_s");
        }
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_notes(struct json *j, const struct findings *f)
{
    json_int(j, "logs", f->logs);
    json_int(j, "logs_unreadable", f->run.unreadable);
    json_unsigned(j, "events", f->events);
    json_unsigned(j, "events_dropped", f->unseen.dropped);
    json_array(j, "notes");
    for (int i = 0; i < f->notes; i++) {
        json_object_flat(j, NULL);
        json_text(j, "log", f->note[i].log);
        json_text(j, "note", f->note[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

void findings_json(const struct findings *f, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    findings_put_head(&j, f);
    put_verdict(&j, f);
    put_classes(&j, f);
    json_array(&j, "findings");
    for (int i = 0; i < f->found; i++)
        put_finding(&j, f, &f->finding[i]);
    json_end_array(&j);
    json_array(&j, "risks");
    for (int i = 0; i < f->risks; i++)
        put_risk(&j, f, &f->finding[f->found + i]);
    json_end_array(&j);
    put_judged(&j, f);
    put_folded(&j, f);
    findings_put_files(&j, f);
    put_ranks(&j, f);
    put_moments(&j, f);
    put_fits(&j, f);
    put_notes(&j, f);
    json_end_object(&j);
    json_finish(&j);
}
