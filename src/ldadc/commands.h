/* The commands of ldadc, and their common parts. */
#ifndef LDADC_COMMANDS_H
#define LDADC_COMMANDS_H

#include "base/program.h"

int command_analyse(int argc, char **argv);
int command_check(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_rewrite(int argc, char **argv);
int command_build(int argc, char **argv);

#define FLAGS_MAX 256

struct flags {
    int n;
    const char *flag[FLAGS_MAX]; /* live as long as the program */
};

/* Local. Adds the flags of an MPI compiler that affect how sources are read. Returns 0,
 * or -errno with a sentence. */
int flags_of_mpicc(struct flags *f, const char *mpicc);

/* Local. Adds a flag; -E2BIG with a sentence if there are too many. */
int flags_add(struct flags *f, const char *flag);

#endif
