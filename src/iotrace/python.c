/* Commands that hand over to the Python package. */
#include "base/err.h"
#include "iotrace/commands.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the script: beside the sources in a build tree, or installed. */
static int find_script(char *out, size_t size, const char *script)
{
    char installed[4096];
    char self[4096], build[4096];
    launch_folder(self, sizeof self);
    bool in_build = realpath(IOTRACE_BUILD, build) && !strcmp(build, self);
    snprintf(out, size, IOTRACE_PYTHON_SOURCE "/leadline/%s", script);
    if (in_build && access(out, R_OK) == 0)
        return 0;
    snprintf(installed, sizeof installed, IOTRACE_PYTHON_INSTALLED "/leadline/%s",
             script);
    if (launch_installed(out, size, installed))
        return 0;
    return err_set(-ENOENT, IOTRACE_PYTHON_INSTALLED, -1,
                   "what draws the pictures is not installed: leadline/%s", script);
}

int python_become(const char *script, const char *const args[])
{
    char path[4200], self[4096];
    const char *argv[PYTHON_ARGS + 5];
    int n = 0, rc = find_script(path, sizeof path, script);
    if (rc)
        return rc;
    launch_folder(self, sizeof self - 16);
    strcat(self, "/iotrace");
    const char *python = strcmp(IOTRACE_PYTHON, ":") != 0 ? IOTRACE_PYTHON : "python3";
    const char *other = getenv("PYTHON");
    if (other && *other)
        python = other;
    argv[n++] = python;
    argv[n++] = path;
    argv[n++] = "--program";
    argv[n++] = self;
    for (int i = 0; i < PYTHON_ARGS && args[i]; i++)
        argv[n++] = args[i];
    argv[n] = NULL;
    fflush(stdout);
    execvp(python, (char *const *)argv);
    return err_set(-errno, python, -1, "Python cannot be started: %s", strerror(errno));
}
