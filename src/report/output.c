/* The report's output files: refused early, replaced as a whole. */
#include "base/format/outfile.h"
#include "base/scratch.h"
#include "report/sink.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reports a refused path. A path that the user can change is a usage error; a full disk
 * is not. */
static int output_refuse(const char *path, int code, const char *why)
{
    why = why ? why : strerror(code);
    switch (code) {
    case EFBIG:
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case ENOMEM:
    case ESTALE:
        return err_set(-code, path, -1, "the report cannot be written: %s", why);
    default:
        return err_usage_of(path, "the report cannot be written: %s", why);
    }
}

/* Checks that a new file can be made in its directory. */
static int check_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                     slash ? path : ".");
    if (n >= (int)sizeof folder)
        return output_refuse(path, ENAMETOOLONG, NULL);
    return access(folder, W_OK | X_OK) ? output_refuse(path, errno, NULL) : 0;
}

/* Checks a path. Devices are refused: a report is written when a run begins and again
 * when it ends. */
static int check_path(const char *path)
{
    struct outfile_place at;
    if (!path || report_to_stdout(path))
        return 0;
    int rc = outfile_find(&at, path, OUTFILE_WHOLE);
    return rc ? output_refuse(path, -rc, at.why) : at.there ? 0 : check_folder(path);
}

static int close_stream(FILE *out, int rc)
{
    errno = 0;
    if (rc == 0 && fflush(out))
        rc = errno ? -errno : -EIO;
    if (rc == 0 && fsync(fileno(out)) && errno != EINVAL && errno != ENOTSUP)
        rc = -errno; /* some file systems have no fsync */
    if (fclose(out) && rc == 0)
        rc = errno ? -errno : -EIO;
    return rc;
}

/* Writes beside `path` and renames, so that a reader finds the old file or the new one,
 * whole. Until then the temporary file is remembered for removal (base/scratch.h). */
static int write_by_rename(const char *path, int (*fill)(const void *, FILE *),
                           const void *what)
{
    char tmp[PATH_MAX];
    struct outfile_place at;
    int fd = -1;
    watchdog_arm_as_set("writing the report", path);
    int rc = outfile_find(&at, path, OUTFILE_WHOLE);
    rc = rc ? rc : scratch_create_beside(at.path, tmp, &fd);
    FILE *out = rc ? NULL : fdopen(fd, "w");
    rc = rc || out ? rc : -errno;
    if (out) {
        errno = 0;
        rc = fill(what, out);
        rc = close_stream(out, rc && errno ? -errno : rc);
    } else if (fd >= 0) {
        close(fd);
    }
    if (rc == 0 && rename(tmp, at.path))
        rc = -errno;
    if (rc && fd >= 0)
        unlink(tmp);
    if (fd >= 0)
        scratch_forget(tmp);
    watchdog_disarm();
    return rc ? output_refuse(path, -rc, at.why) : 0;
}

bool report_to_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

int report_write(const char *path, int (*fill)(const void *, FILE *), const void *what)
{
    int rc = check_path(path);
    if (!report_to_stdout(path))
        return rc ? rc : write_by_rename(path, fill, what);
    fill(what, stdout); /* errors are checked at the program's end */
    return 0;
}

static int fill_csv(const void *model, FILE *out)
{
    return sink_csv(model, out);
}

static int fill_json(const void *model, FILE *out)
{
    return sink_json(model, out);
}

/* Writes one format. Standard output gets only the final report. */
static int write_one(const char *path, int (*fill)(const void *, FILE *),
                     const struct model *m, bool ended)
{
    if (!path || (report_to_stdout(path) && !ended))
        return 0;
    return report_to_stdout(path) ? report_write(path, fill, m)
                                  : write_by_rename(path, fill, m);
}

/* The JSON file as this run has left it. */
static struct {
    bool known;
    struct stat file;
} mine;

/* Compares the size, too: an inode may have been given to another file. */
static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size;
}

/* Says if another run has written the file meanwhile. It is replaced even so, as
 * nobody knows which of the two the user wants. */
static void tell_of_others(const struct model *m)
{
    struct stat now;
    if (mine.known && !stat(m->json_path, &now) && !same_file(&now, &mine.file))
        err_tell(m->program->name, "warning", m->json_path,
                 "the report was written by another run meanwhile, and is replaced: "
                 "give each run its own file");
}

static int write_json(const struct model *m, bool ended)
{
    bool file = m->json_path && !report_to_stdout(m->json_path);
    watchdog_arm_as_set("looking at the report", m->json_path);
    if (file)
        tell_of_others(m);
    int rc = write_one(m->json_path, fill_json, m, ended);
    watchdog_arm_as_set("looking at the report", m->json_path);
    mine.known = file && !rc && !stat(m->json_path, &mine.file);
    watchdog_disarm();
    return rc;
}

/* Writes the outputs, JSON last: it says "valid", which needs the other file to be
 * in place. */
int output_write(const struct model *m, bool ended)
{
    int rc = write_one(m->csv_path, fill_csv, m, ended);
    return rc ? rc : write_json(m, ended);
}

int output_check(const struct model *m)
{
    if (m->json_path && m->csv_path && !strcmp(m->json_path, m->csv_path))
        return err_usage("JSON and CSV cannot both be written to %s",
                         report_to_stdout(m->json_path) ? "standard output"
                                                        : m->json_path);
    int rc = check_path(m->json_path);
    return rc ? rc : check_path(m->csv_path);
}
