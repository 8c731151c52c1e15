/* The partitioned container on disk: one logical file as a folder, with a header that
 * says by a descriptor which rank's partition holds which byte, and where. Everything
 * here is Local; who shares a container over ranks is engine_part.c. The format is
 * described byte by byte in doc/container.md.
 *
 *     NAME/header          state, plan, length of each partition
 *     NAME/part-ID-RRRRRR  the bytes of rank RRRRRR, back to back (or in a node dir)
 *     NAME/sums-ID-RRRRRR  checksums of its blocks (beside it)
 *     NAME/shared          bytes that were written elsewhere than the plan says
 *     NAME/shared.map      which bytes of the file those are */
#ifndef IO_PART_CONTAINER_H
#define IO_PART_CONTAINER_H

#include "algebra/descriptor.h"
#include "io/part/extents.h"
#include "io/part/sums.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CONTAINER_VERSION = 1,
    CONTAINER_HEAD = 4096, /* bytes of the header before the partitions' */
    CONTAINER_RECORD = 64, /* bytes for each partition */
    CONTAINER_DIRS = 2048, /* room for the list of folders */
    CONTAINER_WRITER = 64, /* ... for who writes */
    CONTAINER_PATH = 4096
};

enum container_state {
    CONTAINER_OPEN = 1,    /* being written, or whoever wrote it was killed */
    CONTAINER_COMPLETE = 2 /* closed by all ranks that wrote */
};

struct container_part {
    int64_t bytes;     /* of the partition file, at the last sync or close */
    int64_t misfits;   /* writes of this rank that did not fit the plan */
    int32_t node, dir; /* the rank's node, and which of the folders; dir -1: none */
    char host[20];     /* where it was written, cut off */
    uint32_t sums;     /* checksum of the file with its checksums */
    bool summed;       /* there is one; counts where the state is complete */
};

struct container {
    enum container_state state;
    uint64_t id;
    int64_t bytes; /* of the logical file, at the last sync or close */
    int64_t misfits, misfit_bytes;
    bool saved;     /* by a version that also says what follows, and to which what is
                           said of lengths and the map is true at any time */
    bool recovered; /* once, after it was killed */
    int64_t generation; /* how often it was synced or closed */
    int64_t map_ranges; /* in shared.map */
    uint32_t map_sum;   /* its checksum */
    char writer
        [CONTAINER_WRITER];    /* the host and process that opened it last to write */
    char dirs[CONTAINER_DIRS]; /* "DIR,DIR" with %n and %r; "": beside the header */
    int64_t parts;             /* 0: there is no plan, and all bytes are shared */
    struct ldad_map map;       /* where parts > 0 */
    struct container_part *part;
    int64_t *starts; /* the plan's table, if it has one */
};

/* Prepares an empty container with an id of its own. `plan` NULL, or one of which no
 * map can be made: there are no partitions. `dirs` NULL or "": beside the header.
 * 0, -EINVAL (dirs) or -ENOMEM with a sentence. */
int container_make(struct container *c, const struct ldad_plan *plan, const char *dirs);
void container_free(struct container *c);

/* Whether `plan` is that of a container that is there already, or none; `path` is for
 * the sentence. 0 or -EEXIST. */
int container_plan_check(const struct container *c, const char *path,
                         const struct ldad_plan *plan);

/* The header as bytes: how many, and them. */
int64_t container_size(const struct container *c);
void container_encode(const struct container *c, unsigned char *out);

/* A record as bytes, and back. 0 or -EIO where its checksum differs. */
void container_record_encode(const struct container *c, int64_t r,
                             unsigned char out[CONTAINER_RECORD]);
int container_record_decode(struct container *c, int64_t r,
                            const unsigned char in[CONTAINER_RECORD]);

/* Reads the header of `path` into *raw (the caller frees it). 0, or -errno with a
 * sentence that names `path`: -ENOENT, -EINVAL (no container), -EIO. */
int container_load(const char *path, unsigned char **raw, int64_t *size);

/* Judges and understands a header; `path` is for sentences. 0, -EINVAL (not a
 * container; newer version), -EIO (damaged), -ENOMEM with a sentence. */
