/* ranks: 1 */
/* Data of an earlier pass or repetition do not pass for data of this one; and what
 * profilers learn of phases. */
#include "run/run.h"
#include "tap.h"
#include <stdarg.h>

enum { BYTES = 8192, MAT = 3, TIMES = 1 };

static struct run_options options = {.cache = "keep", .verify = true};
static struct run r = {.options = &options, .seed = 1, .engine_of = {NULL, "posix"}};
static char block[BYTES];

static int64_t bad_blocks(void)
{
    struct run_file f = {.run = &r, .path = "file"};
    r.bad = 0;
    run_check(&f, block, 0, BYTES, MAT, TIMES);
    r.failed = 0;
    err_clear();
    return r.bad;
}

static char told[64];

/* Replaces the library's. */
int MPI_Pcontrol(const int level, ...)
{
    va_list more;
    va_start(more, level);
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%d %s, ", level, va_arg(more, const char *));
    va_end(more);
    return MPI_SUCCESS;
}

static void test_regions(void)
{
    r.world.comm = MPI_COMM_WORLD;
    run_phase_begin(&r, "W-io");
    bool begun = !strcmp(told, "1 W-io, ") && r.phase->begin_ns;
    r.failed = -EIO; /* so there is no report */
    int rc = run_phase_end(&r);
    tap_ok(begun && rc == -EIO && !strcmp(told, "1 W-io, -1 W-io, "),
           "a phase is a region for profilers, also one that fails");
    err_clear();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    int rc = phase_open(&r.phase);
    rc = rc ? rc : run_mode(&r, RUN_SYNC, true);
    tap_ok(!rc, "a pass begins");
    run_rep_begin(&r);
    phase_begin(r.phase, "S", r.rep);
    run_stamp(&r, block, BYTES, MAT, TIMES);
    tap_ok(bad_blocks() == 0 && r.checked == 1, "a block of this pass is good");
    run_mode(&r, RUN_SYNC, true);
    tap_ok(bad_blocks() == 1, "in the next pass of the repetition it is stale");
    run_stamp(&r, block, BYTES, MAT, TIMES);
    run_rep_begin(&r);
    tap_ok(bad_blocks() == 1, "and in the next repetition, too");
    phase_end(r.phase);
    test_regions();
    phase_close(&r.phase);
    return tap_end();
}
