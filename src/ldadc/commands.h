/* The commands of ldadc, and what they share. */
#ifndef LDADC_COMMANDS_H
#define LDADC_COMMANDS_H

#include "base/commands.h"

int command_analyse(int argc, char **argv);

#define FLAGS_MAX 256

struct flags {
    int n;
    const char *flag[FLAGS_MAX]; /* live as long as the program */
};

/* Local. Adds those of an MPI compiler's flags that say how sources are read. 0, or
 * -errno with a sentence. */
int flags_of_mpicc(struct flags *f, const char *mpicc);

/* Local. One more; -E2BIG with a sentence where there are too many. */
int flags_add(struct flags *f, const char *flag);

#endif
