/* Probes of the page cache: direct I/O, its alignment, dropping pages, short calls. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/stats.h"
#include "base/units.h"
#include "doctor/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECT = 1 << 20, LEAST = 512, MOST = 64 << 10 };

/* The bytes of a file, of `bytes`, that are in the page cache; -1: not known. */
static int64_t resident(int fd, size_t bytes)
{
    static unsigned char seen[PIECE / 4096];
    size_t page = (size_t)sysconf(_SC_PAGE_SIZE);
    int64_t n = 0;
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -1;
    int rc = mincore(map, bytes, seen);
    for (size_t i = 0; !rc && i * page < bytes; i++)
        n += seen[i] & 1 ? (int64_t)page : 0;
    munmap(map, bytes);
    return rc ? -1 : n;
}

/* ---- direct I/O ------------------------------------------------------------------ */

static void judge_direct(struct doctor_finding *f, int64_t cached)
{
    char a[16], b[16];
    find_value(f, "cached_bytes", (double)cached);
    if (cached < 0)
        find(f, "not known",
             "look at the share of bytes from below the cache that a report gives",
             "it works, but the kernel does not tell which pages of it are in memory");
    else if (cached)
        find(f, "in name only",
             "--cache=direct measures the page cache here: no figure is a device's",
             "O_DIRECT is accepted, but of %s written %s are in the page cache",
             units_bytes(a, DIRECT), units_bytes(b, cached));
    else
        find(f, "yes",
             "--cache=direct goes past this node's page cache; a cache of a server or "
             "a host below it is not seen from here",
             "no page of what was written and read is in the page cache");
}

void probe_direct(struct place *p, struct doctor_finding *f)
{
    static const char none[] = "--cache=direct fails here; measure with --cache=flush";
    int fd = place_new(p, "direct", O_DIRECT);
    if (fd < 0) {
        find(f, "no", none, "O_DIRECT: %s", strerror(errno));
        return;
    }
    void *buf = NULL;
    if (pwrite(fd, p->noise, DIRECT, 0) != DIRECT)
        find(f, "no", none, "O_DIRECT is accepted, but a write fails: %s",
             strerror(errno));
    else if (buf_alloc(&buf, DIRECT, "a direct read") ||
             pread(fd, buf, DIRECT, 0) != DIRECT)
        find(f, "no", none, "O_DIRECT is accepted, but a read fails: %s",
             strerror(errno));
    else if (memcmp(buf, p->noise, DIRECT) != 0)
        find(f, "wrong bytes", "do not measure with this file system",
             "a direct read gives other bytes than were written");
    else
        judge_direct(f, resident(fd, DIRECT));
    buf_free(buf);
    close(fd);
}

/* True if `bytes` can be written and read at this offset and at this place in memory,
 * directly. */
static bool direct_takes(struct place *p, int at)
{
    int fd = place_new(p, "aligned", O_DIRECT | O_TRUNC);
    bool takes = fd >= 0 && pwrite(fd, p->noise + at, (size_t)at, at) == at &&
                 pread(fd, p->noise + at, (size_t)at, at) == at;
    if (fd >= 0)
        close(fd);
    return takes;
}

/* The kernel's word (STATX_DIOALIGN); 0: it gives none. */
static int told(struct place *p)
{
    int bytes = 0;
#ifdef STATX_DIOALIGN
    struct statx x;
    int fd = place_new(p, "told", 0);
    if (fd >= 0 && !statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) &&
        x.stx_mask & STATX_DIOALIGN)
        bytes = (int)x.stx_dio_offset_align;
    if (fd >= 0)
        close(fd);
#else
    (void)p;
#endif
    return bytes;
}

/* The largest of these sizes up to which all work. */
static int direct_most(struct place *p, int least)
{
    int most = least == 1 ? LEAST : least;
    while (most < MOST && direct_takes(p, 2 * most))
        most *= 2;
    return most;
}

void probe_alignment(struct place *p, struct doctor_finding *f)
{
    static const char means[] =
        "sizes and offsets of direct transfers are multiples of "
        "this (Leadline takes 4096 bytes and more)";
    char answer[16], says[64] = "the kernel tells none";
    int least = direct_takes(p, 1) ? 1 : LEAST, word = told(p);
    while (least > 1 && least <= MOST && !direct_takes(p, least))
        least *= 2;
    if (word)
        snprintf(says, sizeof says, "the kernel tells %d bytes", word);
    find_value(f, "told_bytes", word);
    if (least > MOST) {
        find(f, "none", "no direct transfers", "nothing from %d bytes to %s works; %s",
             LEAST, units_bytes(answer, MOST), says);
        return;
    }
    int most = direct_most(p, least);
    find_value(f, "least_bytes", least);
    find_value(f, "most_bytes", most);
    if (most < MOST)
        find(f, "fails above", "direct transfers of usual sizes fail here",
             "%d bytes work, %d do not; %s", most, 2 * most, says);
    else if (least == 1)
        find(f, "any", "transfers that are not aligned may go through the page cache",
             "a single byte can be written; %s", says);
    else
        find(f, units_bytes(answer, least), means,
             "tried; anything smaller is refused; %s", says);
}

