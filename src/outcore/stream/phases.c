#include "base/err.h"
#include "outcore/stream/sink.h"
#include "outcore/stream/stream.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum way { WAY_STREAM, WAY_PLAIN };

/* ---- sums ------------------------------------------------------------------------ */

void streaming_sinks_begin(struct run *r, struct streaming *s, const struct consume *c)
{
    for (int i = 0; i < r->lanes; i++) {
        struct sink *sink = &s->sink[i];
        *sink = (struct sink){.how = *c,
                              .context = sink->context,
                              .copy = run_lane_of(r, i)->buffer + s->copy_at};
        if (s->compress && c == &s->how)
            sink->ops = &compress_ops;
    }
}

struct sink streaming_sinks_end(const struct run *r, const struct streaming *s)
{
    struct sink all = {.files = 0};
    for (int i = 0; i < r->lanes; i++)
        sink_add(&all, &s->sink[i]);
    int64_t sum[3] = {all.files, all.bytes, (int64_t)all.sum};
    world_reduce(r->world.comm, sum, 3, MPI_INT64_T, MPI_SUM);
    return (struct sink){.files = sum[0], .bytes = sum[1], .sum = (uint64_t)sum[2]};
}

/* Returns the bytes of all ranks' sinks since they were opened. */
static int64_t compressed(const struct run *r, const struct streaming *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < r->lanes && s->compress; i++)
        bytes += compress_bytes(s->sink[i].context);
    world_reduce(r->world.comm, &bytes, 1, MPI_INT64_T, MPI_SUM);
    return bytes;
}

/* Compares the sums of what came through the slots with the expected ones. */
static int stream_compare(struct run *r, const struct streaming *s)
{
    bool same = s->found.files == s->expected.files &&
                s->found.bytes == s->expected.bytes && s->found.sum == s->expected.sum;
    r->checked += r->world.rank ? 0 : s->found.files;
    if (same)
        return 0;
    r->bad += r->world.rank ? 0 : 1;
    return err_set(-EIO, streaming_path(s), -1,
                   "%lld %s of %lld bytes with CRC-32 that add up to %llx went through "
                   "the slots, and expected were %lld of %lld bytes, %llx",
                   (long long)s->found.files,
                   s->work == STREAMING_FILE ? "sections" : "files",
                   (long long)s->found.bytes, (unsigned long long)s->found.sum,
                   (long long)s->expected.files, (long long)s->expected.bytes,
                   (unsigned long long)s->expected.sum);
}

/* ---- phases ---------------------------------------------------------------------- */

/* Returns the bytes that this rank's consumers have taken. */
static int64_t sunk(const struct streaming *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->many.passing.consumers; i++)
        bytes += s->sink[i].bytes;
    return bytes;
}

/* Reads all input, within a phase. */
static void read_all(struct run *r, struct streaming *s, enum way way)
{
    int64_t begin_ns = clock_cpu_ns();
    if (s->work == STREAMING_FILE) {
        if (!data_open(r, &s->large.file))
            large_run(&s->large, r, way == WAY_PLAIN);
        data_close(r, &s->large.file);
    } else if (way == WAY_PLAIN) {
        passing_plain(&s->many.passing, r, s->sink);
    } else {
        passing_run(&s->many.passing, r);
        run_count_cached(r, sunk(s), s->many.passing.resident);
    }
    s->cpu_ns = clock_cpu_ns() - begin_ns;
}

static void drop_files(struct run *r, struct streaming *s)
{
    if (s->work != STREAMING_FILE && !r->failed)
        passing_drop(&s->many.passing, r);
}

/* Returns the expected bytes of the whole input. For inputs that can be anything, that
 * is what the sinks got. */
static int64_t predicted(const struct streaming *s)
{
    return s->work == STREAMING_FILE ? s->large.file.bytes
           : s->many.given || s->many.passing.skip
               ? s->found.bytes
               : documents_bytes(&s->many.documents);
}

