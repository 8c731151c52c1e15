/* The kernel's facts about cached pages and file systems. */
#include "tap.h"

#include "io/io.h"

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

/* Ranges within pages, and across the file's end. */
static void test_ranges(void)
{
    static const struct {
        int64_t offset, bytes, whole;
    } range[] = {{0, 1, 1},
                 {0, 4097, 4097},
                 {4096, 4096, 4096},
                 {5000, 100, 1004}, /* from the begin of its page */
                 {65536, 3 * 65536, BYTES - 65536},
                 {BYTES - 100, 1000, 100},
                 {BYTES + 4096, 10, 0}};
    bool right = sysconf(_SC_PAGE_SIZE) == 4096 && write_file() == 0;
    for (size_t i = 0; right && i < sizeof range / sizeof *range; i++) {
        int64_t n = -2;
        int rc = io_cache_resident(path, range[i].offset, range[i].bytes, &n);
        tap_ok(rc == 0 && n == range[i].whole, "of %lld at %lld are in memory %lld",
               (long long)range[i].bytes, (long long)range[i].offset, (long long)n);
    }
    unlink(path);
}

/* The bytes of the file that are stored, of which it may have fewer or more blocks. */
static int64_t stored_bytes(void)
{
    struct stat st = {.st_size = 0};
    stat(path, &st);
    int64_t bytes = (int64_t)st.st_blocks * 512;
    return bytes < st.st_size ? bytes : st.st_size;
}

/* Two pages far behind the part of a file that is mapped at once. */
static void test_large(void)
{
    static char data[8192];
    int64_t n = -2, far = (int64_t)300 << 20, resident = -2, stored = -2;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool made = fd >= 0 && pwrite(fd, data, 8192, far) == 8192 && !fsync(fd);
    tap_ok(made && !io_cache_resident(path, 0, 0, &n) && n == 8192,
           "two pages of a file of 300 MiB are in memory (%lld)", (long long)n);
    tap_ok(!io_cache_resident(path, far + 4096, 0, &n) && n == 4096,
           "one of them is in the rest of it (%lld)", (long long)n);
    tap_ok(io_cache_sample(path, &resident, &stored) && stored == stored_bytes() &&
               resident >= 0 && resident <= stored,
           "a sample says no more than is stored (%lld of %lld)", (long long)resident,
           (long long)stored);
    close(fd);
    unlink(path);
    if (write_file() == 0)
        tap_ok(io_cache_sample(path, &resident, &stored) && stored == stored_bytes() &&
                   resident == stored,
               "of a file that is all in memory, all (%lld of %lld)",
               (long long)resident, (long long)stored);
    unlink(path);
    tap_ok(!io_cache_sample(path, &resident, &stored), "of none, nothing");
}

static void is_refused(const char *what, const char *why)
{
    struct io_input in;
    err_clear();
    tap_ok(io_input_of(what, &in) < 0 && strstr(err_get()->text, why), "%s",
           err_get()->text);
    err_clear();
}

static void test_input(void)
{
    const struct timespec times[2] = {{5, 6}, {1700000000, 123456789}};
    struct io_input in = {.bytes = -1};
    bool made = write_file() == 0 && !utimensat(AT_FDCWD, path, times, 0);
    tap_ok(made && !io_input_of(path, &in) && in.bytes == BYTES && !in.device &&
               in.stored == stored_bytes() &&
               in.modified_ns == INT64_C(1700000000123456789),
           "an input's size and time (%lld bytes, %lld stored)", (long long)in.bytes,
           (long long)in.stored);
    tap_ok(!truncate(path, 1 << 30) && !io_input_of(path, &in) && in.bytes == 1 << 30 &&
               in.stored == stored_bytes(),
           "of a file with a hole, what is stored (%lld)", (long long)in.stored);
    tap_ok(!truncate(path, 0) && !io_input_of(path, &in) && !in.bytes && !in.stored,
           "an empty file is one, too");
    unlink(path);
    is_refused(path, "there is no input: No such file");
    is_refused(dir, "the input is a directory");
    is_refused("/dev/null", "the input is a character device");
    made = !mkfifo(path, 0600);
    is_refused(path, made ? "the input is a FIFO" : "no input");
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
    test_ranges();
    test_large();
    test_input();
    test_hole();
    test_memory_has_no_device();
    test_refused();
    test_of_another();
    return tap_end();
}
