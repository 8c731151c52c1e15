/* Finishes the log of a process that was killed. */
#include "base/err.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/plain.h"
#include "iotrace/commands.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/table.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sum {
    int64_t calls, bytes, ns;
};

struct sums {
    struct sum (*file)[2]; /* for each name: reads, writes */
    uint32_t files;
    int64_t events, bytes, ns, end_ns;
};

/* ---- .summary: Tables 2.2 and 2.3 ----------------------------------------- */

static void recover_add(struct sums *s, const struct event *e)
{
    if (e->start_ns + e->duration_ns > s->end_ns)
        s->end_ns = e->start_ns + e->duration_ns;
    if (e->level > 0 || !op_is_io((enum trace_class)e->class))
        return;
    int64_t bytes = e->bytes > 0 ? e->bytes : 0;
    s->events++;
    log_sum(&s->bytes, bytes);
    log_sum(&s->ns, e->duration_ns);
    bool of_file = e->class == CLASS_READ || e->class == CLASS_WRITE;
    if (!of_file || e->name > s->files)
        return;
    struct sum *f = &s->file[e->name][e->class == CLASS_WRITE];
    f->calls++;
    log_sum(&f->bytes, bytes);
    log_sum(&f->ns, e->duration_ns);
}

static void put_seconds(FILE *out, const char *key, int64_t ns)
{
    fprintf(out, "%s\t", key);
    table_seconds(out, ns);
    fputc('\n', out);
}

/* Counts distinct texts: a file may have a name for each of its descriptors. */
static uint32_t count_files(const struct log *l)
{
    struct names once = {0};
    int32_t fd;
    for (uint32_t id = 1; id <= log_names(l); id++)
        if (log_is_file(l, id, &fd))
            names_add(&once, log_name(l, id));
    uint32_t n = once.n;
    names_free(&once);
    return n;
}

static void put_process(FILE *out, const struct log *l, const struct sums *s)
{
    const struct log_info *i = log_info(l);
    char whole[PATH_MAX];
    fputs("App_Name\t", out);
    table_text(out, i->app);
    fputs("\nExe_Name\t", out);
    table_text(out, i->execution);
    fputs("\nTool_Name\tIOTRACE\nBinary_Trace_File\t", out);
    table_text(out, realpath(i->path, whole) ? whole : i->path);
    fprintf(out, "\nTotal_Num_IO_events\t%" PRId64 "\nTotal_IO_bytes\t%" PRId64 "\n",
            s->events, s->bytes);
    put_seconds(out, "Total_IO_time", s->ns);
    put_seconds(out, "Start_Time", i->begin_ns);
    put_seconds(out, "End_Time", i->end_ns > s->end_ns ? i->end_ns : s->end_ns);
    fprintf(out,
            "Number_of_Files\t%" PRIu32 "\nDropped_events\t%" PRIu64
            "\nExcluded_events\t%" PRIu64 "\n",
            count_files(l), i->dropped, i->excluded);
}

static void recover_put_file(FILE *out, const struct log *l, uint32_t id, int32_t fd,
                             const struct sum f[2])
{
    table_text(out, log_name(l, id));
    for (int w = 0; w < 2; w++) {
        fprintf(out, "\t%" PRId64 "\t%" PRId64 "\t", f[w].calls, f[w].bytes);
        table_seconds(out, f[w].ns);
    }
    fprintf(out, "\t%" PRIu32 "\t%" PRId32 "\n", id, fd);
}

static int put_summary(struct log *l, FILE *out)
{
    struct sums s = {.files = log_names(l)};
    struct event e;
    int rc, fd;
    s.file = mem_of(log_info(l)->path, s.files + 1, sizeof *s.file, "its files");
    if (!s.file)
        return -ENOMEM;
    while ((rc = log_next(l, &e)) == 1)
        recover_add(&s, &e);
    put_process(out, l, &s);
    fputs(
        "Filename\tTotal Number Read\tTotal Bytes Read\tTotal Time Read\t"
        "Total Number Write\tTotal Bytes Write\tTotal Time Write\tGlobal File ID\tfd\n",
        out);
    for (uint32_t id = 1; id <= s.files; id++)
        if (log_is_file(l, id, &fd))
            recover_put_file(out, l, id, fd, s.file[id]);
    free(s.file);
    return rc < 0 ? rc : 0;
}