static void count_changes(struct run *r, struct streaming *s)
{
    const struct passing *p = &s->many.passing;
    int64_t n[2] = {p->gone + s->many.gone, p->cut};
    world_reduce(r->world.comm, n, 2, MPI_INT64_T, MPI_SUM);
    s->gone = n[0];
    s->cut = n[1];
}

/* Reads all input into sinks of one kind, in a phase. Returns the agreed verdict. */
static int stream_pass(struct run *r, struct streaming *s, const char *phase,
                       const struct consume *c, enum way way)
{
    streaming_sinks_begin(r, s, c);
    drop_files(r, s);
    run_phase_begin(r, phase);
    read_all(r, s, way);
    int rc = run_phase_end(r);
    s->found = streaming_sinks_end(r, s);
    count_changes(r, s);
    return rc ? rc : run_moved(r, phase, streaming_path(s), predicted(s), 0);
}

static int pass_aside(struct run *r, struct streaming *s, const char *phase,
                      enum way way)
{
    const struct consume sums = {.how = CONSUME_CHECKSUM};
    r->aside = r->samples_only = true;
    int rc = stream_pass(r, s, phase, &sums, way);
    r->aside = r->samples_only = false;
    return rc;
}

/* Gives the sink as many bytes from memory as the rank reads. */
static void sink_lane(struct run *r, void *streaming)
{
    struct streaming *s = streaming;
    struct sink *sink = &s->sink[r->lane];
    int64_t left = s->found.bytes / r->world.size, most = s->set->slot_bytes;
    if (s->work == STREAMING_FILE)
        left /= r->lanes;
    else if (r->lane)
        return;
    for (int64_t n; left > 0; left -= n) {
        n = left < most ? left : most;
        sink_take(sink, r->buffer, n);
    }
    sink_end(sink, NULL);
}

static int sink_alone(struct run *r, struct streaming *s)
{
    streaming_sinks_begin(r, s, &s->how);
    run_phase_begin(r, "sink");
    run_lanes(r, sink_lane, s);
    return run_phase_end(r);
}

/* ---- a turn ---------------------------------------------------------------------- */

static int measure_overlap(struct run *r, struct streaming *s)
{
    const struct consume none = {.how = CONSUME_NONE};
    int rc = stream_pass(r, s, "alone", &none, WAY_STREAM);
    double alone_s = r->last.wall_s;
    rc = rc ? rc : sink_alone(r, s);
    double sink_s = r->last.wall_s;
    rc = rc ? rc : stream_pass(r, s, "read", &s->how, WAY_STREAM);
    if (rc)
        return rc;
    streaming_overlap_figure(r, alone_s, sink_s, r->last.wall_s);
    return 0;
}

/* If the timed phase computed no sums, the input is read again in the same way. */
static int stream_verify(struct run *r, struct streaming *s)
{
    int rc = 0;
    if (!r->verify)
        return 0;
    if (s->work != STREAMING_WRITE && s->how.how != CONSUME_CHECKSUM)
        rc = pass_aside(r, s, "verify", WAY_STREAM);
    struct sink streamed = s->found;
    if (!rc && !s->known) {
        rc = pass_aside(r, s, "plain", WAY_PLAIN);
        s->expected = s->found;
        s->known = !rc;
    }
    s->found = streamed;
    return rc ? rc : stream_compare(r, s);
}

static int read_turn(struct run *r, struct streaming *s)
{
    int64_t before = compressed(r, s);
    int rc = s->set->overlap ? measure_overlap(r, s)
                             : stream_pass(r, s, "read", &s->how, WAY_STREAM);
    s->compressed = compressed(r, s) - before;
    if (rc)
        return rc;
    streaming_figures(r, s, "read");
    run_rep_end(r);
    return stream_verify(r, s);
}

/* Reads with O_DIRECT or through the page cache. The first turn alternates with
 * the repetition. */
