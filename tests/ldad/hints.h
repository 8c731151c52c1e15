/* The hints that the tests' programs get as their last arguments, KEY=VALUE each. */
#ifndef TESTS_LDAD_HINTS_H
#define TESTS_LDAD_HINTS_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Reads hints from argument `first` on; the caller frees the info. *together: the
 * method makes collective transfers only. */
static MPI_Info hints_of(int argc, char **argv, int first, bool *together)
{
    MPI_Info info;
    MPI_Info_create(&info);
    *together = false;
    for (int i = first; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        *equals = 0;
        *together |=
            !strncmp(equals + 1, "collective", 10) || !strcmp(equals + 1, "hdf5");
        MPI_Info_set(info, argv[i], equals + 1);
    }
    return info;
}

#endif