/* ---- dropping pages -------------------------------------------------------------- */

static void judge_drop(struct doctor_finding *f, int64_t before, int64_t after)
{
    char a[16], b[16];
    find_value(f, "cached_before", (double)before);
    find_value(f, "cached_after", (double)after);
    if (after < 0)
        find(f, "not known", "whether reads come from memory cannot be looked up",
             "the kernel does not tell which pages are in memory");
    else if (after)
        find(f, "no", "--cache=flush does not empty the cache: reads come from memory",
             "of %s in memory %s stay there", units_bytes(a, before),
             units_bytes(b, after));
    else
        find(f, "yes", "--cache=flush makes reads come from below the page cache",
             "%s were in memory, and none after posix_fadvise", units_bytes(a, before));
}

void probe_drop(struct place *p, struct doctor_finding *f)
{
    int fd = place_noise(p, "drop", PIECE);
    if (fd < 0) {
        find_unknown(f, "writing a file", errno);
        return;
    }
    int64_t before = resident(fd, PIECE);
    if (fsync(fd))
        find_unknown(f, "fsync", errno);
    else {
        int rc = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (rc)
            find_unknown(f, "posix_fadvise", rc);
        else
            judge_drop(f, before, resident(fd, PIECE));
    }
    close(fd);
}

/* ---- short calls ----------------------------------------------------------------- */

enum { CALLS = 200, BUDGET_NS = 50000000, SMALL = 4096 };

struct timed { /* what a call is made on */
    struct place *p;
    int fd, direct;
    int i;
};

static bool call_read(struct timed *t)
{
    return pread(t->fd, t->p->noise, SMALL, 0) == SMALL;
}

static bool call_write(struct timed *t)
{
    return pwrite(t->fd, t->p->noise, SMALL, 0) == SMALL;
}

static bool call_read_direct(struct timed *t)
{
    return pread(t->direct, t->p->noise, SMALL, (t->i % 64) * SMALL) == SMALL;
}

static bool call_write_direct(struct timed *t)
{
    return pwrite(t->direct, t->p->noise, SMALL, (t->i % 64) * SMALL) == SMALL;
}

static bool call_create(struct timed *t)
{
    char name[32];
    snprintf(name, sizeof name, "c%d", t->i);
    int fd = place_new(t->p, name, O_EXCL);
    return fd >= 0 && !close(fd);
}

static bool call_stat(struct timed *t)
{
    struct stat st;
    return !fstatat(t->p->fd, "small", &st, 0);
}

static const struct {
    const char *title, *value;
    bool (*call)(struct timed *);
} calls[] = {{"read", "read_s", call_read},
             {"write", "write_s", call_write},
             {"direct read", "direct_read_s", call_read_direct},
             {"direct write", "direct_write_s", call_write_direct},
             {"create", "create_s", call_create},
             {"stat", "stat_s", call_stat}};

/* The shortest of many calls; -1: it fails. */
static double shortest(bool (*call)(struct timed *), struct timed *t)
{
    int64_t least = INT64_MAX, end = clock_ns() + BUDGET_NS;
    for (t->i = 0; t->i < CALLS && clock_ns() < end; t->i++) {
        int64_t from = clock_ns();
        if (!call(t))
            return -1;
        int64_t ns = clock_ns() - from;
        least = ns < least ? ns : least;
    }
    return (double)least / 1e9;
}

void probe_latency(struct place *p, struct doctor_finding *f)
{
    struct timed t = {p, place_noise(p, "small", MOST * 4),
                      place_new(p, "small", O_DIRECT), 0};
    char text[300] = "", s[16];
    size_t n = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0] && n < sizeof text; i++) {
        double best = shortest(calls[i].call, &t);
        if (best < 0)
            continue;
        find_value(f, calls[i].value, best);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "",
                              calls[i].title, units_seconds(s, best));
    }
    find(f, n ? "measured" : "not known",
         "no benchmark of 4 KiB blocks or of names can be faster than this",
         "of up to %d calls of 4 KiB each: %s", CALLS, n ? text : "none works");
    if (t.fd >= 0)
        close(t.fd);
    if (t.direct >= 0)
        close(t.direct);
}
