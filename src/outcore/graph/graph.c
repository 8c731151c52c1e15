/* outcore graph: stores a graph that is larger than memory from a stream of edges, and
 * searches it level by level; after the study of storage-intensive computing (2007,
 * chapter 3).
 *
 * Bytes that phases move, with B = --block: make: 16 for each edge of the stream.
 * ingest: the edges once; in each flush, the blocks of PIF with an entry of its
 * vertices, read and written; the blocks of PARTITION with a chunk to be linked, read
 * and written; and the appended chunks, from the file's last block on. search: for each
 * batch, the blocks of PIF with an entry of it; in each round of its chains, the blocks
 * of PARTITION with a chunk of it; and 8 for each entry of a queue, written once and
 * read once. check: PARTITION once, and 64 for each head. With --stored there are no
 * make and no ingest. With --layout=csr, ingest: the edges once, the bytes of their
 * sort, and both files once; search: for each batch, the blocks of both files with its
 * vertices; check: both files once. With --kernel=graph500, for each root: search, with
 * entries of 16 bytes, and validate: the edges once. roots: blocks of the candidates,
 * as in a search. Memory of a rank: 32 x the adjacency buffer, 16 x the edge buffer
 * (three times with several ranks), 64 x the batch and a bit for each of its vertices;
 * 32 for each neighbour of a batch. */
#include "base/err.h"
#include "base/mem.h"
#include "outcore/commands.h"
#include "outcore/graph/graph500.h"
#include "outcore/graph/store.h"
#include "run/workload.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct settings {
    const char *what, *stored, *filter, *layout, *format, *kernel;
    int64_t block, edge_buffer, adjacency_buffer, batch, root, roots, vertices, request;
    bool undirected;
    struct run_options run;
} set;

