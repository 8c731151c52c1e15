/* Stamped data: incompressible bytes that say where they belong.
 *
 * Every 8-byte word depends on (seed, rep, pass, version, rank, mat, byte offset in the
 * block), and every 4096-byte unit begins with that identity in clear, so a wrong
 * block is not just found but recognised: which rank, matrix and offset it is of,
 * or that it is an earlier run's, an earlier version (stale), or poison.
 *
 * On demand a share of the bytes compresses: it repeats one word, which depends on the
 * same identity, so that it is checked as the rest is. */
#ifndef BASE_STAMP_H
#define BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#define STAMP_UNIT 4096 /* bytes between two identities */
#define STAMP_HEADER 56 /* bytes of one */
#define STAMP_HASHED 64 /* bytes that a fingerprint takes in at once */

/* What is behind bytes that are those of before, as a clause. Who reads cannot tell
 * which of the three it was: in each, what was written last is not there to be read. */
#define STAMP_STALE "the file system served stale data, or lost or misplaced a write"

/* What is behind bytes that are wrong and carry no stamp, as a clause. */
#define STAMP_WRONG                                                                    \
    "the file system served stale data, or lost, misplaced or changed what was "       \
    "written"

struct stamp {
    uint64_t seed;     /* of the run: the noise of two runs differs everywhere */
    int32_t rep, pass; /* of the run's repetitions, and of a repetition's passes */
    int32_t version;   /* how often this block was written in it */
    int32_t rank;
    int32_t mat;
    int32_t plain; /* percent of the bytes that repeat one word, for storage that
                    * compresses; 0: none. No part of the identity */
};

/* Local. Fills `bytes` at `buf` as the bytes `from`.. of the block `s`.
 * `from` is a multiple of 8; any number of bytes. */
void stamp_fill(void *buf, int64_t from, int64_t bytes, const struct stamp *s);

/* Local. Checks what stamp_fill would have written. Returns -1 where all is
 * right, else the offset (from the start of the block) of the first wrong byte,
 * and in `why` (may be NULL) one clause: what was expected and what was found. */
int64_t stamp_check(const void *buf, int64_t from, int64_t bytes, const struct stamp *s,
                    char *why, int why_size);

/* Local. The version of the block that begins at buf, where everything else that its
 * stamp says is as in s; -1: it is not, or there is no stamp. */
int stamp_version(const void *buf, int64_t bytes, const struct stamp *s);

/* Local. Where a stamped unit begins at buf, of whatever block: how many bytes of it
 * there are (a block's last unit may be short), at most STAMP_UNIT and `bytes`, and in
 * *wrong the first that was changed, -1: none. 0: no stamp begins here. */
int64_t stamp_unit(const void *buf, int64_t bytes, int64_t *wrong);

/* Local. A 64-bit fingerprint of `bytes` at `buf`, for data that carries no
 * stamp. Not cryptographic. */
uint64_t stamp_hash(const void *buf, int64_t bytes);

/* The same of bytes that come in pieces. */
struct stamp_hashing {
    uint64_t lane[4];
    int64_t bytes;                    /* so far */
    unsigned char rest[STAMP_HASHED]; /* those beyond a multiple of its size */
};

void stamp_hash_begin(struct stamp_hashing *h); /* Local. */
void stamp_hash_add(struct stamp_hashing *h, const void *buf,
                    int64_t bytes);                     /* Local. */
uint64_t stamp_hash_end(const struct stamp_hashing *h); /* Local. Of all so far. */

#endif
