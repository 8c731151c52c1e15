#include "iotrace/read/table.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/format/escape.h"
#include "iotrace/read/log.h"
#include "iotrace/read/names.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const table_column[COLUMNS] = {
    "Application", "Execution", "Tool",       "Filename", "fd",         "Op sequence",
    "Operation",   "Bytes",     "start_time", "end_time", "Time (sec)", "PID"};

/* ---- writing -------------------------------------------------------------- */

void table_text(FILE *out, const char *text)
{
    char one[2] = "", as[ESCAPE_MOST + 1];
    for (;; text++) {
        size_t n = escape_none(text);
        fwrite(text, 1, n, out);
        text += n;
        if (!*text)
            break;
        *one = *text;
        escape_text(as, one);
        fputs(as, out);
    }
}

void table_seconds(FILE *out, int64_t ns)
{
    uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    fprintf(out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", v / 1000000000,
            v % 1000000000);
}

void table_head(FILE *out)
{
    for (int c = 0; c < COLUMNS; c++)
        fprintf(out, "%s%s", c ? "\t" : "", table_column[c]);
    fputc('\n', out);
}

void table_row(FILE *out, const struct log *l, const struct event *e, uint64_t sequence)
{
    const struct log_info *i = log_info(l);
    table_text(out, i->app);
    fputc('\t', out);
    table_text(out, i->execution);
    fputs("\tIOTRACE\t", out);
    table_text(out, log_name(l, e->name));
    fprintf(out, "\t%" PRId32 "\t%" PRIu64 "\t%s\t%" PRId64 "\t", e->fd, sequence,
            op_get(e->op)->name, e->bytes);
    table_seconds(out, e->start_ns);
    fputc('\t', out);
    table_seconds(out, e->start_ns + e->duration_ns);
    fputc('\t', out);
    table_seconds(out, e->duration_ns);
    fprintf(out, "\t%" PRId32 "\n", e->pid);
}

/* ---- reading -------------------------------------------------------------- */

#define LINE_SIZE (64 << 10)
#define HEAD_COLUMNS 64

#define OUTER_SLOTS 1024

struct table {
    FILE *in;
    struct { /* the library call in progress of each process */
        int32_t pid;
        uint32_t name;
        int64_t start_ns, end_ns;
    } outer[OUTER_SLOTS];
    int place[HEAD_COLUMNS]; /* the column at each place; -1: an unknown one */
    int places;
    char line[LINE_SIZE];
    char *field[COLUMNS];
    char app[256], execution[256];
    struct names names;
};

/* Splits the line in place. Returns 0, or -1 if it lacks fields of the head. */
static int table_split(struct table *t)
{
    char *s = t->line;
    for (int i = 0; i < t->places; i++) {
        size_t n = strcspn(s, "\t\n");
        char end = s[n];
        s[n] = 0;
        if (t->place[i] >= 0)
            t->field[t->place[i]] = s;
        s += n + 1;
        if (end != (i + 1 < t->places ? '\t' : '\n'))
            return -1;
    }
    return 0;
}

/* Reads the next line. Returns 1; 0 at the end; -1: it is too long, and was skipped. A
 * zero byte does not end a line: the rest counts as another one. */
static int table_read_line(struct table *t)
{
    char *last = &t->line[LINE_SIZE - 2];
    int c;
    *last = 0;
    if (!fgets(t->line, LINE_SIZE, t->in))
        return 0;
    if (*last == 0 || *last == '\n')
        return 1;
    while ((c = fgetc(t->in)) != EOF && c != '\n')
        ;
    return -1;
}

static int table_read_head(struct log *l)
{
    struct table *t = l->table;
    bool has[COLUMNS] = {false};
    if (table_read_line(t) != 1)
        return err_set(-EINVAL, l->info.path, 0, "the table's first line is damaged");
    t->line[strcspn(t->line, "\n")] = 0;
    for (char *s = t->line; s && t->places < HEAD_COLUMNS; t->places++) {
        char *end = strchr(s, '\t');
        if (end)
            *end++ = 0;
        int c = 0;
        while (c < COLUMNS && strcmp(table_column[c], s) != 0)
            c++;
        t->place[t->places] = c < COLUMNS && !has[c] ? c : -1;
        if (c < COLUMNS)
            has[c] = true;
        s = end;
    }
    for (int c = 0; c < COLUMNS; c++)
        if (!has[c])
            return err_set(-EINVAL, l->info.path, 0, "the table has no column \"%s\"",
                           table_column[c]);
    return 0;
}

static int table_open(struct log *l)
{
    struct table *t = l->table =
        mem_of(l->info.path, 1, sizeof *t, "reading the table");
    if (!t || !(t->in = fdopen(l->fd, "r")))
        return mem_none(l->info.path, 0, "reading the table");
    l->fd = -1; /* the stream owns it */
    l->info.table = true;
    pairs_without_requests(l->pairs);
    l->info.state = TRACE_EXITED;
    return table_read_head(l);
}

