/* --format=madbench2: prints the lines of MADbench2, for scripts that read them. */
#ifndef MADBENCH_ORIGINAL_H
#define MADBENCH_ORIGINAL_H

#include "madbench/bench.h"

/* Local. True if this format was requested. */
bool original_asked(const struct settings *s);

/* Local. Prints the lines before the first phase (on rank 0). */
void original_head(const struct bench *b);

/* **Collective.** Prints the lines of the phase that has ended: seconds, mean over
 * ranks [minimum:maximum], to two decimals, of
 *   X_bw     busy work
 *   X_r      reading, as the program sees it
 *   X_w      writing, and syncing what was written
 *   X_cc     the rest: calculation and communication, but also opening and closing,
 *            checking blocks, and waiting for other ranks
 *   X_total  the whole phase
 * A line is left out if no rank spent time so, as in MADbench2. */
void original_phase(const struct bench *b);

/* Local, on rank 0. Prints the line of the result, which ends full mode. */
void original_result(double dc);

#endif
