/* Whether what a search has found is a breadth-first search tree of the graph: the five
 * checks of the Graph500 specification, section 8.
 *
 *   1  parents lead to the root, and never in a circle
 *   2  a vertex and its parent are on levels that differ by one
 *   3  the ends of every edge are on levels that differ by at most one, or neither is
 *      in the tree
 *   4  the tree has all vertices that edges connect with it
 *   5  a vertex and its parent are the ends of an edge
 *
 * Levels are computed from parents here, whatever the search thinks of them. */
#ifndef OUTCORE_GRAPH_TREE_H
#define OUTCORE_GRAPH_TREE_H

#include "outcore/graph/edges.h"
#include "outcore/graph/search.h"

struct tree {
    struct search *q;
    struct edges *edges;
    struct deal deal;
    uint64_t *item, *reply;
    int64_t room;     /* of `item` */
    uint64_t *above;  /* of each vertex: one on its way to the root, */
    uint64_t *level;  /* and how far that is: in the end, its level */
    uint64_t *joined; /* bits: an edge to the parent was there */
    int64_t at;       /* of what is asked for, the next one */
    bool any;
    int64_t inside; /* directed edges with both ends in the tree, whose second one is
                       this rank's */
    int64_t levels; /* the last one that this rank has a vertex on, from 1 on */
};

/* Local. Bytes of memory of a rank. */
int64_t tree_memory(const struct store *s);

/* Local. 0 or -ENOMEM with a sentence; tree_close frees it, also half. */
int tree_open(struct tree *t, struct search *q, struct edges *edges);
void tree_close(struct tree *t);

/* **Collective**, in a phase that is none of the work. Checks the tree of the last
 * search; reads all edges once, each of which is there in both directions. A failure is
 * kept, with the number of the check. */
void tree_check(struct tree *t);

#endif