/* Converts decimal seconds to whole nanoseconds: a double has too few digits. */
static int parse_seconds(const char *s, int64_t *ns)
{
    int64_t whole = 0, part = 0, digits = 0;
    bool minus = *s == '-';
    s += minus;
    if (*s < '0' || *s > '9')
        return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        if ((whole = 10 * whole + (*s - '0')) > 4000000000)
            return -1;
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++)
            if (digits < 9) {
                part = 10 * part + (*s - '0');
                digits++;
            }
    while (digits++ < 9)
        part *= 10;
    *ns = (minus ? -1 : 1) * (whole * 1000000000 + part);
    return *s ? -1 : 0;
}

static int fill_event(struct log *l, struct event *e)
{
    struct table *t = l->table;
    int64_t fd, pid, end_ns;
    *e = (struct event){.offset = -1};
    if (parse_seconds(t->field[COLUMN_START], &e->start_ns) ||
        parse_seconds(t->field[COLUMN_END], &end_ns) ||
        units_parse_int(t->field[COLUMN_BYTES], &e->bytes) ||
        units_parse_int(t->field[COLUMN_FD], &fd) ||
        units_parse_int(t->field[COLUMN_PID], &pid))
        return -1;
    int op = op_number(t->field[COLUMN_OPERATION], CLASSES);
    if (op < 0 || end_ns < e->start_ns || end_ns - e->start_ns >= LOG_DURATION_NS ||
        e->bytes < -1 || e->bytes >= LOG_BYTES || fd != (int32_t)fd ||
        pid != (int32_t)pid)
        return -1;
    escape_undo(t->field[COLUMN_FILENAME]);
    e->duration_ns = end_ns - e->start_ns;
    e->result = e->request = e->bytes;
    e->fd = (int32_t)fd;
    e->pid = (int32_t)pid;
    e->op = (uint16_t)op;
    e->class = (uint8_t)op_get(op)->class;
    if (op_get(op)->begins && !e->bytes) /* else it counted at once */
        e->flags = TRACE_ASYNC;
    if (t->field[COLUMN_FILENAME][0])
        e->name = names_add(&t->names, t->field[COLUMN_FILENAME]);
    return 0;
}

/* Infers levels, which a table lacks: a call that lies within one of MPI-IO, HDF5 or
 * PnetCDF, by the same process and to the same file, counts as made by it. */
static void set_level(struct log *l, struct event *e)
{
    struct table *t = l->table;
    int64_t end_ns = e->start_ns + e->duration_ns;
    unsigned k = (unsigned)e->pid % OUTER_SLOTS;
    if (t->outer[k].pid == e->pid && t->outer[k].name == e->name &&
        e->start_ns >= t->outer[k].start_ns && end_ns <= t->outer[k].end_ns) {
        e->level = 1;
        l->info.inferred++;
    } else if (op_get(e->op)->library != LIBRARY_NONE) {
        t->outer[k].pid = e->pid;
        t->outer[k].name = e->name;
        t->outer[k].start_ns = e->start_ns;
        t->outer[k].end_ns = end_ns;
    }
}

/* Takes facts that are the same in all lines from the first. */
static void fill_info(struct log *l, const struct event *e)
{
    struct table *t = l->table;
    struct log_info *i = &l->info;
    if (!i->pid) {
        snprintf(t->app, sizeof t->app, "%s", t->field[COLUMN_APPLICATION]);
        snprintf(t->execution, sizeof t->execution, "%s", t->field[COLUMN_EXECUTION]);
        i->app = t->app;
        i->execution = t->execution;
        i->pid = e->pid;
        i->begin_ns = e->start_ns;
    }
    if (e->start_ns + e->duration_ns > i->end_ns)
        i->end_ns = e->start_ns + e->duration_ns;
}

static int table_next(struct log *l, struct event *e)
{
    struct table *t = l->table;
    for (int rc; (rc = table_read_line(t)) != 0;) {
        if (rc < 0 || table_split(t) || fill_event(l, e)) {
            l->info.damaged++;
            continue;
        }
        set_level(l, e);
        fill_info(l, e);
        return 1;
    }
    if (ferror(t->in))
        return err_set(-EIO, l->info.path, -1, "the table cannot be read: %s",
                       strerror(errno));
    return 0;
}

static const char *table_name(const struct log *l, uint32_t id)
{
    return names_get(&l->table->names, id);
}

static uint32_t table_names(const struct log *l)
{
    return l->table->names.n;
}

static void table_close(struct log *l)
{
    struct table *t = l->table;
    if (!t)
        return;
    if (t->in)
        fclose(t->in);
    names_free(&t->names);
    free(t);
    l->table = NULL;
}

const struct log_kind table_kind = {
    .begins = "Application\t",
    .open = table_open,
    .next = table_next,
    .name = table_name,
    .names = table_names,
    .close = table_close,
};
