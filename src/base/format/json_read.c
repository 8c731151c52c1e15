/* Parses JSON by recursive descent with a limit of depth. Values come from one block,
 * texts from a copy of the document, in which they are unescaped in place. */
#include "base/format/json_read.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/plain.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_tree {
    const char *path;
    char *text, *at;
    struct json_value *value;
    int64_t values, room;
};

static int wrong(const struct json_tree *t, const char *what)
{
    return err_set(-EINVAL, t->path, t->at - t->text, "this is no JSON: %s", what);
}

static void skip_blanks(struct json_tree *t)
{
    t->at += strspn(t->at, " \t\r\n");
}

static int read_value(struct json_tree *t, struct json_value *v, int depth);

/* ---- texts ------------------------------------------------------------------ */

static bool read_hex(const char *s, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)s[i]))
            return false;
        unsigned c = (unsigned)tolower((unsigned char)s[i]);
        *code = *code * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* Decodes the text after a backslash; `out` never overtakes the input. */
static bool unescape(struct json_tree *t, char **out)
{
    static const char plain_of[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    unsigned code;
    char c = *t->at;
    if (!c)
        return false;
    t->at++;
    for (const char *p = plain_of; *p; p += 2)
        if (*p == c) {
            *(*out)++ = p[1];
            return true;
        }
    if (c != 'u' || !read_hex(t->at, &code) || code == 0 || code > 0x7f)
        return false; /* our own files escape control characters only */
    t->at += 4;
    *(*out)++ = (char)code;
    return true;
}

static int read_text(struct json_tree *t, const char **text)
{
    char *out = ++t->at;
    *text = out;
    while (*t->at != '"') {
        int n = plain_utf8(t->at);
        if ((unsigned char)*t->at < 0x20 || n == 0)
            return wrong(t, "a text is not ended, or is not UTF-8");
        if (*t->at == '\\') {
            t->at++;
            if (!unescape(t, &out))
                return wrong(t, "an unknown escape, or one beyond ASCII");
        } else {
            memmove(out, t->at, (size_t)n);
            out += n;
            t->at += n;
        }
    }
    t->at++;
    *out = 0;
    return 0;
}

/* ---- numbers and words ------------------------------------------------------ */

static int read_number(struct json_tree *t, struct json_value *v)
{
    size_t sign = *t->at == '-', digits = strspn(t->at + sign, "0123456789");
    char *end;
    if (!digits || (digits > 1 && t->at[sign] == '0'))
        return wrong(t, "a number or value is expected here");
    char after = t->at[sign + digits];
    bool real = after != 0 && strchr(".eE", after);
    errno = 0;
    v->kind = real ? JSON_REAL : JSON_INT;
    if (real)
        v->real = strtod(t->at, &end);
    else
        v->real = (double)(v->integer = strtoll(t->at, &end, 10));
    if (errno)
        return wrong(t, "a number is beyond 64 bits");
    if (real && strspn(t->at + sign, "0123456789+-.eE") != (size_t)(end - t->at) - sign)
        return wrong(t, "this is no number");
    t->at = end;
    return 0;
}

static int read_word(struct json_tree *t, struct json_value *v)
{
    static const struct {
        const char *word;
        enum json_kind kind;
        int64_t integer;
    } known[] = {
        {"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}, {"null", JSON_NULL, 0}};
    for (int i = 0; i < 3; i++)
        if (!strncmp(t->at, known[i].word, strlen(known[i].word))) {
            v->kind = known[i].kind;
            v->integer = known[i].integer;
            t->at += strlen(known[i].word);
            return 0;
        }
    return read_number(t, v);
}

/* ---- arrays and objects ----------------------------------------------------- */

static int read_key(struct json_tree *t, const struct json_value *in,
                    struct json_value *v)
{
    if (*t->at != '"')
        return wrong(t, "a name in quotation marks is expected here");
    int rc = read_text(t, &v->key);
    if (rc)
        return rc;
    skip_blanks(t);
    if (*t->at != ':')
        return wrong(t, "a colon is expected here");
    if (json_member(in, v->key))
        return wrong(t, "a name occurs twice in an object");
    t->at++;
    return 0;
}

/* In objects with more members the search for duplicate names would take too long. */
enum { MEMBERS_NAMED = 1024 };

static int read_members(struct json_tree *t, struct json_value *v, int depth)
{
    char last = *t->at == '{' ? '}' : ']';
    struct json_value *before = NULL;
    if (depth == JSON_READ_DEPTH)
        return wrong(t, "brackets are too many within each other");
    v->kind = last == '}' ? JSON_OBJECT : JSON_ARRAY;
    t->at++;
    skip_blanks(t);
    for (; *t->at != last; v->members++) {
        if (v->members && *t->at != ',')
            return wrong(t, "a comma or a closing bracket is expected here");
        t->at += v->members > 0;
        skip_blanks(t);
        if (t->values == t->room || (last == '}' && v->members == MEMBERS_NAMED))
            return wrong(t, "it has too many values");
        struct json_value *m = &t->value[t->values++];
        int rc = last == '}' ? read_key(t, v, m) : 0;
        rc = rc ? rc : read_value(t, m, depth + 1);
        if (rc)
            return rc;
        if (before)
            before->next = m;
        else
            v->first = m;
        before = m;
        skip_blanks(t);
    }
    t->at++;
    return 0;
}

static int read_value(struct json_tree *t, struct json_value *v, int depth)
{
    skip_blanks(t);
    if (*t->at == '"') {
        v->kind = JSON_TEXT;
        return read_text(t, &v->text);
    }
    return *t->at == '{' || *t->at == '[' ? read_members(t, v, depth) : read_word(t, v);
}

/* ---- documents -------------------------------------------------------------- */

static int read_document(struct json_tree *t)
{
    int rc = read_value(t, &t->value[t->values++], 0);
    if (rc)
        return rc;
    skip_blanks(t);
    return *t->at ? wrong(t, "something follows its end") : 0;
}

int json_read(struct json_tree **to, const char *path, const char *text, int64_t bytes)
{
    struct json_tree *t = mem_of(path, 1, sizeof *t, "JSON");
    *to = t;
    if (bytes > JSON_READ_BYTES)
        return err_set(-EFBIG, path, -1, "a document of more than %d bytes is not read",
                       JSON_READ_BYTES);
    /* A value takes two bytes at least. */
    int64_t room = bytes / 2 + 2;
    if (t) {
        t->path = path;
        t->room = room < JSON_READ_VALUES ? room : JSON_READ_VALUES;
        t->at = t->text = mem_of(path, bytes + 1, 1, "JSON");
        t->value = mem_of(path, t->room, sizeof *t->value, "JSON");
    }
    if (!t || !t->text || !t->value)
        return -ENOMEM;
    memcpy(t->text, text, (size_t)bytes);
    t->text[bytes] = 0;
    if (memchr(t->text, 0, (size_t)bytes))
        return err_set(-EINVAL, path, -1,
                       "this is no JSON: there is a zero byte in it");
    return read_document(t);
}

static int cannot_read(const char *path)
{
    return err_set(-errno, path, -1, "it cannot be read: %s", strerror(errno));
}

int json_file(const char *path, char **text, int64_t *bytes)
{
    FILE *f = fopen(path, "rb");
    *text = f ? malloc(JSON_READ_BYTES + 1) : NULL;
    *bytes = 0;
    if (!f)
        return cannot_read(path);
    if (*text)
        *bytes = (int64_t)fread(*text, 1, JSON_READ_BYTES + 1, f);
    int rc = !*text || ferror(f) ? cannot_read(path) : 0;
    fclose(f);
    return rc;
}

void json_free(struct json_tree **t)
{
    if (*t) {
        free((*t)->text);
        free((*t)->value);
    }
    free(*t);
    *t = NULL;
}

const struct json_value *json_root(const struct json_tree *t)
{
    return &t->value[0];
}

const struct json_value *json_member(const struct json_value *v, const char *key)
{
    if (!v || v->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *m = v->first; m; m = m->next)
        if (m->key && !strcmp(m->key, key))
            return m;
    return NULL;
}
