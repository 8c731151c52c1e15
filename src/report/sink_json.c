/* Writes the JSON of doc/report-schema.md. Groups are on lines of their own, rows on
 * one line each, so that two reports can be compared with diff. */
#include "base/format/json.h"
#include "base/program.h"
#include "report/sink.h"
#include <ctype.h>
#include <math.h>

static const char *known_text(const char *text)
{
    return text && text[0] ? text : NULL;
}

static void put_count(struct json *j, const char *key, int64_t value, int64_t least)
{
    if (value >= least)
        json_int(j, key, value);
    else
        json_null(j, key);
}

static void put_share(struct json *j, const char *key, bool known, double share)
{
    json_real(j, key, known && share >= 0 ? share : NAN);
}

static void put_at(struct json *j, const struct at *at)
{
    json_object_flat(j, "at");
    if (at->text[0])
        json_text(j, at->name, at->text);
    else if (at->name[0])
        json_real(j, at->name, at->value);
    json_end_object(j);
}

static void put_reals(struct json *j, const char *key, const double *x, int n)
{
    json_array_flat(j, key);
    for (int i = 0; i < n; i++)
        json_real(j, NULL, x[i]);
    json_end_array(j);
}

static void put_series(struct json *j, const struct model *m)
{
    if (!m->series_id) {
        json_null(j, "series");
        return;
    }
    json_object_flat(j, "series");
    json_text(j, "id", m->series_id);
    json_text(j, "config", m->series_config);
    json_int(j, "round", m->series_round);
    json_end_object(j);
}

static void put_pairs(struct json *j, const char *key, const struct pairs *p)
{
    json_object(j, key);
    for (int i = 0; i < p->n; i++)
        json_text(j, p->pair[i].key, p->pair[i].value);
    json_end_object(j);
}

static void put_run(struct json *j, const struct model *m)
{
    json_object(j, "run");
    json_text(j, "id", m->run_id);
    json_text(j, "program", m->program->name);
    json_text(j, "version", leadline_version);
    json_array_flat(j, "argv");
    for (int i = 0; i < m->argc; i++)
        json_text(j, NULL, m->argv[i]);
    json_end_array(j);
    json_text(j, "label", m->label);
    json_text(j, "start_utc", m->start_utc);
    json_text(j, "end_utc", known_text(m->end_utc));
    json_real(j, "wall_s", m->wall_s);
    json_unsigned(j, "seed", m->seed);
    put_pairs(j, "notes", &m->notes);
    put_series(j, m);
    json_end_object(j);
}

static void put_mpi(struct json *j, const struct model *m)
{
    const struct world *w = m->world;
    json_object(j, "mpi");
    json_text(j, "library", w->library);
    json_text(j, "io_layer", m->io ? known_text(m->io->io_layer) : NULL);
    json_text(j, "thread_level", w->thread_level);
    json_text(j, "launcher", w->launcher);
    json_int(j, "ranks", w->size);
    json_int(j, "nodes", w->nodes);
    json_int(j, "ranks_per_node_max", w->ranks_per_node_max);
    json_int(j, "lanes", m->lanes ? m->lanes : 1);
    json_end_object(j);
}

