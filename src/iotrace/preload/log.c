/* The log's file: its name, its blocks, and its descriptor, which the program does not
 * see. Blocks that are being filled are mapped, so that they outlive the process
 * however it ends. On a file system that copies on write, a mapping would kill the
 * program when there is no room for the copy: there, blocks are in memory, and are
 * written to the file every second and at the end. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

enum { OUT_OF_THE_WAY = 512, MANY_FDS = 4096, GENERATIONS_MOST = 100000, PAGE = 4096 };

struct staged { /* a block in memory; its records begin a page further on */
    struct staged *next;
    uint64_t at;    /* its place in the file */
    size_t written; /* bytes of it that have been written before */
};

static bool identify(int fd, uint64_t *dev, uint64_t *ino)
{
    struct statx s;
    if (sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &s))
        return false;
    *dev = (uint64_t)s.stx_dev_major << 32 | s.stx_dev_minor;
    *ino = s.stx_ino;
    return true;
}

/* ---- messages on stderr ---- */

static bool is_pipe(int fd)
{
    struct statx s;
    return !sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &s) &&
           (S_ISFIFO(s.stx_mode) || S_ISSOCK(s.stx_mode));
}

/* True if a message may be written: not to a file that the program has opened itself,
 * not into what another program may read as this one's output, and not if that would
 * block. */
static bool may_tell(void)
{
    static const struct timespec at_once;
    struct pollfd err = {2, POLLOUT, 0};
    uint64_t dev[2], ino[2];
    if (!fd_is_given(2))
        return false;
    if (is_pipe(2) && identify(1, &dev[0], &ino[0]) && identify(2, &dev[1], &ino[1]) &&
        dev[0] == dev[1] && ino[0] == ino[1])
        return false;
    return sys_call(SYS_ppoll, &err, 1, &at_once, NULL, 8) == 1 &&
           err.revents & POLLOUT;
}

void log_tell(const char *line, size_t bytes)
{
    if (may_tell())
        sys_write(2, line, bytes);
}

/* strerror looks for translations, and may allocate. */
extern const char *strerrordesc_np(int) __attribute__((weak));

void complain(const char *what, const char *about)
{
    int error = errno;
    ROOM(line);
    if (!line)
        return;
    const char *why = strerrordesc_np ? strerrordesc_np(error) : NULL;
    int n = snprintf(line, ROOM_BYTES, "libiotrace: %s%s: %s (%d)\n", what, about,
                     why ? why : "error", error);
    if (n > 0)
        log_tell(line, (size_t)n < ROOM_BYTES ? (size_t)n : ROOM_BYTES - 1);
}

/* True if the parent is recorded, too: then its environment names us. */
static bool parent_has_told(void)
{
    static const char us[] = "iotrace.so";
    char file[32];
    size_t kept = 0;
    ROOM(text);
    bool found = false;
    snprintf(file, sizeof file, "/proc/%d/environ", (int)sys_call(SYS_getppid));
    int fd = sys_open(file, O_RDONLY | O_CLOEXEC, 0);
    for (long n = 1; text && fd >= 0 && n > 0 && !found;) {
        n = sys_read(fd, text + kept, ROOM_BYTES - kept);
        size_t have = kept + (n > 0 ? (size_t)n : 0);
        found = memmem(text, have, us, sizeof us - 1) != NULL;
        kept = have < sizeof us ? have : sizeof us;
        memmove(text, text + have - kept, kept);
    }
    if (fd >= 0)
        sys_close(fd);
    return found;
}

/* Complains once, and not in every program that a process starts: others may read their
 * output. */
static void complain_nothing(const char *why, const char *about)
{
    int error = errno;
    bool told = parent_has_told();
    errno = error;
    if (!told)
        complain(why, about);
}

/* ---- the descriptor ---- */

/* Moves a descriptor to a number that the program cannot be given: at its limit, which
 * is raised for a moment; or among very many, where no program misses one. -1: there is
 * none. */
static int out_of_the_way(int fd)
{
    struct rlimit64 own, more;
    if (sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &own))
        return -1;
    bool many = own.rlim_cur > MANY_FDS;
    more.rlim_cur = own.rlim_cur + OUT_OF_THE_WAY;
    more.rlim_max = own.rlim_max > more.rlim_cur ? own.rlim_max : more.rlim_cur;
    if (!many && sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, NULL))
        return -1;
    int high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
                             many ? OUT_OF_THE_WAY : own.rlim_cur);
    if (!many)
        sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, &own, NULL);
    return high;
}

/* Keeps the descriptor, or for this use only if the program would miss its number. */
static void log_keep(struct log_use *u)
{
    int high = out_of_the_way(u->fd);
    u->brief = high < 0;
    if (high < 0)
        return;
    sys_close(u->fd);
    u->fd = recorder.fd = high;
}

