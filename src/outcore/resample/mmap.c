/* MMap: the output is made with its size, and both files are mapped. The engine copies
 * from and to what is mapped, and makes a sentence of the SIGBUS that a full disk
 * sends. A strip is one copy: where several ranks write a file, each copy first has its
 * space allocated, and a call for each row of a tile makes them ten times as slow. */
#include "outcore/resample/job.h"

const struct method method_mmap = {
    .name = "mmap",
    .about = "both files mapped into memory, a strip copied at a time",
    .engine = "mmap",
    .run = strips_run};
