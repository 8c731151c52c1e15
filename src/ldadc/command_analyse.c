/* analyse: the access patterns of a program, from its source. */
#include "base/err.h"
#include "ldadc/source.h"
#include <errno.h>
#include <string.h>

static struct {
    struct source_options source;
    const char *json;
} set;

/* clang-format off */
static struct opt table[] = {
    SOURCE_FILES(set.source),
    {.kind = OPT_TEXT, .name = "json", .value = &set.json, .bare = "-", .arg = "FILE",
     .help = "write JSON, to standard output or FILE"},
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

static FILE *json_file(void)
{
    if (!set.json || !strcmp(set.json, "-"))
        return set.json ? stdout : NULL;
    FILE *out = fopen(set.json, "w");
    if (!out)
        err_set(-errno, set.json, -1, "it cannot be written: %s", strerror(errno));
    return out;
}

static int finish(FILE *json)
{
    bool bad = fflush(stdout) || ferror(stdout);
    if (json && json != stdout)
        bad |= fclose(json) != 0;
    return bad ? err_set(-EIO, NULL, -1, "the answer cannot be written") : 0;
}

static int analyse(struct analyse_request *r)
{
    FILE *json = json_file();
    if (set.json && !json)
        return -EIO;
    r->text = json == stdout ? NULL : stdout;
    r->json = json;
    bool broken = analyse_program(r);
    int rc = finish(json);
    return broken ? source_broken(r) : rc;
}

int command_analyse(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, analyse);
}
