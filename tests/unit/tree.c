/* ranks: 1 2 3 */
/* The five checks of a breadth-first search tree: a good tree, and one that is wrong in
 * each way. */
#include "one_run.h"
#include "outcore/graph/graph500.h"
#include "tap.h"

enum { VERTICES = 10, LONG = 1000, LAST = 5 };

#define NONE SEARCH_NONE

/*  0 - 1 - 2 - 3     6 - 7    8   9
 *   \ /                       (a loop)
 *    4 - 5                            */
static const uint64_t small[][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 5},
                                    {1, 4}, {6, 7}, {8, 8}, {5, 5}};

static struct run run;
static struct run_options options;
static struct store store;
static struct search search;
static struct edges edges;
static struct tree tree;
static uint64_t path[LONG - 1][2];
static const uint64_t (*list)[2]; /* edges of the graph, in one direction */
static int64_t list_n;

/* ---- replacements for files ------------------------------------------------------ */

int64_t store_vertices(const struct store *s)
{
    int64_t ranks = s->r->world.size;
    return ((int64_t)s->vertices - s->r->world.rank + ranks - 1) / ranks;
}

/* Each rank has some of the edges, in both directions. */
int edges_open(struct run *r, struct edges *e)
{
    e->n = r->world.rank;
    e->turned = false;
    return 0;
}

int edges_close(struct run *r, struct edges *e)
{
    (void)e;
    return r->failed;
}

int64_t edges_next(struct run *r, struct edges *e, uint64_t *to, int64_t most)
{
    if (most < 1 || e->n >= list_n)
        return 0;
    to[0] = list[e->n][e->turned];
    to[1] = list[e->n][!e->turned];
    e->n += e->turned ? r->world.size : 0;
    e->turned = !e->turned;
    return 1;
}

/* ---- trees ----------------------------------------------------------------------- */

/* Checks the tree with these parents. Returns the lowest number of a check that failed
 * on some rank; 0: none did. */
static int verdict(const uint64_t *parent, uint64_t root)
{
    int64_t mine = store_vertices(&store);
    int number = 0;
    for (int64_t i = 0; i < mine; i++)
        search.parent[i] = parent[i * run.world.size + run.world.rank];
    search.root = root;
    run.failed = 0;
    err_clear();
    tree_check(&tree);
    if (run.failed)
        number = atoi(err_get()->text + strlen("check "));
    err_clear();
    number = number ? number : LAST + 1;
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return number > LAST ? 0 : number;
}

static bool open_tree(uint64_t vertices)
{
    store.vertices = vertices;
    search.parent = malloc((vertices + 1) * sizeof *search.parent);
    return search.parent && !tree_open(&tree, &search, &edges);
}

static void close_tree(void)
{
    tree_close(&tree);
    free(search.parent);
}

static int64_t sum_of(int64_t mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return mine;
}

static int64_t most_of(int64_t mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return mine;
}

static void check_good(void)
{
    static const uint64_t from_0[VERTICES] = {0, 0, 1, 2, 0, 4, NONE, NONE, NONE, NONE},
                          from_3[VERTICES] = {1, 2, 3, 3, 1, 4, NONE, NONE, NONE, NONE},
                          from_6[VERTICES] = {NONE, NONE, NONE, NONE, NONE,
                                              NONE, 6,    6,    NONE, NONE};
    tap_ok(!verdict(from_0, 0), "a tree");
    int64_t inside = sum_of(tree.inside), levels = most_of(tree.levels);
    tap_ok(inside == 14 && levels == 4, "its edges, both ways, and levels");
    tap_ok(!verdict(from_3, 3), "one from another root");
    levels = most_of(tree.levels);
    tap_ok(levels == 5, "has other levels");
    tap_ok(!verdict(from_6, 6), "a tree in another component");
    inside = sum_of(tree.inside);
    tap_ok(inside == 2, "has its edges");
}

static void check_wrong(void)
{
    static const struct {
        uint64_t parent[VERTICES];
        int check;
        const char *what;
    } wrong[] = {
        {{0, 0, 3, 2, 0, 4, NONE, NONE, NONE, NONE}, 1, "a circle"},
        {{0, 0, 1, 3, 0, 4, NONE, NONE, NONE, NONE}, 1, "a vertex that is its parent"},
        {{1, 0, 1, 2, 0, 4, NONE, NONE, NONE, NONE}, 1, "a root with a parent"},
        {{NONE, 0, 1, 2, 0, 4, NONE, NONE, NONE, NONE}, 1, "a root without itself"},
        {{0, 0, 1, 2, 0, 6, NONE, NONE, NONE, NONE}, 1, "a parent outside of the tree"},
        {{0, 0, 1, 2, 1, 4, NONE, NONE, NONE, NONE}, 3, "a tree that is too deep"},
        {{0, 0, 1, NONE, 0, 4, NONE, NONE, NONE, NONE}, 4, "a vertex left out"},
        {{0, 0, 1, 5, 0, 4, NONE, NONE, NONE, NONE},
         5,
         "a parent that is no neighbour"},
        {{0, 0, 1, 2, 0, 4, NONE, NONE, 0, NONE}, 5, "a loop is no edge to a parent"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int number = verdict(wrong[i].parent, 0);
        tap_ok(number == wrong[i].check, "%s: check %d, found by %d", wrong[i].what,
               wrong[i].check, number);
    }
}

/* The tree is as deep as possible: if ways to the root did not double, it would take
 * long. */
static void check_deep(void)
{
    static uint64_t parent[LONG];
    for (uint64_t i = 0; i < LONG - 1; i++) {
        path[i][0] = i;
        path[i][1] = i + 1;
        parent[i + 1] = i;
    }
    list = path;
    list_n = LONG - 1;
    tap_ok(!verdict(parent, 0), "a path");
    int64_t levels = most_of(tree.levels);
    tap_ok(levels == LONG, "has as many levels as vertices");
    parent[500] = LONG - 1;
    int number = verdict(parent, 0);
    tap_ok(number == 1, "a long circle ends in check %d", number);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    one_run(&run, &options);
    store.r = &run;
    search.s = &store;
    list = small;
    list_n = sizeof small / sizeof *small;
    tap_ok(!phase_open(&run.phase) && open_tree(VERTICES), "memory");
    phase_begin(run.phase, "test", 1);
    check_good();
    check_wrong();
    close_tree();
    tap_ok(open_tree(LONG), "more memory");
    check_deep();
    close_tree();
    phase_close(&run.phase);
    return tap_end();
}
