/* Writes the input as JSON. tests/unit/json_python.py describes it: items of a letter,
 * a key (its length, -1: none) and a value (its length), and 'E' at the end of each
 * document, which is followed by a zero byte. */
#include "base/format/json.h"
#include <stdlib.h>
#include <string.h>

/* Reads bytes with their length, and terminates them; NULL if the length is -1. */
static char *take(void)
{
    int32_t n;
    if (fread(&n, sizeof n, 1, stdin) != 1 || n < 0)
        return NULL;
    char *text = calloc((size_t)n + 1, 1);
    if (!text || fread(text, 1, (size_t)n, stdin) != (size_t)n)
        exit(1);
    return text;
}

static int64_t whole(const char *value)
{
    int64_t v;
    memcpy(&v, value, sizeof v);
    return v;
}

static double real(const char *value)
{
    double v;
    memcpy(&v, value, sizeof v);
    return v;
}

static void put(struct json *j, int kind, const char *key, const char *value)
{
    switch (kind) {
    case '{':
        json_object(j, key);
        break;
    case '[':
        json_array(j, key);
        break;
    case '(':
        json_object_flat(j, key);
        break;
    case '<':
        json_array_flat(j, key);
        break;
    case '}':
        json_end_object(j);
        break;
    case ']':
        json_end_array(j);
        break;
    case 's':
        json_text(j, key, value);
        break;
    case 'i':
        json_int(j, key, whole(value));
        break;
    case 'u':
        json_unsigned(j, key, (uint64_t)whole(value));
        break;
    case 'r':
        json_real(j, key, real(value));
        break;
    case 'b':
        json_bool(j, key, value[0]);
        break;
    default:
        json_null(j, key);
    }
}

int main(void)
{
    struct json j;
    json_start(&j, stdout);
    for (int kind; (kind = getchar()) != EOF;) {
        char *key = take(), *value = take();
        if (kind != 'E')
            put(&j, kind, key, value);
        else if (json_finish(&j) || putchar(0))
            return 1;
        else
            json_start(&j, stdout);
        free(key);
        free(value);
    }
    return 0;
}
