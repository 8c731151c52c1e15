/* Names of files and marks: each gets a number and an entry in the log. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t name_at[NAMES];

static bool moved; /* a relative name is no longer relative to where we began */

void names_moved(void)
{
    moved = true;
}

/* ---- what is left out: decided once for each name ---- */

static struct {
    const char *include, *exclude;
} globs;

void names_start(void)
{
    globs.include = getenv("IOTRACE_INCLUDE");
    globs.exclude = getenv("IOTRACE_EXCLUDE");
    if (globs.include && !*globs.include)
        globs.include = NULL;
    if (globs.exclude && !*globs.exclude)
        globs.exclude = NULL;
}

/* One glob, up to `end`: * is any text, ? any letter. */
static bool matches(const char *glob, const char *end, const char *text)
{
    const char *star = NULL, *again = NULL;
    while (*text) {
        if (glob < end && *glob == '*') {
            star = ++glob;
            again = text;
        } else if (glob < end && (*glob == '?' || *glob == *text)) {
            glob++;
            text++;
        } else if (star) {
            glob = star;
            text = ++again;
        } else
            return false;
    }
    while (glob < end && *glob == '*')
        glob++;
    return glob == end;
}

static bool any_matches(const char *list, const char *text, const char *whole)
{
    while (list && *list) {
        const char *end = strchrnul(list, ':');
        if (end > list && (matches(list, end, text) || matches(list, end, whole)))
            return true;
        list = *end ? end + 1 : end;
    }
    return false;
}

/* PATH as it is, absolute if it can be. */
static void absolute(char *text, size_t bytes, const char *path)
{
    long n = *path == '/' ? 0 : sys_call(SYS_getcwd, text, bytes);
    size_t used = n > 0 && *text == '/' ? (size_t)n - 1 : 0;
    snprintf(text + used, bytes - used, "%s%s", used > 1 ? "/" : "", path);
}

static bool is_left_out(const char *text)
{
    char whole[PATH_BYTES];
    if (LIKELY(!globs.include && !globs.exclude))
        return false;
    absolute(whole, sizeof whole, text);
    return (globs.include && !any_matches(globs.include, text, whole)) ||
           any_matches(globs.exclude, text, whole);
}

/* ---- numbers ---- */

static uint64_t hash_of(const char *text, uint32_t kind, int fd)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)kind << 32 | (uint32_t)fd);
    h *= UINT64_C(0x9e3779b97f4a7c15);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    h ^= h >> 29;
    return h ? h : 1;
}

