/* ranks: 1 2 */
/* Scattered blocks compared with a simple model: a whole file in memory, and marked
 * bytes. */
#include "one_run.h"
#include "tap.h"

#include "base/buf.h"
#include "run/stream/blocks.h"

enum { SIZE = 300000, BLOCK = 4096, MOST = 8 * BLOCK, DEPTH = 5, EXTENTS = 400 };

static const char *const engines[] = {"posix", "threads", "uring", "null:delay_us=20"};

static struct run_options options;
static struct run run;
static struct run_file file;
static char *model, *other; /* present and future contents of the file */
static struct extent e[EXTENTS];
static const void *with[EXTENTS];
static int64_t n, told;
static bool good;

/* ---- numbers -------------------------------------------------------------------- */

static uint64_t state = 7;

static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 20) % (uint64_t)below);
}

static int by_offset(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Makes extents of `most` bytes at most: empty, overlapping, across blocks and
 * requests. */
static void make_extents(int64_t count, int64_t most)
{
    n = count;
    for (int64_t i = 0; i < n; i++) {
        int64_t bytes = draw(8) ? draw(most + 1) : 0;
        e[i] = (struct extent){.offset = draw(SIZE - bytes + 1), .bytes = bytes};
    }
    qsort(e, (size_t)n, sizeof *e, by_offset);
    for (int64_t i = 0; i < n; i++)
        with[i] = model + draw(SIZE - e[i].bytes + 1);
}

/* ---- the model ------------------------------------------------------------------ */

/* Counts the blocks that some extent needs, and the rows that they form. */
static int64_t count_blocks(int64_t *rows)
{
    static bool needed[SIZE / BLOCK + 2];
    int64_t count = 0;
    memset(needed, 0, sizeof needed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t at = e[i].offset / BLOCK;
             e[i].bytes && at <= (e[i].offset + e[i].bytes - 1) / BLOCK; at++)
            needed[at] = true;
    *rows = 0;
    for (int64_t k = 0; k <= SIZE / BLOCK; k++) {
        count += needed[k];
        *rows += needed[k] && !needed[k + 1];
    }
    return count;
}

static void see(void *context, const struct extent *x, int64_t i, const void *data)
{
    good &= context == &run && i == told++ && x == &e[i];
    if (io_engine_stores(run.engine))
        good &= !x->bytes || !memcmp(data, model + x->offset, (size_t)x->bytes);
}

/* ---- a file --------------------------------------------------------------------- */

static int open_file(const char *engine, int flags)
{
    char path[TAP_PATH], name[32];
    snprintf(name, sizeof name, "blocks.%d", run.world.rank);
    run.failed = 0;
    run.engine = engine;
    run.queues = io_engine_asynchronous(engine);
    run_file_at(&file, &run, tap_path(path, name), false, true, SIZE, MOST, DEPTH);
    phase_begin(run.phase, "test", 1);
    told = 0;
    good = true;
    return run_file_open(&file, flags);
}

static void close_file(void)
{
    run_file_close(&file, false);
    phase_end(run.phase);
    err_clear();
}

static void write_model(const char *engine)
{
    open_file(engine, IO_WRITE | IO_CREATE);
    for (int64_t at = 0; at < SIZE; at += MOST) {
        int64_t bytes = SIZE - at < MOST ? SIZE - at : MOST;
        struct io_req req = {
            .op = IO_OP_WRITE, .buf = model + at, .offset = at, .bytes = bytes};
        run_transfer(&file, &req, 1);
    }
    close_file();
}

static bool holds_model(const char *engine)
{
    char *found = malloc(MOST);
    bool same = found && io_engine_stores(engine);
    open_file(engine, IO_READ);
    for (int64_t at = 0; at < SIZE && same; at += MOST) {
        int64_t bytes = SIZE - at < MOST ? SIZE - at : MOST;
        struct io_req req = {
            .op = IO_OP_READ, .buf = found, .offset = at, .bytes = bytes};
        run_transfer(&file, &req, 1);
        same = !run.failed && !memcmp(found, model + at, (size_t)bytes);
    }
    close_file();
    free(found);
    return same || !io_engine_stores(engine);
}

/* ---- tests ---------------------------------------------------------------------- */

/* True if requests are as few as possible: a row of blocks is cut where a request is
 * full. */
static bool few_requests(int64_t calls, int64_t blocks, int64_t rows)
{
    return calls >= rows && calls <= rows + blocks * BLOCK / MOST;
}

static void test_reading(const char *engine)
{
    int64_t rows = 0;
    bool all = true, counted = true, few = true;
    for (int k = 0; k < 60; k++) {
        make_extents(draw(k < 30 ? 40 : EXTENTS), k % 3 ? 300 : MOST);
        int64_t blocks = count_blocks(&rows);
        open_file(engine, IO_READ);
        int64_t read = run_blocks_read(&file, e, n, BLOCK, see, &run);
        const struct phase_act *a = &run.phase->act[ACT_READ];
        all &= good && told == n && !run.failed;
        counted &= read == blocks;
        few &= few_requests(a->calls, blocks, rows) && a->bytes <= blocks * BLOCK;
        close_file();
    }
    tap_ok(all, "%s: each extent is seen, in order, and is what the file has", engine);
    tap_ok(counted, "%s: each block is read once", engine);
    tap_ok(few, "%s: neighbours in one request", engine);
}

static void test_updating(const char *engine)
{
    int64_t rows = 0;
    bool counted = true, few = true, same = true;
    for (int k = 0; k < 20; k++) {
        make_extents(draw(k < 10 ? 30 : EXTENTS), k % 3 ? 300 : MOST);
        int64_t blocks = count_blocks(&rows);
        memcpy(other, model, SIZE);
        for (int64_t i = 0; i < n; i++) /* in a copy, as the source is `model` */
            memcpy(other + e[i].offset, with[i], (size_t)e[i].bytes);
        open_file(engine, IO_READ | IO_WRITE);
        counted &= run_blocks_update(&file, e, with, n, BLOCK) == blocks && !run.failed;
        few &= run.phase->act[ACT_READ].calls == run.phase->act[ACT_WRITE].calls &&
               few_requests(run.phase->act[ACT_READ].calls, blocks, rows);
        close_file();
        memcpy(model, other, SIZE);
        same &= holds_model(engine);
    }
    tap_ok(same, "%s: what is changed is what was to be, and no more", engine);
    tap_ok(counted && few, "%s: each block is read once and written once", engine);
}

static void refused(const char *what, struct extent one, struct extent two,
                    int64_t block, const char *why)
{
    e[0] = one;
    e[1] = two;
    open_file("posix", IO_READ);
    int64_t read = run_blocks_read(&file, e, 2, block, see, &run);
    tap_ok(run.failed == -EINVAL && !read && !told && strstr(err_get()->text, why),
           "%s is refused", what);
    close_file();
}

static void test_refusals(void)
{
    struct extent good_one = {.offset = 10, .bytes = 10};
    refused("what is not sorted", (struct extent){.offset = 5000, .bytes = 1}, good_one,
            BLOCK, "must be sorted");
    refused("what is longer than a request", good_one,
            (struct extent){.offset = 20, .bytes = MOST + 1}, BLOCK, "at most");
    refused("what goes past the end", good_one,
            (struct extent){.offset = SIZE - 3, .bytes = 4}, BLOCK, "past the end");
    refused("a block that is larger than a request", good_one, good_one, MOST + 1,
            "do not fit");
    refused("a block of nothing", good_one, good_one, 0, "do not fit");
    open_file("posix", IO_READ);
    tap_ok(run_blocks_read(&file, e, 0, BLOCK, see, &run) == 0 && !run.failed,
           "none are none");
    close_file();
}

/* Data before the failure have been seen, and none after it. */
static void test_failure(void)
{
    open_file("null:fail_every=5", IO_READ);
    for (int64_t i = 0; i < 40; i++)
        e[i] = (struct extent){.offset = 3 * i * BLOCK + 1, .bytes = 10};
    int64_t read = run_blocks_read(&file, e, 40, BLOCK, see, &run);
    tap_ok(run.failed == -EIO && read == told && told < 5 && good,
           "a request fails in the middle");
    tap_ok(run_blocks_read(&file, e, 40, BLOCK, see, &run) == 0 && told < 5,
           "a run that has failed reads nothing");
    close_file();
    run.failed = 0;
    open_file("null:fail_every=5", IO_READ | IO_WRITE);
    for (int64_t i = 0; i < 40; i++)
        with[i] = model;
    read = run_blocks_update(&file, e, with, 40, BLOCK);
    tap_ok(run.failed == -EIO && read < 40, "so does an update");
    close_file();
    run.failed = 0;
}

static void test_direct(void)
{
    run.io_flags = IO_DIRECT;
    int rc = open_file("posix", IO_READ);
    if (rc) {
        tap_skip("no direct I/O here");
        err_clear();
        run.io_flags = 0;
        return;
    }
    make_extents(100, 300);
    while (n && e[n - 1].offset + 300 > SIZE / BLOCK * BLOCK)
        n--;
    run_blocks_read(&file, e, n, BLOCK, see, &run);
    tap_ok(!run.failed && told == n && good, "direct I/O reads whole blocks");
    e[0] = (struct extent){.offset = SIZE - 5, .bytes = 5};
    run_blocks_read(&file, e, 1, BLOCK, see, &run);
    tap_ok(tap_refused(run.failed, -EINVAL, "direct I/O"),
           "and not the rest of a block at the end");
    close_file();
    run.io_flags = 0;
    run.failed = 0;
}

static void test_engine(const char *engine)
{
    if (io_engine_check(engine, 0) || io_engine_usable(engine)) {
        tap_skip("%s: not here", engine);
        err_clear();
        return;
    }
    write_model(engine);
    test_reading(engine);
    test_updating(engine);
    if (!strcmp(engine, "posix")) {
        test_refusals();
        test_direct();
    }
    io_file_remove(MPI_COMM_SELF, file.path);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    one_run(&run, &options);
    void *memory = NULL, *second = malloc(SIZE);
    tap_ok(!buf_alloc(&memory, SIZE, "a model") && second && !phase_open(&run.phase),
           "memory");
    model = memory;
    other = second;
    for (int64_t i = 0; i < SIZE; i++)
        model[i] = (char)draw(256);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        test_engine(engines[i]);
    test_failure();
    phase_close(&run.phase);
    buf_free(memory);
    free(second);
    return tap_end();
}
