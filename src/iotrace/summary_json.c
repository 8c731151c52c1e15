/* The summary in full. Times in seconds, bytes in bytes. */
#include "base/err.h"
#include "base/format/json.h"
#include "iotrace/summary.h"
#include <errno.h>
#include <stdlib.h>

void summary_put_sum(struct json *j, const char *key, const struct sum *sum)
{
    json_object_flat(j, key);
    json_int(j, "calls", sum->calls);
    json_int(j, "errors", sum->errors);
    json_int(j, "bytes", sum->bytes);
    json_real(j, "seconds", summary_s(sum->ns));
    json_end_object(j);
}

static void put_classes(struct json *j, const char *key, const struct sum *by_class)
{
    struct sum io = summary_io(by_class), meta = summary_metadata(by_class);
    json_object(j, key);
    for (int c = 0; c < CLASSES; c++)
        if (by_class[c].calls || by_class[c].ns)
            summary_put_sum(j, op_class_name((enum trace_class)c), &by_class[c]);
    summary_put_sum(j, "metadata", &meta);
    summary_put_sum(j, "all", &io);
    json_end_object(j);
}

static void put_access(struct json *j, const char *key, const struct access_count *a)
{
    static const char *const name[] = {"sequential", "strided", "random", "unknown"};
    json_object(j, key);
    for (int k = 0; k < ACCESS_KINDS; k++) {
        json_object_flat(j, name[k]);
        json_int(j, "calls", a->calls[k]);
        json_int(j, "bytes", a->bytes[k]);
        json_end_object(j);
    }
    json_end_object(j);
}

/* Puts the counts of non-empty buckets: [upper bound, count]. */
static void put_hist(struct json *j, const char *key, const int64_t *hist, double unit)
{
    json_array_flat(j, key);
    for (int b = 0; b < HIST_SIZE; b++)
        if (hist[b]) {
            json_array_flat(j, NULL);
            json_real(j, NULL, hist_bound(b) * unit);
            json_int(j, NULL, hist[b]);
            json_end_array(j);
        }
    json_end_array(j);
}

static void summary_json_put_latency(struct json *j, const struct call_sum *c)
{
    json_object_flat(j, "latency_s");
    json_real(j, "min", summary_s(c->min_ns));
    json_real(j, "p50", summary_latency_s(c, 0.5));
    json_real(j, "p95", summary_latency_s(c, 0.95));
    json_real(j, "p99", summary_latency_s(c, 0.99));
    json_real(j, "max", summary_s(c->max_ns));
    json_end_object(j);
    if (c->transfers) {
        json_object_flat(j, "transfer_bytes");
        json_int(j, "min", c->min_bytes);
        json_int(j, "p50", summary_size(c, 0.5));
        json_int(j, "p95", summary_size(c, 0.95));
        json_int(j, "max", c->max_bytes);
        json_end_object(j);
        put_hist(j, "transfer_bytes_histogram", c->size, 1);
    }
    put_hist(j, "latency_s_histogram", c->latency, 1e-9);
}

static int summary_json_calls(struct json *j, const char *key, const struct summary *s,
                              int nested)
{
    uint32_t *op;
    int n = summary_calls_by_time(s, nested, &op);
    if (n < 0)
        return n;
    json_array(j, key);
    for (int i = 0; i < n; i++) {
        const struct call_sum *c = s->call[nested][op[i]];
        json_object(j, NULL);
        json_text(j, "name", op_get((int)op[i])->name);
        json_text(j, "class", op_class_name(op_get((int)op[i])->class));
        summary_put_sum(j, "sum", &c->sum);
        summary_json_put_latency(j, c);
        json_end_object(j);
    }
    json_end_array(j);
    free(op);
    return 0;
}

static void summary_json_put_file(struct json *j, const struct summary *s, uint32_t id)
{
    const struct file_sum *f = &s->file[id];
    json_object(j, NULL);
    json_text(j, "name", summary_file_name(s, id));
    json_int(j, "processes", f->processes);
    put_classes(j, "by_class", f->sum);
    if (f->timed) {
        json_object_flat(j, "transfers");
        json_int(j, "min_bytes", f->min_bytes);
        json_int(j, "max_bytes", f->max_bytes);
        json_real(j, "p50_s", summary_file_latency_s(f, 0.5));
        json_real(j, "p99_s", summary_file_latency_s(f, 0.99));
        json_real(j, "max_s", summary_s(f->max_ns));
        json_end_object(j);
    }
    put_access(j, "reads", &f->access[0]);
    put_access(j, "writes", &f->access[1]);
    json_end_object(j);
}

