/* ranks: 1 2 4; limit: 300
 * One contract for every engine of the table, on a file per rank and on a shared
 * file, and with collective transfers if the engine has them. A new engine is tested as
 * soon as it is in the table. */
#include "tap.h"

#include "base/buf.h"
#include "base/scratch.h"
#include "base/stamp.h"
#include "io/io.h"
#include "seccomp.h"
#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>

#define SLOT 300032 /* bytes between two blocks: more than the largest of them */
#define SLOTS 10    /* of a rank */
#define DEPTH 4
#define NOBODY 65534
#ifndef SYS_io_uring_setup /* headers may be older than the kernel */
#define SYS_io_uring_setup 425
#endif

static int world_rank, world_size;

/* The engine and mode under test. */
struct variant {
    const char *spec;
    int flags; /* IO_COLLECTIVE, IO_WRITE_BACK or 0 */
    MPI_Comm comm;
    int rank, size; /* in comm */
    bool stores;
    char name[64];
};

static char *buffer;

/* ---- helpers --------------------------------------------------------------- */

/* Takes the place of the C library's. Opening a file that is not there waits for 20
 * times 50 ms, as a network file system may show it late: here, for minutes. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!time->tv_sec && time->tv_nsec == 50000000)
        return 0;
    int rc = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    errno = rc;
    return rc ? -1 : 0;
}

/* The file's path; a file per rank has the rank in its name. */
static const char *path_of(const struct variant *v, const char *name)
{
    static char path[TAP_PATH];
    char whole[128];

    if (v->comm == MPI_COMM_SELF)
        snprintf(whole, sizeof whole, "%s.%d", name, world_rank);
    else
        snprintf(whole, sizeof whole, "%s", name);
    return tap_path(path, whole);
}

static struct io_open opening(const struct variant *v, const char *path, int flags)
{
    static struct iovec known;
    static struct ldad_plan plan; /* plan of the blocks, for engines that partition */

    known = (struct iovec){buffer, (size_t)DEPTH * SLOT};
    ldad_plan_cyclic(&plan, v->size, 0, (int64_t)SLOTS * v->size * SLOT, SLOT);
    return (struct io_open){.engine = v->spec,
                            .buffers = &known,
                            .buffer_count = 1,
                            .comm = v->comm,
                            .path = path,
                            .plan = &plan,
                            .flags = flags | v->flags,
                            .bytes = (int64_t)SLOTS * v->size * SLOT,
                            .max_request = SLOT,
                            .depth = DEPTH,
                            .timeout_s = 100};
}

static int open_as(struct io_file **f, const struct variant *v, const char *path,
                   int flags)
{
    struct io_open o = opening(v, path, flags);

    err_clear();
    return io_file_open(f, &o);
}

/* Opens the file that most tests use. */
static int open_file(struct io_file **f, const struct variant *v, int flags)
{
    return open_as(f, v, path_of(v, "file"), flags);
}

static void remove_file(struct io_file **f, const struct variant *v)
{
    io_file_close(f);
    io_file_remove(v->comm, path_of(v, "file"));
}

static int64_t offset_of(const struct variant *v, int block)
{
    return ((int64_t)block * v->size + v->rank) * SLOT;
}

static struct stamp stamp_of(int block)
{
    return (struct stamp){.seed = 99, .rank = world_rank, .mat = block};
}

static struct io_req request(const struct variant *v, enum io_op op, int block,
                             int64_t bytes)
{
    return (struct io_req){.op = op,
                           .buf = buffer + (int64_t)(block % DEPTH) * SLOT,
                           .offset = offset_of(v, block),
                           .bytes = bytes};
}

static int write_block(const struct variant *v, struct io_file *f, int block,
                       int64_t bytes)
{
    struct io_req r = request(v, IO_OP_WRITE, block, bytes);
    struct stamp s = stamp_of(block);

    stamp_fill(r.buf, 0, bytes, &s);
    int rc = io_file_transfer(f, &r);
    return rc ? rc : r.rc || r.done != bytes || r.start_ns > r.end_ns || !r.start_ns;
}

/* True if the block holds what write_block wrote. */
static bool good_block(const struct variant *v, const struct io_req *r, int block)
{
    struct stamp s = stamp_of(block);
    char why[256];
    int64_t at = v->stores ? stamp_check(r->buf, 0, r->bytes, &s, why, sizeof why) : -1;

    if (at >= 0)
        tap_diag("%s: block %d, byte %lld: %s", v->name, block, (long long)at, why);
    return at < 0;
}

static int read_block(const struct variant *v, struct io_file *f, int block,
                      int64_t bytes)
{
    struct io_req r = request(v, IO_OP_READ, block, bytes);

    buf_poison(r.buf, SLOT);
    int rc = io_file_transfer(f, &r);
    if (!rc && r.done == bytes && good_block(v, &r, block))
        return 0;
    return rc ? rc : -1;
}

static int files_open(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* Makes a point about one variant. */
static void point(const struct variant *v, bool cond, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!cond && err_get()->code)
        tap_diag("%s: %s: recorded: %s (file %s, offset %lld)", v->name, text,
                 err_get()->text, err_get()->file, (long long)err_get()->offset);
    tap_ok(cond, "%s: %s", v->name, text);
    err_clear();
}

/* ---- successes --------------------------------------------------------------- */

static const int64_t sizes[] = {1, 0, 7, 511, 4096, 4097, 65549, 300001, 0, 8};
enum { BLOCKS = sizeof sizes / sizeof *sizes };
_Static_assert(BLOCKS <= SLOTS, "a slot for each block");

/* Returns the size of a block. Ranks move different sizes at the same time. */
static int64_t size_of(int block)
{
    return sizes[(block + world_rank) % BLOCKS];
}

static int write_all(const struct variant *v, struct io_file *f)
{
    int rc = 0;

    for (int b = 0; b < BLOCKS; b++)
        rc = write_block(v, f, b, size_of(b)) || rc;
    return rc;
}

