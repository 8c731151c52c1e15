/* Sorts soundings in a limited memory into the order of a PFM. */
#ifndef PFMLOAD_STORE_BATCH_H
#define PFMLOAD_STORE_BATCH_H

#include "extsort/extsort.h"
#include "hydro/pfm.h"
#include <stdbool.h>
#include <stdint.h>

struct batch {
    int64_t n, capacity;
    struct pfm_sounding *sounding;
};

/* Local. Allocates room for `bytes` of soundings, one at least. Returns 0, or -ENOMEM
 * with a sentence; batch_close must be called whatever it returns. */
int batch_open(struct batch *b, int64_t bytes);

/* Local. Copies as many of n soundings as fit, and returns their number. */
int64_t batch_add(struct batch *b, const struct pfm_sounding *s, int64_t n);

/* Local. Sorts the batch by batch_before. */
void batch_sort(struct batch *b);

/* Local. In a sorted batch, the end of the bin of sounding i < b->n. */
int64_t batch_bin_end(const struct batch *b, int64_t i);
void batch_close(struct batch *b); /* Local. Frees the memory. */

/* Local. Sorts n soundings by batch_before, in place. */
void batch_sort_row(struct pfm_sounding *a, int64_t n);

enum { BATCH_WORDS = 4 };

/* Local. A sounding as four numbers, the first differing one of which decides
 * its order. */
static inline uint64_t batch_word(const struct pfm_sounding *s, int k)
{
    switch (k) {
    case 0:
        return (uint64_t)s->bin ^ (uint64_t)1 << 63; /* signed order */
    case 1:
        return (uint64_t)s->file << 32 | s->ping;
    case 2:
        return (uint64_t)s->beam << 48 | (uint64_t)s->line << 32 |
               (uint64_t)s->x << 16 | s->y;
    default:
        return (uint64_t)s->depth << 32 | s->validity;
    }
}

/* Local. The order of soundings everywhere: (bin, file, ping, beam), and for equal ones
 * all other members. */
static inline bool batch_before(const struct pfm_sounding *a,
                                const struct pfm_sounding *b)
{
    if (a->bin != b->bin) /* mostly true */
        return a->bin < b->bin;
    for (int k = 1; k < BATCH_WORDS; k++) {
        uint64_t x = batch_word(a, k), y = batch_word(b, k);
        if (x != y)
            return x < y;
    }
    return false;
}

/* ---- sorted soundings ------------------------------------------------------------ */

/* Sorts soundings, and packets of schemes E and F, by the external sorter, with one
 * lane, in a given memory. */

#define SORTED_MEMORY_MIN 65536 /* bytes */

/* The run and queue by which scratch files are transferred and booked. */
struct sorted_io {
    struct run *run;
    struct io_queue *queue; /* shared by several files; NULL: each has its own */
};

/* Local. Opens a sorter of soundings into the order of a PFM (batch_before), with a
 * group for each bin. Soundings beyond the memory go to files whose paths begin with
 * `scratch`. Records may be added at once. Errors as in extsort_open. */
int sorted_soundings(struct extsort **s, int64_t memory_bytes, const char *scratch,
                     const struct sorted_io *io);

/* Local. Opens a sorter of packets of `packet_bytes`, a multiple of 8, whose first 8
 * bytes are the key, a number. */
int sorted_packets(struct extsort **s, int64_t packet_bytes, int64_t memory_bytes,
                   const char *scratch, const struct sorted_io *io);

#endif
