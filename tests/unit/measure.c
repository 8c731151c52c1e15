/* ranks: 1 2 4 */
/* Phases as the report would have reduced them, and the figures, sums and warnings that
 * a run makes of them. Here the test takes the place of the report and of lanes. */
#include "one_run.h"
#include "run/inside.h"
#include "run/lanes.h"
#include "tap.h"

#include <stdarg.h>

enum { MOST = 64 };
static struct {
    char name[64], unit[8];
    double value;
} told[MOST];
static int figures, warnings;
static char warning[1024];
static struct report_rate next; /* what the report finds */
static int64_t calls;           /* of lanes' reads */

/* ---- in place of others ---------------------------------------------------------- */

void report_figure_at(struct report *r, const char *name, const struct report_at *at,
                      const char *unit, const char *better, const char *formula,
                      double value)
{
    bool lower = !strcmp(unit, "s") || !strcmp(unit, "us") || !strcmp(unit, "%");
    (void)r, (void)at, (void)formula;
    if (strcmp(better, lower ? "lower" : "higher") || figures == MOST)
        tap_diag("%s is better %s", name, better);
    else {
        snprintf(told[figures].name, sizeof told[0].name, "%s", name);
        snprintf(told[figures].unit, sizeof told[0].unit, "%s", unit);
        told[figures++].value = value;
    }
}

void report_warning(struct report *r, const char *code, const char *fmt, ...)
{
    va_list ap;
    size_t n = (size_t)snprintf(warning, sizeof warning, "%s: ", code);
    (void)r;
    va_start(ap, fmt);
    vsnprintf(warning + n, sizeof warning - n, fmt, ap);
    va_end(ap);
    warnings++;
}

void report_result(struct report *r, const char *name, const double *x, int n)
{
    report_figure_at(r, name, NULL, "1", "higher", "", x[n - 1]);
}

int report_phases(struct report *r, const struct phase *const p[], int n,
                  const struct report_at *at, struct report_rate *rate)
{
    (void)r, (void)p, (void)n, (void)at;
    *rate = next;
    return 0;
}

double report_rate_read_MBps(const struct report_rate *rate)
{
    return rate->read_bytes ? 11 : NAN;
}

double report_rate_write_MBps(const struct report_rate *rate)
{
    return rate->write_bytes ? 12 : NAN;
}

double report_rate_phase_MBps(const struct report_rate *rate)
{
    return rate->read_bytes + rate->write_bytes ? 13 : NAN;
}

void lanes_begin_phase(struct run *r, const char *name)
{
    (void)r, (void)name;
}

void lanes_end_phase(struct run *r)
{
    (void)r;
}

int64_t lanes_calls(struct run *r, enum act a)
{
    (void)r;
    return a == ACT_READ ? calls : 0;
}

const struct phase *const *lanes_phases(struct run *r)
{
    return (const struct phase *const *)&r->phase;
}

void live_phase(struct run *r, const char *name)
{
    (void)r, (void)name;
}

void run_storage_rates(struct run *of, const struct report_rate *rate)
{
    (void)of, (void)rate;
}

/* ---- points ---------------------------------------------------------------------- */

static struct run r;
static struct run_options options;

/* A phase of which the report finds `rate`. */
static void phase_of(const char *name, struct report_rate rate)
{
    figures = warnings = 0;
    next = rate;
    run_phase_begin(&r, name);
    run_phase_end(&r);
}

static void has(const char *name, const char *unit, double value)
{
    int i = 0;
    while (i < figures && strcmp(told[i].name, name))
        i++;
    double found = i < figures ? told[i].value : NAN;
    tap_ok(i < figures && !strcmp(told[i].unit, unit) &&
               fabs(found - value) <= 1e-9 * fabs(value),
           "%s is %g %s (%g)", name, value, unit, found);
}

static void are(int n, const char *what)
{
    tap_ok(figures == n, "%s has %d figures (%d)", what, n, figures);
}

static const struct report_rate reading = {.wall_s = 10,
                                           .read_s = 4,
                                           .compute_s = 3,
                                           .check_s = 2,
                                           .visible_s = 5,
                                           .submit_s = 0.5,
                                           .wait_s = 1.5,
                                           .io_s = 6,
                                           .read_bytes = 1000,
                                           .device_read_bytes = 600,
                                           .read_latency = {1e-3, 2e-3, 3e-3, 4e-3}};

