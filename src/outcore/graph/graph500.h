/* Kernel 2 of Graph500: breadth-first searches from random roots, each of which gives a
 * tree, and checks of the trees; work that the specification (graph500.org, sections 5
 * to 9) excludes from the times is in phases of its own. */
#ifndef OUTCORE_GRAPH_GRAPH500_H
#define OUTCORE_GRAPH_GRAPH500_H

#include "outcore/graph/edges.h"
#include "outcore/graph/search.h"

/* ---- the tree -------------------------------------------------------------------- */

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

/* ---- the check of a tree --------------------------------------------------------- */

/* Checks the stored graph and the search's result, in a pass over PARTITION. */

struct check {
    int64_t entries, chunks; /* of lists; in rows: vertices that have some */
    uint64_t sum;            /* sum of 31 vertex + neighbour over all entries */
    int64_t reached;         /* entries of visited vertices, */
    uint64_t reached_sum;    /* and their sum */
    int64_t missed;          /* of these, entries for vertices that were not visited */
    int64_t read_bytes;
};

/* **Collective**, in a phase that is not part of the work, with the store's files
 * open for reading. Checks every chunk's CRC, or that each row begins at the end of
 * the previous one, and that visited vertices lead only to visited ones. A failure
 * is kept. */
void check_files(struct search *q, struct check *c);

/* ---- Graph 500 ------------------------------------------------------------------- */

struct graph500 {
    struct search *q; /* with `tree` */
    struct edges *edges;
    int64_t most; /* roots wanted */

    struct tree tree;
    uint64_t *root;
    int64_t roots;                   /* roots drawn */
    double *seconds, *edge, *rate;   /* for each root's search */
    int64_t read_bytes, write_bytes; /* in all searches, of all ranks */
};

/* Local. The bytes of memory of a rank. */
int64_t graph500_memory(const struct graph500 *g);

/* Local, when the members above are set. Returns 0, or -ENOMEM with a sentence;
 * graph500_close frees it, even if it is incomplete. */
int graph500_open(struct graph500 *g);
void graph500_close(struct graph500 *g);

/* **Collective**, outside of phases, when the graph is stored. Draws different roots,
 * each with an edge to another vertex (phase `roots`, not part of the work), then
 * searches from each (phase `search`) and checks the tree (`validate`, not part of the
 * work). Adds the figures. Returns the agreed verdict. */
int graph500_run(struct graph500 *g);

/* Local, after it. Adds statistics of the last repetition as results, by
 * Graph500's names. */
void graph500_results(struct graph500 *g);

/* ---- TEPS ------------------------------------------------------------------------ */

struct teps {
    double min, first_quartile, median, third_quartile, max;
    double mean, stddev; /* of a sample: 0 for one value */
};

/* Local. Sorts x[0..n-1], n >= 1, and computes its statistics. A quartile is the mean
 * of the two values beside it, as in the Graph500 reference code. `harmonic`: mean and
 * deviation are those of a rate: n / sum(1 / x), and its standard error, the deviation
 * of 1 / x times the square of the mean divided by the root of n - 1 (Graph500
 * specification, section 9; N. Norris, "The standard errors of the geometric and
 * harmonic means", 1940). */
struct teps teps_of(double *x, int n, int harmonic);

#endif