static int compare_turn(struct run *r, struct streaming *s, int turn)
{
    bool direct = (turn + r->rep) % 2 == 0;
    int before = r->io_flags;
    r->at = (struct report_at){.name = "cache", .text = direct ? "direct" : "flush"};
    r->io_flags = direct ? before | IO_DIRECT : before & ~IO_DIRECT;
    int rc = read_turn(r, s);
    r->io_flags = before;
    r->at.name = NULL;
    return rc;
}

/* ---- stages ---------------------------------------------------------------------- */

static void expect(struct run *r, struct streaming *s)
{
    const struct consume sums = {.how = CONSUME_CHECKSUM};
    if (!r->verify || s->known || !streaming_is_made(s))
        return;
    streaming_sinks_begin(r, s, &sums);
    if (s->work == STREAMING_FILE)
        large_expect(&s->large, r);
    else
        many_expect(r, &s->many, s->sink);
    s->expected = streaming_sinks_end(r, s);
    s->known = true;
}

static int streaming_make(struct run *r, struct streaming *s)
{
    if (s->work == STREAMING_FILE)
        return data_make(r, &s->large.file, &s->large.rows);
    int rc = s->many.given ? 0 : many_make(r, &s->many);
    return rc ? rc : many_list(r, &s->many);
}

static int read_stage(struct run *r, struct streaming *s)
{
    int rc = streaming_make(r, s);
    if (!rc)
        expect(r, s);
    if (!s->set->direct_compare)
        rc = rc ? rc : read_turn(r, s);
    for (int turn = 0; turn < 2 && s->set->direct_compare && !rc; turn++)
        rc = compare_turn(r, s, turn);
    r->samples_only = true; /* each turn has its own samples */
    return rc;
}

static int write_timed(struct run *r, struct streaming *s)
{
    bool end = !strcmp(s->set->fsync, "end"), anew = streaming_writes(s) == IO_MAKE;
    int64_t begin_ns = clock_cpu_ns();
    run_phase_begin(r, "write");
    if (!anew || !data_folder_create(r, &s->many.folder))
        many_write(r, &s->many, streaming_writes(s), !strcmp(s->set->fsync, "each"),
                   end);
    s->cpu_ns = clock_cpu_ns() - begin_ns;
    int rc = run_phase_end(r);
    return rc ? rc
              : run_moved(r, "write", streaming_path(s), 0,
                          documents_bytes(&s->many.documents));
}

/* Files that replace others get other words. */
static int write_stage(struct run *r, struct streaming *s)
{
    int rc = 0;
    documents_prepare(&s->many.documents, s->set->files, s->set->size, r->seed, 0);
    if (streaming_writes(s) != IO_MAKE)
        rc = many_make(r, &s->many);
    documents_prepare(&s->many.documents, s->set->files, s->set->size, r->seed, 1);
    rc = rc ? rc : write_timed(r, s);
    if (rc)
        return rc;
    streaming_figures(r, s, "write");
    run_rep_end(r);
    r->samples_only = true;
    if (!r->verify)
        return 0;
    expect(r, s);
    rc = many_list(r, &s->many);
    rc = rc ? rc : pass_aside(r, s, "verify", WAY_PLAIN);
    return rc ? rc : stream_compare(r, s);
}

int streaming_repetition(struct run *r, void *context)
{
    struct streaming *s = context;
    return s->work == STREAMING_WRITE ? write_stage(r, s) : read_stage(r, s);
}

/* ---- figures --------------------------------------------------------------------- */

/* Least share of the time of both that reading and the sink must each take, or no
 * overlap is computed. */
#define LEAST_SHARE 0.05

