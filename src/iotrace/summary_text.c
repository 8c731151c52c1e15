/* The summary as text: aligned tables of some 130 columns. */
#include "base/err.h"
#include "base/plain.h"
#include "base/units.h"
#include "iotrace/summary.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 44

static const char *summary_text_share(char out[16], double part, double whole)
{
    if (whole <= 0)
        return "-";
    snprintf(out, 16, "%.1f %%", 100 * part / whole);
    return out;
}

/* Shortens a long name at its begin, as its end says more. */
static const char *shortened(char out[NAME_WIDTH + 1], const char *name)
{
    size_t n = strlen(name);
    if (n <= NAME_WIDTH)
        snprintf(out, NAME_WIDTH + 1, "%s", name);
    else
        snprintf(out, NAME_WIDTH + 1, "...%s", name + n - (NAME_WIDTH - 3));
    return plain(out, NAME_WIDTH + 1, out);
}

static void put_sum(FILE *out, const char *label, const struct sum *sum, double io_s)
{
    char bytes[16], time[16], part[16];
    if (sum->calls || sum->ns)
        fprintf(out, "  %-9s %12lld calls  %10s  %9s  %8s%s\n", label,
                (long long)sum->calls, units_bytes(bytes, sum->bytes),
                units_seconds(time, summary_s(sum->ns)),
                summary_text_share(part, summary_s(sum->ns), io_s),
                sum->errors ? "  (some failed)" : "");
}

static void summary_text_put_head(const struct summary *s, FILE *out)
{
    char wall[16], text[PLAIN_PATH];
    int ranks = 0;
    for (int i = 0; i < s->processes; i++)
        ranks += s->process[i].rank >= 0;
    fprintf(out, "run       %s\n", plain(text, sizeof text, s->run.path));
    fprintf(out, "processes %d, %d of them with a rank, in %d log%s\n", s->processes,
            ranks, s->read, units_s(s->read));
    if (s->processes)
        fprintf(out, "called    %s\n", plain(text, sizeof text, s->process[0].app));
    if (s->end_ns <= s->begin_ns)
        fprintf(out, "time      not known\n");
    else
        fprintf(out, "time      %s from the first process's start to the last %s\n",
                units_seconds(wall, summary_wall_s(s)),
                s->unseen.endless ? "that is known of any" : "one's end");
}

static void put_unseen(const struct summary *s, FILE *out)
{
    char one[UNSEEN_SIZE], text[PLAIN_PATH];
    const char *before = "unseen    ";
    for (int i = 0; unseen_text(&s->unseen, i, one); i++) {
        fprintf(out, "%s%s", before, plain(text, sizeof text, one));
        before = "; ";
    }
    fprintf(out, "%s%s\n", before, unseen_figure(&s->unseen, one));
}

static void summary_put_totals(const struct summary *s, FILE *out)
{
    struct sum io = summary_io(s->total), meta = summary_metadata(s->total);
    double io_s = summary_s(io.ns);
    const struct sum *t = s->total;
    fprintf(out, "\nI/O of all processes (times of all threads added up; calls within "
                 "others are not in here)\n");
    put_sum(out, "read", &t[CLASS_READ], io_s);
    put_sum(out, "write", &t[CLASS_WRITE], io_s);
    put_sum(out, "copy", &t[CLASS_COPY], io_s);
    put_sum(out, "sync", &t[CLASS_SYNC], io_s);
    put_sum(out, "metadata", &meta, io_s);
    put_sum(out, "lock", &t[CLASS_LOCK], io_s);
    put_sum(out, "wait", &t[CLASS_WAIT], io_s);
    put_sum(out, "map", &t[CLASS_MAP], io_s);
    put_sum(out, "other", &t[CLASS_NONE], io_s);
    put_sum(out, "all", &io, io_s);
    double moved = (double)t[CLASS_READ].bytes + (double)t[CLASS_WRITE].bytes;
    if (moved > 0)
        fprintf(out, "  of the bytes read or written, %.1f %% are read\n",
                100 * (double)t[CLASS_READ].bytes / moved);
}

static void put_accesses(const struct summary *s, FILE *out)
{
    static const char *const side[] = {"reads", "writes"};
    for (int w = 0; w < 2; w++) {
        const struct access_count *a = &s->access[w];
        int64_t all = 0;
        char part[ACCESS_KINDS][16];
        for (int k = 0; k < ACCESS_KINDS; k++)
            all += a->calls[k];
        if (all == 0)
            continue;
        const char *p[ACCESS_KINDS];
        for (int k = 0; k < ACCESS_KINDS; k++)
            p[k] = summary_text_share(part[k], (double)a->calls[k], (double)all);
        fprintf(out, "  %-9s sequential %s, strided %s, random %s, unknown %s\n",
                side[w], p[ACCESS_SEQUENTIAL], p[ACCESS_STRIDED], p[ACCESS_RANDOM],
                p[ACCESS_UNKNOWN]);
    }
}

