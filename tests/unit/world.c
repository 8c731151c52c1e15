/* ranks: 1 2 4
 * The node map, and one verdict for all ranks. */
#include "seccomp.h"
#include "tap.h"

#include "base/rng.h"
#include "world/world.h"

static struct world w;
static const struct opt_program program = {.name = "world"};

static void test_world(void)
{
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tap_ok(w.rank == rank && w.size == size, "rank %d of %d", w.rank, w.size);
    tap_ok(w.host[0] && w.thread_level && w.launcher, "on %s, launched by %s", w.host,
           w.launcher);
    tap_ok(strncmp(w.library, "MPICH ", 6) == 0 ||
               strncmp(w.library, "Open MPI ", 9) == 0,
           "the library is known: %s", w.library);
    tap_ok(w.watched, "a rank that is frozen would be noticed");
    tap_ok(world_memory_available() > 0, "the memory left is known");
}

enum { RING_MOST = 24, RINGS = 200 };

/* True if a map is right for all ranks: each step leads to another node, each rank is
 * reached, the step back undoes it, and two steps lead on. */
static bool good_ring(const int node[], int size)
{
    static const int steps[] = {-1, 0, 1, 2};
    int to[RING_MOST][4];
    bool taken[RING_MOST] = {false}, good = true;

    for (int r = 0; r < size; r++)
        if (world_ring(node, size, r, steps, 4, to[r]))
            return false;
    for (int r = 0; r < size; r++) {
        good = good && node[to[r][2]] != node[r] && !taken[to[r][2]] &&
               to[to[r][2]][0] == r && to[r][1] == r && to[r][3] == to[to[r][2]][2];
        taken[to[r][2]] = true;
    }
    return good;
}

static bool ring_is(const int node[], int size, const int expected[])
{
    static const int one[] = {1};
    bool same = true;

    for (int r = 0; r < size; r++) {
        int to;
        same = same && !world_ring(node, size, r, one, 1, &to) && to == expected[r];
    }
    return same;
}

static bool ring_refuses(const int node[], int size, const char *why)
{
    static const int one[] = {1};
    int to;

    err_clear();
    bool good = world_ring(node, size, 0, one, 1, &to) == -EINVAL && err_get()->usage &&
                strstr(err_get()->text, why);
    err_clear();
    return good;
}

static void test_ring(void)
{
    int refused = 0, good = 0;

    tap_ok(ring_is((int[]){0, 0, 1, 1, 2, 2}, 6, (int[]){2, 3, 4, 5, 0, 1}),
           "the same place of the next node, ranks placed in blocks");
    tap_ok(ring_is((int[]){0, 1, 2, 0, 1, 2}, 6, (int[]){1, 2, 0, 4, 5, 3}),
           "... and in turn");
    tap_ok(ring_is((int[]){0, 0, 1, 1, 2}, 5, (int[]){2, 3, 4, 0, 1}),
           "nodes of unequal numbers of ranks");
    tap_ok(ring_refuses((int[]){0, 0, 0}, 3, "on one node: none") &&
               ring_refuses((int[]){0}, 1, "on one node: none"),
           "one node is refused");
    tap_ok(ring_refuses((int[]){0, 1, 0}, 3, "2 of the 3 ranks are on one node"),
           "more than half of all on one node are refused");
    for (int i = 0; i < RINGS; i++) {
        int node[RING_MOST], count[RING_MOST] = {0}, most = 0, nodes = 1;
        int size = 1 + (int)rng_below(1, (uint64_t)i, RING_MOST);
        for (int r = 0; r < size; r++) {
            node[r] = (int)rng_below(2, (uint64_t)(i * RING_MOST + r),
                                     (uint64_t)(nodes + (r > 0 && nodes < 6)));
            nodes = node[r] == nodes ? nodes + 1 : nodes;
            most = ++count[node[r]] > most ? count[node[r]] : most;
        }
        if (2 * most > size)
            refused += ring_refuses(node, size, "on one node");
        else
            good += good_ring(node, size);
    }
    tap_ok(refused + good == RINGS && refused && good,
           "maps by chance: %d of %d rings, each rank reads from another node, and no "
           "two from one; %d refused",
           good, RINGS, refused);
}

