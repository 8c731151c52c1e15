/* Names of files and marks: each gets a number and an entry in the log. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t name_at[NAMES];

static bool moved; /* a relative name is no longer relative to the first directory */

void names_moved(void)
{
    moved = true;
}

/* ---- files that are left out, decided once for each name ---- */

static struct {
    const char *include, *exclude;
} globs;

void names_start(void)
{
    globs.include = environment("IOTRACE_INCLUDE");
    globs.exclude = environment("IOTRACE_EXCLUDE");
    if (globs.include && !*globs.include)
        globs.include = NULL;
    if (globs.exclude && !*globs.exclude)
        globs.exclude = NULL;
}

/* Matches one glob, up to `end`: * is any text, ? any letter. */
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

/* Makes a path absolute if possible. */
static void absolute(char *text, size_t bytes, const char *path)
{
    long n = *path == '/' ? 0 : sys_call(SYS_getcwd, text, bytes);
    size_t used = n > 0 && *text == '/' ? (size_t)n - 1 : 0;
    snprintf(text + used, bytes - used, "%s%s", used > 1 ? "/" : "", path);
}

static bool is_left_out(const char *text)
{
    if (LIKELY(!globs.include && !globs.exclude))
        return false;
    ROOM(whole);
    if (!whole)
        return false;
    absolute(whole, PATH_BYTES, text);
    return (globs.include && !any_matches(globs.include, text, whole)) ||
           any_matches(globs.exclude, text, whole);
}

/* ---- numbers ---- */

static uint64_t hash_name(const char *text, uint32_t kind, int fd)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)kind << 32 | (uint32_t)fd);
    h *= UINT64_C(0x9e3779b97f4a7c15);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    h ^= h >> 29;
    return h ? h : 1;
}

