#include "base/clock.h"
#include <stdio.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

void clock_wait_until(int64_t ns)
{
    int64_t left_ns = ns - clock_ns() - CLOCK_SPIN_NS;
    struct timespec t = {left_ns / 1000000000, left_ns % 1000000000};
    if (left_ns > 0)
        nanosleep(&t, NULL);
    while (clock_ns() < ns)
        ;
}

int64_t clock_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t clock_thread_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clock_utc(char text[CLOCK_UTC_SIZE])
{
    struct timespec t;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    size_t n = strftime(text, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, CLOCK_UTC_SIZE - n, ".%03dZ", (int)(t.tv_nsec / 1000000));
}

const char *clock_date(int64_t ns, char text[CLOCK_UTC_SIZE])
{
    time_t s = (time_t)(ns / 1000000000);
    struct tm tm;
    if (!gmtime_r(&s, &tm) ||
        !strftime(text, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm))
        snprintf(text, CLOCK_UTC_SIZE, "?");
    return text;
}
