/* ranks: 1 2 */
/* Threads of a rank that transfer, each with its own phase, failure and checks: built
 * with the thread sanitizer, it has no data races. */
#include "run/lanes.h"
#include "tap.h"
#include <pthread.h>
#include <signal.h>

enum { LANES = 4, MANY = 64, BLOCKS = 8, BLOCK = 8192, DEPTH = 2, LATE_NS = 250000000 };

static struct run_options options;
static struct run run;
static struct layout layout;
static struct run_file file[LANES];
static char *memory[LANES];
static double limit_s = 30; /* of a transfer; lower only if the wait is in vain */

/* ---- a run, by hand: nothing is reported ---------------------------------------- */

static void begin(const char *engine, bool shared, int lanes)
{
    options = (struct run_options){.cache = "flush",
                                   .verify = io_engine_stores(engine),
                                   .threads = lanes,
                                   .rank_shift = 1,
                                   .dir = getenv("LEADLINE_TMP"),
                                   .repeat = 1,
                                   .io_timeout = limit_s};
    static const struct opt_program program = {.name = "lanes"};
    run = (struct run){.options = &options,
                       .program = &program,
                       .seed = 1,
                       .id = "test",
                       .shared = shared,
                       .described = true,
                       .striped = true,
                       .engine_of = {NULL, engine}};
    run.world.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(MPI_COMM_WORLD, &run.world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.world.size);
    run.world.node_rank = run.world.rank;
    run.lanes = lanes;
    run.worker = run.world.rank * lanes;
    run.workers = run.world.size * lanes;
    layout = (struct layout){.order = shared ? LAYOUT_INTERLEAVED : LAYOUT_UNIQUE,
                             .ranks = run.workers,
                             .mats = 1,
                             .blks = BLOCKS,
                             .slot_bytes = BLOCK};
    err_clear();
    int rc = phase_open(&run.phase);
    rc = rc ? rc : run_mode(&run, RUN_SYNC, true);
    run_rep_begin(&run);
    rc = rc ? rc : run_lanes_open(&run, lanes);
    tap_ok(!rc, "%s, %s: %d lanes begin", engine, shared ? "shared" : "unique", lanes);
}

static void end(void)
{
    run_lanes_close(&run);
    phase_close(&run.phase);
    tap_ok(run.lanes == 1 && !run.team, "and end");
    err_clear();
}

static void end_phase(void)
{
    phase_end(run.phase);
    lanes_end_phase(&run);
}

static void name_files(void)
{
    for (int i = 0; i < LANES; i++)
        run_file_name(&file[i], run_lane_of(&run, i), "data", &layout, BLOCK, DEPTH);
}

static const struct phase *phase_of(int i)
{
    return lanes_phases(&run)[i];
}

/* ---- bodies of lanes ------------------------------------------------------------- */

static int64_t offset_of(const struct run_file *f, int block)
{
    return layout_at(&layout, f->place, 0, block).offset;
}

static void write_all(struct run *r, void *unused)
{
    struct run_file *f = &file[r->lane];
    (void)unused;
    for (int b = 0; b < BLOCKS; b++) {
        struct io_req req = {.op = IO_OP_WRITE,
                             .buf = memory[r->lane],
                             .offset = offset_of(f, b),
                             .bytes = BLOCK};
        run_stamp(r, req.buf, BLOCK, b, 1);
        run_transfer(f, &req, 1);
    }
}

static void read_all(struct run *r, void *unused)
{
    struct run_file *f = &file[r->lane];
    (void)unused;
    for (int b = 0; b < BLOCKS; b++) {
        struct io_req req = {.op = IO_OP_READ,
                             .buf = memory[r->lane],
                             .offset = offset_of(f, b),
                             .bytes = BLOCK};
        run_poison(r, req.buf, BLOCK);
        run_transfer(f, &req, 1);
        run_check(f, req.buf, req.offset, BLOCK, b, 1);
    }
}

static void phase(const char *name, run_lane_body *body, int flags, void *context)
{
    bool writing = flags & IO_WRITE;
    run_phase_begin(&run, name);
    for (int i = 0; i < LANES; i++)
        run_file_of(&file[i], run_shifted(run_lane_of(&run, i), writing ? 0 : 1));
    if (!run_file_open_lanes(file, LANES, flags))
        run_lanes(&run, body, context);
    run_file_close_lanes(file, LANES, writing);
    end_phase();
}

/* ---- checks ---------------------------------------------------------------------- */

static bool adds_up(const struct phase *p)
{
    int64_t parts = 0;
    for (int a = 0; a < ACT_COUNT; a++)
        parts += p->act[a].ns;
    return p->end_ns > p->begin_ns && parts == p->end_ns - p->begin_ns;
}

static bool each_has(enum act act, int64_t calls)
{
    bool all = true;
    for (int i = 0; i < LANES; i++)
        all &= adds_up(phase_of(i)) && phase_of(i)->act[act].calls == calls &&
               phase_of(i)->act[act].bytes == calls * BLOCK;
    return all;
}