static void summary_text_put_call(const struct call_sum *c, const char *name,
                                  double io_s, FILE *out)
{
    char bytes[16], time[16], part[16], p50[16], p95[16], p99[16], max[16];
    char small[16] = "-", middle[16] = "-", large[16] = "-";
    if (c->transfers) {
        units_bytes(small, c->min_bytes);
        units_bytes(middle, summary_size(c, 0.5));
        units_bytes(large, c->max_bytes);
    }
    fprintf(out, "%-18s %10lld %6lld %10s %8s %7s %7s %7s %7s %7s %9s %9s %9s\n", name,
            (long long)c->sum.calls, (long long)c->sum.errors,
            units_bytes(bytes, c->sum.bytes), units_seconds(time, summary_s(c->sum.ns)),
            summary_text_share(part, summary_s(c->sum.ns), io_s),
            units_seconds(p50, summary_latency_s(c, 0.5)),
            units_seconds(p95, summary_latency_s(c, 0.95)),
            units_seconds(p99, summary_latency_s(c, 0.99)),
            units_seconds(max, summary_s(c->max_ns)), small, middle, large);
}

static int summary_text_calls(const struct summary *s, int nested, FILE *out)
{
    uint32_t *op;
    int n = summary_calls_by_time(s, nested, &op);
    if (n < 0)
        return n;
    double io_s = summary_s(summary_io(s->total).ns);
    if (n > 0)
        fprintf(out, "\n%-18s %10s %6s %10s %8s %7s %7s %7s %7s %7s %9s %9s %9s\n",
                nested ? "within other calls" : "call", "calls", "failed", "bytes",
                "time", nested ? "of I/O" : "share", "p50", "p95", "p99", "max",
                "smallest", "median", "largest");
    for (int i = 0; i < n; i++) {
        const struct op *o = op_get((int)op[i]); /* the share counts I/O only */
        summary_text_put_call(s->call[nested][op[i]], o->name,
                              op_is_io(o->class) ? io_s : 0, out);
    }
    free(op);
    return 0;
}

static void summary_text_put_file(const struct summary *s, uint32_t id, double io_s,
                                  FILE *out)
{
    const struct file_sum *f = &s->file[id];
    struct sum all = summary_io(f->sum), meta = summary_metadata(f->sum);
    char name[NAME_WIDTH + 1], time[16], part[16], rd[16], wr[16], p50[16], p99[16];
    const struct access_count *a = f->access;
    int64_t jumps = 0, known = 0;
    for (int k = 0; k < ACCESS_UNKNOWN; k++)
        known += a[0].calls[k] + a[1].calls[k];
    jumps = a[0].calls[ACCESS_RANDOM] + a[1].calls[ACCESS_RANDOM];
    char random[16];
    fprintf(out, "%-*s %5d %8s %7s %9lld %10s %9lld %10s %8lld %7s %7s %7s\n",
            NAME_WIDTH, shortened(name, summary_file_name(s, id)), f->processes,
            units_seconds(time, summary_s(all.ns)),
            summary_text_share(part, summary_s(all.ns), io_s),
            (long long)f->sum[CLASS_READ].calls,
            units_bytes(rd, f->sum[CLASS_READ].bytes),
            (long long)f->sum[CLASS_WRITE].calls,
            units_bytes(wr, f->sum[CLASS_WRITE].bytes), (long long)meta.calls,
            f->timed ? units_seconds(p50, summary_file_latency_s(f, 0.5)) : "-",
            f->timed ? units_seconds(p99, summary_file_latency_s(f, 0.99)) : "-",
            summary_text_share(random, (double)jumps, (double)known));
}

static int summary_text_put_files(const struct summary *s, int64_t top, FILE *out)
{
    uint32_t *id;
    int n = summary_by_time(s, &id);
    if (n < 0)
        return n;
    double io_s = summary_s(summary_io(s->total).ns);
    fprintf(out, "\n%-*s %5s %8s %7s %9s %10s %9s %10s %8s %7s %7s %7s\n", NAME_WIDTH,
            "file", "procs", "time", "share", "reads", "bytes", "writes", "bytes",
            "metadata", "p50", "p99", "random");
    for (int i = 0; i < n && i < top; i++)
        summary_text_put_file(s, id[i], io_s, out);
    if (n > top)
        fprintf(out, "... and %lld more (--top, or --json for all)\n",
                (long long)(n - top));
    free(id);
    return 0;
}

