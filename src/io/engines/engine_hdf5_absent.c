/* hdf5, if parallel HDF5 of this MPI is missing or was not wanted. */
#include "io/engine.h"

const struct io_engine io_engine_hdf5 = {
    .name = "hdf5",
    .can = IO_OWN_FORMAT,
    .reason = "parallel HDF5 of this MPI was not there when Leadline was configured",
};