/* All ranks are on one node here: more nodes need more machines. */
static void test_nodes(void)
{
    int nodes = 0, ranks = 0, first = w.node_rank == 0;

    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, w.comm);
    tap_ok(w.nodes == nodes && w.node >= 0 && w.node < nodes, "%d nodes", w.nodes);
    int mine = first ? w.node_ranks : 0;
    MPI_Allreduce(&mine, &ranks, 1, MPI_INT, MPI_SUM, w.comm);
    tap_ok(ranks == w.size, "their ranks add up");
    tap_ok(w.node_rank < w.node_ranks && w.node_ranks <= w.ranks_per_node_max,
           "places on a node are in range");
    tap_ok(w.rank != 0 || (w.node == 0 && w.node_rank == 0), "rank 0 is on node 0");
}

static void test_hosts(void)
{
    struct world_host *h;
    int ranks = 0, rc = world_hosts(&w, &h);

    tap_ok(rc == 0 && (h != NULL) == (w.rank == 0), "rank 0 has the list of hosts");
    for (int i = 0; h && i < w.nodes; i++)
        ranks += h[i].ranks;
    tap_ok(!h || (ranks == w.size && !strcmp(h[0].name, w.host) && h[0].cores > 0 &&
                  h[0].memory_bytes > 0 && h[0].kernel[0]),
           "with names, ranks, cores, memory and kernel");
    free(h);
}

/* The ranks in `failing` (a bit each) fail, each with its own code and sentence. */
static int disagree(MPI_Comm comm, int failing)
{
    int rank, rc = 0;

    MPI_Comm_rank(comm, &rank);
    err_clear();
    if (failing >> rank & 1)
        rc = err_set(-10 - rank, "file", 100 * w.rank, "rank %d broke", w.rank);
    return err_agree(comm, rc);
}

static int lowest(int bits)
{
    int i = 0;

    while (!(bits >> i & 1))
        i++;
    return i;
}

static bool verdict_is(int rank_in_comm, int rank_in_world)
{
    const struct err *e = err_get();
    char text[64];

    snprintf(text, sizeof text, "rank %d broke", rank_in_world);
    return e->code == -10 - rank_in_comm && e->rank == rank_in_world &&
           !strcmp(e->text, text) && !strcmp(e->file, "file") &&
           e->offset == 100 * rank_in_world && !strcmp(e->host, w.host);
}

static void test_agree(void)
{
    int bad = 0, all = (1 << w.size) - 1;

    tap_ok(disagree(w.comm, 0) == 0 && err_get()->code == 0, "no failure, no verdict");
    for (int failing = 1; failing <= all; failing++) {
        int first = lowest(failing);
        bad += disagree(w.comm, failing) != -10 - first || !verdict_is(first, first);
    }
    tap_ok(bad == 0, "whoever fails: all have the lowest failing rank's verdict");
    err_clear();
    int rc = err_agree(w.comm, w.rank == w.size - 1 ? -ENOSPC : 0);
    tap_ok(rc == -ENOSPC && err_get()->text[0] && err_get()->rank == w.size - 1,
           "a failure without a sentence gets one");
    err_clear();
}

/* A half of the ranks agrees first, then all: the sentence names the rank in the world,
 * and it stays the one that failed. */
static void test_halves(void)
{
    MPI_Comm half;
    int place, last_of_half;

    MPI_Comm_split(w.comm, w.rank % 2, w.rank, &half);
    MPI_Comm_rank(half, &place);
    MPI_Comm_size(half, &last_of_half);
    last_of_half--;
    int named = 2 * last_of_half + w.rank % 2;
    tap_ok(disagree(half, 1 << last_of_half) == -10 - last_of_half &&
               verdict_is(last_of_half, named),
           "a smaller communicator: the rank's number is the world's");
    int expected = named;
    MPI_Bcast(&expected, 1, MPI_INT, 0, w.comm);
    int rc = err_agree(w.comm, err_get()->code);
    tap_ok(rc < 0 && err_get()->rank == expected,
           "agreed on again by all: still the rank that failed");
    MPI_Comm_free(&half);
    err_clear();
}

int main(int argc, char **argv)
{
    int rc = world_open(&w, &argc, &argv, &program, 0, false);

    tap_start(&argc, &argv, 1);
    tap_ok(rc == 0, "the world opens");
    test_world();
    test_nodes();
    test_ring();
    test_hosts();
    test_agree();
    test_halves();
    int status = tap_end();
    /* A process that may not signal its threads ends all the same. */
    seccomp_forbid(SYS_tgkill, EPERM);
    int closed = world_close(&w, "world");
    return status ? status : closed;
}
