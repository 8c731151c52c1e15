#include "base/err.h"
#include "outcore/text/made.h"
#include "outcore/text/text.h"
#include "run/lanes.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- preparation ----------------------------------------------------------------- */

int text_begin(struct run *r, void *unused)
{
    (void)unused;
    r->samples_only = false;
    memset(&text.sums, 0, sizeof text.sums);
    for (int i = 0; i < r->lanes; i++)
        text.pipe.lane[i].skipped = 0;
    if (!text.many.given)
        run_path(r, "text", "", text.many.folder.path, sizeof text.many.folder.path);
    output_folder(r, &text.output, text.pipe.out.path);
    text.pipe.in = text.many.folder.path;
    return r->failed;
}

/* Makes inputs, models, and the folder of the outputs. */
int text_make(struct run *r, void *unused)
{
    (void)unused;
    int rc = text.many.given ? 0 : many_make(r, &text.many);
    rc = rc ? rc : models_make(r, &text.models);
    rc = rc ? rc : many_list(r, &text.many);
    rc = rc ? rc : deal_files(r, &text.many, &text.pipe.files);
    if (rc || text.set.check)
        return rc;
    return data_folder_create(r, &text.pipe.out);
}

/* ---- the pipeline ---------------------------------------------------------------- */

/* Reads a module's file, and makes the module's data from it. */
static void start_module(struct run *r, int m)
{
    struct pipeline *p = &text.pipe;
    struct text_given given = p->given;
    struct text_bytes *file[MODELS] = {&given.lexicon, &given.crf, &given.maxent};
    int64_t bytes = models_read(r, &text.models, m, &p->models_opened);
    p->models += bytes;
    if (r->failed || p->work.cost != TEXT_COST_REAL)
        return;
    if (m > 0 && m <= MODELS && text.models.of[m - 1].path)
        *file[m - 1] = (struct text_bytes){.name = text.models.of[m - 1].path,
                                           .at = text.models.memory.at,
                                           .bytes = bytes};
    text_tools_free(p->work.tools[m]);
    p->work.tools[m] = NULL;
    run_fail(r, text_tools_load(&p->work.tools[m], &given));
}

/* Runs modules first .. last in one phase; each reads its file when it starts. */
static int text_phase(struct run *r, const char *name, int first, int last)
{
    struct pipeline *p = &text.pipe;
    p->models = p->models_opened = 0;
    run_phase_begin(r, name);
    for (int m = first; m <= last; m++)
        start_module(r, m);
    pipeline_run(r, p, first, last);
    int rc = run_phase_end(r);
    rc = rc ? rc : pipeline_judge(r, p, name);
    if (!rc)
        text_sum_up(r);
    return rc;
}

int text_run(struct run *r, void *unused)
{
    static const char *const name[TEXT_STEPS] = {"m1", "m2", "m3", "m4",
                                                 "m5", "m6", "m7", "m8"};
    int rc = 0;
    (void)unused;
    if (text.set.check)
        return text_check_all(r);
    if (text.pipe.way.by_document)
        rc = text_phase(r, "pipeline", 0, TEXT_STEPS - 1);
    for (int m = 0; m < TEXT_STEPS && !text.pipe.way.by_document && !rc; m++)
        rc = text_phase(r, name[m], m, m);
    if (rc)
        return rc;
    text_figures(r);
    run_rep_end(r);
    r->samples_only = true;
    return 0;
}

/* ---- results --------------------------------------------------------------------- */

static void text_add_up(struct run *r)
{
    const struct text_files *f = &text.pipe.files;
    int64_t sum[4] = {0};
    for (int64_t i = 0; i < f->n; i++) {
        sum[0] += f->is[i].skipped ? 0 : f->is[i].bytes;
        sum[1] += f->is[i].skipped;
    }
    sum[2] = f->n - sum[1];
    for (int i = 0; i < r->lanes; i++)
        sum[3] += (int64_t)text.pipe.lane[i].crc;
    world_reduce(r->world.comm, sum, 4, MPI_INT64_T, MPI_SUM);
    text.out_bytes = sum[0];
    text.skipped = sum[1];
    text.done = sum[2];
    text.crc = (uint64_t)sum[3];
}

int text_verify(struct run *r, void *unused)
{
    (void)unused;
    text.pipe.models = text.pipe.models_opened = 0;
    int rc = 0;
    if (text.set.check)
        return 0;
    if (r->verify) {
        r->aside = true;
        run_phase_begin(r, "verify");
        pipeline_verify(r, &text.pipe);
        rc = run_phase_end(r);
        r->aside = false;
        rc = rc ? rc : pipeline_judge(r, &text.pipe, "verify");
    }
    if (!rc)
        text_add_up(r);
    text.known = !rc;
    return rc;
}

