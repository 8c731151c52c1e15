/* export: writes events for the pictures and tables of other programs. */
#include "base/err.h"
#include "base/format/json.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/plain.h"
#include "iotrace/commands.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/table.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next event as stream_next does, but one event for a copy. */
static int next_call(struct stream *s, const struct event **e)
{
    int rc = stream_next(s, e);
    while (rc == 1 && (*e)->other_end)
        rc = stream_next(s, e);
    return rc;
}

/* ---- Chrome's trace event format, which Perfetto reads -------------------- */

/* Begins an event. It takes one line: a program that reads lines can read it, too. */
static void begin_event(struct json *j)
{
    json_object_flat(j, NULL);
}

/* Processes of the picture: one for each rank, and behind all ranks one for each
 * process of a host. The operating system's numbers could equal those of ranks, or of
 * processes on another host. */
struct lanes {
    int64_t *of;  /* indexed by log */
    int64_t next; /* the first number behind those of all logs */
};

static bool is_same_process(const struct log_info *a, const struct log_info *b)
{
    return !a->table && !b->table && a->rank < 0 && b->rank < 0 && a->pid == b->pid &&
           !strcmp(a->host, b->host);
}

static int lanes_make(struct lanes *t, const struct stream *s)
{
    t->of = mem_new(s->logs + 1, sizeof *t->of, "the lanes of the logs");
    if (!t->of)
        return -ENOMEM;
    for (int i = 0; i < s->logs; i++) {
        t->of[i] = log_info(s->log[i])->rank;
        t->next = t->of[i] >= t->next ? t->of[i] + 1 : t->next;
    }
    for (int i = 0; i < s->logs; i++) {
        int k = 0;
        while (k < i && !is_same_process(log_info(s->log[k]), log_info(s->log[i])))
            k++;
        if (t->of[i] < 0)
            t->of[i] = k < i ? t->of[k] : t->next++;
    }
    return 0;
}

/* Finds the process of the picture. A table has processes of its own. */
static int64_t export_lane_of(const struct lanes *t, const struct stream *s,
                              const struct event *e)
{
    bool table = log_info(s->last)->table && log_info(s->last)->rank < 0;
    return table ? t->next + e->pid : t->of[s->heap[0]];
}

static void put_name(struct json *j, const char *what, int64_t pid, int64_t tid,
                     const char *name)
{
    begin_event(j);
    json_text(j, "ph", "M");
    json_text(j, "name", what);
    json_int(j, "pid", pid);
    json_int(j, "tid", tid);
    json_object_flat(j, "args");
    json_text(j, "name", name);
    json_end_object(j);
    json_end_object(j);
}

static void export_put_processes(struct json *j, const struct stream *s,
                                 const struct lanes *t)
{
    for (int i = 0; i < s->logs; i++) {
        const struct log_info *l = log_info(s->log[i]);
        char name[512];
        if (l->table)
            continue; /* its processes are not known yet; they are numbered later */
        if (l->rank >= 0)
            snprintf(name, sizeof name, "rank %d: %.100s, process %d on %.100s",
                     l->rank, l->app, l->pid, l->host);
        else
            snprintf(name, sizeof name, "%.100s, process %d on %.100s", l->app, l->pid,
                     l->host);
        put_name(j, "process_name", t->of[i], 0, name);
    }
}

/* Puts microseconds since the first event: a double has too few digits for those since
 * the epoch. */
static void put_time(struct json *j, const char *key, int64_t ns)
{
    json_real(j, key, (double)ns * 1e-3);
}

static const char *phase_of(const struct event *e)
{
    const char *name = op_get(e->op)->name;
    if (e->class != CLASS_MARK)
        return "X";
    return !strcmp(name, "region_begin") ? "B"
           : !strcmp(name, "region_end") ? "E"
                                         : "i";
}

static void put_args(struct json *j, const struct log *l, const struct event *e,
                     uint64_t sequence)
{
    json_object_flat(j, "args");
    json_text(j, "file", log_name(l, e->name));
    json_int(j, "bytes", e->bytes);
    if (e->offset >= 0)
        json_int(j, "offset", e->offset);
    json_int(j, "result", e->result);
    json_int(j, "fd", e->fd);
    json_unsigned(j, "sequence", sequence);
    json_end_object(j);
}

static void put_event(struct json *j, const struct log *l, const struct event *e,
                      int64_t lane, int64_t begin_ns, uint64_t sequence)
{
    const char *phase = phase_of(e);
    bool mark = e->class == CLASS_MARK;
    begin_event(j);
    json_text(j, "ph", phase);
    json_text(j, "name", mark ? log_name(l, e->name) : op_get(e->op)->name);
    json_text(j, "cat", op_class_name((enum trace_class)e->class));
    json_int(j, "pid", lane);
    json_int(j, "tid", e->thread);
    put_time(j, "ts", e->start_ns - begin_ns);
    if (phase[0] == 'X')
        put_time(j, "dur", e->duration_ns);
    if (phase[0] == 'i')
        json_text(j, "s", "t");
    if (!mark)
        put_args(j, l, e, sequence);
    json_end_object(j);
}

static int put_perfetto(struct stream *s, FILE *out)
{
    struct json j;
    struct lanes lanes = {0};
    const struct event *e;
    int rc = lanes_make(&lanes, s);
    int64_t begin_ns = 0;
    if (rc)
        return rc;
    uint64_t sequence = 0;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "displayTimeUnit", "ns");
    json_array(&j, "traceEvents");
    export_put_processes(&j, s, &lanes);
    while ((rc = next_call(s, &e)) == 1 && !ferror(out)) {
        begin_ns = sequence ? begin_ns : e->start_ns;
        put_event(&j, s->last, e, export_lane_of(&lanes, s, e), begin_ns, sequence++);
    }
    free(lanes.of);
    json_end_array(&j);
    json_end_object(&j);
    return rc < 0 ? rc : json_finish(&j);
}

