/* ranks: 1 2 */
/* A full queue: mixed kinds, completions, order, time, failures. */
#include "one_run.h"
#include "tap.h"

#include "base/clock.h"
#include "run/run.h"

enum { BLOCK = 4096, BLOCKS = 60, DEPTH = 4 };

static const char *const engines[] = {"null:delay_us=50", "posix", "threads", "uring"};

static struct run_options options;
static struct run run;
static struct run_file file;
static struct io_req req[DEPTH];
static char *buffer;

/* Observations of a test's make and done. */
static struct seen {
    bool ordered, drained, wrong, care;
    int64_t last, burn_ns;
    int made[BLOCKS], done[BLOCKS], slot[BLOCKS];
    int64_t flight_ns[2]; /* of reads, of writes */
} seen;

static void fill(char *block, int64_t i)
{
    for (int k = 0; k < BLOCK / 8; k++)
        ((int64_t *)(void *)block)[k] = i * 1000003 + k;
}

static bool is_filled(const char *block, int64_t i)
{
    char want[BLOCK] __attribute__((aligned(8)));
    fill(want, i);
    return !memcmp(want, block, BLOCK);
}

static struct io_req make(enum io_op op, int64_t i, int slot)
{
    char *block = buffer + (int64_t)slot * BLOCK;
    if (i >= 0 && i < BLOCKS) {
        seen.made[i]++;
        seen.slot[i] = slot;
    }
    memset(block, 0x55, BLOCK);
    if (op == IO_OP_WRITE)
        fill(block, i);
    return (struct io_req){
        .op = op, .buf = block, .offset = i % BLOCKS * BLOCK, .bytes = BLOCK};
}

static struct io_req make_write(const void *context, int64_t i, int slot)
{
    (void)context;
    return make(IO_OP_WRITE, i, slot);
}

static struct io_req make_read(const void *context, int64_t i, int slot)
{
    (void)context;
    return make(IO_OP_READ, i, slot);
}

/* Writes what was written before; odd requests read. */
static struct io_req make_mixed(const void *context, int64_t i, int slot)
{
    (void)context;
    return make(i % 2 ? IO_OP_READ : IO_OP_WRITE, i, slot);
}

static void burn(int64_t ns)
{
    int64_t end_ns = clock_ns() + ns;
    while (clock_ns() < end_ns)
        ;
}

static void done(void *context, const struct io_req *r, int64_t i, int slot)
{
    (void)context;
    if (i < 0 || i >= BLOCKS) {
        seen.wrong = true;
        return;
    }
    seen.done[i]++;
    seen.wrong |= r != &req[slot] || seen.slot[i] != slot || r->offset != i * BLOCK;
    if (io_engine_stores(run.engine))
        seen.wrong |= !is_filled(r->buf, i);
    seen.flight_ns[r->op == IO_OP_WRITE] += r->end_ns - r->start_ns;
    seen.ordered &= i == seen.last + 1;
    seen.last = i;
    for (int k = 0; k < file.depth && i >= DEPTH && !seen.made[BLOCKS - 1]; k++)
        seen.drained |= !req[k].start_ns;
    enum act before = seen.care ? phase_act(run.phase, ACT_CHECK) : ACT_COMPUTE;
    burn(seen.burn_ns);
    if (seen.care)
        phase_act(run.phase, before);
}

/* ---- a run without a program ----------------------------------------------------- */

static void begin(const char *engine)
{
    run.failed = 0;
    run.engine = engine;
    run.queues = io_engine_asynchronous(engine);
    memset(&seen, 0, sizeof seen);
    seen.ordered = true;
    seen.last = -1;
}

static int open_file(const char *engine, int depth, int flags)
{
    char path[TAP_PATH], name[32];
    snprintf(name, sizeof name, "queue.%d", run.world.rank);
    begin(engine);
    run_file_at(&file, &run, tap_path(path, name), false, true, (int64_t)BLOCKS * BLOCK,
                BLOCK, depth);
    phase_begin(run.phase, "test", 1);
    return run_file_open(&file, flags);
}

static void close_file(void)
{
    run_file_close(&file, false);
    phase_end(run.phase);
}

static int64_t turn(struct run_queue q)
{
    return run_queue(&file, req, &q);
}

static bool each_once(const int *count, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (count[i] != 1)
            return false;
    return true;
}

