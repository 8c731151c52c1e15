#include "iotrace/read/runs.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/format/trace.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOWS_BYTES ((int64_t)64 << 20) /* windows of all logs read at once */

/* ---- files ---------------------------------------------------------------- */

static bool run_ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Returns the length of a log's name without ".1", which is added if a name was
 * taken. */
static size_t without_number(const char *name)
{
    size_t n = strlen(name), end = n;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    return end > 0 && end < n && name[end - 1] == '.' ? end - 1 : n;
}

static bool is_log(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%.*s", (int)without_number(path), path);
    return run_ends_with(name, ".bin") || run_ends_with(name, ".tsv") ||
           run_ends_with(path, ".part");
}

/* True if another file has the same contents: a log's own table, or the result of a
 * part. */
static bool is_copy(const char *path)
{
    char other[4096];
    size_t n = strlen(path);
    if (run_ends_with(path, ".part"))
        snprintf(other, sizeof other, "%.*s", (int)(n - 5), path);
    else if (run_ends_with(path, ".tsv"))
        snprintf(other, sizeof other, "%.*s.bin", (int)(n - 4), path);
    else
        return false;
    return exists(other);
}

static int runs_add(struct run *r, const char *path)
{
    if ((r->logs & (r->logs + 1)) == 0) {
        char **more =
            mem_grow(r->log, 2 * (r->logs + 1), sizeof *more, "the list of logs");
        if (!more)
            return -ENOMEM;
        r->log = more;
    }
    r->log[r->logs] = mem_text(path, "a name");
    return r->log[r->logs++] ? 0 : -ENOMEM;
}

static bool is_common(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, TRACE_IDLE ".", sizeof TRACE_IDLE);
}

/* Adds the processes of a common log that have no other. */
static int runs_add_places(struct run *r, const char *path)
{
    char name[4096 + 24];
    struct {
        char magic[sizeof(struct trace_header){0}.magic];
        char rest[TRACE_IDLE_BYTES - sizeof(struct trace_header){0}.magic];
    } place;
    FILE *f = fopen(path, "re");
    int rc =
        f ? 0
          : err_set(-errno, path, -1, "the log cannot be opened: %s", strerror(errno));
    for (int64_t n = 0; !rc && fread(&place, sizeof place, 1, f) == 1; n++)
        if (!memcmp(place.magic, TRACE_MAGIC, sizeof place.magic)) {
            snprintf(name, sizeof name, "%s@%" PRId64, path, n);
            rc = runs_add(r, name);
            r->idle++;
        }
    if (f)
        fclose(f);
    return rc;
}

static int search(struct run *r, const char *path, int depth)
{
    DIR *d = opendir(path);
    if (!d)
        return err_set(-errno, path, -1, "the directory cannot be read: %s",
                       strerror(errno));
    int rc = 0;
    for (struct dirent *e; !rc && (e = readdir(d));) {
        char inner[4096];
        struct stat st;
        int n = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.' || n >= (int)sizeof inner || stat(inner, &st))
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0)
            rc = search(r, inner, depth - 1);
        else if (S_ISREG(st.st_mode) && is_common(inner))
            rc = runs_add_places(r, inner);
        else if (S_ISREG(st.st_mode) && is_log(inner) && !is_copy(inner))
            rc = runs_add(r, inner);
    }
    closedir(d);
    return rc;
}

/* Compares numbers in names by their value: rank 10 comes after rank 9. */
static int by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

