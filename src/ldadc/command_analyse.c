/* analyse: finds the access patterns of a program from its source. */
#include "base/err.h"
#include "base/format/outfile.h"
#include "ldadc/source.h"
#include <errno.h>
#include <string.h>

static struct {
    struct source_options source;
    const char *json, *dot, *graph, *skeleton;
} set;

/* clang-format off */
static struct opt table[] = {
    SOURCE_FILES(set.source),
    SOURCE_COMMANDS(set.source),
    {.kind = OPT_TEXT, .name = "json", .value = &set.json, .bare = "-", .arg = "FILE",
     .help = "write JSON, to standard output or FILE",
     .text = "Write JSON to standard output instead of the text, or to FILE beside the "
             "text."},
    {.kind = OPT_TEXT, .name = "dot", .value = &set.dot, .arg = "FILE",
     .help = "draw what is read of what was written, for Graphviz",
     .text = "Draw the graphs of the files to FILE, for *dot*(1) of Graphviz: what is "
             "read of what was written. The write that has the template is a box with "
             "a thick border."},
    {.kind = OPT_TEXT, .name = "graph", .value = &set.graph, .bare = "-", .arg = "FILE",
     .help = "draw how the program goes from call to call of each file, for Graphviz, "
             "to standard output or FILE",
     .text = "Draw the paths from call to call, to standard output instead of the "
             "text, or to FILE beside the text, for *dot*(1). Each file is a box. "
             "Calls have their line and their descriptor; unresolved ones are dashed, "
             "and have their reason. Loops are boxes around their calls. A dashed "
             "arrow begins another iteration. Dotted lines are between files that may "
             "be the same one. Calls of functions with unseen callers may come in any "
             "order."},
    {.kind = OPT_TEXT, .name = "skeleton", .value = &set.skeleton, .arg = "FILE",
     .help = "write what the program does with its files, for any number of processes; "
             "leadline skeleton makes numbers of it, for replay",
     .text = "Write the program's use of its files to FILE, in order, for any number "
             "of processes, with reasons for what is unresolved. *leadline skeleton* "
             "makes it a skeleton of numbers, for *replay*(1) and *leadline whatif*."},
    SOURCE_NP(set.source, "numbers of processes to count bytes for"),
    SOURCE_SET(set.source),
    SOURCE_ASSUME(set.source),
    SOURCE_MPICC(set.source),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldadc analyse",
    .line = "FILE... [-- FLAGS]",
    .about = "Finds what each call of MPI-IO transfers, as polynomials in nprocs, rank "
             "and named variables. FLAGS are the compiler's, before those of the MPI "
             "compiler.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

enum { OUTS = 4 };

static int open_outputs(struct analyse_request *r, struct outfile out[OUTS])
{
    const char *const path[OUTS] = {set.json, set.dot, set.graph, set.skeleton};
    FILE **const file[OUTS] = {&r->json, &r->dot, &r->graph, &r->skeleton};
    int rc = 0;
    for (int i = 0; i < OUTS && !rc; i++) {
        rc = path[i] ? outfile_open(&out[i], path[i], OUTFILE_STREAM) : 0;
        *file[i] = out[i].file;
    }
    return rc;
}

static int analyse(struct analyse_request *r)
{
    bool json_here = set.json && !strcmp(set.json, "-");
    bool graph_here = set.graph && !strcmp(set.graph, "-");
    if (json_here && graph_here)
        return err_usage("--graph: standard output has the JSON already; give a FILE");
    struct outfile out[OUTS] = {0};
    int rc = open_outputs(r, out);
    r->text = json_here || graph_here ? NULL : stdout;
    rc = rc ? rc : analyse_program(r);
    if (!rc && r->skeleton && r->text)
        fprintf(r->text,
                "\nWhat this I/O costs in other ways: leadline skeleton --np=N -o "
                "OUT %s, then leadline whatif OUT.\n",
                set.skeleton);
    for (int i = 0; i < OUTS; i++)
        rc = outfile_close(&out[i], rc);
    return rc;
}

int command_analyse(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, analyse);
}
