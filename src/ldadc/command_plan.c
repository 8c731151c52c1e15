/* plan: prints the descriptor by which libldad partitions a file of a program. */
#include "base/err.h"
#include "base/format/outfile.h"
#include "ldadc/plan.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct source_options source;
    const char *file, *trace, *iotrace, *out;
} set;

/* clang-format off */
static struct opt table[] = {
    SOURCE_FILES(set.source),
    SOURCE_COMMANDS(set.source),
    SOURCE_NP(set.source, "numbers of ranks; a line of the plan for each"),
    SOURCE_SET(set.source),
    SOURCE_ASSUME(set.source),
    {.kind = OPT_TEXT, .name = "file", .value = &set.file, .arg = "NAME",
     .help = "which file, where the program writes several: its variable or its path, "
             "as analyse prints them",
     .text = "The file, if the program writes several: its variable or its path, as "
             "analyse prints them."},
    {.kind = OPT_TEXT, .name = "trace", .value = &set.trace, .arg = "RUN",
     .help = "what the source does not tell is taken from this run under iotrace: a "
             "plan that is not proven. Writes that do not fit a plan go to a shared "
             "part of the file, so it costs time where it is wrong, and no data"},
    {.kind = OPT_TEXT, .name = "iotrace", .value = &set.iotrace, .preset = "iotrace",
     .arg = "PROGRAM", .help = "what reads the trace",
     .text = "The program that reads the trace."},
    {.kind = OPT_TEXT, .name = "out", .letter = 'o', .value = &set.out, .preset = "-",
     .arg = "FILE", .help = "where the plan goes",
     .text = "The file for the plan; *-* is standard output."},
    SOURCE_MPICC(set.source),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldadc plan",
    .line = "FILE... [-- FLAGS]",
    .about = "Writes the plan by which libldad partitions a file of the program: for "
             "the key ldad_plan_file of its MPI_Info.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

enum { WHY = 600 };

static int write_plan(struct analyse_request *r, struct plan_request *p)
{
    char why[WHY];
    switch (plan_program(r, p, why, WHY)) {
    case PLAN_GOOD:
        return 0;
    case PLAN_BROKEN:
        return err_get()->code;
    default:
        return err_set(-EINVAL, NULL, -1, "%s", why);
    }
}

static int command_plan_one(struct analyse_request *r)
{
    struct outfile out;
    struct plan_request p = {
        .file = set.file, .trace = set.trace, .iotrace = set.iotrace};
    int rc = outfile_open(&out, set.out, OUTFILE_STREAM);
    p.out = out.file;
    return outfile_close(&out, rc ? rc : write_plan(r, &p));
}

int command_plan(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, command_plan_one);
}
