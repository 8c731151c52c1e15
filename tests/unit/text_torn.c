/* ranks: 1 */
/* A .lex that was cut, changed or written twice is refused, wherever the fault is. */
#include "outcore/text/modules/job.h"
#include "tap.h"

static const char story[] = "Ada Mole reads 3 files. New York, new york.\n1 2 3\n";
static const char words[] = "new york\nfiles\n";

static struct text_tools *tools;
static struct text_room *room;
static struct text_out lex;
static int64_t size_of[TEXT_MODULES + 1]; /* size before each module */

static void make(void)
{
    static struct text_out section;
    struct text_given g = {.format = TEXT_FORMAT_PLAIN,
                           .lexicon = {"words", words, sizeof words - 1},
                           .weight = {.3, .4, .3},
                           .table_share = .25};
    bool made = !text_tools_load(&tools, &g) && !text_room_make(&room);
    for (int m = 0; m < TEXT_MODULES && made; m++) {
        made = !text_module(tools, room, m, "a\nb", m ? lex.at : story,
                            m ? lex.bytes : (int64_t)sizeof story - 1, &section);
        text_put(&lex, section.at, section.bytes);
        size_of[m + 1] = lex.bytes;
    }
    tap_ok(made && !text_check(TEXT_MODULES, "a\nb", lex.at, lex.bytes),
           "a whole .lex");
    tap_ok(!memcmp(lex.at, "LEX1 a\\x0ab\n%%TITLE 0\n", 21), "its head");
    free(section.at);
}

static bool refused(int m, const char *name, int64_t bytes, const char *part)
{
    return tap_refused(text_check(m, name, lex.at, bytes), -EBADMSG, part);
}

/* Cuts at each byte at which a rewrite may have ended. */
static void test_cut(void)
{
    int64_t wrong = 0;
    for (int64_t n = 0; n < lex.bytes; n++)
        wrong += !refused(TEXT_MODULES, "a\nb", n, "module check: ");
    tap_ok(!wrong, "cut off anywhere (%lld not refused)", (long long)wrong);
    tap_ok(refused(TEXT_MODULES, "a\nb", size_of[2],
                   "section CRF of module crf is missing"),
           "the section that is missing is named");
    tap_ok(refused(TEXT_MODULES, "a\nb", lex.bytes - 1, "follow: make the file again"),
           "how much of a section is there");
    tap_ok(refused(TEXT_CRF, "a\nb", size_of[3], "should end here"), "written twice");
    tap_ok(refused(TEXT_CRF, "ab", size_of[2], "another document"), "of another one");
}

/* Changes lengths, so that they are wrong. */
static void test_lies(void)
{
    static const char digits[] = "0123456789";
    int64_t wrong = 0, tried = 0;
    for (int64_t i = 0; i < lex.bytes; i++) {
        const char *line = memrchr(lex.at, '\n', (size_t)i);
        char was = lex.at[i];
        if (!line || memcmp(line + 1, "%%", 2) != 0 || was < '0' || was > '9')
            continue;
        for (int d = 0; d < 10; d++) {
            lex.at[i] = digits[d];
            wrong += digits[d] != was && !refused(TEXT_MODULES, "a\nb", lex.bytes, "");
            tried++;
        }
        lex.at[i] = was;
    }
    tap_ok(!wrong && tried > 100, "lengths that lie (%lld of %lld not refused)",
           (long long)wrong, (long long)tried);
    char *body = memmem(lex.at, (size_t)lex.bytes, "%%BODY ", 7);
    body[7] = '9';
    tap_ok(refused(TEXT_KEYWORDS, "a\nb", size_of[1],
                   "section BODY of module xml says that it has 9"),
           "which section, which module");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    make();
    test_cut();
    test_lies();
    text_tools_free(tools);
    text_room_free(room);
    free(lex.at);
    return tap_end();
}
