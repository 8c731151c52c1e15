/* ranks: 1 */
/* outcore stream: names in order, and dealt out; rings; sums of sinks. */
#include "base/rng.h"
#include "outcore/stream/passing.h"
#include "outcore/stream/sink.h"
#include "tap.h"

enum { N = 5000 };

static struct names make(int step)
{
    struct names s = {.n = 0};
    char name[32];
    for (int i = 0, k = 0; i < N; i++, k = (k + step) % N) {
        snprintf(name, sizeof name, "%05d", k);
        if (names_add(&s, name, (uint64_t)(k * 7 % N)))
            return s;
    }
    return s;
}

static bool same(const struct names *a, const struct names *b)
{
    for (int i = 0; i < N; i++)
        if (strcmp(names_at(a, i), names_at(b, i)) != 0)
            return false;
    return a->n == N && b->n == N;
}

static void test_orders(void)
{
    struct names a = make(1), b = make(1237);
    names_sort(&b, NAMES_BY_NAME, 0);
    tap_ok(same(&a, &b), "by name");
    names_sort(&a, NAMES_SHUFFLED, 5);
    tap_ok(!same(&a, &b), "shuffled, it is another order");
    names_sort(&b, NAMES_SHUFFLED, 5);
    tap_ok(same(&a, &b), "which is the same for the same names and key");
    names_sort(&a, NAMES_BY_INODE, 0);
    int falls = 0;
    for (int i = 1; i < N; i++)
        falls += a.is[i].inode < a.is[i - 1].inode;
    tap_ok(!falls && !strcmp(names_at(&a, 7), "00001"), "by inode");
    names_free(&a);
    names_free(&b);
}

static void test_dealing(void)
{
    struct names a = make(1);
    int of[3] = {0};
    for (int i = 0; i < N; i++)
        of[names_deal(names_at(&a, i), 3)]++;
    tap_ok(of[0] + of[1] + of[2] == N && of[0] > 1500 && of[1] > 1500 && of[2] > 1500,
           "dealt to three, about a third each (%d, %d, %d)", of[0], of[1], of[2]);
    tap_ok(names_deal("a", 1) == 0, "one has all");
    names_free(&a);
}

static void test_ring(void)
{
    static struct bell data;
    static struct ring g;
    bell_open(&data, 2);
    ring_open(&g, 2, false, &data);
    tap_ok(!ring_next(&g) && !ring_is_over(&g), "empty, and not over");
    ring_fill(&g);
    tap_ok(ring_next(&g) == &g.slot[0] && ring_has_room(&g, 1), "one of two slots");
    ring_fill(&g);
    tap_ok(!ring_has_room(&g, 2), "full with two");
    ring_end(&g);
    ring_take(&g);
    tap_ok(ring_next(&g) == &g.slot[1] && ring_has_room(&g, 2) && !ring_is_over(&g),
           "the second one, after its end");
    ring_take(&g);
    tap_ok(ring_is_over(&g), "over");
    ring_close(&g);
    bell_close(&data);
}

static void test_sinks(void)
{
    struct sink s = {.files = 0}, all = {.files = 1, .bytes = 2, .sum = 3};
    tap_ok(!sink_parse(&s.how, "checksum"), "a checksum");
    sink_take(&s, "1234", 4);
    sink_take(&s, "56789", 5);
    sink_end(&s, NULL);
    sink_end(&s, NULL);
    sink_take(&s, "123456789", 9);
    sink_end(&s, NULL);
    tap_ok(s.files == 3 && s.bytes == 18 && s.sum == UINT64_C(2) * 0xcbf43926,
           "three files, one of them empty");
    sink_add(&all, &s);
    tap_ok(all.files == 4 && all.bytes == 20 && all.sum == s.sum + 3, "added up");
    tap_ok(!sink_parse(&s.how, "null") && sink_parse(&s.how, "zip") &&
               sink_parse(&s.how, "sleep:x"),
           "what there is, and what not");
}

struct told {
    char text[64];
};

static void note_part(void *told, const void *data, int64_t bytes)
{
    struct told *t = told;
    strncat(t->text, data, (size_t)bytes);
}

static void note_end(void *told, const char *name)
{
    struct told *t = told;
    strcat(strcat(strcat(t->text, "<"), name), ">");
}

static void test_sink_of_others(void)
{
    static const struct sink_ops ops = {note_part, note_end};
    struct told told = {""};
    struct sink s = {.ops = &ops, .context = &told};
    sink_take(&s, "ab", 2);
    sink_take(&s, "c", 1);
    sink_end(&s, "first");
    sink_end(&s, "d/empty");
    tap_ok(!strcmp(told.text, "abc<first><d/empty>") && s.files == 2 && s.bytes == 3,
           "a sink of somebody else's is given parts, and names at ends: %s",
           told.text);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_orders();
    test_dealing();
    test_ring();
    test_sinks();
    test_sink_of_others();
    return tap_end();
}
