/* ranks: 1 */
/* Soundings and packets in order, in memory and through runs, compared with qsort(3);
 * and no files are left behind. */
#include "tap.h"

#include "hydro/pfm.h"
#include "local_run.h"
#include "pfmload/store/batch.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define MEGABYTE (1 << 20)
#define MOST 400000 /* soundings of a test */

static struct pfm_sounding source[MOST], expected[MOST], result[MOST];
static struct run run;
static const struct sorted_io io = {.run = &run};
static char scratch[TAP_PATH], first_file[TAP_PATH + 8];

/* ---- soundings ------------------------------------------------------------------ */

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 20) % below;
}

static struct pfm_sounding sounding(int64_t i, int64_t bin)
{
    return (struct pfm_sounding){.bin = bin,
                                 .file = (uint32_t)(i / 100000),
                                 .ping = (uint32_t)(i / 100 % 1000 + 1),
                                 .beam = (uint16_t)(i % 100 + 1),
                                 .depth = (uint32_t)draw(1u << 26),
                                 .validity = (uint32_t)draw(4),
                                 .line = (uint16_t)draw(3),
                                 .x = (uint16_t)draw(256),
                                 .y = (uint16_t)draw(256)};
}

static void make_random(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = sounding((int64_t)draw((uint64_t)n), (int64_t)draw(5000));
}

static void make_ordered(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = sounding(i, i / 10);
}

static void make_reversed(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = sounding(n - i, (n - i) / 10);
}

static void make_one_bin(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = sounding((int64_t)draw(1 << 22), 17);
}

/* Makes one bin with half of all, the others anywhere within 64 bits, extremes
 * included. */
static void make_skewed(int64_t n)
{
    static const int64_t ends[] = {INT64_MIN, -1, 0, INT64_MAX};
    for (int64_t i = 0; i < n; i++) {
        uint64_t any = draw(UINT64_MAX) << 32 | draw(UINT64_MAX) >> 8;
        int64_t bin = i % 2 ? 3 : i % 8 ? (int64_t)any : ends[draw(4)];
        source[i] = sounding((int64_t)draw(1 << 22), bin);
    }
}

/* Makes soundings in order except for their bins, as in surveys, and bins far apart. */
static void make_far_bins(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = sounding(i, ((int64_t)draw(3000) - 1500) * (INT64_C(1) << 40));
}

/* Makes the same soundings again and again. */
static void make_equal(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = (struct pfm_sounding){.bin = i % 3, .ping = 1, .beam = 1};
}

/* Makes soundings that differ only outside their keys. */
static void make_equal_keys(int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        source[i] = sounding(0, 1);
        source[i].beam = (uint16_t)draw(2);
    }
}

#define COMPARE(field)                                                                 \
    if (x->field != y->field)                                                          \
    return x->field < y->field ? -1 : 1

static int compare(const void *a, const void *b)
{
    const struct pfm_sounding *x = a, *y = b;
    COMPARE(bin);
    COMPARE(file);
    COMPARE(ping);
    COMPARE(beam);
    COMPARE(line);
    COMPARE(x);
    COMPARE(y);
    COMPARE(depth);
    COMPARE(validity);
    return 0;
}

/* ---- the result ----------------------------------------------------------------- */

/* Adds n of `source` in uneven portions. */
static int add_all(struct extsort *s, int64_t n)
{
    int rc = 0;
    for (int64_t i = 0, some; i < n && !rc; i += some) {
        some = (int64_t)draw(5000);
        some = some < n - i ? some : n - i;
        rc = extsort_add(s, source + i, some);
    }
    return rc ? rc : extsort_finish(s);
}

