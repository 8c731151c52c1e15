/* outcore: workloads that are larger than memory, after the studies of
 * storage-intensive computing (2007, 2008). */
#include "base/program.h"
#include "outcore/commands.h"

static const struct command command[] = {
    {"aio", outcore_aio, "a stream in sets of operations, by several I/O interfaces"},
    {"gen", outcore_gen, "inputs of the others, from a seed"},
    {"graph", outcore_graph, "a graph from a stream of edges, searched level by level"},
    {"knn", outcore_knn, "nearest neighbours, by scanning a file of vectors"},
    {"ngram", outcore_ngram, "documents classified by language"},
    {"resample", outcore_resample, "an image made larger, by strips, tiles or mapped"},
    {"search", outcore_search, "look-ups in a sorted file, by an index in memory"},
    {"sort", outcore_sort, "a file of records that is larger than memory"},
    {"stream", outcore_stream,
     "a consumer fed from a large file, or from many small ones"},
    {"text", outcore_text, "many documents through the modules of a pipeline"}};

static const struct command_set outcore = {
    .program = "outcore",
    .about = "Workloads of storage-intensive computing. Start each with mpirun, for "
             "example\nmpirun -np P outcore aio ...\n",
    .example = "aio",
    .command = command,
    .n = sizeof command / sizeof command[0]};

int main(int argc, char **argv)
{
    return commands_run(&outcore, argc, argv);
}
