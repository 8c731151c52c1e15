#include "hydro/pfm_side.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *pfm_side_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- inputs --------------------------------------------------------------------- */

/* Makes room for one more entry after n: arrays grow when n is a power of two. */
static int pfm_side_grow(void **array, int64_t n, size_t size)
{
    if (n & (n - 1))
        return 0;
    void *more = mem_grow(*array, n ? 2 * n : 1, size, "a list of input files");
    if (!more)
        return -ENOMEM;
    *array = more;
    return 0;
}

static int add_file(struct pfm_inputs *in, const char *path, int64_t type, bool deleted)
{
    int rc = pfm_side_grow((void **)&in->file, in->files, sizeof *in->file);
    char *copy = rc ? NULL : mem_text(path, "a list of input files");
    if (!rc && !copy)
        rc = -ENOMEM;
    if (!rc)
        in->file[in->files++] = (struct pfm_input){copy, type, deleted};
    return rc;
}

static int add_line(struct pfm_inputs *in, const char *name, const char *suffix)
{
    size_t n = strlen(name) + strlen(suffix) + 1;
    int rc = pfm_side_grow((void **)&in->line, in->lines, sizeof *in->line);
    char *line = rc ? NULL : mem_new(n, 1, "a list of lines");
    if (!rc && !line)
        rc = -ENOMEM;
    if (rc)
        return rc;
    snprintf(line, n, "%s%s", name, suffix);
    in->line[in->lines++] = line;
    return 0;
}

int pfm_inputs_add(struct pfm_inputs *in, const char *path, int64_t type)
{
    if (strchr(path, '\n'))
        return err_set(-EINVAL, path, -1,
                       "a PFM cannot list a file that has a line break in its name");
    int rc = add_file(in, path, type, false);
    return rc ? rc : add_line(in, pfm_side_name_of(path), "-000");
}

void pfm_inputs_free(struct pfm_inputs *in)
{
    for (int64_t i = 0; i < in->files; i++)
        free(in->file[i].path);
    for (int64_t i = 0; i < in->lines; i++)
        free(in->line[i]);
    free(in->file);
    free(in->line);
    *in = (struct pfm_inputs){0};
}

/* ---- reading -------------------------------------------------------------------- */

typedef int take_line(struct pfm_inputs *in, const char *path, int64_t number,
                      char *line);

/* Reads a line of the .ctl: version, four names of files, and a line for each input. */
static int take_ctl(struct pfm_inputs *in, const char *path, int64_t number, char *line)
{
    char sign;
    long long sequence, type;
    int n = 0;
    if (number < 5)
        return number || strstr(line, "PFM I/O library")
                   ? 0
                   : err_set(-EBADMSG, path, 0,
                             "this is no list of a PFM's input files: its first line "
                             "does not name the PFM library");
    int got = sscanf(line, "%c %lld %lld %n", &sign, &sequence, &type, &n);
    if (got != 3 || !n || !line[n] || (sign != '+' && sign != '-') ||
        sequence != in->files)
        return err_set(-EBADMSG, path, -1,
                       "line %lld should be \"+ %05lld TYPE PATH\", and is not",
                       (long long)number + 1, (long long)in->files);
    return add_file(in, line + n, type, sign == '-');
}

static int take_lin(struct pfm_inputs *in, const char *path, int64_t number, char *line)
{
    (void)path;
    (void)number;
    return add_line(in, line, "");
}

static int read_lines(struct pfm_inputs *in, const char *handle, const char *suffix,
                      take_line *take, int64_t *n)
{
    char path[PFM_PATH], *line = NULL;
    size_t room = 0;
    ssize_t got;
    int rc = pfm_path(path, handle, suffix);
    *n = 0;
    if (rc)
        return rc;
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set(-errno, path, -1, "this part of the PFM cannot be opened: %s",
                       strerror(errno));
    for (; !rc && (got = getline(&line, &room, f)) > 0; ++*n) {
        line[strcspn(line, "\r\n")] = 0;
        rc = take(in, path, *n, line);
    }
    if (!rc && ferror(f))
        rc = err_set(-EIO, path, -1, "this part of the PFM cannot be read");
    free(line);
    fclose(f);
    return rc;
}

