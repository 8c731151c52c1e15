/* libFuzzer target: lines are the arguments of a program that has an option of each
 * kind; a line "FUZZ=..." at the beginning is its environment variable. */
#include "base/units.h"
#include "fuzz.h"

/* Choices live as long as their program, which here does not end. */
static char *one_of_few(const char *text, size_t n)
{
    static char room[8][16];
    static int i;
    i = (i + 1) % 8;
    snprintf(room[i], sizeof room[i], "%.*s", (int)n, text);
    return room[i];
}
#define strndup one_of_few
#include "base/opt.c"

enum { ARGS = 32 };

static bool flag;
static int64_t whole, bytes;
static double real;
static const char *text, *choice, *place;
static struct opt_list list;
static struct opt_rest rest;

static struct opt table[] = {
    {OPT_TEXT, "PLACE", .value = &place, .required = true, .help = "a place"},
    {OPT_REST, "REST", .value = &rest, .help = "all others"},
    {OPT_TITLE, .help = "Options"},
    {OPT_FLAG, "flag", 'f', .value = &flag, .preset = "yes", .help = "a flag"},
    {OPT_INT, "int", 'n', .value = &whole, .preset = "5", .min = -3, .max = 4e18,
     .help = "a number"},
    {OPT_BYTES, "bytes", .env = "FUZZ", .value = &bytes, .preset = "1M",
     .help = "size"},
    {OPT_REAL, "real", .value = &real, .bare = "0.5", .min = 0, .max = 1,
     .help = "a share"},
    {OPT_TEXT, "text", 't', .value = &text, .help = "text"},
    {OPT_CHOICE, "choice", .value = &choice, .preset = "POSIX",
     .choices = "POSIX|MPI|HDF5", .help = "one of them"},
    {OPT_LIST, "list", 'l', .value = &list, .help = "several"},
};

static void check(void)
{
    char out[256], size[16];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        fuzz_demand(strlen(opt_text(&table[i], out, (int)sizeof out)) < sizeof out);
    fuzz_demand(whole >= -3 && whole <= 4000000000000000000 && bytes >= 0);
    fuzz_demand(real >= 0 && real <= 1 && list.n <= OPT_LIST_MAX && place[0]);
    fuzz_demand(strlen(units_bytes(size, bytes)) < 16);
    fuzz_demand(strlen(units_seconds(size, (double)whole * real)) < 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines = fuzz_text(data, size), *argv[ARGS + 2] = {"fuzz"};
    struct opt_program p = {"fuzz", "PLACE", "", table, sizeof table / sizeof table[0]};
    int argc = 1;
    unsetenv("FUZZ");
    for (char *s = lines, *line; argc <= ARGS && (line = strsep(&s, "\n"));)
        if (argc == 1 && !strncmp(line, "FUZZ=", 5))
            setenv("FUZZ", line + 5, 1);
        else
            argv[argc++] = line;
    place = text = NULL;
    real = list.n = rest.n = 0;
    int rc = opt_parse(&p, argc, argv);
    if (rc != OPT_ASKED)
        fuzz_ended(rc);
    if (!rc)
        check();
    free(rest.item);
    rest.item = NULL;
    free(lines);
    return 0;
}
