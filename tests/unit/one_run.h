/* A run that has started, for tests of code that needs one. */
#ifndef TESTS_UNIT_ONE_RUN_H
#define TESTS_UNIT_ONE_RUN_H

#include "run/run.h"

/* Starts it on all ranks, with one lane; the report has been told everything. */
static inline void one_run(struct run *r, struct run_options *options)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &r->world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->world.size);
    r->world.comm = MPI_COMM_WORLD;
    r->options = options;
    r->described = true;
    r->lanes = 1;
    r->direct_align = IO_DIRECT_ALIGN;
}

#endif
