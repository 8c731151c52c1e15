/* An index of a sorted file, in memory: a word for each page of it, the first 8 bytes
 * of the key of the last record that begins there, as a number. A key is in the first
 * page whose word is not below the key's own, so one page is read, where no two words
 * are equal. (With words of first records two pages would have to be looked at for
 * every key that one of these has: the page before may end with the same key.)
 *
 * The words are in the order of the pages, in cache lines of 8; above them are lines of
 * the last words of 8 lines each, and so on: a B-tree without pointers, of which a
 * search touches a line of each level. No MPI, no files. */
#ifndef OUTCORE_SEARCH_INDEX_H
#define OUTCORE_SEARCH_INDEX_H

#include <stdint.h>

/* ---- pages ----------------------------------------------------------------------- */

/* A page is the records that begin in a block; the last of them may reach into the
 * next block, and is read with it. */
struct pages {
    int64_t records, record_bytes;
    int64_t block; /* bytes */
    int64_t align; /* of what is read: offsets and sizes, but at the end of the file */
    int64_t n;
};

struct pages_read {
    int64_t offset, bytes; /* bytes: what there is of it in the file */
    int64_t whole;         /* bytes up to the next multiple of align */
    int64_t skip;          /* from its begin to the first record that was asked for */
};

/* Local. block >= record_bytes > 0, and a multiple of align. */
struct pages pages_make(int64_t records, int64_t record_bytes, int64_t block,
                        int64_t align);

/* Local. The first record of a page, 0 .. n; that of page n is none: how many records
 * there are. */
int64_t pages_first(const struct pages *p, int64_t page);

/* Local. What must be read to have so many records, which are there, from `first` on;
 * and to have a page. */
struct pages_read pages_read_records(const struct pages *p, int64_t first, int64_t n);
struct pages_read pages_read_page(const struct pages *p, int64_t page);

/* Local. The most bytes that a page takes to be read, `whole`. */
int64_t pages_most(const struct pages *p);

/* ---- the tree -------------------------------------------------------------------- */

#define INDEX_LINE 8 /* words of 8 bytes */
#define INDEX_LEVELS 22

struct search_index {
    int64_t n;      /* words */
    uint64_t *word; /* to be filled: of page i, in order */
    int levels;     /* with the words themselves */
    uint64_t *level[INDEX_LEVELS];
    int64_t lines[INDEX_LEVELS];
};

/* Local. Bytes of memory for n words, and the index in them (aligned to 64), whose
 * words are the caller's to fill. */
int64_t index_bytes(int64_t n);
void index_place(struct search_index *x, int64_t n, void *memory);

/* Local. Once all words are filled, which must be in order. */
void index_finish(struct search_index *x);

/* Local. How many words are below this one. */
int64_t index_below(const struct search_index *x, uint64_t word);

/* Local. The smallest block, `block` times a power of two, whose index takes no more
 * than so many bytes. */
int64_t index_block_for(int64_t file_bytes, int64_t block, int64_t bytes);

#endif