static void test_figures_of_a_phase(void)
{
    phase_of("R", reading);
    has("R.read_MBps", "MB/s", 11);
    has("R.phase_MBps", "MB/s", 13);
    has("R.wall_s", "s", 10);
    are(3, "a phase of reads");
    r.latencies = r.io_shares = r.async = true;
    phase_of("R", reading);
    has("R.read_p50_us", "us", 1000);
    has("R.read_p99_us", "us", 2000);
    has("R.read_p999_us", "us", 3000);
    has("R.read_max_us", "us", 4000);
    has("R.io_share", "%", 60);
    has("R.submit_s", "s", 0.5);
    has("R.wait_s", "s", 1.5);
    has("R.compute_s", "s", 3);
    are(11, "one with latencies and shares");
    phase_of("N", (struct report_rate){.wall_s = 1, .io_s = 0.5});
    are(2, "one that moves nothing");
    r.latencies = r.io_shares = r.async = false;
    r.samples_only = true;
    phase_of("R", reading);
    are(0, "a program with figures of its own");
    r.samples_only = false;
}

/* Rank k wrote 1000 (k + 1) bytes in 20 - k ns, and read nothing by then. */
static void test_limit(void)
{
    figures = 0;
    next = reading;
    run_phase_begin(&r, "T");
    r.limit = (struct run_limit){.reached = true,
                                 .bytes = {0, 1000 * (r.world.rank + 1)},
                                 .ns = {5, 20 - r.world.rank}};
    run_phase_end(&r);
    int n = r.world.size;
    if (r.world.rank == 0)
        has("T.limit_write_MBps", "MB/s", 1e3 * 1000 * (n * (n + 1) / 2.) / 20);
    else
        tap_ok(1, "rank 0 has it");
    if (r.world.rank == 0)
        are(4, "a phase with a limit");
    else
        tap_ok(1, "rank 0 has them");
}

static void rates_are(double read_s, double write_s, int64_t read, int64_t written,
                      double wall_s, const char *what)
{
    const struct run_rates *t = &r.rates;
    tap_ok(t->read_s == read_s && t->write_s == write_s && t->read_bytes == read &&
               t->write_bytes == written && t->wall_s == wall_s,
           "%s: %lld bytes in %g s, %lld in %g s, %g s in all", what,
           (long long)t->read_bytes, t->read_s, (long long)t->write_bytes, t->write_s,
           t->wall_s);
}

/* Phases of both kinds add up; one with both at once, one with pauses and one aside
 * count in no rate. */
static void test_rates(void)
{
    struct report_rate writing = {.wall_s = 7,
                                  .write_s = 1,
                                  .write_sync_s = 2,
                                  .write_bytes = 4000000,
                                  .device_read_bytes = -1};
    r.origin.read_bytes = r.origin.device_read_bytes = r.all_read_bytes = 0;
    run_rep_begin(&r);
    phase_of("R", reading);
    phase_of("W", writing);
    phase_of("W", writing);
    rates_are(4, 4, 1000, 8000000, 24, "three phases");
    r.cpu_ns[ACT_WRITE] = 5;
    figures = 0;
    next = reading;
    next.mixed = true;
    run_phase_begin(&r, "M");
    r.cpu_ns[ACT_WRITE] = 9;
    run_phase_end(&r);
    rates_are(4, 4, 1000, 8000000, 34, "and one of both kinds at once");
    tap_ok(r.cpu_ns[ACT_WRITE] == 5 && warnings == 0, "nor does its processor time");
    writing.paused = true;
    phase_of("P", writing);
    rates_are(4, 4, 1000, 8000000, 41, "and one with pauses");
    tap_ok(warnings == 1 && !strncmp(warning, "pauses_hide_io:", 15), "which warns");
    r.aside = true;
    phase_of("A", reading);
    r.aside = false;
    rates_are(4, 4, 1000, 8000000, 41, "and one aside");
    tap_ok(r.all_read_bytes == 3000 && r.origin.read_bytes == 2000 &&
               r.origin.device_read_bytes == 1200,
           "bytes that were read, without those aside");
    next = reading;
    next.device_read_bytes = -1;
    phase_of("R", next);
    phase_of("R", reading);
    tap_ok(r.origin.device_read_bytes == -1, "device bytes that are not known once");
    figures = 0;
    run_rep_end(&r);
    has("write_MBps", "MB/s", 2);
    has("read_MBps", "MB/s", 3000 / 12e6);
    has("wall_s", "s", 61);
    are(3, "a repetition");
    run_rep_begin(&r);
    rates_are(0, 0, 0, 0, 0, "the next one begins with nothing");
    tap_ok(r.cpu_ns[ACT_WRITE] == 0, "nor processor time");
}

