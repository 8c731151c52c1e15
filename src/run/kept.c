#include "run/kept.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/plain.h"
#include "base/scratch.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "leadline-kept/1"

enum kind { TEXT, NUMBER, SEED, TRUTH };

/* The one list of fields, for writer and reader. `least` and `most` bound numbers;
 * `choices` lists the texts allowed, NULL: any. */
static const struct field {
    const char *name;
    size_t at;
    enum kind kind;
    int64_t least, most;
    const char *choices;
} fields[] = {
#define AT(member) #member, offsetof(struct kept, member)
    {AT(program), TEXT, 0, 0, NULL},
    {AT(version), TEXT, 0, 0, NULL},
    {AT(run_id), TEXT, 0, 0, NULL},
    {AT(file), TEXT, 0, 0, NULL},
    {AT(filetype), TEXT, 0, 0, "|UNIQUE|SHARED|PARTITIONED|"},
    {AT(layout), TEXT, 0, 0, "|SEGMENTED|INTERLEAVED|"},
    {AT(writers), NUMBER, 1, INT32_MAX, NULL},
    {AT(blocks), NUMBER, 1, INT32_MAX, NULL},
    {AT(block_bytes), NUMBER, 1, INT64_MAX, NULL},
    {AT(misalign), NUMBER, 0, INT64_MAX, NULL},
    {AT(bytes), NUMBER, 1, INT64_MAX, NULL},
    {AT(modified_ns), NUMBER, INT64_MIN, INT64_MAX, NULL},
    {AT(seed), SEED, 0, 0, NULL},
    {AT(repetition), NUMBER, 0, INT32_MAX, NULL},
    {AT(pass), NUMBER, 0, INT32_MAX, NULL},
    {AT(stamp), NUMBER, 0, INT32_MAX, NULL},
    {AT(compress), NUMBER, 0, 100, NULL},
    {AT(stamped), TRUTH, 0, 0, NULL},
#undef AT
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* ---- reading --------------------------------------------------------------------- */

struct reader {
    const char *path, *at, *end;
    struct kept *k;
    bool seen[FIELDS];
};

static int kept_refuse(const struct reader *p, const char *why, const char *name)
{
    char shown[KEPT_TEXT];
    return err_set(-EINVAL, p->path, -1,
                   "it is no description of files that a run has kept, as this version "
                   "of Leadline writes it (" FORMAT "): %s%s%s%s",
                   why, *name ? " \"" : "", plain(shown, sizeof shown, name),
                   *name ? "\"" : "");
}

static void skip_blanks(struct reader *p)
{
    while (p->at < p->end &&
           (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static bool kept_take(struct reader *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* Reads a string of ASCII without escapes; the writer makes no others. */
static bool take_text(struct reader *p, char out[KEPT_TEXT])
{
    size_t n = 0;
    if (!kept_take(p, '"'))
        return false;
    for (; p->at < p->end && *p->at != '"'; p->at++) {
        if (*p->at < ' ' || *p->at > '~' || *p->at == '\\' || n == KEPT_TEXT - 1)
            return false;
        out[n++] = *p->at;
    }
    out[n] = 0;
    return kept_take(p, '"');
}

/* Reads a number or a word as text. */
static bool take_word(struct reader *p, char out[32])
{
    size_t n = 0;
    skip_blanks(p);
    while (p->at < p->end && n < 31 &&
           (isalnum((unsigned char)*p->at) || strchr("+-.", *p->at)) && *p->at)
        out[n++] = *p->at++;
    out[n] = 0;
    return n > 0;
}

/* True for digits only: strtoll would accept more. */
static bool is_whole(const char *word, bool sign)
{
    word += sign && *word == '-';
    size_t n = strspn(word, "0123456789");
    return n && !word[n] && (n == 1 || *word != '0');
}

static bool number_fits(const struct field *f, const char *word, void *to)
{
    char *end;
    errno = 0;
    if (f->kind == SEED) {
        uint64_t x = strtoull(word, &end, 10);
        memcpy(to, &x, sizeof x);
        return is_whole(word, false) && !errno;
    }
    int64_t x = strtoll(word, &end, 10);
    memcpy(to, &x, sizeof x);
    return is_whole(word, true) && !errno && x >= f->least && x <= f->most;
}

static bool text_fits(const struct field *f, const char *text)
{
    char asked[KEPT_TEXT + 2];
    snprintf(asked, sizeof asked, "|%s|", text);
    return *text && (!f->choices || (!strchr(text, '|') && strstr(f->choices, asked)));
}

static bool take_value(struct reader *p, const struct field *f)
{
    void *to = (char *)p->k + f->at;
    char word[32];
    if (f->kind == TEXT)
        return take_text(p, to) && text_fits(f, to);
    if (!take_word(p, word))
        return false;
    if (f->kind != TRUTH)
        return number_fits(f, word, to);
    *(bool *)to = !strcmp(word, "true");
    return *(bool *)to || !strcmp(word, "false");
}

static int take_field(struct reader *p)
{
    char name[KEPT_TEXT];
    if (!take_text(p, name) || !kept_take(p, ':'))
        return kept_refuse(p, "there is no field where one is due", "");
    for (int i = 0; i < FIELDS; i++)
        if (!strcmp(fields[i].name, name)) {
            if (p->seen[i])
                return kept_refuse(p, "there is more than one", name);
            p->seen[i] = true;
            return take_value(p, &fields[i])
                       ? 0
                       : kept_refuse(p, "this is not what may stand at", name);
        }
    return kept_refuse(p, "what is in the files may depend on a field not known here,",
                       name);
}

/* Reads the format. It comes first, so that nothing else of another version
 * is judged. */
static int take_format(struct reader *p)
{
    char name[KEPT_TEXT], value[KEPT_TEXT];
    if (!kept_take(p, '{') || !take_text(p, name) || strcmp(name, "format") ||
        !kept_take(p, ':') || !take_text(p, value))
        return kept_refuse(p, "it does not begin with its format", "");
    return strcmp(value, FORMAT) ? kept_refuse(p, "its format is", value) : 0;
}

/* Checks the fields together. */
static int kept_check(const struct reader *p)
{
    const struct kept *k = p->k;
    struct layout l = kept_layout(k);
    for (int i = 0; i < FIELDS; i++)
        if (!p->seen[i])
            return kept_refuse(p, "it lacks", fields[i].name);
    if (strchr(k->file, '/') || !strcmp(k->file, "..") || !strcmp(k->file, "."))
        return kept_refuse(p,
                           "this is not the name of a file in its directory:", k->file);
    if (layout_check(&l)) {
        err_clear();
        return kept_refuse(p, "files cannot have that many blocks", "");
    }
    if (k->bytes != layout_files(&l) * layout_file_bytes(&l))
        return kept_refuse(p, "as many blocks as it tells of make not as many",
                           "bytes");
    return 0;
}

int kept_parse(struct kept *k, const char *path, const char *text, size_t n)
{
    struct reader p = {.path = path, .at = text, .end = text + n, .k = k};
    memset(k, 0, sizeof *k);
    int rc = take_format(&p);
    while (!rc && kept_take(&p, ','))
        rc = take_field(&p);
    if (!rc && (!kept_take(&p, '}') || (skip_blanks(&p), p.at != p.end)))
        rc = kept_refuse(&p, "it does not end where its last field does", "");
    return rc ? rc : kept_check(&p);
}

static int read_fail(const char *path)
{
    return err_set(-errno, path, -1, "the description of kept files cannot be read: %s",
                   strerror(errno));
}

int kept_read(struct kept *k, const char *path)
{
    char text[KEPT_MOST + 1];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return read_fail(path);
    ssize_t n = 0, more = 1;
    int rc = fstat(fd, &st) ? read_fail(path) : 0;
    if (!rc && !S_ISREG(st.st_mode))
        rc = err_set(-EINVAL, path, -1,
                     "the description of kept files is no regular file");
    while (!rc && more > 0 && n < (ssize_t)sizeof text) {
        more = read(fd, text + n, sizeof text - (size_t)n);
        rc = more < 0 && errno != EINTR ? read_fail(path) : 0;
        n += more > 0 ? more : 0;
    }
    close(fd);
    if (!rc && n > KEPT_MOST)
        rc = err_set(-EFBIG, path, -1, "it is too long to describe kept files");
    return rc ? rc : kept_parse(k, path, text, (size_t)n);
}

/* ---- writing --------------------------------------------------------------------- */

static int kept_fill(const struct kept *k, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "format", FORMAT);
    for (int i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        const char *from = (const char *)k + f->at;
        if (f->kind == TEXT)
            json_text(&j, f->name, from);
        else if (f->kind == TRUTH)
            json_bool(&j, f->name, *(const bool *)from);
        else if (f->kind == SEED)
            json_unsigned(&j, f->name, *(const uint64_t *)(const void *)from);
        else
            json_int(&j, f->name, *(const int64_t *)(const void *)from);
    }
    json_end_object(&j);
    return json_finish(&j);
}

/* Syncs the directory, which makes the name durable. */
static int sync_folder(const char *path)
{
    char folder[KEPT_PATH];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return scratch_sync_folder(folder);
}

static int write_beside(const struct kept *k, const char *path, const char *tmp)
{
    int fd = -1, rc = scratch_create(tmp, &fd);
    if (rc)
        return rc;
    FILE *out = fdopen(fd, "w");
    rc = out ? kept_fill(k, out) : -errno;
    if (!rc && fflush(out))
        rc = -errno;
    if (!rc && fsync(fd) && errno != EINVAL && errno != ENOTSUP)
        rc = -errno; /* some file systems have no fsync */
    if (out ? fclose(out) : close(fd))
        rc = rc ? rc : -errno;
    if (!rc && rename(tmp, path))
        rc = -errno;
    return rc ? rc : sync_folder(path);
}

int kept_write(const struct kept *k, const char *path)
{
    char tmp[KEPT_PATH];
    if (snprintf(tmp, sizeof tmp, "%s.tmp", path) >= (int)sizeof tmp)
        return err_set(-ENAMETOOLONG, path, -1, "the path is too long");
    int rc = write_beside(k, path, tmp);
    if (rc) {
        scratch_remove(tmp);
        return err_set(rc, path, -1,
                       "the description of the kept files cannot be written: %s",
                       strerror(-rc));
    }
    scratch_forget(tmp);
    return 0;
}

/* ---- paths ----------------------------------------------------------------------- */

struct layout kept_layout(const struct kept *k)
{
    bool unique = !strcmp(k->filetype, "UNIQUE");
    bool interleaved = !strcmp(k->layout, "INTERLEAVED");
    return (struct layout){.order = unique        ? LAYOUT_UNIQUE
                                    : interleaved ? LAYOUT_INTERLEAVED
                                                  : LAYOUT_RANK_MAJOR,
                           .ranks = k->writers,
                           .mats = 1,
                           .blks = k->blocks,
                           .start = k->misalign,
                           .slot_bytes = k->block_bytes};
}

int64_t kept_files(const struct kept *k)
{
    return strcmp(k->filetype, "UNIQUE") ? 1 : k->writers;
}

int kept_file(const struct kept *k, const char *path, int64_t i, char out[KEPT_PATH])
{
    const char *slash = strrchr(path, '/');
    char which[32] = "";
    if (!strcmp(k->filetype, "UNIQUE"))
        snprintf(which, sizeof which, ".%06lld", (long long)i);
    int n = snprintf(out, KEPT_PATH, "%.*s%s%s", slash ? (int)(slash - path) + 1 : 0,
                     path, k->file, which);
    return n < KEPT_PATH ? 0 : err_set(-ENAMETOOLONG, path, -1, "the path is too long");
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* Returns the length of NAME in NAME.000012, one of several files, or of all of it. */
static size_t without_number(const char *named)
{
    const char *dot = strrchr(named, '.');
    size_t digits = dot ? strspn(dot + 1, "0123456789") : 0;
    return dot && digits >= 6 && !dot[1 + digits] ? (size_t)(dot - named)
                                                  : strlen(named);
}

int kept_find(const char *named, char out[KEPT_PATH])
{
    int n;
    size_t end = strlen(named);
    while (end > 1 && named[end - 1] == '/') /* a container's path may end in "/" */
        end--;
    if (ends_with(named, ".json"))
        n = snprintf(out, KEPT_PATH, "%s", named);
    else
        n = snprintf(out, KEPT_PATH, "%.*s.json", (int)end, named);
    if (n < KEPT_PATH && access(out, F_OK) && without_number(named) < strlen(named))
        n = snprintf(out, KEPT_PATH, "%.*s.json", (int)without_number(named), named);
    if (n >= KEPT_PATH)
        return err_set(-ENAMETOOLONG, named, -1, "the path is too long");
    if (!access(out, F_OK))
        return 0;
    return err_set(-errno, out, -1,
                   "there is no description of kept files here (%s): --read-only reads "
                   "what an earlier run has kept with --keep or --write-only, and "
                   "--input any file",
                   strerror(errno));
}

struct stamp kept_stamp(const struct kept *k, int64_t rank, int64_t mat)
{
    return (struct stamp){.seed = k->seed,
                          .rep = (int32_t)k->repetition,
                          .pass = (int32_t)k->pass,
                          .version = (int32_t)k->stamp,
                          .rank = (int32_t)rank,
                          .mat = (int32_t)mat,
                          .plain = (int)k->compress};
}
