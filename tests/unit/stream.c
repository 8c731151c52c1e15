/* ranks: 1 2 */
/* Streams compared with a whole file in memory, for any slots, records and offsets:
 * writes arrive, reads return the file's bytes; and transfers are counted. */
#include "one_run.h"
#include "tap.h"

#include "base/buf.h"
#include "base/rng.h"
#include "base/scratch.h"
#include "run/stream/stream.h"
#include <sys/resource.h>

enum { SIZE = 300001, MOST = 65536, DEPTH = 4 };

static const char *const engines[] = {"posix", "threads", "uring", "null:delay_us=20"};

static struct run_options options;
static struct run run;
static struct run_file file, second;
static uint8_t *model;
static int64_t drawn;

/* ---- helpers --------------------------------------------------------------------- */

static int64_t draw(int64_t below)
{
    return (int64_t)rng_below(7, (uint64_t)drawn++, (uint64_t)below);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool stores(void)
{
    return io_engine_stores(run.engine);
}

static void begin(const char *engine, bool async)
{
    run.failed = 0;
    run.engine = engine;
    run.queues = io_engine_asynchronous(engine);
    run.async = async && run.queues;
    phase_begin(run.phase, "test", 1);
    err_clear();
}

static int open_as(struct run_file *f, const char *name, struct io_queue *q, int flags)
{
    char path[TAP_PATH], mine[64];
    snprintf(mine, sizeof mine, "%s.%d", name, run.world.rank);
    run_file_local(f, &run, tap_path(path, mine), 0, MOST, DEPTH);
    f->queue = q;
    return run_file_open(f, flags);
}

static void end(void)
{
    run_file_close(&file, false);
    phase_end(run.phase);
    err_clear();
}

static const struct phase_act *act(enum act a)
{
    return &run.phase->act[a];
}

/* ---- writing --------------------------------------------------------------------- */

/* Writes the model's first `bytes`, in pieces of all sizes. */
static void put_model(struct run_stream *s, int64_t bytes, int64_t record)
{
    for (int64_t at = run_stream_at(s), n; at < bytes; at += n) {
        bool room = record && draw(2);
        n = least(bytes - at, 1 + draw(room ? record : MOST / 3));
        if (room)
            memcpy(run_stream_room(s, n), model + at, (size_t)n);
        else
            run_stream_put(s, model + at, n);
    }
}

static bool file_is(const char *path, int64_t bytes)
{
    static uint8_t found[SIZE + MOST];
    if (!stores())
        return true;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    int64_t n = (int64_t)fread(found, 1, sizeof found, f);
    fclose(f);
    return n == bytes && !memcmp(found, model, (size_t)n);
}

static bool write_model(const char *engine, bool async, int64_t bytes,
                        struct run_stream_how how)
{
    struct run_stream *s;
    begin(engine, async);
    how.op = IO_OP_WRITE;
    if (open_as(&file, "stream", NULL, IO_WRITE | IO_CREATE) ||
        run_stream_open(&s, &file, &how))
        return false;
    put_model(s, bytes / 3, how.record);
    if (draw(2))
        run_stream_flush(s);
    put_model(s, bytes, how.record);
    run_stream_flush(s);
    run_stream_flush(s); /* it has nothing left to do */
    bool good = !run.failed && run_stream_at(s) == bytes;
    run_stream_close(&s);
    bool booked = act(ACT_WRITE)->bytes >= bytes && !act(ACT_READ)->calls;
    if (!run.io_flags)
        booked &= act(ACT_WRITE)->bytes == bytes;
    good &= booked && file_is(file.path, bytes);
    end();
    return good;
}

/* ---- reading --------------------------------------------------------------------- */

static bool read_model(const char *engine, bool async, int64_t size,
                       struct run_stream_how how)
{
    struct run_stream *s;
    const uint8_t *p;
    int64_t n, at = how.from, stop = how.bytes < 0 ? size : how.from + how.bytes;
    bool good = true;
    how.op = IO_OP_READ;
    begin(engine, async);
    if (open_as(&file, "stream", NULL, IO_READ) || run_stream_open(&s, &file, &how))
        return false;
    for (; (p = run_stream_next(s, &n)) && good; at += n) {
        bool last = at + n == stop;
        good = n > 0 && (last || !how.record || n % how.record == 0);
        good &= !stores() || !memcmp(p, model + at, (size_t)n);
    }
    good &= !n && at == stop && !run.failed && run_stream_at(s) == stop;
    run_stream_close(&s);
    int64_t bytes = act(ACT_READ)->bytes, most = run.io_flags ? 2 * IO_DIRECT_ALIGN : 0;
    good &= bytes >= stop - how.from && bytes <= stop - how.from + most;
    end();
    return good;
}

static struct run_stream_how any_how(int64_t align)
{
    int64_t slot = align > 1 ? align * (1 + draw(4)) : 64 + draw(MOST / 2);
    return (struct run_stream_how){.bytes = -1,
                                   .slot_bytes = slot,
                                   .slots = 1 + (int)draw(DEPTH),
                                   .record = draw(3) ? draw(least(slot, 500)) : slot};
}

static void remove_file(void)
{
    if (file.path[0])
        io_file_remove(MPI_COMM_NULL, file.path);
}

/* Writes a file, and reads it from offsets and to ends of all kinds. */
static bool both(const char *engine, int64_t align, int tries)
{
    bool good = true;
    for (int k = 0; k < tries && good; k++) {
        int64_t size = k ? draw(k % 3 ? SIZE : 5000) : 0;
        good = write_model(engine, k % 2, size, any_how(align));
        for (int i = 0; i < 4 && good; i++) {
            struct run_stream_how how = any_how(align);
            how.from = i ? draw(size + 1) : 0;
            how.bytes = i > 1 || !stores() ? draw(size - how.from + 1) : -1;
            good = read_model(engine, i % 2, size, how);
        }
        remove_file();
    }
    return good;
}

static void test_direct(const char *engine)
{
    run.io_flags = IO_DIRECT;
    begin(engine, false);
    bool can = !io_engine_check(engine, IO_DIRECT) &&
               !open_as(&file, "stream", NULL, IO_WRITE | IO_CREATE);
    end();
    remove_file();
    if (can)
        tap_ok(both(engine, IO_DIRECT_ALIGN, 12),
               "%s: direct, heads and tails that are no blocks", engine);
    else
        tap_skip("no direct I/O here");
    run.io_flags = 0;
    err_clear();
}

/* ---- several on one queue -------------------------------------------------------- */

/* One file is read while another one is written, with more slots than the queue has. */
static bool copy(struct io_queue *q, int64_t bytes)
{
    struct run_stream *from, *to;
    struct run_stream_how how = {
        .op = IO_OP_READ, .bytes = bytes, .slot_bytes = 5000, .slots = DEPTH};
    const void *p;
    int64_t n;
    bool good = !open_as(&file, "stream", q, IO_READ) &&
                !open_as(&second, "second", q, IO_WRITE | IO_CREATE) &&
                !run_stream_open(&from, &file, &how);
    how.op = IO_OP_WRITE;
    if (!good || run_stream_open(&to, &second, &how))
        return false;
    while ((p = run_stream_next(from, &n)))
        run_stream_put(to, p, n);
    run_stream_flush(to);
    good = !run.failed && act(ACT_READ)->bytes == bytes &&
           act(ACT_WRITE)->bytes == bytes && file_is(second.path, bytes);
    run_stream_close(&from);
    run_stream_close(&to);
    return good;
}

static void test_sharing(const char *engine)
{
    struct io_queue *q;
    bool good = write_model(engine, false, SIZE, any_how(1));
    begin(engine, true);
    good &= !run_queue_open(&run, &q, 3, MOST) && copy(q, SIZE);
    run_file_close(&second, false);
    end();
    io_queue_close(&q);
    io_file_remove(MPI_COMM_NULL, second.path);
    remove_file();
    tap_ok(good, "%s: two streams on one queue", engine);
}

/* ---- failures -------------------------------------------------------------------- */

static int64_t read_on(struct run_stream *s)
{
    int64_t n, sum = 0;
    while (run_stream_next(s, &n))
        sum += n;
    return sum;
}

/* Half of the bytes that are read ahead are never used. */
static void test_early(const char *engine)
{
    struct run_stream_how how = {
        .op = IO_OP_READ, .bytes = SIZE, .slot_bytes = 8192, .slots = DEPTH};
    struct run_stream *s;
    int64_t n;
    bool good = write_model(engine, false, SIZE, any_how(1));
    begin(engine, true);
    good &=
        !open_as(&file, "stream", NULL, IO_READ) && !run_stream_open(&s, &file, &how);
    good = good && run_stream_next(s, &n) && n == 8192;
    if (good)
        run_stream_close(&s);
    good &= !s && !run.failed && act(ACT_READ)->calls == (run.async ? DEPTH : 1);
    end();
    remove_file();
    tap_ok(good, "%s: an early close waits for what is under way, and counts it",
           engine);
}

static void test_failing(bool async)
{
    struct run_stream_how how = {
        .op = IO_OP_READ, .bytes = SIZE, .slot_bytes = 4096, .slots = 3};
    struct run_stream *s;
    begin("null:fail_every=5", async);
    bool good = !open_as(&file, "stream", NULL, IO_READ | IO_WRITE | IO_CREATE) &&
                !run_stream_open(&s, &file, &how);
    good = good && read_on(s) == 4 * 4096 && run.failed == -EIO;
    run_stream_close(&s);
    end();
    begin("null:fail_every=5", async);
    how.op = IO_OP_WRITE;
    how.record = 100;
    open_as(&file, "stream", NULL, IO_READ | IO_WRITE | IO_CREATE);
    good = good && !run_stream_open(&s, &file, &how);
    put_model(s, SIZE, 100);
    run_stream_flush(s);
    good = good && run.failed == -EIO && act(ACT_WRITE)->calls < SIZE / 4096 / 2;
    run_stream_close(&s);
    end();
    tap_ok(good && !s, "a failing device ends reading and writing%s",
           async ? ", ahead, too" : "");
}

/* The rest of the file cannot be written: RLIMIT_FSIZE. */
static void test_limit(const char *engine)
{
    struct run_stream_how how = {.op = IO_OP_WRITE, .slot_bytes = 4096, .slots = 2};
    struct rlimit before, less;
    struct run_stream *s;
    getrlimit(RLIMIT_FSIZE, &before);
    less = before;
    less.rlim_cur = 10000;
    begin(engine, true);
    bool good = !open_as(&file, "stream", NULL, IO_WRITE | IO_CREATE) &&
                !run_stream_open(&s, &file, &how);
    setrlimit(RLIMIT_FSIZE, &less);
    if (good)
        put_model(s, SIZE, 0);
    run_stream_flush(s);
    setrlimit(RLIMIT_FSIZE, &before);
    good = good && run.failed == -EFBIG && strstr(err_get()->text, "File too large");
    run_stream_close(&s);
    end();
    remove_file();
    tap_ok(good, "%s: a file size limit is a sentence", engine);
}

/* More is requested than the file has. */
static void test_cut(const char *engine, int flags)
{
    struct run_stream_how how = {
        .op = IO_OP_READ, .bytes = 20000, .slot_bytes = 8192, .slots = 2};
    struct run_stream *s;
    bool good = write_model(engine, false, 15000, any_how(1));
    run.io_flags = flags;
    begin(engine, true);
    if (open_as(&file, "stream", NULL, IO_READ) || run_stream_open(&s, &file, &how)) {
        tap_skip("no direct I/O here");
    } else {
        good &= read_on(s) == 8192 && run.failed == -EIO;
        run_stream_close(&s);
        tap_ok(good, "%s: a file that ends too early%s", engine,
               flags ? ", directly" : "");
    }
    end();
    run.io_flags = 0;
    remove_file();
}

static void test_refusals(void)
{
    struct run_stream_how how = {.slot_bytes = 2 * MOST, .slots = 2, .bytes = 10};
    struct run_stream *s;
    begin("posix", false);
    open_as(&file, "stream", NULL, IO_READ | IO_WRITE | IO_CREATE);
    bool good = run_stream_open(&s, &file, &how) == -EINVAL && !s;
    err_clear();
    run.failed = 0;
    how.slot_bytes = 100;
    how.record = 101;
    good &= run_stream_open(&s, &file, &how) == -EINVAL && run.failed == -EINVAL;
    err_clear();
    good &= io_file_cut(file.io, 77) == 0;
    struct stat st;
    good &= !stat(file.path, &st) && st.st_size == 77;
    scratch_forget(file.path);
    good &=
        io_file_cut(file.io, 5) == -EPERM && !stat(file.path, &st) && st.st_size == 77;
    err_clear();
    scratch_add(file.path);
    end();
    remove_file();
    tap_ok(good, "what does not fit is refused; only what the run made is cut");
}

/* Computing between calls does not count as transfer time. Returns the rest of the time
 * of ten transfers of 20 ms each. */
static int64_t time_left(bool *good)
{
    struct run_stream_how how = {
        .op = IO_OP_READ, .bytes = 10 * 4096, .slot_bytes = 4096, .slots = 2};
    struct run_stream *s;
    int64_t n, begin_ns;
    begin("null:delay_us=20000", true);
    bool opened = !open_as(&file, "stream", NULL, IO_READ | IO_WRITE | IO_CREATE) &&
                  !run_stream_open(&s, &file, &how);
    while (opened && run_stream_next(s, &n))
        for (begin_ns = clock_ns(); clock_ns() - begin_ns < 30000000;)
            continue;
    run_stream_close(&s);
    end();
    const struct phase_act *a = act(ACT_READ);
    *good = *good && opened && a->calls == 10 && a->latency_max_ns >= 20000000 &&
            act(ACT_COMPUTE)->ns >= 10 * INT64_C(30000000) &&
            a->submit_ns + a->wait_ns <= a->ns;
    return a->ns;
}

/* On a busy machine some of it is waiting for a core: it has to hold only once. */
static void test_time(void)
{
    int64_t left_ns = INT64_MAX;
    bool good = true;
    for (int i = 0; i < 5 && left_ns >= 180000000; i++)
        left_ns = time_left(&good);
    tap_ok(good, "what the program does between calls is computation");
    tap_ok(left_ns < 180000000, "and hides transfers: %.0f of 200 ms are left",
           (double)left_ns / 1e6);
}

static void test_engine(const char *engine)
{
    if (io_engine_check(engine, 0) || io_engine_usable(engine)) {
        tap_skip("%s: not here", engine);
        err_clear();
        return;
    }
    tap_ok(both(engine, 1, 25), "%s: written and read, in all ways", engine);
    test_sharing(engine);
    test_early(engine);
    if (!io_engine_stores(engine))
        return;
    test_direct(engine);
    test_limit(engine);
    test_cut(engine, 0);
    test_cut(engine, IO_DIRECT);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    one_run(&run, &options);
    scratch_outlive_limit();
    void *memory = NULL;
    tap_ok(!buf_alloc(&memory, SIZE, "a model") && !phase_open(&run.phase), "memory");
    model = memory;
    for (int64_t i = 0; i < SIZE; i++)
        model[i] = (uint8_t)rng_at(1, (uint64_t)i);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        test_engine(engines[i]);
    test_failing(false);
    test_failing(true);
    test_refusals();
    test_time();
    phase_close(&run.phase);
    buf_free(memory);
    return tap_end();
}
