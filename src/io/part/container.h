/* The partitioned container on disk: one logical file as a directory, with a header
 * whose descriptor tells the place of each byte: the rank's partition, and the offset
 * in it. All functions are Local; engine_part.c shares a container over ranks.
 * doc/container.md describes the format byte by byte.
 *
 *     NAME/header          state, plan, length of each partition
 *     NAME/part-ID-RRRRRR  the bytes of rank RRRRRR, back to back (or in a node dir)
 *     NAME/sums-ID-RRRRRR  checksums of its blocks (beside it)
 *     NAME/shared          bytes that were written elsewhere than the plan says
 *     NAME/shared.map      the ranges of these bytes in the file */
#ifndef IO_PART_CONTAINER_H
#define IO_PART_CONTAINER_H

#include "algebra/descriptor.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- extents --------------------------------------------------------------------- */

/* The most ranges in a set: 16 MiB of memory. */
#define EXTENTS_MOST (1 << 20)

struct extents_range {
    int64_t begin, end;
};

struct extents {
    struct extents_range *range;
    int64_t n, room;
};

/* Local. Adds [begin, end), begin < end. Returns 0, -ENOMEM, or -E2BIG if there would
 * be more than EXTENTS_MOST; no sentence. O(n) unless it is the last range. */
int extents_add(struct extents *x, int64_t begin, int64_t end);

/* Local. The first range that ends behind `offset`; NULL: there is none. */
const struct extents_range *extents_from(const struct extents *x, int64_t offset);

/* Local. Removes everything at `end` and behind it. */
void extents_cut(struct extents *x, int64_t end);

/* Local. The bytes of all ranges. */
int64_t extents_bytes(const struct extents *x);

void extents_free(struct extents *x);

/* ---- sums of blocks -------------------------------------------------------------- */

#define SUMS_BLOCK (INT64_C(64) << 10)

struct sums; /* of a partition */

/* Identity and length of the partition. */
struct sums_of {
    uint64_t id; /* the container's */
    int64_t part, bytes;
};

/* Local. Makes the checksums of an empty partition. NULL: no memory. */
struct sums *sums_make(void);
void sums_free(struct sums *s); /* may be NULL */

/* Local. Updates them for bytes written at `at`. */
void sums_write(struct sums *s, int64_t at, const void *data, int64_t bytes);

/* Local. Updates them after the partition was cut. */
void sums_cut(struct sums *s, int64_t bytes);

/* Local. Reads again from `part` what is needed, and writes the file `path`; *all: a
 * checksum of that file. Returns 0, or -errno with a sentence. */
int sums_store(struct sums *s, const char *path, const struct sums_of *of,
               const char *part, bool durable, uint32_t *all);

/* Local. Loads the file, if it belongs to that partition and has the checksum `all`.
 * Returns 0, or -errno with a sentence. */
int sums_load(struct sums **s, const char *path, const struct sums_of *of,
              uint32_t all);

/* The result of checking a partition. */
struct sums_found {
    int64_t bad, first; /* number of blocks that differ, and the first of them,
                         * -1: none */
};

/* Local. Reads and checks the partition `part` of `bytes`. Returns 0, or -errno with
 * a sentence. */
int sums_check(const struct sums *s, const char *part, int64_t bytes,
               struct sums_found *found);

/* Local. Computes the checksums of an existing partition. Returns 0, or -errno with
 * a sentence. */
int sums_take(struct sums **s, const char *part, int64_t bytes);

/* ---- the container --------------------------------------------------------------- */

enum {
    CONTAINER_VERSION = 1,
    CONTAINER_HEAD = 4096, /* bytes of the header before the partitions' */
    CONTAINER_RECORD = 64, /* bytes for each partition */
    CONTAINER_DIRS = 2048, /* room for the list of directories */
    CONTAINER_WRITER = 64, /* room for the writer's name */
    CONTAINER_PATH = 4096
};

enum container_state {
    CONTAINER_OPEN = 1,    /* being written, or its writer was killed */
    CONTAINER_COMPLETE = 2 /* closed by all ranks that wrote it */
};

struct container_part {
    int64_t bytes;     /* of the partition file, at the last sync or close */
    int64_t misfits;   /* writes of this rank that did not fit the plan */
    int32_t node, dir; /* the rank's node, and the number of its directory; dir
                        * -1: none */
    char host[20];     /* the writer's host, truncated */
    uint32_t sums;     /* checksum of the file with its checksums */
    bool summed;       /* there is one; valid if the state is complete */
};

struct container {
    enum container_state state;
    uint64_t id;
    int64_t bytes; /* of the logical file, at the last sync or close */
    int64_t misfits, misfit_bytes;
    bool saved;     /* written by a version that also stores the members below, and that
                     * keeps lengths and the map true at any time */
    bool recovered; /* it was recovered at some time after its writer was killed */
    int64_t generation; /* number of syncs and closes */
    int64_t map_ranges; /* number of ranges in shared.map */
    uint32_t map_sum;   /* checksum of shared.map */
    char
        writer[CONTAINER_WRITER]; /* host and process that last opened it for writing */
    char dirs[CONTAINER_DIRS];    /* "DIR,DIR" with %n and %r; "": beside the header */
    int64_t parts;                /* 0: there is no plan, and all bytes are shared */
    struct ldad_map map;          /* if parts > 0 */
    struct container_part *part;
    int64_t *starts; /* table of the plan, if it has one */
};