static struct graph {
    struct edges edges;
    struct store store;
    struct search search;
    struct deal deal; /* for edges */
    uint64_t *buffer; /* set.edge_buffer edges */
    struct check check;
    struct graph500 graph500;
} g;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Graph:"},
    {.kind = OPT_TEXT, .name = "GRAPH", .value = &set.what, .workload = true,
     .preset = "S:45,100000,5",
     .help = "a file of edges, or a graph to make: S:HUBS,VERTICES,DEGREE "
             "(scale-free) or kronecker:SCALE,EDGEFACTOR (Graph500)",
     .text = "*S:*_HUBS_*,*_VERTICES_*,*_DEGREE_ makes a scale-free graph: it "
             "begins with a ring of hubs, and each new vertex links to others with "
             "a probability that grows with the number of their links. "
             "*kronecker:*_SCALE_*,*_EDGEFACTOR_ makes the graph of Graph500: "
             "2^SCALE vertices, and EDGEFACTOR times as many edges. Anything else "
             "is the name of a file of edges, which is only read."},
    {.kind = OPT_CHOICE, .name = "format", .value = &set.format, .preset = "auto",
     .choices = "auto|binary|snap|mtx", .arg = "FORMAT", .workload = true,
     .help = "format of a file of edges",
     .choice_help = {"auto: detected from the file",
                     "binary: pairs of 64-bit little-endian numbers",
                     "snap: text, two vertices per line",
                     "mtx: Matrix Market in the coordinate format"},
     .text = "What a file of edges is: *binary*, two 64-bit little-endian numbers "
             "for each edge; *snap*, text as in the SNAP collection: two vertices "
             "in a line, separated by blanks or tabs; the rest of the line and "
             "lines that begin with # are ignored; *mtx*, a Matrix Market file in "
             "the coordinate format, whose rows and columns count from 1. In a "
             "symmetric one each entry is an edge both ways. Each rank reads the "
             "lines that begin in its part of the file. Compressed files must be "
             "unpacked first. *auto* looks into the file."},
    {.kind = OPT_INT, .name = "vertices", .value = &set.vertices, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 281474976710656, .workload = true,
     .help = "number of vertices of a graph in a file, counted from 0; a Matrix "
             "Market file has this number itself",
     .text = "Number of vertices of a graph in a file; all vertices of its edges "
             "are below it. A Matrix Market file has it."},
    {.kind = OPT_FLAG, .name = "undirected", .value = &set.undirected, .preset = "no",
     .workload = true, .help = "edges of a file or of a Kronecker graph go both ways "
                               "(those of scale-free graphs always do)"},
    {.kind = OPT_TEXT, .name = "stored", .value = &set.stored, .arg = "NAME",
     .workload = true,
     .help = "instead of GRAPH: only search the graph that an earlier run stored "
             "with --keep in NAME.PIF.0 and so on",
     .text = "Instead of _GRAPH_: search the graph that an earlier run stored "
             "with --keep in NAME.PIF.0, NAME.PARTITION.0 and those of the other "
             "ranks. The number of ranks and --layout must be the same. The graph "
             "is not changed."},
    {.kind = OPT_TITLE, .help = "Storing and searching:"},
    {.kind = OPT_CHOICE, .name = "layout", .value = &set.layout, .preset = "chunk",
     .choices = "chunk|csr", .arg = "LAYOUT", .workload = true,
     .help = "how adjacency is stored",
     .choice_help = {"chunk: each flush appends a chunk of a vertex's neighbours and "
                     "links it to the previous one, as in the study",
                     "csr: sorts the edges first and stores each vertex's neighbours "
                     "contiguously"},
     .text = "How adjacency is stored: *chunk*, in linked chunks, as in the study; "
             "*csr*, sorted, with each vertex's neighbours contiguous."},
    {.kind = OPT_BYTES, .name = "block", .letter = 'b', .value = &set.block,
     .preset = "4k", .arg = "BYTES", .unit = "B", .min = 256, .max = 1 << 20,
     .workload = true,
     .help = "bytes of a block, the unit of reading and updating files; a multiple "
             "of 256"},
    {.kind = OPT_BYTES, .name = "request", .value = &set.request, .preset = "1M",
     .arg = "BYTES", .unit = "B", .min = 4096, .max = 1 << 30, .workload = true,
     .help = "largest request when consecutive blocks are transferred together"},
    {.kind = OPT_INT, .name = "edge-buffer", .value = &set.edge_buffer,
     .preset = "2000000", .arg = "N", .unit = "1", .min = 1, .max = 1 << 30,
     .workload = true, .help = "edges that a rank buffers before sending them to "
                               "their owners"},
    {.kind = OPT_INT, .name = "adjacency-buffer", .value = &set.adjacency_buffer,
     .preset = "1000000", .arg = "N", .unit = "1", .min = 1, .max = 1 << 30,
     .workload = true,
     .help = "entries that a rank collects before a flush (with --layout=csr: sorts "
             "at a time)"},
    {.kind = OPT_INT, .name = "batch", .value = &set.batch, .preset = "1048576",
     .arg = "N", .unit = "1", .min = 1, .max = 1 << 30, .workload = true,
     .help = "queue entries that are searched at a time"},
    {.kind = OPT_CHOICE, .name = "kernel", .value = &set.kernel, .preset = "levels",
     .choices = "levels|graph500", .arg = "KERNEL", .workload = true,
     .help = "the search",
     .choice_help = {"levels: finds all vertices that can be reached from --root, "
                     "level by level, as in the study",
                     "graph500: builds and checks search trees from several roots, "
                     "as Graph500 does; edges go both ways"}},
    {.kind = OPT_INT, .name = "roots", .value = &set.roots, .preset = "64",
     .arg = "N", .unit = "1", .min = 1, .max = 1 << 20, .workload = true,
     .help = "with --kernel=graph500: number of random roots"},
    {.kind = OPT_INT, .name = "root", .value = &set.root, .preset = "0", .arg = "V",
     .unit = "1", .min = 0, .max = 281474976710655, .workload = true,
     .help = "vertex from which the search starts",
     .text = "The first vertex of the search."},
    {.kind = OPT_CHOICE, .name = "filter", .value = &set.filter, .preset = "late",
     .choices = "late|early", .arg = "WHEN", .workload = true,
     .help = "when to drop vertices that were visited before",
     .choice_help = {"late: when they are taken from the queue, as in the study",
                     "early: before they are queued"},
     .text = "When to drop visited vertices: *late*, when they are taken from the "
             "queue; *early*, before they are queued."},
    RUN_OPTIONS(set.run),
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "With *ASYNC* sequential reads and appended writes are in flight "
             "meanwhile."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "Files, also the runs of --layout=csr, are synced when they are "
             "complete, and their cached pages dropped before they are read. This "
             "does not include data that a phase reads back before it ends: the "
             "blocks of PIF and PARTITION that an ingest updates, and the queues "
             "of a search, which are synced at the end of the phase. The page "
             "cache may serve these reads, which count in _read_MBps_."},
};
/* clang-format on */

