/* A graph's edges, one after another, from a file that is made (outcore/data/records.h)
 * or given, as numbers or as text (text.c): each rank has a range of it. */
#ifndef OUTCORE_GRAPH_EDGES_H
#define OUTCORE_GRAPH_EDGES_H

#include "outcore/data/make.h"
#include "outcore/data/records.h"
#include "run/stream/stream.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- text ------------------------------------------------------------------------ */

enum {
    TEXT_HEAD = 1 << 16, /* bytes within which a matrix must give its size */
    TEXT_LINE = 1024     /* bytes of a line, except comments */
};

struct graph_text {
    enum text_kind { TEXT_BINARY, TEXT_SNAP, TEXT_MATRIX } kind;
    bool symmetric;
    int64_t rows, columns, entries; /* of a matrix */
    int64_t head;                   /* bytes before a matrix's first entry */
};

/* Local. Determines a file's format: `format` is auto, binary, snap or mtx; `head`: its
 * first bytes, all or TEXT_HEAD of them. Returns 0, or -EINVAL with a sentence: it is
 * compressed, or does not have that format. */
int text_of(struct graph_text *t, const char *format, const char *path,
            const char *head, int64_t bytes);

/* Local. Parses the edge in a line of n bytes, without its end. Returns 1; 0: it is a
 * comment, or empty; -1: neither, and *why tells the error, to follow "line 7". */
int text_edge(const struct graph_text *t, const char *line, int64_t n, uint64_t edge[2],
              const char **why);

/* ---- edges ----------------------------------------------------------------------- */

struct edges {
    struct data_file file;
    struct graphs_made made;
    struct data_rows rows;
    struct graph_text text;
    bool both_ways;     /* each edge of the file counts both ways; in a symmetric matrix
                         * not those on the diagonal */
    uint64_t vertices;  /* of a given file, 0: not known */
    int64_t first, end; /* byte range of this rank */
    struct run_stream *in;
    const char *piece; /* the present piece, and its bytes left */
    int64_t left;
    int64_t n;      /* edges, or lines, read so far, */
    int64_t edges;  /* edges of text, */
    int64_t handed; /* and directed edges passed on */
    bool turned;    /* `last` is to be passed on again in the other direction */
    uint64_t last[2];
    char line[TEXT_LINE]; /* part of a line at the end of a piece */
    int64_t line_bytes;
};

/* **Collective**, in `plan`. `what` is a generator's graph, or a file of edges: pairs
 * of 64-bit little-endian numbers, or text; `format` names it, or the file is inspected
 * (auto). Returns the agreed verdict. */
int edges_plan(struct run *r, struct edges *e, const char *what, const char *format);

/* Local. The directed edges that all ranks together pass on; for text an
 * upper bound. */
int64_t edges_all(const struct edges *e);

/* **Collective**, after all were passed on: their number. */
int64_t edges_handed(const struct run *r, const struct edges *e);

/* **Collective**, after that. Returns 0, or -EINVAL with a sentence if a matrix does
 * not have as many entries as its head says. */
int edges_check(const struct run *r, const struct edges *e);

/* Local. The bytes that this rank reads to pass all on. */
int64_t edges_bytes(const struct edges *e);

/* Local, in each repetition, before edges_make. Names the file. `slot`: bytes of
 * a request. */
void edges_name(struct run *r, struct edges *e, int64_t slot);

/* **Collective**, outside of phases: makes the file, unless it is given. Returns the
 * agreed verdict. */
int edges_make(struct run *r, struct edges *e);

/* **Collective**, in a phase. Open the file at the first edge of each rank's range; and
 * close it. Return r->failed. */
int edges_open(struct run *r, struct edges *e);
int edges_close(struct run *r, struct edges *e);

/* Local, in a phase. Reads up to `most` edges, two numbers each. Returns their number;
 * 0: there are no more, or the run has failed. */
int64_t edges_next(struct run *r, struct edges *e, uint64_t *to, int64_t most);

#endif
