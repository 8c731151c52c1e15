/* A run of one rank without MPI, for tests of code that reads and writes through
 * one. */
#ifndef TESTS_UNIT_LOCAL_RUN_H
#define TESTS_UNIT_LOCAL_RUN_H

#include "run/run.h"

/* Begins a run in a phase, with engine posix, and forgets earlier counts; false: no
 * memory. */
static inline bool local_run(struct run *r)
{
    static struct run_options options;
    *r = (struct run){.options = &options,
                      .engine = "posix",
                      .world.size = 1,
                      .lanes = 1,
                      .direct_align = IO_DIRECT_ALIGN,
                      .described = true,
                      .phase = r->phase};
    if (!r->phase && phase_open(&r->phase))
        return false;
    phase_begin(r->phase, "test", 1);
    return true;
}

#endif
