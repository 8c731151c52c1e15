/* Files of vectors in the formats of three kinds of programs: places of their rows. */
#ifndef OUTCORE_KNN_FORMAT_H
#define OUTCORE_KNN_FORMAT_H

#include <stdint.h>

#define FORMAT_CHOICES "raw|fvecs|npy"
#define FORMAT_HEAD 4096 /* most bytes at a file's beginning that describe its layout */

struct format {
    int64_t dim, rows;
    int64_t head;   /* bytes before the first row */
    int64_t skip;   /* bytes of a row before its first component */
    int64_t stride; /* bytes of a row */
};

/* Local. The format raw: float32 after float32, nothing else; generated files
 * have it. */
struct format format_raw(int64_t dim, int64_t rows);

/* Local. Determines the format of a file of `bytes`, with vectors of `dim` components,
 * by its first n bytes (FORMAT_HEAD, or all there are), which are not used for a raw
 * file. Returns 0, or -EINVAL with a sentence that has the sizes. */
int format_of(struct format *f, const char *name, const char *path, const void *first,
              int64_t n, int64_t bytes, int64_t dim);

/* Local. The first of n rows in memory that does not begin as its format requires;
 * n: none. */
int64_t format_wrong_row(const struct format *f, const void *rows, int64_t n);

/* ---- labels ---------------------------------------------------------------------- */

/* Labels of vectors, and the vote of neighbours on a query. */

#define LABELS_MOST 65536
#define LABELS_NONE (-1)

/* Local. The label, one of `classes`, that a seed gives to vector `id`. */
int32_t labels_made(uint64_t seed, uint64_t id, int64_t classes);

/* Local. The most frequent label of n neighbours, the nearest first (LABELS_NONE: there
 * is no such neighbour); among equally frequent labels, the one whose nearest neighbour
 * is nearest. LABELS_NONE: there is no neighbour. */
int32_t labels_vote(const int32_t *label, int64_t n);

/* ---- sweeps ---------------------------------------------------------------------- */

/* The number of queries as the balance of I/O and computing: a list of numbers, and the
 * one from which on a pass takes longer. */

enum { SWEEP_MOST = 64 };

struct sweep {
    int n; /* 0: no sweep */
    int64_t queries[SWEEP_MOST];
    double s[SWEEP_MOST], MBps[SWEEP_MOST]; /* of the fastest pass with each number;
                                             * 0: none */
};

/* A pass that takes this much longer than that with the fewest queries is no longer
 * limited by the device. */
#define SWEEP_LONGER 1.1

/* Local. Parses "1,2,4..256": ascending numbers; A..B: doubled from A up to B. text
 * NULL: no sweep. Returns 0, or -EINVAL with a sentence. */
int sweep_parse(struct sweep *s, const char *text);

/* Local. Adds the time and rate of a pass with queries[i]. */
void sweep_add(struct sweep *s, int i, double seconds, double MBps);

/* Local. The number of queries from which on all passes take at least SWEEP_LONGER
 * times as long as that with the fewest; linearly interpolated between two of the list.
 * A single slow pass with fewer queries does not count. 0: the pass with the most does
 * not take that long. */
double sweep_crossover(const struct sweep *s);

#endif