bool log_name_taken(const char *name)
{
    return sys_call(SYS_faccessat, AT_FDCWD, name, F_OK) == 0;
}

/* Builds the name of the log's file. For a text log, it is the file from which the text
 * is made at the end. */
static const char *file_name(char *room)
{
    stpcpy(stpcpy(room, recorder.name), recorder.text ? ".part" : "");
    return room;
}

/* Creates a file, never one that exists: NAME, NAME.1, NAME.2 ... */
static int log_create(void)
{
    size_t end = strlen(recorder.name);
    int fd = -1;
    ROOM(file);
    for (int n = 0; file && n < GENERATIONS_MOST; n++) {
        if (n)
            snprintf(recorder.name + end, sizeof recorder.name - end, ".%d", n);
        file_name(file);
        if (recorder.text && log_name_taken(recorder.name))
            continue;
        fd = sys_create(file);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0 && file)
        complain_nothing("nothing is recorded, for want of the log ", file);
    return fd;
}

bool log_is_ours(int fd)
{
    uint64_t dev, ino;
    return fd >= 0 && identify(fd, &dev, &ino) && dev == recorder.dev &&
           ino == recorder.ino;
}

/* Opens the log again: the program may have closed it, and have another file under its
 * number. */
static struct log_use again(void)
{
    ROOM(file);
    int fd = file ? sys_open(file_name(file), O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
    if (fd >= 0 && !log_is_ours(fd)) {
        sys_close(fd);
        fd = -1;
    }
    struct log_use u = {fd, false};
    if (fd >= 0)
        log_keep(&u);
    return u;
}

struct log_use log_take(void)
{
    int fd = recorder.fd;
    return log_is_ours(fd) ? (struct log_use){fd, false} : again();
}

void log_give(struct log_use u)
{
    if (u.brief)
        sys_close(u.fd);
}

/* Allocates disk space: a mapped page without space would kill the program. It writes
 * zeros and does not use fallocate, which takes milliseconds if the file is soon
 * removed, or most of it not needed. */
static bool log_make_room(int fd, uint64_t at, size_t bytes)
{
    static const char zeros[16384];
    for (uint64_t n = 0; n < bytes; n += sizeof zeros) {
        ssize_t written = sys_pwrite(fd, zeros, sizeof zeros, at + n);
        if (written >= 0 && written < (ssize_t)sizeof zeros)
            errno = ENOSPC; /* an older error must not be reported */
        if (written != (ssize_t)sizeof zeros)
            return false;
    }
    return true;
}

/* Extends the file to the end of a block. */
static bool log_extend(int fd, uint64_t end)
{
    return sys_pwrite(fd, "", 1, end - 1) == 1;
}

/* ---- blocks that are not mapped ---- */

static bool copies_on_write(int fd)
{
    static const uint32_t those[] = {
        0x9123683e, /* btrfs */
        0xca451a4e, /* bcachefs */
        0x2fc12fc1, /* ZFS */
        0x794c7630, /* overlayfs: it does not tell the one below */
    };
    struct statfs s;
    if (sys_call(SYS_fstatfs, fd, &s))
        return false;
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if ((uint32_t)s.f_type == those[i])
            return true;
    return false;
}

static bool shall_be_staged(int fd)
{
    const char *mapped = environment("IOTRACE_MMAP");
    if (mapped && (!strcmp(mapped, "yes") || !strcmp(mapped, "no")))
        return *mapped == 'n';
    return copies_on_write(fd);
}

static void *stage(uint64_t at)
{
    void *p = sys_mmap(PAGE + TRACE_BLOCK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return MAP_FAILED;
    struct staged *s = p;
    s->at = at;
    s->next = __atomic_load_n(&state->staged, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state->staged, &s->next, s, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return (char *)p + PAGE;
}

static size_t used_bytes(const struct staged *s)
{
    const struct trace_block *b = (const void *)((const char *)s + PAGE);
    if (!s->at)
        return HEADER_BYTES;
    size_t one = b->kind == TRACE_PROFILE ? sizeof(struct trace_profile)
                                          : sizeof(struct trace_record);
    size_t bytes = sizeof *b + __atomic_load_n(&b->reserved, __ATOMIC_RELAXED) * one;
    return bytes < TRACE_BLOCK ? bytes : TRACE_BLOCK;
}

/* Writes all that was ever written of a block again: it may have been emptied. */
static bool put_staged(int fd, struct staged *s)
{
    size_t used = used_bytes(s);
    if (used > s->written)
        s->written = used;
    long n = sys_pwrite(fd, (char *)s + PAGE, s->written, s->at);
    if (n >= 0 && n < (long)s->written)
        errno = ENOSPC; /* an older error must not be reported */
    return n == (long)s->written;
}

void log_settle(void)
{
    static int told;
    struct staged *s = __atomic_load_n(&state->staged, __ATOMIC_ACQUIRE);
    struct log_use u = s ? log_take() : NO_LOG;
    bool good = !s || u.fd >= 0;
    for (; s && good; s = s->next)
        good = put_staged(u.fd, s);
    log_give(u);
    if (good)
        return;
    recorder.full = true;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        complain("what was recorded last is not in the log ", recorder.name);
}

/* ---- blocks ---- */

static void *map(int fd, uint64_t at, size_t room)
{
    if (recorder.staged)
        return stage(at);
    if (!log_make_room(fd, at, room))
        return MAP_FAILED;
    return sys_mmap(TRACE_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
}

static uint64_t next_index(void)
{
    return recorder.header
               ? __atomic_fetch_add(&recorder.header->blocks, 1, __ATOMIC_RELAXED)
               : 0;
}

uint64_t log_place(int fd)
{
    if (recorder.full || fd < 0)
        return 0;
    uint64_t index = next_index(), at = index * TRACE_BLOCK;
    if (index < recorder.blocks_most && log_extend(fd, at + TRACE_BLOCK))
        return at;
    recorder.full = true;
    return 0;
}

/* Copies a block to the end of the file. A killed process can leave half a copy: it
 * counts only with its header, which is written last. */
bool log_copy(const struct trace_block *b)
{
    size_t head = sizeof *b, rest = TRACE_BLOCK - head;
    bool full = __atomic_load_n(&recorder.full, __ATOMIC_SEQ_CST);
    struct log_use u = full ? NO_LOG : log_take();
    if (u.fd < 0)
        return false;
    uint64_t index = next_index(), at = index * TRACE_BLOCK;
    bool good = index < recorder.blocks_most &&
                sys_pwrite(u.fd, b + 1, rest, at + head) == (long)rest &&
                sys_pwrite(u.fd, b, head, at) == (long)head;
    log_give(u);
    if (!good)
        recorder.full = true;
    return good;
}

void *log_block(enum trace_kind kind, uint32_t thread, uint64_t sequence)
{
    struct log_use u = recorder.full ? NO_LOG : log_take();
    uint64_t at = log_place(u.fd);
    struct trace_block *b = at ? map(u.fd, at, TRACE_BLOCK) : MAP_FAILED;
    log_give(u);
    if (b == MAP_FAILED)
        return NULL;
    memcpy(b->magic, "BLK\n", 4);
    b->thread = thread;
    b->sequence = sequence;
    b->kind = kind;
    return b;
}

static void remove_log(void)
{
    ROOM(file);
    if (file)
        sys_unlink(file_name(file));
}

bool log_open(void)
{
    struct trace_header *h = MAP_FAILED;
    recorder.full = false;
    recorder.fd = -1;
    struct log_use u = {log_create(), true};
    if (u.fd < 0)
        return false;
    log_keep(&u);
    recorder.staged = shall_be_staged(u.fd);
    if (identify(u.fd, &recorder.dev, &recorder.ino) && log_extend(u.fd, TRACE_BLOCK))
        h = map(u.fd, 0, HEADER_BYTES);
    if (h == MAP_FAILED) {
        complain_nothing("nothing is recorded, for want of room for the log ",
                         recorder.name);
        remove_log();
        sys_close(u.fd);
        recorder.fd = -1;
        return false;
    }
    log_give(u);
    h->blocks = 1;
    recorder.header = h;
    return true;
}

/* Frees the space behind the records: a short program's few events do not need 256 KiB
 * of disk. */
void log_trim(void *mapped, size_t used)
{
    used = (used + PAGE - 1) / PAGE * PAGE;
    if (used < TRACE_BLOCK && !recorder.staged)
        sys_call(SYS_madvise, (char *)mapped + used, TRACE_BLOCK - used, MADV_REMOVE);
}

void log_trim_names(void)
{
    uint64_t from = (state->name_end + 4095) / 4096 * 4096;
    uint64_t to = (from + TRACE_BLOCK - 1) / TRACE_BLOCK * TRACE_BLOCK;
    struct log_use u = from < to ? log_take() : NO_LOG;
    if (u.fd >= 0)
        sys_call(SYS_fallocate, u.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                 to - from);
    log_give(u);
}

/* Moves our descriptor, as the program wants its number. */
void log_move(int fd)
{
    if (recorder.header && fd == recorder.fd && log_is_ours(fd)) {
        int high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, fd + 1);
        if (high < 0)
            high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
        if (high >= 0)
            recorder.fd = high;
    }
}
