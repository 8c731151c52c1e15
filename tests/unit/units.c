/* Sizes and times between people and programs. */
#include "tap.h"

#include "base/units.h"

static void bytes_are(const char *text, int rc, int64_t expected)
{
    int64_t v = -77;
    int got = units_parse_bytes(text, &v);

    tap_ok(got == rc && (rc || v == expected), "\"%s\" is %lld bytes (%d)", text,
           (long long)expected, rc);
    if (got != rc || (!rc && v != expected))
        tap_diag("\"%s\": returned %d, value %lld", text, got, (long long)v);
}

static void int_is(const char *text, int rc, int64_t expected)
{
    int64_t v = -77;
    int got = units_parse_int(text, &v);

    tap_ok(got == rc && (rc || v == expected), "\"%s\" is the number %lld (%d)", text,
           (long long)expected, rc);
}

static void shown(const char *got, const char *expected)
{
    tap_ok(!strcmp(got, expected), "shown as \"%s\"", expected);
    if (strcmp(got, expected))
        tap_diag("shown as \"%s\", expected \"%s\"", got, expected);
}

static void test_bytes(void)
{
    bytes_are("0", 0, 0);
    bytes_are("4096", 0, 4096);
    bytes_are("4096B", 0, 4096);
    bytes_are("4k", 0, 4096);
    bytes_are("4K", 0, 4096);
    bytes_are("1M", 0, 1 << 20);
    bytes_are("1MiB", 0, 1 << 20);
    bytes_are("1mib", 0, 1 << 20);
    bytes_are("1MB", 0, 1000000);
    bytes_are("1KB", 0, 1000);
    bytes_are("3G", 0, INT64_C(3) << 30);
    bytes_are("2T", 0, INT64_C(2) << 40);
    bytes_are("2TB", 0, INT64_C(2000000000000));
    bytes_are("7E", 0, INT64_C(7) << 60);
    bytes_are("9223372036854775807", 0, INT64_MAX);
    bytes_are("9223372036854775808", -ERANGE, 0);
    bytes_are("8E", -ERANGE, 0);
    bytes_are("99999999999999999999999999999999999999999", -ERANGE, 0);
    bytes_are("", -EINVAL, 0);
    bytes_are(" ", -EINVAL, 0);
    bytes_are("k", -EINVAL, 0);
    bytes_are("1x", -EINVAL, 0);
    bytes_are("1kk", -EINVAL, 0);
    bytes_are("0x10", -EINVAL, 0);
    bytes_are("1.5M", -EINVAL, 0);
    bytes_are("4k junk", -EINVAL, 0);
    bytes_are("5-3", -EINVAL, 0);
}

static void test_ints(void)
{
    int_is("0", 0, 0);
    int_is("17", 0, 17);
    int_is("-3", 0, -3);
    int_is("9223372036854775807", 0, INT64_MAX);
    int_is("9223372036854775808", -ERANGE, 0);
    int_is("", -EINVAL, 0);
    int_is("12a", -EINVAL, 0);
    int_is("1e3", -EINVAL, 0);
    int_is("1.0", -EINVAL, 0);
    int_is("nan", -EINVAL, 0);
}

static void test_shown(void)
{
    char out[16];

    shown(units_bytes(out, 0), "0 B");
    shown(units_bytes(out, 512), "512 B");
    shown(units_bytes(out, 1024), "1.0 KiB");
    shown(units_bytes(out, INT64_C(99965000000)), "93.1 GiB");
    shown(units_seconds(out, 1.5), "1.50 s");
    shown(units_seconds(out, 0.012), "12.0 ms");
    shown(units_seconds(out, 820e-9), "820 ns");
    shown(units_seconds(out, 3661), "3661 s");
    tap_ok(strlen(units_bytes(out, INT64_MAX)) < 16, "the largest size fits: %s", out);
    tap_ok(strlen(units_seconds(out, 1e12)) < 16, "a long time fits: %s", out);
}

static void test_arithmetic(void)
{
    tap_ok(units_div_up(0, 4) == 0 && units_div_up(1, 4) == 1 &&
               units_div_up(4, 4) == 1 && units_div_up(5, 4) == 2,
           "division rounded up");
    tap_ok(units_div_up(INT64_MAX, 2) == INT64_MAX / 2 + 1,
           "no overflow at the largest size");
    tap_ok(units_round_up(4097, 4096) == 8192 && units_round_up(4096, 4096) == 4096,
           "rounded up to a multiple");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_bytes();
    test_ints();
    test_shown();
    test_arithmetic();
    return tap_end();
}
