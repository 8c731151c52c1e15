/* dump and merge: print events as a table with the columns of Table 2.1. */
#include "base/err.h"
#include "base/format/outfile.h"
#include "iotrace/commands.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/table.h"
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    const char *run, *out;
    struct opt_list op, file;
    int64_t rank;
    double from_s, to_s;
    bool all; /* there is no condition */
    int64_t begin_ns;
};

static bool matches(const struct opt_list *l, const char *text, bool glob)
{
    for (int i = 0; i < l->n; i++)
        if (glob ? !fnmatch(l->item[i], text, 0) : !strcmp(l->item[i], text))
            return true;
    return l->n == 0;
}

static bool wanted(const struct filter *f, const struct log *l, const struct event *e)
{
    double at = (double)(e->start_ns - f->begin_ns) * 1e-9;
    if (f->rank >= 0 && log_info(l)->rank != f->rank)
        return false;
    return at >= f->from_s && at < f->to_s &&
           matches(&f->op, op_get(e->op)->name, false) &&
           matches(&f->file, log_name(l, e->name), true);
}

static int rows(FILE *out, struct filter *f, struct stream *s)
{
    const struct event *e;
    int rc;
    uint64_t sequence = 0;
    table_head(out);
    while ((rc = stream_next(s, &e)) == 1) {
        if (e->other_end)
            continue; /* a table has one line for a copy */
        if (sequence == 0)
            f->begin_ns = e->start_ns;
        if (f->all || wanted(f, s->last, e))
            table_row(out, s->last, e, sequence);
        sequence++;
        if (ferror(out))
            break;
    }
    return rc < 0 ? rc : 0;
}

static int write_table(struct run *r, struct filter *f, const char *path)
{
    struct stream s;
    struct outfile out = {0};
    int rc = stream_open(&s, r);
    rc = rc ? rc : outfile_open(&out, path, OUTFILE_STREAM | OUTFILE_NEW);
    rc = outfile_close(&out, rc ? rc : rows(out.file, f, &s));
    for (int i = 0; i < s.logs; i++)
        run_say_notes(s.log[i]);
    stream_close(&s);
    return rc;
}

/* Refuses a place in the run's folder: readers would take the table for a log of the
 * run. */
static int check_place(const char *run, const char *out)
{
    char folder[PATH_MAX], place[PATH_MAX], copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", out);
    char *slash = strrchr(copy, '/');
    if (slash)
        *slash = 0;
    if (!realpath(run, folder) || !realpath(!slash ? "." : copy[0] ? copy : "/", place))
        return 0; /* opening it will report the error */
    size_t n = strlen(folder);
    if (!strncmp(folder, place, n) && (place[n] == 0 || place[n] == '/'))
        return err_usage("%s is within %s: it would be read as one more log of it", out,
                         run);
    return 0;
}

int command_dump(int argc, char **argv)
{
    struct filter f = {.rank = -1, .out = "-", .to_s = 1e300};
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &f.run, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_LIST, "op", .value = &f.op, .arg = "NAME",
         .help = "only calls of this name; may be repeated"},
        {OPT_LIST, "file", .value = &f.file, .arg = "GLOB",
         .help = "only files whose name matches, as in \"*.h5\"; may be repeated",
         .text = "Only files whose whole name matches; may be repeated."},
        {OPT_INT, "rank", .value = &f.rank, .arg = "N", .help = "only this rank"},
        {OPT_REAL, "from", .value = &f.from_s, .arg = "S", .unit = "s",
         .help = "only calls that began this many seconds after the first, or later"},
        {OPT_REAL, "to", .value = &f.to_s, .arg = "S", .unit = "s",
         .help = "only calls that began before that",
         .text = "Only calls that began before this many seconds after the first."},
        {OPT_TEXT, "out", 'o', .value = &f.out, .preset = "-", .arg = "FILE",
         .help = "where the table goes; it must not exist",
         .text = "The file for the table. It must not exist, and its name must not "
                 "make it a log in RUN's directory."}};
    const struct opt_program p = {
        "iotrace dump", "RUN",
        "Prints every event, by start time, as a line of tab-separated columns. \"Op "
        "sequence\" numbers all events, also those that are not shown.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    f.all = !f.op.n && !f.file.n && f.rank < 0 && f.from_s <= 0 && f.to_s > 1e299;
    struct run r = {0};
    int rc = strcmp(f.out, "-") != 0 ? check_place(f.run, f.out) : 0;
    rc = rc ? rc : run_find(&r, f.run);
    rc = rc ? rc : write_table(&r, &f, f.out);
    status = run_verdict(&r, rc);
    run_free(&r);
    return status;
}

int command_merge(int argc, char **argv)
{
    struct filter f = {.rank = -1, .all = true};
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &f.run, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_TEXT, "out", 'o', .value = &f.out, .arg = "FILE",
         .help = "where the table goes (-: standard output); it must not exist"}};
    const struct opt_program p = {
        "iotrace merge", "-o FILE RUN",
        "Writes the events of all processes into one table, by start time.", table,
        sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    struct run r = {0};
    int rc = f.out ? check_place(f.run, f.out)
                   : err_usage("it needs -o FILE; see iotrace merge --help");
    rc = rc ? rc : run_find(&r, f.run);
    rc = rc ? rc : write_table(&r, &f, f.out);
    status = run_verdict(&r, rc);
    run_free(&r);
    return status;
}
