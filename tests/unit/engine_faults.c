/* ranks: 1; limit: 200
 * Failures of a device, which no shim can produce: the kernel's threads must see
 * them, too. A loop device that has lost the middle of a file, and one without
 * space. */
#include "tap.h"

#include "base/buf.h"
#include "io/io.h"
#include <linux/fs.h>
#include <linux/loop.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#define MIB (INT64_C(1) << 20)
#define DISK (32 * MIB)
#define BLOCK 4096 /* of the file system */
/* good bytes of the file, followed by as many that are lost, and more */
#define GOOD (4 * MIB)
/* begin of the request that meets the lost bytes, of several pieces */
#define FROM (1 * MIB)
#define BYTES (10 * MIB)
#define FREE (5 * MIB) /* for a request of BYTES */
#define LIMIT (2 * MIB + MIB / 2)

enum { DEPTH = 2, TRIES = 20 };

static const char *const engines[] = {"posix", "stdio",  "mmap", "threads",
                                      "uring", "libaio", "aio"};
static char *buffer;

static struct {
    char backing[TAP_PATH], device[64], dir[TAP_PATH], file[TAP_PATH];
    int backing_fd, loop_fd, number;
} disk;

/* ---- a disk ------------------------------------------------------------------ */

/* Attaches the backing file to a free device, which lasts as long as it is in use. */
static int attach(void)
{
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    struct loop_config config = {.fd = (unsigned)disk.backing_fd,
                                 .info.lo_flags = LO_FLAGS_AUTOCLEAR};
    int rc = control < 0 ? -errno : -EBUSY;

    for (int i = 0; i < TRIES && rc == -EBUSY; i++) {
        disk.number = ioctl(control, LOOP_CTL_GET_FREE);
        snprintf(disk.device, sizeof disk.device, "/dev/loop%d", disk.number);
        disk.loop_fd = open(disk.device, O_RDWR | O_CLOEXEC);
        rc = disk.loop_fd < 0 || ioctl(disk.loop_fd, LOOP_CONFIGURE, &config) ? -errno
                                                                              : 0;
        if (rc && disk.loop_fd >= 0)
            close(disk.loop_fd);
    }
    if (control >= 0)
        close(control);
    return rc;
}

static int format(void)
{
    char command[2 * TAP_PATH];

    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/sbin:/sbin; "
             "mkfs.ext4 -q -F -b %d -m 0 -O ^has_journal '%s' >&2",
             BLOCK, disk.backing);
    return system(command) ? -ENOENT : 0;
}

