/* A graph's edges, one after another, from a file that is made (outcore/data/graphs.h)
 * or was given, as numbers or as text (text.h): each rank has a stretch of it. */
#ifndef OUTCORE_GRAPH_EDGES_H
#define OUTCORE_GRAPH_EDGES_H

#include "outcore/data/graphs.h"
#include "outcore/data/make.h"
#include "outcore/graph/text.h"
#include "run/stream.h"

struct edges {
    struct data_file file;
    struct graphs_made made;
    struct data_rows rows;
    struct graph_text text;
    bool both_ways;     /* each edge of the file counts both ways; of a symmetric matrix
                           but those on its diagonal */
    uint64_t vertices;  /* of a file that was given, 0: not known */
    int64_t first, end; /* bytes of this rank */
    struct run_stream *in;
    const char *piece; /* of it, and how many bytes of that are left */
    int64_t left;
    int64_t n;      /* edges, or lines, that were read, */
    int64_t edges;  /* edges of text, */
    int64_t handed; /* and directed edges that were handed out */
    bool turned;    /* `last` comes once more, the other way */
    uint64_t last[2];
    char line[TEXT_LINE]; /* as much of one as a piece had at its end */
    int64_t line_bytes;
};

/* **Collective**, in `plan`. `what` is a generator's graph, or a file of edges: pairs
 * of 64-bit little-endian numbers, or text, as `format` says or the file itself (auto).
 * Returns the agreed verdict. */
int edges_plan(struct run *r, struct edges *e, const char *what, const char *format);

/* Local. Directed edges that all ranks together hand out; of text the most that there
 * can be. */
int64_t edges_all(const struct edges *e);

/* **Collective**, after all were handed out: how many they were. */
int64_t edges_handed(const struct run *r, const struct edges *e);

/* **Collective**, after that. 0, or -EINVAL with a sentence where a matrix has not as
 * many entries as it says. */
int edges_check(const struct run *r, const struct edges *e);

/* Local. Bytes that this rank reads to hand all out. */
int64_t edges_bytes(const struct edges *e);

/* Local, in each repetition, before edges_make. `slot`: bytes of a request. */
void edges_name(struct run *r, struct edges *e, int64_t slot);

/* **Collective**, outside of phases: makes the file, where it was not given. Returns
 * the agreed verdict. */
int edges_make(struct run *r, struct edges *e);

/* **Collective**, in a phase. From the first edge of each rank's stretch on. Returns
 * r->failed. */
int edges_open(struct run *r, struct edges *e);
int edges_close(struct run *r, struct edges *e);

/* Local, in a phase. Up to `most` edges, two numbers each. Returns how many; 0: there
 * are no more, or the run has failed. */
int64_t edges_next(struct run *r, struct edges *e, uint64_t *to, int64_t most);

#endif
