/* plot: hands the run to the program that draws (python/leadline/iotrace_plot.py),
 * which asks "iotrace bins" for what it draws. */
#include "base/err.h"
#include "iotrace/commands.h"
#include "iotrace/launch.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the Python package is: beside the sources in a build tree, or installed. */
static int find_package(char *out, size_t size)
{
    const char *const folder[] = {IOTRACE_PYTHON_SOURCE, IOTRACE_PYTHON_INSTALLED};
    char self[4096], build[4096];
    launch_folder(self, sizeof self);
    bool in_build = realpath(IOTRACE_BUILD, build) && !strcmp(build, self);
    for (int i = in_build ? 0 : 1; i < 2; i++) {
        snprintf(out, size, "%s", folder[i]);
        char file[4200];
        snprintf(file, sizeof file, "%.4000s/leadline/iotrace_plot.py", out);
        if (access(file, R_OK) == 0)
            return 0;
    }
    return err_set(
        -ENOENT, IOTRACE_PYTHON_INSTALLED, -1,
        "what draws the pictures is not installed: leadline/iotrace_plot.py");
}

static int draw(const char *path, const char *dir, int64_t slices)
{
    char folder[4096], self[4096], script[4200], number[24];
    int rc = find_package(folder, sizeof folder);
    if (rc)
        return rc;
    launch_folder(self, sizeof self - 16);
    strcat(self, "/iotrace");
    snprintf(script, sizeof script, "%s/leadline/iotrace_plot.py", folder);
    snprintf(number, sizeof number, "%" PRId64, slices);
    const char *python = strcmp(IOTRACE_PYTHON, ":") != 0 ? IOTRACE_PYTHON : "python3";
    const char *other = getenv("PYTHON");
    if (other && *other)
        python = other;
    fflush(stdout);
    execlp(python, python, script, "--program", self, "--slices", number, "--out", dir,
           path, (char *)NULL);
    return err_set(-errno, python, -1, "Python cannot be started: %s", strerror(errno));
}

int command_plot(int argc, char **argv)
{
    const char *path = NULL, *dir = NULL;
    int64_t slices;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &path, .required = true,
         .help = "a run's folder, or a log"},
        {OPT_TEXT, "out", 'o', .value = &dir, .arg = "DIR",
         .help = "where the pictures go, PNG and SVG [RUN/plots, or plots]"},
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
    draw(path, dir ? dir : "", slices); /* comes back only where it failed */
    err_print(stderr, "iotrace", err_get());
    return EXIT_FAILED;
}
