#include "base/format/json.h"
#include "base/plain.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_start(struct json *j, FILE *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
}

static void indent(struct json *j)
{
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

static void put_control(FILE *out, int c)
{
    const char *at = strchr("\nn\tt\rr\bb\ff", c);
    if (at)
        fprintf(out, "\\%c", at[1]);
    else
        fprintf(out, "\\u%04x", (unsigned)c);
}

static void put_quoted(struct json *j, const char *text)
{
    const char *s = text;
    fputc('"', j->out);
    while (*s) {
        int n = plain_utf8(s);
        if (n == 0)
            fputs("\xef\xbf\xbd", j->out); /* U+FFFD */
        else if ((unsigned char)*s < 0x20)
            put_control(j->out, *s);
        else if (*s == '"' || *s == '\\')
            fprintf(j->out, "\\%c", *s);
        else
            fwrite(s, 1, (size_t)n, j->out);
        s += n ? n : 1;
    }
    fputc('"', j->out);
}

/* Writes the comma, line break and key before a value. */
static void lead(struct json *j, const char *key)
{
    if (j->depth > 0) {
        int here = j->depth - 1;
        if (j->filled[here])
            fputs(j->flat[here] ? ", " : ",", j->out);
        if (!j->flat[here])
            indent(j);
        j->filled[here] = true;
    }
    if (key) {
        put_quoted(j, key);
        fputs(": ", j->out);
    }
}

static void json_begin(struct json *j, const char *key, char bracket, bool flat)
{
    if (j->depth == JSON_DEPTH) { /* the caller's error: see json_finish */
        j->broken++;
        return;
    }
    lead(j, key);
    fputc(bracket, j->out);
    j->flat[j->depth] = flat || (j->depth > 0 && j->flat[j->depth - 1]);
    j->filled[j->depth] = false;
    j->depth++;
}

static void json_end(struct json *j, char bracket)
{
    if (j->broken || j->depth == 0) {
        j->broken++;
        return;
    }
    j->depth--;
    if (j->filled[j->depth] && !j->flat[j->depth])
        indent(j);
    fputc(bracket, j->out);
}

void json_object(struct json *j, const char *key)
{
    json_begin(j, key, '{', false);
}

void json_object_flat(struct json *j, const char *key)
{
    json_begin(j, key, '{', true);
}

void json_array(struct json *j, const char *key)
{
    json_begin(j, key, '[', false);
}

void json_array_flat(struct json *j, const char *key)
{
    json_begin(j, key, '[', true);
}

void json_end_object(struct json *j)
{
    json_end(j, '}');
}

void json_end_array(struct json *j)
{
    json_end(j, ']');
}

void json_text(struct json *j, const char *key, const char *text)
{
    lead(j, key);
    if (text)
        put_quoted(j, text);
    else
        fputs("null", j->out);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    lead(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
    lead(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

const char *json_real_text(char text[JSON_REAL_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, JSON_REAL_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_real(struct json *j, const char *key, double value)
{
    char text[JSON_REAL_SIZE];
    lead(j, key);
    fputs(isfinite(value) ? json_real_text(text, value) : "null", j->out);
}

void json_bool(struct json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
    json_text(j, key, NULL);
}

int json_finish(struct json *j)
{
    fputc('\n', j->out);
    errno = 0;
    if (fflush(j->out) || ferror(j->out))
        return errno ? -errno : -EIO;
    if (j->broken || j->depth)
        return -EIO;
    return 0;
}
