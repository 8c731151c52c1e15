#include "base/err.h"
#include "base/plain.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static struct err recorded = {.rank = -1, .lane = -1, .offset = -1};
static _Thread_local int lane = -1;
static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

static void err_fill(int code, int usage, const char *file, int64_t offset,
                     const char *fmt, va_list ap)
{
    recorded.code = code;
    recorded.usage = usage;
    recorded.rank = -1;
    recorded.lane = lane;
    recorded.offset = offset;
    if (gethostname(recorded.host, sizeof recorded.host))
        recorded.host[0] = 0;
    recorded.host[sizeof recorded.host - 1] = 0;
    snprintf(recorded.file, sizeof recorded.file, "%s", file ? file : "");
    vsnprintf(recorded.text, sizeof recorded.text, fmt, ap);
}

/* Records the first failure, under a lock: two threads may fail at the same time. */
static int err_record(int code, int usage, const char *file, int64_t offset,
                      const char *fmt, va_list ap)
{
    code = code < 0 ? code : -EIO;
    pthread_mutex_lock(&recording);
    if (!recorded.code)
        err_fill(code, usage, file, offset, fmt, ap);
    pthread_mutex_unlock(&recording);
    return code;
}

int err_set(int code, const char *file, int64_t offset, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    code = err_record(code, 0, file, offset, fmt, ap);
    va_end(ap);
    return code;
}

int err_usage(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int code = err_record(-EINVAL, 1, NULL, -1, fmt, ap);
    va_end(ap);
    return code;
}

int err_usage_of(const char *file, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int code = err_record(-EINVAL, 1, file, -1, fmt, ap);
    va_end(ap);
    return code;
}

void err_lane(int of_this_thread)
{
    lane = of_this_thread;
}

int err_lane_now(void)
{
    return lane;
}

const struct err *err_get(void)
{
    return &recorded;
}

struct err err_copy(void)
{
    pthread_mutex_lock(&recording);
    struct err e = recorded;
    pthread_mutex_unlock(&recording);
    return e;
}

void err_put(const struct err *e)
{
    if (e == &recorded)
        return;
    pthread_mutex_lock(&recording);
    recorded = *e;
    pthread_mutex_unlock(&recording);
}

void err_clear(void)
{
    memset(&recorded, 0, sizeof recorded);
    recorded.rank = recorded.lane = -1;
    recorded.offset = -1;
}

/* Appends to a line of `size` bytes that has `n` so far; the excess is cut. */
__attribute__((format(printf, 4, 5))) static int err_add(char *line, int size, int n,
                                                         const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int more = vsnprintf(line + n, (size_t)(size - n), fmt, ap);
    va_end(ap);
    return more < 0 ? n : more < size - n ? n + more : size - 1;
}

/* Ends and prints a line that has room for two more bytes, in one write, or the
 * launcher's own lines would get in between. Control characters in a file's name are
 * replaced: one failure stays one line, and a terminal does not act on it. */
static void put_line(FILE *out, char *line, size_t room, bool in_brackets)
{
    size_t n = strlen(plain(line, room, line));
    if (in_brackets)
        line[n++] = ')';
    line[n++] = '\n';
    fwrite(line, 1, n, out);
    fflush(out);
}

void err_print(FILE *out, const char *program, const struct err *e)
{
    char line[sizeof e->text + sizeof e->file + sizeof e->host + 256];
    const char *before = " (";
    int size = (int)sizeof line - 2; /* for the closing bracket and the line's end */
    int n = err_add(line, size, 0, "%s: %s", program, e->text);
    /* A usage error is the same on every rank: its place says nothing. */
    if (e->rank >= 0 && !e->usage) {
        n = err_add(line, size, n, "%srank %d on %s", before, e->rank, e->host);
        before = ", ";
    }
    if (e->lane >= 0) {
        n = err_add(line, size, n, "%slane %d", before, e->lane);
        before = ", ";
    }
    if (e->file[0]) {
        n = err_add(line, size, n, "%sfile %s", before, e->file);
        before = ", ";
    }
    if (e->offset >= 0) {
        err_add(line, size, n, "%soffset %lld", before, (long long)e->offset);
        before = ", ";
    }
    put_line(out, line, sizeof line, before[0] == ',');
}

void err_tell(const char *program, const char *kind, const char *file, const char *fmt,
              ...)
{
    char line[2 * PLAIN_PATH];
    int size = (int)sizeof line - 2;
    int n =
        err_add(line, size, 0, "%s: %s%s", program, kind ? kind : "", kind ? ": " : "");
    va_list ap;
    va_start(ap, fmt);
    int more = vsnprintf(line + n, (size_t)(size - n), fmt, ap);
    va_end(ap);
    n = more < size - n ? n + more : size - 1;
    if (file)
        err_add(line, size, n, " (file %s", file);
    put_line(stderr, line, sizeof line, file != NULL);
}

enum exit_status err_exit_status(const struct err *e)
{
    if (!e->code)
        return EXIT_GOOD;
    return e->usage ? EXIT_USAGE : EXIT_FAILED;
}
