/* The shared parts of metabench: options, places of things, and operations on them. */
#ifndef METABENCH_METABENCH_H
#define METABENCH_METABENCH_H

#include "run/lanes.h"
#include "run/set.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- names ----------------------------------------------------------------------- */

enum { NAMES_SIZE = 40 };

enum names_kind { /* a name's first letter */
                  NAMES_FILE = 'f',
                  NAMES_RENAMED = 'r', /* a renamed file */
                  NAMES_LINK = 'l',    /* a file's other name */
                  NAMES_SYMLINK = 's', /* a symbolic link to a file */
                  NAMES_NEW = 'n',     /* a file that is made while others are listed */
                  NAMES_FOLDER = 'd',  /* made and removed, as files are */
                  NAMES_TREE =
                      't' /* of the tree, above all of these; number 0 is the topmost */
};

struct name {
    enum names_kind kind;
    int worker;
    int64_t number;
};

/* Local. Makes "f000003.000000042". Returns `out`. */
const char *names_make(char out[NAMES_SIZE], struct name n);

/* Local. True if `text` is a name that names_make makes; *n is its thing. */
bool names_read(const char *text, struct name *n);

enum { TREE_DEPTH_MAX = 16 };

/* A worker's tree: `depth` levels below its topmost directory, `branch` directories in
 * each directory except those of the last level. Its items are distributed to all of
 * its directories in their order, as evenly as possible. Directory k's first child is k
 * * branch + 1. */
struct tree {
    int depth;
    int64_t branch;
    int64_t folders; /* tree_folders of depth and branch */
    int64_t items;
};

/* Local. The number of directories; -1: more than 2^31. */
int64_t tree_folders(int depth, int64_t branch);

/* Local. The first item in directory k; for k = folders, the number of items. */
int64_t tree_first(const struct tree *t, int64_t k);

/* Local. The number of directories in directory k. */
int64_t tree_children(const struct tree *t, int64_t k);

/* Local. The path to directory k, from the topmost one (0) to k itself; returns
 * its length. */
int tree_way(const struct tree *t, int64_t k, int64_t way[TREE_DEPTH_MAX + 1]);

/* ---- the benchmark --------------------------------------------------------------- */

enum { META_BYTES_MAX = 65536, META_LISTED = 64, META_PARTS = 8, META_STEPS = 32 };

/* The permissions that files are given by chmod, in turn. */
enum { META_MODE = 0640, META_OTHER_MODE = 0600 };

struct meta_settings {
    struct run_options run;
    int64_t files, bytes, depth, branch;
    const char *place, *order, *ops, *like, *fsync;
};

/* Kinds of things that a worker has in a directory. */
enum meta_kind {
    META_FILES,
    META_FOLDERS,
    META_LINKS,
    META_SYMLINKS,
    META_COUNTED, /* the kinds above are made by operations */
    META_TREE = META_COUNTED,
    META_NEW, /* made while others are listed */
    META_KINDS
};

/* A bit for each thing that must be listed; and a buffer for names. */
struct meta_lane {
    unsigned char *seen[META_KINDS];
    char (*name)[RUN_SET_LISTED];
};

/* Abilities that a file system may lack. */
enum meta_ability {
    META_ANY, /* nothing that it may refuse */
    META_CHMOD,
    META_LINK,
    META_SYMLINK,
    META_XATTR,
    META_ABILITIES
};

/* An operation in its place of --ops, and the names of its phases: the second read is
 * "read2". */
struct meta_step {
    const struct meta_op *op;
    char name[16], checked[16]; /* checked: "": its result is not checked apart */
};

