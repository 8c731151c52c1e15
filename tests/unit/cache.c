/* The kernel's facts about cached pages and file systems. */
#include "tap.h"

#include "base/err.h"
#include "io/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES (3 * 65536 + 100)

static char path[TAP_PATH], dir[TAP_PATH];

static int write_file(void)
{
    static char data[BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int rc = fd < 0 || write(fd, data, sizeof data) != BYTES || fsync(fd);

    memset(data, 1, sizeof data);
    if (fd >= 0)
        close(fd);
    return rc;
}

static void test_pages(const struct io_fs *fs)
{
    int64_t n = -2, before = io_device_read_bytes();

    tap_ok(write_file() == 0, "a file is written and synced");
    tap_ok(io_cache_resident(path, 0, 0, &n) == 0 && n == BYTES,
           "all of it is in memory (%lld)", (long long)n);
    tap_ok(io_cache_resident(path, 65536, 65536, &n) == 0 && n == 65536,
           "so is a part of it (%lld)", (long long)n);
    tap_ok(io_cache_drop(path, 0, 0, &n) == 0 && n >= -1 && n <= BYTES,
           "its pages can be dropped (%lld left)", (long long)n);
    if (fs->in_memory)
        tap_skip("dropped pages: %s is memory", fs->type);
    else
        tap_ok(n >= 0 && n < BYTES, "few are left on %s (%lld)", fs->type,
               (long long)n);
    tap_ok(before >= -1 && io_device_read_bytes() >= before,
           "bytes from devices never grow less");
    unlink(path);
}

/* A range that ends with the file ends within a page; the kernel keeps a page if it is
 * told to drop a part of it. */
static void test_range(const struct io_fs *fs)
{
    static char data[BYTES];
    int64_t whole = -2, range = -2;
    tap_ok(write_file() == 0 && io_cache_drop(path, 0, 0, &whole) == 0,
           "a file is written, and dropped as a whole (%lld left)", (long long)whole);
    int fd = open(path, O_RDONLY);
    tap_ok(fd >= 0 && pread(fd, data, BYTES, 0) == BYTES, "it is read again");
    if (fd >= 0)
        close(fd);
    int rc = io_cache_drop(path, 0, BYTES, &range);
    if (fs->in_memory)
        tap_skip("a dropped range: %s is memory", fs->type);
    else
        tap_ok(rc == 0 && range <= whole,
               "dropped as a range to its end, no more is left (%lld)",
               (long long)range);
    unlink(path);
}

static void test_refused(void)
{
    int64_t n;
    struct io_fs fs;

    err_clear();
    tap_ok(io_cache_drop(path, 0, 0, &n) == -ENOENT && !strcmp(err_get()->file, path),
           "a file that is not there is refused, and named");
    err_clear();
    tap_ok(io_fs_of(path, &fs) == -ENOENT && err_get()->code == -ENOENT,
           "a directory that is not there is refused");
    err_clear();
}

/* Zeros of a hole are in memory after a read, and are no bytes of the file. */
static void test_hole(void)
{
    static char data[BYTES];
    int64_t resident = -2, stored = -2;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool made = fd >= 0 && pwrite(fd, data, 4096, 16 << 20) == 4096 && !fsync(fd);
    for (int64_t at = 0; made && at < 16 << 20; at += BYTES)
        made = pread(fd, data, BYTES, at) > 0;
    tap_ok(made && io_cache_sample(path, &resident, &stored), "a file with a hole");
    tap_ok(stored < 1 << 20 && resident <= stored,
           "no more of it is in memory than is stored (%lld of %lld)",
           (long long)resident, (long long)stored);
    close(fd);
    unlink(path);
}

/* No byte of a file in memory comes from a device. */
static void test_memory_has_no_device(void)
{
    struct io_fs fs;
    if (io_fs_of("/dev/shm", &fs) || !fs.in_memory || access("/dev/shm", W_OK)) {
        tap_skip("/dev/shm is no memory that we may write to");
        err_clear();
        return;
    }
    tap_ok(io_device_counters_work("/dev/shm") == 0,
           "counters of device bytes do not work on /dev/shm");
}

/* The kernel tells other users that every page is in memory. */
static int as_another(void *arg)
{
    int64_t n = -2;
    (void)arg;
    if (setgid(65534) || setuid(65534) || access("file", R_OK))
        return 2;
    return io_cache_resident("file", 0, 0, &n) || n != -1;
}

static void test_of_another(void)
{
    char out[64];
    if (geteuid() || chdir(dir) || chmod(dir, 0711) || write_file()) {
        tap_skip("files of others: only root has any");
        return;
    }
    chmod("file", 0644);
    int status = tap_child(as_another, NULL, out, sizeof out);
    tap_ok(status == 0, "what is in memory of somebody else's file is not known (%d)",
           status);
    unlink("file");
}

int main(int argc, char **argv)
{
    struct io_fs fs;

    tap_start(&argc, &argv, 0);
    tap_path(path, "file");
    tap_path(dir, ".");
    tap_ok(io_fs_of(dir, &fs) == 0 && fs.type[0] && fs.block_bytes > 0 &&
               fs.free_bytes != 0,
           "the file system is known: %s, %lld bytes free", fs.type,
           (long long)fs.free_bytes);
    int works = io_device_counters_work(dir);
    tap_ok(works == 0 || works == 1, "whether device counters work: %d", works);
    test_pages(&fs);
    test_range(&fs);
    test_hole();
    test_memory_has_no_device();
    test_refused();
    test_of_another();
    return tap_end();
}
