/* Programs of several commands: "iotrace summary", "ldad flatten". */
#ifndef BASE_COMMANDS_H
#define BASE_COMMANDS_H

#include "base/opt.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* with the command's argv; returns an
                                        * exit status */
    const char *about;
};

struct command_set {
    const char *program; /* "ldad" */
    const char *about;   /* lines of the program's --help */
    const char *example; /* "info CONTAINER" */
    const struct command *command;
    int n;
};

/* Local. Replaces main: runs the command that argv[1] names, or answers --help and
 * --version. Returns the exit status. */
int commands_run(const struct command_set *s, int argc, char **argv);

/* Local. Parses a command's options before MPI starts, and answers --help and
 * --version. Returns true to go on; otherwise the command ends with *status. */
bool command_options(const struct opt_program *p, int argc, char **argv, int *status);

#endif
