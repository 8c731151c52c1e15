/* Time: monotonic nanoseconds to measure, UTC text to match servers' logs. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_UTC_SIZE 32

/* Local. Nanoseconds of CLOCK_MONOTONIC; compare only within one process. */
int64_t clock_ns(void);

/* Timers are late by half of this time: the end of a wait is spent in a loop. */
enum { CLOCK_SPIN_NS = 100000 };

/* Local. Returns when clock_ns is at least `ns`: sleeps, and spends the last
 * CLOCK_SPIN_NS in a loop. */
void clock_wait_until(int64_t ns);

/* Local. Processor nanoseconds of this process (all its threads). */
int64_t clock_cpu_ns(void);

/* Local. Processor nanoseconds of the calling thread. */
int64_t clock_thread_ns(void);

/* Local. The present time as "2026-11-20T10:15:02.123Z". */
void clock_utc(char text[CLOCK_UTC_SIZE]);

/* Local. Formats nanoseconds since 1970 as "2026-11-20T10:15:02Z" in `text`, and
 * returns it; "?" if that is no date. */
const char *clock_date(int64_t ns, char text[CLOCK_UTC_SIZE]);

#endif
