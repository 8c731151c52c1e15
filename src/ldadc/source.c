#include "ldadc/source.h"
#include "base/err.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NPS = 64 };

/* Takes the words after "--", and then the flags of the MPI compiler. */
static int take_flags(struct flags *f, const char *mpicc, int argc, char **argv)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = flags_add(f, argv[i]);
    return rc ? rc : flags_of_mpicc(f, mpicc);
}

/* Reads numbers of processes such as "24,64". */
static int take_np(struct analyse_request *r, const char *list)
{
    static int64_t np[NPS];
    r->np = np;
    for (const char *at = list; r->nps < NPS; at++) {
        char *end;
        long long v = strtoll(at, &end, 10);
        if (end == at || v < 1 || v > 1 << 30 || (*end && *end != ','))
            break;
        np[r->nps++] = v;
        at = end;
        if (!*at)
            return 0;
    }
    return err_usage("--np=%.60s is no list of up to %d numbers of ranks, as 24,64",
                     list, NPS);
}

/* Reads all settings "NAME=N". */
static int take_settings(struct analyse_request *r, const struct opt_list *list)
{
    static struct setting set[OPT_LIST_MAX];
    r->set = set;
    for (r->sets = 0; r->sets < list->n; r->sets++) {
        const char *item = list->item[r->sets], *equals = strrchr(item, '=');
        char *end = NULL,
             *name = equals ? strndup(item, (size_t)(equals - item)) : NULL;
        errno = 0;
        long long v = equals ? strtoll(equals + 1, &end, 10) : -1;
        if (!name || !*name || end == equals + 1 || *end || errno || v < 0)
            return err_usage("--set=%.100s is not NAME=N, with N not negative", item);
        set[r->sets] = (struct setting){name, v};
    }
    return 0;
}

static bool is_fortran(const char *path)
{
    static const char *const ends[] = {".f", ".for", ".f90", ".f95", ".f03", ".f08"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
        if (!strcasecmp(dot, ends[i]))
            return true;
    return false;
}

/* Refuses files that clang could not read: it would only say that there is no such
 * input. */
static int check_files(const struct opt_rest *files)
{
    for (int i = 0; i < files->n; i++)
        if (is_fortran(files->item[i]))
            return err_usage("%s is Fortran, which is not followed: give sources in C",
                             files->item[i]);
    for (int i = 0; i < files->n; i++)
        if (access(files->item[i], R_OK))
            return err_set(-errno, files->item[i], -1, "the source cannot be read: %s",
                           strerror(errno));
    return 0;
}

int source_assume(const struct opt_list *relations)
{
    int rc = 0;
    for (int i = 0; i < relations->n && !rc; i++)
        rc = analyse_assume(relations->item[i]);
    return rc;
}

int source_command(const struct opt_program *p, const struct source_options *o,
                   int argc, char **argv, int (*run)(struct analyse_request *r))
{
    static struct flags flags;
    int status, own = 0;
    while (own < argc && strcmp(argv[own], "--"))
        own++;
    if (!command_options(p, own, argv, &status))
        return status;
    int more = own < argc ? own + 1 : argc;
    int rc = check_files(&o->files);
    if (!rc)
        rc = take_flags(&flags, o->mpicc, argc - more, argv + more);
    if (!rc && !o->files.n && !o->commands)
        rc = err_usage("FILE is missing: name the sources of a program");
    struct analyse_request r = {.commands = o->commands,
                                .file = o->files.item,
                                .files = o->files.n,
                                .flag = flags.flag,
                                .flags = flags.n};
    if (!rc)
        rc = source_assume(&o->assume);
    if (!rc)
        rc = take_np(&r, o->np ? o->np : SOURCE_NPS);
    if (!rc)
        rc = take_settings(&r, &o->set);
    if (!rc)
        rc = run(&r);
    if (rc >= 0)
        return rc;
    err_print(stderr, p->name, err_get());
    return (int)err_exit_status(err_get());
}