/* Takes all into `result`. Returns the error, or NULL. */
static const char *take_all(struct extsort *s, int64_t n)
{
    const struct pfm_sounding *bin;
    int64_t taken = 0, some, memory = extsort_counts(s).memory_bytes, before = 0;
    for (;; taken += some, before = some) {
        bin = extsort_group(s, 0, &some);
        if (run.failed)
            return "an error";
        if (!some)
            break;
        if (taken + some > n)
            return "more soundings than were added";
        if (bin[0].bin != bin[some - 1].bin)
            return "soundings of several bins at once";
        if (taken && result[taken - 1].bin == bin->bin &&
            before * (int64_t)sizeof *bin < memory / 8 - 4096 * 2)
            return "a bin that fits came in pieces";
        memcpy(result + taken, bin, (size_t)some * sizeof *bin);
    }
    if (taken < n)
        return "fewer soundings than were added";
    extsort_group(s, 0, &some);
    if (run.failed || some)
        return "soundings after the end";
    return memcmp(result, expected, (size_t)n * sizeof *result) ? "another order"
                                                                : NULL;
}

static int first_free_fd(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

static void test_order(const char *what, void (*make)(int64_t n), int64_t n,
                       int64_t memory, int64_t passes)
{
    struct extsort *s;
    const char *wrong = "an error";
    int fd = first_free_fd();
    make(n);
    memcpy(expected, source, (size_t)n * sizeof *source);
    qsort(expected, (size_t)n, sizeof *expected, compare);
    local_run(&run);
    if (sorted_soundings(&s, memory, scratch, &io) == 0)
        wrong = add_all(s, n) ? "an error" : take_all(s, n);
    tap_ok(!wrong, "%lld soundings, %s, in %lld KiB: %s", (long long)n, what,
           (long long)memory / 1024, wrong ? wrong : "as qsort(3) has them");
    const struct extsort_counts c = extsort_counts(s);
    bool fits = n * (int64_t)sizeof *source < memory - memory / 16 - 32768;
    tap_ok(c.records == n && c.passes == passes && !c.runs == fits &&
               c.memory_bytes <= memory &&
               c.write_bytes == (fits ? 0 : n * (int64_t)sizeof *source * (1 + passes)),
           "%lld runs, %lld passes, %lld bytes written", (long long)c.runs,
           (long long)c.passes, (long long)c.write_bytes);
    const struct phase_act *read = &run.phase->act[ACT_READ];
    const struct phase_act *written = &run.phase->act[ACT_WRITE];
    tap_ok(read->bytes == c.write_bytes && written->bytes == c.write_bytes &&
               read->calls >= c.runs * (1 + (passes > 0)) && written->calls >= c.runs,
           "each write and read of a run is booked: %lld and %lld of them",
           (long long)written->calls, (long long)read->calls);
    extsort_close(&s);
    tap_ok(!s && first_free_fd() == fd, "it is closed, and its files are");
}

static void test_orders(void)
{
    static const struct {
        const char *name;
        void (*make)(int64_t n);
    } kinds[] = {
        {"random", make_random},         {"in order", make_ordered},
        {"reversed", make_reversed},     {"all of one bin", make_one_bin},
        {"a huge bin", make_skewed},     {"all equal", make_equal},
        {"equal keys", make_equal_keys}, {"bins far apart", make_far_bins},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        test_order(kinds[k].name, kinds[k].make, 100000, 5 * MEGABYTE, 0);
        test_order(kinds[k].name, kinds[k].make, 100000, MEGABYTE, 0);
        test_order(kinds[k].name, kinds[k].make, 100000, SORTED_MEMORY_MIN, 1);
    }
    test_order("random", make_random, MOST, SORTED_MEMORY_MIN, 2);
    test_order("random", make_random, 0, SORTED_MEMORY_MIN, 0);
    test_order("random", make_random, 1, SORTED_MEMORY_MIN, 0);
    test_order("random", make_random, 200, SORTED_MEMORY_MIN, 0);
}

/* ---- memory --------------------------------------------------------------------- */

static int64_t peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Sorts 128 MB of soundings through 1 MiB; returns 1 if memory grows by more than 16
 * MB. */
static int stream(void *arg)
{
    struct extsort *s;
    int64_t before = peak_kilobytes(), n = 4000000, some, taken = 0;
    (void)arg;
    if (sorted_soundings(&s, MEGABYTE, scratch, &io))
        return 2;
    for (int64_t i = 0; i < n; i++) {
        struct pfm_sounding one = sounding(i, (int64_t)draw(100000));
        if (extsort_add(s, &one, 1))
            return 2;
    }
    if (extsort_finish(s))
        return 2;
    do {
        extsort_group(s, 0, &some);
        if (run.failed)
            return 2;
        taken += some;
    } while (some);
    extsort_close(&s);
    return taken != n ? 3 : peak_kilobytes() - before > 16384;
}

static void test_memory(void)
{
    char out[256];
    int status = tap_child(stream, NULL, out, sizeof out);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "128 MB of soundings go through 1 MiB of memory (status %d)", status);
}

