/* ranks: 1
 * Requests in pieces: the order of pieces, and reports of failures. */
#include "tap.h"

#include "io/engines/pieces.h"

enum { DEPTH = 3 };

static struct io_queue queue = {.options = "", .depth = DEPTH, .max_request = 1000};
static struct io_file file = {.path = "file"}, other = {.path = "other"};
static struct io_req req[DEPTH];

/* Makes the pieces of requests of n bytes each. */
static struct pieces *made(int64_t bytes, const int64_t n[DEPTH])
{
    struct pieces *p = pieces_make(&queue, bytes);

    for (int i = 0; p && i < DEPTH; i++) {
        req[i] = (struct io_req){
            .op = IO_OP_READ, .offset = 5000 * i, .bytes = n[i], .file = &file};
        pieces_add(p, &req[i]);
    }
    err_clear();
    return p;
}

static bool is(const struct piece *one, int i, int64_t at, int64_t bytes)
{
    return one && one->r == &req[i] && one->at == at && one->bytes == bytes;
}

static int reaped(struct pieces *p)
{
    struct io_req *done[DEPTH];

    return pieces_reap(p, done, DEPTH);
}

static void test_order(void)
{
    struct pieces *p = made(400, (int64_t[]){1000, 0, 300});
    struct piece *one[4];

    tap_ok(pieces_count(p) == 9, "three requests of three pieces may be under way");
    for (int i = 0; i < 4; i++)
        one[i] = pieces_next(p);
    tap_ok(is(one[0], 0, 0, 400) && is(one[1], 0, 400, 400) &&
               is(one[2], 0, 800, 200) && is(one[3], 2, 0, 300) && !pieces_next(p),
           "one request after the other, the last piece as large as what is left");
    tap_ok(reaped(p) == 1 && !req[1].rc, "a request of no bytes is done at once");
    for (int i = 3; i > 0; i--)
        pieces_result(p, one[i], one[i]->bytes);
    tap_ok(reaped(p) == 1 && req[2].done == 300 && !req[0].done,
           "requests are done in any order");
    pieces_result(p, one[0], 400);
    tap_ok(reaped(p) == 1 && req[0].done == 1000 && !req[0].rc &&
               !pieces_busy(p, &file),
           "the first is done when all of its pieces are");
    pieces_free(p);
}

static void test_short(void)
{
    struct pieces *p = made(1000, (int64_t[]){1000, 0, 0});
    struct piece *one = pieces_next(p);

    pieces_result(p, one, 1);
    one = pieces_next(p);
    tap_ok(is(one, 0, 1, 999), "what is left of a short piece is given out again");
    pieces_result(p, one, -EAGAIN);
    one = pieces_next(p);
    pieces_result(p, one, -EINTR);
    one = pieces_next(p);
    tap_ok(is(one, 0, 1, 999) && !pieces_next(p), "so is one that was to come again");
    pieces_result(p, one, 999);
    tap_ok(reaped(p) == 3 && req[0].done == 1000 && !req[0].rc, "until it is whole");
    pieces_free(p);
}

/* Three of ten pieces are in flight when two fail. */
static void test_failure(void)
{
    struct pieces *p = made(100, (int64_t[]){1000, 0, 0});
    struct piece *one[3];

    for (int i = 0; i < 3; i++)
        one[i] = pieces_next(p);
    pieces_result(p, one[2], -ENOSPC);
    tap_ok(reaped(p) == 2 && pieces_under_way(p) == 2,
           "a request that failed waits for its pieces");
    pieces_result(p, one[1], -EIO);
    tap_ok(!pieces_next(p), "no more are given out of it");
    pieces_result(p, one[0], 100);
    tap_ok(reaped(p) == 1 && req[0].rc == -EIO && req[0].done == 100,
           "the failure told is the first in the file");
    tap_ok(strstr(err_get()->text, "1000 bytes failed after 100: ") &&
               err_get()->offset == 100 && !pieces_busy(p, &file),
           "it says where: %s", err_get()->text);
    pieces_free(p);
}

static void test_end_of_file(void)
{
    struct pieces *p = made(1000, (int64_t[]){0, 0, 1000});

    pieces_result(p, pieces_next(p), 7);
    pieces_result(p, pieces_next(p), 0);
    tap_ok(reaped(p) == 3 && req[2].rc == -EIO && req[2].done == 7 &&
               strstr(err_get()->text, "the file ends here"),
           "a read beyond the end: %s", err_get()->text);
    pieces_free(p);
}

static void test_depth(void)
{
    queue.options = "piece=400,depth=2";
    struct pieces *p = made(400, (int64_t[]){1000, 0, 300});
    struct piece *a = pieces_next(p), *b = pieces_next(p);
    bool full = a && b && !pieces_next(p);
    pieces_result(p, a, a->bytes);
    struct piece *c = pieces_next(p);
    tap_ok(pieces_count(p) == 2 && full && is(c, 0, 800, 200) && !pieces_next(p),
           "depth=2: no more than two at once, the next one when one is done");
    pieces_free(p);
    queue.options = "";
}

static void test_many(void)
{
    struct pieces *p = made(1, (int64_t[]){1000, 1000, 1000});
    int n = 0;

    while (pieces_next(p))
        n++;
    tap_ok(n == pieces_count(p) && n == PIECES_MOST, "no more than %d at once",
           PIECES_MOST);
    tap_ok(pieces_drop(p, &file) && pieces_under_way(p) == n,
           "what is under way stays so when the rest goes");
    pieces_free(p);
}

static void test_unknown_size(void)
{
    queue.max_request = 0;
    struct pieces *p = made(400, (int64_t[]){1000, 0, 0});
    tap_ok(pieces_count(p) == PIECES_MOST, "requests of any size: %d pieces at once",
           PIECES_MOST);
    pieces_free(p);
    queue.max_request = 1000;
}

/* Drops a request with a piece in flight, one to be repeated, and one in the queue. */
static void test_drop(void)
{
    struct pieces *p = pieces_make(&queue, 400);

    for (int i = 0; i < DEPTH; i++) {
        req[i] = (struct io_req){
            .op = IO_OP_READ, .bytes = 1000, .file = i == 1 ? &other : &file};
        pieces_add(p, &req[i]);
    }
    struct piece *one = pieces_next(p), *again = pieces_next(p);
    pieces_result(p, again, -EAGAIN);
    tap_ok(pieces_drop(p, &file) && pieces_busy(p, &file), "a piece is waited for");
    struct piece *next = pieces_next(p);
    tap_ok(next && next->r == &req[1], "what is given out next is another file's");
    pieces_result(p, one, 7);
    tap_ok(!pieces_drop(p, &file) && !pieces_busy(p, &file) && !reaped(p),
           "what came of it is nobody's, and nothing is left");
    for (; next; next = pieces_next(p))
        pieces_result(p, next, next->bytes);
    tap_ok(reaped(p) == 1 && req[1].done == 1000 && !req[1].rc &&
               !pieces_busy(p, &other),
           "the other file's is whole");
    for (int i = 0; i < DEPTH; i++)
        pieces_add(p, &req[i]);
    for (int n = 0; n < 9; n++)
        pieces_result(p, pieces_next(p), 400 - 200 * (n % 3 == 2));
    tap_ok(!pieces_next(p) && reaped(p) == DEPTH, "and there is room for all again");
    pieces_free(p);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    test_order();
    test_short();
    test_failure();
    test_end_of_file();
    test_depth();
    test_many();
    test_unknown_size();
    test_drop();
    return tap_end();
}
