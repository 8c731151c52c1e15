/* The subcommands: each is a program of its own that starts MPI. A new one is a
 * function and a line in programs.def. argv[0] is its name, its options follow; they
 * return the exit status. */
#ifndef OUTCORE_COMMANDS_H
#define OUTCORE_COMMANDS_H

#define X(program, kind, folder, commands)
#define WORKLOAD(program, name, about, example)                                        \
    int program##_##name(int argc, char **argv);
#include "programs.def"
#undef X
#undef WORKLOAD

#endif
