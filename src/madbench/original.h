/* --format=madbench2: the lines that MADbench2 prints, for scripts that read them. */
#ifndef MADBENCH_ORIGINAL_H
#define MADBENCH_ORIGINAL_H

#include "madbench/bench.h"

/* Local. Whether this format was asked for. */
bool original_asked(const struct settings *s);

/* Local. The lines before the first phase (rank 0 prints). */
void original_head(const struct bench *b);

/* **Collective.** The lines of the phase that has ended: seconds, mean over ranks
 * [minimum:maximum], to two decimals, of
 *   X_bw     busy work
 *   X_r      reading, as the program sees it
 *   X_w      writing, and syncing what was written
 *   X_cc     all the rest: calculation and communication, but also opening and closing,
 *            checking blocks, and waiting for other ranks
 *   X_total  all of it
 * A line is left out where no rank spent time so, as in MADbench2. */
void original_phase(const struct bench *b);

/* Local, on rank 0. Prints the line of the result, which ends the full mode. */
void original_result(double dc);

#endif