int pfm_inputs_read(struct pfm_inputs *in, const char *handle)
{
    int64_t n;
    int rc = read_lines(in, handle, "ctl", take_ctl, &n);
    if (!rc && n < 5)
        rc = err_set(-EBADMSG, handle, -1,
                     "the .ctl of this PFM is cut short: it has %lld line%s, and the "
                     "first five name the PFM's own files",
                     (long long)n, units_s(n));
    return rc ? rc : read_lines(in, handle, "lin", take_lin, &n);
}

/* ---- writing -------------------------------------------------------------------- */

static int pfm_side_begin(FILE **f, const char *path)
{
    *f = fopen(path, "we");
    return *f ? 0
              : err_set(-errno, path, -1, "this part of the PFM cannot be created: %s",
                        strerror(errno));
}

static int pfm_side_finish(FILE *f, const char *path)
{
    int code = ferror(f) ? EIO : 0;
    if (fclose(f) && !code)
        code = errno;
    return code ? err_set(-code, path, -1, "this part of the PFM cannot be written: %s",
                          strerror(code))
                : 0;
}

int pfm_handle_write(const char *path, const struct pfm_head *h, const char *handle)
{
    static const char bar[] = "########################################"
                              "########################################";
    const char *name = pfm_side_name_of(handle);
    FILE *f;
    int rc = pfm_side_begin(&f, path);
    if (rc)
        return rc;
    fprintf(f, "PFM Handle File - %s\n#\n%s\n#\n", h->version_text, bar);
    fprintf(f, "# This file stands for a PFM, whose files are in the directory\n#\n");
    fprintf(f, "#\t%s.data\n#\n# beside it. Its list of input files is\n#\n", name);
    fprintf(f, "#\t%s.data/%s.ctl\n#\n%s\n#\n", name, name, bar);
    return pfm_side_finish(f, path);
}

int pfm_ctl_write(const char *path, const struct pfm_head *h, const char *handle,
                  const struct pfm_inputs *in)
{
    const char *name = pfm_side_name_of(handle);
    FILE *f;
    int rc = pfm_side_begin(&f, path);
    if (rc)
        return rc;
    fprintf(f, "%s\n%s.data/%s.bin\n%s.data/%s.ndx\nNONE\nNONE\n", h->version_text,
            handle, name, handle, name);
    for (int64_t i = 0; i < in->files; i++)
        fprintf(f, "%c %05lld %02lld %s\n", in->file[i].deleted ? '-' : '+',
                (long long)i, (long long)in->file[i].type, in->file[i].path);
    return pfm_side_finish(f, path);
}

int pfm_lin_write(const char *path, const struct pfm_inputs *in)
{
    FILE *f;
    int rc = pfm_side_begin(&f, path);
    if (rc)
        return rc;
    for (int64_t i = 0; i < in->lines; i++)
        fprintf(f, "%s\n", in->line[i]);
    return pfm_side_finish(f, path);
}

int pfm_cvg_write(const char *path, const struct pfm_head *h, const uint8_t *coverage)
{
    static const char zeros[PFM_COVERAGE_HEADER];
    int64_t bins = h->width * h->height;
    FILE *f;
    int rc = pfm_side_begin(&f, path);
    if (rc)
        return rc;
    int n = fprintf(f, "%s\n[END OF HEADER]\n", h->version_text);
    fwrite(zeros, 1, (size_t)(PFM_COVERAGE_HEADER - n), f);
    if (coverage)
        fwrite(coverage, 1, (size_t)bins, f);
    rc = pfm_side_finish(f, path);
    if (!rc && truncate(path, PFM_COVERAGE_HEADER + bins))
        rc = err_set(-errno, path, -1,
                     "room for a byte for each of %lld bin%s cannot be made: %s",
                     (long long)bins, units_s(bins), strerror(errno));
    return rc;
}
