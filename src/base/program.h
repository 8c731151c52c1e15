/* The first and last steps of every program, commands of a program, and calls of other
 * programs. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "base/opt.h"
#include <stddef.h>

/* Local; may be repeated. Before anything is opened: opens descriptors 0, 1 and
 * 2 if they are closed (else the next file opened would get their number, and
 * the messages), and makes exceeding the file size limit an error like a full
 * disk (base/scratch.h). */
void program_begin(void);

/* Local. At the end of all output: returns 0, or -errno with a sentence if standard
 * output is incomplete (a full disk, a closed descriptor). Reported once. */
int program_output(void);

/* Local. The last call of a program without MPI. Returns `status`; but if it is good
 * and standard output is incomplete, prints a sentence that begins with `name` and
 * returns EXIT_FAILED. */
int program_end(const char *name, int status);

/* ---- programs of several commands ------------------------------------------------ */

/* Programs of several commands: "iotrace summary", "ldad flatten". */

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

/* ---- other programs -------------------------------------------------------------- */

/* Runs another program and reads its output. */

/* Local. Runs argv[0], found on PATH, without a shell, with empty input and its error
 * messages discarded, and copies its output to `out` (anything beyond `size` is
 * discarded). Kills it after `limit_s` seconds. Returns its exit status, or -errno:
 * -ENOENT there is no such program, -ETIMEDOUT, -EINTR a signal ended it. */
int tool_ask(char *const argv[], double limit_s, char *out, size_t size);

/* ---- version --------------------------------------------------------------------- */

extern const char leadline_version[]; /* "0.1-3-gabc", from git at make time */

#endif
