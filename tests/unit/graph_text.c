/* ranks: 1 */
/* Graphs as text: the format of a file, and the meaning of its lines. */
#include "base/plain.h"
#include "outcore/graph/edges.h"
#include "tap.h"

static const struct graph_text snap = {.kind = TEXT_SNAP};
static const struct graph_text matrix = {
    .kind = TEXT_MATRIX, .rows = 9, .columns = 5, .entries = 3};

/* A title is one line of text. */
static const char *title(const char *text)
{
    static char out[64];
    return plain(out, sizeof out, text);
}

/* ---- lines ----------------------------------------------------------------------- */

static void is_edge(const struct graph_text *t, const char *line, uint64_t from,
                    uint64_t to)
{
    uint64_t edge[2] = {99, 99};
    const char *why = NULL;
    int is = text_edge(t, line, (int64_t)strlen(line), edge, &why);
    tap_ok(is == 1 && edge[0] == from && edge[1] == to, "\"%s\" is an edge",
           title(line));
}

static void is_none(const struct graph_text *t, const char *line)
{
    uint64_t edge[2];
    const char *why = NULL;
    int is = text_edge(t, line, (int64_t)strlen(line), edge, &why);
    tap_ok(is == 0, "\"%s\" is no edge", title(line));
}

static void is_wrong(const struct graph_text *t, const char *line, const char *what)
{
    uint64_t edge[2];
    const char *why = "";
    int is = text_edge(t, line, (int64_t)strlen(line), edge, &why);
    tap_ok(is == -1 && strstr(why, what), "\"%s\": %s", title(line), why);
}

static void check_lists(void)
{
    is_edge(&snap, "3 4", 3, 4);
    is_edge(&snap, "3\t4", 3, 4);
    is_edge(&snap, " \t 3 \t 4 \t", 3, 4);
    is_edge(&snap, "3 4\r", 3, 4);
    is_edge(&snap, "3 4 0.5 some", 3, 4);
    is_edge(&snap, "007 0", 7, 0);
    is_edge(&snap, "281474976710655 281474976710656", 0xffffffffffff, 0x1000000000000);
    is_none(&snap, "");
    is_none(&snap, "\r");
    is_none(&snap, " \t\r");
    is_none(&snap, "# Nodes: 3 Edges: 4");
    is_none(&snap, "#3 4");
    is_none(&snap, "% 3 4");
    is_wrong(&snap, "3", "fewer numbers");
    is_wrong(&snap, "3 \r", "fewer numbers");
    is_wrong(&snap, "-1 2", "no number");
    is_wrong(&snap, "1 -2", "no number");
    is_wrong(&snap, "+1 2", "no number");
    is_wrong(&snap, "1,2", "no number");
    is_wrong(&snap, "1 2x", "no number");
    is_wrong(&snap, "1.0 2", "no number");
    is_wrong(&snap, "one two", "no number");
    is_wrong(&snap, "0x1 2", "no number");
    is_wrong(&snap, "1 281474976710657", "above 2^48");
    is_wrong(&snap, "18446744073709551617 1", "above 2^48");
    is_wrong(&snap, "1 99999999999999999999999999999999999999999", "above 2^48");
}

static void check_entries(void)
{
    is_edge(&matrix, "1 1", 0, 0);
    is_edge(&matrix, "9 5 -1e9", 8, 4);
    is_edge(&matrix, "9 5 1 2\r", 8, 4);
    is_none(&matrix, "% 1 1");
    is_none(&matrix, "");
    is_wrong(&matrix, "# 1 1", "no number");
    is_wrong(&matrix, "0 1", "outside");
    is_wrong(&matrix, "1 0", "outside");
    is_wrong(&matrix, "10 1", "outside");
    is_wrong(&matrix, "1 6", "outside");
    is_wrong(&matrix, "1", "fewer numbers");
}

/* A line ends at its length, and not at a 0 in memory. */
static void check_end(void)
{
    static const char line[] = "12 345";
    uint64_t edge[2];
    const char *why = NULL;
    tap_ok(text_edge(&snap, line, 4, edge, &why) == 1 && edge[0] == 12 && edge[1] == 3,
           "nothing behind a line is read");
    tap_ok(text_edge(&snap, line, 3, edge, &why) == -1, "nor a number in it");
}