/* A place in the log for an entry of so many bytes; 0: none. */
static uint64_t place(uint32_t bytes)
{
    uint64_t end = __atomic_load_n(&state->name_end, __ATOMIC_ACQUIRE);
    for (;;) {
        uint64_t at = end;
        if (!at || at % TRACE_BLOCK + bytes > TRACE_BLOCK || at % TRACE_BLOCK == 0) {
            struct trace_block b = {{'B', 'L', 'K', '\n'}, TRACE_NAMES, 0, 0, 0};
            at = log_place();
            b.sequence = __atomic_fetch_add(&state->name_blocks, 1, __ATOMIC_RELAXED);
            if (!at || sys_pwrite(log_fd(), &b, sizeof b, at) != sizeof b)
                return 0;
            at += sizeof b;
        }
        if (__atomic_compare_exchange_n(&state->name_end, &end, at + bytes, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return at;
    }
}

static uint32_t emit(const char *text, uint32_t kind, int fd)
{
    union {
        struct trace_name n;
        char room[sizeof(struct trace_name) + PATH_BYTES + 8];
    } entry;
    size_t length = strnlen(text, PATH_BYTES - 1);
    uint32_t bytes = (uint32_t)((sizeof entry.n + length + 1 + 7) / 8 * 8);
    uint64_t at = place(bytes);
    if (!at)
        return 0;
    uint32_t id = 1 + __atomic_fetch_add(&state->names, 1, __ATOMIC_RELAXED);
    memset(entry.room, 0, bytes);
    entry.n = (struct trace_name){bytes, id, kind, fd};
    memcpy(entry.room + sizeof entry.n, text, length);
    if (id < NAMES)
        name_at[id] = at;
    sys_pwrite(log_fd(), &entry, bytes, at);
    return id;
}

/* Two at once (threads, a signal handler) may each make a number for the same name:
 * readers go by the text. Nobody waits for anybody. */
uint32_t name_of_text(const char *text, enum trace_name_kind kind, int fd)
{
    if (!is_running() && !recorder_start())
        return 0;
    uint64_t h = hash_of(text, kind, fd);
    for (unsigned i = 0; i < 64; i++) {
        struct name_slot *s = &state->slot[(h + i) % NAMES];
        uint64_t was = 0;
        if (__atomic_compare_exchange_n(&s->hash, &was, h, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            uint32_t id = emit(text, kind, fd);
            __atomic_store_n(&s->id, id, __ATOMIC_RELEASE);
            return id;
        }
        uint32_t id = __atomic_load_n(&s->id, __ATOMIC_ACQUIRE);
        if (was == h && id)
            return id;
        if (was == h)
            break;
    }
    return emit(text, kind, fd);
}

/* Of what the kernel calls it: "/a/file", "pipe:[123]". */
uint32_t name_of_link(const char *text, int fd)
{
    return is_left_out(text) ? FILE_EXCLUDED : name_of_text(text, TRACE_FILE, fd);
}

uint32_t name_of_path(const char *path, int fd)
{
    char text[PATH_BYTES];
    int error = errno;
    if (moved && *path != '/') {
        absolute(text, sizeof text, path);
        path = text;
    }
    uint32_t id = name_of_link(path, fd);
    errno = error;
    return id;
}

uint32_t name_of_path_at(int dir, const char *path, int fd)
{
    char link[64], text[PATH_BYTES];
    if (dir == AT_FDCWD || *path == '/')
        return name_of_path(path, fd);
    int error = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    long n = sys_readlink(link, text, sizeof text - 1);
    if (n < 0)
        n = 0;
    snprintf(text + n, sizeof text - (size_t)n, "%s%s", n && *path ? "/" : "", path);
    errno = error;
    return name_of_path(text, fd);
}

/* Descriptors that a child has from its parent keep their names: they are read back
 * from the parent's log. */
static bool name_read(int log, uint64_t at, struct trace_name *n, size_t bytes)
{
    long got = sys_pread(log, n, bytes - 1, at);
    if (got < (long)sizeof *n || n->bytes < sizeof *n || n->bytes > got)
        return false;
    ((char *)n)[n->bytes] = 0;
    return true;
}

/* The same text under another descriptor; 0 where it cannot be read. */
uint32_t name_again(uint32_t id, int fd)
{
    union {
        struct trace_name n;
        char room[sizeof(struct trace_name) + PATH_BYTES + 16];
    } entry;
    int error = errno;
    bool good = recorder.header && id < NAMES &&
                name_read(log_fd(), name_at[id], &entry.n, sizeof entry);
    uint32_t again = good ? name_of_text(entry.n.text, TRACE_FILE, fd) : 0;
    errno = error;
    return again;
}

void names_inherit(int old_log)
{
    union {
        struct trace_name n;
        char room[sizeof(struct trace_name) + PATH_BYTES + 16];
    } entry;
    maps_forget_names();
    mpi_forget_names();
    /* first where all of them are: new numbers take old ones' places in name_at */
    for (int fd = 0; fd <= recorder.fd_top; fd++) {
        struct fd_entry *f = &fds[fd];
        f->owner = 0;
        f->offset = f->file < NAMES ? (int64_t)name_at[f->file] : 0;
    }
    for (int fd = 0; fd <= recorder.fd_top; fd++) {
        struct fd_entry *f = &fds[fd];
        if (!f->file || f->file >= FILE_EXCLUDED)
            continue;
        f->file = 0;
        if (f->offset &&
            name_read(old_log, (uint64_t)f->offset, &entry.n, sizeof entry))
            f->file = name_of_text(entry.n.text, TRACE_FILE, fd);
    }
}

/* Of the names that have a place in the table. */
void names_visit(void (*each)(const struct trace_name *, void *), void *with)
{
    union {
        struct trace_name n;
        char room[sizeof(struct trace_name) + PATH_BYTES + 16];
    } entry;
    int log = log_fd();
    for (uint32_t id = 1; id < NAMES && id <= state->names; id++)
        if (name_read(log, name_at[id], &entry.n, sizeof entry) &&
            entry.n.kind == TRACE_FILE)
            each(&entry.n, with);
}

/* One file can have several names: one for each descriptor. */
bool name_is_first(const char *text)
{
    uint64_t h = hash_of(text, 0, 0);
    for (unsigned i = 0; i < 64; i++) {
        struct name_slot *s = &state->slot[(h + i) % NAMES];
        if (s->hash == h)
            return false;
        if (!s->hash) {
            s->hash = h;
            return true;
        }
    }
    return true;
}
