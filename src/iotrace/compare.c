/* compare: shows what changed between two runs, by call and by file, most time first;
 * pipes and files of the kernel come last. */
#include "base/err.h"
#include "base/format/json.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/units.h"
#include "iotrace/commands.h"
#include "iotrace/summary.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct change {
    const char *name;
    struct sum a, b;
    bool other; /* a pipe, or a file of the kernel */
};

struct changes {
    struct change *row;
    int n;
};

static int64_t gain(const struct change *c)
{
    return llabs(c->b.ns - c->a.ns);
}

static int by_gain(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->other != y->other)
        return x->other ? 1 : -1;
    if (gain(x) != gain(y))
        return gain(x) > gain(y) ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int changes_room(struct changes *c, size_t n)
{
    *c = (struct changes){.row = mem_new(n + 1, sizeof *c->row, "the comparison")};
    return c->row ? 0 : -ENOMEM;
}

static int compare_calls(struct changes *c, struct summary *const s[2])
{
    int rc = changes_room(c, (size_t)op_count());
    for (int op = 0; op < op_count() && !rc; op++) {
        const struct call_sum *a = s[0]->call[0][op], *b = s[1]->call[0][op];
        if (a || b)
            c->row[c->n++] =
                (struct change){op_get(op)->name, a ? a->sum : (struct sum){0},
                                b ? b->sum : (struct sum){0}, false};
    }
    if (!rc)
        qsort(c->row, (size_t)c->n, sizeof *c->row, by_gain);
    return rc;
}

static struct sum file_sum_of(const struct summary *s, uint32_t id, bool known)
{
    return known ? summary_io(s->file[id].sum) : (struct sum){0};
}

static int compare_files(struct changes *c, struct summary *const s[2])
{
    int rc = changes_room(c, (size_t)s[0]->files.n + s[1]->files.n + 1);
    for (uint32_t id = 0; id <= s[0]->files.n && !rc; id++) {
        const char *name = names_get(&s[0]->files, id);
        uint32_t other = names_find(&s[1]->files, name);
        c->row[c->n++] = (struct change){
            summary_file_name(s[0], id), file_sum_of(s[0], id, true),
            file_sum_of(s[1], other, !id || other), id && !s[0]->file[id].stored};
    }
    for (uint32_t id = 1; id <= s[1]->files.n && !rc; id++) {
        const char *name = names_get(&s[1]->files, id);
        if (!names_find(&s[0]->files, name))
            c->row[c->n++] = (struct change){
                name, {0}, file_sum_of(s[1], id, true), !s[1]->file[id].stored};
    }
    int kept = 0;
    for (int i = 0; i < c->n && !rc; i++)
        if (c->row[i].a.calls || c->row[i].b.calls)
            c->row[kept++] = c->row[i];
    c->n = kept;
    if (!rc)
        qsort(c->row, (size_t)c->n, sizeof *c->row, by_gain);
    return rc;
}

static void compare_put_row(const struct change *c)
{
    char name[45], ba[16], bb[16], ta[16], tb[16], d[16];
    int64_t ns = c->b.ns - c->a.ns;
    size_t n = strlen(c->name);
    snprintf(name, sizeof name, "%s", n > 44 ? c->name + n - 44 : c->name);
    printf("%-44s %9lld %9lld %10s %10s %8s %8s  %c%s\n",
           plain(name, sizeof name, name), (long long)c->a.calls, (long long)c->b.calls,
           units_bytes(ba, c->a.bytes), units_bytes(bb, c->b.bytes),
           units_seconds(ta, summary_s(c->a.ns)), units_seconds(tb, summary_s(c->b.ns)),
           ns < 0 ? '-' : '+', units_seconds(d, summary_s(llabs(ns))));
}

static void compare_put_text(const char *what, const struct changes *c, int64_t top)
{
    printf("\n%-44s %9s %9s %10s %10s %8s %8s  %s\n", what, "calls A", "B", "bytes A",
           "B", "time A", "B", "change");
    for (int i = 0; i < c->n && i < top; i++)
        compare_put_row(&c->row[i]);
    if (c->n > top)
        printf("... and %lld more (--top, or --json for all)\n",
               (long long)(c->n - top));
}

