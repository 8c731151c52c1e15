/* Decides by names which files are in scope. */
#include "iotrace/read/names.h"
#include <string.h>

const char *const fold_name[FOLDS] = {"",
                                      "other processes",
                                      "MPI_Init and MPI_Finalize",
                                      "kernel files",
                                      "pipes and sockets",
                                      "memory",
                                      "system and libraries"};

struct place {
    const char *begins;
    enum fold fold;
};

static const struct place place[] = {{"/proc/", FOLD_KERNEL},
                                     {"/sys/", FOLD_KERNEL},
                                     {"/dev/shm/", FOLD_MEMORY},
                                     {"/dev/", FOLD_KERNEL},
                                     {"/run/", FOLD_KERNEL},
                                     {"/var/run/", FOLD_KERNEL},
                                     {"pipe:", FOLD_PIPE},
                                     {"socket:", FOLD_PIPE},
                                     {"|", FOLD_PIPE},
                                     {"anon_inode:", FOLD_PIPE},
                                     {"memfd:", FOLD_MEMORY},
                                     {"/memfd:", FOLD_MEMORY},
                                     {"/etc/", FOLD_SYSTEM},
                                     {"/usr/", FOLD_SYSTEM},
                                     {"/lib/", FOLD_SYSTEM},
                                     {"/lib32/", FOLD_SYSTEM},
                                     {"/lib64/", FOLD_SYSTEM},
                                     {"/bin/", FOLD_SYSTEM},
                                     {"/sbin/", FOLD_SYSTEM},
                                     {"/var/lib/", FOLD_SYSTEM},
                                     {"/opt/intel/", FOLD_SYSTEM}};

bool file_is_library(const char *name)
{
    static const char *const within[] = {"/site-packages/", "/dist-packages/",
                                         "/__pycache__/",   "/lib/python",
                                         "/lib/R/",         "/lib/perl"};
    for (size_t i = 0; i < sizeof within / sizeof within[0]; i++)
        if (strstr(name, within[i]))
            return true;
    const char *slash = strrchr(name, '/');
    if (slash && !strcmp(slash, "/ucx.conf")) /* MPI looks for it in many places */
        return true;
    const char *so = strstr(name, ".so");
    return so && (so[3] == 0 || so[3] == '.');
}

enum fold file_fold(const char *name)
{
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
        if (!strncmp(name, place[i].begins, strlen(place[i].begins)))
            return place[i].fold;
    return file_is_library(name) ? FOLD_SYSTEM : FOLD_NONE;
}
