/* The counters of Darshan, printed as darshan-parser does: a record for each module,
 * rank and file. Records of ranks are not reduced to one of a shared file, as with
 * DARSHAN_DISABLE_SHARED_REDUCTION. */
#include "base/plain.h"
#include "iotrace/commands.h"
#include "iotrace/read/names.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { POSIX = 1, STDIO = 2, MPIIO = 4, MODULES = 3 };
static const char *const module_name[] = {"POSIX", "STDIO", "MPI-IO"};
static const char *const prefix[] = {"POSIX", "STDIO", "MPIIO"};

/* clang-format off */
#define COUNTERS(X) \
    X(OPENS, POSIX | STDIO) X(INDEP_OPENS, MPIIO) X(COLL_OPENS, MPIIO) \
    X(READS, POSIX | STDIO) X(WRITES, POSIX | STDIO) \
    X(INDEP_READS, MPIIO) X(INDEP_WRITES, MPIIO) \
    X(COLL_READS, MPIIO) X(COLL_WRITES, MPIIO) \
    X(NB_READS, MPIIO) X(NB_WRITES, MPIIO) X(SYNCS, MPIIO) X(VIEWS, MPIIO) \
    X(SEEKS, POSIX | STDIO) X(STATS, POSIX) X(MMAPS, POSIX) X(FSYNCS, POSIX) \
    X(FDSYNCS, POSIX) X(FLUSHES, STDIO) \
    X(BYTES_READ, POSIX | STDIO | MPIIO) X(BYTES_WRITTEN, POSIX | STDIO | MPIIO) \
    X(MAX_BYTE_READ, POSIX | STDIO) X(MAX_BYTE_WRITTEN, POSIX | STDIO) \
    X(CONSEC_READS, POSIX) X(CONSEC_WRITES, POSIX) \
    X(SEQ_READS, POSIX) X(SEQ_WRITES, POSIX) X(RW_SWITCHES, POSIX | MPIIO)
#define TIMES(X) \
    X(OPEN_START_TIMESTAMP) X(READ_START_TIMESTAMP) X(WRITE_START_TIMESTAMP) \
    X(CLOSE_START_TIMESTAMP) X(OPEN_END_TIMESTAMP) X(READ_END_TIMESTAMP) \
    X(WRITE_END_TIMESTAMP) X(CLOSE_END_TIMESTAMP) X(READ_TIME) X(WRITE_TIME) \
    X(META_TIME) X(MAX_READ_TIME) X(MAX_WRITE_TIME)
/* clang-format on */

enum counter {
#define X(name, modules) name,
    COUNTERS(X)
#undef X
        COUNTS
};
enum timer {
#define X(name) F_##name,
    TIMES(X)
#undef X
        TIMERS
};

static const struct {
    const char *name;
    int modules;
} counter[] = {
#define X(name, modules) {#name, modules},
    COUNTERS(X)
#undef X
};
static const char *const timer_name[] = {
#define X(name) #name,
    TIMES(X)
#undef X
};

/* Upper bounds of size classes, in bytes; the last class has all larger ones. */
static const int64_t size_limit[] = {100,     1024,     10240,     102400,    1048576,
                                     4194304, 10485760, 104857600, 1073741824};
static const char *const size_name[] = {"0_100",   "100_1K", "1K_10K", "10K_100K",
                                        "100K_1M", "1M_4M",  "4M_10M", "10M_100M",
                                        "100M_1G", "1G_PLUS"};
enum { SIZES = 10 };

struct record { /* the record of a module and a file in one log */
    uint32_t file;
    bool used;
    int64_t count[COUNTS], sizes[2][SIZES];
    double time[TIMERS];
    int64_t end[2]; /* ends of the last read and write */
    int last;       /* direction of the last transfer + 1; 0: none */
};

struct darshan {
    FILE *out;
    int64_t begin_ns, end_ns;
    int logs, ranks, module;
    bool has_ranks;
    char exe_text[PLAIN_PATH];
};

struct counting { /* counting of a log, for one module */
    struct darshan *d;
    struct log *log;
    struct names names;
    /* number of a file + 1, by its number in the log; 0: not looked up yet */
    uint32_t *file;
    uint32_t files;
    struct record *record;
    uint32_t records;
};

static int module_of(const struct event *e)
{
    const struct op *op = op_get(e->op);
    if (op->library != LIBRARY_NONE)
        return op->library == LIBRARY_MPI ? 2 : -1;
    if (strstr(op->name, "dir")) /* Darshan does not count opendir, readdir, mkdir */
        return -1;
    return e->flags & TRACE_STREAM ? 1 : 0;
}

/* ---- one event -------------------------------------------------------------- */

static void count_sizes(struct record *r, int write, int64_t bytes)
{
    int n = 0;
    while (n < SIZES - 1 && bytes > size_limit[n])
        n++;
    r->sizes[write][n]++;
}