/* ---- the plan -------------------------------------------------------------------- */

/* Refuses options that name a graph or read its edges. */
static int check_stored(const struct run *r)
{
    static const char *const other[] = {"GRAPH", "format", "vertices", "undirected"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (opt_find(r->program, other[i])->from == OPT_COMMAND_LINE)
            return err_usage("%s%s with --stored, which says what the graph is: leave "
                             "out one",
                             i ? "--" : "", other[i]);
    if (g.search.tree)
        return err_usage("--kernel=graph500 with --stored: it checks its trees by the "
                         "edges, which are not stored");
    return 0;
}

static int graph_check_options(const struct run *r)
{
    struct edges *e = &g.edges;
    bool free = !e->file.given && e->made.kind == GRAPHS_SCALE_FREE;
    if (set.block % 256 || set.request < set.block)
        return err_usage("--block=%" PRId64 ": a block is a multiple of 256 bytes, and "
                         "no larger than --request",
                         set.block);
    if (e->file.given && !set.vertices && !e->vertices)
        return err_usage("%s is a file of edges: say with --vertices how many vertices "
                         "there are",
                         set.what);
    if (set.vertices && e->vertices)
        return err_usage("--vertices with %s, which says so itself: leave it out",
                         set.what);
    if (set.vertices)
        e->vertices = (uint64_t)set.vertices;
    if ((uint64_t)set.root >= e->vertices)
        return err_usage("--root=%" PRId64 ": there are %" PRIu64
                         " vertices, from 0 on",
                         set.root, e->vertices);
    if (e->vertices / (uint64_t)r->world.size > INT64_MAX / 64)
        return err_usage("%s has too many vertices", set.what);
    if (g.search.tree && set.root)
        return err_usage("--root with --kernel=graph500, which draws its roots: leave "
                         "it out, and see --roots");
    if (g.search.tree && e->file.given && !set.undirected && !e->both_ways)
        return err_usage("--kernel=graph500 searches undirected graphs: with %s, say "
                         "--undirected",
                         set.what);
    e->both_ways |= (set.undirected || g.search.tree) && !free;
    return 0;
}

static void graph_fill_need(const struct run *r, struct run_need *n)
{
    int64_t edges = edges_all(&g.edges),
            made = g.edges.file.given ? 0 : g.edges.file.bytes;
    int64_t pif =
        PIF_HEAD * (int64_t)r->world.size + PIF_ENTRY * (int64_t)g.edges.vertices;
    n->order = "chunks of vertices";
    n->depth = graph_slots(r);
    n->files = 4;
    n->memory_bytes = store_memory(&g.store) +
                      search_memory(&g.search, set.edge_buffer) +
                      deal_memory(r, 2, set.edge_buffer) + 16 * set.edge_buffer;
    if (g.search.tree)
        n->memory_bytes += graph500_memory(&g.graph500);
    if (made && n->memory_bytes < DATA_MAKE_MEMORY)
        n->memory_bytes = DATA_MAKE_MEMORY;
    /* Upper bound: each entry has a chunk of its own; and two queues. */
    n->disk_bytes = made + pif + PARTITION_HEAD * (int64_t)r->world.size + 48 * edges;
    if (set.stored)
        n->disk_bytes = 16 * g.store.kept.all_entries;
    n->read_bytes = n->write_bytes = -1;
}

static int plan_graph(struct run *r)
{
    if (!set.stored)
        return edges_plan(r, &g.edges, set.what, set.format);
    g.store.kept.name = set.stored;
    int rc = check_stored(r);
    rc = rc ? rc : stored_plan(&g.store);
    g.edges.vertices = g.store.vertices;
    return rc;
}

static int graph_plan(struct run *r, struct run_need *n)
{
    g.store.r = r;
    g.store.layout = strcmp(set.layout, "csr") ? &store_chunks : &store_csr;
    g.search.tree = !strcmp(set.kernel, "graph500");
    int rc = plan_graph(r);
    rc = rc ? rc : graph_check_options(r);
    if (rc)
        return rc;
    g.store.vertices = g.edges.vertices;
    g.store.block = set.block;
    g.store.request = set.request / set.block * set.block;
    g.store.capacity = set.adjacency_buffer;
    g.search.s = &g.store;
    g.search.root = (uint64_t)set.root;
    g.search.batch = set.batch;
    g.search.early = !strcmp(set.filter, "early");
    g.graph500.most = set.roots;
    g.graph500.q = &g.search;
    g.graph500.edges = &g.edges;
    if (g.store.layout == &store_csr && (rc = csr_check(&g.store)))
        return rc;
    r->io_shares = true;
    graph_fill_need(r, n);
    return 0;
}

/* ---- the run --------------------------------------------------------------------- */

static int graph_open_all(struct run *r)
{
    int rc = store_open(&g.store);
    if (!rc)
        rc = search_open(&g.search, set.edge_buffer);
    if (!rc && g.search.tree)
        rc = graph500_open(&g.graph500);
    if (!rc)
        rc = deal_open(&g.deal, r, 2, set.edge_buffer);
    if (!rc)
        g.buffer = mem_new(deal_most(&g.deal), GRAPHS_EDGE, "an edge buffer");
    if (!rc && !g.buffer)
        rc = -ENOMEM;
    rc = err_agree(r->world.comm, rc);
    if (rc || !set.stored)
        return rc ? rc : data_say(r, &g.edges.file);
    char path[sizeof g.store.pif.path];
    stored_path(&g.store, g.store.layout->lists, path, sizeof path);
    return run_reads(r, path);
}

static void ingest_edges(struct run *r)
{
    int64_t most = deal_most(&g.deal), n;
    const uint64_t *came;
    do {
        n = edges_next(r, &g.edges, g.buffer, most);
        int64_t got = deal_round(&g.deal, g.buffer, n, &came);
        store_add(&g.store, came, got);
    } while (deal_any(&g.deal, n > 0));
    store_end(&g.store);
}

static int ingest(struct run *r)
{
    const struct store_moved *m = &g.store.moved;
    run_phase_begin(r, "ingest");
    edges_open(r, &g.edges); /* a failure on one rank is reported by the next call */
    if (!store_files_open(&g.store, true))
        ingest_edges(r);
    store_files_close(&g.store, true);
    edges_close(r, &g.edges);
    int rc = run_phase_end(r);
    int64_t updated = m->pif.bytes + m->links.bytes;
    int64_t edges = edges_bytes(&g.edges);
    if (!rc)
        rc = store_moved_all(&g.store, "ingest", edges + updated + m->sort_read_bytes,
                             updated + m->append_bytes + m->sort_write_bytes);
    rc = rc ? rc : edges_check(r, &g.edges);
    if (!rc)
        run_figure(r, "ingest", "edges_per_s", "1/s", "higher",
                   "directed edges / slowest rank's seconds of reading, computing, "
                   "exchanging, writing and syncing",
                   (double)edges_handed(r, &g.edges) / r->last.work_s);
    return rc;
}

static int search(struct run *r)
{
    struct search *q = &g.search;
    int rc = search_phase(q);
    if (rc)
        return rc;
    int64_t all = q->collected;
    world_reduce(r->world.comm, &all, 1, MPI_INT64_T, MPI_SUM);
    run_figure(r, "search", "TEPS", "1/s", "higher",
               "neighbours that were collected / slowest rank's seconds of reading, "
               "computing, exchanging, writing and syncing",
               (double)all / r->last.work_s);
    run_figure(r, "search", "read_MB", "MB", "lower", "bytes read / 1e6",
               (double)r->last.read_bytes / 1e6);
    run_figure(r, "search", "write_MB", "MB", "lower", "bytes written / 1e6",
               (double)r->last.write_bytes / 1e6);
    return 0;
}

/* Takes the expected totals of a stored graph from its heads: chunks, which have CRCs,
 * have no sum there, and rows no number of chunks. */
static void expect_stored(struct store *s, const struct check *c)
{
    bool rows = !s->layout->made;
    g.edges.handed = s->entries = s->kept.entries;
    s->sum = rows && s->kept.sum ? s->kept.sum : c->sum;
    if (rows)
        s->chunks = c->chunks;
}

/* Judges this rank's files. */
static int judge_files(const struct check *c, const struct store *s)
{
    if (c->entries != s->entries || c->chunks != s->chunks || c->sum != s->sum)
        return err_set(-EIO, s->partition.path, -1,
                       "%" PRId64 " entries are stored in %" PRId64 " chunks, with the "
                       "sum %" PRIu64 "; %" PRId64 " in %" PRId64 " with %" PRIu64
                       " were put there",
                       c->entries, c->chunks, c->sum, s->entries, s->chunks, s->sum);
    if (g.search.collected != c->reached || c->missed ||
        c->reached_sum != s->searched.sum)
        return err_set(
            -EIO, s->partition.path, -1,
            "the search collected %" PRId64 " neighbours of what it visited, "
            "with the sum %" PRIu64 "; it has %" PRId64 ", with %" PRIu64
            ", and %" PRId64 " vertices of this rank were not visited",
            g.search.collected, s->searched.sum, c->reached, c->reached_sum, c->missed);
    return 0;
}

static int graph_judge(struct run *r)
{
    struct store *s = &g.store;
    if (set.stored)
        expect_stored(s, &g.check);
    int rc = err_agree(r->world.comm, judge_files(&g.check, s));
    int64_t stored = s->entries, edges = edges_handed(r, &g.edges);
    world_reduce(r->world.comm, &stored, 1, MPI_INT64_T, MPI_SUM);
    if (rc || stored == edges)
        return rc;
    return err_set(-EIO, s->partition.path, -1,
                   "all ranks have stored %" PRId64 " entries, and %" PRId64
                   " edges were handed out",
                   stored, edges);
}

static int graph_check(struct run *r)
{
    r->aside = r->samples_only = true;
    run_phase_begin(r, "check");
    store_heads(&g.store);
    if (!store_files_open(&g.store, false))
        check_files(&g.search, &g.check);
    store_files_close(&g.store, false);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    if (!rc)
        rc = store_moved_all(
            &g.store, "check", g.check.read_bytes,
            g.store.layout->made && !set.stored ? PIF_HEAD + PARTITION_HEAD : 0);
    return rc ? rc : graph_judge(r);
}

static int store_graph(struct run *r)
{
    edges_name(r, &g.edges, set.request / GRAPHS_EDGE * GRAPHS_EDGE);
    int rc = edges_make(r, &g.edges);
    rc = rc ? rc : store_make(&g.store);
    return rc ? rc : ingest(r);
}

static int graph_repetition(struct run *r, void *context)
{
    (void)context;
    store_name(&g.store);
    search_name(&g.search);
    int rc = set.stored ? 0 : store_graph(r);
    if (!rc)
        rc = g.search.tree ? graph500_run(&g.graph500) : search(r);
    if (rc)
        return rc;
    struct report_rate last = r->last;
    rc = graph_check(r);
    r->last = last;
    return rc;
}

static int graph_put_away(struct run *r, int rc)
{
    (void)rc;
    int queues = search_remove(&g.search);
    int files = store_remove(&g.store);
    int made = data_remove(r, &g.edges.file);
    return queues ? queues : files ? files : made;
}

/* ---- results --------------------------------------------------------------------- */

static void say_levels(struct run *r)
{
    char text[1024] = "";
    size_t n = 0;
    for (int64_t i = 0; i < g.search.levels && n < sizeof text - 32; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRIu64, i ? " " : "",
                              g.search.level_size[i]);
    report_note(r->report, "levels",
                "vertices of each level, from vertex %" PRId64 " on: %s%s", set.root,
                text, n < sizeof text - 32 ? "" : " ...");
}

static int graph_results(struct run *r, int rc)
{
    const struct store_moved *m = &g.store.moved;
    const struct store_searched *d = &g.store.searched;
    const struct {
        const char *name;
        int64_t value;
    } sum[] = {{"chunks", g.store.chunks},
               {"entries", g.store.entries},
               {"collected", g.search.collected},
               {"ingest_pif_blocks", m->pif.blocks},
               {"ingest_link_blocks", m->links.blocks},
               {"ingest_append_blocks", m->append_blocks},
               {"search_pif_blocks", d->places.blocks},
               {"search_partition_blocks", d->lists.blocks},
               {"queue_bytes", search_entry(&g.search) * g.search.queued}};
    enum { SUMS = sizeof sum / sizeof *sum };
    int64_t all[SUMS], most[2] = {d->rounds, d->longest}, visited = 0;
    for (int i = 0; i < SUMS; i++)
        all[i] = sum[i].value;
    world_reduce(r->world.comm, all, SUMS, MPI_INT64_T, MPI_SUM);
    world_reduce(r->world.comm, most, 2, MPI_INT64_T, MPI_MAX);
    if (rc)
        return rc;
    for (int64_t i = 0; i < g.search.levels; i++)
        visited += (int64_t)g.search.level_size[i];
    run_result(r, "vertices", (double)g.edges.vertices);
    run_result(r, "levels", (double)g.search.levels);
    run_result(r, "visited", (double)visited);
    for (int i = 0; i < SUMS; i++)
        run_result(r, sum[i].name, (double)all[i]);
    run_result(r, "rounds", (double)most[0]);
    run_result(r, "chain_max", (double)most[1]);
    if (g.search.tree)
        graph500_results(&g.graph500);
    else
        say_levels(r);
    data_again(r, &g.edges.file);
    return rc;
}

static void graph_close_all(struct run *r)
{
    (void)r;
    store_close(&g.store);
    search_close(&g.search);
    graph500_close(&g.graph500);
    deal_close(&g.deal);
    free(g.buffer);
    g.buffer = NULL;
    data_free(&g.edges.file);
}

int outcore_graph(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = graph_repetition}, {.body = NULL}};
    static const struct workload graph = {
        .name = "outcore graph",
        .line = "[GRAPH]",
        .about =
            "Stores a graph from a stream of edges, and searches it level by level "
            "from one vertex on, with only buffers of it in memory.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_ASYNC | RUN_TAKES_COMPARE,
        .plan = graph_plan,
        .open = graph_open_all,
        .stages = stages,
        .put_away = graph_put_away,
        .results = graph_results,
        .close = graph_close_all,
    };
    argv[0] = (char *)graph.name;
    return run_main(&graph, argc, argv);
}
