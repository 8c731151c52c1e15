/* ranks: 1 2 3 */
/* Lists of input files: every form, every reason to refuse one, and the same list on
 * all ranks. */
#include "tap.h"

#include "pfmload/input/list.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static int rank, size;

/* ---- files ---------------------------------------------------------------------- */

/* Returns a path that stays valid for a few more calls. */
static const char *in_dir(const char *name)
{
    static char path[8][TAP_PATH];
    static int next;
    return tap_path(path[next++ % 8], name);
}

static void save_bytes(const char *name, const char *text, size_t n)
{
    if (rank)
        return;
    FILE *f = fopen(in_dir(name), "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f))
        tap_diag("cannot write %s", name);
}

static void save(const char *name, const char *text)
{
    save_bytes(name, text, strlen(text));
}

/* Names of files of 1, 2, 3 ... bytes. */
static const char *const names[] = {"one.gsf", "two words.gsf", "sub/three.gsf",
                                    "four.mb121", "five"};

static void make_files(void)
{
    if (!rank)
        mkdir(in_dir("sub"), 0700);
    for (int i = 0; i < COUNT(names); i++)
        save_bytes(names[i], "12345678", (size_t)i + 1);
}

static void remove_files(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < COUNT(names) && !rank; i++)
        unlink(in_dir(names[i]));
    if (!rank)
        rmdir(in_dir("sub"));
}

/* ---- opening -------------------------------------------------------------------- */

static struct list *list;

/* Opens the list of up to two files and a list, all in the test's folder; NULL: none.
 * Only rank 0 knows them. */
static int open_all(const char *first, const char *second, const char *named, bool skip)
{
    const char *item[2];
    struct opt_rest files = {0, item};
    struct opt_list lists = {0};
    if (first && !rank)
        item[files.n++] = in_dir(first);
    if (second && !rank)
        item[files.n++] = in_dir(second);
    if (named && !rank)
        lists.item[lists.n++] = in_dir(named);
    list_close(&list);
    err_clear();
    MPI_Barrier(MPI_COMM_WORLD);
    int rc = list_open(&list, MPI_COMM_WORLD, &files, &lists, skip);
    MPI_Barrier(MPI_COMM_WORLD);
    return rc;
}

static int open_text(const char *text, bool skip)
{
    save("files.list", text);
    int rc = open_all(NULL, NULL, "files.list", skip);
    if (!rank)
        unlink(in_dir("files.list"));
    return rc;
}

/* True if the list consists of these `names`, by their number, in order. */
static bool has(const char *order)
{
    bool same = list && list->n == (int64_t)strlen(order);
    int64_t bytes = 0;
    for (int64_t i = 0; same && i < list->n; i++) {
        int k = order[i] - '1';
        const struct list_file *f = &list->file[i];
        same = !strcmp(f->path, in_dir(names[k])) && f->bytes == k + 1 && !f->bad &&
               !f->soundings;
        bytes += k + 1;
    }
    return same && list->bytes == bytes;
}

static void gives(const char *text, const char *order, const char *what)
{
    int rc = open_text(text, false);
    bool fine = !rc && has(order);
    tap_ok(fine, "%s", what);
    if (!fine && !rank)
        tap_diag("%d: %s", rc, err_get()->text);
}

static void test_forms(void)
{
    tap_ok(!open_all(names[1], names[0], NULL, false) && has("21"),
           "files of the command line, as they are named");
    gives("# a comment\n\none.gsf\n  two words.gsf  \n\tsub/three.gsf\r\n#four.mb121\n"
          "five",
          "1235", "a plain list: comments, blanks, spaces, no end of the last line");
    gives("one.gsf 121 1.0\ntwo words.gsf\t121\n$RAW\nR:four.mb121 121 0.5\n"
          "$NOPROCESSED\nR:five\n",
          "1245", "a datalist: weights, R:, words that say what holds anyway");
    char text[2 * TAP_PATH];
    snprintf(text, sizeof text, "%s 121 1\n%s\n", in_dir(names[2]), in_dir(names[4]));
    gives(text, "35", "absolute paths");
    save("files.list", "five\n");
    tap_ok(!open_all(names[3], names[0], "files.list", false) && has("415"),
           "files of the command line, and then those of lists");
    save("sub/inner.list", "three.gsf 121 1\n../two words.gsf 121 1\n");
    int rc = open_text("one.gsf 121 1\nsub/inner.list -1 1.0\nfive 121 1\n", false);
    tap_ok(!rc && list->n == 4 && list->bytes == 11 &&
               !strcmp(list->file[1].path, in_dir("sub/three.gsf")) &&
               !strcmp(list->file[2].path, in_dir("sub/../two words.gsf")),
           "a list in a list, with paths from its own folder");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        unlink(in_dir("sub/inner.list"));
}

/* ---- refusals ------------------------------------------------------------------- */

static void refused(int rc, int code, const char *part, const char *what)
{
    tap_ok(!list && tap_refused(rc, code, part), "%s is refused", what);
}

static void test_bad_lines(void)
{
    refused(open_text("one.gsf 121\n\nfive 56 1.0\n", false), -EBADMSG, "line 3",
            "a line with another format");
    refused(open_text("one.gsf\n$PROCESSED\n", false), -EBADMSG, "line 2: $PROCESSED",
            "$PROCESSED");
    refused(open_text("$INCLUDE:a\n", false), -EBADMSG, "$INCLUDE:a", "a strange word");
    refused(open_text("P:one.gsf 121 1\n", false), -EBADMSG, "line 1: P:", "P:");
    refused(open_text("R: 121 1\n", false), -EBADMSG, "line 1",
            "a line without a path");
    save_bytes("files.list", "one.gsf\nfi\0ve\n", 14);
    refused(open_all(NULL, NULL, "files.list", false), -EBADMSG, "line 2: this is no",
            "a list that is no text");
    char *longest = calloc(20000, 1);
    memset(longest, 'x', 9999);
    refused(open_text(longest, false), -EBADMSG, "too long", "a path of 9999 letters");
    memset(longest, 'x', 19999);
    refused(open_text(longest, false), -EBADMSG, "line 1: this is no text",
            "a line without an end, which is not read to it");
    free(longest);
}

