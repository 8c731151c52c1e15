#include "ldadc/source.h"
#include "base/err.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words after "--", and after them what the MPI compiler says. */
static int take_flags(struct flags *f, const char *mpicc, int argc, char **argv)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = flags_add(f, argv[i]);
    return rc ? rc : flags_of_mpicc(f, mpicc);
}

/* clang would only say that there is no such input. */
static int check_files(const struct opt_rest *files)
{
    for (int i = 0; i < files->n; i++)
        if (access(files->item[i], R_OK))
            return err_set(-errno, files->item[i], -1, "the source cannot be read: %s",
                           strerror(errno));
    return 0;
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
    if (!rc) {
        struct analyse_request r = {.file = o->files.item,
                                    .files = o->files.n,
                                    .flag = flags.flag,
                                    .flags = flags.n};
        rc = run(&r);
    }
    if (rc >= 0)
        return rc;
    err_print(stderr, p->name, err_get());
    return (int)err_exit_status(err_get());
}

int source_broken(const struct analyse_request *r)
{
    return err_set(-EINVAL, r->file[0], -1,
                   "it does not compile: give the compiler's flags after --");
}

int source_settings(const struct opt_list *list, struct setting *out)
{
    for (int i = 0; i < list->n; i++) {
        const char *equals = strchr(list->item[i], '=');
        char *end = NULL;
        size_t n = equals ? (size_t)(equals - list->item[i]) : 0;
        char *name = n ? strndup(list->item[i], n) : NULL;
        out[i] = (struct setting){name, n ? strtoll(equals + 1, &end, 10) : 0};
        if (!name || end == equals + 1 || *end)
            return err_usage("--set: \"%.100s\" is not NAME=N", list->item[i]);
    }
    return 0;
}