static void count_order(struct record *r, int write, const struct event *e)
{
    if (r->last && r->last != write + 1)
        r->count[RW_SWITCHES]++;
    r->last = write + 1;
    if (e->offset < 0 || e->offset > INT64_MAX - e->bytes)
        return;
    bool first = r->end[write] == 0;
    r->count[write ? SEQ_WRITES : SEQ_READS] += !first && e->offset >= r->end[write];
    r->count[write ? CONSEC_WRITES : CONSEC_READS] +=
        !first && e->offset == r->end[write];
    r->end[write] = e->offset + e->bytes;
    int64_t *top = &r->count[write ? MAX_BYTE_WRITTEN : MAX_BYTE_READ];
    if (e->bytes > 0 && r->end[write] - 1 > *top)
        *top = r->end[write] - 1;
}

static void count_transfer(struct record *r, const struct event *e)
{
    int write = e->class == CLASS_WRITE;
    const char *name = op_get(e->row)->name;
    bool nonblocking =
        !strncmp(name, "MPI_File_i", 10) || !strncmp(name, "MPI_Wait", 8);
    if (e->bytes < 0 || !e->calls)
        return;
    r->count[write ? WRITES : READS]++;
    if (nonblocking)
        r->count[write ? NB_WRITES : NB_READS]++;
    else if (e->flags & TRACE_COLLECTIVE)
        r->count[write ? COLL_WRITES : COLL_READS]++;
    else
        r->count[write ? INDEP_WRITES : INDEP_READS]++;
    count_sizes(r, write, e->bytes);
    count_order(r, write, e);
    log_sum(&r->count[write ? BYTES_WRITTEN : BYTES_READ], e->bytes);
}

static void count_other(struct record *r, const struct event *e)
{
    const char *name = op_get(e->op)->name;
    if (e->bytes < 0)
        return;
    r->count[OPENS] += e->class == CLASS_OPEN;
    r->count[INDEP_OPENS] += e->class == CLASS_OPEN && !(e->flags & TRACE_COLLECTIVE);
    r->count[COLL_OPENS] += e->class == CLASS_OPEN && e->flags & TRACE_COLLECTIVE;
    r->count[SEEKS] += e->class == CLASS_SEEK && strstr(name, "seek");
    r->count[STATS] += e->class == CLASS_META && strstr(name, "stat") != NULL;
    r->count[MMAPS] += !strcmp(name, "mmap");
    r->count[FSYNCS] += !strcmp(name, "fsync");
    r->count[FDSYNCS] += !strcmp(name, "fdatasync");
    r->count[FLUSHES] += !strcmp(name, "fflush");
    r->count[SYNCS] += e->class == CLASS_SYNC;
    r->count[VIEWS] += !strcmp(name, "MPI_File_set_view");
}

static void count_time(const struct darshan *d, struct record *r, const struct event *e)
{
    double begin = (double)(e->start_ns - d->begin_ns) * 1e-9;
    double s = (double)e->duration_ns * 1e-9;
    int first = e->class == CLASS_OPEN    ? F_OPEN_START_TIMESTAMP
                : e->class == CLASS_READ  ? F_READ_START_TIMESTAMP
                : e->class == CLASS_WRITE ? F_WRITE_START_TIMESTAMP
                : e->class == CLASS_CLOSE ? F_CLOSE_START_TIMESTAMP
                                          : -1;
    bool moves = e->class == CLASS_READ || e->class == CLASS_WRITE;
    int sum = e->class == CLASS_READ ? F_READ_TIME : F_WRITE_TIME;
    int most = e->class == CLASS_READ ? F_MAX_READ_TIME : F_MAX_WRITE_TIME;
    if (e->class == CLASS_SYNC)
        moves = true; /* Darshan counts syncs in the time of writing */
    r->time[moves ? sum : F_META_TIME] += s;
    if (moves && s > r->time[most])
        r->time[most] = s;
    if (first < 0)
        return;
    int end = first + F_OPEN_END_TIMESTAMP - F_OPEN_START_TIMESTAMP;
    if (r->time[end] <= 0 || begin < r->time[first])
        r->time[first] = begin;
    if (begin + s > r->time[end])
        r->time[end] = begin + s;
}

/* ---- records ---------------------------------------------------------------- */

static struct record *darshan_record_of(struct counting *c, uint32_t name)
{
    uint32_t *file = list_reach(c->file, &c->files, name, sizeof *file, "the counters");
    if (!file)
        return NULL;
    c->file = file;
    if (!c->file[name]) {
        const char *text = log_name(c->log, name);
        bool is = skeleton_kind(text) == SKELETON_FILE;
        c->file[name] = (is ? names_add(&c->names, text) : 0) + 1;
    }
    uint32_t id = c->file[name] - 1;
    struct record *record =
        list_reach(c->record, &c->records, id, sizeof *record, "the counters");
    if (!record)
        return NULL;
    c->record = record;
    return &c->record[id];
}

