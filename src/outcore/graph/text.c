/* Graphs as text. SNAP's edge lists: two vertices per line, from 0 on, separated by
 * blanks or tabs; the rest of the line (a weight, a time) is ignored; lines that begin
 * with # are comments. Matrix Market's coordinate format (R. Boisvert, R. Pozo and K.
 * Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996): a banner,
 * comments (%), the numbers of rows, columns and entries, then row and column of each
 * entry, from 1 on; in a symmetric matrix an entry is an edge both ways. Lines may end
 * with CR and LF, and empty ones are skipped. No MPI, no files. */
#include "base/err.h"
#include "outcore/graph/edges.h"
#include <errno.h>
#include <string.h>
#include <strings.h>

#define VERTEX_END (UINT64_C(1) << 48)

/* ---- a line ---------------------------------------------------------------------- */

static bool graph_text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Parses a number, and returns the text behind it; NULL and *why on an error. */
static const char *graph_text_number(const char *at, const char *end, uint64_t *value,
                                     const char **why)
{
    while (at < end && graph_text_is_blank(*at))
        at++;
    *why = at == end ? "has fewer numbers than are needed"
                     : "has something that is no number from 0 on";
    if (at == end || *at < '0' || *at > '9')
        return NULL;
    for (*value = 0; at < end && *at >= '0' && *at <= '9'; at++) {
        *value = *value * 10 + (uint64_t)(*at - '0');
        if (*value > VERTEX_END) {
            *why = "has a number above 2^48";
            return NULL;
        }
    }
    return at < end && !graph_text_is_blank(*at) ? NULL : at;
}

static bool is_comment(const struct graph_text *t, char c)
{
    return c == '%' || (c == '#' && t->kind == TEXT_SNAP);
}

static bool is_empty(const char *at, const char *end)
{
    while (at < end && graph_text_is_blank(*at))
        at++;
    return at == end;
}

int text_edge(const struct graph_text *t, const char *line, int64_t n, uint64_t edge[2],
              const char **why)
{
    const char *end = line + n, *at = line;
    if (is_empty(line, end) || is_comment(t, *line))
        return 0;
    for (int i = 0; i < 2; i++) {
        at = graph_text_number(at, end, &edge[i], why);
        if (!at)
            return -1;
    }
    if (t->kind != TEXT_MATRIX)
        return 1;
    *why = "is an entry outside of the matrix";
    if (edge[0] < 1 || edge[0] > (uint64_t)t->rows || edge[1] < 1 ||
        edge[1] > (uint64_t)t->columns)
        return -1;
    edge[0]--;
    edge[1]--;
    return 1;
}

/* ---- the head -------------------------------------------------------------------- */

static int not_this(const char *path, int64_t line, const char *why)
{
    return err_set(-EINVAL, path, -1, "line %lld of the Matrix Market file %s",
                   (long long)line, why);
}

/* True if the next word of the line is `word`; *at moves behind it. */
static bool word_is(const char **at, const char *end, const char *word)
{
    const char *from = *at;
    int64_t n = (int64_t)strlen(word);
    while (from < end && graph_text_is_blank(*from))
        from++;
    if (end - from < n || strncasecmp(from, word, (size_t)n) ||
        (from + n < end && !graph_text_is_blank(from[n])))
        return false;
    *at = from + n;
    return true;
}

static bool one_of(const char **at, const char *end, const char *const *word, int n)
{
    for (int i = 0; i < n; i++)
        if (word_is(at, end, word[i]))
            return true;
    return false;
}

static int parse_banner(struct graph_text *t, const char *path, const char *at,
                        const char *end)
{
    static const char *const fields[] = {"pattern", "real", "integer", "complex"};
    static const char *const both[] = {"symmetric", "skew-symmetric", "hermitian"};
    bool ours = word_is(&at, end, "%%MatrixMarket") && word_is(&at, end, "matrix") &&
                word_is(&at, end, "coordinate") && one_of(&at, end, fields, 4);
    t->symmetric = ours && one_of(&at, end, both, 3);
    if (ours && (t->symmetric || word_is(&at, end, "general")))
        return 0;
    return not_this(path, 1,
                    "is not \"%%MatrixMarket matrix coordinate\", then pattern, real, "
                    "integer or complex, then general, symmetric, skew-symmetric or "
                    "hermitian");
}

static int parse_size(struct graph_text *t, const char *path, int64_t line,
                      const char *at, const char *end)
{
    const char *why;
    uint64_t value[3];
    for (int i = 0; i < 3; i++) {
        at = graph_text_number(at, end, &value[i], &why);
        if (!at)
            return not_this(path, line, why);
    }
    t->rows = (int64_t)value[0];
    t->columns = (int64_t)value[1];
    t->entries = (int64_t)value[2];
    return 0;
}

static int parse_matrix(struct graph_text *t, const char *path, const char *head,
                        int64_t bytes)
{
    const char *end = head + bytes, *at = head, *stop;
    for (int64_t line = 1; (stop = memchr(at, '\n', (size_t)(end - at))); line++) {
        int rc = line == 1 ? parse_banner(t, path, at, stop) : 0;
        bool size = line > 1 && *at != '%' && !is_empty(at, stop);
        if (!rc && size)
            rc = parse_size(t, path, line, at, stop);
        at = stop + 1;
        if (rc || size) {
            t->head = at - head;
            return rc;
        }
    }
    return err_set(-EINVAL, path, -1,
                   "the Matrix Market file does not say within its first %d bytes how "
                   "many rows, columns and entries it has",
                   TEXT_HEAD);
}

static const char *packed_by(const char *head, int64_t bytes)
{
    static const struct {
        const char *magic, *by;
        int n;
    } known[] = {{"\x1f\x8b", "gzip", 2},
                 {"BZh", "bzip2", 3},
                 {"\xfd"
                  "7zXZ",
                  "xz", 5},
                 {"\x28\xb5\x2f\xfd", "zstd", 4},
                 {"PK\x03\x04", "zip", 4}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (bytes >= known[i].n && !memcmp(head, known[i].magic, (size_t)known[i].n))
            return known[i].by;
    return NULL;
}

/* True for text: pairs of 64-bit numbers below 2^48 have zero bytes. */
static bool is_text(const char *head, int64_t bytes)
{
    return bytes && !memchr(head, 0, (size_t)bytes);
}

static bool is_matrix(const char *head, int64_t bytes)
{
    return bytes >= 14 && !strncasecmp(head, "%%MatrixMarket", 14);
}

int text_of(struct graph_text *t, const char *format, const char *path,
            const char *head, int64_t bytes)
{
    bool any = !strcmp(format, "auto");
    const char *by = strcmp(format, "binary") ? packed_by(head, bytes) : NULL;
    *t = (struct graph_text){.kind = TEXT_BINARY};
    if (by)
        return err_set(-EINVAL, path, -1,
                       "the file is compressed by %s: unpack it first", by);
    if (!strcmp(format, "mtx") || (any && is_matrix(head, bytes))) {
        t->kind = TEXT_MATRIX;
        return parse_matrix(t, path, head, bytes);
    }
    if (!strcmp(format, "snap") || (any && is_text(head, bytes)))
        t->kind = TEXT_SNAP;
    return 0;
}