static int read_all(const struct variant *v, struct io_file *f)
{
    int rc = 0;

    for (int b = 0; b < BLOCKS; b++)
        rc = read_block(v, f, b, size_of(b)) || rc;
    return rc;
}

static void test_round_trip(const struct variant *v)
{
    const char *path = path_of(v, "file");
    struct io_file *f;

    point(v, open_as(&f, v, path, IO_CREATE | IO_READ | IO_WRITE) == 0 && f, "created");
    if (!f)
        return;
    point(v, exists(path) == v->stores, "the file is there if the engine stores");
    point(v, io_file_layer(f) && io_file_layer(f)[0], "the layer below is %s",
          io_file_layer(f));
    point(v, write_all(v, f) == 0, "blocks of odd and even sizes and none are written");
    point(v, io_file_sync(f) == 0, "synced");
    point(v, read_all(v, f) == 0, "read back as written");
    point(v, io_file_close(&f) == 0 && !f, "closed, and the handle is NULL");
    point(v, io_file_close(&f) == 0, "closing nothing is no failure");

    point(v, open_as(&f, v, path, IO_READ) == 0 && f, "opened again to read");
    point(v, f && read_all(v, f) == 0, "read back as written, again");
    point(v, io_file_close(&f) == 0, "closed again");
    MPI_Barrier(MPI_COMM_WORLD);
    point(v, io_file_remove(v->comm, path) == 0 && !exists(path), "removed");
    point(v, io_file_remove(v->comm, path) == 0, "removing it again is no failure");
}

/* Starts DEPTH requests at once. */
static int move_many(const struct variant *v, struct io_file *f, enum io_op op)
{
    struct io_req r[DEPTH], *p[DEPTH];
    int rc = 0;

    for (int i = 0; i < DEPTH; i++) {
        struct stamp s = stamp_of(i);
        r[i] = request(v, op, i, size_of(i + 3));
        p[i] = &r[i];
        if (op == IO_OP_WRITE)
            stamp_fill(r[i].buf, 0, r[i].bytes, &s);
        else
            buf_poison(r[i].buf, SLOT);
    }
    rc = io_file_start(f, p, DEPTH);
    for (int i = 0; i < DEPTH; i++) /* an asynchronous engine has no results yet */
        rc = rc || io_engine_asynchronous(v->spec) != (r[i].end_ns == 0);
    io_file_poll(f);
    rc = io_file_wait(f) || rc;
    for (int i = 0; i < DEPTH; i++)
        rc = rc || r[i].rc || r[i].done != r[i].bytes || r[i].end_ns < r[i].start_ns ||
             (op == IO_OP_READ && !good_block(v, &r[i], i));
    return rc || io_file_poll(f) != 0;
}

static int write_full(const struct variant *v, struct io_file *f)
{
    int rc = 0;

    for (int b = 0; b < DEPTH; b++)
        rc = write_block(v, f, b, 4096) || rc;
    return rc;
}

/* Keeps the queue full: each completed request makes room for the next one. */
static int keep_full(const struct variant *v, struct io_file *f, int n)
{
    struct io_req r[DEPTH], *p;
    int rc = 0, left = n;

    for (int i = 0; left && !rc; i = (i + 1) % DEPTH) {
        while (io_file_poll(f) == DEPTH) /* as a program polls between two sums */
            ;
        if (n - left >= DEPTH && !r[i].end_ns)
            continue;
        r[i] = request(v, IO_OP_READ, i, 4096);
        p = &r[i];
        rc = io_file_start(f, &p, 1);
        left--;
    }
    return io_file_wait(f) || rc;
}

static void test_many(const struct variant *v)
{
    struct io_req r = {0}, *p[DEPTH + 1] = {&r, &r, &r, &r, &r};
    struct io_file *f;

    if (open_file(&f, v, IO_CREATE | IO_READ | IO_WRITE) == 0) {
        point(v, move_many(v, f, IO_OP_WRITE) == 0, "several writes in one start");
        point(v, io_file_sync(f) == 0, "synced");
        point(v, move_many(v, f, IO_OP_READ) == 0, "several reads in one start");
        if (io_engine_asynchronous(v->spec) && v->stores)
            point(v, write_full(v, f) == 0 && keep_full(v, f, 100) == 0,
                  "a hundred reads, the next as soon as one is back");
        point(v, io_file_start(f, p, DEPTH + 1) == -EINVAL,
              "more requests than it was opened for are refused");
        point(v, io_file_wait(f) == 0, "waiting for nothing is no failure");
    } else
        point(v, false, "opened for several requests");
    remove_file(&f, v);
}

/* One rank's request is not allowed; the others must not wait for it for ever. */
static void test_one_too_large(const struct variant *v)
{
    struct io_file *f;

    if (open_file(&f, v, IO_CREATE | IO_READ | IO_WRITE) == 0) {
        struct io_req r = request(v, IO_OP_WRITE, 0, v->rank ? SLOT : SLOT + 1);
        int rc = io_file_transfer(f, &r);
        point(v, rc == (v->rank ? 0 : -EINVAL) && (v->rank || r.rc == -EINVAL),
              "one rank's request above max_request is refused, the others' done");
    } else
        point(v, false, "opened for a request that is too large");
    remove_file(&f, v);
}

/* A request is larger than what one call of the library moves. */
static void test_pieces(const struct variant *v)
{
    struct variant split = *v;
    struct io_file *f;
    char spec[64];

    snprintf(spec, sizeof spec, "%s:piece=9999", v->spec);
    split.spec = spec;
    if (open_file(&f, &split, IO_CREATE | IO_READ | IO_WRITE) == 0)
        point(v, write_all(v, f) == 0 && io_file_sync(f) == 0 && read_all(v, f) == 0,
              "requests are split into calls of 9999 bytes and read back");
    else
        point(v, false, "opened with pieces of 9999 bytes");
    remove_file(&f, v);
}

