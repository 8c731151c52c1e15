/* Processor time per sounding of pfmload's sorter, in memory and with runs on disk, and
 * of qsort(3) on the same soundings. Serial, a measurement, not a test.
 *
 *     bench/sorter [SOUNDINGS [ROUNDS [SCRATCH]]]
 *
 * SCRATCH is where runs go; with it memory is an eighth of what the soundings take.
 * Times are of adding, finishing and taking all bins, the least of all rounds: what
 * else the machine does can only add to it. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "hydro/pfm.h"
#include "pfmload/store/batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES ((int64_t)sizeof(struct pfm_sounding))
#define ADDED 4096 /* soundings at once */
#define TABLES (4 << 20)

static uint64_t state = 88172645463325252u; /* xorshift, the same on every machine */

static int64_t draw(int64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)below);
}

/* Where soundings come from; they always come by file, ping and beam. */
static int64_t random_bin(int64_t i, int64_t n)
{
    (void)i;
    return draw(n / 8 + 1);
}

static int64_t ordered_bin(int64_t i, int64_t n)
{
    (void)n;
    return i / 8;
}

static int64_t reversed_bin(int64_t i, int64_t n)
{
    return (n - i) / 8;
}

/* Lines back and forth, half a swath apart: 256 beams over 200 columns, 8 pings to a
 * row. */
static int64_t survey_bin(int64_t i, int64_t n)
{
    int64_t ping = i / 256, line = ping / 4000, along = ping % 4000 / 8;
    (void)n;
    return (line % 2 ? 499 - along : along) * 65536 + line * 100 + i % 256 * 200 / 256 +
           draw(3);
}

static int64_t one_bin(int64_t i, int64_t n)
{
    (void)i, (void)n;
    return 7;
}

static const struct {
    const char *name;
    int64_t (*bin)(int64_t i, int64_t n);
    int shuffled; /* pings are random too */
} cases[] = {
    {"random bins", random_bin, 0},
    {"survey lines", survey_bin, 0},
    {"in order", ordered_bin, 0},
    {"bins reversed", reversed_bin, 0},
    {"one bin, in order", one_bin, 0},
    {"one bin, random", one_bin, 1},
    {"random bins and pings", random_bin, 1},
};

static void make(struct pfm_sounding *s, int64_t n, int k)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t j = cases[k].shuffled ? draw(n) : i, ping = j / 256;
        s[i] = (struct pfm_sounding){.bin = cases[k].bin(i, n),
                                     .file = (uint32_t)(ping / 20000),
                                     .ping = (uint32_t)(ping % 20000 + 1),
                                     .beam = (uint16_t)(j % 256 + 1),
                                     .depth = (uint32_t)draw(100000)};
    }
}

static int less(const struct pfm_sounding *a, const struct pfm_sounding *b)
{
    if (a->bin != b->bin)
        return a->bin < b->bin;
    if (a->file != b->file)
        return a->file < b->file;
    if (a->ping != b->ping)
        return a->ping < b->ping;
    return a->beam < b->beam;
}

static int compare(const void *a, const void *b)
{
    return less(b, a) - less(a, b);
}

static void fail(void)
{
    err_print(stderr, "bench/sorter", err_get());
    exit(1);
}

/* CPU and wall nanoseconds of one sort. */
static void once(const struct pfm_sounding *from, int64_t n, int64_t memory,
                 const char *scratch, double best[2])
{
    const struct pfm_sounding *bin;
    struct extsort *s;
    int64_t some = 1, taken = 0;
    static struct run_options options;
    static struct run run = {.options = &options, .engine = "posix", .lanes = 1};
    const struct sorted_io io = {.run = &run};
    if (!run.phase && phase_open(&run.phase))
        fail();
    if (sorted_soundings(&s, memory, scratch, &io))
        fail();
    int64_t cpu = clock_cpu_ns(), wall = clock_ns();
    for (int64_t i = 0; i < n; i += some) {
        some = n - i < ADDED ? n - i : ADDED;
        if (extsort_add(s, from + i, some))
            fail();
    }
    if (extsort_finish(s))
        fail();
    for (int64_t got = 1; got > 0; taken += got)
        bin = extsort_group(s, 0, &got);
    (void)bin;
    cpu = clock_cpu_ns() - cpu, wall = clock_ns() - wall;
    best[0] = best[0] > 0 && best[0] < (double)cpu ? best[0] : (double)cpu;
    best[1] = best[1] > 0 && best[1] < (double)wall ? best[1] : (double)wall;
    if (taken != n)
        exit(2);
    extsort_close(&s);
}

static double reference(const struct pfm_sounding *from, struct pfm_sounding *to,
                        int64_t n)
{
    memcpy(to, from, (size_t)(n * BYTES));
    int64_t cpu = clock_cpu_ns();
    qsort(to, (size_t)n, sizeof *to, compare);
    return (double)(clock_cpu_ns() - cpu);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 8000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    void *from, *to;
    if (n < 1 || buf_alloc(&from, n * BYTES, "soundings") ||
        buf_alloc(&to, n * BYTES, "soundings"))
        return 1;
    printf("%lld soundings, ns each: processor in memory; processor, wall with runs; "
           "qsort\n",
           (long long)n);
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
        double memory[2] = {0}, disk[2] = {0}, each = 1 / (double)n;
        make(from, n, k);
        for (int round = 0; round < rounds; round++) {
            once(from, n, n * BYTES + TABLES, "unused", memory);
            if (argc > 3)
                once(from, n, n * BYTES / 8 + TABLES, argv[3], disk);
        }
        printf("%-22s %6.1f %7.1f %7.1f %7.1f\n", cases[k].name, memory[0] * each,
               disk[0] * each, disk[1] * each, reference(from, to, n) * each);
        fflush(stdout);
    }
    buf_free(from);
    buf_free(to);
    return 0;
}
