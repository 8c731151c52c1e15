/* The order of records of any fixed size: bytes that compare as unsigned ones, or
 * numbers; and the sort of an index to them. No MPI, no files. */
#ifndef SORT_ORDER_H
#define SORT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum sort_kind {
    SORT_BYTES,  /* the key's bytes, unsigned */
    SORT_FLOATS, /* 32-bit little-endian numbers, each in IEEE 754-2008's totalOrder:
                  * -NaN < -inf < ... < -0 < +0 < ... < inf < NaN */
};

/* What is sorted by. Equal keys stay in the order in which they are in the file. */
struct sort_order {
    enum sort_kind kind;
    int64_t bytes;             /* of a record */
    int64_t key_at, key_bytes; /* of the key, in it; of floats a multiple of 4 */
};

/* Where a record is among those that are sorted, and the first 8 bytes of its key in
 * a form that compares as a number. */
struct sort_entry {
    uint64_t prefix;
    int64_t place;
};

/* Local. Word k of a record's key, as a number; beyond the key's end zeros. */
uint64_t sort_word(const struct sort_order *o, const void *record, int k);

/* Local. Below, at or above 0, as the key of a comes before that of b, equals it, or
 * comes after. */
int sort_compare(const struct sort_order *o, const void *a, const void *b);

/* Local. Makes the entries of n records and sorts them, in n x sizeof(struct
 * sort_entry) bytes and the stack. */
void sort_index(const struct sort_order *o, const void *records, int64_t n,
                struct sort_entry *e);

/* Local. Copies the records of n entries to `to`, in their order. */
void sort_gather(const struct sort_order *o, const void *records,
                 const struct sort_entry *e, int64_t n, void *to);

#endif
