/* Stamped data: incompressible bytes that identify their place.
 *
 * Every 8-byte word depends on (seed, rep, pass, version, rank, mat, byte offset in the
 * block), and every 4096-byte unit begins with that identity in plain text, so a wrong
 * block is not only found but recognised: as that of another rank, matrix or offset, as
 * an earlier run's or an earlier version (stale), or as poison.
 *
 * On request a share of the bytes is compressible: it repeats one word, which depends
 * on the same identity, so that it is checked as the rest is. */
#ifndef BASE_STAMP_H
#define BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#define STAMP_UNIT 4096 /* bytes from one identity to the next */
#define STAMP_HEADER 56 /* bytes of an identity */
#define STAMP_HASHED 64 /* bytes that the fingerprint processes at once */

/* The cause of old bytes, as a clause. A reader cannot tell the three cases apart: in
 * each, the last write is not there to be read. */
#define STAMP_STALE "the file system served stale data, or lost or misplaced a write"

/* The cause of wrong bytes without a stamp, as a clause. */
#define STAMP_WRONG                                                                    \
    "the file system served stale data, or lost, misplaced or changed what was "       \
    "written"

struct stamp {
    uint64_t seed;     /* of the run: the noise of two runs differs everywhere */
    int32_t rep, pass; /* repetition of the run, pass of the repetition */
    int32_t version;   /* number of writes of this block in it */
    int32_t rank;
    int32_t mat;
    /* The noun for what `mat` numbers, in messages; NULL: "block". Not part of the
     * identity. */
    const char *mat_is;
    int32_t plain; /* percent of the bytes that repeat one word, for storage that
                    * compresses; 0: none. Not part of the identity */
};

const char *stamp_mat_is(const struct stamp *s); /* Local. Never NULL. */

/* Local. Fills `buf` with `bytes` bytes of the block `s` from offset `from` on, a
 * multiple of 8. */
void stamp_fill(void *buf, int64_t from, int64_t bytes, const struct stamp *s);

/* Local. Compares with what stamp_fill would have written. Returns -1 if all is right,
 * else the offset (from the start of the block) of the first wrong byte, and in `why`
 * (may be NULL) one clause: what was expected and what was found. */
int64_t stamp_check(const void *buf, int64_t from, int64_t bytes, const struct stamp *s,
                    char *why, int why_size);

/* Local. The version of the block that begins at buf, if the rest of its stamp is as in
 * s; -1: it is not, or there is no stamp. */
int stamp_version(const void *buf, int64_t bytes, const struct stamp *s);

/* Local. For a stamped unit of any block that begins at buf: the number of its bytes (a
 * block's last unit may be short), at most STAMP_UNIT and `bytes`, and in *wrong the
 * first changed one, -1: none. Returns 0 if no stamp begins here. */
int64_t stamp_unit(const void *buf, int64_t bytes, int64_t *wrong);

/* Local. A 64-bit fingerprint of `bytes` at `buf`, for data that carries no
 * stamp. Not cryptographic. */
uint64_t stamp_hash(const void *buf, int64_t bytes);

/* A fingerprint of bytes that come in pieces. */
struct stamp_hashing {
    uint64_t lane[4];
    int64_t bytes;                    /* so far */
    unsigned char rest[STAMP_HASHED]; /* bytes beyond a multiple of its size */
};

void stamp_hash_begin(struct stamp_hashing *h); /* Local. */
void stamp_hash_add(struct stamp_hashing *h, const void *buf,
                    int64_t bytes); /* Local. */
/* Local. Of all bytes so far. */
uint64_t stamp_hash_end(const struct stamp_hashing *h);

#endif
