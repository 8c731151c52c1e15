/* Kernel 2 of Graph500: breadth-first searches from roots that are drawn, each of which
 * gives a tree, and checks of the trees; what the specification (graph500.org, sections
 * 5 to 9) leaves out of the times is in phases of its own. */
#ifndef OUTCORE_GRAPH_GRAPH500_H
#define OUTCORE_GRAPH_GRAPH500_H

#include "outcore/graph/tree.h"

struct graph500 {
    struct search *q; /* with `tree` */
    struct edges *edges;
    int64_t most; /* roots that are wanted */

    struct tree tree;
    uint64_t *root;
    int64_t roots;                   /* that were drawn */
    double *seconds, *edge, *rate;   /* of each root's search */
    int64_t read_bytes, write_bytes; /* of all searches, all ranks */
};

/* Local. Bytes of memory of a rank. */
int64_t graph500_memory(const struct graph500 *g);

/* Local. The settings above are set. 0 or -ENOMEM with a sentence; graph500_close frees
 * it, also half. */
int graph500_open(struct graph500 *g);
void graph500_close(struct graph500 *g);

/* **Collective**, outside of phases, when the graph is stored. Draws roots, different
 * ones with an edge to another vertex each (phase `roots`, none of the work), then
 * searches from each (phase `search`) and checks the tree (`validate`, none of the
 * work). Adds the figures. Returns the agreed verdict. */
int graph500_run(struct graph500 *g);

/* Local, after it. Statistics of the last repetition as results, by the names that
 * Graph500 gives them. */
void graph500_results(struct graph500 *g);

#endif