/* ---- files ---------------------------------------------------------------------- */

/* Returns a sorter that has written runs; NULL: it failed. */
static struct extsort *spilled(void)
{
    struct extsort *s;
    make_random(10000);
    if (sorted_soundings(&s, SORTED_MEMORY_MIN, scratch, &io) ||
        extsort_add(s, source, 10000) || !extsort_counts(s).runs)
        extsort_close(&s);
    return s;
}

static int spill_and_die(void *arg)
{
    (void)arg;
    if (spilled())
        raise(SIGKILL);
    return 1;
}

static void test_files(void)
{
    char out[256];
    int fd = first_free_fd();
    struct extsort *s = spilled();
    tap_ok(s && access(first_file, F_OK) < 0 && first_free_fd() > fd,
           "runs are in a file that has no name");
    extsort_close(&s);
    tap_ok(first_free_fd() == fd, "which is closed with the sorter");
    extsort_close(&s);
    int status = tap_child(spill_and_die, NULL, out, sizeof out);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
               access(first_file, F_OK) < 0,
           "a process that is killed leaves no file");
}

/* Returns the failure of err_get(), and forgets it. */
static struct err failure(void)
{
    struct err e = *err_get();
    err_clear();
    run.failed = 0;
    return e;
}

/* Fails as on a full disk: part of a run is written, and the rest is refused. */
static int too_large(void *arg)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct extsort *s;
    (void)arg;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    make_random(10000);
    if (sorted_soundings(&s, SORTED_MEMORY_MIN, scratch, &io))
        return 1;
    int rc = extsort_add(s, source, 10000);
    struct err e = failure();
    extsort_close(&s);
    return rc == -EFBIG && e.code == -EFBIG && !strcmp(e.file, first_file) &&
                   e.offset == 100000 && strstr(e.text, "cannot be written")
               ? 0
               : 1;
}

static void test_failures(void)
{
    char out[256];
    struct extsort *s;
    int rc = sorted_soundings(&s, 8192, scratch, &io);
    tap_ok(rc == -EINVAL && !s && failure().code == rc, "too little memory is refused");

    int status = tap_child(too_large, NULL, out, sizeof out);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a file that cannot grow is named, and the offset");

    int fd = open(first_file, O_CREAT | O_WRONLY, 0600);
    s = spilled();
    tap_ok(fd >= 0 && !s && failure().code == -EEXIST && access(first_file, F_OK) == 0,
           "a file that is there already is left as it is");
    close(fd);
    unlink(first_file);

    fd = first_free_fd(); /* descriptor of the runs */
    s = spilled();
    int64_t some = 1;
    for (rc = s ? extsort_finish(s) || ftruncate(fd, 100) : 1; !rc && some;) {
        extsort_group(s, 0, &some);
        rc = run.failed;
    }
    struct err e = failure();
    tap_ok(rc == -EIO && !strcmp(e.file, first_file) && strstr(e.text, "read back"),
           "a file that lost its end is named");
    extsort_close(&s);
}

/* ---- packets --------------------------------------------------------------------- */

/* Makes a packet with its key, followed by its number of arrival in all words. */
static void make_packet(uint8_t *packet, int64_t bytes, uint64_t key, uint64_t number)
{
    memcpy(packet, &key, sizeof key);
    for (int64_t i = 8; i < bytes; i += 8)
        memcpy(packet + i, &number, sizeof number);
}

static uint64_t word(const uint8_t *packet, int64_t at)
{
    uint64_t w;
    memcpy(&w, packet + at, sizeof w);
    return w;
}

