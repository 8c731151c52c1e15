/* What a run says of the files that it kept, for another run that reads and checks
 * them: a flat JSON object beside them (doc/report-schema.md: leadline-kept/1). All of
 * it is Local and free of MPI. */
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
    char file[KEPT_TEXT];     /* its name in the description's folder; UNIQUE: what
                                 the names begin with, and .000000 follows */
    char filetype[KEPT_TEXT]; /* UNIQUE, SHARED, PARTITIONED */
    char layout[KEPT_TEXT];   /* SEGMENTED, INTERLEAVED */
    int64_t writers, blocks;  /* blocks: of each writer */
    int64_t block_bytes, misalign, bytes; /* bytes: of all files */
    int64_t modified_ns;             /* of the file that was changed last; since 1970 */
    uint64_t seed;                   /* of the stamps, as all that follow */
    int64_t repetition, pass, stamp; /* stamp: their version */
    int64_t compress;                /* percent that repeats */
    bool stamped;                    /* else nobody can check what is in them */
};

/* Understands `n` bytes of text; `path` is for the sentence. Every field there is must
 * be there once, and no other: one that this version does not know may change what is
 * in the files. 0 or -EINVAL with a sentence. */
int kept_parse(struct kept *k, const char *path, const char *text, size_t n);

/* Reads the description. 0 or -errno with a sentence. */
int kept_read(struct kept *k, const char *path);

/* Writes it beside the files: durable, and by a rename, so that it is there whole or
 * not at all. One that is there is replaced. 0 or -errno with a sentence. */
int kept_write(const struct kept *k, const char *path);

/* Where the blocks are: the layout that the writers had. Checked, as by kept_parse. */
struct layout kept_layout(const struct kept *k);

/* How many data files there are, and the path of file i, in the folder of the
 * description at `path`. 0 or -ENAMETOOLONG with a sentence. */
int64_t kept_files(const struct kept *k);
int kept_file(const struct kept *k, const char *path, int64_t i, char out[KEPT_PATH]);

/* The description's path of what a user names: itself, the data file, or that which the
 * names of several begin with, or one of these. 0 or -errno with a sentence: there is
 * none. */
int kept_find(const char *named, char out[KEPT_PATH]);

/* What writer `rank` put into its block `mat`. */
struct stamp kept_stamp(const struct kept *k, int64_t rank, int64_t mat);

#endif
