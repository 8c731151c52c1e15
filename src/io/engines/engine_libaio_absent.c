/* libaio, if the library is missing or was not wanted. */
#include "io/engine.h"

const struct io_engine io_engine_libaio = {
    .name = "libaio",
    .reason = "libaio was not there when Leadline was configured",
};