static bool adds_up(void)
{
    int64_t sum = 0;
    for (int a = 0; a < ACT_COUNT; a++)
        sum += run.phase->act[a].ns;
    return sum == run.phase->end_ns - run.phase->begin_ns;
}

/* True if visible time consists of submitting and waiting only. */
static bool is_divided(enum act a)
{
    const struct phase_act *x = &run.phase->act[a];
    return !run.queues ||
           (x->submit_ns >= 0 && x->wait_ns >= 0 && x->submit_ns + x->wait_ns == x->ns);
}

/* ---- tests ----------------------------------------------------------------------- */

static void test_done(const char *engine, int depth, bool ordered)
{
    int rc = open_file(engine, depth, IO_WRITE | IO_CREATE);
    int64_t made = turn((struct run_queue){.make = make_write, .total = BLOCKS});
    close_file();
    tap_ok(!rc && !run.failed && made == BLOCKS && each_once(seen.made, BLOCKS),
           "%s, depth %d: each block is written once", engine, depth);
    open_file(engine, depth, IO_READ);
    made = turn((struct run_queue){
        .make = make_read, .done = done, .total = BLOCKS, .ordered = ordered});
    close_file();
    tap_ok(!run.failed && made == BLOCKS && each_once(seen.done, BLOCKS) && !seen.wrong,
           "%s, depth %d: each is seen once, as it was read", engine, depth);
    tap_ok(!ordered || seen.ordered, "%s, depth %d: in order, where that is asked for",
           engine, depth);
    tap_ok(!seen.drained, "%s, depth %d: the queue stays full meanwhile", engine,
           depth);
    tap_ok(run.phase->act[ACT_READ].calls == BLOCKS &&
               run.phase->act[ACT_READ].bytes == BLOCKS * BLOCK &&
               is_divided(ACT_READ) && adds_up(),
           "%s, depth %d: booked in full", engine, depth);
}

static void test_mixed(const char *engine, run_request_done *seen_done)
{
    open_file(engine, DEPTH, IO_READ | IO_WRITE);
    turn((struct run_queue){.make = make_mixed, .done = seen_done, .total = BLOCKS});
    close_file();
    const struct phase_act *w = &run.phase->act[ACT_WRITE],
                           *r = &run.phase->act[ACT_READ];
    tap_ok(!run.failed && w->calls == BLOCKS / 2 && r->calls == BLOCKS / 2 &&
               w->bytes == BLOCKS / 2 * BLOCK && r->bytes == w->bytes,
           "%s: requests of both kinds are booked as what they are", engine);
    /* If the requests of a batch complete at once, the time has the kind of the
     * first. */
    tap_ok(w->ns >= 0 && r->ns >= 0 && w->ns + r->ns > 0 && is_divided(ACT_WRITE) &&
               is_divided(ACT_READ) && adds_up() && !seen.wrong,
           "%s: and so is their time", engine);
}

/* Alternate kinds take equally long: the time of a batch that completes at once must
 * not all go to the kind of its first request. */
static void test_shared(void)
{
    open_file("null:delay_us=2000", DEPTH, IO_READ | IO_WRITE);
    turn((struct run_queue){.make = make_mixed,
                            .done = done,
                            .total = BLOCKS,
                            .mixed = true,
                            .all_visible = true});
    close_file();
    const struct phase_act *act = run.phase->act;
    double both = (double)(act[ACT_READ].ns + act[ACT_WRITE].ns),
           flight = (double)(seen.flight_ns[0] + seen.flight_ns[1]),
           off = (double)act[ACT_READ].ns / both - (double)seen.flight_ns[0] / flight;
    tap_ok(!run.failed && run.phase->mixed && off > -0.001 && off < 0.001 &&
               is_divided(ACT_READ) && is_divided(ACT_WRITE) && adds_up(),
           "kinds that are in flight at once share the time by how long they were");
    open_file("null", DEPTH, IO_READ);
    turn((struct run_queue){.make = make_read, .total = BLOCKS});
    close_file();
    tap_ok(!run.phase->mixed, "and the next phase is none of these");
}

/* ---- several files --------------------------------------------------------------- */

static struct run_file others[2];