int run_find(struct run *r, const char *path)
{
    struct stat st;
    *r = (struct run){.path = path};
    if (stat(path, &st))
        return err_set(-errno, path, -1, "there is no such run: %s", strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return is_common(path) && !log_is_place(path) ? runs_add_places(r, path)
                                                      : runs_add(r, path);
    int rc = search(r, path, 1);
    if (!rc && r->logs == 0)
        rc = err_set(-ENOENT, path, -1, "there is no log (*.bin, *.part, *.tsv) in it");
    if (!rc)
        qsort(r->log, (size_t)r->logs, sizeof *r->log, by_name);
    return rc;
}

void run_free(struct run *r)
{
    for (int i = 0; i < r->logs; i++)
        free(r->log[i]);
    free(r->log);
    r->log = NULL;
    r->logs = 0;
}

/* ---- one after the other -------------------------------------------------- */

/* Leaves out one log of several, and reports that. */
static int runs_leave_out(struct run *r, int rc)
{
    if (++r->unreadable == r->logs)
        return rc;
    if (!r->again)
        err_print(stderr, "iotrace", err_get());
    err_clear();
    return 0;
}

int run_each(struct run *r, int (*visit)(void *arg, struct log *l), void *arg)
{
    int rc = 0;
    for (int i = 0; i < r->logs && !rc; i++) {
        struct log *l;
        rc = log_open(&l, r->log[i]);
        if (rc) {
            rc = runs_leave_out(r, rc);
            continue;
        }
        rc = visit(arg, l);
        log_close(&l);
    }
    return rc;
}

void run_say(const char *path, const char *text)
{
    err_tell("iotrace", "note", path, "%s", text);
}

void run_say_notes(const struct log *l)
{
    char text[LOG_NOTE_SIZE];
    const char *note;
    for (int i = 0; (note = log_note(l, i, text)); i++)
        run_say(log_info(l)->path, note);
}

int run_verdict(const struct run *r, int rc)
{
    if (!rc && r->unreadable) {
        err_tell("iotrace", "warning", NULL,
                 "%d of %d log%s cannot be read and are left out", r->unreadable,
                 r->logs, units_s(r->logs));
        return EXIT_FAILED;
    }
    if (rc)
        err_print(stderr, "iotrace", err_get());
    return rc ? (int)err_exit_status(err_get()) : EXIT_GOOD;
}

/* ---- all at once ---------------------------------------------------------- */

struct lane {
    struct log *log;
    struct event head;
};

static bool runs_before(const struct stream *s, int a, int b)
{
    int64_t x = s->lane[a].head.start_ns, y = s->lane[b].head.start_ns;
    return x != y ? x < y : a < b; /* equal times have a fixed order */
}

static void runs_sift_down(struct stream *s, int i)
{
    int lane = s->heap[i];
    for (int child; (child = 2 * i + 1) < s->heap_n; i = child) {
        if (child + 1 < s->heap_n && runs_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (runs_before(s, lane, s->heap[child]))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = lane;
}

static void allow_files(int n)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur >= (rlim_t)n + 64)
        return;
    l.rlim_cur = l.rlim_max;
    setrlimit(RLIMIT_NOFILE, &l);
}

static int open_lanes(struct stream *s, struct run *r)
{
    int rc = 0;
    for (int i = 0; i < r->logs && !rc; i++) {
        rc = log_open(&s->log[s->logs], r->log[i]);
        if (rc)
            rc = runs_leave_out(r, rc);
        else
            s->logs++;
    }
    return rc;
}

int stream_open(struct stream *s, struct run *r)
{
    size_t n = (size_t)r->logs;
    *s = (struct stream){.log = mem_of(r->path, n, sizeof *s->log, "logs"),
                         .lane = mem_of(r->path, n, sizeof *s->lane, "logs"),
                         .heap = mem_of(r->path, n, sizeof *s->heap, "logs")};
    if (!s->log || !s->lane || !s->heap)
        return -ENOMEM;
    allow_files(r->logs);
    log_window(WINDOWS_BYTES / (4 * (int64_t)n)); /* four threads each */
    int rc = open_lanes(s, r);
    for (int i = 0; i < s->logs && rc >= 0; i++) {
        s->lane[i].log = s->log[i];
        rc = log_next(s->log[i], &s->lane[i].head);
        if (rc == 1)
            s->heap[s->heap_n++] = i;
    }
    for (int i = s->heap_n / 2 - 1; i >= 0; i--)
        runs_sift_down(s, i);
    return rc < 0 ? rc : 0;
}

/* Moves the lane that was handed out to the place of its next event. */
static int advance_lane(struct stream *s)
{
    struct lane *lane = &s->lane[s->heap[0]];
    int rc = log_next(lane->log, &lane->head);
    if (rc < 0)
        return rc;
    if (rc == 0)
        s->heap[0] = s->heap[--s->heap_n];
    if (s->heap_n > 1)
        runs_sift_down(s, 0);
    return 0;
}

int stream_next(struct stream *s, const struct event **e)
{
    int rc = s->behind ? advance_lane(s) : 0;
    s->behind = false;
    if (rc < 0 || s->heap_n == 0)
        return rc;
    struct lane *lane = &s->lane[s->heap[0]];
    *e = &lane->head;
    s->last = lane->log;
    s->behind = true;
    return 1;
}

void stream_close(struct stream *s)
{
    for (int i = 0; i < s->logs; i++)
        log_close(&s->log[i]);
    free(s->log);
    free(s->lane);
    free(s->heap);
    *s = (struct stream){0};
}
