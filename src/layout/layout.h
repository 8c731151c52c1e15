/* The place of each byte: (rank, mat, blk) -> (file, offset). Pure arithmetic.
 *
 * A block is named by three digits; a layout is the order in which those digits
 * make the slot number. A slot has a fixed size (an input: the largest share of
 * all grids that use the file, rounded up), so shares may be uneven. */
#ifndef LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_H

#include "algebra/descriptor.h"
#include <stdint.h>

enum layout_order {
    LAYOUT_UNIQUE,     /* a file per rank: (mat, blk) */
    LAYOUT_RANK_MAJOR, /* one file: (rank, mat, blk), as MADbench2 */
    LAYOUT_MATRIX,     /* one file: (mat, rank, blk) */
    LAYOUT_INTERLEAVED /* one file: (mat, blk, rank) */
};

struct layout {
    enum layout_order order;
    int64_t ranks, mats, blks; /* number of values of each digit */
    int64_t slot_bytes;
    int64_t start; /* byte offset of slot 0: misaligns all of them */
};

struct extent {
    int64_t file; /* 0 for a shared file, the rank for unique ones */
    int64_t offset, bytes;
};

enum { LAYOUT_DIGITS = 3 };
struct layout_digit {
    const char *name; /* "rank", "mat", "blk" */
    int64_t count;
};

/* Local. Lists the digits of one file in order, slowest first; returns their number (a
 * file of one rank has no rank). */
int layout_digits(const struct layout *l, struct layout_digit d[LAYOUT_DIGITS]);

/* Local. Returns the digits in order, such as "rank,mat,blk", for reports. */
const char *layout_text(enum layout_order order);

/* Local. Checks the digits and that no offset exceeds 2^63-1. Returns 0 or
 * -EINVAL / -EOVERFLOW with a sentence. */
int layout_check(const struct layout *l);

/* Local. Returns the slot of a block. Digits must be in range. */
struct extent layout_at(const struct layout *l, int64_t rank, int64_t mat, int64_t blk);

/* Local. Returns a plan of the blocks of one file, by the ranks that share it, matrix
 * by matrix and block by block. The layout must have been checked. */
struct ldad_plan layout_plan(const struct layout *l);

/* Local. Return the bytes of each file, and the number of files. */
int64_t layout_file_bytes(const struct layout *l);
int64_t layout_files(const struct layout *l);

#endif
