/* Basic: resamples everything in memory, with one read and one write. To the strips'
 * loop it is a single strip. */
#include "outcore/resample/job.h"

const struct method method_basic = {.name = "basic",
                                    .about = "all in memory: one read and one write",
                                    .whole = true,
                                    .run = strips_run};
