#include "base/units.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int units_parse_int(const char *text, int64_t *value)
{
    char *end;
    while (isspace((unsigned char)*text))
        text++;
    if (!*text)
        return -EINVAL;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end)
        return -EINVAL;
    if (errno == ERANGE)
        return -ERANGE;
    *value = v;
    return 0;
}

/* The factor of a suffix; 0 if it is unknown. */
static int64_t factor_of(const char *suffix)
{
    static const char letters[] = "kmgtpe";
    if (!*suffix || !strcasecmp(suffix, "b"))
        return 1;
    const char *at = strchr(letters, tolower((unsigned char)*suffix));
    if (!at)
        return 0;
    int power = (int)(at - letters) + 1;
    int64_t base = 1024;
    if (!strcasecmp(suffix + 1, "b"))
        base = 1000;
    else if (suffix[1] && strcasecmp(suffix + 1, "ib") && strcasecmp(suffix + 1, "i"))
        return 0;
    int64_t f = 1;
    while (power--)
        f *= base;
    return f;
}

int units_parse_bytes(const char *text, int64_t *bytes)
{
    char digits[32];
    size_t n = strspn(text, "0123456789-+");
    int64_t v;
    if (!n || n >= sizeof digits)
        return n ? -ERANGE : -EINVAL;
    memcpy(digits, text, n);
    digits[n] = 0;
    int rc = units_parse_int(digits, &v);
    if (rc)
        return rc;
    while (text[n] == ' ')
        n++;
    int64_t f = factor_of(text + n);
    if (!f)
        return -EINVAL;
    return __builtin_mul_overflow(v, f, bytes) ? -ERANGE : 0;
}

const char *units_bytes(char out[16], int64_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes;
    int u = 0;
    while (fabs(v) >= 1024 && u < 6) {
        v /= 1024;
        u++;
    }
    snprintf(out, 16, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
    return out;
}

const char *units_seconds(char out[16], double s)
{
    static const char *const unit[] = {"s", "ms", "us", "ns"};
    double v = s;
    int u = 0;
    /* a value that would be shown as 1000 gets the next unit */
    while (fabs(v) < 0.9995 && u < 3) {
        v *= 1e3;
        u++;
    }
    /* three digits; larger numbers have all digits before the point */
    int digits = fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0;
    if (fabs(v) >= 1e9)
        snprintf(out, 16, "%.3g %s", v, unit[u]);
    else
        snprintf(out, 16, "%.*f %s", v == 0 || u == 3 ? 0 : digits, v, unit[u]);
    return out;
}
