/* Graphs as text. SNAP's edge lists: two vertices per line, from 0 on, separated by
 * blanks or tabs; the rest of the line (a weight, a time) is ignored; lines that begin
 * with # are comments. Matrix Market's coordinate format (R. Boisvert, R. Pozo and K.
 * Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996): a banner,
 * comments (%), the numbers of rows, columns and entries, then row and column of each
 * entry, from 1 on; in a symmetric matrix an entry is an edge both ways. Lines may end
 * with CR and LF, and empty ones are skipped. No MPI, no files. */
#ifndef OUTCORE_GRAPH_TEXT_H
#define OUTCORE_GRAPH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