static void op_figures(struct run *r, const char *phase, enum phase_op op)
{
    static int64_t hist[HIST_SIZE];
    static const struct {
        const char *name, *formula;
        double q;
    } row[] = {{"p50", "median of all calls", 0.5},
               {"p99", "99 % of all calls took no longer", 0.99}};
    int64_t calls = 0;
    memset(hist, 0, sizeof hist);
    for (int i = 0; i < r->lanes; i++)
        for (int b = 0; b < HIST_SIZE; b++)
            hist[b] += run_lane_of(r, i)->phase->op[op].hist[b];
    world_reduce(r->world.comm, hist, HIST_SIZE, MPI_INT64_T, MPI_SUM);
    for (int b = 0; b < HIST_SIZE; b++)
        calls += hist[b];
    for (int k = 0; k < 2; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s_us", phase_op_name[op], row[k].name);
        run_figure(r, phase, name, "us", "lower", row[k].formula,
                   1e6 * report_quantile(hist, calls, row[k].q, INFINITY));
    }
}

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void wait_figures(struct run *r, const struct passing *p, const char *phase,
                         int64_t wall_ns)
{
    double ns[3] = {(double)p->sink_wait_ns,
                    (double)p->reader_wait_ns / p->readers / p->consumers,
                    (double)wall_ns};
    world_reduce(r->world.comm, ns, 3, MPI_DOUBLE, MPI_SUM);
    run_figure(r, phase, "sink_wait", "%", "lower",
               "of the phase the consumers found no slot filled",
               share_of(ns[0], ns[2]));
    run_figure(r, phase, "reader_wait", "%", "lower",
               "of the phase a reader found no slot free, mean over readers",
               share_of(ns[1], ns[2]));
}

static void file_figures(struct run *r, const struct streaming *s, const char *phase)
{
    double ns[3] = {0};
    for (int i = 0; i < r->lanes; i++) {
        const struct phase_act *a = run_lane_of(r, i)->phase->act;
        ns[0] += (double)a[ACT_OPEN_CLOSE].ns;
        ns[1] += (double)(a[ACT_READ].ns + a[ACT_WRITE].ns + a[ACT_SYNC].ns);
    }
    ns[2] = (double)s->cpu_ns;
    world_reduce(r->world.comm, ns, 3, MPI_DOUBLE, MPI_SUM);
    int64_t files = s->work == STREAMING_WRITE ? s->set->files : s->found.files;
    run_figure(r, phase, "files_per_s", "1/s", "higher",
               "files / slowest rank's phase seconds", (double)files / r->last.wall_s);
    run_figure(r, phase, "open_share", "%", "lower",
               "seconds of opening and closing (and renaming) / of all I/O, all lanes",
               share_of(ns[0], ns[0] + ns[1]));
    run_figure(r, phase, "cpu_us_per_file", "us", "lower",
               "processor time of all ranks' processes / files",
               ns[2] / 1e3 / (double)files);
}

void streaming_figures(struct run *r, struct streaming *s, const char *phase)
{
    int64_t bytes = r->last.read_bytes + r->last.write_bytes;
    run_figure(r, phase, "MBps", "MB/s", "higher",
               "bytes of all ranks / slowest rank's phase seconds / 1e6",
               (double)bytes / r->last.wall_s / 1e6);
    if (s->work == STREAMING_FILE)
        return;
    file_figures(r, s, phase);
    op_figures(r, phase,
               s->work == STREAMING_WRITE && !strcmp(s->set->write, "rewrite")
                   ? PHASE_OP_OPEN
               : s->work == STREAMING_WRITE ? PHASE_OP_CREATE
                                            : PHASE_OP_OPEN);
    op_figures(r, phase, PHASE_OP_CLOSE);
    if (s->many.passing.looks)
        op_figures(r, phase, PHASE_OP_STAT);
    if (s->work == STREAMING_FILES)
        wait_figures(r, &s->many.passing, phase, r->phase->end_ns - r->phase->begin_ns);
}

void streaming_overlap_figure(struct run *r, double alone_s, double sink_s,
                              double both_s)
{
    double least_s = fmin(alone_s, sink_s);
    run_figure(r, "read", "overlap", "1", "higher",
               "(t_alone + t_sink - t_read) / min(t_alone, t_sink), of the phases' "
               "seconds; null where one is too short to tell",
               least_s < LEAST_SHARE * both_s ? NAN
                                              : (alone_s + sink_s - both_s) / least_s);
}
