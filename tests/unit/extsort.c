/* ranks: 1 */
/* The external sort compared with the sort of an index in memory: lanes, passes, parts,
 * equal keys, engines, and runs that have changed. */
#include "extsort/extsort.h"
#include "base/rng.h"
#include "local_run.h"
#include "run/lanes.h"
#include "tap.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { LANES = 3, MOST = 1 << 24, KIB = 1024, ANY = -1 };

struct trial {
    const char *what;
    struct sort_order order;
    int64_t n;
    uint64_t values; /* different values of a byte of a key */
    int lanes, merge_lanes;
    int64_t memory, merge_bytes;
    bool unknown; /* the number of records is not known */
    int64_t passes;
    bool in_memory;
    int64_t parts; /* parts of each merging lane; 0: 1 */
};

static char source[MOST], expected[MOST], result[MOST];
static struct sort_entry entry[MOST / 16];
static struct run run;
static const char *engine = "posix";
static int io_flags;
static bool async;
static char scratch[TAP_PATH], first_file[TAP_PATH + 8];

static const struct trial *trial;
static struct extsort *sorter;
static atomic_int_least64_t came, taken_part, total;
static void (*between)(void); /* does something to the runs */

/* ---- a run ----------------------------------------------------------------------- */

static void begin(int lanes)
{
    err_clear();
    local_run(&run);
    run.engine = engine;
    run.io_flags = io_flags;
    run.async = async;
    run.queues = io_engine_asynchronous(engine);
    if (run_lanes_open(&run, lanes))
        abort();
    lanes_begin_phase(&run, "test");
}

static int64_t moved(enum act a)
{
    int64_t bytes = 0;
    for (int i = 0; i < run.lanes; i++)
        bytes += lanes_phases(&run)[i]->act[a].bytes;
    return bytes;
}

/* True if this engine can make a scratch file. */
static bool can_open(void)
{
    struct run_file file;
    begin(1);
    run_file_beside(&file, &run, first_file, 4096, 1);
    bool can = !run_file_open(&file, IO_READ | IO_WRITE | IO_CREATE);
    run_file_close(&file, false);
    io_file_remove(MPI_COMM_NULL, first_file);
    run_lanes_close(&run);
    return can;
}

/* ---- lanes ----------------------------------------------------------------------- */

static void add_all(void)
{
    for (int64_t some; came < trial->n; came += some) {
        some = 1 + came % 777;
        some = some < trial->n - came ? some : trial->n - came;
        if (extsort_add(sorter, source + came * trial->order.bytes, some))
            return;
    }
}

static void sort_lane(struct run *r, void *context)
{
    struct extsort_section x;
    int64_t bytes = trial->order.bytes;
    (void)context;
    if (trial->unknown && trial->lanes == 1) {
        add_all();
        return;
    }
    while (extsort_take(sorter, r->lane, &x)) {
        int64_t left = trial->n - x.first;
        bool more = left > 0;
        /* records need not begin with the room */
        x.room = (char *)x.room + x.number % 3 * 24;
        x.records = left < x.records ? (more ? left : 0) : x.records;
        memcpy(x.room, source + (more ? x.first : 0) * bytes,
               (size_t)(x.records * bytes));
        came += x.records;
        extsort_run(sorter, r->lane, &x);
        if (!more)
            return;
    }
}

static void merge_lane(struct run *r, void *context)
{
    int64_t first, some = 1, bytes = trial->order.bytes, part;
    int *parts = context;
    while (r->lane < trial->merge_lanes && (part = taken_part++) < *parts)
        if (!extsort_part(sorter, r->lane, (int)part, &first))
            while ((some = extsort_next(sorter, r->lane, result + first * bytes,
                                        1 + first % 97)) > 0) {
                first += some;
                total += some;
            }
}

/* ---- trials ---------------------------------------------------------------------- */

