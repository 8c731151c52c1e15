/* Formats and parses sizes and times. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

/* Local. Reads "4096", "4k", "1M", "1MiB" (powers of 1024), "1MB" (powers of
 * 1000) into bytes. Returns 0, -EINVAL (not a size) or -ERANGE (over 2^63-1). */
int units_parse_bytes(const char *text, int64_t *bytes);

/* Local. Reads a whole decimal number. Returns 0, -EINVAL or -ERANGE. */
int units_parse_int(const char *text, int64_t *value);

/* Local. Formats "93.1 GiB", "512 B"; at most 16 characters. Returns `out`. */
const char *units_bytes(char out[16], int64_t bytes);

/* Local. Formats "1.5 s", "12 ms", "820 ns": three digits, at most 16 characters.
 * Returns `out`. */
const char *units_seconds(char out[16], double seconds);

/* Local. The end of a noun that is counted: "1 rank%s", "2 rank%s". */
static inline const char *units_s(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* Local. a / b rounded up, and a rounded up to a multiple of b (a >= 0, b > 0). */
static inline int64_t units_div_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}
static inline int64_t units_round_up(int64_t a, int64_t b)
{
    return units_div_up(a, b) * b;
}

/* Local. The beginning of part k of `parts`, 0 .. parts, when n things in a row are
 * divided as evenly as possible: for k = `parts` it is n. Products do not overflow. */
static inline int64_t units_part(int64_t n, int64_t k, int64_t parts)
{
    int64_t product;
    if (!__builtin_mul_overflow(n, k, &product))
        return product / parts; /* a 128-bit division takes several times as long */
    return (int64_t)((__int128)n * k / parts);
}

/* Local. Greatest common divisor (a, b >= 0, not both 0). */
static inline int64_t units_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