int container_decode(struct container *c, const char *path, const unsigned char *raw,
                     int64_t size);

/* container_load and container_decode. */
int container_read(struct container *c, const char *path);

/* The same for who needs few of many partitions: all but the records, each of which
 * container_peek_record reads; not from descriptor -1, as all are there then. The
 * caller closes *fd. Errors as above. */
int container_peek(struct container *c, const char *path, int *fd);
int container_peek_record(struct container *c, const char *path, int fd, int64_t r);

/* Replaces the header of `path` by rename; `durable`: and it is on stable storage,
 * with its name. 0 or -errno with a sentence. */
int container_write(const struct container *c, const char *path, bool durable);

/* Whether `path` is a folder with a header in it. */
bool container_is(const char *path);

/* Paths of what it consists of. Returns -ENAMETOOLONG where it does not fit. */
int container_file(const char *path, const char *name, char out[CONTAINER_PATH]);
int container_part_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH]);
int container_sums_path(const struct container *c, const char *path, int64_t r,
                        char out[CONTAINER_PATH]);

/* What its checksums are of. */
struct sums_of container_sums_of(const struct container *c, int64_t r);

/* The folder of `dirs` ("DIR,DIR" with %n and %r) whose turn it is, for the partition
 * of a rank on a node. */
void container_dir(const char *dirs, int turn, int node, int64_t rank,
                   char out[CONTAINER_PATH]);

/* How many folders are in such a list; and the list of a container, which is checked: 0
 * or -EINVAL with a sentence. */
int container_dirs(const char *dirs);
int container_set_dirs(struct container *c, const char *dirs);

/* How many partitions in folders of nodes this node does not find; to `out` (NULL:
 * nowhere) a line on each. */
int64_t container_away(const struct container *c, const char *path, FILE *out);

/* Whether `path` was a folder of which no container came to be, as whoever made it was
 * ended too early: it is gone then. */
bool container_sweep(const char *path);

/* Removes the partitions that this node finds; then the rest, the header last, and the
 * folder. 0 or -errno with a sentence. */
int container_remove_parts(const struct container *c, const char *path);
int container_remove_common(const char *path);

/* A new generation: replaces the header, and with it the map of the shared part where
 * that has changed (`moved`, else NULL): whoever is killed meanwhile leaves both as
 * they were, or both new. 0 or -errno with a sentence. */
int container_save(struct container *c, const char *path, const struct extents *moved,
                   bool durable);

/* Which bytes are in the shared part, as the header says. No such file: none. 0 or
 * -errno with a sentence. */
int container_map_read(const struct container *c, const char *path, struct extents *x);

/* Whether the shared part is all that the header and its map `x` say: no map where
 * writes did not fit the plan, or a shared part that is missing or too short, would be
 * wrong bytes. 0 or -EIO with a sentence. */
int container_shared_check(const struct container *c, const char *path,
                           const struct extents *x);

/* Fails with -EBUSY, and says who it is that writes. */
int container_busy(const struct container *c, const char *path);

/* ---- container_recover.c --------------------------------------------------------- */

/* Partition r as it was at the last sync: `dropped` bytes that were written behind that
 * are cut off. It is locked by *fd, which the caller closes, as far as lock_file can.
 * 0, -EBUSY, -ENOENT, -EIO (it is too short) or another -errno with a sentence. */
int container_recover_part(const struct container *c, const char *path, int64_t r,
                           int *fd, int64_t *dropped);

/* The same of the shared part. */
int container_recover_shared(const struct container *c, const char *path,
                             int64_t *dropped);

/* Whether its state forbids to open it: -EBUSY where somebody writes it, unless the
 * lock is ours; -EIO where it was never completed, unless it is to be taken as it was
 * at its last sync. */
int container_refuse_open(const struct container *c, const char *path, bool ours,
                          bool recover);

/* ---- the plan -------------------------------------------------------------------- */

/* Bytes that partition r has when all that the plan says below c->bytes is written. */
int64_t container_part_full(const struct container *c, int64_t r);

#endif
