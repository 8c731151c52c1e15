/* Names are found where the loader finds them, in the version for new programs, and
 * nothing is allocated on the way, not even for missing names. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include "tests/unit/tap.h"
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* mallinfo */

struct recorder recorder; /* clock_get is a part of it */

/* posix_spawn, aio_read and others have versions, memcpy is chosen at run time; the
 * last ones do not exist. */
/* clang-format off */
#define NAMES(X) \
    X(open) X(open64) X(close) X(read) X(pread64) X(write) X(readlink) X(mmap) \
    X(fopen) X(fdopen) X(fclose) X(fgetpos) X(fprintf) X(posix_spawn) \
    X(posix_spawnp) X(aio_read) X(aio_return) X(lio_listio) X(shm_open) X(stat) \
    X(statx) X(vfork) X(_exit) X(syscall) X(__isoc99_fscanf) X(fscanf) \
    X(readdir) X(memcpy) X(sched_getaffinity) X(no_such_function) \
    X(__no_such_function_either)
/* clang-format on */

#define ENTRY(name)                                                                    \
    static void *real_##name;                                                          \
    static const struct real entry_##name                                              \
        __attribute__((section("reals"), used)) = {#name, &real_##name};
NAMES(ENTRY)

static void check(const struct real *r, void *found)
{
    void *is = dlsym(RTLD_NEXT, r->name);
    if (is)
        tap_ok(found == is, "%s is the loader's", r->name);
    else
        tap_ok(found && ((long (*)(void))found)() == -1 && errno == ENOSYS,
               "%s is a function that says ENOSYS", r->name);
}

static void check_clock(void)
{
    int (*clock)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))symbols_kernel_clock();
    struct timespec before, between = {0, 0}, after;
    if (!clock) {
        tap_skip("this kernel maps no clock");
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock(CLOCK_MONOTONIC, &between);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double b = (double)before.tv_sec + 1e-9 * (double)before.tv_nsec;
    double m = (double)between.tv_sec + 1e-9 * (double)between.tv_nsec;
    double a = (double)after.tv_sec + 1e-9 * (double)after.tv_nsec;
    tap_ok(b <= m && m <= a, "the kernel's clock says %.9f, between %.9f and %.9f", m,
           b, a);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    struct mallinfo before = mallinfo();
    reals_find();
    struct mallinfo after = mallinfo();
    tap_ok(before.uordblks == after.uordblks && before.fordblks == after.fordblks,
           "nothing is allocated");
#define CHECK(name) check(&entry_##name, real_##name);
    NAMES(CHECK)
    check_clock();
    return tap_end();
}
