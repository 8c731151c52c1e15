/* analyse: the access patterns of a program, from its source. */
#include "base/err.h"
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
     .help = "write JSON, to standard output or FILE"},
    {.kind = OPT_TEXT, .name = "dot", .value = &set.dot, .arg = "FILE",
     .help = "draw what is read of what was written, for Graphviz"},
    {.kind = OPT_TEXT, .name = "graph", .value = &set.graph, .bare = "-", .arg = "FILE",
     .help = "draw how the program goes from call to call of each file, for Graphviz, "
             "to standard output or FILE"},
    {.kind = OPT_TEXT, .name = "skeleton", .value = &set.skeleton, .arg = "FILE",
     .help = "write what the program does with its files, for any number of processes; "
             "leadline skeleton makes numbers of it, for replay"},
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

static int opened(const char *path, FILE **out)
{
    *out = path ? fopen(path, "w") : NULL;
    if (path && !*out)
        return err_set(-errno, path, -1, "it cannot be written: %s", strerror(errno));
    return 0;
}

static bool closed(FILE *f)
{
    return !f || f == stdout || !(ferror(f) | fclose(f));
}

static int analyse(struct analyse_request *r)
{
    bool json_here = set.json && !strcmp(set.json, "-");
    bool graph_here = set.graph && !strcmp(set.graph, "-");
    if (json_here && graph_here)
        return err_usage("--graph: standard output has the JSON already; give a FILE");
    if (opened(json_here ? NULL : set.json, &r->json) || opened(set.dot, &r->dot) ||
        opened(graph_here ? NULL : set.graph, &r->graph) ||
        opened(set.skeleton, &r->skeleton))
        return -EIO;
    if (json_here)
        r->json = stdout;
    if (graph_here)
        r->graph = stdout;
    r->text = json_here || graph_here ? NULL : stdout;
    int rc = analyse_program(r);
    if (!rc && r->skeleton && r->text)
        fprintf(r->text,
                "\nWhat this I/O costs in other ways: leadline skeleton --np=N -o "
                "OUT %s, then leadline whatif OUT.\n",
                set.skeleton);
    bool all =
        closed(r->json) & closed(r->dot) & closed(r->graph) & closed(r->skeleton);
    if (!rc && !all)
        rc = err_set(-EIO, NULL, -1, "the answer cannot be written");
    return rc;
}

int command_analyse(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, analyse);
}
