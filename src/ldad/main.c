/* ldad: partitioned containers, looked at and made ordinary files again; and the
 * workloads that files are partitioned for. */
#include "base/err.h"
#include "base/version.h"
#include "ldad/commands.h"
#include "ldad/workloads.h"
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} command[] = {
    {"info", command_info, "what a container is, and what of it is not there"},
    {"verify", command_verify, "header, lengths and stamped data"},
    {"flatten", command_flatten, "make the ordinary file of it (in parallel)"},
    {"cat", command_cat, "its bytes to standard output"},
    {"rm", command_rm, "remove it, with partitions that are elsewhere"},
    {"perf", workload_perf, "benchmark: chunks that each rank writes and reads back"},
    {"mandelbrot", workload_mandelbrot, "... a picture, written in rows, then viewed"},
    {"jacobi", workload_jacobi, "... a grid that is relaxed from file to file"},
    {"fft", workload_fft, "... a Fourier transform that is transposed by files"}};

enum { COMMANDS = sizeof command / sizeof command[0] };

static void help(FILE *out)
{
    fputs(
        "usage: ldad COMMAND [options] ...\n\n"
        "Partitioned containers, as FILETYPE=PARTITIONED writes them: one file that\n"
        "is stored as a partition for each rank and a header; and programs that show\n"
        "what partitioning does for parallel I/O (mpirun -np P ldad perf ...).\n\n",
        out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", command[i].name, command[i].about);
    fputs("\n  -h, --help              this text; of a command: ldad COMMAND --help\n"
          "  --version               the version\n",
          out);
}

bool command_options(const struct opt_program *p, int argc, char **argv, int *status)
{
    *status = EXIT_GOOD;
    if (opt_early(p, leadline_version, argc, argv))
        return false;
    if (!opt_parse(p, argc, argv))
        return true;
    if (opt_speaks())
        err_print(stderr, p->name, err_get());
    *status = (int)err_exit_status(err_get());
    return false;
}

int command_verdict(int rc)
{
    if (rc)
        err_print(stderr, "ldad", err_get());
    return rc ? (int)err_exit_status(err_get()) : EXIT_GOOD;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(command[i].name, name))
            return command[i].run(argc - 1, argv + 1);
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        help(stdout);
        return EXIT_GOOD;
    }
    if (!strcmp(name, "--version")) {
        printf("ldad (Leadline) %s\n", leadline_version);
        return EXIT_GOOD;
    }
    if (name[0])
        err_usage("\"%s\" is not one of its commands; see ldad --help", name);
    else
        err_usage("it needs a command, as in ldad info CONTAINER; see ldad --help");
    if (opt_speaks())
        err_print(stderr, "ldad", err_get());
    return EXIT_USAGE;
}
