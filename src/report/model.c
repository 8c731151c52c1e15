/* Keeps the program's data on rank 0 until the report is written. */
#include "base/mem.h"
#include "base/stats.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int model_verdict(struct report *r)
{
    return r->rc == -ENOMEM ? mem_none(NULL, 0, "the report") : r->rc;
}

void *model_grow(struct report *r, void *array, int n, int *room, size_t size)
{
    char *at;
    memcpy(&at, array, sizeof at);
    if (n == *room) {
        int more = *room ? 2 * *room : 16;
        at = mem_grow(at, more, size, "the report");
        if (!at) {
            r->rc = -ENOMEM;
            return NULL;
        }
        memcpy(array, &at, sizeof at);
        *room = more;
    }
    return memset(at + (size_t)n * size, 0, size);
}

char *model_text(struct report *r, const char *text)
{
    char *copy = text ? mem_text(text, "the report") : NULL;
    if (text && !copy)
        r->rc = -ENOMEM;
    return copy;
}

static char *format_text(struct report *r, const char *fmt, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0) {
        r->rc = mem_none(NULL, 0, "the report");
        return NULL;
    }
    return text;
}

static struct pairs copy_pairs(struct report *r, int n, const char *const *key,
                               const char *const *value)
{
    struct pairs p = {0, n > 0 ? mem_new(n, sizeof *p.pair, "the report") : NULL};
    if (n > 0 && !p.pair)
        r->rc = -ENOMEM;
    for (; p.pair && p.n < n; p.n++) {
        p.pair[p.n].key = model_text(r, key[p.n]);
        p.pair[p.n].value = model_text(r, value[p.n]);
    }
    return p;
}

static void free_pairs(struct pairs *p)
{
    for (int i = 0; i < p->n; i++) {
        free(p->pair[i].key);
        free(p->pair[i].value);
    }
    free(p->pair);
}

static void free_io(struct model_io *io)
{
    if (!io)
        return;
    free(io->engine);
    free(io->version);
    free(io->io_layer);
    free(io->mode);
    free(io->chosen_because);
    free(io->cache);
    free(io->sync);
    free_pairs(&io->settings);
    free_pairs(&io->asked);
    free_pairs(&io->in_effect);
    free(io);
}

void report_io(struct report *r, const struct report_io *io)
{
    if (!r->model || r->model->arm > 0) /* of arms, that of the first is described */
        return;
    struct model_io *to = mem_new(1, sizeof *to, "the report");
    if (!to) {
        r->rc = -ENOMEM;
        return;
    }
    to->engine = model_text(r, io->engine);
    to->version = model_text(r, io->version);
    to->io_layer = model_text(r, io->io_layer);
    to->mode = model_text(r, io->mode);
    to->chosen_because = model_text(r, io->chosen_because);
    to->cache = model_text(r, io->cache);
    to->sync = model_text(r, io->sync);
    to->collective = io->collective;
    to->depth = io->depth;
    to->timeout_s = io->timeout_s;
    to->settings = copy_pairs(r, io->settings, io->setting_key, io->setting_value);
    to->asked = copy_pairs(r, io->hints_asked, io->asked_key, io->asked_value);
    to->in_effect =
        copy_pairs(r, io->hints_in_effect, io->effect_key, io->effect_value);
    free_io(r->model->io);
    r->model->io = to;
}

static void copy_layers(struct report *r, struct model_file *to,
                        const struct report_file *f)
{
    to->layer = f->layers ? mem_new(f->layers, sizeof *to->layer, "the report") : NULL;
    if (f->layers && !to->layer)
        r->rc = -ENOMEM;
    for (; to->layer && to->layers < f->layers; to->layers++) {
        const struct report_layer *from = &f->layer[to->layers];
        to->layer[to->layers] = (struct model_layer){
            from->level, model_text(r, from->kind), model_text(r, from->name),
            model_text(r, from->about), model_text(r, from->reads)};
    }
}

