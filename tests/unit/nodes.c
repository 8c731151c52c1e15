/* ranks: 2 32; limit: 120
 * Nodes that see other storage than the rest, where each rank pretends to be a node. */
#include "pmpi.h"
#include "tap.h"

#include "io/io.h"
#include "world/world.h"

enum { CALLS = 9 }; /* of each rank in which others take part, however many they are */

static struct world w;
static const struct opt_program program = {.name = "nodes"};
static struct io_nodes all;

/* Describes storage as node `i` may see it. */
static struct io_place place(int i, const char *kind, const char *source)
{
    struct io_place p = {.node = i, .rank = i, .looked = true, .counted = i % 2};
    snprintf(p.kinds, sizeof p.kinds, "0 file system %s;", kind);
    snprintf(p.name, sizeof p.name, "%s", kind);
    snprintf(p.fs, sizeof p.fs, "%s", kind);
    snprintf(p.source, sizeof p.source, "%s", source);
    snprintf(p.uuid, sizeof p.uuid, "%d", i);
    snprintf(p.host, sizeof p.host, "n%d", i);
    return p;
}

static void find(const struct io_place *mine)
{
    long before = pmpi_calls;
    int rc = io_nodes_find(&w, mine, false, &all);
    tap_ok(rc == 0, "nodes are compared");
    tap_ok(pmpi_calls - before <= CALLS, "%ld calls with others", pmpi_calls - before);
}

static void test_alike(void)
{
    struct io_place p = place(w.rank, "lustre", w.rank ? "a@tcp:/fs1" : "b@tcp:/fs1");
    find(&p);
    tap_ok(all.n == 1 && !all.unlike, "%d group of nodes", all.n);
    tap_ok(w.rank || all.group[0].nodes == w.size, "%d nodes", all.group[0].nodes);
    tap_ok(w.rank || (!all.group[0].of.uuid[0] && !all.group[0].of.source[0]),
           "what is not the same on all is not told");
    tap_ok(w.rank || !strncmp(all.group[0].names, "n0, n1", 6), "%s",
           all.group[0].names);
}

static void test_one_unlike(void)
{
    int odd = w.size - 1;
    struct io_place p = w.rank == odd ? place(w.rank, "ext4", "/dev/vda")
                                      : place(w.rank, "lustre", "a:/fs1");
    p.reads = w.rank == odd ? IO_READS_CACHE : IO_READS_UNKNOWN;
    find(&p);
    tap_ok(all.n == 2 && all.unlike == 1, "%d groups, %d unlike", all.n, all.unlike);
    tap_ok(all.worst == odd, "memory may serve rank %d", all.worst);
    tap_ok(all.own == (w.rank == odd), "rank %d is in group %d", w.rank, all.own);
    tap_ok(all.counted == w.rank % 2, "reads are counted by node");
    tap_ok(w.rank || (all.group[0].nodes == w.size - 1 && all.group[1].nodes == 1),
           "%d and %d", all.group[0].nodes, all.group[1].nodes);
    tap_ok(w.rank ||
               (!strcmp(all.other.host, all.group[1].names) && all.other.rank == odd),
           "%s is named", all.other.host);
}

/* Nodes may differ in much that the layers do not tell. */
static void test_differences(void)
{
    struct io_place p = place(w.rank, "nfs", w.rank ? "a:/y" : "a:/x");
    find(&p);
    tap_ok(all.n == 2 && !all.unlike, "another export");
    p = place(w.rank, "nfs", "a:/x");
    snprintf(p.mount, sizeof p.mount, "%s", w.rank ? "rw,vers=4.2" : "rw,vers=3");
    find(&p);
    tap_ok(all.n == 2 && !all.unlike, "other options of the mount");
    p = place(w.rank, "nfs", "a:/x");
    snprintf(p.limits, sizeof p.limits, "memory %d", w.rank * 4096);
    find(&p);
    tap_ok(all.n == (w.size < IO_GROUPS ? w.size : IO_GROUPS), "%d groups", all.n);
    int nodes = 0;
    for (int i = 0; i < all.n && !w.rank; i++)
        nodes += all.group[i].nodes;
    tap_ok(w.rank || nodes == w.size, "%d nodes in all groups", nodes);
}

/* An input may exist on some nodes only. */
static void test_nothing_there(void)
{
    struct io_place p = place(w.rank, "ext4", "/dev/vda");
    p.looked = w.rank > 0;
    find(&p);
    tap_ok(all.n == 1 && !all.unlike && all.worst > 0, "rank %d stands for all",
           all.worst);
}

int main(int argc, char **argv)
{
    int rc = world_open(&w, &argc, &argv, &program, 0, false);
    w.node = w.rank;
    w.node_rank = 0;
    w.nodes = w.size;
    tap_start(&argc, &argv, 1);
    tap_ok(rc == 0, "the world opens");
    test_alike();
    test_one_unlike();
    test_differences();
    test_nothing_there();
    int status = tap_end();
    int closed = world_close(&w, program.name);
    return status ? status : closed;
}
