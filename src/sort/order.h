/* The order of records of any fixed size (bytes that compare as unsigned, numbers, or
 * an order that a program defines), and the sort of an index to them. No MPI, no
 * files. */
#ifndef SORT_ORDER_H
#define SORT_ORDER_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum sort_kind {
    SORT_BYTES,  /* the key's bytes, unsigned */
    SORT_FLOATS, /* 32-bit little-endian numbers, each in IEEE 754-2008's totalOrder:
                  * -NaN < -inf < ... < -0 < +0 < ... < inf < NaN */
    SORT_OWN,    /* key_bytes / 8 words, which `words` returns */
};

/* The order to sort by. Equal keys stay in the order in which they are in the file. */
struct sort_order {
    enum sort_kind kind;
    int64_t bytes; /* size of a record */
    /* place and size of the key in a record; of floats a multiple of 4 */
    int64_t key_at, key_bytes;
    /* SORT_OWN: returns words k and k + 1 of the key. The first word that differs
     * decides; words behind the last one may be anything. */
    void (*words)(const void *record, int k, uint64_t two[2]);
    /* SORT_OWN: sorts n records in place, without an index. Equal ones may come in any
     * order, as they are the same. NULL: sort by an index. */
    void (*sort)(void *records, int64_t n);
};

/* The place of a record among those that are sorted, and the first 8 bytes of its key
 * in a form that compares as a number. */
struct sort_entry {
    uint64_t prefix;
    int64_t place;
};

/* Local. Returns the number of words of a key. */
static inline int sort_words(const struct sort_order *o)
{
    return (int)((o->key_bytes + 7) / 8);
}

/* Returns a word of `left` bytes, 8 at most. All 8 are read at once if the record has
 * them. */
static inline uint64_t sort_word_of_bytes(const struct sort_order *o,
                                          const unsigned char *record, int64_t at,
                                          int64_t left)
{
    uint64_t word = 0;
    if (at + 8 <= o->bytes)
        memcpy(&word, record + at, 8);
    else
        memcpy(&word, record + at, (size_t)(o->bytes - at));
    word = be64toh(word);
    return left < 8 ? word >> (64 - 8 * left) << (64 - 8 * left) : word;
}

/* Maps the bits of a float to a number whose unsigned order is totalOrder: a negative
 * float has all its bits flipped, others the sign bit. */
static inline uint32_t sort_total_order(uint32_t bits)
{
    uint32_t negative = 0 - (bits >> 31);
    return bits ^ (negative | UINT32_C(0x80000000));
}

static inline uint64_t sort_word_of_floats(const unsigned char *key, int64_t left)
{
    uint32_t two[2] = {0, 0};
    memcpy(two, key, left < 8 ? 4 : 8);
    uint64_t high = sort_total_order(le32toh(two[0]));
    return high << 32 | (left < 8 ? 0 : sort_total_order(le32toh(two[1])));
}

/* Local. Returns word k of a record's key as a number; beyond the key's end it is
 * zero. */
static inline uint64_t sort_word(const struct sort_order *o, const void *record, int k)
{
    const unsigned char *bytes = record;
    int64_t left = o->key_bytes - 8 * (int64_t)k, at = o->key_at + 8 * (int64_t)k;
    if (left <= 0)
        return 0;
    if (o->kind == SORT_OWN) {
        uint64_t two[2];
        o->words(record, k, two);
        return two[0];
    }
    return o->kind == SORT_BYTES ? sort_word_of_bytes(o, bytes, at, left)
                                 : sort_word_of_floats(bytes + at, left);
}

/* Local. Returns the first two words of a record's key. */
static inline void sort_first_words(const struct sort_order *o, const void *record,
                                    uint64_t two[2])
{
    if (o->kind == SORT_OWN) {
        o->words(record, 0, two);
        two[1] = o->key_bytes > 8 ? two[1] : 0;
        return;
    }
    two[0] = sort_word(o, record, 0);
    two[1] = sort_word(o, record, 1);
}

/* Local. Compares keys from word k on. Returns a number below, at or above 0 if the key
 * of a comes before that of b, equals it, or comes after. */
int sort_compare_from(const struct sort_order *o, const void *a, const void *b, int k);

/* Local. Compares keys. Returns a number below, at or above 0 if the key of a comes
 * before that of b, equals it, or comes after. */
int sort_compare(const struct sort_order *o, const void *a, const void *b);

/* Local. Makes the entries of n records and sorts them, in n x sizeof(struct
 * sort_entry) bytes and the stack. */
void sort_index(const struct sort_order *o, const void *records, int64_t n,
                struct sort_entry *e);

/* Local. Copies the records of the first n of `left` entries to `to`, in their order,
 * and prefetches the next ones. */
void sort_gather(const struct sort_order *o, const void *records,
                 const struct sort_entry *e, int64_t n, int64_t left, void *to);

#endif