/* ---- heads ----------------------------------------------------------------------- */

static int look(struct graph_text *t, const char *format, const char *head)
{
    err_clear();
    return text_of(t, format, "FILE", head, (int64_t)strlen(head));
}

static void is_kind(const char *format, const char *head, enum text_kind kind)
{
    struct graph_text t;
    int rc = look(&t, format, head);
    tap_ok(!rc && t.kind == kind, "%s: \"%s\" is of kind %d", format, title(head),
           (int)kind);
}

#define BANNER "%%MatrixMarket matrix coordinate "

static void is_matrix(const char *head, int rows, int columns, int entries,
                      bool symmetric)
{
    struct graph_text t;
    int rc = look(&t, "auto", head);
    int64_t end = (int64_t)strlen(head);
    tap_ok(!rc && t.kind == TEXT_MATRIX && t.rows == rows && t.columns == columns &&
               t.entries == entries && t.symmetric == symmetric && t.head == end,
           "\"%s\": a matrix, %d x %d", title(head), rows, columns);
}

static void is_refused(const char *format, const char *head, const char *what)
{
    struct graph_text t;
    int rc = look(&t, format, head);
    tap_ok(rc == -EINVAL && strstr(err_get()->text, what) &&
               !strcmp(err_get()->file, "FILE"),
           "%s", err_get()->text);
}

static void check_kinds(void)
{
    struct graph_text t;
    static const char edge[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};
    is_kind("auto", "0 1\n", TEXT_SNAP);
    is_kind("auto", "# made\n0 1\n", TEXT_SNAP);
    is_kind("binary", "0 1\n", TEXT_BINARY);
    is_kind("binary", "\x1f\x8b", TEXT_BINARY);
    is_kind("snap", BANNER "real general\n", TEXT_SNAP);
    is_kind("auto", "", TEXT_BINARY);
    tap_ok(!text_of(&t, "auto", "FILE", edge, sizeof edge) && t.kind == TEXT_BINARY,
           "numbers are no text");
    tap_ok(!text_of(&t, "snap", "FILE", edge, sizeof edge) && t.kind == TEXT_SNAP,
           "unless they are said to be");
}

static void check_matrices(void)
{
    is_matrix(BANNER "pattern general\n9 5 3\n", 9, 5, 3, false);
    is_matrix(BANNER "real symmetric\r\n%\r\n% by\r\n\r\n  7\t7 20  \r\n", 7, 7, 20,
              true);
    is_matrix("%%matrixmarket MATRIX Coordinate Integer Skew-Symmetric\n1 1 0\n", 1, 1,
              0, true);
    is_matrix(BANNER "complex hermitian\n%1 1 1\n3 3 2\n", 3, 3, 2, true);
}

static void check_refused(void)
{
    is_refused("auto", "%%MatrixMarket matrix array real general\n3 3\n", "line 1 ");
    is_refused("auto", BANNER "general\n3 3 1\n", "line 1 ");
    is_refused("auto", BANNER "real generally\n3 3 1\n", "line 1 ");
    is_refused("mtx", "0 1\n", "line 1 ");
    is_refused("auto", BANNER "real general\n% of\n3 3\n", "line 3 ");
    is_refused("auto", BANNER "real general\n3 x 3\n", "line 2 ");
    is_refused("auto", BANNER "real general\n-3 3 3\n", "line 2 ");
    is_refused("auto", BANNER "real general\n\n3 281474976710657 3\n", "2^48");
    is_refused("auto", BANNER "real general\n% and no more\n", "how many rows");
    is_refused("auto", BANNER "real general", "how many rows");
    is_refused("mtx", "", "how many rows");
    is_refused("auto", "\x1f\x8b\x08", "gzip");
    is_refused("snap", "BZh9", "bzip2");
    is_refused("mtx",
               "\xfd"
               "7zXZ",
               "xz");
    is_refused("auto", "\x28\xb5\x2f\xfd", "zstd");
    is_refused("auto", "PK\x03\x04", "zip");
}

int main(void)
{
    check_lists();
    check_entries();
    check_end();
    check_kinds();
    check_matrices();
    check_refused();
    return tap_end();
}
