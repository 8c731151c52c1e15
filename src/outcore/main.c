/* outcore: workloads that are larger than memory, after the studies of
 * storage-intensive computing (2007, 2008). */
#include "base/commands.h"
#include "outcore/commands.h"

static const struct command command[] = {
    {"aio", outcore_aio, "a stream in sets of operations, by several I/O interfaces"}};

static const struct command_set outcore = {
    .program = "outcore",
    .about = "Workloads of storage-intensive computing: each a program for mpirun\n"
             "(mpirun -np P outcore aio ...).\n",
    .example = "aio",
    .command = command,
    .n = sizeof command / sizeof command[0]};

int main(int argc, char **argv)
{
    return commands_run(&outcore, argc, argv);
}
