/* Memory: counted, zeroed, and one sentence if there is none. */
#include "tap.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/thread.h"

static void says(const void *p, const char *expected, const char *when)
{
    const struct err *e = err_get();
    tap_ok(!p && e->code == -ENOMEM && !strcmp(e->text, expected), "%s: %s", when,
           expected);
    if (strcmp(e->text, expected))
        tap_diag("%d: \"%s\"", e->code, e->text);
}

static bool is_zero(const char *p, int64_t n)
{
    int64_t i = 0;
    while (i < n && !p[i])
        i++;
    return i == n;
}

static void test_new(void)
{
    err_clear();
    char *p = mem_new(3, 1000, "three");
    tap_ok(p && is_zero(p, 3000), "new memory is zeroed");
    free(p);
    p = mem_new(0, 8, "nothing");
    tap_ok(p && is_zero(p, 8), "no elements have room for one");
    free(p);
    tap_ok(!err_get()->code, "success records nothing");
}

static void test_too_many(void)
{
    err_clear();
    says(mem_new(INT64_C(1) << 61, 16, "all"),
         "no memory for all (2305843009213693952 times 16 bytes)",
         "more than can be counted");
    err_clear();
    says(mem_of("a.dat", -1, 2, "less"), "no memory for less (-1 times 2 bytes)",
         "a negative number");
    tap_ok(!strcmp(err_get()->file, "a.dat"), "mem_of names the file");
    err_clear();
    char *old = mem_text("old", "a text");
    says(mem_grow(old, INT64_MAX, 2, "more"),
         "no memory for more (9223372036854775807 times 2 bytes)", "growing too far");
    tap_ok(old && !strcmp(old, "old"), "what cannot grow stays as it is");
    err_clear();
    tap_ok(!mem_grow(old, -1, 1, NULL) && !err_get()->code,
           "growing without a name records nothing");
    free(old);
    tap_ok(mem_bytes(3, 5) == 15 && mem_bytes(0, 5) == 0 && mem_bytes(-1, 5) == -1 &&
               mem_bytes(INT64_MAX, 2) == -1,
           "bytes are counted");
}

static void test_room(void)
{
    int *list = NULL;
    int64_t room = 0;
    for (int i = 0; i < 100; i++)
        if (!mem_room(&list, i, &room, sizeof *list, "a list"))
            list[i] = i;
    tap_ok(room == 128 && list[0] == 0 && list[99] == 99, "a list's room doubles");
    free(list);
}

/* ---- failures, in a process whose first allocation fails ------------------------- */

static int starved(void *how)
{
    char shim[4096];
    snprintf(shim, sizeof shim, "%s/tests/alloc_shim.so", getenv("top_builddir"));
    setenv("LD_PRELOAD", shim, 1);
    setenv("ALLOC_FAIL", "1", 1);
    execl("/proc/self/exe", "mem", (char *)how, (char *)NULL);
    return 99;
}

static int fail_as(const char *how)
{
    void *p = NULL;
    int64_t room = 0;
    if (!strcmp(how, "new"))
        p = mem_new(1, 1, "a byte");
    if (!strcmp(how, "grow"))
        p = mem_grow(NULL, 5, 8, "lanes");
    if (!strcmp(how, "room"))
        mem_room(&p, 0, &room, 4, "a list");
    if (!strcmp(how, "text"))
        p = mem_text("abc", "a name");
    if (!strcmp(how, "buf"))
        buf_alloc(&p, 5000, "a copy");
    if (!strcmp(how, "apart"))
        p = thread_alloc(100, "a lane");
    const struct err e = err_copy();
    printf("%s", e.text);
    return p || room || e.code != -ENOMEM;
}

static void fails(const char *how, const char *expected)
{
    char out[256];
    int status = tap_child(starved, (void *)how, out, sizeof out);
    tap_ok(!status && !strcmp(out, expected), "%s fails: %s", how, expected);
    if (status || strcmp(out, expected))
        tap_diag("status %d, \"%s\"", status, out);
}

static void test_failures(void)
{
    const char *sanitizers = getenv("SANITIZERS");
    if (!getenv("top_builddir") || (sanitizers && *sanitizers)) {
        tap_skip("sanitizers count allocations, too");
        return;
    }
    fails("new", "no memory for a byte (1 byte)");
    fails("grow", "no memory for lanes (40 bytes)");
    fails("room", "no memory for a list (64 bytes)");
    fails("text", "no memory for a name (4 bytes)");
    fails("buf", "no memory for a copy (8192 bytes)");
    fails("apart", "no memory for a lane (100 bytes)");
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return fail_as(argv[1]);
    tap_start(&argc, &argv, 0);
    test_new();
    test_too_many();
    test_room();
    test_failures();
    return tap_end();
}
