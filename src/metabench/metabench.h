/* What the parts of metabench share: what was asked for, where things are, and what is
 * done to each of them. */
#ifndef METABENCH_H
#define METABENCH_H

#include "metabench/names.h"
#include "run/lanes.h"
#include "run/set.h"

enum { META_BYTES_MAX = 65536, META_LISTED = 64 };

struct meta_settings {
    struct run_options run;
    int64_t files, bytes, depth, branch;
    const char *place, *order, *ops, *like;
};

/* A bit for each thing that must be listed; and names as they come. */
struct meta_lane {
    unsigned char *seen[4]; /* files, folders, folders of the tree, new files */
    char (*name)[RUN_SET_LISTED];
};

struct meta {
    struct meta_settings set;
    struct tree tree; /* of each worker, or of all */
    bool shared;      /* one folder for all */
    bool shuffled;
    bool each; /* --cache=flush syncs files one by one, as syncfs may not reach them */
    struct io_folder *root; /* what all is in; NULL while there is none */
    char path[4096];
    int64_t files, folders;     /* that each worker has made, so far */
    bool renamed;               /* the files are */
    int version;                /* of their contents */
    int64_t since_ns, until_ns; /* by the file system's clock, when they were written */
    struct meta_lane *lane;
};

struct meta_op;

/* One lane on its way through the things of a worker. */
struct meta_walk {
    struct run *r;
    const struct meta *m;
    const struct meta_op *op;
    struct run_set set;        /* the folder that it is in */
    int place;                 /* the worker whose things they are */
    int64_t folder, from, end; /* its number, and those of its things */
};

/* What is done to one thing, number i; failures are r's. */
typedef void meta_item(struct meta_walk *w, int64_t i);

struct meta_op {
    const char *name; /* and its phase's */
    enum phase_op call;
    meta_item *item;     /* NULL: folders are listed */
    meta_item *check;    /* in a phase of its own after it; NULL: none is needed */
    const char *checked; /* the name of that phase */
    bool makes;          /* there was nothing before */
    bool own;            /* done by who made it, with --rank-shift, too */
    bool changes;        /* --cache=flush syncs at its end */
    bool of_folders;     /* things are folders; else files */
    bool crowds;         /* while folders are listed, new files are made in them */
    int reads, writes;   /* whether it moves a file's bytes */
};

#define META_OPS 11
extern const struct meta_op meta_op[META_OPS]; /* in the order in which they are done */

/* **Collective.** Stages: the folders before, an operation, and what is left after. */
int meta_lay(struct run *r, void *unused);
int meta_do(struct run *r, void *what);
int meta_put_away(struct run *r, int rc);

/* Local. The present name of file i of a worker. */
struct name meta_file(const struct meta *m, int worker, int64_t i);

/* Local, of a lane. Makes a new file, one of those of `relist`. */
void meta_make_new(struct meta_walk *w, int64_t i);

/* Local, of a lane. Lists the folder that it is in, and checks what is there. `own`,
 * unless it is NULL: makes new files there, of its range of numbers, meanwhile. */
void meta_list(struct meta_walk *w, struct meta_walk *own);

/* Local. Memory of a lane beside its buffer, bytes; made and freed for all lanes. 0 or
 * -ENOMEM with a sentence. */
int64_t meta_lane_bytes(const struct meta *m);
int meta_lanes_open(struct meta *m, int lanes);
void meta_lanes_close(struct meta *m, int lanes);

#endif
