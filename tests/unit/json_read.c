/* ranks: 1; mpi: any */
/* The reader of JSON: it accepts valid documents, and refuses others with a
 * sentence. */
#include "base/format/json_read.h"
#include "tap.h"

static int reads(struct json_tree **t, const char *text)
{
    return json_read(t, "made.json", text, (int64_t)strlen(text));
}

static void is_wrong(const char *text, const char *what)
{
    struct json_tree *t;
    int rc = reads(&t, text);
    tap_ok(rc < 0 && strstr(err_get()->text, what), "%.30s: %s", text, err_get()->text);
    err_clear();
    json_free(&t);
}

static void check_right(void)
{
    struct json_tree *t;
    int rc = reads(&t, " {\"a\": [1, -9223372036854775808, 2.5e1, true, null],\n"
                       "\"b\\u0041\\\"\": \"\\n\xc3\xa9\", \"c\": {}} ");
    const struct json_value *root = json_root(t), *a = json_member(root, "a");
    tap_ok(rc == 0 && root->kind == JSON_OBJECT && root->members == 3, "an object");
    tap_ok(a && a->kind == JSON_ARRAY && a->members == 5, "an array");
    const struct json_value *v = a->first;
    tap_ok(v->kind == JSON_INT && v->integer == 1, "a number");
    v = v->next;
    tap_ok(v->kind == JSON_INT && v->integer == INT64_MIN, "the least one");
    v = v->next;
    tap_ok(v->kind == JSON_REAL && v->real == 25, "one with a fraction");
    v = v->next;
    tap_ok(v->kind == JSON_BOOL && v->integer == 1, "a truth");
    tap_ok(v->next->kind == JSON_NULL && !v->next->next, "nothing, and the end");
    v = json_member(root, "bA\"");
    tap_ok(v && v->kind == JSON_TEXT && !strcmp(v->text, "\n\xc3\xa9"), "escapes");
    tap_ok(!json_member(root, "x") && !json_member(NULL, "a"), "what is not there");
    json_free(&t);
    json_free(&t);
}

static void check_deep(void)
{
    char deep[4 * JSON_READ_DEPTH + 1];
    struct json_tree *t;
    for (int more = 0; more < 2; more++) {
        int n = JSON_READ_DEPTH + more;
        memset(deep, '[', (size_t)n);
        memset(deep + n, ']', (size_t)n);
        deep[2 * n] = 0;
        tap_ok((reads(&t, deep) == 0) == !more, "%d brackets", n);
        err_clear();
        json_free(&t);
    }
}

static void check_large(void)
{
    struct json_tree *t;
    char *text = malloc(JSON_READ_BYTES + 2);
    memset(text, ' ', JSON_READ_BYTES + 1);
    tap_ok(json_read(&t, "x", text, JSON_READ_BYTES + 1) < 0, "a large file");
    err_clear();
    json_free(&t);
    text[0] = '[';
    for (int i = 0; i < JSON_READ_VALUES + 1; i++)
        memcpy(text + 1 + 2 * i, "1,", 2);
    tap_ok(json_read(&t, "x", text, 2 * JSON_READ_VALUES + 2) < 0 &&
               strstr(err_get()->text, "too many"),
           "too many values");
    err_clear();
    json_free(&t);
    tap_ok(json_read(&t, "x", "[1]\0", 4) < 0, "a zero byte");
    err_clear();
    json_free(&t);
    free(text);
}

int main(int argc, char **argv)
{
    static const char *const wrong[] = {"",
                                        "{",
                                        "[1",
                                        "[1,]",
                                        "[1 2]",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{a: 1}",
                                        "[01]",
                                        "[-]",
                                        "[0x1]",
                                        "[1e]",
                                        "[99999999999999999999]",
                                        "\"abc",
                                        "\"\\x\"",
                                        "\"\\u00e9\"",
                                        "\"\\u0000\"",
                                        "\"\xff\"",
                                        "[1] 2",
                                        "tru",
                                        "nul",
                                        "{\"a\": 1, \"a\": 2}",
                                        "[,1]",
                                        "{1: 2}",
                                        "\"a\tb\"",
                                        "[1e999]",
                                        "\"a\\",
                                        "{\"a\\"};
    tap_start(&argc, &argv, 0);
    check_right();
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        is_wrong(wrong[i], "this is no JSON");
    check_deep();
    check_large();
    return tap_end();
}
