/* ranks: 1 2; limit: 60
 * Features of mapped files only: windows that come and go, pages that ranks share,
 * and SIGBUS, which is a failed transfer, or belongs to other code. */
#include "tap.h"

#include "base/thread.h"
#include "io/io.h"
#include "seccomp.h"
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MIB (INT64_C(1) << 20)

/* More windows of a page than stay mapped, even with half of the blocks. */
enum { PAGE = 4096, BLOCK = 5003, BLOCKS = 600, THREADS = 4 };

static int rank, size;
static char *buffer; /* of MIB bytes */

static struct io_open opening(const char *spec, const char *path, int flags)
{
    return (struct io_open){.engine = spec,
                            .comm = flags & IO_LOCAL ? MPI_COMM_SELF : MPI_COMM_WORLD,
                            .path = path,
                            .flags = flags,
                            .max_request = MIB,
                            .depth = 1,
                            .timeout_s = 100};
}

static struct io_file *open_as(const char *spec, const char *path, int flags,
                               int64_t bytes)
{
    struct io_open o = opening(spec, path, flags);
    struct io_file *f;
    o.bytes = bytes;
    err_clear();
    if (io_file_open(&f, &o))
        tap_diag("%s: %s", spec, err_get()->text);
    return f;
}

static int move(struct io_file *f, enum io_op op, char *buf, int64_t at, int64_t bytes,
                int64_t *done)
{
    struct io_req r = {.op = op, .buf = buf, .offset = at, .bytes = bytes};
    int rc = io_file_transfer(f, &r);
    if (done)
        *done = r.done;
    return rc;
}

/* ---- windows ------------------------------------------------------------------- */

static char byte_of(int block, int i)
{
    return (char)(block * 7 + i / 3 + 1);
}

static int write_block(struct io_file *f, int block)
{
    for (int i = 0; i < BLOCK; i++)
        buffer[i] = byte_of(block, i);
    return move(f, IO_OP_WRITE, buffer, (int64_t)block * BLOCK, BLOCK, NULL);
}

static int read_block(struct io_file *f, int block)
{
    memset(buffer, 0, BLOCK);
    int rc = move(f, IO_OP_READ, buffer, (int64_t)block * BLOCK, BLOCK, NULL);
    for (int i = 0; i < BLOCK && !rc; i++)
        rc = buffer[i] != byte_of(block, i);
    return rc;
}

/* Visits every rank's blocks, from both ends in turn, between those of the others. */
static int each_block(struct io_file *f, int (*what)(struct io_file *f, int block),
                      int shift)
{
    int rc = 0, n = BLOCKS / size;
    for (int i = 0; i < n; i++) {
        int k = i % 2 ? n - 1 - i / 2 : i / 2;
        rc = what(f, k * size + (rank + shift) % size) || rc;
    }
    return rc;
}

static void test_windows(const char *options, int64_t bytes)
{
    char path[TAP_PATH], spec[128];
    struct stat st;
    snprintf(spec, sizeof spec, "mmap:%s", options);
    struct io_file *f =
        open_as(spec, tap_path(path, "windows"), IO_CREATE | IO_READ | IO_WRITE, bytes);
    tap_ok(f && !each_block(f, write_block, 0) && !io_file_sync(f),
           "%s: all ranks write, into the same pages", spec);
    MPI_Barrier(MPI_COMM_WORLD);
    tap_ok(f && !each_block(f, read_block, 1), "%s: they read what others wrote", spec);
    tap_ok(f && !each_block(f, write_block, 0) && !io_file_close(&f),
           "%s: they write it again", spec);
    int64_t found = stat(path, &st) ? -1 : st.st_size;
    tap_ok(found == (int64_t)BLOCKS / size * size * BLOCK,
           "%s: the file has its size: %lld", spec, (long long)found);
    f = open_as(spec, path, IO_WRITE, bytes);
    tap_ok(f && !each_block(f, write_block, 0) && !io_file_close(&f),
           "%s: and over what is there, opened to write only", spec);
    f = open_as(spec, path, IO_READ, 0);
    tap_ok(f && !each_block(f, read_block, 1) && !io_file_close(&f),
           "%s: read once more", spec);
    io_file_remove(MPI_COMM_WORLD, path);
}

