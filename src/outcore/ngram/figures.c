#include "outcore/ngram/classify.h"
#include <math.h>
#include <stdio.h>

/* ---- figures of a pass ----------------------------------------------------------- */

static void wait_figures(struct run *r, const struct passing *p, const char *phase)
{
    double ns[3] = {(double)p->sink_wait_ns / p->consumers,
                    (double)p->reader_wait_ns / p->readers / p->consumers,
                    (double)(r->phase->end_ns - r->phase->begin_ns)};
    MPI_Allreduce(MPI_IN_PLACE, ns, 3, MPI_DOUBLE, MPI_SUM, r->world.comm);
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
    MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_SUM, r->world.comm);
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
    MPI_Allreduce(MPI_IN_PLACE, &cpu_s, 1, MPI_DOUBLE, MPI_SUM, r->world.comm);
    MPI_Allreduce(MPI_IN_PLACE, &files, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
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
