/* The page cache of this node: drops pages, and counts the resident ones. */
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "io/io.h"
#include "io/part/container.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW (INT64_C(256) << 20) /* mapped at a time */
#define PAGE_MIN 4096

/* Counts resident bytes of [from, to), `from` page-aligned; -1: not known. */
static int64_t count(int fd, int64_t from, int64_t to)
{
    unsigned char seen[WINDOW / PAGE_MIN]; /* each thread's own: 64 KiB */
    int64_t page = sysconf(_SC_PAGE_SIZE), resident = 0;
    for (; from < to; from += WINDOW) {
        int64_t n = to - from < WINDOW ? to - from : WINDOW;
        void *map = mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, fd, from);
        if (map == MAP_FAILED)
            return -1;
        int rc = mincore(map, (size_t)n, seen);
        for (int64_t i = 0; !rc && i * page < n; i++)
            if (seen[i] & 1)
                resident += n - i * page < page ? n - i * page : page;
        munmap(map, (size_t)n);
        if (rc)
            return -1;
    }
    return resident;
}

/* True if the kernel tells this user: to others it reports every page as resident. */
static bool may_know(const char *path, const struct stat *st)
{
    return st->st_uid == geteuid() || !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

/* Bytes looked at, and those that were in memory; -1: not known. */
struct seen {
    int64_t bytes, resident;
};

static int look(const char *path, int64_t offset, int64_t bytes, bool drop,
                struct seen *seen)
{
    struct stat st;
    int64_t page = sysconf(_SC_PAGE_SIZE);
    int fd = io_open_seen(path);
    if (fd < 0 || fstat(fd, &st)) {
        int rc = err_set(-errno, path, -1,
                         "the file cannot be opened to look at its "
                         "cached pages: %s",
                         strerror(errno));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    int64_t all = io_descriptor_bytes(fd, &st);
    int64_t from = offset / page * page, to = bytes ? offset + bytes : all;
    to = to < all ? to : all;
    /* A region's last page is shared with its neighbour: dropping it is harmless. */
    if (drop)
        posix_fadvise(fd, from, bytes ? (to - from + page - 1) / page * page : 0,
                      POSIX_FADV_DONTNEED);
    int64_t resident = may_know(path, &st) ? count(fd, from, to) : -1;
    seen->resident =
        resident < 0 || seen->resident < 0 ? -1 : seen->resident + resident;
    seen->bytes += to > from ? to - from : 0;
    close(fd);
    return 0;
}

/* ---- containers ------------------------------------------------------------------ */

struct container_look {
    struct container c;
    const char *path;
    int fd;                /* descriptor of the header */
    int64_t offset, bytes; /* of the logical file; bytes 0: all of it */
    bool drop;
    struct seen *seen;
};

/* Looks at the part of partition r in the range, if this node can open it: otherwise it
 * cannot have it in memory. */
static int look_part(struct container_look *l, int64_t r)
{
    char part[CONTAINER_PATH];
    struct ldad d = ldad_plan_rank(&l->c.map.plan, r);
    int64_t from = l->bytes ? ldad_before(&d, l->offset) : 0;
    int64_t n = l->bytes ? ldad_before(&d, l->offset + l->bytes) - from : 0;
    if (l->bytes && !n)
        return 0;
    int rc = container_peek_record(&l->c, l->path, l->fd, r);
    if (!rc)
        rc = container_part_path(&l->c, l->path, r, part);
    if (rc || faccessat(AT_FDCWD, part, R_OK, AT_EACCESS))
        return rc;
    return look(part, from, n, l->drop, l->seen);
}

/* Looks at the shared part, which is empty in most containers, as the header says. */
static int look_shared(struct container_look *l)
{
    char shared[CONTAINER_PATH];
    const struct container *c = &l->c;
    if (c->parts && c->state == CONTAINER_COMPLETE && !c->misfits)
        return 0;
    int rc = container_file(l->path, "shared", shared);
    return rc ? rc : look(shared, l->offset, l->bytes, l->drop, l->seen);
}

/* Looks at each partition with bytes in the range once: where its first run is. */
static int look_range(struct container_look *l)
{
    int64_t at = l->offset, end = l->offset + l->bytes;
    int rc = 0;
    while (at < end && !rc && l->c.parts) {
        struct ldad_run run = ldad_map_run(&l->c.map, at, end - at);
        if (run.rank >= 0) {
            struct ldad d = ldad_plan_rank(&l->c.map.plan, run.rank);
            if (ldad_before(&d, l->offset) == run.at)
                rc = look_part(l, run.rank);
        }
        at += run.bytes;
    }
    return rc;
}

enum { ALL_PARTS = -1 };

/* Looks at a range of a container, or at partition `part`; with `rest`, the
 * shared part. */
static int look_container(struct container_look *l, int64_t part, bool rest)
{
    int rc = container_peek(&l->c, l->path, &l->fd);
    if (rc)
        return rc;
    if (part >= 0)
        rc = part < l->c.parts ? look_part(l, part) : 0;
    else if (l->bytes)
        rc = look_range(l);
    else
        for (int64_t r = 0; r < l->c.parts && !rc; r++)
            rc = look_part(l, r);
    if (!rc && rest)
        rc = look_shared(l);
    container_free(&l->c);
    if (l->fd >= 0)
        close(l->fd);
    return rc;
}

static int look_file(const char *path, int64_t offset, int64_t bytes, bool drop,
                     int64_t *resident)
{
    struct seen seen = {0, 0};
    struct container_look l = {
        .path = path, .offset = offset, .bytes = bytes, .drop = drop, .seen = &seen};
    int rc = container_is(path) ? look_container(&l, ALL_PARTS, true)
                                : look(path, offset, bytes, drop, &seen);
    *resident = rc ? -1 : seen.resident;
    return rc;
}

int io_cache_drop(const char *path, int64_t offset, int64_t bytes, int64_t *resident)
{
    return look_file(path, offset, bytes, true, resident);
}

int io_cache_resident(const char *path, int64_t offset, int64_t bytes,
                      int64_t *resident)
{
    return look_file(path, offset, bytes, false, resident);
}

int io_cache_part(const char *path, int64_t part, bool rest, bool drop, int64_t *bytes,
                  int64_t *resident)
{
    struct seen seen = {0, 0};
    struct container_look l = {.path = path, .drop = drop, .seen = &seen};
    int rc = look_container(&l, part, rest);
    *bytes = seen.bytes;
    *resident = rc ? -1 : seen.resident;
    return rc;
}

bool io_cache_sample(const char *path, int64_t *resident, int64_t *stored)
{
    enum { PIECES = 64 };
    struct stat st;
    int64_t seen = 0, found = 0, page = sysconf(_SC_PAGE_SIZE);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool told = fd >= 0 && !fstat(fd, &st) && st.st_size && may_know(path, &st);
    int64_t step = told ? (st.st_size / PIECES / page + 1) * page : 1;
    int64_t most = step < WINDOW / 4 ? step : WINDOW / 4;
    for (int64_t at = 0; told && at < st.st_size; at += step) {
        int64_t to = at + most < st.st_size ? at + most : st.st_size;
        int64_t n = count(fd, at, to);
        seen += to - at;
        found += n;
        told = n >= 0;
    }
    if (fd >= 0)
        close(fd);
    if (!told)
        return false;
    *stored = st.st_blocks * 512 < st.st_size ? st.st_blocks * 512 : st.st_size;
    *resident = (int64_t)((double)found / (double)seen * (double)st.st_size);
    *resident = *resident < *stored ? *resident : *stored;
    return true;
}

static int64_t counter(const char *key)
{
    char line[128];
    long long v = -1;
    FILE *f = fopen("/proc/self/io", "r");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            sscanf(line + strlen(key), ": %lld", &v);
    fclose(f);
    return v;
}

int64_t io_device_read_bytes(void)
{
    return counter("read_bytes");
}

/* Writes and syncs a file, drops it from memory, reads it. Returns 1 if the kernel
 * counts at least half as read from below. The data is noise, which no file system
 * can compress. */
static int probe(int fd, char *buf, size_t n)
{
    uint64_t noise = 1;
    for (size_t i = 0; i < n; i++) {
        noise = noise * UINT64_C(6364136223846793005) + 1;
        buf[i] = (char)(noise >> 56);
    }
    ssize_t written = pwrite(fd, buf, n, 0);
    if (written < 0 || fsync(fd))
        return -errno;
    if (written < (ssize_t)n) /* little room: the run may need less */
        return 0;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    int64_t before = io_device_read_bytes();
    if (before < 0 || pread(fd, buf, n, 0) != (ssize_t)n)
        return 0;
    return io_device_read_bytes() - before >= (int64_t)n / 2;
}

int io_device_counters_work(const char *dir)
{
    enum { PROBE = 1 << 20 };
    char *buf = mem_of(dir, PROBE, 1, "the read that tries the kernel's counters");
    if (!buf)
        return -ENOMEM;
    int fd = scratch_nameless(dir), rc = fd;
    if (fd >= 0) {
        rc = probe(fd, buf, PROBE);
        close(fd);
    }
    free(buf);
    return rc > 0;
}
