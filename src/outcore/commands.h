/* The subcommands: each is a program of its own that starts MPI. A new one is a
 * function and a line in main.c's table. argv[0] is its name, its options follow; they
 * return the exit status. */
#ifndef OUTCORE_COMMANDS_H
#define OUTCORE_COMMANDS_H

int outcore_aio(int argc, char **argv);
int outcore_graph(int argc, char **argv);
int outcore_knn(int argc, char **argv);
int outcore_ngram(int argc, char **argv);
int outcore_gen(int argc, char **argv);
int outcore_resample(int argc, char **argv);
int outcore_sort(int argc, char **argv);
int outcore_search(int argc, char **argv);
int outcore_stream(int argc, char **argv);
int outcore_text(int argc, char **argv);

#endif
