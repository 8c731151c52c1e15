/* A strict reader of small JSON documents. They are files of others, so any content
 * ends with a sentence or with a tree. Numbers without fraction and exponent are 64-bit
 * integers; a name occurs once in an object; nothing follows the document. */
#ifndef BASE_FORMAT_JSON_READ_H
#define BASE_FORMAT_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

enum { JSON_READ_BYTES = 16 << 20, JSON_READ_VALUES = 1 << 20, JSON_READ_DEPTH = 32 };

enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INT,
    JSON_REAL,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_kind kind;
    const char *key;                       /* in an object; NULL elsewhere */
    const char *text;                      /* JSON_TEXT: UTF-8 without NUL */
    int64_t integer;                       /* JSON_INT; JSON_BOOL: 0 or 1 */
    double real;                           /* JSON_REAL and JSON_INT */
    int64_t members;                       /* number of members of an array or object */
    const struct json_value *first, *next; /* its first member; the next one after it */
};

struct json_tree;

/* Local, all of them. json_read reads a text of `bytes` that ends with NUL; it came
 * from file `path`. Returns 0, or -errno with a sentence that has `path` and the place
 * in it: too large, too deep, no JSON. Free the tree with json_free, which accepts
 * NULL. */
int json_read(struct json_tree **t, const char *path, const char *text, int64_t bytes);
void json_free(struct json_tree **t);

/* Reads a file with a limit of size; the caller frees *text in any case. Returns 0, or
 * -errno with a sentence. */
int json_file(const char *path, char **text, int64_t *bytes);

const struct json_value *json_root(const struct json_tree *t);

/* The member of that name; NULL: there is none, or v is NULL or no object. */
const struct json_value *json_member(const struct json_value *v, const char *key);

#endif