static int summary_json_put_files(struct json *j, const struct summary *s)
{
    uint32_t *id;
    int n = summary_by_time(s, &id);
    if (n < 0)
        return n;
    json_array(j, "files");
    for (int i = 0; i < n; i++)
        summary_json_put_file(j, s, id[i]);
    json_end_array(j);
    free(id);
    return 0;
}

static void summary_json_put_processes(struct json *j, const struct summary *s)
{
    json_array(j, "processes");
    for (int i = 0; i < s->processes; i++) {
        const struct process_sum *p = &s->process[i];
        json_object(j, NULL);
        json_int(j, "rank", p->rank);
        json_int(j, "pid", p->pid);
        json_int(j, "generation", p->generation);
        json_int(j, "threads", p->threads);
        json_text(j, "application", p->app);
        json_text(j, "program", p->program);
        json_text(j, "host", p->host);
        json_real(j, "begin_s", summary_s(p->begin_ns));
        json_real(j, "seconds", process_wall_s(p));
        json_real(j, "io_s", process_io_s(p));
        json_real(j, "non_io_s", process_wall_s(p) - process_io_s(p));
        put_classes(j, "by_class", p->sum);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_imbalance(struct json *j, const char *key, const struct summary *s,
                          double (*of)(const struct process_sum *))
{
    struct imbalance i = summary_imbalance(s, of);
    json_object_flat(j, key);
    json_real(j, "mean", i.mean);
    json_real(j, "max", i.max);
    if (s->processes) {
        json_int(j, "max_rank", s->process[i.max_process].rank);
        json_int(j, "max_pid", s->process[i.max_process].pid);
    }
    json_end_object(j);
}

static void put_remarks(struct json *j, const struct summary *s)
{
    json_array(j, "warnings");
    if (s->total[CLASS_MAP].calls)
        json_text(j, NULL,
                  "what is read and written through mapped memory is not seen");
    json_end_array(j);
    json_array(j, "unseen");
    char text[UNSEEN_SIZE];
    for (int i = 0; unseen_text(&s->unseen, i, text); i++)
        json_text(j, NULL, text);
    json_end_array(j);
    unseen_json(&s->unseen, j);
    json_array(j, "notes");
    for (int i = 0; i < s->notes; i++) {
        json_object_flat(j, NULL);
        json_text(j, "log", s->note[i].log);
        json_text(j, "note", s->note[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

int summary_json(const struct summary *s, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-summary");
    json_int(&j, "schema_version", 1);
    json_text(&j, "run", s->run.path);
    json_int(&j, "logs", s->read);
    json_int(&j, "logs_unreadable", s->run.unreadable);
    json_unsigned(&j, "events_dropped", s->unseen.dropped);
    json_unsigned(&j, "damaged", s->damaged);
    json_real(&j, "begin_s", summary_s(s->begin_ns));
    json_real(&j, "seconds", summary_wall_s(s));
    put_classes(&j, "total", s->total);
    put_classes(&j, "nested", s->nested);
    put_access(&j, "reads", &s->access[0]);
    put_access(&j, "writes", &s->access[1]);
    json_int(&j, "transfers", s->transfers);
    json_int(&j, "transfers_below_4KiB", s->small_calls);
    int rc = summary_json_calls(&j, "calls", s, 0);
    rc = rc ? rc : summary_json_calls(&j, "nested_calls", s, 1);
    rc = rc ? rc : summary_json_put_files(&j, s);
    summary_json_put_processes(&j, s);
    json_object(&j, "imbalance");
    put_imbalance(&j, "io_s", s, process_io_s);
    put_imbalance(&j, "bytes", s, process_bytes);
    put_imbalance(&j, "seconds", s, process_wall_s);
    json_end_object(&j);
    put_remarks(&j, s);
    json_end_object(&j);
    json_finish(&j); /* outfile_close checks that all is written */
    return rc;
}
