/* One table drives parsing, --help and the report's "options". */
#include "tap.h"

#include "base/opt.h"

static bool quiet, sync_it;
static int64_t npix, nbin, ngang, block, small;
static double exponent;
static const char *dir, *method;
static struct opt_list hints;

static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Size"},
    {.kind = OPT_INT,
     .name = "NPIX",
     .value = &npix,
     .min = 1,
     .max = 1e9,
     .required = true,
     .help = "pixels"},
    {.kind = OPT_INT,
     .name = "NBIN",
     .value = &nbin,
     .min = 1,
     .max = 9.3e18,
     .required = true,
     .help = "bins"},
    {.kind = OPT_INT,
     .name = "NGANG",
     .value = &ngang,
     .preset = "1",
     .min = 1,
     .max = 64,
     .help = "gangs"},
    {.kind = OPT_TITLE, .help = "The rest"},
    {.kind = OPT_BYTES,
     .name = "block",
     .letter = 'b',
     .value = &block,
     .preset = "1M",
     .arg = "SIZE",
     .env = "T_BLOCK",
     .help = "bytes of a block"},
    {.kind = OPT_INT,
     .name = "small",
     .letter = 's',
     .value = &small,
     .preset = "0",
     .arg = "N",
     .help = "a number that is not negative"},
    {.kind = OPT_REAL,
     .name = "exponent",
     .value = &exponent,
     .preset = "1",
     .arg = "X",
     .min = 0.5,
     .max = 3,
     .env = "T_BWEXP",
     .help = "exponent"},
    {.kind = OPT_TEXT,
     .name = "dir",
     .letter = 'd',
     .value = &dir,
     .preset = ".",
     .arg = "DIR",
     .help = "where the files are"},
    {.kind = OPT_CHOICE,
     .name = "io-method",
     .value = &method,
     .preset = "POSIX",
     .choices = "POSIX|MPI",
     .env = "T_IOMETHOD",
     .arg = "NAME",
     .help = "how"},
    {.kind = OPT_FLAG,
     .name = "quiet",
     .letter = 'q',
     .value = &quiet,
     .preset = "no",
     .help = "no text"},
    {.kind = OPT_FLAG,
     .name = "sync",
     .value = &sync_it,
     .preset = "yes",
     .env = "T_SYNC",
     .help = "to stable storage"},
    {.kind = OPT_LIST,
     .name = "hint",
     .value = &hints,
     .arg = "K=V",
     .env = "T_HINT",
     .help = "an MPI-IO hint"},
};
static const struct opt_program program = {.name = "prog",
                                           .line = "NPIX NBIN [NGANG]",
                                           .about = "Tests the options.",
                                           .table = table,
                                           .n = sizeof table / sizeof *table};

/* Parses a command line given as one text, words separated by blanks; "~" is an empty
 * word. The words stay valid until the next one: options point to them. */
static int parse(const char *line)
{
    static char *copy;
    char *argv[OPT_LIST_MAX + 8] = {"prog"}, *word;
    int argc = 1;

    free(copy);
    copy = strdup(line);

    err_clear();
    hints.n = 0;
    for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "~") ? word : "";
    return opt_parse(&program, argc, argv);
}

static void test_values(void)
{
    tap_ok(parse("10 20") == 0 && npix == 10 && nbin == 20 && ngang == 1 &&
               block == 1 << 20 && exponent == 1 && !strcmp(dir, ".") &&
               !strcmp(method, "POSIX") && !quiet && sync_it && hints.n == 0,
           "two numbers are enough; the rest are defaults");
    tap_ok(parse("--block=4k 10 -d /x 20 --io-method mpi -q 2 --no-sync --exponent "
                 "1.5") == 0 &&
               block == 4096 && !strcmp(dir, "/x") && !strcmp(method, "MPI") && quiet &&
               ngang == 2 && !sync_it && exponent == 1.5,
           "options in all spellings, between the numbers; choices in any case");
    tap_ok(parse("-b64k -s3 10 20") == 0 && block == 65536 && small == 3,
           "a letter with its value attached");
    tap_ok(parse("--hint a=b --hint=c=d 10 20") == 0 && hints.n == 2 &&
               !strcmp(hints.item[0], "a=b") && !strcmp(hints.item[1], "c=d"),
           "a list option may be repeated, and its value may hold =");
    tap_ok(parse("-- 10 20") == 0 && npix == 10, "-- ends the options");
    tap_ok(parse("10 20 --quiet=no") == 0 && !quiet, "a flag with a value");
}

