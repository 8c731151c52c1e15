/* plot: hands the run to the program that draws
 * (python/leadline/trace/iotrace_plot.py), which gets its data from "iotrace bins". */
#include "base/err.h"
#include "iotrace/commands.h"
#include <inttypes.h>
#include <stdio.h>

static int plot_log(const char *path, const char *dir, int64_t slices)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, slices);
    const char *const args[] = {"--slices", number, "--out", dir, path, NULL};
    return python_become("trace/iotrace_plot.py", args);
}

int command_plot(int argc, char **argv)
{
    const char *path = NULL, *dir = NULL;
    int64_t slices;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &path, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_TEXT, "out", 'o', .value = &dir, .arg = "DIR",
         .help = "where the pictures go, PNG and SVG [RUN/plots, or plots]",
         .text =
             "The directory for the pictures, PNG and SVG; by default plots in RUN's "
             "directory, or plots if RUN is one log."},
        {OPT_INT, "slices", .value = &slices, .preset = "200", .arg = "N", .min = 1,
         .max = 10000, .help = "parts that the time is divided into"}};
    const struct opt_program p = {
        "iotrace plot", "RUN",
        "Draws a run: accumulated I/O and other time, accumulated bytes, bytes by "
        "slice "
        "of time, ranks by time, and places in the largest files by time. Needs "
        "Python and matplotlib.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    plot_log(path, dir ? dir : "", slices); /* returns only if it failed */
    err_print(stderr, "iotrace", err_get());
    return EXIT_FAILED;
}
