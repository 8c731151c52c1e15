/* ldad: shows partitioned containers, turns them into ordinary files, and runs the
 * workloads that files are partitioned for. */
#include "base/err.h"
#include "ldad/commands.h"
#include "ldad/measure/workload.h"

static const struct command command[] = {
    {"info", command_info, "what a container is, and what of it is not there"},
    {"verify", command_verify, "header, lengths and stamped data"},
    {"flatten", command_flatten, "make the ordinary file of it (in parallel)"},
    {"cat", command_cat, "its bytes to standard output"},
    {"recover", command_recover, "after its writer was killed: as at its last sync"},
    {"relocate", command_relocate, "find its partitions where they have moved to"},
    {"mount", command_mount, "show containers as files, for any program to read"},
    {"rm", command_rm, "remove it, with partitions that are elsewhere"},
    {"perf", workload_perf, "benchmark: chunks that each rank writes and reads back"},
    {"mandelbrot", workload_mandelbrot, "... a picture, written in rows, then viewed"},
    {"jacobi", workload_jacobi, "... a grid that is relaxed from file to file"},
    {"fft", workload_fft, "... a Fourier transform that is transposed by files"}};

static const struct command_set ldad = {
    .program = "ldad",
    .about =
        "Partitioned containers, as FILETYPE=PARTITIONED writes them: one file that\n"
        "is stored as a partition for each rank and a header; and programs that show\n"
        "what partitioning does for parallel I/O (mpirun -np P ldad perf ...).\n",
    .example = "info CONTAINER",
    .command = command,
    .n = sizeof command / sizeof command[0]};

int command_verdict(int rc)
{
    if (rc)
        err_print(stderr, "ldad", err_get());
    return rc ? (int)err_exit_status(err_get()) : EXIT_GOOD;
}

int main(int argc, char **argv)
{
    return commands_run(&ldad, argc, argv);
}