/* A program that only writes may use a file that nobody may read. */
static void test_write_only(const struct variant *v)
{
    struct io_file *f;
    int rc = open_file(&f, v, IO_CREATE | IO_WRITE);

    if (!rc) {
        rc = write_all(v, f) || move_many(v, f, IO_OP_WRITE) || write_all(v, f);
        rc = io_file_sync(f) || rc;
    }
    point(v, !rc && !io_file_close(&f), "opened to be written only: written, synced");
    MPI_Barrier(MPI_COMM_WORLD);
    rc = open_file(&f, v, IO_READ);
    point(v, !rc && !read_all(v, f), "... and opened to be read only: as written");
    remove_file(&f, v);
}

/* ---- refusals ------------------------------------------------------------------ */

/* The open fails on every rank with the same code, names the file, and leaves nothing
 * open. */
static void refuse(const struct variant *v, const char *path, int flags, int code,
                   const char *what)
{
    struct io_file *f = (struct io_file *)&f;
    int before = files_open();
    int rc = open_as(&f, v, path, flags);

    point(v, rc == code && err_get()->code == code, "%s: refused (%s, got %s)", what,
          strerror(-code), strerror(-rc));
    rc = open_as(&f, v, path, flags);
    point(v, rc && !f && !strcmp(err_get()->file, path), "%s: the file is named", what);
    if (f)
        io_file_close(&f);
    point(v, files_open() == before, "%s: nothing is left open (%d before, %d after)",
          what, before, files_open());
}

static void test_existing(const struct variant *v)
{
    const char *path = path_of(v, "precious");

    if (v->rank == 0)
        tap_put(path, "precious");
    MPI_Barrier(MPI_COMM_WORLD);
    refuse(v, path, IO_CREATE | IO_READ | IO_WRITE, -EEXIST, "an existing file");
    point(v, tap_holds(path, "precious"), "an existing file: untouched");
    scratch_unlink_all();
    point(v, exists(path), "an existing file: not on the list of files to remove");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0)
        unlink(path);
}

static void test_symlink(const struct variant *v)
{
    char link[TAP_PATH], target[TAP_PATH];

    snprintf(link, sizeof link, "%s", path_of(v, "link"));
    snprintf(target, sizeof target, "%s", path_of(v, "target"));
    if (v->rank == 0 && symlink(target, link))
        tap_diag("%s: %s", link, strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    refuse(v, link, IO_CREATE | IO_WRITE, -EEXIST, "a symbolic link");
    point(v, !exists(target) && exists(link), "a symbolic link: not followed");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0)
        unlink(link);
}

