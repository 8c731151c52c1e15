/* --input and --read-only: reads files that the run did not make. They are opened
 * read-only and never changed, however the run ends.
 *
 * Memory of a rank: for each lane its buffers, and 5 KB for each file that it reads
 * (--read-only of files of ranks: writers divided by the lanes of all ranks). */
#ifndef BLOCK_INPUT_H
#define BLOCK_INPUT_H

#include "block/block.h"
#include "run/workload.h"

/* Local. True if the options name an input. */
bool input_given(const struct block_settings *set);

/* **Collective.** The calls of struct workload that differ in such a run. plan settles
 * the options that follow from the input, such as BYTES. */
int input_plan(struct run *r, struct run_need *n);
int input_open(struct run *r);
int input_results(struct run *r, int rc);
void input_close(struct run *r);

/* **Collective.** Bodies of stages: read every block, and read and check it untimed. */
int input_read_all(struct run *r, void *context);
int input_check_all(struct run *r, void *context);

#endif