static void make(const struct trial *t)
{
    int64_t bytes = t->order.bytes;
    for (int64_t i = 0; i < t->n * bytes; i++)
        source[i] =
            (char)(rng_below(7, (uint64_t)i, t->values) * 255 / (t->values - 1));
    for (int64_t i = 0; i < t->n; i++) /* a record's number, after the key */
        memcpy(source + (i + 1) * bytes - 4, &i, 4);
    sort_index(&t->order, source, t->n, entry);
    sort_gather(&t->order, source, entry, t->n, t->n, expected);
    memset(result, 1, (size_t)(t->n * bytes));
    came = taken_part = total = 0;
}

static struct extsort_how how_of(const struct trial *t)
{
    return (struct extsort_how){.order = t->order,
                                .lanes = t->lanes,
                                .merge_lanes = t->merge_lanes,
                                .memory_bytes = t->memory,
                                .merge_bytes = t->merge_bytes,
                                .scratch = scratch};
}

static void sort_all(const struct trial *t)
{
    int64_t n = t->unknown ? -1 : t->n;
    int parts = t->merge_lanes * (int)(t->parts ? t->parts : 1);
    if (extsort_begin(sorter, n))
        return;
    run_lanes(&run, sort_lane, NULL);
    if (between && !run.failed)
        between();
    if (!run.failed && !extsort_plan(sorter, parts))
        run_lanes(&run, merge_lane, &parts);
}

static int open_trial(const struct trial *t)
{
    struct extsort_how how = how_of(t);
    trial = t;
    make(t);
    begin(t->lanes);
    return extsort_open(&sorter, &run, &how, t->unknown ? -1 : t->n);
}

static void close_trial(void)
{
    extsort_close(&sorter);
    run_lanes_close(&run);
}

static bool as_expected(const struct trial *t, const struct extsort_counts *c)
{
    struct extsort_how how = how_of(t);
    struct extsort_counts e;
    if (extsort_expect(&run, &how, t->n, &e))
        return false;
    return t->unknown ||
           (c->runs == e.runs && c->passes == e.passes &&
            c->write_bytes == e.write_bytes && c->memory_bytes == e.memory_bytes);
}

static void test(const struct trial *t)
{
    int rc = open_trial(t);
    for (int round = 0; round < 2 && !rc; round++) { /* the sorter can be used again */
        int64_t read = moved(ACT_READ), written = moved(ACT_WRITE);
        came = taken_part = total = 0;
        sort_all(t);
        struct extsort_counts c = extsort_counts(sorter);
        tap_ok(!run.failed && came == t->n && total == t->n && c.records == t->n &&
                   !memcmp(result, expected, (size_t)(t->n * t->order.bytes)),
               "%s: %lld records in order", t->what, (long long)total);
        tap_ok((c.passes == t->passes || t->passes == ANY) && !c.runs == t->in_memory &&
                   as_expected(t, &c),
               "%s: %lld runs, %lld passes, %lld bytes of memory", t->what,
               (long long)c.runs, (long long)c.passes, (long long)c.memory_bytes);
        read = moved(ACT_READ) - read;
        written = moved(ACT_WRITE) - written;
        tap_ok(read == c.read_bytes && written == c.write_bytes &&
                   written >= (c.runs ? t->n * t->order.bytes * (1 + c.passes) : 0),
               "%s: %lld of %lld bytes read, %lld of %lld written", t->what,
               (long long)read, (long long)c.read_bytes, (long long)written,
               (long long)c.write_bytes);
        extsort_end(sorter);
    }
    tap_ok(!rc, "%s: it is opened", t->what);
    if (run.failed || rc)
        err_print(stderr, "extsort", err_get());
    close_trial();
}

#define TEN                                                                            \
    {                                                                                  \
        .kind = SORT_BYTES, .bytes = 100, .key_bytes = 10                              \
    }
#define FLOATS                                                                         \
    {                                                                                  \
        .kind = SORT_FLOATS, .bytes = 132, .key_bytes = 128                            \
    }
