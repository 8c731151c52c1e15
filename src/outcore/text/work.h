/* A module's work on a file in memory: the real one, generated sections of the same
 * length, or work that takes as long as Java took in 2007. No MPI, no files. */
#ifndef OUTCORE_TEXT_WORK_H
#define OUTCORE_TEXT_WORK_H

#include "outcore/text/grow.h"
#include "outcore/text/module.h"

enum { TEXT_STEPS = 8 };

enum text_cost { TEXT_COST_REAL, TEXT_COST_NONE, TEXT_COST_JAVA };

struct text_work {
    enum text_cost cost;
    double java_s; /* processor seconds of all modules together, for 9.84 MB */
    struct text_tools *tools[TEXT_STEPS]; /* of each module; real only */
};

/* Local, any thread, with a room of its own. Runs module m (0 ..) on the file with that
 * label, and replaces the contents of `out` by what the module adds. `in` is the input
 * for module 0, and the output so far for the others; in_bytes is the size of the
 * input. 0, or -errno with a sentence (-EBADMSG: malformed input). */
int text_step(const struct text_work *w, struct text_room *room, int m,
              const char *label, const struct text_out *in, int64_t in_bytes,
              struct text_out *out);

/* Local, any thread. Takes the processor time that module m took for so many bytes. */
void text_linger(const struct text_work *w, int m, int64_t in_bytes);

#endif