static void compare_put_list(struct json *j, const char *key, const struct changes *c)
{
    json_array(j, key);
    for (int i = 0; i < c->n; i++) {
        json_object(j, NULL);
        json_text(j, "name", c->row[i].name);
        summary_put_sum(j, "a", &c->row[i].a);
        summary_put_sum(j, "b", &c->row[i].b);
        json_real(j, "change_s", summary_s(c->row[i].b.ns - c->row[i].a.ns));
        json_end_object(j);
    }
    json_end_array(j);
}

static int compare_put_json(struct summary *const s[2], const struct change *all,
                            const struct changes *calls, const struct changes *files,
                            const char *path)
{
    struct outfile out;
    struct json j;
    int rc = outfile_open(&out, path, OUTFILE_STREAM);
    if (rc)
        return rc;
    json_start(&j, out.file);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-compare");
    json_int(&j, "schema_version", 1);
    json_text(&j, "a", s[0]->run.path);
    json_text(&j, "b", s[1]->run.path);
    compare_put_list(&j, "all", &(struct changes){(struct change *)all, 1});
    compare_put_list(&j, "calls", calls);
    compare_put_list(&j, "files", files);
    json_end_object(&j);
    json_finish(&j);
    return outfile_close(&out, 0);
}

static int compare_show(struct summary *const s[2], int64_t top, const char *json)
{
    struct changes calls = {0}, files = {0};
    struct change all = {"all I/O", summary_io(s[0]->total), summary_io(s[1]->total),
                         false};
    int rc = compare_calls(&calls, s);
    rc = rc ? rc : compare_files(&files, s);
    if (!rc && (!json || strcmp(json, "-") != 0)) {
        char a[PLAIN_PATH], b[PLAIN_PATH];
        printf("A         %s\nB         %s\n", plain(a, sizeof a, s[0]->run.path),
               plain(b, sizeof b, s[1]->run.path));
        compare_put_text("all", &(struct changes){&all, 1}, 1);
        compare_put_text("call", &calls, top);
        compare_put_text("file", &files, top);
    }
    if (!rc && json)
        rc = compare_put_json(s, &all, &calls, &files, json);
    free(calls.row);
    free(files.row);
    return rc;
}

int command_compare(int argc, char **argv)
{
    const char *path[2] = {NULL, NULL}, *json = NULL;
    int64_t top;
    struct opt table[] = {
        {OPT_TEXT, "A", .value = &path[0], .required = true,
         .help = "a run's directory, or a log"},
        {OPT_TEXT, "B", .value = &path[1], .required = true, .help = "another"},
        {OPT_TEXT, "json", .value = &json, .arg = "FILE",
         .help = "all changes as JSON, into this file (-: standard output, instead of "
                 "the text)"},
        {OPT_INT, "top", .value = &top, .preset = "20", .arg = "N",
         .help = "rows of calls and files in the text"}};
    const struct opt_program p = {
        "iotrace compare", "A B",
        "What changed from run A to run B: calls, bytes and time of each call and each "
        "file, by the time gained or lost.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    struct summary *s[2] = {NULL, NULL};
    int rc = summary_make(&s[0], path[0]);
    rc = rc ? rc : summary_make(&s[1], path[1]);
    rc = rc ? rc : compare_show(s, top, json);
    for (int k = 0; k < 2 && s[k]; k++)
        for (int i = 0; i < s[k]->notes; i++)
            run_say(s[k]->note[i].log, s[k]->note[i].text);
    status = run_verdict(s[1] ? &s[1]->run : &s[0]->run, rc);
    if (status == EXIT_GOOD && s[0]->run.unreadable)
        status = EXIT_FAILED;
    /* both share the table of calls, so free neither while the other is in use */
    summary_free(&s[0]);
    summary_free(&s[1]);
    return status;
}