#define LONG                                                                           \
    {                                                                                  \
        .kind = SORT_BYTES, .bytes = 300, .key_at = 3, .key_bytes = 290                \
    }
#define LARGE                                                                          \
    {                                                                                  \
        .kind = SORT_BYTES, .bytes = 70004, .key_bytes = 8                             \
    }

static void test_all(void)
{
    /* Name, order, records, values of a byte, lanes, merging lanes, memory. */
    static const struct trial all[] = {
        {"none", TEN, 0, 256, 1, 1, 256 * KIB, .in_memory = true},
        {"none, 3 lanes", TEN, 0, 256, 3, 3, 256 * KIB, .in_memory = true,
         .unknown = true},
        {"one", TEN, 1, 256, 3, 3, 256 * KIB, .in_memory = true},
        {"in memory", TEN, 20000, 256, 1, 1, 3000 * KIB, .in_memory = true},
        {"in memory of 3 lanes", TEN, 20000, 256, 3, 3, 4000 * KIB, .in_memory = true},
        {"equal ones in memory", TEN, 20000, 2, 3, 3, 4000 * KIB, .in_memory = true,
         .parts = 3},
        {"added, in memory", TEN, 5000, 256, 1, 1, 1024 * KIB, .in_memory = true,
         .unknown = true},
        {"runs", TEN, 100000, 256, 1, 1, 1024 * KIB, .parts = 1},
        {"runs of 3 lanes", TEN, 60000, 256, 3, 3, 2048 * KIB, .parts = 1},
        {"runs of 3 lanes, many parts", TEN, 60000, 256, 3, 3, 2048 * KIB, .parts = 5},
        {"runs of 3 lanes, merged by 1", TEN, 60000, 256, 3, 1, 2048 * KIB, .parts = 1},
        {"unknown, 3 lanes", TEN, 60000, 256, 3, 3, 2048 * KIB, .unknown = true},
        {"added", TEN, 60000, 256, 1, 1, 1024 * KIB, .unknown = true},
        {"equal ones", TEN, 60000, 2, 3, 3, 2048 * KIB, .parts = 3},
        {"a pass", TEN, 100000, 256, 1, 1, 1024 * KIB, .passes = 1,
         .merge_bytes = 200 * KIB},
        {"passes of 3 lanes", TEN, 150000, 3, 3, 3, 1024 * KIB, .passes = 2,
         .merge_bytes = 64 * KIB},
        {"passes by 1", TEN, 150000, 3, 3, 1, 1024 * KIB, .passes = 2,
         .merge_bytes = 200 * KIB},
        {"numbers", FLOATS, 30000, 5, 3, 3, 2048 * KIB, .parts = 1},
        {"long keys", LONG, 15000, 2, 3, 3, 2048 * KIB, .parts = 2},
        {"large ones", LARGE, 200, 256, 1, 1, 2048 * KIB, .parts = 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        test(&all[i]);
}

/* ---- engines --------------------------------------------------------------------- */

static void test_engine(const char *name, bool ahead, int flags)
{
    static const struct trial few = {.what = "3 lanes",
                                     .order = TEN,
                                     .n = 60000,
                                     .values = 4,
                                     .lanes = 3,
                                     .merge_lanes = 3,
                                     .memory = 2048 * KIB,
                                     .parts = 2,
                                     .passes = ANY};
    struct trial passes = few;
    engine = name;
    async = ahead;
    io_flags = flags;
    passes.what = "passes of 3 lanes";
    passes.merge_bytes = 64 * KIB;
    tap_diag("%s%s", name, flags ? ", direct" : "");
    if (io_engine_check(name, flags) || !can_open()) {
        tap_skip("%s%s cannot be used here", name, flags ? ", direct," : "");
    } else {
        test(&few);
        test(&passes);
    }
    engine = "posix";
    async = false;
    io_flags = 0;
    err_clear();
}

/* ---- files and failures ---------------------------------------------------------- */

static const struct trial alone = {.what = "one lane",
                                   .order = TEN,
                                   .n = 60000,
                                   .values = 256,
                                   .lanes = 1,
                                   .merge_lanes = 1,
                                   .memory = 1024 * KIB};
static int runs_fd;

static int first_free_fd(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

/* Sorts, does something to the runs before the merge, and returns the failure. */
static struct err fails(void (*what)(void))
{
    between = what;
    runs_fd = first_free_fd(); /* descriptor of the runs */
    if (!open_trial(&alone))
        sort_all(&alone);
    between = NULL;
    struct err e = *err_get();
    e.code = run.failed ? e.code : 0;
    close_trial();
    tap_ok(first_free_fd() == runs_fd && access(first_file, F_OK) < 0,
           "no file is left");
    return e;
}

static void change_a_byte(void)
{
    char byte;
    if (pread(runs_fd, &byte, 1, 50050) == 1) {
        byte ^= 1;
        if (pwrite(runs_fd, &byte, 1, 50050) != 1)
            abort();
    }
}

/* Swaps blocks: the order of keys may not show it. */
static void misplace_a_block(void)
{
    char block[4096];
    if (pread(runs_fd, block, sizeof block, 0) != sizeof block ||
        pwrite(runs_fd, block, sizeof block, 8192) != sizeof block)
        abort();
}

static void cut_the_file(void)
{
    if (ftruncate(runs_fd, 100000))
        abort();
}

static void test_changes(void)
{
    struct err e = fails(change_a_byte);
    tap_ok(e.code == -EIO && strstr(e.text, "run 1 of") && e.offset >= 0 &&
               e.offset <= 50050 && !strcmp(e.file, first_file),
           "a byte that was changed: %s, from %lld", e.text, (long long)e.offset);
    e = fails(misplace_a_block);
    tap_ok(e.code == -EIO && strstr(e.text, "run 1 of"), "a misplaced block");
    e = fails(cut_the_file);
    tap_ok(e.code == -EIO && strstr(e.text, "cannot be read back") &&
               strstr(e.text, "run "),
           "a file that lost its end: %s", e.text);
}

/* Fails in each of several lanes, as on a full disk. */
static void test_too_large(void)
{
    struct rlimit limit, before;
    struct trial t = alone;
    t.lanes = t.merge_lanes = LANES;
    t.memory *= 2;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 100000;
    int fd = first_free_fd();
    int rc = open_trial(&t);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!rc)
        sort_all(&t);
    setrlimit(RLIMIT_FSIZE, &before);
    struct err e = *err_get();
    tap_ok(!rc && run.failed == -EFBIG && e.code == -EFBIG &&
               !strcmp(e.file, first_file) && strstr(e.text, "cannot be written") &&
               strstr(e.text, "more memory"),
           "where runs cannot be written it is said what to do: %s", e.text);
    close_trial();
    tap_ok(access(first_file, F_OK) < 0 && first_free_fd() == fd, "no file is left");
}

static void test_files(void)
{
    struct extsort_how how = how_of(&alone);
    how.keep = true;
    trial = &alone;
    make(&alone);
    begin(1);
    int rc = extsort_open(&sorter, &run, &how, alone.n);
    if (!rc)
        sort_all(&alone);
    close_trial();
    tap_ok(!rc && !run.failed && !access(first_file, F_OK), "runs can be kept");
    unlink(first_file);
    how = how_of(&alone);
    how.memory_bytes = 16384;
    begin(1);
    rc = extsort_open(&sorter, &run, &how, alone.n);
    tap_ok(rc == -EINVAL && !sorter && strstr(err_get()->text, "memory"),
           "too little memory is refused");
    close_trial();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(scratch, "runs");
    snprintf(first_file, sizeof first_file, "%s.0", scratch);
    test_too_large();
    test_files();
    test_all();
    test_engine("posix", false, IO_DIRECT);
    test_engine("threads", true, 0);
    test_engine("uring", true, 0);
    test_engine("mmap", false, 0);
    test_changes();
    phase_close(&run.phase);
    return tap_end();
}
