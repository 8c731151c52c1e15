/* MMap: the output is made with its full size, and both files are mapped. The engine
 * copies from and to the mappings, and turns the SIGBUS of a full disk into a sentence.
 * A strip is one copy: if several ranks write a file, each copy first allocates its
 * space, and one call for each row of a tile would be ten times as slow. */
#include "outcore/resample/job.h"

const struct method method_mmap = {
    .name = "mmap",
    .about = "both files mapped into memory, a strip copied at a time",
    .engine = "mmap",
    .run = strips_run};
