#include "outcore/graph/edges.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "io/io.h"
#include "outcore/graph/store.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERTEX_END (UINT64_C(1) << 48)

/* ---- the plan -------------------------------------------------------------------- */

static int edges_read_at(struct io_file *f, void *to, int64_t offset, int64_t bytes)
{
    struct io_req req = {.op = IO_OP_READ, .buf = to, .offset = offset, .bytes = bytes};
    return io_file_transfer(f, &req);
}

/* Finds the first line that begins at `at` or behind it. */
static int line_at(const struct edges *e, struct io_file *f, int64_t at, int64_t *line)
{
    char piece[4096];
    const char *stop = NULL;
    int rc = 0;
    *line = at <= e->text.head ? e->text.head : e->file.bytes;
    at = at <= e->text.head ? e->file.bytes : at - 1;
    for (int64_t n; !rc && !stop && at < e->file.bytes; at += n) {
        n = e->file.bytes - at;
        n = n < (int64_t)sizeof piece ? n : (int64_t)sizeof piece;
        rc = edges_read_at(f, piece, at, n);
        stop = rc ? NULL : memchr(piece, '\n', (size_t)n);
        if (stop)
            *line = at + (stop - piece) + 1;
    }
    return rc;
}

/* Parses the head, and finds each rank's lines, which begin within its part of
 * the bytes. */
static int look_into(const struct run *r, struct edges *e, struct io_file *f,
                     char *head, const char *format)
{
    int64_t bytes = e->file.bytes < TEXT_HEAD ? e->file.bytes : TEXT_HEAD;
    int rc = edges_read_at(f, head, 0, bytes);
    rc = rc ? rc : text_of(&e->text, format, e->file.path, head, bytes);
    if (rc || e->text.kind == TEXT_BINARY)
        return rc ? rc : data_whole_rows(&e->file, GRAPHS_EDGE);
    int64_t rows = e->text.rows, columns = e->text.columns;
    e->vertices = (uint64_t)(rows > columns ? rows : columns);
    e->both_ways = e->text.symmetric;
    rc = line_at(e, f, units_part(e->file.bytes, r->worker, r->workers), &e->first);
    return rc ? rc
              : line_at(e, f, units_part(e->file.bytes, r->worker + 1, r->workers),
                        &e->end);
}

static int edges_look_at(const struct run *r, struct edges *e, const char *format)
{
    struct io_file *f = NULL;
    const struct io_open open = {.engine = "posix",
                                 .path = e->file.path,
                                 .flags = IO_READ | IO_LOCAL,
                                 .max_request = TEXT_HEAD,
                                 .depth = 1};
    char *head = mem_new(TEXT_HEAD, 1, "a file's first bytes");
    int rc = head ? io_file_open(&f, &open) : -ENOMEM;
    if (!rc)
        rc = look_into(r, e, f, head, format);
    if (f) {
        int closed = io_file_close(&f);
        rc = rc ? rc : closed;
    }
    free(head);
    return rc;
}

int edges_plan(struct run *r, struct edges *e, const char *what, const char *format)
{
    int rc = graphs_parse(&e->made, what);
    if (rc > 0) {
        rc = data_given(r, &e->file, what, 1, false);
        rc = rc ? rc : edges_look_at(r, e, format);
    } else if (!rc) {
        e->rows = (struct data_rows){.bytes = GRAPHS_EDGE,
                                     .n = e->made.rows,
                                     .make = graphs_make,
                                     .context = &e->made};
        e->vertices = (uint64_t)e->made.vertices;
        rc = data_planned(r, &e->file, &e->rows);
    }
    return err_agree(r->world.comm, rc);
}

/* The most edges; the shortest line is "0 1". */
int64_t edges_all(const struct edges *e)
{
    int64_t rows = e->file.bytes / (e->text.kind == TEXT_BINARY ? GRAPHS_EDGE : 4) + 1;
    if (e->text.kind == TEXT_MATRIX && e->text.entries < rows)
        rows = e->text.entries;
    if (e->text.kind == TEXT_BINARY)
        rows--;
    return rows * (1 + e->both_ways);
}

int64_t edges_handed(const struct run *r, const struct edges *e)
{
    int64_t all = e->handed;
    world_reduce(r->world.comm, &all, 1, MPI_INT64_T, MPI_SUM);
    return all;
}

int edges_check(const struct run *r, const struct edges *e)
{
    int64_t all = e->edges;
    world_reduce(r->world.comm, &all, 1, MPI_INT64_T, MPI_SUM);
    if (e->text.kind != TEXT_MATRIX || all == e->text.entries)
        return 0;
    return err_set(-EINVAL, e->file.path, -1,
                   "the matrix has %lld entries, and the file says that it has %lld",
                   (long long)all, (long long)e->text.entries);
}

int64_t edges_bytes(const struct edges *e)
{
    return e->end - e->first;
}

/* ---- a pass ---------------------------------------------------------------------- */

void edges_name(struct run *r, struct edges *e, int64_t slot)
{
    int64_t rows = e->file.bytes / GRAPHS_EDGE;
    if (e->text.kind == TEXT_BINARY) {
        e->first = GRAPHS_EDGE * units_part(rows, r->worker, r->workers);
        e->end = GRAPHS_EDGE * units_part(rows, r->worker + 1, r->workers);
    }
    data_name(r, &e->file, "edges", slot, graph_slots(r));
}

int edges_make(struct run *r, struct edges *e)
{
    graphs_seed(&e->made, r->seed);
    return data_make(r, &e->file, &e->rows);
}

