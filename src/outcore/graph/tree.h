/* Checks that a search's result is a breadth-first search tree of the graph: the five
 * checks of the Graph500 specification, section 8.
 *
 *   1  parents lead to the root, and never in a circle
 *   2  a vertex and its parent are on levels that differ by one
 *   3  the ends of every edge are on levels that differ by at most one, or neither is
 *      in the tree
 *   4  the tree has all vertices that edges connect with it
 *   5  a vertex and its parent are the ends of an edge
 *
 * Levels are computed from parents here, independently of the search. */
#ifndef OUTCORE_GRAPH_TREE_H
#define OUTCORE_GRAPH_TREE_H

#include "outcore/graph/edges.h"
#include "outcore/graph/search.h"

struct tree {
    struct search *q;
    struct edges *edges;
    struct deal deal;
    uint64_t *item, *reply;
    int64_t room;     /* items of `item` */
    uint64_t *above;  /* for each vertex: one on its path to the root, */
    uint64_t *level;  /* and its distance: at the end, its level */
    uint64_t *joined; /* bits: an edge to the parent was seen */
    int64_t at;       /* next vertex to ask for */
    bool any;
    int64_t inside; /* directed edges with both ends in the tree whose second end is
                     * this rank's */
    int64_t levels; /* last level with a vertex of this rank, from 1 */
};

/* Local. The bytes of memory of a rank. */
int64_t tree_memory(const struct store *s);

/* Local. Returns 0, or -ENOMEM with a sentence; tree_close frees it, even if it
 * is incomplete. */
int tree_open(struct tree *t, struct search *q, struct edges *edges);
void tree_close(struct tree *t);

/* **Collective**, in a phase that is not part of the work. Checks the tree of the last
 * search; reads all edges once, each of which must be there in both directions. A
 * failure is kept, with the number of the check. */
void tree_check(struct tree *t);

#endif