static void test_bad_lists(void)
{
    refused(open_all(NULL, NULL, "nowhere.list", false), -ENOENT, "cannot be opened",
            "a list that is not there");
    refused(open_all(NULL, NULL, "sub", false), -EISDIR, "cannot be read",
            "a folder for a list");
    refused(open_text("files.list -1\n", false), -ELOOP, "named twice",
            "a list that names itself");
    save("a.list", "files.list -1 1\n");
    refused(open_text("one.gsf\na.list -1 1\n", false), -ELOOP, "named twice",
            "two lists that name each other");
    save("a.list", "five\n");
    refused(open_text("a.list -1\n./a.list -1 1\n", false), -ELOOP, "named twice",
            "a list that is named twice");
    char name[32], text[32];
    for (int i = 0; i <= LIST_DEPTH_MAX; i++) {
        snprintf(name, sizeof name, "%d.list", i);
        snprintf(text, sizeof text, "%d.list -1\n", i + 1);
        save(name, i == LIST_DEPTH_MAX ? "one.gsf\n" : text);
    }
    tap_ok(!open_all(NULL, NULL, "1.list", false) && has("1"), "lists %d deep",
           LIST_DEPTH_MAX);
    refused(open_all(NULL, NULL, "0.list", false), -ELOOP, "deep", "and one more");
    for (int i = 0; i <= LIST_DEPTH_MAX && !rank; i++) {
        snprintf(name, sizeof name, "%d.list", i);
        unlink(in_dir(name));
    }
    if (!rank)
        unlink(in_dir("a.list"));
}

static void test_bad_files(void)
{
    refused(open_all(names[0], "nowhere", NULL, false), -ENOENT, "cannot be looked at",
            "a file that is not there");
    refused(open_all(names[0], "sub", NULL, false), -EISDIR, "a directory",
            "a folder for a file");
    refused(open_all(names[0], names[0], NULL, false), -EEXIST, "named twice",
            "a file that is named twice");
    refused(open_text("five\nsub/../five\n", true), -EEXIST, "named twice",
            "one that is named by two paths, also with skip_bad");
    if (!rank && link(in_dir("one.gsf"), in_dir("sub/link")))
        tap_diag("no link: %s", strerror(errno));
    refused(open_all("sub/link", names[0], NULL, false), -EEXIST, "named twice",
            "one that is there twice, by a link");
    if (!rank)
        unlink(in_dir("sub/link"));
    refused(open_all(NULL, NULL, NULL, false), -EINVAL, "no input file", "nothing");
    refused(open_text("# none\n", false), -EINVAL, "no input file", "an empty list");
}

static void test_skip_bad(void)
{
    int rc = open_text("one.gsf\nnowhere\nfive\nsub\n", true);
    tap_ok(!rc && list->n == 4 && list->bytes == 6 && !list->file[0].bad &&
               !list->file[2].bad && !err_get()->code,
           "bad files keep their numbers");
    tap_ok(strstr(list->file[1].bad, "No such file") &&
               strstr(list->file[3].bad, "a directory") &&
               !strcmp(list->file[3].path, in_dir("sub")),
           "and have a sentence each");
    int rank_of[4];
    tap_ok(!list_deal(list, size, rank_of) && rank_of[1] == -1 && rank_of[3] == -1 &&
               rank_of[2] == 0 && rank_of[0] == (size > 1),
           "they are dealt to nobody");
    err_set(-EIO, NULL, 77, "a block is gone");
    tap_ok(!list_mark_bad(list, 2, NULL) &&
               !strcmp(list->file[2].bad, "a block is gone (offset 77)") &&
               list->bytes == 1 && !err_get()->code,
           "a file can be marked later");
}

/* ---- dealing -------------------------------------------------------------------- */

/* The largest share exceeds the smallest by one file at most. */
static void test_deal(void)
{
    enum { FILES = 1000, RANKS = 37 };
    static struct list_file file[FILES];
    static int rank_of[FILES];
    struct list all = {.n = FILES, .file = file};
    int64_t bytes[RANKS] = {0}, least = INT64_MAX, most = 0, largest = 0;
    for (int i = 0; i < FILES; i++)
        file[i].bytes = (int64_t)i * i % 4093 * 1000003;
    bool fine = !list_deal(&all, RANKS, rank_of);
    for (int i = 0; i < FILES; i++) {
        fine = fine && rank_of[i] >= 0 && rank_of[i] < RANKS;
        bytes[fine ? rank_of[i] : 0] += file[i].bytes;
        largest = file[i].bytes > largest ? file[i].bytes : largest;
    }
    for (int i = 0; i < RANKS; i++) {
        least = bytes[i] < least ? bytes[i] : least;
        most = bytes[i] > most ? bytes[i] : most;
    }
    tap_ok(fine && most - least <= largest && most < least * 1.01,
           "%d files among %d ranks: %lld to %lld bytes", FILES, RANKS,
           (long long)least, (long long)most);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make_files();
    test_forms();
    test_bad_lines();
    test_bad_lists();
    test_bad_files();
    test_skip_bad();
    test_deal();
    list_close(&list);
    if (!rank)
        unlink(in_dir("files.list"));
    remove_files();
    return tap_end();
}