/* Another file takes the place of the one that was made, before it is opened again. */
static void test_swapped(const struct variant *v)
{
    char path[TAP_PATH], away[TAP_PATH + 8];
    struct io_file *f;

    snprintf(path, sizeof path, "%s", path_of(v, "swapped"));
    snprintf(away, sizeof away, "%s.away", path);
    point(v, !open_as(&f, v, path, IO_CREATE | IO_WRITE), "to be swapped: made");
    point(v, !write_block(v, f, 0, 4096) && !io_file_close(&f), "... and closed");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0 && (rename(path, away) || symlink(away, path)))
        tap_diag("%s: %s", path, strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    refuse(v, path, IO_READ | IO_WRITE, -ESTALE, "a link to it in its place");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0) {
        unlink(path);
        tap_put(path, "precious");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(v->spec, "part")) /* a container is a folder */
        refuse(v, path, IO_READ | IO_WRITE, -ESTALE, "another file in its place");
    point(v, tap_holds(path, "precious"), "another file in its place: untouched");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0 && rename(away, path)) { /* a folder does not replace a file */
        unlink(path);
        rename(away, path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    point(v, !open_as(&f, v, path, IO_READ | IO_WRITE), "back in its place: opened");
    point(v, !io_file_close(&f) && !io_file_remove(v->comm, path) && !exists(path),
          "... and removed");
}

/* MPI libraries take a prefix before a colon for a kind of file system. */
static void test_colon(const struct variant *v)
{
    static const char *const dirs[] = {"nfs:x", "a:b", "ufs:"};
    char dir[64], path[128];
    struct io_file *f;

    for (int i = 0; i < 3; i++) {
        snprintf(dir, sizeof dir, "%s.%d", dirs[i], v->size > 1 ? 0 : world_rank);
        snprintf(path, sizeof path, "%s/file", dir);
        if (v->rank == 0)
            mkdir(dir, 0700);
        MPI_Barrier(MPI_COMM_WORLD);
        int rc = open_as(&f, v, path, IO_CREATE | IO_WRITE);
        point(v, !rc && exists(path), "a file in %s: made (%s)", dir, err_get()->text);
        if (rc)
            continue;
        point(v, !write_block(v, f, 0, 4096) && !io_file_close(&f), "... and written");
        point(v, !io_file_remove(v->comm, path) && !exists(path), "... and removed");
        MPI_Barrier(MPI_COMM_WORLD);
        if (v->rank == 0)
            rmdir(dir);
    }
}

static void test_missing(const struct variant *v)
{
    refuse(v, path_of(v, "none/file"), IO_CREATE | IO_WRITE, -ENOENT,
           "a directory that is not there");
    refuse(v, path_of(v, "none"), IO_READ, -ENOENT, "a file that is not there");
    point(v, !exists(path_of(v, "none")), "a file that is not there: still is not");
}

/* Becomes a user with fewer rights, if we are root. */
static void drop_rights(void)
{
    if (getuid() == 0 && seteuid(NOBODY))
        tap_diag("seteuid: %s", strerror(errno));
}

static void restore_rights(void)
{
    if (getuid() == 0 && seteuid(0))
        tap_diag("seteuid: %s", strerror(errno));
}

static void test_unwritable(const struct variant *v)
{
    char dir[TAP_PATH], path[TAP_PATH];
    struct io_file *f;

    snprintf(dir, sizeof dir, "%s", path_of(v, "closed"));
    snprintf(path, sizeof path, "%.1000s/file", dir);
    if (v->rank == 0)
        mkdir(dir, 0500);
    MPI_Barrier(MPI_COMM_WORLD);
    int before = files_open();
    drop_rights();
    int rc = open_as(&f, v, path, IO_CREATE | IO_WRITE);
    restore_rights();
    point(v, rc == -EACCES && !strcmp(err_get()->file, path),
          "a directory that may not be written: refused (%s)", strerror(-rc));
    point(v, files_open() == before && !exists(path),
          "a directory that may not be written: nothing open, no file");
    MPI_Barrier(MPI_COMM_WORLD);
    if (v->rank == 0)
        rmdir(dir);
}

/* The file is created, but the last rank may not open it. */
static void test_one_rank_fails(const struct variant *v)
{
    const char *path = path_of(v, "file");
    int before = files_open();
    bool last = v->rank == v->size - 1;
    struct io_file *f;

    if (getuid() != 0 && v->size > 1) {
        tap_skip("%s: one rank that cannot open: needs root to give up its rights",
                 v->name);
        return;
    }
    mode_t mask = umask(0777);
    if (last && v->size > 1)
        drop_rights();
    int rc = open_as(&f, v, path, IO_CREATE | IO_WRITE);
    restore_rights();
    umask(mask);
    if (v->size == 1 && rc == 0) { /* no rank could fail */
        remove_file(&f, v);
    } else
        point(v, rc < 0, "one rank that cannot open: all ranks are refused");
    MPI_Barrier(MPI_COMM_WORLD);
    point(v, files_open() == before && !exists(path),
          "one rank that cannot open: nothing open, no file (%d, %d)", before,
          files_open());
}

static void test_requests(const struct variant *v)
{
    struct io_file *f;

    if (open_file(&f, v, IO_CREATE | IO_READ | IO_WRITE)) {
        point(v, false, "opened for bad requests");
        return;
    }
    struct io_req r = request(v, IO_OP_WRITE, 0, SLOT + 1);
    point(v, io_file_transfer(f, &r) == -EINVAL, "a request larger than announced");
    r = request(v, IO_OP_WRITE, 0, -1);
    point(v, io_file_transfer(f, &r) == -EINVAL, "a negative size");
    r = request(v, IO_OP_WRITE, 0, 8);
    r.offset = -8;
    point(v, io_file_transfer(f, &r) == -EINVAL, "a negative offset");
    r.offset = INT64_MAX - 4;
    point(v, io_file_transfer(f, &r) == -EINVAL, "an end beyond 2^63");
    point(v, write_block(v, f, 0, 100) == 0, "it works all the same afterwards");
    remove_file(&f, v);
}

/* Every rank reads a block whose end is missing. The file ends with the last rank's
 * bytes, even if it has its whole size from the beginning (hdf5). */
static void test_end_of_file(const struct variant *v)
{
    const char *path = path_of(v, "file");
    struct io_open o = opening(v, path, IO_CREATE | IO_READ | IO_WRITE);
    struct io_file *f;

    o.bytes = (int64_t)(v->size - 1) * SLOT + 1000;
    if (io_file_open(&f, &o)) {
        point(v, false, "opened to read past its end");
        return;
    }
    int rc = write_block(v, f, 0, 1000);
    rc = io_file_sync(f) || rc;
    MPI_Barrier(MPI_COMM_WORLD);
    struct io_req r = request(v, IO_OP_READ, 5, 2000);
    point(v,
          rc == 0 && io_file_transfer(f, &r) < 0 && r.rc < 0 && r.done == 0 &&
              !strcmp(err_get()->file, path) && err_get()->offset == r.offset,
          "reading past the end fails, and names file and offset");
    r = request(v, IO_OP_READ, 0, 2000);
    bool last = v->rank == v->size - 1; /* others read a hole, or a neighbour's bytes */
    rc = io_file_transfer(f, &r);
    point(v, last ? rc < 0 && r.done < 2000 : rc == 0,
          "reading over the end fails, and a short count is not taken for success");
    point(v, read_block(v, f, 0, 1000) == 0, "what is there is read all the same");
    remove_file(&f, v);
}

/* A created file is removed if the run ends early. */
static void test_scratch(const struct variant *v)
{
    const char *path = path_of(v, "file");
    struct io_file *f;
    int rc = open_as(&f, v, path, IO_CREATE | IO_WRITE);

    io_file_close(&f);
    bool there = exists(path);
    MPI_Barrier(MPI_COMM_WORLD);
    scratch_unlink_all();
    MPI_Barrier(MPI_COMM_WORLD);
    point(v, rc == 0 && there && !exists(path),
          "a created file is on the list of files to remove");
}

/* ---- a full file system ---------------------------------------------------------- */

static const char *small_file_system(void)
{
    static char dir[TAP_PATH];

    tap_path(dir, "small");
    int failed = 0;
    if (world_rank == 0)
        failed = !getenv("LEADLINE_MOUNTS") || (mkdir(dir, 0700) && errno != EEXIST) ||
                 mount("none", dir, "tmpfs", 0, "size=1m");
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return failed ? NULL : dir;
}

/* Writes until the disk must be full; true if any rank got an error. */
static bool told_when_full(const struct variant *v, struct io_file *f)
{
    int rc = 0;

    for (int b = 0; b < 8; b++)
        rc = write_block(v, f, b, SLOT - 100) || rc;
    rc = io_file_sync(f) || rc;
    MPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return rc;
}

static void test_full(const struct variant *v)
{
    const char *dir = small_file_system();
    char path[TAP_PATH + 64];
    struct io_file *f;

    if (!dir) {
        tap_skip("%s: a full file system: mounting a small one is not allowed here",
                 v->name);
        return;
    }
    snprintf(path, sizeof path, "%s/file.%d", dir,
             v->comm == MPI_COMM_SELF ? world_rank : 0);
    int rc = open_as(&f, v, path, IO_CREATE | IO_WRITE);
    MPI_Barrier(MPI_COMM_WORLD); /* an engine may need space even to open a file */
    if (rc)
        point(v, false, "opened on a small file system");
    else if ((v->flags & IO_COLLECTIVE) && v->size > 1 &&
             !io_engine_asynchronous(v->spec) && strstr(io_file_layer(f), "OMPIO"))
        tap_skip("%s: a full file system: OMPIO does not come back; only the watchdog "
                 "helps",
                 v->name);
    else
        point(v, told_when_full(v, f), "a full file system is an error");
    io_file_close(&f);
    io_file_remove(v->comm, path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == 0 && (umount(dir) || rmdir(dir)))
        tap_diag("%s: %s", dir, strerror(errno));
    err_clear();
}

/* ---- features of some engines -------------------------------------------- */

static void test_hints(const struct variant *v)
{
    struct io_hint given = {"cb_buffer_size", "4194304"}, used[64];
    struct io_open o = opening(v, path_of(v, "file"), IO_CREATE | IO_WRITE);
    struct io_file *f;
    int found = 0;

    o.hints = &given;
    o.hint_count = 1;
    err_clear();
    int rc = io_file_open(&f, &o);
    if (!io_engine_takes_hints(v->spec)) {
        point(v, rc == -EINVAL && !exists(o.path),
              "hints are refused, no file is made");
        return;
    }
    int n = f ? io_file_hints(f, used, 64) : 0;
    for (int i = 0; i < n; i++)
        found = found || (!strcmp(used[i].key, given.key) &&
                          !strcmp(used[i].value, given.value));
    point(v, rc == 0 && found, "a hint is in effect (%d reported)", n);
    remove_file(&f, v);
}

/* Writes the rank's 8192 bytes of the file and reads them back. */
static int direct_round_trip(const struct variant *v, struct io_file *f)
{
    struct io_req r = {.op = IO_OP_WRITE, .buf = buffer, .bytes = 2 * IO_DIRECT_ALIGN};
    struct stamp s = stamp_of(0);

    r.offset = v->rank * r.bytes;
    stamp_fill(r.buf, 0, r.bytes, &s);
    int rc = io_file_transfer(f, &r) || io_file_sync(f);
    buf_poison(r.buf, r.bytes);
    r.op = IO_OP_READ;
    return rc || io_file_transfer(f, &r) || !good_block(v, &r, 0);
}

static bool direct_refuses(struct io_file *f, void *buf, int64_t offset, int64_t bytes)
{
    struct io_req r = {.op = IO_OP_WRITE, .buf = buf, .offset = offset, .bytes = bytes};

    return io_file_transfer(f, &r) == -EINVAL;
}

static void test_direct(const struct variant *v)
{
    struct io_file *f;

    if (io_engine_check(v->spec, IO_DIRECT)) {
        point(v, err_get()->usage, "direct I/O is refused");
        return;
    }
    int rc = open_file(&f, v, IO_CREATE | IO_READ | IO_WRITE | IO_DIRECT);
    if (rc == -EOPNOTSUPP || rc == -EINVAL) {
        tap_skip("%s: direct I/O: %s", v->name, err_get()->text);
        return;
    }
    point(v, rc == 0 && direct_round_trip(v, f) == 0, "direct I/O: read as written");
    point(v,
          direct_refuses(f, buffer, 0, 100) && direct_refuses(f, buffer, 100, 4096) &&
              direct_refuses(f, buffer + 8, 0, 4096),
          "direct I/O: odd sizes, offsets and buffers are refused");
    remove_file(&f, v);
}

/* ---- several files on one queue ---------------------------------------------- */

enum { FILES = 3 };

struct shelf { /* files on a queue, with a request of each that may be in flight */
    const struct variant *v;
    struct io_queue *q;
    struct io_file *f[FILES];
    struct io_req r[FILES], *list[FILES];
};

static int shelf_queue(struct shelf *s, const char *spec, double timeout_s)
{
    struct iovec known = {buffer, (size_t)DEPTH * SLOT};
    struct io_queue_open o = {.engine = spec,
                              .depth = DEPTH,
                              .timeout_s = timeout_s,
                              .buffers = &known,
                              .buffer_count = 1};

    err_clear();
    return io_queue_open(&s->q, &o);
}

static const char *shelf_path(const struct variant *v, int i)
{
    char name[16];

    snprintf(name, sizeof name, "shelf%d", i);
    return path_of(v, name);
}

static int shelf_file(struct shelf *s, const char *spec, int i, int flags)
{
    struct io_open o = opening(s->v, shelf_path(s->v, i), flags);

    o.engine = spec;
    o.queue = s->q;
    return io_file_open(&s->f[i], &o);
}

static int shelf_open(struct shelf *s, const struct variant *v, const char *spec,
                      double timeout_s)
{
    *s = (struct shelf){.v = v};
    int rc = shelf_queue(s, spec, timeout_s);
    for (int i = 0; i < FILES; i++) {
        s->list[i] = &s->r[i];
        rc = rc ? rc : shelf_file(s, spec, i, IO_CREATE | IO_READ | IO_WRITE);
    }
    return rc;
}

/* Closes the queue first: files keep what they need of it. */
static int shelf_close(struct shelf *s)
{
    int rc = 0;

    io_queue_close(&s->q);
    for (int i = 0; i < FILES; i++) {
        rc = io_file_close(&s->f[i]) || rc;
        io_file_remove(s->v->comm, shelf_path(s->v, i));
    }
    return rc || s->q;
}

/* Makes a request of file i, for a block that no other file has at this place. */
static void shelf_put(struct shelf *s, int i, enum io_op op, int block)
{
    struct stamp stamp = stamp_of(block);

    s->r[i] = request(s->v, op, block, sizes[3 + i]);
    s->r[i].buf = buffer + (int64_t)i * SLOT;
    s->r[i].file = s->f[i];
    if (op == IO_OP_WRITE)
        stamp_fill(s->r[i].buf, 0, s->r[i].bytes, &stamp);
    else
        buf_poison(s->r[i].buf, SLOT);
}

static bool shelf_good(const struct shelf *s, int i, int block)
{
    const struct io_req *r = &s->r[i];

    return !r->rc && r->done == r->bytes && r->end_ns >= r->start_ns &&
           (r->op == IO_OP_WRITE || good_block(s->v, r, block));
}

/* Each file in turn is written while the others are read. */
static int shelf_mixed(struct shelf *s)
{
    int rc = 0;

    for (int i = 0; i < FILES; i++)
        shelf_put(s, i, IO_OP_WRITE, i);
    rc = io_queue_start(s->q, s->list, FILES) || io_queue_wait(s->q);
    for (int w = 0; w < FILES && !rc; w++) {
        for (int i = 0; i < FILES; i++)
            shelf_put(s, i, i == w ? IO_OP_WRITE : IO_OP_READ, i == w ? FILES + i : i);
        rc = io_queue_start(s->q, s->list, FILES);
        for (int i = 0; i < FILES; i++)
            rc = rc || io_queue_wait_for(s->q, &s->r[i]) ||
                 !shelf_good(s, i, i == w ? FILES + i : i);
    }
    for (int i = 0; i < FILES; i++)
        rc = rc || io_file_sync(s->f[i]) || read_block(s->v, s->f[i], i, sizes[3 + i]);
    return rc || io_queue_wait(s->q) || io_queue_poll(s->q);
}

/* One file is closed while all have requests in flight. */
static int shelf_close_one(struct shelf *s)
{
    for (int i = 0; i < FILES; i++)
        shelf_put(s, i, IO_OP_READ, i);
    int rc = io_queue_start(s->q, s->list, FILES);
    rc = io_file_close(&s->f[1]) || rc;
    bool done = s->r[1].end_ns && shelf_good(s, 1, 1);
    rc = io_queue_wait(s->q) || rc;
    return rc || !done || !shelf_good(s, 0, 0) || !shelf_good(s, 2, 2);
}

/* File 0 is read beyond its end, together with file 2. */
static int shelf_fail_one(struct shelf *s)
{
    struct io_req *two[] = {s->list[0], s->list[2]};

    shelf_put(s, 0, IO_OP_READ, 0);
    shelf_put(s, 2, IO_OP_READ, 2);
    s->r[0].offset = (int64_t)SLOTS * s->v->size * SLOT;
    int rc = io_queue_start(s->q, two, 2);
    int waited = io_queue_wait(s->q);
    bool told = waited < 0 && s->r[0].rc < 0 && s->r[0].done == 0 &&
                !strcmp(err_get()->file, shelf_path(s->v, 0));
    if (rc && !s->r[2].end_ns) /* refused: nothing was started */
        return -1;
    return !told || !shelf_good(s, 2, 2) || io_queue_wait(s->q) ||
           read_block(s->v, s->f[0], 0, sizes[3]);
}

/* Requests and files that do not belong to the queue. */
static void test_shelf_refusals(const struct variant *v, struct shelf *s)
{
    struct io_open o = opening(v, path_of(v, "file"), IO_CREATE | IO_WRITE);
    struct io_req r = request(v, IO_OP_WRITE, 0, 8), *one = &r;
    struct io_file *own, *f;

    point(v, io_file_open(&own, &o) == 0, "a file with a queue of its own beside it");
    point(v, io_queue_start(s->q, &one, 1) == -EINVAL, "a request without a file");
    r.file = own;
    point(v, io_queue_start(s->q, &one, 1) == -EINVAL,
          "a request of a file of another queue");
    o = opening(v, path_of(v, "other"), IO_CREATE | IO_WRITE);
    o.queue = io_file_queue(own);
    point(v, io_file_open(&f, &o) == -EINVAL && !f && !exists(o.path),
          "a second file on such a queue: refused");
    o.queue = s->q;
    o.engine = strcmp(v->spec, "posix") ? "posix" : "null";
    point(v, io_file_open(&f, &o) == -EINVAL && !exists(o.path),
          "a file of another engine: refused");
    o.engine = v->spec;
    o.flags |= IO_COLLECTIVE;
    point(v, io_file_open(&f, &o) == -EINVAL && !exists(o.path),
          "collective transfers on a shared queue: refused");
    io_file_close(&own);
    io_file_remove(v->comm, path_of(v, "file"));
}

static void test_shared_queue(const struct variant *v)
{
    struct shelf s;
    int rc = shelf_open(&s, v, v->spec, 100);

    if (rc == -EINVAL && !s.q) {
        point(v, err_get()->usage && strstr(err_get()->text, "a queue for each file"),
              "a queue of several files: refused in a sentence");
        return;
    }
    point(v, rc == 0, "several files on one queue");
    if (!rc) {
        point(v, shelf_mixed(&s) == 0, "reads and writes of them in one start");
        if (v->stores)
            point(v, shelf_fail_one(&s) == 0, "one that fails, and one that is good");
        point(v, shelf_close_one(&s) == 0,
              "one is closed while others have requests under way");
        test_shelf_refusals(v, &s);
    }
    point(v, shelf_close(&s) == 0, "the queue is closed, and then its files");
}

/* One of two files does not answer; the other one continues. */
static void test_shelf_late(const struct variant *v)
{
    struct shelf s;
    int rc = shelf_open(&s, v, "null:delay_us=1000000000,delay_every=2", 0.05);

    shelf_put(&s, 0, IO_OP_WRITE, 0);
    shelf_put(&s, 1, IO_OP_WRITE, 1);
    rc = rc || io_queue_start(s.q, s.list, 2) || io_queue_wait_for(s.q, &s.r[0]);
    point(v, rc == 0, "of two files one answers");
    rc = io_queue_wait_for(s.q, &s.r[1]);
    point(v, rc == -ETIMEDOUT && io_queue_poll(s.q) == 1, "the other one does not");
    point(v, io_file_close(&s.f[1]) == -ETIMEDOUT && io_queue_poll(s.q) == 0,
          "it is closed all the same");
    shelf_put(&s, 0, IO_OP_WRITE, 0);
    point(v, io_queue_start(s.q, s.list, 1) == 0 && io_queue_wait(s.q) == 0,
          "and the first one goes on");
    point(v, shelf_close(&s) == 0, "the queue is closed");
}

/* Returns how many of `n` one-request transfers failed. */
static int failures(const struct variant *v, const char *spec, int n, int64_t *ns)
{
    struct variant faulty = *v;
    struct io_file *f;
    int failed = 0;

    faulty.spec = spec;
    *ns = 0;
    if (open_as(&f, &faulty, "nothing", IO_CREATE | IO_WRITE))
        return -1;
    for (int i = 0; i < n; i++) {
        struct io_req r = request(v, IO_OP_WRITE, 0, 1000);
        int rc = io_file_transfer(f, &r);
        failed += rc < 0 && r.rc == rc;
        *ns += r.end_ns - r.start_ns;
    }
    io_file_close(&f);
    return failed;
}

/* A request that takes longer than the file's limit ends there, with a sentence. */
static int wait_too_long(const struct variant *v, const char *spec)
{
    struct io_open o = opening(v, "nothing", IO_CREATE | IO_WRITE);
    struct io_req r = request(v, IO_OP_WRITE, 0, 1000);
    struct io_file *f;

    o.engine = spec;
    o.timeout_s = 0.05;
    if (io_file_open(&f, &o))
        return 0;
    int rc = io_file_transfer(f, &r);
    io_file_close(&f);
    err_clear();
    return rc;
}

static void test_null(const struct variant *v)
{
    int64_t ns;

    point(v, failures(v, "null", 12, &ns) == 0, "never fails by itself");
    point(v, failures(v, "null:fail_every=3", 12, &ns) == 4, "fail_every=3: 4 of 12");
    point(v, failures(v, "null:short_every=4", 12, &ns) == 3,
          "short_every=4: 3 of 12 are short, which the core takes for failures");
    point(v, failures(v, "null:fail_every=3,short_every=4", 12, &ns) == 6,
          "both: 6 of 12");
    point(v, failures(v, "null:delay_us=2000", 5, &ns) == 0 && ns >= 5 * 2000000,
          "delay_us=2000: five take 10 ms or more");
    point(v, wait_too_long(v, "null:delay_us=1000000000") == -ETIMEDOUT,
          "a delay is waited for no longer than the limit");
    point(v, wait_too_long(v, "null:delay_us=9223372036854775807") == -ETIMEDOUT,
          "nor is the longest one that can be written");
    if (!(v->flags & IO_COLLECTIVE))
        test_shelf_late(v);
}

/* Requests beyond 2 GiB: this tests only their arithmetic, as nothing is stored. */
static void test_large(const struct variant *v)
{
    struct io_open o = opening(v, "nothing", IO_CREATE | IO_WRITE);
    struct io_req r = {.op = IO_OP_WRITE, .buf = buffer, .bytes = INT64_C(5) << 30};
    struct io_file *f;

    r.offset = (INT64_C(16) << 30) * (world_rank + 1);
    o.max_request = r.bytes;
    err_clear();
    point(v,
          io_file_open(&f, &o) == 0 && io_file_transfer(f, &r) == 0 &&
              r.done == r.bytes,
          "a request of 5 GiB at 16 GiB and more");
    io_file_close(&f);
}

/* ---- all of them --------------------------------------------------------- */

static void test_variant(const struct variant *v)
{
    point(v, io_engine_usable(v->spec) == 0, "usable");
    test_round_trip(v);
    test_many(v);
    test_one_too_large(v);
    if (!(v->flags & IO_COLLECTIVE)) {
        test_requests(v);
        test_shared_queue(v);
    }
    if (!v->stores) {
        test_null(v);
        test_large(v);
        return;
    }
    test_pieces(v);
    test_write_only(v);
    test_hints(v);
    test_direct(v);
    test_existing(v);
    test_symlink(v);
    test_swapped(v);
    test_colon(v);
    test_missing(v);
    test_unwritable(v);
    test_one_rank_fails(v);
    test_end_of_file(v);
    test_scratch(v);
    test_full(v);
}

/* True if only an open can show that the library below cannot do it. */
static bool refused_by_layer(const struct variant *v)
{
    const char *path = path_of(v, "file");
    struct io_file *f;
    bool refused =
        open_as(&f, v, path, IO_CREATE | IO_WRITE) == -EINVAL && err_get()->usage;

    if (refused)
        tap_skip("%s: %s", v->name, err_get()->text);
    MPI_Barrier(MPI_COMM_WORLD);
    if (refused)
        point(v, !f && !exists(path), "refused in a sentence, no file is left");
    remove_file(&f, v);
    err_clear();
    return refused;
}

static void test_engine(const char *spec, int flags, MPI_Comm comm)
{
    struct variant v = {.spec = spec, .flags = flags, .comm = comm};

    MPI_Comm_rank(comm, &v.rank);
    MPI_Comm_size(comm, &v.size);
    v.stores = io_engine_stores(spec);
    snprintf(v.name, sizeof v.name, "%s%s%s, %s", spec,
             flags & IO_COLLECTIVE ? " collective" : "",
             flags & IO_WRITE_BACK ? " write-back" : "",
             comm == MPI_COMM_SELF ? "file per rank" : "shared file");
    err_clear();
    if (io_engine_check(spec, flags))
        point(&v, err_get()->usage && err_get()->text[0], "refused in a sentence");
    else if (!refused_by_layer(&v))
        test_variant(&v);
}

/* Tests an engine in a mode other than its usual one, as far as that could change
 * it. */
static void test_way(const char *spec, int flags)
{
    struct variant v = {
        .spec = spec, .flags = flags, .comm = MPI_COMM_SELF, .size = 1, .stores = true};

    snprintf(v.name, sizeof v.name, "%s%s", spec, flags ? " write-back" : "");
    err_clear();
    if (io_engine_check(spec, flags) || io_engine_usable(spec)) {
        tap_skip("%s: %s", v.name, err_get()->text);
        return;
    }
    test_round_trip(&v);
    test_many(&v);
    test_shared_queue(&v);
    test_direct(&v);
    test_end_of_file(&v);
}

/* Polled completions need direct I/O, on devices that support them. */
static void test_polled(void)
{
    struct variant v = {.spec = "uring:iopoll",
                        .comm = MPI_COMM_SELF,
                        .size = 1,
                        .stores = true,
                        .name = "uring:iopoll"};
    const char *path = path_of(&v, "file");
    struct io_file *f;
    int before = files_open();

    if (io_engine_check(v.spec, 0) || io_engine_usable(v.spec)) {
        tap_skip("%s: %s", v.name, err_get()->text);
        return;
    }
    point(&v,
          open_as(&f, &v, path, IO_CREATE | IO_WRITE) == -EINVAL &&
              strstr(err_get()->text, "--cache=direct"),
          "refused without direct I/O: %s", err_get()->text);
    point(&v, files_open() == before && !exists(path), "nothing open, no file");
    int rc = open_as(&f, &v, path, IO_CREATE | IO_READ | IO_WRITE | IO_DIRECT);
    point(&v, rc ? err_get()->text[0] != 0 : direct_round_trip(&v, f) == 0,
          "polled, or refused: %s", rc ? err_get()->text : "polled");
    remove_file(&f, &v);
}

static void test_ways(void)
{
    static const char *const specs[] = {"uring:plain", "uring:sqpoll",
                                        "uring:plain,sqpoll,depth=2",
                                        "aio:descriptors=3"};

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        test_way(specs[i], 0);
        test_way(specs[i], IO_WRITE_BACK);
    }
    test_polled();
}

