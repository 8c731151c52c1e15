/* ranks: 1; mpi: any */
/* metabench's names tell their items, and a tree's folders have each item once. */
#include "metabench/metabench.h"
#include "tap.h"

static bool comes_back(struct name n)
{
    char text[NAMES_SIZE];
    struct name back;
    return names_read(names_make(text, n), &back) && back.kind == n.kind &&
           back.worker == n.worker && back.number == n.number;
}

static void test_names(void)
{
    static const char *const others[] = {"",
                                         "f",
                                         "f000003",
                                         "f000003.",
                                         "f3.42",
                                         "f000003.42",
                                         "x000003.000000042",
                                         "f000003.000000042 ",
                                         "f000003.000000042.tmp",
                                         "F000003.000000042",
                                         "f-00003.000000042",
                                         ".nfs0000000000000001",
                                         "f000003.0000000042",
                                         "f000003.000000042000003.000000042000003.0"};
    char text[NAMES_SIZE];
    struct name n;
    tap_ok(!strcmp(names_make(text, (struct name){NAMES_FILE, 3, 42}),
                   "f000003.000000042"),
           "a name is a letter, the worker and the number");
    tap_ok(comes_back((struct name){NAMES_RENAMED, 0, 0}) &&
               comes_back((struct name){NAMES_LINK, 1, 2}) &&
               comes_back((struct name){NAMES_SYMLINK, 1, 2}) &&
               comes_back((struct name){NAMES_FOLDER, 1234567, 1999999999}) &&
               comes_back((struct name){NAMES_TREE, 99999999, INT64_C(99999999999)}),
           "what is made is read, however many digits it has");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tap_ok(!names_read(others[i], &n), "\"%s\" is no name of ours", others[i]);
}

/* True if items are consecutive, and folders follow their parents, one level deeper. */
static bool is_whole(const struct tree *t)
{
    int64_t way[TREE_DEPTH_MAX + 1], children = 0;
    bool right = tree_first(t, 0) == 0 && tree_first(t, t->folders) == t->items;
    for (int64_t k = 0; k < t->folders && right; k++) {
        int64_t n = tree_first(t, k + 1) - tree_first(t, k);
        int levels = tree_way(t, k, way);
        right = n >= t->items / t->folders && n <= t->items / t->folders + 1 &&
                levels <= t->depth + 1 && way[0] == 0 && way[levels - 1] == k;
        for (int i = 1; i < levels; i++)
            right &= way[i] > way[i - 1] * t->branch &&
                     way[i] <= way[i - 1] * t->branch + t->branch;
        children += tree_children(t, k);
    }
    return right && children == t->folders - 1;
}

static void test_trees(void)
{
    static const struct {
        int depth;
        int64_t branch, folders;
    } row[] = {{0, 1, 1}, {1, 1, 2}, {3, 1, 4}, {1, 7, 8}, {2, 4, 21}, {5, 3, 364}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct tree t = {.depth = row[i].depth, .branch = row[i].branch};
        t.folders = tree_folders(t.depth, t.branch);
        tap_ok(t.folders == row[i].folders, "depth %d, branch %d: %d folders", t.depth,
               (int)t.branch, (int)row[i].folders);
        for (t.items = 0; t.items < 3 * t.folders; t.items += t.folders / 2 + 1)
            if (!is_whole(&t))
                break;
        tap_ok(t.items >= 3 * t.folders, "each has its share, and its way");
    }
    tap_ok(tree_folders(16, 1000000) < 0 && tree_folders(4, 1000) < 0,
           "trees that are too large are refused");
    struct tree large = {2, 40000, tree_folders(2, 40000), INT64_C(2000000000)};
    tap_ok(tree_first(&large, large.folders) == large.items,
           "shares of large trees do not overflow");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_names();
    test_trees();
    return tap_end();
}