struct meta {
    struct meta_settings set;
    struct tree tree; /* of each worker, or of all */
    bool shared;      /* one directory for all */
    bool shuffled;
    bool each; /* --cache=flush syncs files one by one, as syncfs may not reach them */
    struct meta_step step[META_STEPS];
    int steps;
    struct io_folder *root; /* the directory above all; NULL: there is none */
    char path[4096];
    bool lacks[META_ABILITIES];  /* the file system refuses it */
    int mode, folder_mode;       /* permissions of files and of directories */
    bool counts;                 /* the file system counts the names of a file */
    int64_t count[META_COUNTED]; /* number made by each worker so far */
    bool renamed;                /* the files have their new names */
    enum names_kind target;      /* names of the files that symbolic links lead to */
    int attribute;               /* version of the files' attribute; 0: none */
    int written;                 /* versions of content so far */
    int parts;                   /* of each file: its first bytes, and those appended */
    int version[META_PARTS];     /* of their content */
    int64_t since_ns, until_ns; /* range of time in which they were written, by the file
                                  * system's clock */
    struct meta_lane *lane;
};

struct meta_op;

/* One lane's way through the things of a worker. */
struct meta_walk {
    struct run *r;
    const struct meta *m;
    const struct meta_op *op;
    struct run_set set;        /* the directory that it is in */
    int place;                 /* the worker that owns the things */
    bool care;                 /* checks, which drop no cached pages */
    int64_t folder, from, end; /* the directory's number, and the range of its things */
};

/* An operation on one thing, number i; failures are recorded in r. */
typedef void meta_item(struct meta_walk *w, int64_t i);

struct meta_op {
    const char *name; /* also the phase's */
    enum phase_op call;
    meta_item *item;     /* NULL: directories are listed */
    meta_item *check;    /* run in a phase of its own afterwards; NULL: not needed */
    const char *checked; /* the name of that phase */
    enum meta_kind of;   /* it is applied to each of these */
    enum meta_kind adds; /* and makes one of these for each; 0: of none */
    const char *after;   /* the operation that it needs before it */
    enum meta_ability needs;
    bool makes;        /* the things did not exist before */
    bool ends;         /* it removes the things */
    bool own;          /* done by their maker, even with --rank-shift */
    bool changes;      /* --cache=flush syncs at its end */
    bool syncs;        /* it can sync each file */
    bool crowds;       /* makes new files while it lists */
    int reads, writes; /* 1 if it moves a file's bytes */
};

#define META_OPS 20
extern const struct meta_op meta_op[META_OPS];

/* Local. Parses --ops into the steps of m. Returns 0, or -EINVAL with a sentence. */
int meta_parse(struct meta *m);

/* Local. Adds up the bytes that the steps read and write, in bytes of all files;
 * returns the most parts that a file has. */
int meta_parts(const struct meta *m, bool verify, int64_t *reads, int64_t *writes);

/* **Collective.** Tries what the file system may refuse. What it refuses is told, and
 * left out: m->lacks. Returns the agreed verdict. */
int meta_try(struct run *r);

/* **Collective.** Stages: make the directories, run an operation, and remove
 * the rest. */
int meta_lay(struct run *r, void *unused);
int meta_do(struct run *r, void *what);
int meta_put_away(struct run *r, int rc);

/* Local. True if each file that is changed is synced. */
bool meta_syncs(const struct meta *m);

/* Local. The permissions that the next chmod gives to files. */
int meta_next_mode(const struct meta *m);

/* Local, of a lane. Judges what stat says of a thing. */
void meta_judge(struct meta_walk *w, const struct io_whole *f, enum meta_kind kind);

/* Local. The present name of file i of a worker. */
struct name meta_file(const struct meta *m, int worker, int64_t i);

/* Local, of a lane. Makes one of the new files of `relist`. */
void meta_make_new(struct meta_walk *w, int64_t i);

/* Local, of a lane. Lists its directory, and checks the names. `own`, unless NULL,
 * makes new files there meanwhile, from its range of numbers. */
void meta_list(struct meta_walk *w, struct meta_walk *own);

/* Local. The bytes of a lane's memory beside its buffer; allocate and free it for all
 * lanes. Returns 0, or -ENOMEM with a sentence. */
int64_t meta_lane_bytes(const struct meta *m);
int meta_lanes_open(struct meta *m, int lanes);
void meta_lanes_close(struct meta *m, int lanes);

#endif