int edges_open(struct run *r, struct edges *e)
{
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .from = e->first,
                                 .bytes = e->end - e->first,
                                 .slot_bytes = e->file.of->max_request,
                                 .slots = graph_slots(r),
                                 .record =
                                     e->text.kind == TEXT_BINARY ? GRAPHS_EDGE : 0};
    e->n = e->edges = e->handed = e->left = e->line_bytes = 0;
    e->piece = NULL;
    e->turned = false;
    data_sums_begin(&e->file, e->first, e->end);
    if (!data_open(r, &e->file) && how.bytes)
        run_stream_open(&e->in, e->file.of, &how);
    return r->failed;
}

int edges_close(struct run *r, struct edges *e)
{
    run_stream_close(&e->in);
    data_sums_check(r, &e->file);
    return data_close(r, &e->file);
}

/* Counts the lines before this rank's, for the message on a wrong line. */
static int64_t lines_before(struct run *r, struct edges *e)
{
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = e->first,
                                 .slot_bytes = e->file.of->max_request,
                                 .slots = 1};
    int64_t lines = 0, n;
    const char *piece;
    run_stream_close(&e->in);
    if (!e->first || run_stream_open(&e->in, e->file.of, &how))
        return 0;
    while ((piece = run_stream_next(e->in, &n)))
        for (int64_t i = 0; i < n; i++)
            lines += piece[i] == '\n';
    (void)r;
    return lines;
}

static void wrong_line(struct run *r, struct edges *e, const char *why)
{
    int64_t line = lines_before(r, e) + e->n;
    run_fail(r,
             err_set(-EINVAL, e->file.path, -1, "line %lld %s", (long long)line, why));
}

static bool is_edge(struct run *r, struct edges *e, const uint64_t edge[2])
{
    uint64_t end = e->vertices ? e->vertices : VERTEX_END;
    int wrong = edge[0] < end;
    char why[128];
    if (edge[0] < end && edge[1] < end)
        return true;
    snprintf(why, sizeof why,
             "is from %llu to %llu, and the vertex %llu is not below %s (%llu)",
             (unsigned long long)edge[0], (unsigned long long)edge[1],
             (unsigned long long)edge[wrong],
             e->vertices ? "the number of vertices" : "2^48", (unsigned long long)end);
    if (e->text.kind != TEXT_BINARY) {
        wrong_line(r, e, why);
        return false;
    }
    int64_t number = e->first / GRAPHS_EDGE + e->n;
    run_fail(r, err_set(-EINVAL, e->file.path, number * GRAPHS_EDGE, "edge %lld %s",
                        (long long)number, why));
    return false;
}

static bool edges_next_piece(struct run *r, struct edges *e)
{
    if (!e->left && e->in) {
        e->piece = run_stream_next(e->in, &e->left);
        if (e->piece)
            data_sums_add(&e->file, run_stream_at(e->in) - e->left, e->piece, e->left);
    }
    return e->in && e->piece && !r->failed;
}

/* Keeps the beginning of a line; for a comment the first bytes are enough. */
static void keep(struct run *r, struct edges *e, int64_t n)
{
    int64_t room = TEXT_LINE - e->line_bytes, part = n < room ? n : room;
    memcpy(e->line + e->line_bytes, e->piece, (size_t)part);
    e->line_bytes += part;
    if (n > room && e->line[0] != '#' && e->line[0] != '%') {
        e->n++;
        wrong_line(r, e, "is too long for one of a graph: is this a text?");
    }
}

/* Returns the next line, without its end; NULL: there are no more. */
static const char *edges_next_line(struct run *r, struct edges *e, int64_t *n)
{
    while (edges_next_piece(r, e)) {
        const char *piece = e->piece, *stop = memchr(piece, '\n', (size_t)e->left);
        int64_t taken = stop ? stop - piece + 1 : e->left;
        if (!stop || e->line_bytes)
            keep(r, e, stop ? taken - 1 : taken);
        e->piece += taken;
        e->left -= taken;
        if (!stop)
            continue;
        *n = e->line_bytes ? e->line_bytes : taken - 1;
        piece = e->line_bytes ? e->line : piece;
        e->line_bytes = 0;
        return piece;
    }
    *n = e->line_bytes; /* the last line of a file that does not end with a line end */
    e->line_bytes = 0;
    return *n && !r->failed ? e->line : NULL;
}

static bool edges_read_line(struct run *r, struct edges *e)
{
    const char *line, *why = NULL;
    int64_t n;
    while ((line = edges_next_line(r, e, &n))) {
        int is = text_edge(&e->text, line, n, e->last, &why);
        e->n++;
        e->edges += is > 0;
        if (is > 0)
            return is_edge(r, e, e->last);
        if (is < 0) {
            wrong_line(r, e, why);
            return false;
        }
    }
    return false;
}

/* Reads the next edge of the file into e->last. */
static bool read_edge(struct run *r, struct edges *e)
{
    if (e->text.kind != TEXT_BINARY)
        return edges_read_line(r, e);
    if (!edges_next_piece(r, e))
        return false;
    memcpy(e->last, e->piece, GRAPHS_EDGE);
    e->piece += GRAPHS_EDGE;
    e->left -= GRAPHS_EDGE;
    e->last[0] = le64toh(e->last[0]);
    e->last[1] = le64toh(e->last[1]);
    if (!is_edge(r, e, e->last))
        return false;
    e->n++;
    return true;
}

int64_t edges_next(struct run *r, struct edges *e, uint64_t *to, int64_t most)
{
    int64_t n = 0;
    for (; n < most; n++) {
        if (!e->turned && !read_edge(r, e))
            break;
        to[2 * n] = e->last[e->turned];
        to[2 * n + 1] = e->last[!e->turned];
        bool once = e->text.symmetric && e->last[0] == e->last[1];
        e->turned = e->both_ways && !e->turned && !once;
    }
    e->handed += n;
    return r->failed ? 0 : n;
}
