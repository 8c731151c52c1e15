/* uring, if liburing is missing or was not wanted. */
#include "io/engine.h"

const struct io_engine io_engine_uring = {
    .name = "uring",
    .reason = "liburing was not there when Leadline was configured",
};