static void test_precedence(void)
{
    setenv("T_BLOCK", "8k", 1);
    setenv("T_IOMETHOD", "mpi", 1);
    setenv("T_SYNC", "", 1);
    setenv("T_HINT", "env=1", 1);
    tap_ok(parse("10 20") == 0 && block == 8192 && !strcmp(method, "MPI") && sync_it,
           "the environment counts, an empty variable does not");
    tap_ok(opt_find(&program, "block")->from == OPT_ENVIRONMENT &&
               opt_find(&program, "dir")->from == OPT_DEFAULT &&
               opt_find(&program, "NPIX")->from == OPT_COMMAND_LINE &&
               opt_find(&program, "sync")->from == OPT_DEFAULT,
           "where each value came from is known");
    tap_ok(parse("10 20 --block=1k") == 0 && block == 1024 &&
               opt_find(&program, "block")->from == OPT_COMMAND_LINE,
           "the command line wins over the environment");
    tap_ok(parse("10 20 --hint=line=1") == 0 && hints.n == 1 &&
               !strcmp(hints.item[0], "line=1"),
           "also for lists: it replaces, and does not add");
    setenv("T_BLOCK", "junk", 1);
    tap_ok(tap_refused(parse("10 20"), -EINVAL, "T_BLOCK"),
           "a bad environment value is refused, and its variable named");
    unsetenv("T_BLOCK");
    unsetenv("T_IOMETHOD");
    unsetenv("T_SYNC");
    unsetenv("T_HINT");
}

/* The line is refused, with `names` in the sentence. */
static void refused(const char *line, const char *names, const char *what)
{
    int rc = parse(line);
    const struct err *e = err_get();

    tap_ok(rc == -EINVAL && e->usage && strstr(e->text, names), "refused: %s", what);
    if (rc != -EINVAL || !e->usage || !strstr(e->text, names))
        tap_diag("\"%s\" gave %d: \"%s\", should name %s", line, rc, e->text, names);
}

static void test_refused(void)
{
    refused("", "NPIX", "a number missing");
    refused("10", "NBIN", "the second number missing");
    refused("10 20 1 1", "1", "one number too many");
    refused("ten 20", "NPIX", "not a number");
    refused("10.5 20", "NPIX", "not a whole number");
    refused("0 20", "NPIX", "zero where one is the least");
    refused("-1 20", "NPIX", "a negative number");
    refused("10 99999999999999999999", "NBIN", "a number beyond 2^63");
    refused("2000000000 20", "1000000000", "too large: the limit is named");
    refused("10 20 --small=-1", "0", "negative: the limit is named");
    refused("10 20 --block=1x", "--block", "not a size");
    refused("10 20 --block=-4k", "--block", "a negative size");
    refused("10 20 --block=9E", "--block", "a size beyond 2^63");
    refused("10 20 --exponent=nan", "--exponent", "not a finite number");
    refused("10 20 --exponent=4", "3", "real out of range: the limit is named");
    refused("10 20 --io-method=HDF5", "POSIX|MPI", "not a choice: they are named");
    refused("10 20 --io-method=POS", "POSIX|MPI", "a choice cut short");
    refused("10 20 --nonsense", "--nonsense", "an unknown option");
    refused("10 20 -z", "-z", "an unknown letter");
    refused("10 20 --NPIX=3", "NPIX", "a positional as an option");
    refused("10 20 --dir", "--dir", "the value missing");
    refused("10 20 -d", "-d", "the letter's value missing");
    refused("10 20 --dir=", "--dir", "an empty value");
    refused("10 20 --dir ~", "--dir", "an empty word");
    refused("10 20 --quiet=maybe", "--quiet", "a flag that is neither yes nor no");
    refused("10 20 --no-dir", "--no-dir", "no- before what is not a flag");
    refused("10 20 --qui", "--qui", "an option cut short");
}

static void test_meant(void)
{
    refused("10 20 --blok=1M", "--blok: did you mean --block?", "a letter left out");
    refused("10 20 --iomethod=MPI", "did you mean --io-method?", "a dash left out");
    refused("10 20 --qiuet", "did you mean --quiet?", "two letters swapped");
    refused("10 20 --exponemt=1", "did you mean --exponent?", "a wrong letter");
    refused("10 20 --NPIXX=3", "--NPIXX; prog", "nothing is like it");
    refused("10 20 --tiny=1", "--tiny; prog", "only a few letters are the same");
    tap_ok(
        !strcmp(opt_nearer("reed", opt_nearer("reed", NULL, "real"), "read"), "read"),
        "the nearest name wins");
    tap_ok(
        !strcmp(opt_nearer("reed", opt_nearer("reed", NULL, "read"), "seed"), "read"),
        "of equally near ones, the first");
}

static void test_list_limit(void)
{
    char line[4096] = "10 20";

    for (int i = 0; i <= OPT_LIST_MAX; i++)
        strcat(line, " --hint=a=b");
    refused(line, "--hint", "a list too long");
}

static void text_is(const char *name, const char *expected)
{
    char out[256];

    tap_ok(!strcmp(opt_text(opt_find(&program, name), out, sizeof out), expected),
           "%s as text is \"%s\"", name, expected);
}