/* Makes the disk. Returns NULL, or why there is none. */
static const char *disk_make(const char *where)
{
    snprintf(disk.backing, sizeof disk.backing, "%.900s/disk", where);
    snprintf(disk.file, sizeof disk.file, "%s/file", tap_path(disk.dir, "mounted"));
    disk.backing_fd = open(disk.backing, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (disk.backing_fd < 0 || ftruncate(disk.backing_fd, DISK))
        return "no file for it";
    if (format())
        return "mkfs.ext4 does not work";
    if (attach())
        return "there is no loop device";
    if ((mkdir(disk.dir, 0700) && errno != EEXIST) ||
        mount(disk.device, disk.dir, "ext4", 0, NULL)) {
        close(disk.loop_fd);
        return "it cannot be mounted";
    }
    return NULL;
}

static void disk_drop(void)
{
    if (umount(disk.dir) || rmdir(disk.dir))
        tap_diag("%s: %s", disk.dir, strerror(errno));
    close(disk.loop_fd);
    close(disk.backing_fd);
    unlink(disk.backing);
}

/* Makes the device end there. */
static int resize(int64_t bytes)
{
    return ftruncate(disk.backing_fd, bytes) ||
           ioctl(disk.loop_fd, LOOP_SET_CAPACITY, 0);
}

/* Returns the bytes written to the device since it exists. */
static int64_t written(void)
{
    char path[64];
    long long sectors = -1;

    snprintf(path, sizeof path, "/sys/block/loop%d/stat", disk.number);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*s %*s %*s %*s %*s %*s %lld", &sectors) != 1)
        tap_diag("%s: cannot be read", path);
    if (f)
        fclose(f);
    return sectors * 512;
}

/* ---- files on it --------------------------------------------------------------- */

static int put(int fd, int64_t from, int64_t bytes)
{
    return pwrite(fd, buffer, (size_t)bytes, from) != bytes || fsync(fd);
}

/* Returns the place of the file's block i on the device in bytes; -1: unknown. */
static int64_t place(int fd, int64_t i)
{
    int block = (int)i;

    return ioctl(fd, FIBMAP, &block) ? -1 : (int64_t)block * BLOCK;
}

/* True if blocks [from, to) lie in [least, most). */
static bool all_lie(int fd, int64_t from, int64_t to, int64_t least, int64_t most)
{
    for (int64_t i = from / BLOCK; i < to / BLOCK; i++)
        if (place(fd, i) < least || place(fd, i) >= most)
            return false;
    return true;
}

/* Makes a file whose middle third lies behind all else; returns its place, or -1. */
static int64_t make_file(void)
{
    int fd = open(disk.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int rc = fd < 0 || put(fd, 0, 2 * GOOD) ||
             fallocate(fd, FALLOC_FL_INSERT_RANGE, GOOD, GOOD) || put(fd, GOOD, GOOD);
    int64_t cut = rc ? -1 : place(fd, GOOD / BLOCK);

    if (!rc &&
        (!all_lie(fd, 0, GOOD, BLOCK, cut) || !all_lie(fd, GOOD, 2 * GOOD, cut, DISK) ||
         !all_lie(fd, 2 * GOOD, 3 * GOOD, BLOCK, cut)))
        cut = -1;
    if (fd >= 0)
        close(fd);
    return cut;
}

static struct io_file *open_as(const char *engine, int64_t piece, int flags)
{
    char spec[64];
    struct iovec known = {buffer, BYTES}; /* the other half is not registered */
    struct io_file *f;
    struct io_open o = {.engine = spec,
                        .buffers = &known,
                        .buffer_count = 1,
                        .comm = MPI_COMM_SELF,
                        .path = disk.file,
                        .flags = IO_READ | IO_WRITE | flags,
                        .max_request = BYTES,
                        .depth = DEPTH,
                        .timeout_s = 100};

    snprintf(spec, sizeof spec, "%s:piece=%lld", engine, (long long)piece);
    err_clear();
    if (io_file_open(&f, &o))
        tap_diag("%s: %s", engine, err_get()->text);
    return f;
}

static struct io_req request(enum io_op op, int64_t offset, int64_t bytes)
{
    return (struct io_req){.op = op, .buf = buffer, .offset = offset, .bytes = bytes};
}

/* ---- the device ends within a request ------------------------------------------ */

static const char *way(int flags)
{
    return flags & IO_DIRECT       ? ", direct I/O"
           : flags & IO_WRITE_BACK ? ", with write-back"
                                   : "";
}

/* A request over the lost blocks fails where they begin, and another one in flight does
 * not. */
static void test_lost(const char *engine, enum io_op op, int flags)
{
    struct io_file *f = open_as(engine, MIB, flags);
    struct io_req bad = request(op, FROM, BYTES), good = request(op, 2 * GOOD, GOOD);
    struct io_req *r[] = {&bad, &good};
    int64_t resident;

    io_cache_drop(disk.file, 0, 0, &resident);
    good.buf = buffer + BYTES;
    if (f) {
        io_file_start(f, r, DEPTH);
        io_file_wait(f);
    }
    tap_ok(f && bad.rc == -EIO && bad.done == GOOD - FROM &&
               err_get()->offset == GOOD && !strcmp(err_get()->file, disk.file),
           "%s: %s%s: %s (offset %lld)", engine, op == IO_OP_READ ? "read" : "write",
           way(flags), err_get()->text, (long long)err_get()->offset);
    tap_ok(f && !good.rc && good.done == good.bytes, "%s: the other request is done",
           engine);
    io_file_close(&f);
}

/* The page cache accepts all; the sync reports the loss, or with write-back the
 * request: the kernel does not tell which piece it was. */
static void test_lost_later(const char *engine, int flags)
{
    struct io_file *f = open_as(engine, MIB, flags);
    struct io_req r = request(IO_OP_WRITE, FROM, BYTES);
    int rc = f ? io_file_transfer(f, &r) : 0;

    if (flags & IO_WRITE_BACK)
        tap_ok(rc == -EIO && r.rc == -EIO && !r.done && err_get()->offset == FROM,
               "%s: write%s: %s", engine, way(flags), err_get()->text);
    else
        tap_ok(f && !rc && r.done == BYTES && io_file_sync(f) == -EIO,
               "%s: a write to the page cache: %s", engine, err_get()->text);
    io_file_close(&f);
}

static bool is_usable(const char *engine, int flags)
{
    err_clear();
    return !io_engine_check(engine, flags) && !io_engine_usable(engine);
}

static void each_way(void (*test)(const char *engine, int flags))
{
    static const int flags[] = {0, IO_DIRECT, IO_WRITE_BACK};

    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (is_usable(engines[i], flags[k]))
                test(engines[i], flags[k]);
}

/* Mapped pages are read before they are written: the write meets the loss. */
static void test_loss_of(const char *engine)
{
    test_lost(engine, IO_OP_READ, 0);
    if (!strcmp(engine, "mmap")) {
        test_lost(engine, IO_OP_WRITE, 0);
        return;
    }
    if (is_usable(engine, IO_DIRECT)) {
        test_lost(engine, IO_OP_READ, IO_DIRECT);
        test_lost(engine, IO_OP_WRITE, IO_DIRECT);
    }
    test_lost_later(engine, 0);
    if (io_engine_writes_back(engine))
        test_lost_later(engine, IO_WRITE_BACK);
}

static void test_losses(void)
{
    int64_t cut = make_file();

    tap_ok(cut > 0, "the middle of a file lies behind all else");
    tap_ok(cut > 0 && resize(cut) == 0, "the device loses it");
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (is_usable(engines[i], 0))
            test_loss_of(engines[i]);
        else
            tap_skip("%s: %s", engines[i], err_get()->text);
    tap_ok(resize(DISK) == 0 && unlink(disk.file) == 0, "the device is whole again");
}

/* ---- no space within a request ------------------------------------------------- */

/* Leaves FREE bytes on the disk. */
static int fill(const char *path)
{
    struct statvfs v;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int rc = fd < 0 || statvfs(disk.dir, &v) ||
             fallocate(fd, 0, 0, (int64_t)v.f_bfree * (int64_t)v.f_frsize - FREE);

    if (fd >= 0)
        close(fd);
    return rc;
}

/* True if the file begins with the request's bytes. */
static bool holds(const struct io_req *r)
{
    char *got = buffer + BYTES;
    int fd = open(disk.file, O_RDONLY | O_CLOEXEC);
    bool same = fd >= 0 && pread(fd, got, (size_t)r->done, 0) == r->done &&
                !memcmp(got, r->buf, (size_t)r->done);

    if (fd >= 0)
        close(fd);
    return same;
}

static void test_full(const char *engine, int flags)
{
    struct io_file *f = open_as(engine, MIB, flags | IO_CREATE);
    struct io_req r = request(IO_OP_WRITE, 0, BYTES);
    int rc = f ? io_file_transfer(f, &r) : 0;

    tap_ok(rc == -ENOSPC && r.rc == -ENOSPC && r.done > 0 && r.done <= FREE &&
               err_get()->offset == r.done,
           "%s: no space%s: %s", engine, way(flags), err_get()->text);
    tap_ok(f && holds(&r), "%s: what counts as written is there", engine);
    io_file_close(&f);
    io_file_remove(MPI_COMM_SELF, disk.file);
}

static void test_no_space(void)
{
    char filler[TAP_PATH + 8];

    snprintf(filler, sizeof filler, "%s/filler", disk.dir);
    tap_ok(fill(filler) == 0, "a file system is nearly full");
    each_way(test_full);
    unlink(filler);
}

/* ---- a short write --------------------------------------------------------------- */

/* The file may not grow beyond half of a piece: that half is written, and the rest of
 * the piece is not. A piece that must be written back counts only as a whole. */
static void test_limit(const char *engine, int flags)
{
    struct io_file *f = open_as(engine, MIB, flags | IO_CREATE);
    struct io_req r = request(IO_OP_WRITE, 0, BYTES);
    int rc = f ? io_file_transfer(f, &r) : 0;

    if (!f && (flags & IO_DIRECT)) {
        tap_skip("%s: the largest file%s: %s", engine, way(flags), err_get()->text);
        return;
    }
    int64_t least = flags & IO_WRITE_BACK ? LIMIT - MIB / 2 : LIMIT;
    tap_ok(rc == -EFBIG && r.done >= least && r.done <= LIMIT &&
               err_get()->offset == r.done,
           "%s: the largest file%s: %s", engine, way(flags), err_get()->text);
    tap_ok(f && holds(&r), "%s: what counts as written is there", engine);
    io_file_close(&f);
    io_file_remove(MPI_COMM_SELF, disk.file);
}

static void test_limits(void)
{
    struct rlimit old, low;

    tap_path(disk.file, "file");
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = LIMIT;
    signal(SIGXFSZ, SIG_IGN);
    tap_ok(setrlimit(RLIMIT_FSIZE, &low) == 0, "files of %lld bytes at most",
           (long long)LIMIT);
    each_way(test_limit);
    setrlimit(RLIMIT_FSIZE, &old);
}

/* ---- a completed write is on the device ---------------------------------------- */

/* Writes one piece, so that a sync has time to come too early. */
static void test_written(const char *engine)
{
    struct io_file *f = open_as(engine, BYTES, IO_CREATE | IO_WRITE_BACK);
    struct io_req r = request(IO_OP_WRITE, 0, BYTES);
    int64_t before = written();
    int rc = f ? io_file_transfer(f, &r) : -1;
    int64_t bytes = written() - before;

    tap_ok(!rc && bytes >= BYTES, "%s: a write that is done is at the device (%lld)",
           engine, (long long)bytes);
    io_file_close(&f);
    io_file_remove(MPI_COMM_SELF, disk.file);
}

/* The file system promises space that the device does not have. */
static void test_thin(const char *engine)
{
    struct io_file *f = open_as(engine, MIB, IO_CREATE | IO_WRITE_BACK);
    struct io_req r = request(IO_OP_WRITE, 0, BYTES);
    int rc = f ? io_file_transfer(f, &r) : 0;

    tap_ok((rc == -ENOSPC || rc == -EIO) && r.rc == rc && r.done == 0,
           "%s: a device without space%s: %s", engine, way(IO_WRITE_BACK),
           err_get()->text);
    io_file_close(&f);
    io_file_remove(MPI_COMM_SELF, disk.file);
}

static void each_that_writes_back(void (*test)(const char *engine))
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (is_usable(engines[i], IO_WRITE_BACK))
            test(engines[i]);
}

/* ---- all of them ----------------------------------------------------------------- */

static void test_disk(void)
{
    char where[TAP_PATH];
    const char *why = disk_make(tap_path(where, "."));

    if (why) {
        tap_skip("a device that fails: %s", why);
        return;
    }
    test_losses();
    test_no_space();
    each_that_writes_back(test_written);
    disk_drop();
}

static void test_thin_disk(void)
{
    char where[TAP_PATH];
    const char *why = "no small file system for it";

    mkdir(tap_path(where, "small"), 0700);
    if (!mount("none", where, "tmpfs", 0, "size=6m")) {
        if (!(why = disk_make(where))) {
            each_that_writes_back(test_thin);
            disk_drop();
        }
        umount(where);
    }
    if (why)
        tap_skip("a device without space: %s", why);
    rmdir(where);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    void *memory = NULL;
    tap_ok(buf_alloc(&memory, 2 * BYTES, "requests") == 0, "memory");
    buffer = memory;
    for (int64_t i = 0; i < BYTES; i++)
        buffer[i] = (char)(i / 4096 + i);
    test_limits();
    if (getenv("LEADLINE_MOUNTS")) {
        test_disk();
        test_thin_disk();
    } else
        tap_skip("devices that fail: mounting a file system is not allowed here");
    buf_free(memory);
    return tap_end();
}
