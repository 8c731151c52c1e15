/* The first failure is kept, and printed as one sentence with what is known. */
#include "tap.h"

#include "base/plain.h"

/* Returns the output of err_print as text. */
static const char *printed(const struct err *e)
{
    static char text[2048];
    FILE *f = tmpfile();

    text[0] = 0;
    if (f) {
        err_print(f, "prog", e);
        rewind(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
    }
    return text;
}

static void says(const char *expected, const char *when)
{
    const char *text = printed(err_get());

    tap_ok(!strcmp(text, expected), "%s", when);
    if (strcmp(text, expected))
        tap_diag("expected \"%s\", printed \"%s\"", expected, text);
}

static void test_first_kept(void)
{
    err_clear();
    tap_ok(err_get()->code == 0, "nothing is recorded at first");
    tap_ok(err_exit_status(err_get()) == EXIT_GOOD, "no failure is exit status 0");
    tap_ok(err_set(-ENOSPC, "a.dat", 4096, "write of %d bytes failed", 512) == -ENOSPC,
           "err_set returns its code");
    tap_ok(err_set(-EIO, "b.dat", 1, "later") == -EIO, "also the second time");
    tap_ok(err_get()->code == -ENOSPC && !strcmp(err_get()->file, "a.dat") &&
               err_get()->offset == 4096 &&
               !strcmp(err_get()->text, "write of 512 bytes failed"),
           "the first failure is kept");
    tap_ok(err_get()->rank == -1, "no rank until the ranks agreed");
    tap_ok(err_exit_status(err_get()) == EXIT_FAILED, "a failure is exit status 1");
    err_clear();
    tap_ok(err_get()->code == 0, "err_clear forgets it");
}

static void test_codes(void)
{
    err_clear();
    tap_ok(err_set(0, NULL, -1, "no code") == -EIO && err_get()->code == -EIO,
           "code 0 becomes -EIO");
    err_clear();
    tap_ok(err_usage("NPIX: %s", "bad") == -EINVAL && err_get()->usage == 1,
           "bad input is -EINVAL and marked as the user's");
    tap_ok(err_exit_status(err_get()) == EXIT_USAGE, "bad input is exit status 2");
}

static void test_sentence(void)
{
    struct err e;

    err_clear();
    err_set(-EIO, NULL, -1, "it broke");
    says("prog: it broke\n", "alone: only the sentence");
    err_clear();
    err_set(-EIO, "f.dat", -1, "it broke");
    says("prog: it broke (file f.dat)\n", "with a file");
    err_clear();
    err_set(-EIO, "f.dat", 4096, "it broke");
    says("prog: it broke (file f.dat, offset 4096)\n", "with file and offset");
    e = *err_get();
    e.rank = 3;
    strcpy(e.host, "n1");
    err_put(&e);
    says("prog: it broke (rank 3 on n1, file f.dat, offset 4096)\n",
         "with rank, host, file and offset");
}

static void test_long(void)
{
    char text[3000], file[2000];
    size_t n;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    memset(file, 'f', sizeof file - 1);
    file[sizeof file - 1] = 0;
    err_clear();
    err_set(-EIO, file, 0, "%s", text);
    n = strlen(printed(err_get()));
    tap_ok(n > 1000 && strchr(printed(err_get()), '\n')[1] == 0,
           "a sentence and a path that are too long are cut, on one line");
    err_clear();
    err_set(-EIO, "two\nlines", -1, "it\nbroke");
    tap_ok(strchr(printed(err_get()), '\n')[1] == 0,
           "line ends in sentence and path do not break the line");
}

static void is_plain(const char *text, const char *expected, const char *what)
{
    char out[64], same[64];

    snprintf(same, sizeof same, "%s", text);
    tap_ok(!strcmp(plain(out, sizeof out, text), expected) &&
               !strcmp(plain(same, sizeof same, same), expected),
           "%s", what);
}

/* Contents of a name are shown, and not obeyed. */
static void test_plain(void)
{
    char out[4];

    is_plain("a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
             "a \xc3\xa9 \xe2\x82\xac "
             "\xf0\x9f\x98\x80",
             "letters of all lengths stay");
    is_plain("a\x1b[31m\n\t\x7f\r", "a?[31m????", "C0 and DEL are question marks");
    is_plain("\xc2\x9b[m\xc2\xa0", "?[m\xc2\xa0", "so is a CSI of C1");
    is_plain("\x9b\xff\xc3\xa9\xe2\x82", "??\xc3\xa9??", "and what is not UTF-8");
    tap_ok(!strcmp(plain(out, sizeof out, "ab\xc3\xa9"), "ab"),
           "a character is not cut in two");
    err_clear();
    err_set(-EIO, "x\x1b]0;y\x07", -1, "it broke \xc2\x9b");
    says("prog: it broke ? (file x?]0;y?)\n", "err_print is plain");
}

static int tell(void *kind)
{
    err_tell("prog", kind, kind ? "a\nb" : NULL, "it took %d s", 3);
    return 0;
}

static void tells(const char *kind, const char *expected)
{
    char out[256];
    tap_child(tell, (void *)kind, out, sizeof out);
    tap_ok(!strcmp(out, expected), "err_tell: %.*s", (int)strcspn(expected, "\n"),
           expected);
}

static void test_told(void)
{
    tells(NULL, "prog: it took 3 s\n");
    tells("note", "prog: note: it took 3 s (file a?b)\n");
    err_clear();
    tap_ok(err_usage_of("m.txt", "line %d is bad", 2) == -EINVAL &&
               err_exit_status(err_get()) == EXIT_USAGE,
           "err_usage_of is the user's fault");
    says("prog: line 2 is bad (file m.txt)\n", "and names the file");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_first_kept();
    test_codes();
    test_sentence();
    test_long();
    test_plain();
    test_told();
    return tap_end();
}
