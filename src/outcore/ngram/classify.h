/* Documents of a folder, classified: outcore stream's readers and slots, with a
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
    struct answers *lane;     /* of each lane of the rank */
    struct sink *sink;        /* likewise */
    struct answers_sum found; /* of all ranks, in the last phase */
    int64_t bytes;            /* that were read in it, of all ranks */
    int64_t cpu_ns;           /* of this rank in it */
};

/* **Collective.** A phase: all documents go through the slots, and as far as the stage
 * says. Returns the agreed verdict. */
int classify_pass(struct run *r, struct classify *c, enum classify_stage stage);

/* **Collective.** Phase verify, none of the work: the documents are read and classified
 * once more, one after another by all lanes. The same must be said of each. Returns the
 * agreed verdict. */
int classify_verify(struct run *r, struct classify *c);

/* **Collective**, after a pass: its figures. */
void classify_figures(struct run *r, const struct classify *c,
                      enum classify_stage stage);

/* **Collective**, after the last pass of a repetition: how fast documents are
 * classified, and the share of right answers, where it is known. */
void classify_answer_figures(struct run *r, const struct classify *c);

/* Local (rank 0 counts). What the last pass has said, as results and notes. */
void classify_results(struct run *r, const struct classify *c);

extern const char *const classify_phase[STAGES];

#endif