static void put_process(const struct process_sum *p, FILE *out)
{
    struct sum meta = summary_metadata(p->sum);
    char program[sizeof p->program], rank[16] = "-", wall[16], io[16], rest[16], rd[16],
                                     wr[16], md[16];
    if (p->rank >= 0)
        snprintf(rank, sizeof rank, "%d", p->rank);
    fprintf(out, "%6s %8d %7d %9s %9s %9s %10s %10s %9s  %s\n", rank, p->pid,
            p->threads, units_seconds(wall, process_wall_s(p)),
            units_seconds(io, process_io_s(p)),
            units_seconds(rest, process_wall_s(p) - process_io_s(p)),
            units_bytes(rd, p->sum[CLASS_READ].bytes),
            units_bytes(wr, p->sum[CLASS_WRITE].bytes),
            units_seconds(md, summary_s(meta.ns)),
            plain(program, sizeof program, p->program));
}

static bool did_nothing(const struct process_sum *p)
{
    int64_t calls = 0;
    for (int c = 0; c < CLASSES; c++)
        calls += p->sum[c].calls;
    return calls == 0 && p->rank < 0;
}

/* Prints one line for the processes of one program without a call, at the first of
 * them. */
static void put_if_first(const struct summary *s, int n, FILE *out)
{
    const char *name = s->process[n].program;
    char text[sizeof s->process->program];
    int like = 0;
    for (int i = 0; i < s->processes; i++)
        if (did_nothing(&s->process[i]) && !strcmp(s->process[i].program, name)) {
            if (i < n)
                return;
            like++;
        }
    fprintf(out, "%6s %8s %d process%s of %s did nothing to files\n", "-", "-", like,
            like == 1 ? "" : "es", plain(text, sizeof text, name));
}

static void summary_text_put_processes(const struct summary *s, int64_t top, FILE *out)
{
    int64_t shown = 0, left = 0;
    fprintf(out, "\n%6s %8s %7s %9s %9s %9s %10s %10s %9s  %s\n", "rank", "pid",
            "threads", "time", "in I/O", "not I/O", "read", "written", "metadata",
            "program");
    for (int i = 0; i < s->processes; i++)
        if (!did_nothing(&s->process[i]) && shown++ < top)
            put_process(&s->process[i], out);
    left = shown > top ? shown - top : 0;
    for (int i = 0; i < s->processes; i++)
        if (did_nothing(&s->process[i]))
            put_if_first(s, i, out);
    if (left)
        fprintf(out, "... and %lld more (--top, or --json for all)\n", (long long)left);
}

static void put_imbalance(const struct summary *s, FILE *out)
{
    struct imbalance io = summary_imbalance(s, process_io_s);
    struct imbalance bytes = summary_imbalance(s, process_bytes);
    char a[16], b[16], c[16], d[16];
    if (io.n < 2)
        return;
    fprintf(
        out,
        "\nimbalance of %d: time in I/O %s at most, %s in the mean; bytes %s at most, "
        "%s in the mean\n",
        io.n, units_seconds(a, io.max), units_seconds(b, io.mean),
        units_bytes(c, (int64_t)bytes.max), units_bytes(d, (int64_t)bytes.mean));
}

static void put_remarks(const struct summary *s, FILE *out)
{
    char log[PLAIN_PATH];
    for (int i = 0; i < s->notes; i++)
        fprintf(out, "%snote      %s: %s\n", i ? "" : "\n",
                plain(log, sizeof log, s->note[i].log), s->note[i].text);
}

int summary_text(const struct summary *s, const struct summary_tables *show, FILE *out)
{
    summary_text_put_head(s, out);
    put_unseen(s, out);
    summary_put_totals(s, out);
    put_accesses(s, out);
    int rc = show->calls ? summary_text_calls(s, 0, out) : 0;
    rc = rc || !show->calls ? rc : summary_text_calls(s, 1, out);
    rc = rc || !show->files ? rc : summary_text_put_files(s, show->top, out);
    if (rc)
        return rc;
    if (show->ranks) {
        summary_text_put_processes(s, show->top, out);
        put_imbalance(s, out);
    }
    put_remarks(s, out);
    return 0;
}
