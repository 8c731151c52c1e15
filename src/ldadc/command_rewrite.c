/* rewrite: rewrites a program with libldad's calls for files that can be
 * partitioned. */
#include "base/err.h"
#include "ldadc/rewrite.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    struct source_options source;
    const char *out;
    bool all;
} set;

/* clang-format off */
static struct opt table[] = {
    SOURCE_FILES(set.source),
    SOURCE_COMMANDS(set.source),
    {.kind = OPT_TEXT, .name = "out", .letter = 'o', .value = &set.out, .arg = "OUT",
     .help = "the new source; of several sources, a directory for them; without it, "
             "what would change is shown",
     .text = "The new source file, or a directory for several sources. Without it, the "
             "changes are only shown."},
    REWRITE_ALL(set.all),
    SOURCE_ASSUME(set.source),
    SOURCE_MPICC(set.source),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldadc rewrite",
    .line = "FILE... [-o OUT] [-- FLAGS]",
    .about =
        "Rewrites a program so that files are stored partitioned (libldad) if it is "
        "proven that no two ranks share a byte. Everything else stays as it is. If "
        "there is no such file, nothing is written and the exit status is 1.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

enum { PATH_ROOM = 4096 };

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Builds the path of a new source. */
static int name_out(char out[PATH_ROOM], const struct analyse_request *r, int i)
{
    const char *slash = strrchr(r->file[i], '/');
    int n = r->files == 1 ? snprintf(out, PATH_ROOM, "%s", set.out)
                          : snprintf(out, PATH_ROOM, "%s/%s", set.out,
                                     slash ? slash + 1 : r->file[i]);
    if (n >= PATH_ROOM)
        return err_set(-ENAMETOOLONG, set.out, -1, "the path is too long");
    if (!strcmp(out, r->file[i]) || is_same_file(out, r->file[i]))
        return err_usage("--out: a source is not written over itself");
    return 0;
}

static int rewrite(struct analyse_request *r)
{
    static char path[OPT_LIST_MAX][PATH_ROOM];
    static const char *out[OPT_LIST_MAX];
    int rc = 0;
    if (!r->files)
        return err_usage("FILE is missing: name the sources to rewrite");
    if (r->files > OPT_LIST_MAX)
        return err_usage("more than %d sources are too many", OPT_LIST_MAX);
    for (int i = 0; i < r->files && !rc && set.out; i++) {
        rc = name_out(path[i], r, i);
        out[i] = path[i];
    }
    if (rc)
        return rc;
    struct rewrite_request w = {
        .out = set.out ? out : NULL, .all = set.all, .said = stdout};
    switch (rewrite_program(r, &w)) {
    case REWRITE_GOOD:
        return EXIT_GOOD;
    case REWRITE_NOTHING:
        return err_set(-ENOENT, NULL, -1,
                       "there is no file that can be partitioned, and nothing is "
                       "written");
    default:
        return err_get()->code;
    }
}

int command_rewrite(int argc, char **argv)
{
    return source_command(&program, &set.source, argc, argv, rewrite);
}