static void test_transfers(const char *engine, bool shared)
{
    if (io_engine_usable(engine)) {
        tap_skip("%s: %s", engine, err_get()->text);
        err_clear();
        return;
    }
    begin(engine, shared, LANES);
    name_files();
    phase("write", write_all, IO_WRITE | IO_CREATE, NULL);
    tap_ok(!run.failed && each_has(ACT_WRITE, BLOCKS),
           "each lane has its writes, and its parts are its whole");
    tap_ok(run.cpu_ns[ACT_WRITE] > 0, "and all together their processor time");
    phase("read", read_all, IO_READ, NULL);
    tap_ok(!run.failed && each_has(ACT_READ, BLOCKS), "and its reads");
    tap_ok(run.checked == (run.verify ? LANES * BLOCKS : 0) && !run.bad,
           "of what the next worker wrote");
    tap_ok(!run_file_remove_lanes(file, LANES), "files are removed");
    end();
}

/* Lane 2 asks for more than its file was opened for. */
static void fail_one(struct run *r, void *unused)
{
    struct run_file *f = &file[r->lane];
    struct io_req req = {.op = IO_OP_WRITE,
                         .buf = memory[r->lane],
                         .offset = 0,
                         .bytes = r->lane == 2 ? BLOCK + 1 : BLOCK};
    (void)unused;
    run_transfer(f, &req, 1);
    run_transfer(f, &req, 1);
}

static void test_failure(const char *engine)
{
    begin(engine, false, LANES);
    name_files();
    phase("write", fail_one, IO_WRITE | IO_CREATE, NULL);
    struct err e = err_copy();
    tap_ok(run.failed == -EINVAL && e.lane == 2 && e.code == -EINVAL,
           "%s: the lane's failure is the rank's, and says which: %s", engine, e.text);
    tap_ok(phase_of(1)->act[ACT_WRITE].calls == 2 &&
               !phase_of(2)->act[ACT_WRITE].calls && adds_up(phase_of(2)),
           "other lanes go on, and this one's further transfers do nothing");
    run_file_remove_lanes(file, LANES);
    end();
}

/* One lane waits; the others return at once. */
static void wait_in_one(struct run *r, void *unused)
{
    struct run_file *f = &file[r->lane];
    struct io_req req = {
        .op = IO_OP_WRITE, .buf = memory[r->lane], .offset = 0, .bytes = BLOCK};
    (void)unused;
    if (r->lane == 1)
        run_transfer(f, &req, 1);
}

static void test_time_out(void)
{
    limit_s = 0.3;
    begin("null:delay_us=20000000", false, LANES);
    limit_s = 30;
    name_files();
    phase("write", wait_in_one, IO_WRITE | IO_CREATE, NULL);
    struct err e = err_copy();
    tap_ok(run.failed == -ETIMEDOUT && e.lane == 1,
           "a time-out in a lane is the run's: %s", e.text);
    tap_ok(phase_of(1)->act[ACT_WRITE].ns > LATE_NS &&
               phase_of(3)->act[ACT_IDLE].ns > LATE_NS &&
               !phase_of(3)->act[ACT_WRITE].ns,
           "it was the time of that lane, and others were idle");
    run_file_remove_lanes(file, LANES);
    end();
}

/* ---- many lanes, many turns ------------------------------------------------------ */

struct seen {
    int turns[MANY], workers[MANY];
    bool guarded[MANY], first[MANY];
    pthread_t caller;
};

static void look(struct run *r, void *context)
{
    struct seen *s = context;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    s->turns[r->lane]++;
    s->workers[r->lane] = r->worker;
    s->guarded[r->lane] = sigismember(&blocked, SIGTERM) == 1;
    s->first[r->lane] = pthread_equal(pthread_self(), s->caller);
}

static void test_many(int lanes)
{
    enum { TURNS = 50 };
    struct seen s = {.caller = pthread_self()};
    bool once = true, threads = true, numbers = true;
    begin("null", false, lanes);
    for (int i = 0; i < TURNS; i++)
        run_lanes(&run, look, &s);
    for (int i = 0; i < lanes; i++) {
        once &= s.turns[i] == TURNS;
        threads &= s.first[i] == (i == 0) && s.guarded[i] == (i > 0);
        numbers &= s.workers[i] == run.world.rank * lanes + i;
    }
    tap_ok(once, "each of %d lanes does each of %d bodies once", lanes, TURNS);
    tap_ok(threads, "lane 0 on the caller's thread, others where no signal comes");
    tap_ok(numbers, "and each is a worker of its own");
    end();
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"null", "posix", "mmap", "threads", "uring"};
    tap_start(&argc, &argv, 1);
    for (int i = 0; i < LANES; i++)
        if (posix_memalign((void **)&memory[i], 4096, BLOCK + 4096))
            return 1;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        test_transfers(engines[i], false);
        test_transfers(engines[i], true);
    }
    test_failure("null");
    test_failure("posix");
    test_failure("threads");
    test_time_out();
    test_many(1);
    test_many(MANY);
    for (int i = 0; i < LANES; i++)
        free(memory[i]);
    return tap_end();
}