/* Between transfers the kernel may go on, but with direct I/O or in memory. */
static void test_beside(void)
{
    struct report_rate both = reading;
    both.write_bytes = 500;
    both.write_sync_s = 7;
    r.engine = "posix";
    r.flush = true;
    memset(r.beside, 0, sizeof r.beside);
    phase_of("R", both);
    tap_ok(r.beside[0].bytes == 1000 && r.beside[0].moved_s == 4 &&
               r.beside[0].other_s == 5 && r.beside[1].bytes == 500 &&
               r.beside[1].moved_s == 7 && r.beside[1].other_s == 5,
           "seconds of transfers, and of computing and checking");
    both.mixed = true;
    phase_of("M", both);
    phase_of("R", reading);
    tap_ok(r.beside[0].moved_s == 4 + 5 + 4 && r.beside[1].moved_s == 7 + 5 &&
               r.beside[1].other_s == 10,
           "both kinds at once have the seconds of both");
    for (int i = 0; i < 4; i++) {
        r.io_flags = i == 0 ? IO_DIRECT : 0;
        r.fs.in_memory = i == 1;
        r.flush = i != 2;
        r.async = i == 3;
        phase_of("R", reading);
    }
    r.async = false;
    tap_ok(r.beside[0].bytes == 3000, "direct I/O, memory, kept pages and transfers "
                                      "beside computing leave no such time");
    r.engine = NULL;
    r.flush = false;
}

static void test_what_was_moved(void)
{
    r.last = (struct report_rate){.read_bytes = 10, .write_bytes = 20};
    tap_ok(!run_moved(&r, "R", "f", 10, 20) && !run_moved(&r, "R", "f", -1, 20) &&
               !run_moved(&r, "R", "f", 10, -1) && !run_moved(&r, "R", "f", -1, -1),
           "bytes as expected, or of which nothing is expected");
    tap_ok(run_moved(&r, "R", "f", 11, 20) &&
               strstr(err_get()->text, "read 10 bytes") &&
               strstr(err_get()->text, "expected 11"),
           "%s", err_get()->text);
    err_clear();
    tap_ok(run_moved(&r, "W", "f", 10, 21) &&
               strstr(err_get()->text, "written 20 bytes, expected 21"),
           "%s", err_get()->text);
    err_clear();
    r.last.read_bytes = 0;
    tap_ok(run_moved(&r, "R", "f", 0, 0), "none were expected, some came");
    err_clear();
}

/* Submitting takes eight tenths of 2.5 s: at depth 8 it is 2.4 transfers at once. */
static void held_by(int looked, int held, int64_t submit_ms, int64_t wait_ms, int depth)
{
    warnings = 0;
    next = reading;
    run_phase_begin(&r, "H");
    r.held = (struct run_held){.looked = looked, .held = held, .depth = depth};
    phase_visible(r.phase, ACT_READ, submit_ms * 1000000, 0);
    phase_visible(r.phase, ACT_WRITE, 0, wait_ms * 1000000);
    run_phase_end(&r);
}

static void test_held(void)
{
    r.engine = "uring";
    held_by(8, 6, 2000, 500, 8);
    tap_ok(warnings == 1 && !strncmp(warning, "depth_without_effect:", 21) &&
               strstr(warning, "queue depth 8") && strstr(warning, "about 2.4 ") &&
               strstr(warning, "(80 %"),
           "a kernel that holds the caller: %s", warning);
    r.async = true;
    held_by(8, 6, 2000, 500, 8);
    tap_ok(!strncmp(warning, "not_asynchronous:", 17), "in the asynchronous mode");
    r.async = false;
    held_by(7, 7, 2000, 500, 8);
    tap_ok(warnings == 0, "too few were looked at");
    held_by(8, 5, 2000, 500, 8);
    tap_ok(warnings == 0, "too few were held");
    held_by(8, 8, 1000, 1000, 8);
    tap_ok(warnings == 0, "4.5 of 8 are in flight");
    held_by(8, 8, 1000, 0, 2);
    tap_ok(warnings == 1, "1 of 2 is half of them");
    r.engine = NULL;
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    one_run(&r, &options);
    tap_ok(phase_open(&r.phase) == 0, "a phase");
    r.fs.in_memory = false;
    test_figures_of_a_phase();
    test_limit();
    test_rates();
    test_beside();
    test_what_was_moved();
    test_held();
    phase_close(&r.phase);
    return tap_end();
}
