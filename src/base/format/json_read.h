/* A strict reader of small JSON documents: files of others, so whatever is in them, it
 * ends with a sentence or with a tree. Numbers are 64-bit integers where they are
 * written so; a name occurs once in an object; there is nothing after the document. */
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
    const char *text;                      /* of JSON_TEXT: UTF-8, and no NUL within */
    int64_t integer;                       /* of JSON_INT; of JSON_BOOL 0 or 1 */
    double real;                           /* of JSON_REAL and JSON_INT */
    int64_t members;                       /* of an array or object */
    const struct json_value *first, *next; /* its members, each with the next one */
};

struct json_tree;

/* Local, all of them. Reads a text that ends with NUL after `bytes`; it came from file
 * `path`. 0, or -errno with a sentence that has `path` and the place in it: too large,
 * too deep, no JSON. Free the tree with json_free, which takes NULL. */
int json_read(struct json_tree **t, const char *path, const char *text, int64_t bytes);
void json_free(struct json_tree **t);

/* The bytes of a file, no more than one too many, which the caller frees in any case.
 * 0, or -errno with a sentence. */
int json_file(const char *path, char **text, int64_t *bytes);

const struct json_value *json_root(const struct json_tree *t);

/* The member of that name; NULL: there is none, or v is NULL or no object. */
const struct json_value *json_member(const struct json_value *v, const char *key);

#endif