/* ---- the table ------------------------------------------------------------ */

static int put_table(struct log *l, FILE *out)
{
    struct event e;
    uint64_t sequence = 0;
    int rc;
    table_head(out);
    while ((rc = log_next(l, &e)) == 1 && !ferror(out))
        table_row(out, l, &e, sequence++);
    return rc < 0 ? rc : 0;
}

/* ---- one log -------------------------------------------------------------- */

/* Writes a new file, and removes it after a failure: nobody could tell that it is
 * incomplete. */
static int write_new(struct log *l, const char *path, int (*put)(struct log *, FILE *))
{
    struct outfile out;
    int rc = outfile_open(&out, path, OUTFILE_NEW);
    if (rc)
        return rc;
    fchmod(fileno(out.file), 0600); /* the mode of the log */
    rc = put(l, out.file);
    rc = !rc && (fflush(out.file) || fsync(fileno(out.file))) ? -EIO : rc;
    rc = outfile_close(&out, rc);
    return rc ? err_set(rc, path, -1, "it cannot be written") : 0;
}

static int recover_part(struct log *l, const char *path, char *target, bool part)
{
    if (log_info(l)->table)
        return err_set(-EINVAL, path, -1, "this is a table, and complete");
    if (log_is_growing(l))
        return err_set(-EBUSY, path, -1, "process %d still writes it",
                       log_info(l)->pid);
    int rc = write_new(l, target, part ? put_table : put_summary);
    if (!rc)
        run_say_notes(l);
    if (!rc && part && unlink(path))
        rc =
            err_set(-errno, path, -1, "%s was made of it, but it cannot be removed: %s",
                    target, strerror(errno));
    return rc;
}

int recover_log(const char *path, char **made)
{
    size_t n = strlen(path);
    bool part = n > 5 && !strcmp(path + n - 5, ".part");
    char *target = mem_of(path, n + sizeof ".summary", 1, "a name");
    struct log *l;
    *made = NULL;
    if (!target)
        return -ENOMEM;
    if (log_is_place(path)) {
        free(target);
        return 0;
    }
    sprintf(target, "%.*s%s", (int)(part ? n - 5 : n), path, part ? "" : ".summary");
    if (!part && access(target, F_OK) == 0) {
        free(target);
        return 0;
    }
    int rc = log_open(&l, path);
    rc = rc ? rc : recover_part(l, path, target, part);
    log_close(&l);
    if (rc)
        free(target);
    else
        *made = target;
    return rc;
}

/* ---- the command ---------------------------------------------------------- */

static int recover_one(const char *path)
{
    char *made, from[PLAIN_PATH], to[PLAIN_PATH];
    int rc = recover_log(path, &made);
    if (!rc)
        printf("%s: %s\n", plain(from, sizeof from, path),
               made ? plain(to, sizeof to, made) : "nothing to do");
    free(made);
    return rc;
}

/* Recovers the logs of a folder, except complete ones. */
static int recover_all(const char *path)
{
    struct run r;
    int rc = run_find(&r, path), worst = 0;
    for (int i = 0; i < r.logs && !rc; i++) {
        size_t n = strlen(r.log[i]);
        if (r.logs > 1 && n > 4 && !strcmp(r.log[i] + n - 4, ".tsv"))
            continue;
        int one = recover_one(r.log[i]);
        if (one && r.logs > 1) { /* the other logs may still be good */
            err_print(stderr, "iotrace", err_get());
            err_clear();
            worst = one;
        } else
            rc = one;
    }
    run_free(&r);
    return rc ? rc : worst ? err_set(worst, path, -1, "not all could be recovered") : 0;
}

int command_recover(int argc, char **argv)
{
    struct opt_rest part = {0};
    struct opt table[] = {{OPT_REST, "PART", .value = &part, .required = true,
                           .help = "logs of killed processes, or directories of them"}};
    const struct opt_program p = {
        "iotrace recover", "PART...",
        "Does for the logs of killed processes what these could not: makes the table "
        "NAME of NAME.part, writes NAME.summary beside a log in binary form. Nothing "
        "is overwritten.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    int rc = 0;
    for (int i = 0; i < part.n && !rc; i++)
        rc = recover_all(part.item[i]);
    free(part.item);
    return run_verdict(&(struct run){0}, rc);
}
