/* Records for sorting, of 100 bytes with a key of 10, after those of the Sort
 * Benchmark: record i is computed from i alone. No MPI, no files. */
#ifndef OUTCORE_DATA_RECORDS_H
#define OUTCORE_DATA_RECORDS_H

#include "base/draw.h"
#include <stdbool.h>
#include <stdint.h>

#define RECORDS_BYTES 100
#define RECORDS_KEY_BYTES 10 /* the first bytes of a record */
#define RECORDS_PREFIXES 65536

struct records {
    uint64_t key; /* rng_key(seed, RNG_RECORDS) */
    bool ascii;   /* lines of printable characters that end in CR LF; else binary */
    double duplicates; /* share of records i with the key of record i / 2, 0..1 */
    double skew;       /* above 0: of the RECORDS_PREFIXES values of a key's first 16
                        * bits, number k occurs in proportion to k^-skew */
    struct zipf zipf;  /* set by records_prepare */
};

/* Local. To be called before the first records_make, when the other members are set. */
void records_prepare(struct records *r);

/* Local, any thread. Makes records first .. first + n - 1 (n * RECORDS_BYTES bytes). */
void records_make(const struct records *r, int64_t first, int64_t n, void *to);

#endif
