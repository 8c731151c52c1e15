/* The page cache of this node: dropping pages, and asking which are there. */
#include "base/err.h"
#include "io/container.h"
#include "io/io.h"
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

/* Counts resident bytes of [from, to), from page-aligned; -1: not to be known. */
static int64_t count(int fd, int64_t from, int64_t to)
{
    static unsigned char seen[WINDOW / PAGE_MIN];
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

/* To others the kernel says of every page that it is there. */
static bool may_know(const char *path, const struct stat *st)
{
    return st->st_uid == geteuid() || !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

static int look(const char *path, int64_t offset, int64_t bytes, bool drop,
                int64_t *resident)
{
    struct stat st;
    int64_t page = sysconf(_SC_PAGE_SIZE);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *resident = -1;
    if (fd < 0 || fstat(fd, &st)) {
        int rc = err_set(-errno, path, -1,
                         "the file cannot be opened to look at its "
                         "cached pages: %s",
                         strerror(errno));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    int64_t from = offset / page * page, to = bytes ? offset + bytes : st.st_size;
    to = to < st.st_size ? to : st.st_size;
    /* A region's last page is shared with its neighbour: dropping it is harmless. */
    if (drop)
        posix_fadvise(fd, from, bytes ? (to - from + page - 1) / page * page : 0,
                      POSIX_FADV_DONTNEED);
    if (may_know(path, &st))
        *resident = count(fd, from, to);
    close(fd);
    return 0;
}

/* Where the bytes of the logical range are in partition r: *from to *from + *bytes. */
static bool of_partition(const struct container *c, int64_t r, int64_t offset,
                         int64_t bytes, int64_t *from, int64_t *n)
{
    struct ldad d = ldad_plan_rank(&c->map.plan, r);
    *from = bytes ? ldad_before(&d, offset) : 0;
    *n = bytes ? ldad_before(&d, offset + bytes) - *from : 0;
    return !bytes || *n;
}

/* The same of a container: of its files that this node can open. */
static int look_container(const char *path, int64_t offset, int64_t bytes, bool drop,
                          int64_t *resident)
{
    struct container c;
    char part[CONTAINER_PATH];
    int64_t from, n, found, sum = 0;
    int rc = container_read(&c, path);
    for (int64_t r = 0; r < c.parts && !rc; r++)
        if (!container_part_path(&c, path, r, part) &&
            !faccessat(AT_FDCWD, part, R_OK, AT_EACCESS) &&
            of_partition(&c, r, offset, bytes, &from, &n)) {
            rc = look(part, from, n, drop, &found);
            sum = found < 0 || sum < 0 ? -1 : sum + found;
        }
    if (!rc && !(rc = container_file(path, "shared", part)))
        rc = look(part, offset, bytes, drop, &found);
    if (!rc)
        sum = found < 0 || sum < 0 ? -1 : sum + found;
    container_free(&c);
    *resident = rc ? -1 : sum;
    return rc;
}

int io_cache_drop(const char *path, int64_t offset, int64_t bytes, int64_t *resident)
{
    return (container_is(path) ? look_container : look)(path, offset, bytes, true,
                                                        resident);
}

int io_cache_resident(const char *path, int64_t offset, int64_t bytes,
                      int64_t *resident)
{
    return (container_is(path) ? look_container : look)(path, offset, bytes, false,
                                                        resident);
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

int64_t io_device_write_bytes(void)
{
    return counter("write_bytes");
}

/* Writes and syncs a file, drops it from memory, reads it: 1 if the kernel says
 * that at least half came from below. Of noise, which no file system makes smaller. */
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
    if (written < (ssize_t)n) /* there is little room: the run may need less */
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
    char path[4096];
    char *buf = malloc(PROBE);
    if (!buf)
        return err_set(-ENOMEM, dir, -1,
                       "no memory for the read that tries the kernel's "
                       "counters");
    snprintf(path, sizeof path, "%s/leadline-probe-XXXXXX", dir);
    int fd = mkostemp(path, O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;
    if (fd >= 0) {
        unlink(path);
        rc = probe(fd, buf, PROBE);
        close(fd);
    }
    free(buf);
    if (rc < 0)
        return err_set(rc, dir, -1, "the directory cannot be written to: %s",
                       strerror(-rc));
    return rc;
}
