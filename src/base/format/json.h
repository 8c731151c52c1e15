/* A JSON writer: escapes what must be escaped, never writes NaN or infinity (they
 * become null), and indents for people and diff. */
#ifndef BASE_FORMAT_JSON_H
#define BASE_FORMAT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
    FILE *out;
    int depth;
    int broken;              /* brackets that do not match, or nest too deep */
    bool filled[JSON_DEPTH]; /* something was written at this depth */
    bool flat[JSON_DEPTH];   /* on one line */
};

/* Local, all of them. `key` is NULL inside an array. An object or array opened
 * with _flat stays on one line, with all it holds. Text NULL becomes null; bytes
 * that are not UTF-8 become U+FFFD. */
void json_start(struct json *j, FILE *out);
void json_object(struct json *j, const char *key);
void json_object_flat(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_array_flat(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_text(struct json *j, const char *key, const char *text);
void json_int(struct json *j, const char *key, int64_t value);
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_real(struct json *j, const char *key, double value); /* round-trips */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* Local. The shortest of 15, 16 or 17 digits that reads back as `value`, which is
 * finite. Returns `text`. */
#define JSON_REAL_SIZE 32
const char *json_real_text(char text[JSON_REAL_SIZE], double value);

/* Local. Ends the document. Returns 0, or -errno if a write failed, or -EIO if the
 * brackets do not match. */
int json_finish(struct json *j);

#endif