/* Makes even numbers for the first file, odd ones for the second. */
static struct io_req make_other(const void *op, int64_t i, int slot)
{
    struct io_req r = make(*(const enum io_op *)op, i, slot);
    r.file = others[i % 2].io;
    return r;
}

static int open_others(struct io_queue *q, int flags)
{
    int rc = 0;
    for (int k = 0; k < 2; k++) {
        char path[TAP_PATH], name[32];
        snprintf(name, sizeof name, "queue.%d.%d", run.world.rank, k);
        run_file_at(&others[k], &run, tap_path(path, name), false, true,
                    (int64_t)BLOCKS * BLOCK, BLOCK, DEPTH);
        others[k].queue = q;
        rc = run_file_open(&others[k], flags) ? -1 : rc;
    }
    return rc;
}

/* True if a file contains the bytes of a number, read past the queue. */
static bool is_in(int k, int64_t i)
{
    char block[BLOCK] __attribute__((aligned(8)));
    FILE *f = fopen(others[k].path, "r");
    bool good = f && !fseek(f, (long)i * BLOCK, SEEK_SET) &&
                fread(block, BLOCK, 1, f) == 1 && is_filled(block, i);
    if (f)
        fclose(f);
    return good;
}

static int64_t turn_others(const char *engine, enum io_op op, int flags)
{
    struct io_queue *q;
    int64_t made = 0;
    begin(engine);
    int rc = run_queue_open(&run, &q, DEPTH, BLOCK);
    phase_begin(run.phase, "test", 1);
    if (!rc && !open_others(q, flags))
        made = run_queue(&others[0], req,
                         &(struct run_queue){.make = make_other,
                                             .done = op == IO_OP_READ ? done : NULL,
                                             .context = &op,
                                             .total = BLOCKS});
    for (int k = 0; k < 2; k++)
        run_file_close(&others[k], false);
    phase_end(run.phase);
    io_queue_close(&q);
    return made;
}

static void test_several(const char *engine)
{
    int64_t made = turn_others(engine, IO_OP_WRITE, IO_WRITE | IO_CREATE);
    bool stores = io_engine_stores(engine);
    tap_ok(!run.failed && made == BLOCKS && each_once(seen.made, BLOCKS) &&
               run.phase->act[ACT_WRITE].calls == BLOCKS && adds_up(),
           "%s: two files are written through one queue", engine);
    tap_ok(!stores || (is_in(0, BLOCKS - 2) && is_in(1, BLOCKS - 1) &&
                       !is_in(0, BLOCKS - 3) && !is_in(1, BLOCKS - 2)),
           "%s: each block is in its own file", engine);
    made = turn_others(engine, IO_OP_READ, IO_READ);
    tap_ok(!run.failed && made == BLOCKS && each_once(seen.done, BLOCKS) && !seen.wrong,
           "%s: and read", engine);
    for (int k = 0; k < 2; k++)
        io_file_remove(MPI_COMM_SELF, others[k].path);
}

/* Makes requests from number 20 on, and no more than there are. */
static void test_from(const char *engine)
{
    open_file(engine, DEPTH, IO_READ);
    int64_t made = turn((struct run_queue){
        .make = make_read, .done = done, .from = 20, .total = BLOCKS - 20});
    close_file();
    tap_ok(made == BLOCKS - 20 && !seen.done[19] && !seen.wrong &&
               each_once(seen.done + 20, BLOCKS - 20),
           "%s: a queue goes on where another ended", engine);
}

static void test_time(void)
{
    open_file("null:delay_us=1000", DEPTH, IO_READ);
    int64_t made =
        turn((struct run_queue){.make = make_read, .total = -1, .limit_s = 0.05});
    close_file();
    tap_ok(made >= DEPTH && run.phase->act[ACT_READ].calls == made &&
               run.phase->act[ACT_READ].ns >= 50000000,
           "an end by time: what was under way is finished and counted");
    open_file("null", DEPTH, IO_READ);
    made = turn((struct run_queue){.make = make_read, .total = 7, .limit_s = 1000});
    close_file();
    tap_ok(made == 7, "a number ends it before its time");
    open_file("null", DEPTH, IO_READ);
    made = turn((struct run_queue){.make = make_read});
    close_file();
    tap_ok(made == 0 && !run.phase->act[ACT_READ].ns, "none are none");
}

