#include "outcore/graph/edges.h"
#include "base/err.h"
#include "base/units.h"
#include "outcore/graph/slots.h"
#include <endian.h>
#include <errno.h>
#include <string.h>

#define VERTEX_END (UINT64_C(1) << 48)

int edges_plan(struct run *r, struct edges *e, const char *what)
{
    int rc = graphs_parse(&e->made, what);
    if (rc > 0)
        return data_given(r, &e->file, what, GRAPHS_EDGE, false);
    if (!rc) {
        e->rows = (struct data_rows){.bytes = GRAPHS_EDGE,
                                     .n = e->made.rows,
                                     .make = graphs_make,
                                     .context = &e->made};
        e->vertices = (uint64_t)e->made.vertices;
        rc = data_planned(r, &e->file, &e->rows);
    }
    return err_agree(r->world.comm, rc);
}

int64_t edges_all(const struct edges *e)
{
    return e->file.bytes / GRAPHS_EDGE * (1 + e->both_ways);
}

void edges_name(struct run *r, struct edges *e, int64_t slot)
{
    int64_t rows = e->file.bytes / GRAPHS_EDGE;
    e->first = units_part(rows, r->worker, r->workers);
    e->end = units_part(rows, r->worker + 1, r->workers);
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
                                 .from = e->first * GRAPHS_EDGE,
                                 .bytes = (e->end - e->first) * GRAPHS_EDGE,
                                 .slot_bytes = e->file.of->max_request,
                                 .slots = graph_slots(r),
                                 .record = GRAPHS_EDGE};
    e->n = e->left = 0;
    e->piece = NULL;
    e->turned = false;
    if (!data_open(r, &e->file) && how.bytes)
        run_stream_open(&e->in, e->file.of, &how);
    return r->failed;
}

int edges_close(struct run *r, struct edges *e)
{
    run_stream_close(&e->in);
    return data_close(r, &e->file);
}

static bool is_edge(struct run *r, const struct edges *e, const uint64_t edge[2])
{
    uint64_t end = e->vertices ? e->vertices : VERTEX_END;
    int wrong = edge[0] < end;
    int64_t number = e->first + e->n;
    if (edge[0] < end && edge[1] < end)
        return true;
    run_fail(r, err_set(-EINVAL, e->file.path, number * GRAPHS_EDGE,
                        "edge %lld is from %llu to %llu, and the vertex %llu is not "
                        "below %s (%llu)",
                        (long long)number, (unsigned long long)edge[0],
                        (unsigned long long)edge[1], (unsigned long long)edge[wrong],
                        e->vertices ? "the number of vertices" : "2^48",
                        (unsigned long long)end));
    return false;
}

/* The next edge of the file, in e->last. */
static bool read_edge(struct run *r, struct edges *e)
{
    if (!e->left && e->in)
        e->piece = run_stream_next(e->in, &e->left);
    if (!e->in || !e->piece || r->failed)
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
        e->turned = e->both_ways && !e->turned;
    }
    return r->failed ? 0 : n;
}
