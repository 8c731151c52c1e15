/* The log's file: its name, its blocks, its descriptor, which the program does not
 * see. Blocks that are being filled are mapped, so that they outlive the process
 * however it ends. Where the file system copies on write, that would kill the program
 * when there is no room for the copy: there they are in memory, and written to the
 * file every second and at the end. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

enum { OUT_OF_THE_WAY = 512, GENERATIONS_MOST = 100000, PAGE = 4096 };

struct staged { /* a block in memory; what is recorded begins a page further on */
    struct staged *next;
    uint64_t at;    /* its place in the file */
    size_t written; /* so much of it has been there before */
};

void complain(const char *what, const char *about)
{
    char line[PATH_BYTES + 256];
    int n = snprintf(line, sizeof line, "libiotrace: %s%s: %s\n", what, about,
                     strerror(errno));
    if (n > 0)
        sys_write(2, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static bool identify(int fd, uint64_t *dev, uint64_t *ino)
{
    struct statx s;
    if (sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &s))
        return false;
    *dev = (uint64_t)s.stx_dev_major << 32 | s.stx_dev_minor;
    *ino = s.stx_ino;
    return true;
}

static int out_of_the_way(int fd)
{
    for (int least = OUT_OF_THE_WAY; least > 2; least /= 2) {
        int high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
        if (high >= 0) {
            sys_close(fd);
            return high;
        }
    }
    return fd;
}

bool log_name_taken(const char *name)
{
    return sys_call(SYS_faccessat, AT_FDCWD, name, F_OK) == 0;
}

/* The name of the log's file: of a text, what it is made from at the end. */
static void file_name(char *text, size_t bytes)
{
    snprintf(text, bytes, "%s%s", recorder.name, recorder.text ? ".part" : "");
}

/* Never one that exists: NAME, NAME.1, NAME.2 ... */
static int create(void)
{
    char file[PATH_BYTES + 8];
    size_t end = strlen(recorder.name);
    int fd = -1;
    for (int n = 0; n < GENERATIONS_MOST; n++) {
        if (n)
            snprintf(recorder.name + end, sizeof recorder.name - end, ".%d", n);
        file_name(file, sizeof file);
        if (recorder.text && log_name_taken(recorder.name))
            continue;
        fd = sys_open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0)
        complain("nothing is recorded, for want of the log ", file);
    return fd < 0 ? -1 : out_of_the_way(fd);
}

bool log_is_ours(int fd)
{
    uint64_t dev, ino;
    return fd >= 0 && identify(fd, &dev, &ino) && dev == recorder.dev &&
           ino == recorder.ino;
}

/* The program may have closed the log behind our back, and have another file under its
 * number. */
static bool still_there(void)
{
    if (log_is_ours(recorder.fd))
        return true;
    char file[PATH_BYTES + 8];
    file_name(file, sizeof file);
    int fd = sys_open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return false;
    if (!log_is_ours(fd)) {
        sys_close(fd);
        return false;
    }
    recorder.fd = out_of_the_way(fd);
    return true;
}

int log_fd(void)
{
    return still_there() ? recorder.fd : -1;
}

/* Room that is really there: a mapped page for which the disk has none would kill the
 * program. Zeros and not fallocate, which takes milliseconds where the file is soon
 * removed, or most of it not needed. */
static bool make_room(uint64_t at, size_t bytes)
{
    static const char zeros[16384];
    for (uint64_t n = 0; n < bytes; n += sizeof zeros) {
        ssize_t written = sys_pwrite(recorder.fd, zeros, sizeof zeros, at + n);
        if (written >= 0 && written < (ssize_t)sizeof zeros)
            errno = ENOSPC; /* or an older reason would be told */
        if (written != (ssize_t)sizeof zeros)
            return false;
    }
    return true;
}

/* The file ends where a block does. */
static bool extend(uint64_t end)
{
    return sys_pwrite(recorder.fd, "", 1, end - 1) == 1;
}

/* ---- blocks that are not mapped ---- */

static bool copies_on_write(int fd)
{
    static const uint32_t those[] = {
        0x9123683e, /* btrfs */
        0xca451a4e, /* bcachefs */
        0x2fc12fc1, /* ZFS */
        0x794c7630, /* overlayfs: the one below is not told */
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
    const char *mapped = getenv("IOTRACE_MMAP");
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

/* All that was ever written of a block is written again: it may have been emptied. */
static bool put_staged(struct staged *s)
{
    size_t used = used_bytes(s);
    if (used > s->written)
        s->written = used;
    long n = sys_pwrite(recorder.fd, (char *)s + PAGE, s->written, s->at);
    if (n >= 0 && n < (long)s->written)
        errno = ENOSPC; /* or an older reason would be told */
    return n == (long)s->written;
}

void log_settle(void)
{
    static int told;
    struct staged *s = __atomic_load_n(&state->staged, __ATOMIC_ACQUIRE);
    bool good = !s || still_there();
    for (; s && good; s = s->next)
        good = put_staged(s);
    if (good)
        return;
    recorder.full = true;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        complain("what was recorded last is not in the log ", recorder.name);
}

/* ---- blocks ---- */

static void *map(uint64_t at, size_t room)
{
    if (recorder.staged)
        return stage(at);
    if (!make_room(at, room))
        return MAP_FAILED;
    return sys_mmap(TRACE_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, recorder.fd, at);
}

static uint64_t next_index(void)
{
    return recorder.header
               ? __atomic_fetch_add(&recorder.header->blocks, 1, __ATOMIC_RELAXED)
               : 0;
}

uint64_t log_place(void)
{
    if (recorder.full || !still_there())
        return 0;
    uint64_t index = next_index(), at = index * TRACE_BLOCK;
    if (index < recorder.blocks_most && extend(at + TRACE_BLOCK))
        return at;
    recorder.full = true;
    return 0;
}

/* A killed process can leave half a copy: it counts only with its header, which is
 * written last. */
bool log_copy(const struct trace_block *b)
{
    size_t head = sizeof *b, rest = TRACE_BLOCK - head;
    if (__atomic_load_n(&recorder.full, __ATOMIC_SEQ_CST) || !still_there())
        return false;
    uint64_t index = next_index(), at = index * TRACE_BLOCK;
    if (index < recorder.blocks_most &&
        sys_pwrite(recorder.fd, b + 1, rest, at + head) == (long)rest &&
        sys_pwrite(recorder.fd, b, head, at) == (long)head)
        return true;
    recorder.full = true;
    return false;
}

void *log_block(enum trace_kind kind, uint32_t thread, uint64_t sequence)
{
    uint64_t at = log_place();
    struct trace_block *b = at ? map(at, TRACE_BLOCK) : MAP_FAILED;
    if (b == MAP_FAILED)
        return NULL;
    memcpy(b->magic, "BLK\n", 4);
    b->thread = thread;
    b->sequence = sequence;
    b->kind = kind;
    return b;
}

bool log_open(void)
{
    recorder.full = false;
    recorder.fd = create();
    if (recorder.fd < 0)
        return false;
    recorder.staged = shall_be_staged(recorder.fd);
    struct trace_header *h = MAP_FAILED;
    if (identify(recorder.fd, &recorder.dev, &recorder.ino) && extend(TRACE_BLOCK))
        h = map(0, HEADER_BYTES);
    if (h == MAP_FAILED) {
        complain("nothing is recorded, for want of room for the log ", recorder.name);
        sys_close(recorder.fd);
        return false;
    }
    h->blocks = 1;
    recorder.header = h;
    return true;
}

/* Gives back the room behind what was written: a short program's few events do not need
 * 256 KiB of disk. */
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
    if (from < to && still_there())
        sys_call(SYS_fallocate, recorder.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                 from, to - from);
}

/* The program wants our number for itself. */
void log_move(int fd)
{
    if (recorder.header && fd == recorder.fd && still_there()) {
        int high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, fd + 1);
        if (high < 0)
            high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
        if (high >= 0)
            recorder.fd = high;
    }
}