struct pair {
    uint64_t key, number;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Adds n packets, in calls of a few, and writes the expected result to `should`. */
static int add_packets(struct extsort *s, int64_t bytes, int64_t n, uint64_t keys,
                       struct pair *should)
{
    enum { FEW = 7 };
    uint8_t *few = calloc(FEW, (size_t)bytes);
    uint64_t random = 88172645463325252;
    int rc = 0;
    for (int64_t i = 0; i < n && !rc; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        should[i] = (struct pair){(random % keys) << 16, (uint64_t)i};
        make_packet(few + i % FEW * bytes, bytes, should[i].key, (uint64_t)i);
        if (i % FEW == FEW - 1 || i == n - 1)
            rc = extsort_add(s, few, i % FEW + 1);
    }
    free(few);
    qsort(should, (size_t)n, sizeof *should, by_key);
    return rc;
}

static int64_t wrong_packets(struct extsort *s, int64_t bytes, int64_t n,
                             const struct pair *should)
{
    const uint8_t *packet;
    int64_t bad = 0, i = 0;
    while ((packet = extsort_record(s, 0)) && i < n) {
        bad += word(packet, 0) != should[i].key;
        bad += word(packet, 8) != should[i].number;
        bad += word(packet, bytes - 8) != should[i].number;
        i++;
    }
    return bad + n - i + (packet != NULL);
}

static void test_packets_of(const char *what, int64_t bytes, int64_t n, uint64_t keys,
                            bool runs, bool passes)
{
    struct pair *should = calloc((size_t)n + 1, sizeof *should);
    struct extsort *s = NULL;
    int rc = sorted_packets(&s, bytes, MEGABYTE, scratch, &io);
    rc = rc ? rc : add_packets(s, bytes, n, keys, should);
    rc = rc ? rc : extsort_finish(s);
    int64_t bad = rc ? -1 : wrong_packets(s, bytes, n, should);
    const struct extsort_counts c = extsort_counts(s);
    tap_ok(!rc && !bad, "%s: %lld packets of %lld bytes are sorted", what, (long long)n,
           (long long)bytes);
    tap_ok((c.runs > 0) == runs && (c.passes > 0) == passes && c.records == n,
           "%s: runs %lld, merges before the last %lld", what, (long long)c.runs,
           (long long)c.passes);
    tap_ok(!passes == (c.write_bytes <= n * bytes), "%s: %lld bytes were written", what,
           (long long)c.write_bytes);
    extsort_close(&s);
    free(should);
}

static void test_packets(void)
{
    local_run(&run);
    test_packets_of("none", 112, 0, 1, false, false);
    test_packets_of("one", 112, 1, 1, false, false);
    test_packets_of("in memory", 112, 6000, 900, false, false);
    test_packets_of("all equal", 112, 5000, 1, false, false);
    test_packets_of("far apart", 112, 5000, UINT64_C(1) << 47, false, false);
    test_packets_of("runs", 112, 50000, 5000, true, false);
    test_packets_of("runs of equals", 32, 80000, 3, true, false);
    test_packets_of("many runs", 112, 700000, 90000, true, true);
    test_packets_of("large ones", 65544, 500, 90, true, true);
    struct extsort *s;
    tap_ok(sorted_packets(&s, 112, MEGABYTE, "/no/such/folder/runs", &io) == 0,
           "a scratch file is made when it is needed");
    uint8_t packet[112] = {0};
    int rc = 0;
    for (int i = 0; i < 20000 && !rc; i++)
        rc = extsort_add(s, packet, 1);
    tap_ok(rc < 0 && err_get()->code == rc &&
               strstr(err_get()->file, "/no/such/folder"),
           "and where it cannot be, that is said");
    extsort_close(&s);
    failure();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(scratch, "runs");
    snprintf(first_file, sizeof first_file, "%s.0", scratch);
    local_run(&run);
    test_memory();
    test_orders();
    test_files();
    test_failures();
    test_packets();
    phase_close(&run.phase);
    return tap_end();
}