static void refuse(const char *options, const char *says)
{
    char path[TAP_PATH], spec[128];
    snprintf(spec, sizeof spec, "mmap:%s", options);
    struct io_open o = opening(spec, tap_path(path, "refused"), IO_CREATE | IO_WRITE);
    struct io_file *f;
    err_clear();
    tap_ok(io_file_open(&f, &o) == -EINVAL && err_get()->usage &&
               strstr(err_get()->text, says) && access(path, F_OK),
           "%s: refused: %s", spec, err_get()->text);
}

/* ---- a file that others truncate ----------------------------------------------- */

static char *own_path(char *path, const char *name, int i)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s.%d.%d", name, rank, i);
    return tap_path(path, whole);
}

static struct io_file *open_own(char *path, int i, int64_t bytes)
{
    struct io_file *f = open_as("mmap", own_path(path, "cut", i),
                                IO_CREATE | IO_READ | IO_WRITE | IO_LOCAL, bytes);
    memset(buffer, 'x', MIB);
    for (int64_t at = 0; f && at < bytes; at += MIB)
        if (move(f, IO_OP_WRITE, buffer, at, MIB, NULL))
            tap_diag("%s: %s", path, err_get()->text);
    return f;
}

static void test_cut(enum io_op op)
{
    char path[TAP_PATH];
    struct io_file *f = open_own(path, 0, 2 * MIB);
    int64_t done = 0, cut = MIB + 8 * PAGE;
    if (op == IO_OP_READ && move(f, op, buffer, MIB, MIB, NULL))
        tap_diag("%s: %s", path, err_get()->text);
    tap_ok(f && !truncate(path, cut), "a file is cut while it is open");
    int rc = move(f, op, buffer, MIB + 100, MIB / 2, &done);
    tap_ok(rc == -EIO && done == cut - MIB - 100 && err_get()->offset == cut &&
               strstr(err_get()->text, "cut it to 1081344 bytes"),
           "the transfer fails where it ends: %s (offset %lld)", err_get()->text,
           (long long)err_get()->offset);
    err_clear();
    rc = move(f, op, buffer, MIB + MIB / 2, PAGE, &done);
    tap_ok(rc == -EIO && !done && err_get()->offset == MIB + MIB / 2,
           "and so does one behind it");
    tap_ok(!move(f, op, buffer, 0, MIB, &done), "one before does not");
    tap_ok(io_file_close(&f) == (op == IO_OP_READ ? -EIO : 0),
           "the close tells who has read what is gone");
    io_file_remove(MPI_COMM_NULL, path);
}

/* The rest of the page is zeros, and there is no SIGBUS. */
static void test_cut_in_a_page(void)
{
    char path[TAP_PATH];
    struct io_file *f = open_own(path, 0, MIB);
    tap_ok(f && !truncate(path, MIB - 10) &&
               !move(f, IO_OP_READ, buffer, 0, MIB, NULL) && buffer[MIB - 1] == 0,
           "a file is cut in its last page");
    tap_ok(io_file_sync(f) == -EIO && err_get()->offset == MIB - 10,
           "the sync tells: %s", err_get()->text);
    tap_ok(io_file_close(&f) == -EIO, "and the close");
    io_file_remove(MPI_COMM_NULL, path);
}