/* ---- CSV ------------------------------------------------------------------ */

static void export_put_line(FILE *out, const struct log *l, const struct event *e,
                            uint64_t sequence)
{
    fprintf(out, "%" PRIu64 ",%d,%d,%" PRIu32 ",%d,%s,%s,", sequence, log_info(l)->rank,
            e->pid, e->thread, e->level, op_get(e->op)->name,
            op_class_name((enum trace_class)e->class));
    csv_text(out, log_name(l, e->name));
    fprintf(out, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", e->fd,
            e->offset, e->request, e->result, e->bytes);
    table_seconds(out, e->start_ns);
    fputc(',', out);
    table_seconds(out, e->duration_ns);
    fputc('\n', out);
}

static int put_csv(struct stream *s, FILE *out)
{
    const struct event *e;
    int rc;
    uint64_t sequence = 0;
    fputs(
        "sequence,rank,pid,thread,level,operation,class,file,fd,offset,request,result,"
        "bytes,start_s,duration_s\n",
        out);
    while ((rc = next_call(s, &e)) == 1 && !ferror(out))
        export_put_line(out, s->last, e, sequence++);
    return rc < 0 ? rc : 0;
}

/* ---- both ----------------------------------------------------------------- */

static int export_to(struct run *r, const char *path,
                     int (*put)(struct stream *s, FILE *out))
{
    struct stream s;
    struct outfile out = {0};
    int rc = stream_open(&s, r);
    rc = rc ? rc : outfile_open(&out, path, OUTFILE_STREAM);
    rc = outfile_close(&out, rc ? rc : put(&s, out.file));
    for (int i = 0; i < s.logs; i++)
        run_say_notes(s.log[i]);
    stream_close(&s);
    return rc ? err_set(-EIO, path, -1, "it cannot be written") : 0;
}

static int export_darshan(struct run *r, const char *path)
{
    struct outfile out;
    int rc = outfile_open(&out, path, OUTFILE_STREAM);
    return outfile_close(&out, rc ? rc : darshan_put(r, out.file));
}

static int export_parquet(const char *run, const char *path)
{
    if (!strcmp(path, "-"))
        return err_usage("Parquet cannot be written to standard output: give it "
                         "--out=FILE");
    const char *const args[] = {"--out", path, "--", run, NULL};
    return python_become("trace/iotrace_parquet.py", args);
}

struct export
{
    const char *run, *to, *out, *perfetto, *csv;
};

/* Writes all formats. Each one finds the run's logs again, so those that cannot be read
 * are counted once. */
static int export_all(struct run *r, struct export *x)
{
    int rc = 0;
    if (x->to && !strcmp(x->to, "perfetto"))
        x->perfetto = x->out;
    if (x->to && !strcmp(x->to, "csv"))
        x->csv = x->out;
    if (x->perfetto)
        rc = export_to(r, x->perfetto, put_perfetto);
    r->unreadable = x->csv && !rc ? 0 : r->unreadable;
    if (!rc && x->csv)
        rc = export_to(r, x->csv, put_csv);
    if (!rc && x->to && !strcmp(x->to, "darshan-text"))
        rc = export_darshan(r, x->out);
    if (!rc && x->to && !strcmp(x->to, "parquet"))
        rc = export_parquet(x->run, x->out);
    return rc;
}

int command_export(int argc, char **argv)
{
    struct export x = {0};
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &x.run, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_CHOICE, "to", .value = &x.to, .arg = "FORMAT",
         .choices = "perfetto|csv|parquet|darshan-text",
         .help =
             "trace events (JSON) for the Perfetto UI or chrome://tracing; all that "
             "is known of each event, as CSV or as Parquet (needs Python and "
             "pyarrow); counters by rank and file as darshan-parser prints them",
         .text = "The form of the output.",
         .choice_text =
             {"trace events in JSON, for ui.perfetto.dev and chrome://tracing, with "
              "the program's regions and marks. A process there is a rank. Processes "
              "without a rank are numbered above all ranks; their names have their "
              "own numbers. Times count from the first event",
              "all data of each event, in UTF-8; other bytes of a name are written "
              "as \\\\xHH",
              "the same columns for data frames, with times as whole nanoseconds in "
              "start_ns and duration_ns (needs Python and pyarrow)",
              "counters and times of each module, rank and file in the layout of "
              "darshan-parser, as far as they follow from a trace. A shared file has "
              "one record for each rank, as with DARSHAN_DISABLE_SHARED_REDUCTION. "
              "As in Darshan, POSIX calls of libraries are included, and files of "
              "the system are not"}},
        {OPT_TEXT, "out", 'o', .value = &x.out, .preset = "-", .arg = "FILE",
         .help = "where --to goes; -: standard output",
         .text = "The output file; *-* is standard output, but not for Parquet."},
        {OPT_TEXT, "perfetto", .value = &x.perfetto, .arg = "FILE",
         .help = "short for --to=perfetto --out=FILE",
         .text = "Short for --to=perfetto --out=FILE; may be given with --csv."},
        {OPT_TEXT, "csv", .value = &x.csv, .arg = "FILE",
         .help = "short for --to=csv --out=FILE"}};
    const struct opt_program p = {
        "iotrace export", "RUN",
        "Writes all events, by start time, or counters of them, for other programs.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    struct run r = {0};
    int rc = x.to || x.perfetto || x.csv
                 ? run_find(&r, x.run)
                 : err_usage("it needs --to=FORMAT, --perfetto=FILE or --csv=FILE");
    rc = rc ? rc : export_all(&r, &x);
    status = run_verdict(&r, rc);
    run_free(&r);
    return status;
}
