#include "outcore/ngram/classify.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "io/whole.h"
#include "outcore/data/folder.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers --------------------------------------------------------------------- */

extern const struct sink_ops answers_ops; /* with a struct answers as context */

static void classify_take(void *context, const void *data, int64_t bytes)
{
    const struct answers *a = context;
    reading_take(a->reading, data, bytes);
}

static uint64_t hash(const char *name, const struct reading_verdict *v)
{
    uint64_t x = rng_mix((uint64_t)v->score + (uint64_t)v->grams * RNG_STEP);
    x = rng_mix(x + (uint64_t)(v->language + 1));
    while (*name)
        x = rng_mix(x + RNG_STEP + (unsigned char)*name++);
    return x;
}

static void write_line(struct answers *a, const char *name,
                       const struct reading_verdict *v)
{
    char line[ANSWERS_LINE];
    const char *said =
        v->language == CLASSIFIER_NONE ? "undetermined" : a->model->name[v->language];
    int n = snprintf(line, sizeof line, "\t%s\t%lld\t%lld\n", said, (long long)v->grams,
                     (long long)v->score);
    run_stream_put(a->lines, name, (int64_t)strlen(name));
    run_stream_put(a->lines, line, n);
    a->sum.line_bytes += (int64_t)strlen(name) + n;
}

static void classify_document_end(void *context, const char *name)
{
    struct answers *a = context;
    struct reading_verdict v = reading_end(a->reading, NULL);
    const char *slash = strchr(name, '/');
    int truth = slash ? languages_find(a->model, name, (size_t)(slash - name)) : -1;
    bool none = v.language == CLASSIFIER_NONE;
    a->sum.documents++;
    a->sum.undetermined += none;
    a->sum.grams += v.grams;
    a->sum.sum = (int64_t)((uint64_t)a->sum.sum + hash(name, &v));
    if (truth >= 0)
        a->sum.said[truth][none ? LANGUAGES_MOST : v.language]++;
    if (a->lines)
        write_line(a, name, &v);
}

const struct sink_ops answers_ops = {classify_take, classify_document_end};

/* Local. Adds the counts of `s` to `to`. */
static void answers_add(struct answers_sum *to, const struct answers_sum *s)
{
    to->documents += s->documents;
    to->undetermined += s->undetermined;
    to->grams += s->grams;
    to->sum = (int64_t)((uint64_t)to->sum + (uint64_t)s->sum);
    to->line_bytes += s->line_bytes;
    for (int i = 0; i < LANGUAGES_MOST; i++)
        for (int k = 0; k < ANSWERS_KINDS; k++)
            to->said[i][k] += s->said[i][k];
}

/* ---- the input ------------------------------------------------------------------- */

/* ---- the file -------------------------------------------------------------------- */

static int read_parts(struct io_folder *d, struct io_whole *w, char **text)
{
    int rc = io_whole_open(d, w);
    if (!rc && w->size > LANGUAGES_BYTES_MAX)
        rc = err_set(-EFBIG, w->name, -1,
                     "the model has %lld bytes, and more than %d are too many",
                     (long long)w->size, LANGUAGES_BYTES_MAX);
    *text = rc ? NULL : mem_of(w->name, w->size + 1, 1, "the model");
    if (!rc && !*text)
        rc = -ENOMEM;
    while (!rc && w->at < w->size) {
        w->buf = *text + w->at;
        w->room = w->size - w->at;
        rc = io_whole_part(d, w);
    }
    return rc;
}

static int classify_read_file(const char *path, char **text, int64_t *bytes)
{
    char folder[DATA_FOLDER_PATH];
    struct io_folder *d = NULL;
    struct io_whole w = {.fd = -1};
    int rc = data_folder_of(path, folder, &w.name);
    if (!rc && !*w.name)
        rc = err_set(-EISDIR, path, -1, "the model is a directory, and must be a file");
    if (rc)
        return rc;
    rc = io_folder_open(&d, MPI_COMM_NULL, folder, IO_READ | IO_LOCAL);
    rc = rc ? rc : read_parts(d, &w, text);
    if (w.fd >= 0)
        io_whole_close(d, &w);
    io_folder_close(&d);
    *bytes = w.at;
    return rc;
}

