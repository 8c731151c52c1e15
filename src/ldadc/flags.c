/* Finds the flags with which the MPI compiler reads a source. */
#include "base/err.h"
#include "base/mem.h"
#include "ldadc/commands.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int flags_add(struct flags *f, const char *flag)
{
    if (f->n == FLAGS_MAX)
        return err_usage("more than %d flags of the compiler are too many", FLAGS_MAX);
    f->flag[f->n++] = flag;
    return 0;
}

static int flags_keep(struct flags *f, const char *word)
{
    static const char *const kept[] = {"-I", "-D", "-U", "-std", "-isystem"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (!strncmp(word, kept[i], strlen(kept[i]))) {
            char *copy = mem_text(word, "the flags");
            return copy ? flags_add(f, copy) : -ENOMEM;
        }
    return 0;
}

int flags_of_mpicc(struct flags *f, const char *mpicc)
{
    char line[8192], command[1024];
    int rc = 0, n = snprintf(command, sizeof command, "%s -show", mpicc);
    FILE *in = n < (int)sizeof command ? popen(command, "r") : NULL;
    if (!in)
        return err_set(-errno, NULL, -1, "\"%.200s\" cannot be run", mpicc);
    size_t got = fread(line, 1, sizeof line - 1, in);
    line[got] = '\0';
    if (pclose(in) || !got)
        return err_usage("\"%.200s -show\" does not say how it compiles; name an MPI "
                         "compiler with --mpicc",
                         mpicc);
    for (char *word = strtok(line, " \t\n"); word && !rc; word = strtok(NULL, " \t\n"))
        rc = flags_keep(f, word);
    return rc;
}
