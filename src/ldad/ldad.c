/* The ldad command: which sub-command is meant. */
#include "ldad/workloads.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"perf", workload_perf},
    {"mandelbrot", workload_mandelbrot},
    {"jacobi", workload_jacobi},
    {"fft", workload_fft},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "ldad: no such command\n");
    return 2;
}
