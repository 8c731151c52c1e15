/* Programs of several commands: "iotrace summary", "ldad flatten". */
#ifndef BASE_COMMANDS_H
#define BASE_COMMANDS_H

#include "base/opt.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* with its own argv; returns an exit status */
    const char *about;
};

struct command_set {
    const char *program; /* "ldad" */
    const char *about;   /* of the program: lines of --help */
    const char *example; /* "info CONTAINER" */
    const struct command *command;
    int n;
};

/* Local. The whole of main: runs the command that argv[1] names, or answers --help and
 * --version. Returns the exit status. */
int commands_run(const struct command_set *s, int argc, char **argv);

/* Local. Of a command, before MPI starts: parses; answers --help and --version. True:
 * go on; else *status says how the command ends. */
bool command_options(const struct opt_program *p, int argc, char **argv, int *status);

#endif
