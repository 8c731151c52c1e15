/* The description of the files that a run kept, from which another run reads and checks
 * them: a flat JSON object beside them (doc/report-schema.md: leadline-kept/1). All
 * functions are Local and free of MPI. */
#ifndef RUN_KEPT_H
#define RUN_KEPT_H

#include "base/stamp.h"
#include "layout/layout.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEPT_TEXT = 128, KEPT_PATH = 4096, KEPT_MOST = 16384 };

struct kept {
    char program[KEPT_TEXT], version[KEPT_TEXT], run_id[KEPT_TEXT];
    char file[KEPT_TEXT];     /* its name in the description's directory; UNIQUE: the
                               * common beginning of the names, before .000000 */
    char filetype[KEPT_TEXT]; /* UNIQUE, SHARED, PARTITIONED */
    char layout[KEPT_TEXT];   /* SEGMENTED, INTERLEAVED */
    int64_t writers, blocks;  /* blocks: per writer */
    int64_t block_bytes, misalign, bytes; /* bytes: in all files */
    int64_t modified_ns;                  /* latest change of a file, since 1970 */
    uint64_t seed;                        /* of the stamps; the members below, too */
    int64_t repetition, pass, stamp;      /* stamp: their version */
    int64_t compress;                     /* percent of a block that compression
                                           * can remove */
    bool stamped;                         /* false: the content cannot be checked */
};

/* Parses `n` bytes of text; `path` is for the sentence. Every field must occur once,
 * and no other: an unknown field may change the meaning of the files. Returns 0, or
 * -EINVAL with a sentence. */
int kept_parse(struct kept *k, const char *path, const char *text, size_t n);

/* Reads the description. Returns 0, or -errno with a sentence. */
int kept_read(struct kept *k, const char *path);

/* Writes the description beside the files, durably and by a rename, so that it is
 * there whole or not at all. Replaces an existing one. Returns 0, or -errno with
 * a sentence. */
int kept_write(const struct kept *k, const char *path);

/* The writers' layout, which gives the place of each block. Checked, as
 * by kept_parse. */
struct layout kept_layout(const struct kept *k);

/* The number of data files, and the path of file i, in the directory of the description
 * at `path`. Returns 0, or -ENAMETOOLONG with a sentence. */
int64_t kept_files(const struct kept *k);
int kept_file(const struct kept *k, const char *path, int64_t i, char out[KEPT_PATH]);

/* Finds the description from a path that a user gave: of the description, the data
 * file, one of several data files, or their common beginning. Returns 0, or -errno with
 * a sentence if there is none. */
int kept_find(const char *named, char out[KEPT_PATH]);

/* The stamp that writer `rank` put into its block `mat`. */
struct stamp kept_stamp(const struct kept *k, int64_t rank, int64_t mat);

#endif
