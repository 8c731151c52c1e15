/* Sizes and times between people and programs. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

/* Local. Reads "4096", "4k", "1M", "1MiB" (powers of 1024), "1MB" (powers of
 * 1000) into bytes. Returns 0, -EINVAL (not a size) or -ERANGE (over 2^63-1). */
int units_parse_bytes(const char *text, int64_t *bytes);

/* Local. Whole decimal number. Returns 0, -EINVAL or -ERANGE. */
int units_parse_int(const char *text, int64_t *value);

/* Local. "93.1 GiB", "512 B"; at most 16 characters. Returns `out`. */
const char *units_bytes(char out[16], int64_t bytes);

/* Local. "1.5 s", "12 ms", "820 ns": three digits, at most 16 characters. Returns
 * `out`. */
const char *units_seconds(char out[16], double seconds);

/* Local. a / b rounded up, and a rounded up to a multiple of b (a >= 0, b > 0). */
static inline int64_t units_div_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}
static inline int64_t units_round_up(int64_t a, int64_t b)
{
    return units_div_up(a, b) * b;
}

#endif