static void put_hosts(struct json *j, const struct model *m)
{
    json_array(j, "hosts");
    for (int i = 0; i < m->hosts; i++) {
        const struct world_host *h = &m->host[i];
        json_object_flat(j, NULL);
        json_text(j, "name", h->name);
        json_int(j, "ranks", h->ranks);
        put_count(j, "cores", h->cores, 1);
        put_count(j, "memory_bytes", h->memory_bytes, 1);
        json_text(j, "kernel", known_text(h->kernel));
        json_real(j, "load1_start", h->load1 >= 0 ? h->load1 : NAN);
        json_real(j, "load1_end", m->load1_end[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Writes the group "io". Before the program has reported it, it has the same keys
 * without values. */
static void put_io(struct json *j, const struct model *m)
{
    static const struct model_io none;
    const struct model_io *io = m->io ? m->io : &none;
    json_object(j, "io");
    json_text(j, "engine", io->engine);
    json_text(j, "version", known_text(io->version));
    json_text(j, "mode", io->mode);
    json_text(j, "chosen_because", m->io ? io->chosen_because : NULL);
    if (m->io)
        json_bool(j, "collective", io->collective);
    else
        json_null(j, "collective");
    json_text(j, "cache", io->cache);
    json_text(j, "sync", io->sync);
    put_count(j, "depth", io->depth, 1);
    json_real(j, "timeout_s", m->io ? io->timeout_s : NAN);
    put_pairs(j, "settings", &io->settings);
    put_pairs(j, "hints_asked", &io->asked);
    put_pairs(j, "hints_in_effect", &io->in_effect);
    json_end_object(j);
}

static void put_stack(struct json *j, const struct model_file *f)
{
    json_array_flat(j, "stack");
    for (int i = 0; i < f->layers; i++) {
        const struct model_layer *l = &f->layer[i];
        json_object_flat(j, NULL);
        json_int(j, "level", l->level);
        json_text(j, "kind", l->kind);
        json_text(j, "name", l->name);
        json_text(j, "about", known_text(l->about));
        json_text(j, "reads", l->reads);
        json_end_object(j);
    }
    json_end_array(j);
}

static void sink_json_put_files(struct json *j, const struct model *m)
{
    json_array(j, "files");
    for (int i = 0; i < m->files; i++) {
        const struct model_file *f = &m->file[i];
        json_object_flat(j, NULL);
        json_text(j, "role", f->role);
        json_text(j, "path", f->path);
        json_text(j, "kind", f->kind);
        put_count(j, "count", f->count, 0);
        json_text(j, "layout", f->layout);
        json_text(j, "ldad", f->ldad);
        put_count(j, "bytes", f->bytes, 0);
        json_text(j, "fs", known_text(f->fs));
        json_text(j, "mount", known_text(f->mount));
        put_count(j, "block_bytes", f->block_bytes, 1);
        put_count(j, "stripe_bytes", f->stripe_bytes, 1);
        put_count(j, "stripe_count", f->stripe_count, 1);
        json_text(j, "stripe_about", known_text(f->stripe_about));
        put_count(j, "stored_bytes", f->stored_of_bytes ? f->stored_bytes : -1, 0);
        put_count(j, "stored_of_bytes", f->stored_of_bytes, 1);
        json_text(j, "stored_about", known_text(f->stored_about));
        put_stack(j, f);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_groups(struct json *j, const struct model *m)
{
    json_array(j, "nodes");
    for (int i = 0; i < m->groups; i++) {
        const struct model_group *g = &m->group[i];
        json_object_flat(j, NULL);
        json_int(j, "count", g->nodes);
        for (int k = 0; k < g->of.n; k++)
            json_text(j, g->of.pair[k].key, known_text(g->of.pair[k].value));
        put_share(j, "below_share", true, g->below_share);
        put_share(j, "resident_share", true, g->resident_share);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_sources(struct json *j, const struct model *m)
{
    if (!m->sources)
        return;
    json_array(j, "sources");
    for (int i = 0; i < m->sources; i++) {
        const struct model_source *s = &m->source[i];
        json_object_flat(j, NULL);
        json_text(j, "path", s->path);
        json_int(j, "bytes", s->bytes);
        json_int(j, "soundings", s->soundings);
        json_text(j, "about", s->about);
        json_end_object(j);
    }
    json_end_array(j);
}

static void sink_json_put_list(struct json *j, const char *const *item, int n)
{
    json_array_flat(j, "value");
    for (int i = 0; i < n; i++)
        json_text(j, NULL, item[i]);
    json_end_array(j);
}

static void put_value(struct json *j, const struct opt *o)
{
    switch (o->kind) {
    case OPT_FLAG:
        json_bool(j, "value", *(const bool *)o->value);
        break;
    case OPT_INT:
    case OPT_BYTES:
        if (opt_word(o))
            json_text(j, "value", opt_word(o));
        else
            json_int(j, "value", *(const int64_t *)o->value);
        break;
    case OPT_REAL:
        json_real(j, "value", *(const double *)o->value);
        break;
    case OPT_TEXT:
    case OPT_CHOICE:
        json_text(j, "value", *(const char *const *)o->value);
        break;
    case OPT_LIST:
        sink_json_put_list(j, ((const struct opt_list *)o->value)->item,
                           ((const struct opt_list *)o->value)->n);
        break;
    case OPT_REST:
        sink_json_put_list(j, ((const struct opt_rest *)o->value)->item,
                           ((const struct opt_rest *)o->value)->n);
        break;
    case OPT_ASK:
    case OPT_TITLE:
    case OPT_NOTE:
        break;
    }
}

/* Writes an option. A positional is "NPIX" to the parser and "npix" to the reader. */
static void put_option(struct json *j, const struct opt *o)
{
    char name[64];
    size_t n = 0;
    for (; n < sizeof name - 1 && o->name[n]; n++)
        name[n] = (char)tolower((unsigned char)o->name[n]);
    name[n] = 0;
    json_object_flat(j, name);
    put_value(j, o);
    json_text(j, "unit", o->unit);
    json_text(j, "from", opt_from_text(o->from));
    json_bool(j, "workload", o->workload);
    json_end_object(j);
}

static void put_options(struct json *j, const struct model *m)
{
    json_object(j, "options");
    for (int i = 0; i < m->program->n; i++) {
        const struct opt *o = &m->program->table[i];
        if (o->kind != OPT_TITLE && o->name && o->value)
            put_option(j, o);
    }
    json_end_object(j);
}

static void put_latencies(struct json *j, const struct latency *l)
{
    json_real(j, "p50_s", l->p50_s);
    json_real(j, "p90_s", l->p90_s);
    json_real(j, "p95_s", l->p95_s);
    json_real(j, "p99_s", l->p99_s);
    json_real(j, "p999_s", l->p999_s);
    json_real(j, "max_s", l->max_s);
    json_array_flat(j, "hist");
    for (int i = 0; i < l->n; i++) {
        json_array_flat(j, NULL);
        json_real(j, NULL, l->hist[i].bound_s);
        json_int(j, NULL, l->hist[i].count);
        json_end_array(j);
    }
    json_end_array(j);
}

static void put_latency(struct json *j, const struct latency *l)
{
    if (!l) {
        json_null(j, "latency");
        return;
    }
    json_object_flat(j, "latency");
    put_latencies(j, l);
    json_end_object(j);
}

/* Writes a series: a list each of bytes, calls and longest latency. */
static void put_slots(struct json *j, const struct slots *s)
{
    json_object_flat(j, "series");
    json_real(j, "slot_s", s->slot_s);
    json_array_flat(j, "bytes");
    for (int i = 0; i < s->n; i++)
        json_int(j, NULL, s->slot[i].bytes);
    json_end_array(j);
    json_array_flat(j, "calls");
    for (int i = 0; i < s->n; i++)
        json_int(j, NULL, s->slot[i].calls);
    json_end_array(j);
    json_array_flat(j, "max_s");
    for (int i = 0; i < s->n; i++)
        json_real(j, NULL, (double)s->slot[i].longest_ns / 1e9);
    json_end_array(j);
    json_end_object(j);
}

static void put_ops(struct json *j, const struct op *op)
{
    json_object_flat(j, "ops");
    for (int i = 0; i < PHASE_OPS; i++) {
        if (!op[i].latency)
            continue;
        json_object_flat(j, phase_op_name[i]);
        json_int(j, "calls", op[i].calls);
        json_real(j, "seconds", op[i].sum_s);
        put_latencies(j, op[i].latency);
        json_end_object(j);
    }
    json_end_object(j);
}

static void put_sample(struct json *j, const struct sample *s, const struct model *m)
{
    json_object_flat(j, NULL);
    if (s->arm >= 0)
        json_int(j, "arm", s->arm);
    json_int(j, "rep", s->rep);
    put_at(j, &s->at);
    json_text(j, "phase", s->phase);
    json_text(j, "act", sample_act_name(s->act));
    json_real(j, "start_s", s->start_s);
    json_int(j, "calls", s->calls);
    json_int(j, "bytes", s->bytes);
    put_count(j, "device_bytes", s->device_bytes, 0);
    json_real(j, "min_s", s->min_s);
    json_real(j, "mean_s", s->mean_s);
    json_real(j, "max_s", s->max_s);
    json_int(j, "max_rank", s->max_rank);
    if (m->lanes > 1)
        json_int(j, "max_lane", s->max_lane);
    json_text(j, "max_host", s->max_host);
    json_real(j, "submit_mean_s", s->submit_mean_s);
    json_real(j, "wait_mean_s", s->wait_mean_s);
    if (s->ranks_s)
        put_reals(j, "ranks_s", s->ranks_s, m->world->size);
    else
        json_null(j, "ranks_s");
    put_latency(j, s->latency);
    if (s->slots)
        put_slots(j, s->slots);
    if (s->op)
        put_ops(j, s->op);
    if (s->act == SAMPLE_WALL) {
        json_text(j, "start_utc", s->start_utc);
        json_text(j, "end_utc", s->end_utc);
    }
    json_end_object(j);
}

static void put_samples(struct json *j, const struct model *m)
{
    json_array(j, "samples");
    for (int i = 0; i < m->samples; i++)
        put_sample(j, &m->sample[i], m);
    json_end_array(j);
}

static void put_figure(struct json *j, const struct figure *f)
{
    struct figure_summary s = figure_summary(f);
    json_object_flat(j, NULL);
    json_text(j, "name", f->name);
    if (f->arm >= 0)
        json_int(j, "arm", f->arm);
    put_at(j, &f->at);
    json_text(j, "unit", f->unit);
    json_text(j, "better", f->better);
    json_text(j, "formula", f->formula);
    put_reals(j, "reps", f->reps, f->n);
    json_real(j, "median", s.median);
    json_real(j, "min", s.min);
    json_real(j, "max", s.max);
    if (s.has_ci)
        put_reals(j, "ci95", (const double[]){s.lo, s.hi}, 2);
    else
        json_null(j, "ci95");
    json_text(j, "ci_of", "geometric mean");
    json_end_object(j);
}

static void put_figures(struct json *j, const struct model *m)
{
    json_array(j, "figures");
    for (int i = 0; i < m->figures; i++)
        put_figure(j, &m->figure[i]);
    json_end_array(j);
}

static void put_results(struct json *j, const struct model *m)
{
    json_object(j, "results");
    for (int i = 0; i < m->results; i++)
        put_reals(j, m->result[i].name, m->result[i].x, m->result[i].n);
    json_end_object(j);
}

static void put_checks(struct json *j, const struct model *m)
{
    json_object(j, "checks");
    put_count(j, "blocks_checked", m->checked ? m->checks.blocks_checked : -1, 0);
    put_count(j, "blocks_bad", m->checked ? m->checks.blocks_bad : -1, 0);
    json_real(j, "split_error", m->split_error);
    put_share(j, "device_share", m->checked, m->checks.device_share);
    put_share(j, "below_share", m->checked, m->checks.below_share);
    put_share(j, "resident_share", m->checked, m->checks.resident_share);
    json_end_object(j);
}

static void put_warnings(struct json *j, const struct model *m)
{
    json_array(j, "warnings");
    for (int i = 0; i < m->warnings; i++) {
        json_object_flat(j, NULL);
        json_text(j, "code", m->warning[i].code);
        if (m->warning[i].arm >= 0)
            json_int(j, "arm", m->warning[i].arm);
        json_text(j, "text", m->warning[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_errors(struct json *j, const struct model *m)
{
    const struct err *e = &m->err;
    json_array(j, "errors");
    if (e->code) {
        json_object_flat(j, NULL);
        put_count(j, "rank", e->rank, 0);
        if (e->lane >= 0)
            json_int(j, "lane", e->lane);
        json_text(j, "host", known_text(e->host));
        json_text(j, "file", known_text(e->file));
        put_count(j, "offset_bytes", e->offset, 0);
        json_text(j, "errno", errno_name(e->code));
        json_text(j, "text", e->text);
        json_end_object(j);
    }
    json_end_array(j);
}

int sink_json(const struct model *m, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-report/1");
    json_bool(&j, "valid", m->valid);
    json_text(&j, "why", m->why);
    put_run(&j, m);
    put_mpi(&j, m);
    put_hosts(&j, m);
    put_io(&j, m);
    sink_json_put_files(&j, m);
    put_groups(&j, m);
    if (m->part_put)
        m->part_put(m->part, &j);
    put_sources(&j, m);
    put_options(&j, m);
    comparison_json(&j, m);
    put_samples(&j, m);
    put_figures(&j, m);
    put_results(&j, m);
    put_checks(&j, m);
    put_warnings(&j, m);
    put_errors(&j, m);
    json_end_object(&j);
    return json_finish(&j);
}
