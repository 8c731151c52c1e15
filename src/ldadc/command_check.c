/* check: compares a run with the source. */
#include "base/err.h"
#include "ldadc/check.h"
#include <errno.h>

static struct {
    struct source_options source;
    const char *trace, *iotrace;
} set;

/* clang-format off */
static struct opt table[] = {
    SOURCE_FILES(set.source),
    SOURCE_COMMANDS(set.source),
    {.kind = OPT_TEXT, .name = "trace", .value = &set.trace, .arg = "RUN",
     .help = "the directory of a run under iotrace, or a log of it, to compare with"},
    SOURCE_NP(set.source, "numbers of processes to count bytes for, without a run"),
    SOURCE_SET(set.source),
    SOURCE_ASSUME(set.source),
    {.kind = OPT_TEXT, .name = "iotrace", .value = &set.iotrace, .preset = "iotrace",
     .arg = "PROGRAM", .help = "what reads the trace",
     .text = "The program that reads the trace."},
    SOURCE_MPICC(set.source),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldadc check",
    .line = "FILE... [-- FLAGS]",
    .about = "Compares what a program reads with what it has written before, on each "
             "way from a write to a later read; and what a run transferred, by its "
             "trace, with what analyse predicts of each call. The exit status is 1 "
             "where the run differs.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

static int command_check_one(struct analyse_request *r)
{
    struct check_request c = {
        .trace = set.trace, .iotrace = set.iotrace, .out = stdout};
    switch (check_program(r, &c)) {
    case CHECK_GOOD:
        return EXIT_GOOD;
    case CHECK_DIFFERS:
        return EXIT_FAILED;
    case CHECK_BROKEN:
        return err_get()->code;
    default:
        return err_set(-EIO, set.trace, -1, "the trace cannot be read with %s",
                       set.iotrace);
    }
}

int command_check(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, command_check_one);
}
