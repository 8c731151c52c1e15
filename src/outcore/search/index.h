/* An index of a sorted file, in memory: a word for each page, the first 8 bytes of the
 * key of the last record that begins there, as a number. A key is in the first page
 * whose word is not below the key's own, so one page is read, if no two words are
 * equal. (With words of first records two pages would have to be read for every key
 * equal to one of these: the page before may end with the same key.)
 *
 * The words are in the order of the pages, in cache lines of 8; above them are lines of
 * the last words of 8 lines each, and so on: a B-tree without pointers, of which a
 * search touches a line of each level. No MPI, no files. */
#ifndef OUTCORE_SEARCH_INDEX_H
#define OUTCORE_SEARCH_INDEX_H

#include "sort/order.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- pages ----------------------------------------------------------------------- */

/* Pages. A page has the records that begin in a block; the last of them may reach into
 * the next block, and is read with it. */
struct pages {
    int64_t records, record_bytes;
    int64_t block; /* bytes */
    int64_t align; /* of reads: offsets and sizes, except at the end of the file */
    int64_t n;
};

struct pages_read {
    int64_t offset, bytes; /* bytes: its part in the file */
    int64_t whole;         /* bytes up to the next multiple of align */
    int64_t skip;          /* from its beginning to the first record wanted */
};

/* Local. block >= record_bytes > 0, and a multiple of align. */
struct pages pages_make(int64_t records, int64_t record_bytes, int64_t block,
                        int64_t align);

/* Local. The first record of a page, 0 .. n; for page n, the number of records. */
int64_t pages_first(const struct pages *p, int64_t page);

/* Local. The bytes to read for n existing records from `first` on; and for a page. */
struct pages_read pages_read_records(const struct pages *p, int64_t first, int64_t n);
struct pages_read pages_read_page(const struct pages *p, int64_t page);

/* Local. The most bytes to read for a page, `whole`. */
int64_t pages_most(const struct pages *p);

/* ---- the tree -------------------------------------------------------------------- */

#define INDEX_LINE 8 /* words of 8 bytes */
#define INDEX_LEVELS 22

struct search_index {
    int64_t n;      /* words */
    uint64_t *word; /* of page i, in order, to be filled */
    int levels;     /* including the words themselves */
    uint64_t *level[INDEX_LEVELS];
    int64_t lines[INDEX_LEVELS];
};

/* Local. The bytes of memory for n words, and the index in them (aligned to 64), whose
 * words the caller fills. */
int64_t index_bytes(int64_t n);
void index_place(struct search_index *x, int64_t n, void *memory);

/* Local. Builds the levels, once all words are filled, in order. */
void index_finish(struct search_index *x);

/* Local. The number of words below this one. */
int64_t index_below(const struct search_index *x, uint64_t word);

/* Local. The smallest block, `block` times a power of two, whose index takes at
 * most `bytes`. */
int64_t index_block_for(int64_t file_bytes, int64_t block, int64_t bytes);

/* ---- a place found --------------------------------------------------------------- */

/* One look-up: chooses the pages to read until the key's place is known: the
 * first record that is not before it. It takes one page if the index leaves no
 * choice; a binary search over pages with equal words, or if there is no index.
 * No MPI, no files. */

struct found {
    int64_t position; /* of the first record that is not before the key; n: all are
                       * before it */
    bool equal;       /* this record has the key */
};

/* All records before page `low` are before the key. The answer is in one of the pages
 * from there to `high`, or at the beginning of that; page `end` does not exist. */
struct finding {
    const void *key; /* a record with the key */
    int64_t low, high, end;
    int64_t page; /* to be read next */
    int64_t seen; /* the page in which `is` was found; -1: none yet */
    struct found is;
    int reads;
};

/* Local. Begins a look-up among the pages from .. end - 1, at least one, with their
 * index x; NULL: there is none. */
void finding_begin(struct finding *f, const struct sort_order *o,
                   const struct search_index *x, int64_t from, int64_t end,
                   const void *key);

enum finding_next {
    FINDING_READ,     /* read the page */
    FINDING_DONE,     /* the result is f->is */
    FINDING_UNSORTED, /* the page contradicts the index */
};

/* Local. Continues with the records of the page. */
enum finding_next finding_look(struct finding *f, const struct sort_order *o,
                               const struct pages *p, const void *records);

/* Local. The number of the n sorted records that are before the key. */
int64_t finding_before(const struct sort_order *o, const void *records, int64_t n,
                       const void *key);

#endif
