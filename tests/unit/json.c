/* ranks: 1 */
/* The JSON writer: its escapes, refusals and layout. */
#include "base/format/json.h"
#include "tap.h"

static char *text;
static size_t size;

static void start(struct json *j)
{
    json_start(j, open_memstream(&text, &size));
}

/* Ends the document and compares all of it. */
static void ends_as(struct json *j, const char *expected, const char *what)
{
    int rc = json_finish(j);
    fclose(j->out);
    tap_ok(rc == 0 && !strcmp(text, expected), "%s", what);
    if (rc || strcmp(text, expected))
        tap_diag("rc %d, got %s", rc, text);
    free(text);
}

static void text_is(const char *in, const char *expected, const char *what)
{
    struct json j;
    start(&j);
    json_text(&j, NULL, in);
    ends_as(&j, expected, what);
}

static void check_text(void)
{
    text_is("plain", "\"plain\"\n", "plain text");
    text_is(NULL, "null\n", "no text is null");
    text_is("", "\"\"\n", "empty text stays text");
    text_is("a\"b\\c/", "\"a\\\"b\\\\c/\"\n", "quote and backslash");
    text_is("\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"\n", "short escapes");
    text_is("\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"\n", "control characters");
    text_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a",
            "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a\"\n", "UTF-8 of 2, 3 and 4 bytes");
    text_is("\xff", "\"\xef\xbf\xbd\"\n", "a stray byte");
    text_is("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"\n", "an overlong form");
    text_is("\xed\xa0\x80x", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\"\n",
            "a surrogate");
    text_is("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"\n", "a sequence cut short");
    text_is("\xf4\x90\x80\x80",
            "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n",
            "beyond U+10FFFF");
}

static void real_is(double value, const char *expected)
{
    struct json j;
    start(&j);
    json_real(&j, NULL, value);
    char what[64];
    snprintf(what, sizeof what, "%.*s", (int)strcspn(expected, "\n"), expected);
    ends_as(&j, expected, what);
}

static void check_reals(void)
{
    real_is(0.1, "0.1\n");
    real_is(1.0 / 3, "0.3333333333333333\n");
    real_is(-2.5e-300, "-2.5e-300\n");
    real_is(1e22, "1e+22\n");
    real_is(NAN, "null\n");
    real_is(INFINITY, "null\n");
    real_is(-INFINITY, "null\n");
}

static void check_round_trip(void)
{
    int same = 1;
    uint64_t bits = 88172645463325252u; /* xorshift: numbers of every size */
    for (int i = 0; i < 20000; i++) {
        char digits[JSON_REAL_SIZE];
        double x;
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            same &= strtod(json_real_text(digits, x), NULL) == x;
    }
    tap_ok(same, "20000 numbers read back as they were");
}

static void check_layout(void)
{
    struct json j;
    start(&j);
    json_object(&j, NULL);
    json_int(&j, "low", INT64_MIN);
    json_unsigned(&j, "high", UINT64_MAX);
    json_array(&j, "none");
    json_end_array(&j);
    json_object_flat(&j, "flat");
    json_bool(&j, "yes", true);
    json_array(&j, "inner"); /* flat, as the array that contains it */
    json_bool(&j, NULL, false);
    json_null(&j, NULL);
    json_end_array(&j);
    json_end_object(&j);
    json_array(&j, "rows");
    json_object_flat(&j, NULL);
    json_end_object(&j);
    json_int(&j, NULL, 7);
    json_end_array(&j);
    json_end_object(&j);
    ends_as(&j,
            "{\n  \"low\": -9223372036854775808,\n"
            "  \"high\": 18446744073709551615,\n  \"none\": [],\n"
            "  \"flat\": {\"yes\": true, \"inner\": [false, null]},\n"
            "  \"rows\": [\n    {},\n    7\n  ]\n}\n",
            "nesting, indentation and commas");
}

static void check_failures(void)
{
    struct json j;
    start(&j);
    json_object(&j, NULL);
    tap_ok(json_finish(&j) < 0, "a bracket that stays open is noticed");
    fclose(j.out);
    free(text);

    start(&j);
    for (int i = 0; i < JSON_DEPTH + 3; i++)
        json_array(&j, NULL);
    for (int i = 0; i < JSON_DEPTH + 3; i++)
        json_end_array(&j);
    tap_ok(json_finish(&j) < 0, "nesting too deep is noticed");
    fclose(j.out);
    free(text);

    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        tap_skip("there is no /dev/full here");
        return;
    }
    json_start(&j, full);
    json_text(&j, NULL, "x");
    tap_ok(json_finish(&j) < 0, "a full device is noticed");
    fclose(full);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    check_text();
    check_reals();
    check_round_trip();
    check_layout();
    check_failures();
    return tap_end();
}
