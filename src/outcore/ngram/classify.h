/* Classifies the documents of a directory: outcore stream's readers and slots, with a
 * classifier at their end. */
#ifndef OUTCORE_NGRAM_CLASSIFY_H
#define OUTCORE_NGRAM_CLASSIFY_H

#include "outcore/data/output.h"
#include "outcore/ngram/classifier.h"
#include "outcore/stream/many.h"
#include "outcore/stream/sink.h"
#include "run/run.h"
#include "run/stream/stream.h"

/* ---- answers --------------------------------------------------------------------- */

/* Answers on documents: a line for each, in blocks, and sums that do not depend on who
 * has read what. A document's true language is the first directory of its path, if the
 * model has a language of that name: de/page.html. */

enum { ANSWERS_KINDS = LANGUAGES_MOST + 1, ANSWERS_BLOCK = 1 << 16 };

struct answers_sum {
    int64_t documents, undetermined, grams;
    int64_t sum;        /* sum of a hash of each answer, modulo 2^64 */
    int64_t line_bytes; /* bytes of the lines written */
    int64_t said[LANGUAGES_MOST][ANSWERS_KINDS]; /* answers by true language of the
                                                  * documents; the last: undetermined */
};

struct answers { /* answers of a lane */
    const struct languages *model;
    struct reading *reading;
    struct run_stream *lines; /* NULL: not written */
    struct answers_sum sum;
};

/* Local. Most bytes of a line, without the document's name. */
enum { ANSWERS_LINE = LANGUAGES_NAME + 48 };

/* ---- the input ------------------------------------------------------------------- */

/* The model's file, which rank 0 reads for all, and its tables, which the ranks of a
 * node share. */

/* **Collective**, in `plan`. Rank 0 reads the file, and sends its model to all. Returns
 * the agreed verdict; languages_free must be called in any case. */
int load_model(const struct run *r, const char *path, struct languages *m);

struct load_tables { /* all zeros: none */
    MPI_Comm node;
    MPI_Win window; /* if ranks share them; else each rank has its own */
    void *memory;
    bool open;
};

/* **Collective**, between phases. Makes the classifier of that model, in memory that a
 * node has once. Returns the agreed verdict. */
int load_tables_open(struct run *r, struct load_tables *t, const struct languages *m,
                     const struct classifier_how *how, struct classifier *c);

/* **Collective.** Frees the tables. */
void load_tables_close(struct load_tables *t);

/* ---- classification -------------------------------------------------------------- */

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

/* ---- training -------------------------------------------------------------------- */

int ngram_train(int argc, char **argv);

#endif
