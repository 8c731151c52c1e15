/* What things are called, and in which folder of a tree each is. Pure arithmetic: names
 * say what they are of, so that a listing is checked without a table of names. */
#ifndef METABENCH_NAMES_H
#define METABENCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { NAMES_SIZE = 40 };

enum names_kind { /* a name's first letter */
                  NAMES_FILE = 'f',
                  NAMES_RENAMED = 'r', /* a file, after its renaming */
                  NAMES_NEW = 'n',     /* a file that comes while others are listed */
                  NAMES_FOLDER = 'd',  /* that is made and removed, as files are */
                  NAMES_TREE =
                      't' /* that all of these are in; number 0 is the topmost */
};

struct name {
    enum names_kind kind;
    int worker;
    int64_t number;
};

/* Local. "f000003.000000042". Returns `out`. */
const char *names_make(char out[NAMES_SIZE], struct name n);

/* Local. Whether `text` is what names_make makes of something; and of what. */
bool names_read(const char *text, struct name *n);

enum { TREE_DEPTH_MAX = 16 };

/* A worker's tree: `depth` levels below its topmost folder, `branch` folders in each
 * folder but those of the last level. Its items are dealt out to all of its folders in
 * their order, as evenly as can be. Folder k's first child is k * branch + 1. */
struct tree {
    int depth;
    int64_t branch;
    int64_t folders; /* tree_folders of these two */
    int64_t items;
};

/* Local. How many folders; -1: more than 2^31. */
int64_t tree_folders(int depth, int64_t branch);

/* Local. The first item in folder k; that of k = folders is the number of items. */
int64_t tree_first(const struct tree *t, int64_t k);

/* Local. Folders in folder k. */
int64_t tree_children(const struct tree *t, int64_t k);

/* Local. The way to folder k, from the topmost one (0) to k itself: how many. */
int tree_way(const struct tree *t, int64_t k, int64_t way[TREE_DEPTH_MAX + 1]);

#endif