static int count_event(struct counting *c, const struct event *e)
{
    if (module_of(e) != c->d->module || e->other_end ||
        !op_is_io((enum trace_class)e->class))
        return 0;
    struct record *r = darshan_record_of(c, e->name);
    if (!r)
        return -ENOMEM;
    r->used = true;
    if (e->class == CLASS_READ || e->class == CLASS_WRITE)
        count_transfer(r, e);
    else
        count_other(r, e);
    if (e->bytes >= 0)
        count_time(c->d, r, e);
    return 0;
}

static uint64_t record_id(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

static void put_record(const struct counting *c, uint32_t id, int rank)
{
    const struct record *r = &c->record[id];
    char name[PLAIN_PATH], head[128], tail[PLAIN_PATH + 32];
    int m = c->d->module;
    FILE *out = c->d->out;
    plain(name, sizeof name, names_get(&c->names, id));
    snprintf(head, sizeof head, "%s\t%d\t%" PRIu64 "\t%s_", module_name[m], rank,
             record_id(names_get(&c->names, id)), prefix[m]);
    snprintf(tail, sizeof tail, "\t%s\tUNKNOWN\tUNKNOWN\n", name);
    for (int i = 0; i < COUNTS; i++)
        if (counter[i].modules & 1 << m)
            fprintf(out, "%s%s\t%" PRId64 "%s", head, counter[i].name, r->count[i],
                    tail);
    for (int way = 0; way < 2 && m != 1; way++)
        for (int i = 0; i < SIZES; i++)
            fprintf(out, "%sSIZE_%s%s%s\t%" PRId64 "%s", head, way ? "WRITE" : "READ",
                    m == 2 ? "_AGG_" : "_", size_name[i], r->sizes[way][i], tail);
    int timers = m == 1 ? F_MAX_READ_TIME : TIMERS; /* STDIO has no longest calls */
    for (int i = 0; i < timers; i++)
        fprintf(out, "%sF_%s\t%.6f%s", head, timer_name[i], r->time[i], tail);
}

/* Counts a log. Darshan has no records of processes that are not part of the
 * program. */
static int count_log(void *arg, struct log *l)
{
    struct darshan *d = arg;
    struct counting c = {.d = d, .log = l};
    struct event e;
    int rank = d->has_ranks ? log_info(l)->rank : d->logs, rc = 0, more = 0;
    d->logs++;
    while (rank >= 0 && !rc && (more = log_next(l, &e)) == 1)
        rc = count_event(&c, &e);
    for (uint32_t id = 1; id < c.records && !rc; id++)
        if (c.record[id].used)
            put_record(&c, id, rank);
    free(c.file);
    free(c.record);
    names_free(&c.names);
    return more < 0 ? more : rc;
}

/* ---- the head --------------------------------------------------------------- */

static int look_at_log(void *arg, struct log *l)
{
    struct darshan *d = arg;
    const struct log_info *i = log_info(l);
    bool of_run = i->rank >= 0 || !d->has_ranks;
    if (i->rank >= 0)
        d->has_ranks = true;
    d->ranks = i->ranks > d->ranks ? i->ranks : d->ranks;
    if (i->begin_ns && (!d->begin_ns || i->begin_ns < d->begin_ns))
        d->begin_ns = i->begin_ns;
    if (i->end_ns > d->end_ns)
        d->end_ns = i->end_ns;
    if (of_run && (i->rank == 0 || !d->exe_text[0]))
        plain(d->exe_text, sizeof d->exe_text, i->argv[0] ? i->argv : i->exe);
    d->logs++;
    return skeleton_has_events(l);
}

static void darshan_put_head(const struct darshan *d)
{
    fprintf(d->out,
            "# darshan log version: 3.41\n# exe: %s\n# uid: 0\n# jobid: 0\n"
            "# start_time: %" PRId64 "\n# end_time: %" PRId64 "\n# nprocs: %d\n"
            "# run time: %.4f\n",
            d->exe_text, d->begin_ns / 1000000000, d->end_ns / 1000000000,
            d->has_ranks ? d->ranks : d->logs,
            (double)(d->end_ns - d->begin_ns) * 1e-9);
    fputs("# metadata: made by iotrace export: counters that Darshan takes from what "
          "is not traced are not there\n\n"
          "# <module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>"
          "\t<fs type>\n",
          d->out);
}

int darshan_put(struct run *r, FILE *out)
{
    struct darshan d = {.out = out};
    int rc = run_each(r, look_at_log, &d);
    if (!rc)
        darshan_put_head(&d);
    for (d.module = 0; d.module < MODULES && !rc; d.module++) {
        fprintf(out, "\n# %s module data\n", module_name[d.module]);
        r->unreadable = d.logs = 0; /* the second pass counts them again */
        rc = run_each(r, count_log, &d);
    }
    return rc;
}
