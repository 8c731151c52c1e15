/* ranks: 1 */
/* outcore text: generated sections, the walk through an output, and the dealing of
 * files. */
#include "outcore/text/made.h"
#include "tap.h"

/* Makes all modules' sections for an input of so many bytes. */
static char *make(const char *label, int64_t in_bytes, int64_t *n)
{
    char *data = malloc((size_t)made_bytes(MADE_MODULES - 1, label, in_bytes) + 1);
    *n = 0;
    for (int m = 0; data && m < MADE_MODULES; m++)
        *n += made_section(m, label, in_bytes, data + *n);
    return data;
}

static void test_sizes(void)
{
    bool same = true, whole = true;
    for (int64_t in = 0; in < 3000; in++) {
        int64_t n;
        char *data = make("name", in, &n);
        struct walk w = walk_sections("name", data, n);
        same &= n == made_bytes(MADE_MODULES - 1, "name", in);
        whole &= !w.wrong && w.sections == WALK_SECTIONS;
        free(data);
    }
    tap_ok(same, "as long as was said, whatever the input's size");
    tap_ok(whole, "with all sections whole");
    tap_ok(made_bytes(7, "x", 100000000) == 501626000 &&
               made_bytes(5, "x", 100000000) == 420000000 &&
               made_bytes(-1, "x", 100) == 0,
           "of large inputs, as long as asked for to the byte");
}

/* A file that is cut anywhere but behind a section is torn, and the fault begins at the
 * begin of the file or of its last section. */
static void test_torn(void)
{
    int64_t n, ends = 0, elsewhere = 0;
    char *data = make("name", 400, &n);
    for (int64_t cut = 0; cut < n; cut++) {
        struct walk w = walk_sections("name", data, cut);
        ends += !w.wrong;
        elsewhere += w.wrong && w.at && strncmp(data + w.at, "%%", 2) != 0;
    }
    tap_ok(ends == WALK_SECTIONS - 1, "cut at %lld places it is whole",
           (long long)ends);
    tap_ok(!elsewhere, "cut elsewhere, its last section is where it is torn");
    tap_ok(walk_sections("other", data, n).wrong != NULL, "another name is wrong");
    char *body = strstr(data, "%%KEYWORDS");
    body[-1] = 'x';
    struct walk w = walk_sections("name", data, n);
    tap_ok(w.wrong && !strcmp(w.section, "BODY"), "%s lies: %s", w.section, w.wrong);
    free(data);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_sizes();
    test_torn();
    return tap_end();
}