int load_model(const struct run *r, const char *path, struct languages *m)
{
    char *text = NULL;
    int64_t bytes = 0;
    int rc = r->world.rank ? 0 : classify_read_file(path, &text, &bytes);
    rc = err_agree(r->world.comm, rc);
    if (!rc) {
        MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, r->world.comm);
        text = r->world.rank ? mem_of(path, bytes + 1, 1, "the model") : text;
        rc = text ? 0 : -ENOMEM;
        rc = err_agree(r->world.comm, rc);
    }
    if (!rc) {
        MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, r->world.comm);
        rc = err_agree(r->world.comm, languages_parse(m, path, text, bytes));
    }
    free(text);
    return rc;
}

/* ---- tables ---------------------------------------------------------------------- */

static int share(struct load_tables *t, int64_t bytes, bool first)
{
    MPI_Aint all = (MPI_Aint)(first ? bytes : 0);
    int unit;
    if (MPI_Win_allocate_shared(all, 1, MPI_INFO_NULL, t->node, &t->memory,
                                &t->window) != MPI_SUCCESS)
        return mem_none(NULL, bytes, "what the ranks of a node share");
    MPI_Win_shared_query(t->window, 0, &all, &unit, &t->memory);
    return 0;
}

int load_tables_open(struct run *r, struct load_tables *t, const struct languages *m,
                     const struct classifier_how *how, struct classifier *c)
{
    int64_t bytes = classifier_memory(m, how);
    bool first = r->world.node_rank == 0;
    *t = (struct load_tables){.window = MPI_WIN_NULL, .open = true};
    MPI_Comm_split(r->world.comm, r->world.node, r->world.rank, &t->node);
    MPI_Comm_set_errhandler(t->node, MPI_ERRORS_RETURN);
    int rc = r->world.node_ranks > 1 ? share(t, bytes, first)
                                     : buf_reserve_huge(&t->memory, bytes, "tables");
    rc = err_agree(r->world.comm, rc);
    if (rc)
        return rc;
    if (first)
        memset(t->memory, 0, (size_t)bytes);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_lock_all(MPI_MODE_NOCHECK, t->window);
    classifier_make(c, m, how, t->memory, first);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_sync(t->window);
    world_barrier(t->node);
    if (t->window != MPI_WIN_NULL)
        MPI_Win_sync(t->window);
    return 0;
}

void load_tables_close(struct load_tables *t)
{
    if (!t->open)
        return;
    if (t->window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(t->window);
        MPI_Win_free(&t->window);
    } else {
        buf_free(t->memory);
    }
    MPI_Comm_free(&t->node);
    t->open = false;
}

/* ---- classification -------------------------------------------------------------- */

extern const char *const classify_phase[STAGES];

const char *const classify_phase[STAGES] = {"read", "read_classify", "end_to_end"};

/* ---- sums ------------------------------------------------------------------------ */

static void classify_begin(struct run *r, struct classify *c, enum classify_stage stage)
{
    const struct consume none = {.how = CONSUME_NONE};
    for (int i = 0; i < r->lanes; i++) {
        c->lane[i].lines = NULL;
        memset(&c->lane[i].sum, 0, sizeof c->lane[i].sum);
        c->sink[i] = (struct sink){.how = none};
        if (stage != STAGE_READ)
            c->sink[i] = (struct sink){.ops = &answers_ops, .context = &c->lane[i]};
    }
}

/* The bytes written. With direct I/O whole blocks are written, and each file is cut at
 * its end. */
static int64_t written(const struct run *r, const struct answers *a)
{
    int64_t bytes = a->sum.line_bytes;
    return r->io_flags & IO_DIRECT ? units_round_up(bytes, IO_DIRECT_ALIGN) : bytes;
}

/* Sums up over all lanes of all ranks; *files: number that went to sinks. */
static void classify_end(struct run *r, struct classify *c, int64_t *files)
{
    int64_t moved[2] = {0, 0};
    memset(&c->found, 0, sizeof c->found);
    for (int i = 0; i < r->lanes; i++) {
        c->lane[i].sum.line_bytes = written(r, &c->lane[i]);
        answers_add(&c->found, &c->lane[i].sum);
        moved[0] += c->sink[i].bytes;
        moved[1] += c->sink[i].files;
    }
    world_reduce(r->world.comm, &c->found, (int)(sizeof c->found / sizeof(int64_t)),
                 MPI_INT64_T, MPI_SUM);
    world_reduce(r->world.comm, moved, 2, MPI_INT64_T, MPI_SUM);
    c->bytes = moved[0];
    *files = moved[1];
}

static int64_t of_rank(const struct run *r, const struct classify *c)
{
    int64_t bytes = 0;
    for (int i = 0; i < r->lanes; i++)
        bytes += c->sink[i].bytes;
    return bytes;
}

