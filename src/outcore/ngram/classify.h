/* Classifies the documents of a directory: outcore stream's readers and slots, with a
 * classifier at their end. */
#ifndef OUTCORE_NGRAM_CLASSIFY_H
#define OUTCORE_NGRAM_CLASSIFY_H

#include "outcore/data/output.h"
#include "outcore/ngram/answers.h"
#include "outcore/ngram/load.h"
#include "outcore/stream/many.h"

enum classify_stage { STAGE_READ, STAGE_CLASSIFY, STAGE_ALL, STAGES };

struct classify {
    struct languages model;
    struct classifier_how how;
    struct classifier classifier;
    struct load_tables tables;
    struct many many;
    struct output output;
    struct answers *lane;     /* for each lane of the rank */
    struct sink *sink;        /* for each lane of the rank */
    struct answers_sum found; /* of all ranks, in the last phase */
    int64_t bytes;            /* read in it, by all ranks */
    int64_t cpu_ns;           /* of this rank in it */
};

/* **Collective.** Makes a phase: all documents go through the slots, as far as `stage`.
 * Returns the agreed verdict. */
int classify_pass(struct run *r, struct classify *c, enum classify_stage stage);

/* **Collective.** Phase verify, not part of the work: reads and classifies the
 * documents again, one after another on all lanes. The answers must be the same.
 * Returns the agreed verdict. */
int classify_verify(struct run *r, struct classify *c);

/* **Collective**, after a pass: adds its figures. */
void classify_figures(struct run *r, const struct classify *c,
                      enum classify_stage stage);

/* **Collective**, after the last pass of a repetition: adds the rate of classification,
 * and the share of right answers, if it is known. */
void classify_answer_figures(struct run *r, const struct classify *c);

/* Local (rank 0 counts). Reports the answers of the last pass, as results and notes. */
void classify_results(struct run *r, const struct classify *c);

extern const char *const classify_phase[STAGES];

#endif