int text_results(struct run *r, int rc)
{
    double halves[2] = {(double)(text.crc >> 32), (double)(text.crc & UINT32_MAX)};
    if (!text.known)
        return rc;
    run_result(r, "files", (double)text.done);
    run_result(r, "input_bytes", (double)text.pipe.files.in_bytes);
    run_result(r, "output_bytes", (double)text.out_bytes);
    run_result(r, "skipped", (double)text.skipped);
    if (r->verify)
        report_result(r->report, "crc_sum", halves, 2);
    return rc;
}

/* ---- clean-up -------------------------------------------------------------------- */

static int put_input_away(struct run *r, bool keep)
{
    if (text.many.folder.made && keep) {
        io_file_keep(r->world.comm, text.many.folder.path);
        text.many.folder.made = false;
    }
    return text.many.given ? 0 : data_folder_remove(r, &text.many.folder);
}

static int put_output_away(struct run *r, bool keep, bool last)
{
    struct data_folder *out = &text.pipe.out;
    int named = 0;
    if (out->made && text.output.path && last) {
        named = output_folder_done(r, &text.output);
        out->made = named != 0;
    } else if (out->made && keep && !text.output.path) {
        io_file_keep(r->world.comm, out->path);
        out->made = false;
    }
    int removed = data_folder_remove(r, out);
    return named ? named : removed;
}

int text_put_away(struct run *r, int rc)
{
    bool keep = !rc && r->options->keep;
    int gone[3] = {models_remove(r, &text.models), put_input_away(r, keep),
                   put_output_away(r, keep, !rc && r->rep == r->options->repeat)};
    for (int i = 0; i < 3; i++)
        rc = rc ? rc : gone[i];
    return rc;
}

/* ---- the check ------------------------------------------------------------------- */

/* Checks a folder of outputs, such as a run that was cut off leaves: each must end with
 * a whole section. */

struct checking {
    struct pipeline *p;
    int64_t complete, incomplete, leftovers; /* of all lanes, after the phase */
};

/* Takes NAME from "NAME.lex". A renaming run's temporary files, ".NAME.lex." and a
 * suffix, belong to no document. */
static bool label_of(const char *name, char label[TEXT_LABEL])
{
    size_t n = strlen(name);
    const char *last = strrchr(name, '/');
    snprintf(label, TEXT_LABEL, "%s", last ? last + 1 : name);
    if (n < 5 || strcmp(name + n - 4, ".lex") || strlen(label) < 5)
        return false;
    label[strlen(label) - 4] = 0;
    return true;
}

static bool is_leftover(const char *name)
{
    const char *last = strrchr(name, '/');
    last = last ? last + 1 : name;
    return *last == '.' && strstr(last, ".lex.");
}

static void text_judge(struct going *g, const char *path, const char *label,
                       struct checking *c)
{
    enum act before = phase_act(g->r->phase, ACT_CHECK);
    struct walk w = walk_sections(label, g->l->doc.at, g->l->doc.bytes);
    bool whole = w.sections == WALK_SECTIONS;
    phase_act(g->r->phase, before);
    if (w.wrong)
        run_set_wrong(&g->in, path, "%s%s at byte %lld: %s",
                      *w.section ? "section " : "the beginning", w.section,
                      (long long)w.at, w.wrong);
    else
        run_set_right(&g->in);
    __atomic_add_fetch(whole ? &c->complete : &c->incomplete, !w.wrong,
                       __ATOMIC_RELAXED);
}

