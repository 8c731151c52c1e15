/* Ticks, and their conversion to time: the processor's counter if the kernel itself
 * keeps time by it, else CLOCK_MONOTONIC. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define STAGED_NS 1e9 /* most that is lost of a log that is not mapped */

static struct {
    uint64_t ticks;           /* the first moment */
    int64_t unix_ns, mono_ns; /* the same moment */
    int busy;                 /* a thread renews the second moment */
} begin;

int clock_by_call(clockid_t id, struct timespec *t)
{
    return (int)sys_call(SYS_clock_gettime, id, t);
}

static int64_t ns_of(clockid_t id)
{
    struct timespec t;
    clock_get(id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Reads one moment on both clocks: the closest of a few tries. */
static uint64_t both_clocks(clockid_t id, int64_t *ns)
{
    uint64_t best = UINT64_MAX, middle = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t t0 = clock_ticks();
        int64_t now = ns_of(id);
        uint64_t t1 = clock_ticks();
        if (t1 - t0 < best) {
            best = t1 - t0;
            middle = t0 + (t1 - t0) / 2;
            *ns = now;
        }
    }
    return middle;
}

static bool counter_is_sound(void)
{
#ifdef __x86_64__
    unsigned a, b, c, d = 0;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1 << 8))
        return false; /* it does not run evenly */
    char text[16] = "";
    int fd = sys_open("/sys/devices/system/clocksource/clocksource0/"
                      "current_clocksource",
                      O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    sys_read(fd, text, sizeof text - 1);
    sys_close(fd);
    return !strcmp(text, "tsc\n");
#else
    return false;
#endif
}

static bool counter_is_wanted(void)
{
    const char *want = environment("IOTRACE_CLOCK");
    if (want && !strcmp(want, "ns"))
        return false;
#ifdef __x86_64__
    if (want && !strcmp(want, "tsc"))
        return true;
#endif
    return counter_is_sound();
}

void clock_start(void)
{
    void *kernels = symbols_kernel_clock();
    if (kernels)
        recorder.clock = (int (*)(clockid_t, struct timespec *))kernels;
    recorder.tsc = counter_is_wanted();
    begin.ticks = both_clocks(CLOCK_MONOTONIC, &begin.mono_ns);
    begin.unix_ns = ns_of(CLOCK_REALTIME) - (ns_of(CLOCK_MONOTONIC) - begin.mono_ns);
    recorder.ns_per_tick = 1;
}

static void set_second(uint64_t ticks, int64_t mono_ns)
{
    struct trace_header *h = recorder.header;
    h->ticks[1] = ticks;
    h->unix_ns[1] = begin.unix_ns + (mono_ns - begin.mono_ns);
    if (ticks > begin.ticks)
        recorder.ns_per_tick =
            (double)(mono_ns - begin.mono_ns) / (double)(ticks - begin.ticks);
    /* Renew when twice as much time has passed: whenever the process is killed, no
     * event is further from a known moment than from the first. A log that is not
     * mapped is written then, too. */
    uint64_t pause = ticks - begin.ticks;
    if (recorder.staged && (double)pause * recorder.ns_per_tick > STAGED_NS)
        pause = (uint64_t)(STAGED_NS / recorder.ns_per_tick);
    __atomic_store_n(&recorder.renew_at, ticks + pause, __ATOMIC_RELAXED);
}

void clock_set_header(void)
{
    struct trace_header *h = recorder.header;
    h->clock = recorder.tsc ? TRACE_TSC : TRACE_NS;
    h->ticks[0] = begin.ticks;
    h->unix_ns[0] = begin.unix_ns;
    clock_renew();
}

void clock_renew(void)
{
    int64_t mono_ns = 0;
    int error = errno;
    if (!recorder.header || __atomic_exchange_n(&begin.busy, 1, __ATOMIC_ACQUIRE))
        return;
    uint64_t ticks = both_clocks(CLOCK_MONOTONIC, &mono_ns);
    set_second(ticks, mono_ns);
    log_settle();
    __atomic_store_n(&begin.busy, 0, __ATOMIC_RELEASE);
    errno = error;
}

int64_t clock_unix_ns(uint64_t ticks)
{
    int64_t since = (int64_t)(ticks - begin.ticks);
    if (!recorder.tsc)
        return begin.unix_ns + since;
    return begin.unix_ns + (int64_t)((double)since * recorder.ns_per_tick);
}
