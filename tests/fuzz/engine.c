/* libFuzzer target: any text is the spec of an I/O engine, and a method. An accepted
 * spec of the null engine is used. MPI is that of stub/mpi.h. */
#include "io/engine.h"
#include "base/opt.h"
#include "fuzz.h"

/* Names and options of engines that need more of MPI than the stub has. */
const struct io_engine io_engine_mpiio = {.name = "mpiio",
                                          .can = IO_CAN_COLLECTIVE | IO_CAN_HINTS |
                                                 IO_CAN_BE_INNER,
                                          .options = "piece"},
                       io_engine_mpiio_nb = {.name = "mpiio-nb", .options = "piece"},
                       io_engine_part = {
                           .name = "part",
                           .can = IO_CAN_COLLECTIVE | IO_WRAPS | IO_IS_FOLDER,
                           .options = "inner|buffer|window|files|incomplete"};

static void use(const char *spec)
{
    struct io_file *f;
    char bytes[64];
    struct io_req r = {.op = IO_OP_WRITE, .buf = bytes, .bytes = sizeof bytes},
                  *one = &r;
    const struct io_open o = {.engine = spec,
                              .path = "/dev/null",
                              .depth = 2,
                              .timeout_s = 0.001,
                              .flags = IO_WRITE,
                              .max_request = sizeof bytes};
    int rc = io_file_open(&f, &o);
    fuzz_ended(rc);
    if (rc)
        return;
    rc = io_file_start(f, &one, 1);
    rc = rc ? rc : io_file_wait(f);
    fuzz_demand(rc || r.done == r.bytes);
    fuzz_ended(rc);
    io_file_close(&f);
    err_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), part[256];
    const char *spec;
    for (int flags = 0; flags <= IO_WRITE_BACK; flags = flags ? 2 * flags : 1)
        fuzz_ended(io_engine_check(text, flags));
    fuzz_ended(io_engine_of_method(text, 0, &spec));
    for (int i = 0; i < 2; i++)
        fuzz_ended(io_engine_of_method_async(text, i, &spec));
    int rc = io_engine_partitioned(text, part, sizeof part);
    fuzz_ended(rc);
    if (!rc)
        fuzz_ended(io_engine_check(part, 0));
    rc = io_engine_check(text, 0);
    if (!rc && !strncmp(text, "null", 4))
        use(text);
    err_clear();
    free(text);
    return 0;
}
