/* Internals of outcore text: its options, and the state that its files share. */
#ifndef OUTCORE_TEXT_TEXT_H
#define OUTCORE_TEXT_TEXT_H

#include "base/stats.h"
#include "outcore/data/output.h"
#include "outcore/text/pipeline.h"
#include "outcore/text/work.h"
#include "run/workload.h"

/* Sums over the phases of a repetition, of all ranks. */
struct text_sums {
    double wall_s, io_s;
    double ns[ACT_COUNT];
    int64_t read_bytes, write_bytes, model_bytes;
    int64_t opened, opens[HIST_SIZE];
};

struct text {
    struct {
        struct run_options run;
        const char *input, *update, *order, *replace, *cost, *bad, *format, *weights;
        int64_t files, size, passes, model_bytes;
        double java_s, table_share;
        bool faithful, container, check;
    } set;
    struct many many; /* the input */
    struct output output;
    struct pipeline pipe;
    struct models models;
    struct text_sums sums;
    uint64_t crc; /* sum of the outputs' CRC-32, of all ranks */
    int64_t out_bytes, skipped, done;
    bool known; /* the two above are valid */
};

extern struct text text;

/* Stages and callbacks of the workload (run/workload.h). */
int text_begin(struct run *r, void *unused);
int text_make(struct run *r, void *unused);
int text_run(struct run *r, void *unused);
int text_verify(struct run *r, void *unused);
int text_put_away(struct run *r, int rc);
int text_results(struct run *r, int rc);

/* **Collective.** Phase `check`, for --check. Returns the agreed verdict. */
int text_check_all(struct run *r);

/* **Collective.** text_sum_up(), after each phase of work, adds to the sums;
 * text_figures(), after the last one, reports figures of them. */
void text_sum_up(struct run *r);
void text_figures(struct run *r);

#endif