/* The run itself truncates the file, then writes more, and reads beyond the end. */
static void test_own_cut(void)
{
    char path[TAP_PATH];
    struct io_file *f = open_own(path, 0, 2 * MIB);
    struct io_req r = {.op = IO_OP_READ,
                       .buf = buffer,
                       .offset = MIB / 2,
                       .bytes = MIB,
                       .least = MIB / 2};
    tap_ok(f && !move(f, IO_OP_READ, buffer, MIB, MIB, NULL) &&
               !io_file_cut(f, MIB / 4) &&
               !move(f, IO_OP_WRITE, buffer, MIB / 2, MIB / 2, NULL),
           "the run cuts its file, and goes on writing");
    tap_ok(f && !io_file_transfer(f, &r) && r.done == MIB / 2 && buffer[0] == 'x',
           "a read that may go past the end does");
    tap_ok(!io_file_sync(f) && !io_file_close(&f), "which is no failure");
    io_file_remove(MPI_COMM_NULL, path);
}

/* ---- threads ------------------------------------------------------------------- */

struct work {
    struct io_file *f;
    char path[TAP_PATH], *buffer;
    bool cut;
    int wrong;
};

/* Half of the threads meet SIGBUS a hundred times, and the others keep reading. */
static void *read_on(void *arg)
{
    struct work *w = arg;
    int64_t done;
    for (int i = 0; i < 100; i++) {
        int rc = move(w->f, IO_OP_READ, w->buffer, 0, MIB / 4, &done);
        bool good = w->cut ? rc == -EIO && done == 2 * PAGE
                           : !rc && w->buffer[MIB / 4 - 1] == 'x';
        w->wrong += !good;
    }
    return NULL;
}

/* Truncates after the size was read, so that a read begins. */
static void cut_one(struct work *w)
{
    if (w->cut && truncate(w->path, 2 * PAGE))
        tap_diag("%s: %s", w->path, strerror(errno));
}

static void test_threads(void)
{
    struct work w[THREADS] = {{0}};
    pthread_t thread[THREADS];
    int started = 0, wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        w[i].cut = i % 2;
        w[i].f = open_own(w[i].path, i, MIB);
        w[i].buffer = buffer + i * MIB / 4;
        cut_one(&w[i]);
    }
    for (int i = 0; i < THREADS; i++)
        started += !thread_start(&thread[i], 0, read_on, &w[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        wrong += w[i].wrong;
        io_file_close(&w[i].f);
        io_file_remove(MPI_COMM_NULL, w[i].path);
    }
    tap_ok(started == THREADS && !wrong,
           "threads with signals blocked: each has its own failures (%d wrong)", wrong);
}

/* ---- other SIGBUS -------------------------------------------------------------- */

static volatile sig_atomic_t came;
static sigjmp_buf back;

static void on_bus(int sig)
{
    (void)sig;
    came++;
}

static void on_bus_jump(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
    siglongjmp(back, 1);
}

/* Touches a page behind the end of a file that was mapped. */
static void touch_nothing(void)
{
    char path[TAP_PATH];
    int fd = open(own_path(path, "nothing", 0), O_RDWR | O_CREAT, 0600);
    char *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    unlink(path);
    if (at != MAP_FAILED && !sigsetjmp(back, 1))
        came += 100 + *(volatile char *)at;
    munmap(at, PAGE);
}

static bool handles(void (*handler)(int))
{
    struct sigaction now;
    return !sigaction(SIGBUS, NULL, &now) && now.sa_handler == handler;
}

static void test_others(void)
{
    char path[TAP_PATH], second[TAP_PATH];
    struct sigaction first, ours = {.sa_handler = on_bus};
    sigaction(SIGBUS, &ours, &first);
    struct io_file *f = open_own(path, 0, MIB), *g = open_own(second, 1, MIB);
    tap_ok(!handles(on_bus), "SIGBUS is handled while a mapped file is open");
    raise(SIGBUS);
    tap_ok(came == 1, "one that was sent goes to who handled it before");
    io_file_close(&f);
    tap_ok(!handles(on_bus) && !move(g, IO_OP_READ, buffer, 0, MIB, NULL),
           "also while the second one still is");
    io_file_close(&g);
    tap_ok(handles(on_bus), "afterwards it is as it was");
    ours = (struct sigaction){.sa_sigaction = on_bus_jump, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &ours, NULL);
    f = open_as("mmap", path, IO_READ | IO_LOCAL, 0);
    touch_nothing();
    tap_ok(came == 1 && !move(f, IO_OP_READ, buffer, 0, MIB, NULL),
           "memory of others that is not there goes to who handled it, too");
    io_file_close(&f);
    sigaction(SIGBUS, &first, NULL);
    io_file_remove(MPI_COMM_NULL, path);
    io_file_remove(MPI_COMM_NULL, second);
}

