/* ranks: 1 */
/* Soundings in order, in memory and through runs, against qsort(3); and what is left
 * behind: nothing. */
#include "tap.h"

#include "base/err.h"
#include "hydro/pfm.h"
#include "local_run.h"
#include "pfmload/store/sorter.h"
#include "pfmload/store/spill.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEGABYTE (1 << 20)
#define MOST 400000 /* soundings of a test */

static struct pfm_sounding source[MOST], expected[MOST], result[MOST];
static struct run run;
static const struct spill_io io = {.run = &run};
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

/* One bin with half of all, the others anywhere that 64 bits reach, ends included. */
static void make_skewed(int64_t n)
{
    static const int64_t ends[] = {INT64_MIN, -1, 0, INT64_MAX};
    for (int64_t i = 0; i < n; i++) {
        uint64_t any = draw(UINT64_MAX) << 32 | draw(UINT64_MAX) >> 8;
        int64_t bin = i % 2 ? 3 : i % 8 ? (int64_t)any : ends[draw(4)];
        source[i] = sounding((int64_t)draw(1 << 22), bin);
    }
}

/* Whole soundings again and again. */
static void make_equal(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        source[i] = (struct pfm_sounding){.bin = i % 3, .ping = 1, .beam = 1};
}

/* All that differs is what no key has. */
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
static int add_all(struct sorter *s, int64_t n)
{
    int rc = 0;
    for (int64_t i = 0, some; i < n && !rc; i += some) {
        some = (int64_t)draw(5000);
        some = some < n - i ? some : n - i;
        rc = sorter_add(s, source + i, some);
    }
    return rc ? rc : sorter_finish(s);
}

/* Takes all into `result`. Returns what was wrong, or NULL. */
static const char *take_all(struct sorter *s, int64_t n)
{
    const struct pfm_sounding *bin;
    int64_t taken = 0, some, memory = sorter_counts(s)->memory_bytes, before = 0;
    for (;; taken += some, before = some) {
        if (sorter_next(s, &bin, &some))
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
    if (sorter_next(s, &bin, &some) || some)
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
    struct sorter *s;
    const char *wrong = "an error";
    int fd = first_free_fd();
    make(n);
    memcpy(expected, source, (size_t)n * sizeof *source);
    qsort(expected, (size_t)n, sizeof *expected, compare);
    local_run(&run);
    if (sorter_open(&s, memory, scratch, &io) == 0)
        wrong = add_all(s, n) ? "an error" : take_all(s, n);
    tap_ok(!wrong, "%lld soundings, %s, in %lld KiB: %s", (long long)n, what,
           (long long)memory / 1024, wrong ? wrong : "as qsort(3) has them");
    const struct sorter_counts *c = sorter_counts(s);
    bool fits = n * (int64_t)sizeof *source < memory - memory / 16 - 32768;
    tap_ok(c->soundings == n && c->passes == passes && !c->runs == fits &&
               c->memory_bytes <= memory &&
               c->spilled_bytes ==
                   (fits ? 0 : n * (int64_t)sizeof *source * (1 + passes)),
           "%lld runs, %lld passes, %lld bytes written", (long long)c->runs,
           (long long)c->passes, (long long)c->spilled_bytes);
    const struct phase_act *read = &run.phase->act[ACT_READ];
    const struct phase_act *written = &run.phase->act[ACT_WRITE];
    tap_ok(read->bytes == c->spilled_bytes && written->bytes == c->spilled_bytes &&
               read->calls >= c->runs * (1 + (passes > 0)) && written->calls >= c->runs,
           "each write and read of a run is booked: %lld and %lld of them",
           (long long)written->calls, (long long)read->calls);
    sorter_close(&s);
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
        {"equal keys", make_equal_keys},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        test_order(kinds[k].name, kinds[k].make, 100000, 5 * MEGABYTE, 0);
        test_order(kinds[k].name, kinds[k].make, 100000, MEGABYTE, 0);
        test_order(kinds[k].name, kinds[k].make, 100000, SORTER_MEMORY_MIN, 1);
    }
    test_order("random", make_random, MOST, SORTER_MEMORY_MIN, 2);
    test_order("random", make_random, 0, SORTER_MEMORY_MIN, 0);
    test_order("random", make_random, 1, SORTER_MEMORY_MIN, 0);
    test_order("random", make_random, 200, SORTER_MEMORY_MIN, 0);
}

/* ---- memory --------------------------------------------------------------------- */

static int64_t peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 128 MB of soundings through 1 MiB; 1 where memory grows by more than 16 MB. */
static int stream(void *arg)
{
    const struct pfm_sounding *bin;
    struct sorter *s;
    int64_t before = peak_kilobytes(), n = 4000000, some, taken = 0;
    (void)arg;
    if (sorter_open(&s, MEGABYTE, scratch, &io))
        return 2;
    for (int64_t i = 0; i < n; i++) {
        struct pfm_sounding one = sounding(i, (int64_t)draw(100000));
        if (sorter_add(s, &one, 1))
            return 2;
    }
    if (sorter_finish(s))
        return 2;
    do {
        if (sorter_next(s, &bin, &some))
            return 2;
        taken += some;
    } while (some);
    sorter_close(&s);
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

/* A sorter that has written runs; NULL where it cannot. */
static struct sorter *spilled(void)
{
    struct sorter *s;
    make_random(10000);
    if (sorter_open(&s, SORTER_MEMORY_MIN, scratch, &io) ||
        sorter_add(s, source, 10000) || !sorter_counts(s)->runs)
        sorter_close(&s);
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
    struct sorter *s = spilled();
    tap_ok(s && access(first_file, F_OK) < 0 && first_free_fd() > fd,
           "runs are in a file that has no name");
    sorter_close(&s);
    tap_ok(first_free_fd() == fd, "which is closed with the sorter");
    sorter_close(&s);
    int status = tap_child(spill_and_die, NULL, out, sizeof out);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
               access(first_file, F_OK) < 0,
           "a process that is killed leaves no file");
}

/* Returns what err_get() says, and forgets it. */
static struct err failure(void)
{
    struct err e = *err_get();
    err_clear();
    run.failed = 0;
    return e;
}

/* As on a full disk: part of a run is written, and the rest is refused. */
static int too_large(void *arg)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct sorter *s;
    (void)arg;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    make_random(10000);
    if (sorter_open(&s, SORTER_MEMORY_MIN, scratch, &io))
        return 1;
    int rc = sorter_add(s, source, 10000);
    struct err e = failure();
    sorter_close(&s);
    return rc == -EFBIG && e.code == -EFBIG && !strcmp(e.file, first_file) &&
                   e.offset == 100000 && strstr(e.text, "cannot be written")
               ? 0
               : 1;
}

static void test_failures(void)
{
    char out[256];
    const struct pfm_sounding *bin;
    struct sorter *s;
    int rc = sorter_open(&s, SORTER_MEMORY_MIN - 1, scratch, &io);
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

    fd = first_free_fd(); /* what runs are written to */
    s = spilled();
    int64_t some = 1;
    for (rc = s ? sorter_finish(s) || ftruncate(fd, 100) : 1; !rc && some;)
        rc = sorter_next(s, &bin, &some);
    struct err e = failure();
    tap_ok(rc == -EIO && !strcmp(e.file, first_file) && strstr(e.text, "read back"),
           "a file that lost its end is named");
    sorter_close(&s);
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
    phase_close(&run.phase);
    return tap_end();
}
