/* The sub-commands: each a program of its own, that starts MPI. A new one is a
 * function and a line in main.c's table. argv[0] is its name, its options follow; they
 * return the exit status. */
#ifndef OUTCORE_COMMANDS_H
#define OUTCORE_COMMANDS_H

int outcore_aio(int argc, char **argv);

#endif
