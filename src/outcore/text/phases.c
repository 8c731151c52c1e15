#include "base/err.h"
#include "outcore/text/text.h"
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

static void add_up(struct run *r)
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
    MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_INT64_T, MPI_SUM, r->world.comm);
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
        add_up(r);
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