/* Dies in a child, which has no handler. */
static int ends_by_bus(bool sent)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        signal(SIGALRM, SIG_DFL);
        alarm(20);
        if (sent)
            raise(SIGBUS);
        touch_nothing();
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
}

static void test_default(void)
{
    char path[TAP_PATH];
    struct sigaction first, none = {.sa_handler = SIG_DFL};
    sigaction(SIGBUS, &none, &first);
    struct io_file *f = open_own(path, 0, MIB);
    tap_ok(f && ends_by_bus(true), "one that nobody handles ends the process: sent");
    tap_ok(f && ends_by_bus(false), "... and raised");
    io_file_close(&f);
    sigaction(SIGBUS, &first, NULL);
    io_file_remove(MPI_COMM_NULL, path);
}

/* ---- without fallocate ----------------------------------------------------------- */

/* The file has its size, but no space: only SIGBUS shows it. */
static void test_full(const char *small)
{
    char path[TAP_PATH + 8];
    int64_t done = 0;
    snprintf(path, sizeof path, "%s/%d", small, rank);
    struct io_file *f =
        open_as("mmap", path, IO_CREATE | IO_WRITE | IO_LOCAL, 2 * size * MIB);
    memset(buffer, 'x', MIB);
    int rc = 0;
    int64_t at = 0;
    for (; at < 2 * size * MIB && !rc; at += MIB)
        rc = move(f, IO_OP_WRITE, buffer, at, MIB, &done);
    tap_ok(f && rc == -ENOSPC && err_get()->offset == at - MIB + done &&
               done % PAGE == 0 && at - MIB + done <= size * MIB,
           "a full file system: %s (offset %lld)", err_get()->text,
           (long long)err_get()->offset);
    io_file_close(&f);
    io_file_remove(MPI_COMM_NULL, path);
}

/* Forbids fallocate until the process ends, as on file systems without it. */
static void test_without_fallocate(void)
{
    char small[TAP_PATH], options[32];
    tap_path(small, "small");
    snprintf(options, sizeof options, "size=%dm", size);
    int mounted = 0;
    if (rank == 0)
        mounted = getenv("LEADLINE_MOUNTS") && !mkdir(small, 0700) &&
                  !mount("none", small, "tmpfs", 0, options);
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!seccomp_forbid(SYS_fallocate, EOPNOTSUPP))
        tap_skip("fallocate cannot be forbidden here");
    else {
        test_windows("piece=4000", 0);
        test_windows("window=8192", (int64_t)BLOCKS / size * size * BLOCK);
        if (mounted)
            test_full(small);
        else
            tap_skip("a full file system: mounting is not allowed here");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mounted && rank == 0 && (umount(small) || rmdir(small)))
        tap_diag("%s: %s", small, strerror(errno));
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = malloc(MIB);
    tap_ok(buffer != NULL, "memory");
    test_windows("window=4096,piece=999,advice=random", 0);
    test_windows("window=64k,advice=sequential,populate",
                 (int64_t)BLOCKS / size * size * BLOCK);
    refuse("window=5000", "multiple of the page size");
    refuse("advice=often", "normal/random/sequential");
    refuse("window", "not a number");
    test_cut(IO_OP_READ);
    test_cut(IO_OP_WRITE);
    test_cut_in_a_page();
    test_own_cut();
    test_threads();
    test_others();
    test_default();
    test_without_fallocate();
    free(buffer);
    return tap_end();
}