/* ---- a pass ---------------------------------------------------------------------- */

static void open_lines(struct run *r, struct classify *c)
{
    if (output_open(r, &c->output, 0, ANSWERS_BLOCK, 1))
        return;
    for (int i = 0; i < c->output.writers; i++) {
        struct run_stream_how how = {
            .op = IO_OP_WRITE, .slot_bytes = ANSWERS_BLOCK, .slots = 1, .record = 1};
        run_stream_open(&c->lane[i].lines, &c->output.of[i], &how);
    }
}

static void flush_lane(struct run *r, void *classify)
{
    struct classify *c = classify;
    if (c->lane[r->lane].lines)
        run_stream_flush(c->lane[r->lane].lines);
    run_stream_close(&c->lane[r->lane].lines);
}

static void pass_all(struct run *r, struct classify *c, enum classify_stage stage)
{
    if (stage == STAGE_ALL)
        open_lines(r, c);
    if (!r->failed)
        passing_run(&c->many.passing, r);
    run_count_cached(r, of_rank(r, c), c->many.passing.resident);
    if (stage != STAGE_ALL)
        return;
    run_lanes(r, flush_lane, c);
    output_close(r, &c->output, true);
}

/* Checks that all listed files have come. */
static int classify_check_files(const struct run *r, const struct classify *c,
                                int64_t files)
{
    int64_t names = c->many.names.n;
    world_reduce(r->world.comm, &names, 1, MPI_INT64_T, MPI_SUM);
    if (names == files)
        return 0;
    return err_set(-EIO, c->many.folder.path, -1,
                   "%lld document%s went through the slots, and there are %lld",
                   (long long)files, units_s(files), (long long)names);
}

int classify_pass(struct run *r, struct classify *c, enum classify_stage stage)
{
    int64_t files;
    classify_begin(r, c, stage);
    passing_drop(&c->many.passing, r);
    run_phase_begin(r, classify_phase[stage]);
    int64_t begin_ns = clock_cpu_ns();
    pass_all(r, c, stage);
    c->cpu_ns = clock_cpu_ns() - begin_ns;
    int rc = run_phase_end(r);
    classify_end(r, c, &files);
    rc = rc ? rc : classify_check_files(r, c, files);
    return rc ? rc
              : run_moved(r, classify_phase[stage], c->many.folder.path, c->bytes,
                          c->found.line_bytes);
}

/* ---- checking -------------------------------------------------------------------- */

static bool same(const struct answers_sum *a, const struct answers_sum *b)
{
    return a->documents == b->documents && a->undetermined == b->undetermined &&
           a->grams == b->grams && a->sum == b->sum &&
           !memcmp(a->said, b->said, sizeof a->said);
}

int classify_verify(struct run *r, struct classify *c)
{
    struct answers_sum streamed = c->found;
    int64_t files;
    classify_begin(r, c, STAGE_CLASSIFY);
    r->aside = r->samples_only = true;
    run_phase_begin(r, "verify");
    passing_plain(&c->many.passing, r, c->sink);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    classify_end(r, c, &files);
    struct answers_sum plain = c->found;
    c->found = streamed;
    if (rc)
        return rc;
    r->checked += r->world.rank ? 0 : plain.documents;
    if (same(&plain, &streamed))
        return 0;
    r->bad += r->world.rank ? 0 : 1;
    return err_set(-EIO, c->many.folder.path, -1,
                   "the documents' languages, read plainly, are others than those that "
                   "came through the slots (%lld and %lld document%s, %lld and %lld "
                   "gram%s)",
                   (long long)plain.documents, (long long)streamed.documents,
                   units_s(streamed.documents), (long long)plain.grams,
                   (long long)streamed.grams, units_s(streamed.grams));
}

/* ---- figures --------------------------------------------------------------------- */

/* ---- figures of a pass ----------------------------------------------------------- */

static void wait_figures(struct run *r, const struct passing *p, const char *phase)
{
    double ns[3] = {(double)p->sink_wait_ns / p->consumers,
                    (double)p->reader_wait_ns / p->readers / p->consumers,
                    (double)(r->phase->end_ns - r->phase->begin_ns)};
    world_reduce(r->world.comm, ns, 3, MPI_DOUBLE, MPI_SUM);
    run_figure(r, phase, "sink_wait", "%", "lower",
               "of the phase a consumer found no slot filled, mean over consumers",
               ns[2] > 0 ? 100 * ns[0] / ns[2] : 0);
    run_figure(r, phase, "reader_wait", "%", "lower",
               "of the phase a reader found no slot free, mean over readers",
               ns[2] > 0 ? 100 * ns[1] / ns[2] : 0);
}