/* Prepares an empty container with a new id. If `plan` is NULL, or no map can be made
 * of it, there are no partitions. `dirs` NULL or "": beside the header. Returns 0, or
 * -EINVAL (dirs) or -ENOMEM with a sentence. */
int container_make(struct container *c, const struct ldad_plan *plan, const char *dirs);
void container_free(struct container *c);

/* Checks that `plan` is that of the existing container, or none; `path` is for the
 * sentence. Returns 0 or -EEXIST. */
int container_plan_check(const struct container *c, const char *path,
                         const struct ldad_plan *plan);

/* The size of the header in bytes, and its encoding. */
int64_t container_size(const struct container *c);
void container_encode(const struct container *c, unsigned char *out);

/* Encode a record, and decode it. Returns 0, or -EIO if its checksum differs. */
void container_record_encode(const struct container *c, int64_t r,
                             unsigned char out[CONTAINER_RECORD]);
int container_record_decode(struct container *c, int64_t r,
                            const unsigned char in[CONTAINER_RECORD]);

/* Reads the header of `path` into *raw (the caller frees it). Returns 0, or -errno with
 * a sentence that names `path`: -ENOENT, -EINVAL (no container), -EIO. */
int container_load(const char *path, unsigned char **raw, int64_t *size);

/* Checks and decodes a header; `path` is for sentences. Returns 0, or -EINVAL (not a
 * container; newer version), -EIO (damaged), or -ENOMEM with a sentence. */
int container_decode(struct container *c, const char *path, const unsigned char *raw,
                     int64_t size);

/* Does container_load and container_decode. */
int container_read(struct container *c, const char *path);

/* The same for callers that need few of many partitions: reads all except the records,
 * each of which container_peek_record reads. If *fd is -1, all records are there
 * already. The caller closes *fd. Errors as above. */
int container_peek(struct container *c, const char *path, int *fd);
int container_peek_record(struct container *c, const char *path, int fd, int64_t r);

/* Replaces the header of `path` by rename; `durable`: on stable storage, with its name.
 * Returns 0, or -errno with a sentence. */
int container_write(const struct container *c, const char *path, bool durable);

/* True if `path` is a directory with a header in it. */
bool container_is(const char *path);

/* Make the paths of its files. Return -ENAMETOOLONG for a path that is too long. */
int container_file(const char *path, const char *name, char out[CONTAINER_PATH]);
int container_part_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH]);
int container_sums_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH]);

/* The identity that its checksums belong to. */
struct sums_of container_sums_of(const struct container *c, int64_t r);

/* Makes the directory of `dirs` ("DIR,DIR" with %n and %r) whose turn it is, for the
 * partition of a rank on a node. */
void container_dir(const char *dirs, int turn, int node, int64_t rank,
                   char out[CONTAINER_PATH]);

/* The number of directories in such a list; and sets a container's list after checking
 * it: 0, or -EINVAL with a sentence. */
int container_dirs(const char *dirs);
int container_set_dirs(struct container *c, const char *dirs);

/* The number of partitions in node directories that this node does not find; prints a
 * line on each to `out` (NULL: nowhere). */
int64_t container_away(const struct container *c, const char *path, FILE *out);

/* True if `path` was a directory in which no container was completed, because its maker
 * was ended too early; it has been removed. */
bool container_sweep(const char *path);

/* Remove the partitions that this node finds; then the rest, the header last, and the
 * directory. Return 0, or -errno with a sentence. */
int container_remove_parts(const struct container *c, const char *path);
int container_remove_common(const char *path);

/* Saves a new generation: replaces the header, and with it the map of the shared part
 * if that has changed (`moved`, else NULL). A process that is killed meanwhile leaves
 * both old, or both new. Returns 0, or -errno with a sentence. */
int container_save(struct container *c, const char *path, const struct extents *moved,
                   bool durable);

/* Reads the ranges in the shared part, which belong to the header. No such file: none.
 * Returns 0, or -errno with a sentence. */
int container_map_read(const struct container *c, const char *path, struct extents *x);

/* Checks that the shared part is as the header and its map `x` say: bytes would be
 * wrong if there was no map although writes did not fit the plan, or a shared part that
 * is missing or too short. Returns 0, or -EIO with a sentence. */
int container_shared_check(const struct container *c, const char *path,
                           const struct extents *x);

/* Fails with -EBUSY and a sentence that names the writer. */
int container_busy(const struct container *c, const char *path);

/* ---- container_mend.c ------------------------------------------------------------ */

/* Restores partition r to its state at the last sync: the `dropped` bytes written
 * behind it are cut off. *fd locks it, as far as lock_file can, and the caller
 * closes it. Returns 0, or -EBUSY, -ENOENT, -EIO (it is too short) or another -errno
 * with a sentence. */
int container_recover_part(const struct container *c, const char *path, int64_t r,
                           int *fd, int64_t *dropped);

/* Restores the shared part in the same way. */
int container_recover_shared(const struct container *c, const char *path,
                             int64_t *dropped);

/* Fails if its state forbids opening it: -EBUSY if another process writes it, unless
 * the lock is ours; -EIO if it was never completed, unless its state at the last sync
 * is wanted. */
int container_refuse_open(const struct container *c, const char *path, bool ours,
                          bool recover);

/* ---- the plan -------------------------------------------------------------------- */

/* The bytes that partition r has when everything in the plan below c->bytes
 * is written. */
int64_t container_part_full(const struct container *c, int64_t r);

#endif