void report_file(struct report *r, const struct report_file *f)
{
    struct model *m = r->model;
    struct model_file *to =
        m ? model_grow(r, &m->file, m->files, &m->file_room, sizeof *to) : NULL;
    if (!to)
        return;
    to->role = model_text(r, f->role);
    to->path = model_text(r, f->path);
    to->kind = model_text(r, f->kind);
    to->layout = model_text(r, f->layout);
    to->fs = model_text(r, f->fs);
    to->mount = model_text(r, f->mount);
    to->ldad = model_text(r, f->ldad);
    to->count = f->count;
    to->bytes = f->bytes;
    to->block_bytes = f->block_bytes;
    to->stripe_bytes = f->stripe_bytes;
    to->stripe_count = f->stripe_count;
    to->stripe_about = model_text(r, f->stripe_about);
    to->storage = model_text(r, f->storage);
    copy_layers(r, to, f);
    m->files++;
}

void report_group(struct report *r, const struct report_group *g)
{
    struct model *m = r->model;
    struct model_group *to = m && m->arm <= 0 ? model_grow(r, &m->group, m->groups,
                                                           &m->group_room, sizeof *to)
                                              : NULL;
    if (!to)
        return;
    *to = (struct model_group){g->nodes, copy_pairs(r, g->fields, g->key, g->value), -1,
                               -1};
    m->groups++;
}

void report_group_shares(struct report *r, int i, double below, double resident)
{
    if (!r->model || i >= r->model->groups)
        return;
    r->model->group[i].below_share = below;
    r->model->group[i].resident_share = resident;
}

void report_part(struct report *r, void (*put)(const void *what, struct json *j),
                 const void *what)
{
    if (!r->model)
        return;
    r->model->part_put = put;
    r->model->part = what;
}

void report_source(struct report *r, const struct report_source *s)
{
    struct model *m = r->model;
    struct model_source *to =
        m ? model_grow(r, &m->source, m->sources, &m->source_room, sizeof *to) : NULL;
    if (!to)
        return;
    *to = (struct model_source){model_text(r, s->path), model_text(r, s->about),
                                s->bytes, s->soundings};
    m->sources++;
}

static struct model_file *find_file(struct model *m, const char *role)
{
    for (int i = 0; m && i < m->files; i++)
        if (m->file[i].role && !strcmp(m->file[i].role, role))
            return &m->file[i];
    return NULL;
}

void report_file_sizes(struct report *r, const char *role, const char *path,
                       int64_t count, int64_t bytes)
{
    struct model_file *f = find_file(r->model, role);
    if (!f || r->model->arm > 0)
        return;
    free(f->path);
    f->path = model_text(r, path);
    f->count = count;
    f->bytes = bytes;
}

void report_stripes(struct report *r, const char *role, int64_t bytes, int64_t count,
                    const char *about)
{
    struct model_file *f = find_file(r->model, role);
    if (!f || r->model->arm > 0)
        return;
    f->stripe_bytes = bytes;
    f->stripe_count = count;
    free(f->stripe_about);
    f->stripe_about = model_text(r, about);
}

void report_stored(struct report *r, const char *role, int64_t stored, int64_t data,
                   const char *about)
{
    struct model_file *f = find_file(r->model, role);
    if (!f)
        return;
    f->stored_bytes = stored;
    f->stored_of_bytes = data;
    free(f->stored_about);
    f->stored_about = model_text(r, about);
}

struct at at_of(const struct report_at *told)
{
    struct at at = {.value = 0};
    if (!told || !told->name)
        return at;
    snprintf(at.name, sizeof at.name, "%s", told->name);
    at.value = told->text ? 0 : told->value;
    snprintf(at.text, sizeof at.text, "%s", told->text ? told->text : "");
    return at;
}

bool at_same(const struct at *a, const struct at *b)
{
    return !strcmp(a->name, b->name) && a->value == b->value &&
           !strcmp(a->text, b->text);
}

const char *at_text(const struct at *at, char out[AT_TEXT])
{
    if (at->text[0])
        snprintf(out, AT_TEXT, "%s", at->text);
    else
        snprintf(out, AT_TEXT, "%g", at->value);
    return out;
}

static struct figure *find_figure(struct model *m, const char *name,
                                  const struct at *at)
{
    for (int i = 0; i < m->figures; i++) {
        struct figure *f = &m->figure[i];
        if (f->name && f->arm == m->arm && !strcmp(f->name, name) &&
            at_same(&f->at, at))
            return f;
    }
    return NULL;
}

/* True for a valid value. A rate or a time of 0 or less is not valid; a share or an
 * overlap may be. */
static bool is_measured(const char *unit, double value)
{
    bool any_sign = unit && (!strcmp(unit, "1") || !strcmp(unit, "%"));
    return isfinite(value) && (any_sign || value > 0);
}

