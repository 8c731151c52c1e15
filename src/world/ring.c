/* Ranks in a ring, node after node. It tells the rank at the other end of a step from
 * each node to another one. */
#include "base/err.h"
#include "base/mem.h"
#include "world/world.h"
#include <errno.h>
#include <stdlib.h>

struct ring {
    int *start; /* each node's first place; the last entry is the end */
    int *at;    /* the rank at each place */
    int place;  /* our rank's place */
    int most;   /* most ranks of one node */
};

static int count_nodes(const int node[], int size)
{
    int most = 0;
    for (int i = 0; i < size; i++)
        most = node[i] > most ? node[i] : most;
    return most + 1;
}

/* Fills the ring; ranks of a node keep their order. */
static void ring_fill(struct ring *r, const int node[], int size, int nodes, int rank)
{
    for (int i = 0; i < size; i++)
        r->start[node[i] + 1]++;
    for (int i = 0; i < nodes; i++) {
        r->most = r->start[i + 1] > r->most ? r->start[i + 1] : r->most;
        r->start[i + 1] += r->start[i];
    }
    for (int i = 0; i < size; i++) {
        int place = r->start[node[i]]++;
        r->at[place] = i;
        if (i == rank)
            r->place = place;
    }
}

int world_ring(const int node[], int size, int rank, const int steps[], int n, int to[])
{
    int nodes = count_nodes(node, size);
    struct ring r = {.start = mem_new(nodes + 1, sizeof *r.start, "a map of the ranks"),
                     .at = mem_new(size, sizeof *r.at, "a map of the ranks")};
    int rc = r.start && r.at ? 0 : -ENOMEM;
    if (!rc)
        ring_fill(&r, node, size, nodes, rank);
    if (!rc && nodes == 1)
        rc = err_usage("all %d ranks are on one node: none can read what another node "
                       "wrote; start them on more, or leave --rank-shift=node out",
                       size);
    else if (!rc && r.most > size - r.most)
        rc = err_usage("%d of the %d ranks are on one node: some of them would read "
                       "what their own node wrote; start no more than half of all on "
                       "one, or leave --rank-shift=node out",
                       r.most, size);
    for (int i = 0; i < n && !rc; i++) {
        int64_t place = r.place + (int64_t)steps[i] * r.most;
        to[i] = r.at[(place % size + size) % size];
    }
    free(r.start);
    free(r.at);
    return rc;
}

int world_next_nodes(const struct world *w, const int steps[], int n, int to[])
{
    int *node = mem_new(w->size, sizeof *node, "a map of the ranks");
    int rc = err_agree(w->comm, node ? 0 : -ENOMEM);
    if (!rc) {
        MPI_Allgather(&w->node, 1, MPI_INT, node, 1, MPI_INT, w->comm);
        rc = err_agree(w->comm, world_ring(node, w->size, w->rank, steps, n, to));
    }
    free(node);
    return rc;
}