static int64_t right_ones(const struct answers_sum *s, int64_t *all)
{
    int64_t right = 0;
    *all = 0;
    for (int i = 0; i < LANGUAGES_MOST; i++) {
        right += s->said[i][i];
        for (int k = 0; k < ANSWERS_KINDS; k++)
            *all += s->said[i][k];
    }
    return right;
}

static void rate_figure(struct run *r, const struct classify *c)
{
    double s = 0;
    for (int i = 0; i < c->many.passing.consumers; i++)
        s += (double)run_lane_of(r, i)->phase->act[ACT_COMPUTE].ns / 1e9;
    world_reduce(r->world.comm, &s, 1, MPI_DOUBLE, MPI_SUM);
    run_figure(r, "classify", "MBps", "MB/s", "higher",
               "bytes / seconds of classifying, added up over all consumers / 1e6: "
               "what one of them does",
               s > 0 ? (double)c->bytes / s / 1e6 : NAN);
}

void classify_figures(struct run *r, const struct classify *c,
                      enum classify_stage stage)
{
    const char *phase = classify_phase[stage];
    double cpu_s = (double)c->cpu_ns / 1e9, bytes = (double)c->bytes;
    int64_t files = c->many.names.n;
    world_reduce(r->world.comm, &cpu_s, 1, MPI_DOUBLE, MPI_SUM);
    world_reduce(r->world.comm, &files, 1, MPI_INT64_T, MPI_SUM);
    run_figure(r, phase, "MBps", "MB/s", "higher",
               "bytes of all documents / slowest rank's phase seconds / 1e6",
               bytes / r->last.wall_s / 1e6);
    run_figure(r, phase, "docs_per_s", "1/s", "higher",
               "documents / slowest rank's phase seconds",
               (double)files / r->last.wall_s);
    run_figure(r, phase, "cpu_s_per_GB", "s/GB", "lower",
               "processor seconds of all ranks' processes / bytes of all documents "
               "/ 1e9",
               bytes > 0 ? cpu_s / (bytes / 1e9) : NAN);
    wait_figures(r, &c->many.passing, phase);
}

/* ---- results of the run ---------------------------------------------------------- */

/* Notes the answers on the documents of a language: "39 of 40 right, 1 en". */
static void say_language(struct run *r, const struct classify *c, int l)
{
    const int64_t *said = c->found.said[l];
    char text[1024];
    int n = 0;
    int64_t all = 0;
    for (int k = 0; k < ANSWERS_KINDS; k++)
        all += said[k];
    if (!all)
        return;
    n = snprintf(text, sizeof text, "%lld of %lld right", (long long)said[l],
                 (long long)all);
    for (int k = 0; k < ANSWERS_KINDS && n < (int)sizeof text - LANGUAGES_NAME - 32;
         k++)
        if (said[k] && k != l)
            n += snprintf(text + n, sizeof text - (size_t)n, ", %lld %s",
                          (long long)said[k],
                          k == LANGUAGES_MOST ? "undetermined" : c->model.name[k]);
    report_note(r->report, c->model.name[l], "%s", text);
}

void classify_results(struct run *r, const struct classify *c)
{
    const struct answers_sum *s = &c->found;
    int64_t all, right = right_ones(s, &all);
    uint64_t sum = (uint64_t)s->sum;
    double halves[2] = {(double)(sum >> 32), (double)(sum & UINT32_MAX)};
    if (!s->documents)
        return;
    run_result(r, "documents", (double)s->documents);
    run_result(r, "bytes", (double)c->bytes);
    run_result(r, "grams", (double)s->grams);
    run_result(r, "undetermined", (double)s->undetermined);
    report_result(r->report, "answer_sum", halves, 2);
    if (!all)
        return;
    run_result(r, "labelled", (double)all);
    run_result(r, "right", (double)right);
    for (int l = 0; l < c->model.languages; l++)
        say_language(r, c, l);
}

void classify_answer_figures(struct run *r, const struct classify *c)
{
    int64_t all, right = right_ones(&c->found, &all);
    rate_figure(r, c);
    if (all)
        run_figure(r, "", "accuracy", "%", "higher",
                   "documents classified as their directory is named / documents in "
                   "directories with the name of a language",
                   100 * (double)right / (double)all);
}
