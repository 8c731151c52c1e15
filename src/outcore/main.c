/* outcore: workloads that are larger than memory, after the studies of
 * storage-intensive computing (2007, 2008). */
#include "base/program.h"
#include "outcore/commands.h"

#define X(program, kind, folder, commands)
#define WORKLOAD(program, name, about, example) {#name, program##_##name, about},

static const struct command command[] = {
#include "programs.def"
};

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