static void append_value(struct report *r, struct figure *f, double value)
{
    if (f->n == f->room) {
        int more = f->room ? 2 * f->room : 16;
        /* reps, then value */
        double *both = mem_new(2 * more, sizeof *both, "the report");
        if (!both) {
            r->rc = -ENOMEM;
            return;
        }
        if (f->n > 0) {
            memcpy(both, f->reps, (size_t)f->n * sizeof *both);
            memcpy(both + more, f->value, (size_t)f->known * sizeof *both);
        }
        free(f->reps);
        f->reps = both;
        f->value = both + more;
        f->room = more;
    }
    bool known = is_measured(f->unit, value);
    f->reps[f->n++] = known ? value : NAN;
    if (known)
        f->value[f->known++] = value;
}

void report_figure_at(struct report *r, const char *name, const struct report_at *at,
                      const char *unit, const char *better, const char *formula,
                      double value)
{
    struct model *m = r->model;
    struct at key = at_of(at);
    if (!m || (m->arm >= 0 && !m->round))
        return;
    struct figure *f = find_figure(m, name, &key);
    if (!f) {
        f = model_grow(r, &m->figure, m->figures, &m->figure_room, sizeof *f);
        if (!f)
            return;
        m->figures++;
        f->name = model_text(r, name);
        f->unit = model_text(r, unit);
        f->better = model_text(r, better);
        f->formula = model_text(r, formula);
        f->at = key;
        f->arm = m->arm;
    }
    while (m->arm >= 0 && f->n < m->round - 1 && !r->rc) /* rounds without a value */
        append_value(r, f, NAN);
    append_value(r, f, value);
}

void report_figure(struct report *r, const char *name, const char *unit,
                   const char *better, const char *formula, double value)
{
    report_figure_at(r, name, NULL, unit, better, formula, value);
}

struct figure_summary figure_summary(const struct figure *f)
{
    struct figure_summary s = {.median = NAN, .min = NAN, .max = NAN};
    for (int i = 0; i < f->known; i++) {
        s.min = fmin(s.min, f->value[i]); /* fmin ignores a NAN */
        s.max = fmax(s.max, f->value[i]);
    }
    if (f->known > 0)
        s.median = stats_median(f->value, f->known);
    s.has_ci = stats_ci95(f->value, f->known, &s.lo, &s.hi);
    return s;
}

void report_result(struct report *r, const char *name, const double *x, int n)
{
    struct model *m = r->model;
    struct model_result *to = NULL;
    if (!m)
        return;
    for (int i = 0; i < m->results; i++)
        if (m->result[i].name && !strcmp(m->result[i].name, name))
            to = &m->result[i];
    double *copy = mem_new(n > 0 ? (size_t)n : 1, sizeof *copy, "the report");
    if (copy && !to) {
        to = model_grow(r, &m->result, m->results, &m->result_room, sizeof *to);
        if (to) {
            to->name = model_text(r, name);
            m->results++;
        }
    }
    if (!copy || !to) {
        r->rc = -ENOMEM;
        free(copy);
        return;
    }
    if (n > 0)
        memcpy(copy, x, (size_t)n * sizeof *copy);
    free(to->x);
    to->x = copy;
    to->n = n > 0 ? n : 0;
}

void report_checks(struct report *r, const struct report_checks *c)
{
    if (!r->model)
        return;
    r->model->checks = *c;
    r->model->checked = true;
}

void report_warning(struct report *r, const char *code, const char *fmt, ...)
{
    struct model *m = r->model;
    if (!m)
        return;
    for (int i = 0; i < m->warnings; i++)
        if (m->warning[i].code && m->warning[i].arm == m->arm &&
            !strcmp(m->warning[i].code, code))
            return;
    struct model_warning *to =
        model_grow(r, &m->warning, m->warnings, &m->warning_room, sizeof *to);
    if (!to)
        return;
    va_list ap;
    va_start(ap, fmt);
    to->code = model_text(r, code);
    to->text = format_text(r, fmt, ap);
    to->arm = m->arm;
    va_end(ap);
    m->warnings++;
}

void report_note(struct report *r, const char *label, const char *fmt, ...)
{
    struct model *m = r->model;
    if (!m || m->arm > 0 || (m->arm == 0 && m->round))
        return;
    struct pair *to =
        model_grow(r, &m->notes.pair, m->notes.n, &m->note_room, sizeof *to);
    if (!to)
        return;
    va_list ap;
    va_start(ap, fmt);
    to->key = model_text(r, label);
    to->value = format_text(r, fmt, ap);
    va_end(ap);
    m->notes.n++;
}

