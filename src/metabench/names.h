/* The names of things, and their places in a tree of directories. Pure arithmetic:
 * names identify their thing, so that a listing is checked without a table of names. */
#ifndef METABENCH_NAMES_H
#define METABENCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { NAMES_SIZE = 40 };

enum names_kind { /* a name's first letter */
                  NAMES_FILE = 'f',
                  NAMES_RENAMED = 'r', /* a renamed file */
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

#endif
