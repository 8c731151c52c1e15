/* --input and --read-only: reading what the run did not make. It is opened to be read,
 * and nothing else is done to it, whatever ends the run.
 *
 * Memory of a rank: for each lane its buffers, and 5 KB for each file that it reads of
 * (--read-only of files of ranks: the writers / the lanes of all ranks, in a row). */
#ifndef BLOCK_INPUT_H
#define BLOCK_INPUT_H

#include "block/block.h"
#include "run/workload.h"

/* Local. Whether there is one. */
bool input_given(const struct block_settings *set);

/* **Collective.** The part of struct workload's calls that such a run differs in. plan
 * settles the options that follow from what is there, such as BYTES. */
int input_plan(struct run *r, struct run_need *n);
int input_open(struct run *r);
int input_results(struct run *r, int rc);
void input_close(struct run *r);

/* **Collective.** Bodies of stages: read every block, and read and check it untimed. */
int input_read_all(struct run *r, void *context);
int input_check_all(struct run *r, void *context);

#endif