static void free_file(struct model_file *f)
{
    free(f->role);
    free(f->path);
    free(f->kind);
    free(f->layout);
    free(f->fs);
    free(f->mount);
    free(f->ldad);
    free(f->stripe_about);
    free(f->stored_about);
    free(f->storage);
    for (int i = 0; i < f->layers; i++) {
        free(f->layer[i].kind);
        free(f->layer[i].name);
        free(f->layer[i].about);
        free(f->layer[i].reads);
    }
    free(f->layer);
}

static void free_figure(struct figure *f)
{
    free(f->name);
    free(f->unit);
    free(f->better);
    free(f->formula);
    free(f->reps); /* value is in the same block */
}

static void free_sample(struct sample *s)
{
    for (int i = 0; s->op && i < PHASE_OPS; i++)
        free(s->op[i].latency);
    free(s->op);
    free(s->ranks_s);
    free(s->latency);
    free(s->slots);
}

const char *sample_act_name(int act)
{
    return act == SAMPLE_WALL ? "wall" : act_name[act];
}

/* The names of errors that file systems and MPI return; strerrorname_np is
 * glibc's alone. */
const char *errno_name(int code)
{
#define NAME(e)                                                                        \
    {                                                                                  \
        e, #e                                                                          \
    }
    static const struct {
        int value;
        const char *name;
    } table[] = {
        NAME(EPERM),      NAME(ENOENT),    NAME(EINTR),        NAME(EIO),
        NAME(ENXIO),      NAME(E2BIG),     NAME(EBADF),        NAME(EAGAIN),
        NAME(ENOMEM),     NAME(EACCES),    NAME(EFAULT),       NAME(EBUSY),
        NAME(EEXIST),     NAME(EXDEV),     NAME(ENODEV),       NAME(ENOTDIR),
        NAME(EISDIR),     NAME(EINVAL),    NAME(ENFILE),       NAME(EMFILE),
        NAME(ETXTBSY),    NAME(EFBIG),     NAME(ENOSPC),       NAME(ESPIPE),
        NAME(EROFS),      NAME(EMLINK),    NAME(EPIPE),        NAME(EDOM),
        NAME(ERANGE),     NAME(EDEADLK),   NAME(ENAMETOOLONG), NAME(ENOLCK),
        NAME(ENOSYS),     NAME(ENOTEMPTY), NAME(ELOOP),        NAME(ENODATA),
        NAME(ETIME),      NAME(EPROTO),    NAME(EBADMSG),      NAME(EOVERFLOW),
        NAME(EILSEQ),     NAME(EUSERS),    NAME(EOPNOTSUPP),   NAME(ENETDOWN),
        NAME(ECONNRESET), NAME(ENOBUFS),   NAME(ETIMEDOUT),    NAME(ECONNREFUSED),
        NAME(EHOSTDOWN),  NAME(EALREADY),  NAME(EINPROGRESS),  NAME(ESTALE),
        NAME(EDQUOT),     NAME(ECANCELED), NAME(EREMOTEIO),    NAME(ECOMM)};
#undef NAME
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].value == -code)
            return table[i].name;
    return NULL;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->files; i++)
        free_file(&m->file[i]);
    for (int i = 0; i < m->groups; i++)
        free_pairs(&m->group[i].of);
    for (int i = 0; i < m->sources; i++) {
        free(m->source[i].path);
        free(m->source[i].about);
    }
    for (int i = 0; i < m->samples; i++)
        free_sample(&m->sample[i]);
    for (int i = 0; i < m->figures; i++)
        free_figure(&m->figure[i]);
    for (int i = 0; i < m->results; i++) {
        free(m->result[i].name);
        free(m->result[i].x);
    }
    for (int i = 0; i < m->warnings; i++) {
        free(m->warning[i].code);
        free(m->warning[i].text);
    }
    free_io(m->io);
    free_pairs(&m->notes);
    void *const owned[] = {
        m->file,          m->group,  m->source, m->sample,    m->figure,   m->result,
        m->warning,       m->run_id, m->label,  m->json_path, m->csv_path, m->series_id,
        m->series_config, m->why,    m->host,   m->load1_end, m->node_of,  m};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}