static void test_text(void)
{
    parse("10 20 --exponent=0.75 --hint a=1 --hint b=2 -q -b 3k");
    text_is("NPIX", "10");
    text_is("block", "3072");
    text_is("exponent", "0.75");
    text_is("dir", ".");
    text_is("io-method", "POSIX");
    text_is("quiet", "yes");
    text_is("hint", "a=1,b=2");
    tap_ok(!opt_find(&program, "nonsense"), "there is no option of that name");
    tap_ok(!strcmp(opt_from_text(OPT_COMMAND_LINE), "command line") &&
               !strcmp(opt_from_text(OPT_ENVIRONMENT), "environment") &&
               !strcmp(opt_from_text(OPT_DEFAULT), "default"),
           "the names of the three origins");
}

static int help(void *unused)
{
    (void)unused;
    opt_help(&program, stdout);
    return 0;
}

static void test_help(void)
{
    static const char *const shown[] = {"usage: prog [options] NPIX NBIN [NGANG]",
                                        "Tests the options.",
                                        "The rest",
                                        "--block=SIZE",
                                        "-d, --dir=DIR",
                                        "T_BWEXP",
                                        "POSIX|MPI",
                                        "[1M]",
                                        "--help",
                                        "--version",
                                        "sync"};
    char text[8192];
    int longest = 0;

    tap_child(help, NULL, text, sizeof text);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        tap_ok(strstr(text, shown[i]) != NULL, "--help shows \"%s\"", shown[i]);
    for (char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if ((int)strcspn(at, "\n") > longest)
            longest = (int)strcspn(at, "\n");
    tap_ok(!strstr(text, " \n"), "--help has no blanks at the ends of lines");
    tap_ok(longest <= 80, "--help fits a terminal (longest line %d)", longest);
}

static int early(void *word)
{
    char *argv[] = {"prog", word, NULL};
    int status;

    return opt_early(&program, "1.2-3", 2, argv, &status) ? 10 : 20;
}

static void answers(char *word, int status, const char *start, const char *what)
{
    char text[8192];
    int got = tap_child(early, word, text, sizeof text) >> 8;

    tap_ok(got == status && !strncmp(text, start, strlen(start)), "%s", what);
}

static void test_early(void)
{
    answers("--help", 10, "usage: prog", "--help is answered before MPI starts");
    answers("-h", 10, "usage: prog", "so is -h");
    answers("--version", 10, "prog (Leadline) 1.2-3\n", "so is --version");
    answers("10", 20, "", "anything else is not");
    setenv("PMI_RANK", "1", 1);
    answers("--help", 10, "", "a rank other than the first says nothing");
    setenv("PMI_RANK", "0", 1);
    answers("--help", 10, "usage: prog", "the first rank does");
    unsetenv("PMI_RANK");
}

static void test_list_of_arguments(void)
{
    static struct opt_rest file;
    static struct opt one[] = {
        {.kind = OPT_REST, .name = "FILE", .value = &file, .required = true}};
    const struct opt_program p = {.name = "p", .line = "FILE...", .table = one, .n = 1};
    err_clear();
    tap_ok(tap_refused(opt_parse(&p, 1, (char *[]){"p"}), -EINVAL, "FILE is missing"),
           "a list of arguments that must not be empty");
    tap_ok(opt_parse(&p, 4, (char *[]){"p", "a", "b", "c"}) == 0 && file.n == 3 &&
               !strcmp(file.item[2], "c"),
           "a list takes all arguments");
}

static void test_choice_with_no(void)
{
    static const char *how, *other;
    static struct opt some[] = {
        {.kind = OPT_CHOICE,
         .name = "how",
         .value = &how,
         .preset = "yes",
         .bare = "yes",
         .choices = "yes|no|later"},
        {.kind = OPT_CHOICE, .name = "other", .value = &other, .choices = "yes|no"}};
    const struct opt_program p = {.name = "p", .table = some, .n = 2};
    tap_ok(!opt_parse(&p, 2, (char *[]){"p", "--no-how"}) && !strcmp(how, "no"),
           "a choice that has no is denied as a flag is");
    tap_ok(!opt_parse(&p, 2, (char *[]){"p", "--how"}) && !strcmp(how, "yes") &&
               !opt_parse(&p, 2, (char *[]){"p", "--how=later"}) &&
               !strcmp(how, "later"),
           "and has its other values");
    err_clear();
    tap_ok(opt_parse(&p, 2, (char *[]){"p", "--no-other"}) == -EINVAL,
           "but not one that needs a value");
    err_clear();
}

static void test_taken(void)
{
    enum { SPEED = 1, COLOUR = 2, SMELL = 4 };
    static const char *how, *colour;
    static bool smell;
    static struct opt some[] = {
        {.kind = OPT_CHOICE,
         .name = "how",
         .value = &how,
         .preset = "walk",
         .choices = "walk|run|fly",
         .choice_needs = {0, SPEED, SMELL},
         .help = "how"},
        {.kind = OPT_TITLE, .help = "Senses:"},
        {.kind = OPT_CHOICE,
         .name = "colour",
         .value = &colour,
         .preset = "red",
         .env = "T_COLOUR",
         .choices = "red|blue",
         .choice_needs = {COLOUR}},
        {.kind = OPT_FLAG,
         .name = "smell",
         .value = &smell,
         .preset = "yes",
         .needs = SMELL},
        {.kind = OPT_TITLE, .help = "More:"},
        {.kind = OPT_TEXT, .name = "dir", .value = &dir, .help = "where"}};
    struct opt_program p = {.name = "p", .table = some, .n = 6};
    err_clear();
    setenv("T_COLOUR", "red", 1);
    tap_ok(!opt_take(&p, SPEED) && p.n == 3 && !strcmp(p.table[0].choices, "walk|run"),
           "options and choices that a program does not take are not in its table");
    tap_ok(!strcmp(p.table[1].help, "More:"), "nor is a title of nothing");
    tap_ok(!opt_parse(&p, 2, (char *[]){"p", "--how=RUN"}) && !strcmp(how, "run"),
           "one that it takes is parsed");
    tap_ok(smell && !strcmp(colour, "blue"),
           "what is not taken has its preset, or its only choice, and no variable");
    tap_ok(tap_refused(opt_parse(&p, 2, (char *[]){"p", "--no-smell"}), -EINVAL,
                       "unknown option"),
           "an option that is not taken is unknown");
    tap_ok(opt_parse(&p, 2, (char *[]){"p", "--how=fly"}) == -EINVAL &&
               strstr(err_get()->text, "walk|run") && !strstr(err_get()->text, "fly|"),
           "a choice that is not taken is refused, with those that are");
    unsetenv("T_COLOUR");
}

static struct opt_program manual_program;

static int manual(void *section)
{
    if (!strcmp(section, "options"))
        opt_manual_options(&manual_program, stdout);
    else
        opt_manual_environment(&manual_program, stdout);
    return 0;
}

/* The manual has texts, or helps, choices with their meaning, the default, the
 * variable, and fonts for the marks. */
static void test_manual(void)
{
    static const char *how;
    static int64_t size;
    static struct opt some[] = {
        {.kind = OPT_TITLE, .help = "Ways:"},
        {.kind = OPT_CHOICE,
         .name = "how",
         .value = &how,
         .arg = "WAY",
         .env = "T_HOW",
         .preset = "walk",
         .choices = "walk|run",
         .choice_help = {"walk: slowly", "run: fast"},
         .choice_text = {NULL, "fast, with --size=4"},
         .help = "how it goes"},
        {.kind = OPT_BYTES,
         .name = "size",
         .value = &size,
         .arg = "BYTES",
         .word = "any",
         .help = "not shown",
         .text = "up to BYTES, see *open*(2) and t_one_s, not BYTESIZE.\n\nOr _more_."},
        {.kind = OPT_NOTE, .name = "size", .text = ".here a *-note*"}};
    static const char *const shown[] = {
        ".SS Ways\n",
        ".TP\n\\fB\\-\\-how=\\fR\\fIWAY\\fR\nHow it goes.\n",
        "\\fBwalk\\fR\nSlowly.\n",
        "\\fBrun\\fR\nFast, with \\fB\\-\\-size=4\\fR.\n",
        "Default: \\fBwalk\\fR.\nEnvironment: \\fBT_HOW\\fR.\n",
        "\\fIBYTES\\fR|\\fBany\\fR\nUp to \\fIBYTES\\fR, see \\fBopen\\fR(2) and "
        "t_one_s, "
        "not BYTESIZE.\n.IP\nOr \\fImore\\fR.\n",
        ".IP\n\\&.here a \\fB\\-note\\fR.\n",
        "\\fB\\-\\-version\\fR"};
    char text[4096];
    manual_program = (struct opt_program){.name = "p", .table = some, .n = 4};
    tap_child(manual, "options", text, sizeof text);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        tap_ok(strstr(text, shown[i]) != NULL, "the manual has \"%s\"", shown[i]);
    tap_ok(!strstr(text, "not shown"), "and the text in place of the help");
    tap_child(manual, "environment", text, sizeof text);
    tap_ok(!strcmp(text, ".TP\n.B T_HOW\nAs \\fB\\-\\-how\\fR.\n"),
           "the manual has the variables");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_values();
    test_precedence();
    test_refused();
    test_meant();
    test_list_limit();
    test_list_of_arguments();
    test_choice_with_no();
    test_taken();
    test_text();
    test_help();
    test_manual();
    test_early();
    return tap_end();
}