static void check_file(struct going *g, const struct text_file *f, struct checking *c)
{
    char label[TEXT_LABEL];
    const char *name = text_name(&g->p->files, f);
    if (is_leftover(name)) {
        __atomic_add_fetch(&c->leftovers, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!label_of(name, label)) {
        char path[RUN_SET_PATH];
        run_fail(g->r, err_set(-EINVAL, run_set_path(&g->in, name, path), -1,
                               "--check needs a directory with outputs, NAME.lex"));
        return;
    }
    text_read(g, f, label, 0);
    if (!g->r->failed)
        text_judge(g, name, label, c);
}

static void text_go(struct run *r, void *checking)
{
    struct checking *c = checking;
    struct going g, of = {.p = c->p, .passes = 1};
    text_begin_lane(&g, r, &of);
    const struct text_files *f = &c->p->files;
    for (int64_t i = f->first[r->lane]; i < f->first[r->lane + 1] && !r->failed; i++)
        check_file(&g, &f->is[i], c);
    text_end_lane(&g, false);
}

int text_check_all(struct run *r)
{
    struct checking c = {.p = &text.pipe};
    run_phase_begin(r, "check");
    run_lanes(r, text_go, &c);
    int rc = run_phase_end(r);
    rc = rc ? rc : pipeline_judge(r, &text.pipe, "check");
    int64_t sum[3] = {c.complete, c.incomplete, c.leftovers};
    world_reduce(r->world.comm, sum, 3, MPI_INT64_T, MPI_SUM);
    run_result(r, "complete", (double)sum[0]);
    run_result(r, "incomplete", (double)sum[1]);
    run_result(r, "leftovers", (double)sum[2]);
    run_rep_end(r);
    r->samples_only = true;
    return rc;
}

/* ---- figures --------------------------------------------------------------------- */

static void add_opens(struct run *r, struct text_sums *s)
{
    static int64_t hist[HIST_SIZE];
    memset(hist, 0, sizeof hist);
    for (int i = 0; i < r->lanes; i++) {
        const struct phase_calls *op = run_lane_of(r, i)->phase->op;
        for (int b = 0; b < HIST_SIZE; b++)
            hist[b] += op[PHASE_OP_OPEN].hist[b] + op[PHASE_OP_CREATE].hist[b];
    }
    world_reduce(r->world.comm, hist, HIST_SIZE, MPI_INT64_T, MPI_SUM);
    for (int b = 0; b < HIST_SIZE; b++) {
        s->opens[b] += hist[b];
        s->opened += hist[b];
    }
}

void text_sum_up(struct run *r)
{
    struct text_sums *s = &text.sums;
    double ns[ACT_COUNT] = {0};
    int64_t models = text.pipe.models;
    for (int i = 0; i < r->lanes; i++)
        for (int a = 0; a < ACT_COUNT; a++)
            ns[a] += (double)run_lane_of(r, i)->phase->act[a].ns;
    world_reduce(r->world.comm, ns, ACT_COUNT, MPI_DOUBLE, MPI_SUM);
    world_reduce(r->world.comm, &models, 1, MPI_INT64_T, MPI_SUM);
    for (int a = 0; a < ACT_COUNT; a++)
        s->ns[a] += ns[a];
    s->wall_s += r->last.wall_s;
    s->io_s += r->last.io_s;
    s->read_bytes += r->last.read_bytes - models;
    s->write_bytes += r->last.write_bytes;
    s->model_bytes += models;
    add_opens(r, s);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static void time_figures(struct run *r, const struct text_sums *s)
{
    double open = s->ns[ACT_OPEN_CLOSE];
    double io = open + s->ns[ACT_READ] + s->ns[ACT_WRITE] + s->ns[ACT_SYNC];
    if (!text.pipe.way.by_document) { /* otherwise the phase reports these */
        run_figure(r, "pipeline", "wall_s", "s", "lower",
                   "seconds of m1 .. m8, each the slowest rank's", s->wall_s);
        run_figure(r, "pipeline", "io_share", "%", "lower",
                   "slowest lanes' seconds of reads, writes, syncs, opening and "
                   "closing / seconds of m1 .. m8 x 100",
                   share_of(s->io_s, s->wall_s));
    }
    run_figure(r, "pipeline", "open_close_share", "%", "lower",
               "seconds of opening, closing and renaming / of all I/O, all lanes",
               share_of(open, io));
    run_figure(r, "pipeline", "open_p99_us", "us", "lower",
               "99 % of all openings of files took no longer",
               1e6 * report_quantile(s->opens, s->opened, 0.99, INFINITY));
    run_figure(r, "pipeline", "files_per_s", "1/s", "higher",
               "files of the input / pipeline.wall_s",
               (double)text.pipe.files.all / s->wall_s);
}

static void byte_figures(struct run *r, const struct text_sums *s)
{
    double read = (double)s->read_bytes, written = (double)s->write_bytes;
    run_figure(r, "pipeline", "read_MB", "MB", "lower",
               "bytes read of inputs and outputs / 1e6", read / 1e6);
    run_figure(r, "pipeline", "write_MB", "MB", "lower", "bytes written / 1e6",
               written / 1e6);
    if (s->model_bytes)
        run_figure(r, "pipeline", "model_read_MB", "MB", "lower",
                   "bytes read of the lexicon and the models, each by every rank / "
                   "1e6; not in read_MB",
                   (double)s->model_bytes / 1e6);
    run_figure(r, "pipeline", "read_write_ratio", "1", "lower", "read_MB / write_MB",
               written > 0 ? read / written : NAN);
    double in = (double)text.pipe.files.in_bytes;
    run_figure(r, "pipeline", "read_amplification", "1", "lower",
               "bytes read / bytes of the input", in > 0 ? read / in : NAN);
    run_figure(r, "pipeline", "opens", "1", "lower",
               "files opened, to be read or written", (double)s->opened);
}

void text_figures(struct run *r)
{
    time_figures(r, &text.sums);
    byte_figures(r, &text.sums);
}