/* Forbids io_uring, as sysctl and containers do: the system call exists and fails. It
 * stays so until the process ends, so this comes last. */
static void forbid_uring(void)
{
    struct variant v = {.spec = "uring",
                        .comm = MPI_COMM_SELF,
                        .size = 1,
                        .stores = true,
                        .name = "uring forbidden"};
    const char *path = path_of(&v, "file");
    struct io_file *f;
    int before = files_open();

    if (io_engine_check("uring", 0) || !seccomp_forbid(SYS_io_uring_setup, EPERM)) {
        tap_skip("io_uring cannot be forbidden here");
        return;
    }
    int rc = open_as(&f, &v, path, IO_CREATE | IO_WRITE);
    struct err said = *err_get();
    point(&v, rc == -EPERM && strstr(err_get()->text, "the engine threads"),
          "refused, with a way out: %s", err_get()->text);
    point(&v, io_engine_usable("uring") == rc && !strcmp(err_get()->text, said.text),
          "found out without a file, too");
    point(&v, files_open() == before && !exists(path), "nothing open, no file");
}

/* Interrupts streams: the C library drops its buffer if a signal interrupts the call
 * that writes it. From now on such calls of 9999 bytes are always interrupted. */
static void interrupt_streams(void)
{
    enum { HALF = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0, BUFFER = 9999 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args[2]) + HALF),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BUFFER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINTR),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct variant v = {.spec = "stdio:buffer=9999",
                        .comm = MPI_COMM_SELF,
                        .size = 1,
                        .stores = true,
                        .name = "stdio interrupted"};
    struct io_req r = {.op = IO_OP_WRITE, .buf = buffer, .bytes = BUFFER / 3};
    struct io_file *f;
    int rc = 0;

    if (!seccomp_filter(code, sizeof code / sizeof *code)) {
        tap_skip("calls cannot be interrupted here");
        return;
    }
    if (open_file(&f, &v, IO_CREATE | IO_WRITE) == 0)
        for (; !rc && r.offset < 4 * BUFFER; r.offset += r.bytes)
            rc = io_file_transfer(f, &r);
    point(&v, rc == -EINTR && strstr(err_get()->text, "what its buffer held"),
          "a write says that earlier ones are lost: %s", err_get()->text);
    remove_file(&f, &v);
}

