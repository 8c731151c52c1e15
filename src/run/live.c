/* --live: shows what rank 0 has transferred while it runs, as a line on stderr and a
 * row of a CSV each S seconds, for its own lanes, so that a stalled device shows before
 * the run ends. A thread of its own writes them: the transferring threads could say
 * nothing during a stall, and the watchdog's thread must not wait for a terminal or a
 * file system. It reads counters that lanes keep only for it, and calls no MPI. */
#include "base/err.h"
#include "base/thread.h"
#include "base/units.h"
#include "run/inside.h"
#include "run/lanes.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64 }; /* bytes of a cache line */

struct sums { /* reads, writes */
    int64_t bytes[2], calls[2], longest_ns[2];
};

struct run_live {
    struct phase_live lane[RUN_LANES_MAX];
    const char *name; /* the program's */
    int lanes;        /* rank 0's */
    bool quiet;
    FILE *csv; /* NULL: no --live-csv */
    int64_t interval_ns, begin_ns, last_ns;
    struct sums before; /* counts of the last line */
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t wake;
    bool ended;
    char phase[16];
    int rep;
};

/* ---- lines ------------------------------------------------------------------- */

/* The counts since the last call. It resets the longest latencies, so that each
 * interval has its own. */
static struct sums live_take(struct run_live *l)
{
    struct sums now, since;
    memset(&now, 0, sizeof now);
    for (int k = 0; k < RUN_LANES_MAX; k++)
        for (int i = 0; i < 2; i++) {
            struct phase_live *x = &l->lane[k];
            now.bytes[i] += __atomic_load_n(&x->bytes[i], __ATOMIC_RELAXED);
            now.calls[i] += __atomic_load_n(&x->calls[i], __ATOMIC_RELAXED);
            int64_t ns = __atomic_load_n(&x->longest_ns[i], __ATOMIC_RELAXED);
            if (ns)
                ns = __atomic_exchange_n(&x->longest_ns[i], 0, __ATOMIC_RELAXED);
            now.longest_ns[i] = ns > now.longest_ns[i] ? ns : now.longest_ns[i];
        }
    since = now;
    for (int i = 0; i < 2; i++) {
        since.bytes[i] -= l->before.bytes[i];
        since.calls[i] -= l->before.calls[i];
    }
    l->before = now;
    return since;
}

static int put_moved(char *out, size_t room, const char *what, const struct sums *s,
                     int i, double seconds)
{
    char longest[16];
    if (!s->calls[i])
        return 0;
    return snprintf(out, room, ", %s %.1f MB/s (%lld transfer%s, longest %s)", what,
                    (double)s->bytes[i] / seconds / 1e6, (long long)s->calls[i],
                    units_s(s->calls[i]),
                    units_seconds(longest, (double)s->longest_ns[i] / 1e9));
}

/* The activity of rank 0 while no transfer completes. A sync of any lane
 * comes first. */
static const char *doing(const struct run_live *l)
{
    static const struct {
        enum act act;
        const char *text;
    } row[] = {{ACT_SYNC, "no transfer was completed: rank 0 syncs"},
               {ACT_READ, "nothing was completed"},
               {ACT_WRITE, "nothing was completed"},
               {ACT_OPEN_CLOSE, "no transfer was completed: rank 0 opens or closes"},
               {ACT_CHECK, "no transfer was completed: rank 0 checks"},
               {ACT_COMMUNICATE, "no transfer was completed: rank 0 communicates"},
               {ACT_IDLE, "no transfer was completed: rank 0 waits for other ranks"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < l->lanes; k++)
            if (__atomic_load_n(&l->lane[k].act, __ATOMIC_RELAXED) == row[i].act)
                return row[i].text;
    return "no transfer was completed: rank 0 computes";
}

static void put_line(const struct run_live *l, const char *phase, int rep,
                     const struct sums *s, double at_s, double seconds)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s: live %.1f s, %s %d", l->name, at_s, phase,
                     rep);
    n += put_moved(text + n, sizeof text - (size_t)n, "read", s, 0, seconds);
    n += put_moved(text + n, sizeof text - (size_t)n, "write", s, 1, seconds);
    if (!s->calls[0] && !s->calls[1])
        snprintf(text + n, sizeof text - (size_t)n, ", %s", doing(l));
    fprintf(stderr, "%s\n", text);
}

static void put_row(FILE *csv, const char *phase, int rep, const struct sums *s,
                    double at_s, double seconds)
{
    fprintf(csv, "%.6f,%.6f,%s,%d", at_s, seconds, phase, rep);
    for (int i = 0; i < 2; i++)
        fprintf(csv, ",%lld,%.6f,%lld,%.9f", (long long)s->bytes[i],
                (double)s->bytes[i] / seconds / 1e6, (long long)s->calls[i],
                (double)s->longest_ns[i] / 1e9);
    fputc('\n', csv);
    fflush(csv);
}

