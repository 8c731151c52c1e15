/* analyse: the access patterns of a program, from its source. */
#include "base/err.h"
#include "ldadc/analyse.h"
#include "ldadc/commands.h"
#include <errno.h>
#include <string.h>

static struct {
    struct opt_rest files;
    struct opt_list set;
    const char *json, *dot, *np, *mpicc;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_REST, .name = "FILE", .value = &set.files, .required = true,
     .help = "C sources of one program"},
    {.kind = OPT_TEXT, .name = "json", .value = &set.json, .bare = "-", .arg = "FILE",
     .help = "write JSON, to standard output or FILE"},
    {.kind = OPT_TEXT, .name = "dot", .value = &set.dot, .arg = "FILE",
     .help = "draw what is read of what was written, for Graphviz"},
    {.kind = OPT_TEXT, .name = "np", .value = &set.np, .preset = "24,64", .arg = "LIST",
     .help = "numbers of processes to count bytes for"},
    {.kind = OPT_LIST, .name = "set", .value = &set.set, .arg = "NAME=N",
     .help = "count with N for the variable NAME (may be repeated)"},
    {.kind = OPT_TEXT, .name = "mpicc", .value = &set.mpicc, .preset = LDADC_MPICC,
     .arg = "NAME", .help = "the MPI compiler whose headers are used"},
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

static int finish(FILE *json, FILE *dot)
{
    bool bad = fflush(stdout) || ferror(stdout);
    if (json && json != stdout)
        bad |= fclose(json) != 0;
    if (dot)
        bad |= fclose(dot) != 0;
    return bad ? err_set(-EIO, NULL, -1, "the answer cannot be written") : 0;
}

static int analyse(struct flags *flags)
{
    FILE *json = NULL, *dot = NULL;
    bool to_stdout = set.json && !strcmp(set.json, "-");
    if (flags_of_mpicc(flags, set.mpicc) ||
        opened(to_stdout ? NULL : set.json, &json) || opened(set.dot, &dot))
        return -EINVAL;
    if (to_stdout)
        json = stdout;
    struct analyse_request r = {.file = set.files.item,
                                .files = set.files.n,
                                .flag = flags->flag,
                                .flags = flags->n,
                                .np = set.np,
                                .set = set.set.item,
                                .sets = set.set.n,
                                .text = to_stdout ? NULL : stdout,
                                .json = json,
                                .dot = dot};
    int rc = analyse_program(&r), end = finish(json, dot);
    if (rc == 1)
        return err_set(-EINVAL, set.files.item[0], -1,
                       "it does not compile: give the compiler's flags after --");
    return rc ? -EINVAL : end;
}

int command_analyse(int argc, char **argv)
{
    struct flags flags = {0};
    int status, rc = 0, own = 0;
    while (own < argc && strcmp(argv[own], "--"))
        own++;
    for (int i = own + 1; i < argc && !rc; i++)
        rc = flags_add(&flags, argv[i]);
    if (!rc && !command_options(&program, own, argv, &status))
        return status;
    if (rc || analyse(&flags)) {
        err_print(stderr, program.name, err_get());
        return (int)err_exit_status(err_get());
    }
    return EXIT_GOOD;
}
