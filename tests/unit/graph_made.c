/* ranks: 1 */
/* Graphs from a seed: their first edges and sums over all edges, as found by a program
 * of its own that follows only the definitions. */
#include "outcore/data/records.h"
#include "tap.h"
#include <endian.h>

struct counts {
    uint64_t sum; /* of 31 source + destination */
    int64_t loops, isolated, most, most_at;
};

static struct graphs_made graph_of(const char *text, uint64_t seed)
{
    struct graphs_made g;
    int rc = graphs_parse(&g, text);
    tap_ok(!rc, "%s is a graph", text);
    if (rc)
        exit(1);
    graphs_seed(&g, seed);
    return g;
}

/* Returns the numbers of all edges, two each; the caller frees them. */
static uint64_t *edges_of(const struct graphs_made *g)
{
    uint64_t *edge = malloc((size_t)g->rows * GRAPHS_EDGE);
    graphs_make(g, 0, g->rows, edge);
    for (int64_t i = 0; i < 2 * g->rows; i++)
        edge[i] = le64toh(edge[i]);
    return edge;
}

/* Counts; with `both`, an edge is one of both ends. */
static struct counts count(const struct graphs_made *g, const uint64_t *edge, int both)
{
    struct counts c = {0};
    int64_t *degree = calloc((size_t)g->vertices, sizeof *degree);
    for (int64_t i = 0; i < g->rows; i++, edge += 2) {
        c.sum += 31 * edge[0] + edge[1];
        c.loops += edge[0] == edge[1];
        degree[edge[0]]++;
        degree[edge[1]] += both;
    }
    for (int64_t v = 0; v < g->vertices; v++) {
        c.isolated += !degree[v];
        c.most_at = degree[v] > c.most ? v : c.most_at;
        c.most = degree[v] > c.most ? degree[v] : c.most;
    }
    free(degree);
    return c;
}

static void check_scale_free(void)
{
    static const uint64_t first[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 1},
                                        {4, 4}, {4, 4}, {5, 4}, {5, 2}, {6, 5}};
    struct graphs_made g = graph_of("S:4,20,4", 1);
    uint64_t *edge = edges_of(&g);
    int same = 1;
    for (int i = 0; i < 10; i++)
        same &= edge[4 * i] == first[i][0] && edge[4 * i + 1] == first[i][1] &&
                edge[4 * i + 2] == first[i][1] && edge[4 * i + 3] == first[i][0];
    tap_ok(same && g.edges == 40 && g.rows == 80 && g.vertices == 20,
           "S:4,20,4: its first edges, each both ways");
    free(edge);

    g = graph_of("S:45,10000,5", 1);
    edge = edges_of(&g);
    struct counts c = count(&g, edge, 0);
    tap_ok(g.rows == 50000 && c.sum == 5363985440, "S:45,10000,5: sum of its edges");
    tap_ok(c.most == 171 && c.most_at == 46, "most edges of a vertex");
    free(edge);
}

static void check_kronecker(void)
{
    static const uint64_t first[] = {572, 820, 452, 781, 799, 1017};
    struct graphs_made g = graph_of("kronecker:10,16", 1);
    uint64_t *edge = edges_of(&g);
    struct counts c = count(&g, edge, 1);
    tap_ok(g.vertices == 1024 && g.rows == 16384 && !memcmp(edge, first, sizeof first),
           "kronecker:10,16: its first edges");
    tap_ok(c.sum == 253648648 && c.loops == 138 && c.isolated == 132,
           "sum, loops, and vertices without edges");
    tap_ok(c.most == 2103 && c.most_at == 135, "most edges of a vertex");
    free(edge);

    g = graph_of("kronecker:14,16", 1);
    edge = edges_of(&g);
    c = count(&g, edge, 1);
    tap_ok(c.sum == 66673827567 && c.isolated == 3919, "kronecker:14,16");
    free(edge);
}

/* An edge follows from its number, whatever is made with it. */
static void check_pieces(const char *text)
{
    struct graphs_made g = graph_of(text, 5), other = graph_of(text, 6);
    uint64_t piece[2 * 7], *edge = edges_of(&g), *others = edges_of(&other);
    int same = 1;
    for (int64_t i = 0; i < g.rows; i += 7) {
        int64_t n = g.rows - i < 7 ? g.rows - i : 7;
        graphs_make(&g, i, n, piece);
        for (int64_t k = 0; k < 2 * n; k++)
            same &= le64toh(piece[k]) == edge[2 * i + k];
    }
    tap_ok(same, "%s in pieces is the same", text);
    tap_ok(memcmp(edge, others, (size_t)g.rows * GRAPHS_EDGE) != 0,
           "and another one from another seed");
    free(edge);
    free(others);
}

/* Numbers of the largest graphs do not overflow. */
static void check_large(void)
{
    struct graphs_made g = graph_of("S:1000000,281474976710656,4", 1);
    uint64_t edge[2];
    int64_t end = INT64_C(1) << 48;
    tap_ok(g.rows == 4 * end, "2^48 vertices have 2^50 directed edges");
    graphs_make(&g, g.rows - 2, 1, edge);
    tap_ok(le64toh(edge[0]) == (uint64_t)end - 1 && le64toh(edge[1]) < (uint64_t)end,
           "the last vertex has the last edge");
    g = graph_of("kronecker:47,4095", 1);
    graphs_make(&g, g.rows - 1, 1, edge);
    tap_ok(g.rows == INT64_C(4095) << 47 && le64toh(edge[0]) >> 47 == 0 &&
               le64toh(edge[1]) >> 47 == 0,
           "vertices of the largest Kronecker graph are below 2^47");
}

static void check_refused(void)
{
    static const char *const wrong[] = {"S:",
                                        "S:4,20",
                                        "S:4,20,4,",
                                        "S:4,20,4x",
                                        "S:a,b,c",
                                        "S:0,20,4",
                                        "S:20,20,4",
                                        "S:4,20,0",
                                        "S:4,5,1",
                                        "S:-4,20,4",
                                        "S:1,281474976710657,4",
                                        "S:1,281474976710656,65536",
                                        "kronecker:",
                                        "kronecker:10",
                                        "kronecker:10,16,",
                                        "kronecker:0,16",
                                        "kronecker:48,1",
                                        "kronecker:10,0",
                                        "kronecker:47,4096",
                                        "kronecker:10,-1"};
    static const char *const other[] = {"edges", "./S:4,20,4", "s:4,20,4", "kronecker",
                                        "S"};
    struct graphs_made g;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err_clear();
        int rc = graphs_parse(&g, wrong[i]);
        tap_ok(rc == -EINVAL && err_get()->usage && strstr(err_get()->text, wrong[i]),
               "%s", err_get()->text);
    }
    for (unsigned i = 0; i < sizeof other / sizeof *other; i++)
        tap_ok(graphs_parse(&g, other[i]) == 1, "%s is a file", other[i]);
}

int main(void)
{
    check_scale_free();
    check_kronecker();
    check_pieces("S:3,50,7");
    check_pieces("kronecker:6,3");
    check_large();
    check_refused();
    return tap_end();
}