/* Returns a place in the log for an entry of so many bytes; 0: there is none. */
static uint64_t names_place(int log, uint32_t bytes)
{
    uint64_t end = __atomic_load_n(&state->name_end, __ATOMIC_ACQUIRE);
    for (;;) {
        uint64_t at = end;
        if (!at || at % TRACE_BLOCK + bytes > TRACE_BLOCK || at % TRACE_BLOCK == 0) {
            struct trace_block b = {{'B', 'L', 'K', '\n'}, TRACE_NAMES, 0, 0, 0};
            at = log_place(log);
            b.sequence = __atomic_fetch_add(&state->name_blocks, 1, __ATOMIC_RELAXED);
            if (!at || sys_pwrite(log, &b, sizeof b, at) != sizeof b)
                return 0;
            at += sizeof b;
        }
        if (__atomic_compare_exchange_n(&state->name_end, &end, at + bytes, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return at;
    }
}

static uint32_t emit(const char *text, enum trace_name_kind kind, int fd)
{
    uint16_t place = kind == TRACE_FILE ? (uint16_t)fd_place(fd) : 0;
    ROOM(room);
    struct trace_name *entry = (void *)room;
    size_t length = strnlen(text, PATH_BYTES - 1);
    uint32_t bytes = (uint32_t)((sizeof *entry + length + 1 + 7) / 8 * 8);
    struct log_use log = entry ? log_take() : NO_LOG;
    uint64_t at = log.fd < 0 ? 0 : names_place(log.fd, bytes);
    uint32_t id = 0;
    if (at) {
        id = 1 + __atomic_fetch_add(&state->names, 1, __ATOMIC_RELAXED);
        memset(room, 0, bytes);
        *entry = (struct trace_name){bytes, id, (uint16_t)kind, place, fd};
        memcpy(entry->text, text, length);
        if (id < NAMES)
            name_at[id] = at;
        sys_pwrite(log.fd, entry, bytes, at);
    }
    log_give(log);
    return id;
}

/* Returns the number of a name. Two callers at once (threads, a signal handler) may
 * each make a number for the same name: readers compare the text. Nobody waits. */
uint32_t name_of_text(const char *text, enum trace_name_kind kind, int fd)
{
    if (!is_running() && !recorder_start())
        return 0;
    uint64_t h = hash_name(text, kind, fd);
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

/* Returns the number for the kernel's name of a file: "/a/file", "pipe:[123]". */
uint32_t name_of_link(const char *text, int fd)
{
    return is_left_out(text) ? FILE_EXCLUDED : name_of_text(text, TRACE_FILE, fd);
}

static uint32_t name_of_moved(const char *path, int fd)
{
    ROOM(text);
    if (!text)
        return 0;
    absolute(text, PATH_BYTES, path);
    return name_of_link(text, fd);
}

uint32_t name_of_path(const char *path, int fd)
{
    int error = errno;
    uint32_t id =
        moved && *path != '/' ? name_of_moved(path, fd) : name_of_link(path, fd);
    errno = error;
    return id;
}

long name_of_fd(char *text, int fd)
{
    char link[32] = "/proc/self/fd/", digits[12];
    int i = sizeof digits;
    if (fd < 0)
        return -1;
    digits[--i] = 0;
    do
        digits[--i] = (char)('0' + fd % 10);
    while (fd /= 10);
    strcat(link, digits + i);
    long n = sys_readlink(link, text, PATH_BYTES - 1);
    if (n >= 0)
        text[n] = 0;
    return n;
}

uint32_t name_of_path_at(int dir, const char *path, int fd)
{
    if (dir == AT_FDCWD || *path == '/')
        return name_of_path(path, fd);
    int error = errno;
    ROOM(text);
    long n = text ? name_of_fd(text, dir) : -1;
    size_t used = n > 0 ? (size_t)n : 0, length = strlen(path);
    uint32_t id = 0;
    if (used && length)
        text[used++] = '/';
    if (text && used + length < ROOM_BYTES) {
        memcpy(text + used, path, length + 1);
        id = name_of_path(text, fd);
    }
    errno = error;
    return id;
}

/* Reads a name from the parent's log: descriptors that a child has from its parent keep
 * their names. */
static bool name_read(int log, uint64_t at, struct trace_name *n)
{
    long got = sys_pread(log, n, sizeof *n + PATH_BYTES + 8, at);
    if (got < (long)sizeof *n || n->bytes < sizeof *n || n->bytes > got)
        return false;
    ((char *)n)[n->bytes] = 0;
    return true;
}

/* Returns a number for the same text under another descriptor; 0: the text cannot be
 * read. */
uint32_t name_again(uint32_t id, int fd)
{
    int error = errno;
    ROOM(room);
    struct trace_name *entry = (void *)room;
    struct log_use log = entry && recorder.header && id < NAMES ? log_take() : NO_LOG;
    bool good = log.fd >= 0 && name_read(log.fd, name_at[id], entry);
    log_give(log);
    uint32_t again = good ? name_of_text(entry->text, TRACE_FILE, fd) : 0;
    errno = error;
    return again;
}

static void (*keepers[NAME_KEEPERS])(void);

void names_kept(void (*forget)(void))
{
    for (int i = 0; i < NAME_KEEPERS; i++) {
        void (*was)(void) = NULL;
        if (__atomic_compare_exchange_n(&keepers[i], &was, forget, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
            was == forget)
            return;
    }
}

void names_inherit(int old_log)
{
    ROOM(room);
    struct trace_name *entry = (void *)room;
    for (int i = 0; i < NAME_KEEPERS && keepers[i]; i++)
        keepers[i]();
    /* Find all of them first: new numbers overwrite old ones' places in name_at. */
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
        if (f->offset && entry && name_read(old_log, (uint64_t)f->offset, entry))
            f->file = name_of_text(entry->text, TRACE_FILE, fd);
    }
}

/* Visits the names that have a place in the table. */
void names_visit(void (*each)(const struct trace_name *, void *), void *with)
{
    ROOM(room);
    struct trace_name *entry = (void *)room;
    struct log_use log = log_take();
    for (uint32_t id = 1; entry && id < NAMES && id <= state->names; id++)
        if (name_read(log.fd, name_at[id], entry) && entry->kind == TRACE_FILE)
            each(entry, with);
    log_give(log);
}

/* True if the name comes up for the first time. One file can have several names: one
 * for each descriptor. */
bool name_is_first(const char *text)
{
    uint64_t h = hash_name(text, 0, 0);
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