static int64_t due(void *context, int64_t i, int64_t now_ns)
{
    (void)now_ns;
    return *(const int64_t *)context + i * 1000000;
}

/* Number i is due i ms after the beginning. */
static void test_intended_starts(const char *engine)
{
    bool stores = io_engine_stores(engine);
    open_file(engine, DEPTH, stores ? IO_WRITE | IO_CREATE : IO_WRITE);
    int64_t begin_ns = clock_ns();
    int64_t made = turn((struct run_queue){
        .due = due, .make = make_write, .context = &begin_ns, .total = BLOCKS});
    int64_t took_ns = clock_ns() - begin_ns;
    const struct phase_act *act = run.phase->act;
    tap_ok(made == BLOCKS && took_ns >= (BLOCKS - 1) * INT64_C(1000000),
           "%s: requests begin when they are due", engine);
    tap_ok(act[ACT_WRITE].calls == BLOCKS, "... and all are booked");
    begin_ns = clock_ns() - INT64_C(500000000);
    turn((struct run_queue){
        .due = due, .make = make_write, .context = &begin_ns, .total = 10});
    tap_ok(act[ACT_WRITE].latency_max_ns >= 500000000,
           "... and one that begins late has waited since then");
    begin_ns = clock_ns();
    made = turn((struct run_queue){.due = due,
                                   .make = make_write,
                                   .context = &begin_ns,
                                   .total = -1,
                                   .limit_s = 0.02});
    tap_ok(made <= 21, "... and none is begun that is due after the limit");
    close_file();
    io_file_remove(MPI_COMM_SELF, file.path);
}

static void read_burning(const char *engine, int depth, bool all_visible)
{
    if (io_engine_stores(engine)) {
        open_file(engine, depth, IO_WRITE | IO_CREATE);
        turn((struct run_queue){.make = make_write, .total = BLOCKS});
        close_file();
    }
    open_file(engine, depth, IO_READ);
    seen.burn_ns = 200000;
    seen.care = all_visible;
    turn((struct run_queue){
        .make = make_read, .done = done, .total = BLOCKS, .all_visible = all_visible});
    close_file();
    io_file_remove(MPI_COMM_SELF, file.path);
}

/* The time of done() is at least the burnt one; upper bounds would depend on the
 * machine. */
static void test_whose_time_it_is(void)
{
    int64_t burnt_ns = BLOCKS * INT64_C(200000);
    const struct phase_act *act = run.phase->act;
    for (int k = 0; k < 2; k++) {
        const char *engine = k ? "posix" : "null:delay_us=5000";
        read_burning(engine, DEPTH, false);
        tap_ok(act[ACT_COMPUTE].ns >= burnt_ns && adds_up() && is_divided(ACT_READ),
               "%s: with done() the rest computes", engine);
    }
    read_burning("null:delay_us=5000", DEPTH, true);
    tap_ok(act[ACT_READ].ns >= burnt_ns * 3 / 4 &&
               act[ACT_READ].ns > act[ACT_CHECK].ns && adds_up() &&
               is_divided(ACT_READ),
           "care for blocks is time of transfers that go on meanwhile");
    read_burning("null", 1, true);
    tap_ok(act[ACT_CHECK].ns >= burnt_ns && adds_up(),
           "and is not where none are under way");
    open_file("null", 1, IO_READ);
    seen.burn_ns = 200000;
    turn((struct run_queue){
        .make = make_read, .done = done, .total = BLOCKS, .brief = true});
    close_file();
    tap_ok(act[ACT_READ].ns >= burnt_ns && adds_up(), "a brief done() is, anywhere");
    run.fs.in_memory = true;
    read_burning("posix", DEPTH, true);
    tap_ok(act[ACT_CHECK].ns >= burnt_ns && adds_up(),
           "nor with an engine that is synchronous, if files are in memory");
    run.fs.in_memory = false;
    read_burning("posix", DEPTH, true);
    tap_ok(act[ACT_READ].ns >= burnt_ns && adds_up(),
           "else it is, as the kernel reads ahead meanwhile");
    run.io_flags = IO_DIRECT;
    file.without = IO_DIRECT;
    tap_ok(run_goes_on(&file), "a file that the page cache has is the kernel's");
    file.without = 0;
    tap_ok(!run_goes_on(&file), "one that is past it is not");
    run.io_flags = 0;
    tap_ok(run.cpu_ns[ACT_READ] >= 0, "processor time is that of transfers");
}