static void test_table(void)
{
    static const int flags[] = {0, IO_COLLECTIVE, IO_WRITE_BACK};
    const char *name, *reason;

    for (int i = 0; (name = io_engine_name(i, &reason)); i++) {
        if (reason[0]) {
            tap_skip("engine %s is not built: %s", name, reason);
            continue;
        }
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            if (world_size <= 2) /* more ranks with files of their own add nothing */
                test_engine(name, flags[k], MPI_COMM_SELF);
            test_engine(name, flags[k], MPI_COMM_WORLD);
        }
    }
    err_clear();
    tap_ok(io_engine_check("nonsense", 0) == -EINVAL && err_get()->usage &&
               strstr(err_get()->text, "posix") && strstr(err_get()->text, "nonsense"),
           "an unknown engine is refused, and those there are are named");
    err_clear();
}

/* Only the thread that started MPI may make transfers of these engines. */
static void test_calls_mpi(void)
{
    static const char *const calls[] = {"mpiio", "mpiio-nb:depth=2", "hdf5",
                                        "part:inner=posix"};
    static const char *const not [] = {"posix",  "threads", "uring:piece=4096",
                                       "libaio", "aio",     "stdio",
                                       "null",   "nonsense"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        tap_ok(io_engine_calls_mpi(calls[i]) || io_engine_check(calls[i], 0),
               "%s calls MPI in transfers, or is not built", calls[i]);
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        tap_ok(!io_engine_calls_mpi(not [i]), "%s does not", not [i]);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    void *memory = NULL;
    tap_ok(buf_alloc(&memory, (int64_t)DEPTH * SLOT, "blocks") == 0, "memory");
    buffer = memory;
    test_calls_mpi();
    test_table();
    if (world_size == 1) /* they are tested on a file of one rank */
        test_ways();
    forbid_uring();
    interrupt_streams();
    buf_free(memory);
    return tap_end();
}