/* Writes a line without holding the lock: no phase waits for a terminal. */
static void live_tell(struct run_live *l)
{
    char phase[sizeof l->phase];
    int rep = l->rep;
    memcpy(phase, l->phase, sizeof phase);
    pthread_mutex_unlock(&l->lock);
    int64_t now_ns = clock_ns();
    double seconds = (double)(now_ns - l->last_ns) / 1e9;
    double at_s = (double)(now_ns - l->begin_ns) / 1e9;
    l->last_ns = now_ns;
    struct sums s = live_take(l);
    if (!l->quiet)
        put_line(l, phase, rep, &s, at_s, seconds);
    if (l->csv)
        put_row(l->csv, phase, rep, &s, at_s, seconds);
    pthread_mutex_lock(&l->lock);
}

/* ---- the thread ---------------------------------------------------- */

static void *tell_all(void *live)
{
    enum { SECOND_NS = 1000000000 };
    struct run_live *l = live;
    int64_t next_ns = l->begin_ns;
    pthread_mutex_lock(&l->lock);
    while (!l->ended) {
        next_ns += l->interval_ns;
        struct timespec until = {next_ns / SECOND_NS, next_ns % SECOND_NS};
        int rc = 0;
        while (!l->ended && !rc)
            rc = pthread_cond_timedwait(&l->wake, &l->lock, &until);
        live_tell(l);
        next_ns = next_ns > clock_ns() ? next_ns : clock_ns();
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static int start(struct run_live *l)
{
    pthread_condattr_t attr;
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&attr); /* clock_ns has the same clock */
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&l->wake, &attr);
    pthread_condattr_destroy(&attr);
    l->begin_ns = l->last_ns = clock_ns();
    int rc = thread_start(&l->thread, 0, tell_all, l);
    return rc ? err_set(rc, NULL, -1, "--live cannot start a thread: %s", strerror(-rc))
              : 0;
}

/* ---- begin and end ---------------------------------------------------- */

/* Opens the CSV, refusing links. It keeps the rows written, however the run ends. */
static int open_csv(struct run_live *l, const char *path)
{
    struct stat st;
    int fd = open(
        path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        return err_usage("--live-csv=%s is no regular file", path);
    }
    l->csv = fd < 0 ? NULL : fdopen(fd, "w");
    if (!l->csv)
        return err_usage("--live-csv=%s cannot be written: %s", path, strerror(errno));
    fputs("time_s,interval_s,phase,rep,read_bytes,read_MBps,read_calls,read_max_s,"
          "write_bytes,write_MBps,write_calls,write_max_s\n",
          l->csv);
    return 0;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

static int live_check(const struct run_options *o)
{
    if (o->live_csv && o->live_s <= 0)
        return err_usage("--live-csv needs --live=S: a row each S seconds");
    if (is_same(o->live_csv, o->json) || is_same(o->live_csv, o->csv))
        return err_usage("--live-csv=%s is the path of another report", o->live_csv);
    return 0;
}

int live_open(struct run *r)
{
    const struct run_options *o = r->options;
    int rc = live_check(o);
    if (rc || o->live_s <= 0 || r->world.rank)
        return rc;
    struct run_live *l = thread_alloc(sizeof *l, "--live");
    if (!l)
        return -ENOMEM;
    l->name = r->program->name;
    l->quiet = o->quiet;
    l->lanes = r->lanes;
    l->interval_ns = (int64_t)(o->live_s * 1e9);
    if (o->live_csv)
        rc = open_csv(l, o->live_csv);
    if (!rc)
        rc = start(l);
    if (rc && l->csv)
        fclose(l->csv);
    if (rc)
        free(l);
    else
        r->live = l;
    return rc;
}

void live_close(struct run *r)
{
    struct run_live *l = r->live;
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->ended = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    if (l->csv) {
        bool bad = ferror(l->csv);
        if ((fclose(l->csv) || bad) && r->report)
            report_warning(r->report, "live_csv",
                           "--live-csv=%s lacks rows: it could "
                           "not be written",
                           r->options->live_csv);
    }
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
    r->live = NULL;
}

void live_watch(struct run *r, struct phase *p, int i)
{
    p->live = r->live ? &r->live->lane[i] : NULL;
}

void live_phase(struct run *r, const char *name)
{
    if (!r->live)
        return;
    pthread_mutex_lock(&r->live->lock);
    snprintf(r->live->phase, sizeof r->live->phase, "%s", name);
    r->live->rep = r->rep;
    pthread_mutex_unlock(&r->live->lock);
}