static void test_failures(void)
{
    open_file("null:fail_every=10", DEPTH, IO_READ);
    int64_t made = turn((struct run_queue){
        .make = make_read, .done = done, .total = BLOCKS, .ordered = true});
    tap_ok(run.failed && made < 10 + 2 * DEPTH && !seen.done[9] && seen.last < 9,
           "a request fails: no more are made, and none is seen from there on");
    tap_ok(turn((struct run_queue){.make = make_read, .total = BLOCKS}) == 0,
           "a run that has failed makes none");
    err_clear();
    close_file();
    err_clear();
    open_file("null", DEPTH, IO_READ);
    file.depth = 1 << 20;
    turn((struct run_queue){.make = make_read, .total = BLOCKS});
    tap_ok(run.failed && strstr(err_get()->text, "is the most"),
           "a depth beyond all measure is refused");
    file.depth = DEPTH;
    close_file();
    run.failed = 0;
    err_clear();
}

/* Rank 0 is ten times as fast; both learn what it has done. */
static void test_wear_out(void)
{
    open_file(run.world.rank ? "null:delay_us=5000" : "null:delay_us=500", DEPTH,
              IO_READ);
    run.made = 0;
    turn((struct run_queue){.make = make_read, .total = -1, .limit_s = 0.05});
    int64_t mine = run.made, most = run_wear_out(&run), least = most;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    tap_ok(mine > 0 && most >= mine && least == most && run.limit.reached &&
               run.limit.bytes[0] == mine * BLOCK && run.limit.ns[0] >= 50000000,
           "all know what the fastest has done by the limit");
    turn((struct run_queue){.make = make_read, .from = mine, .total = most - mine});
    close_file();
    tap_ok(run.made == most && run.phase->act[ACT_READ].calls == most && adds_up(),
           "and do as much");
}

static void test_untimed(void)
{
    open_file("null:delay_us=500", DEPTH, IO_READ);
    turn((struct run_queue){.make = make_read,
                            .done = done,
                            .total = BLOCKS,
                            .untimed = true,
                            .all_visible = true});
    close_file();
    tap_ok(run.phase->act[ACT_READ].ns == 0 && run.phase->act[ACT_READ].calls == 0 &&
               run.phase->act[ACT_CHECK].ns >= BLOCKS / DEPTH * 500000 && adds_up() &&
               each_once(seen.done, BLOCKS),
           "an untimed queue is care for blocks, and nothing is booked");
}

static void test_engine(const char *engine)
{
    if (io_engine_check(engine, 0) || io_engine_usable(engine)) {
        tap_skip("%s: not here", engine);
        err_clear();
        return;
    }
    test_intended_starts(engine);
    for (int depth = 1; depth <= DEPTH; depth += DEPTH - 1)
        for (int ordered = 0; ordered < 2; ordered++) {
            test_done(engine, depth, ordered);
            if (depth == DEPTH && ordered) {
                test_mixed(engine, NULL);
                test_mixed(engine, done);
                test_from(engine);
            }
            io_file_remove(MPI_COMM_SELF, file.path);
        }
    test_several(engine);
}

/* On a device with 20 ms, the delay is waiting and not submitting. */
static void test_visible_time(void)
{
    open_file("null:delay_us=20000", 1, IO_READ);
    struct io_req one = make(IO_OP_READ, 0, 0);
    run_transfer(&file, &one, 1);
    close_file();
    const struct phase_act *read = &run.phase->act[ACT_READ];
    tap_ok(read->calls == 1 && read->wait_ns >= 15000000 && adds_up() &&
               read->submit_ns + read->wait_ns <= read->ns,
           "the delay is waited for (%lld ns)", (long long)read->wait_ns);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    one_run(&run, &options);
    buffer = aligned_alloc(BLOCK, (size_t)DEPTH * BLOCK);
    tap_ok(buffer && !phase_open(&run.phase), "memory");
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        test_engine(engines[i]);
    test_time();
    test_shared();
    test_whose_time_it_is();
    test_failures();
    test_wear_out();
    test_untimed();
    test_visible_time();
    phase_close(&run.phase);
    free(buffer);
    return tap_end();
}
