/* ranks: 1 2
 * Files of one rank: opened, written, appended to, read and removed without messages
 * to other ranks, and from any thread; other programs' files stay as they are. */
#include "tap.h"

#include "base/scratch.h"
#include "io/io.h"
#include "pmpi.h"
#include <pthread.h>

enum { BYTES = 4096, THREADS = 4 };

static int rank;

static struct io_open local(const char *engine, const char *path, int flags)
{
    return (struct io_open){.engine = engine,
                            .comm = MPI_COMM_WORLD,
                            .path = path,
                            .flags = flags | IO_LOCAL,
                            .max_request = BYTES,
                            .depth = 2,
                            .timeout_s = 100};
}

static int open_local(struct io_file **f, const char *engine, const char *path,
                      int flags)
{
    struct io_open o = local(engine, path, flags);
    return io_file_open(f, &o);
}

static int move(struct io_file *f, enum io_op op, char *buf, int64_t at, char with)
{
    struct io_req r = {.op = op, .buf = buf, .offset = at, .bytes = BYTES};
    memset(buf, op == IO_OP_WRITE ? with : 0, BYTES);
    int rc = io_file_transfer(f, &r);
    return rc ? rc : buf[0] == with && buf[BYTES - 1] == with ? 0 : -EIO;
}

static int append(const char *engine, const char *path, char *buf, char with, bool sync)
{
    struct io_file *f;
    int64_t size = -1;
    int rc = open_local(&f, engine, path, IO_WRITE);
    if (rc)
        return rc;
    rc = io_file_size(f, &size);
    rc = rc ? rc : size != BYTES ? -EIO : move(f, IO_OP_WRITE, buf, size, with);
    int synced = sync ? io_file_sync(f) : 0, closed = io_file_close(&f);
    return rc ? rc : synced ? synced : closed;
}

/* Does everything that can be done with a file. */
static int life(const char *engine, const char *path, char *buf, bool sync)
{
    struct io_file *f;
    int rc = open_local(&f, engine, path, IO_READ | IO_WRITE | IO_CREATE);
    if (rc)
        return rc;
    rc = move(f, IO_OP_WRITE, buf, 0, 'a');
    int closed = io_file_close(&f);
    rc = rc ? rc : closed ? closed : append(engine, path, buf, 'b', sync);
    rc = rc ? rc : open_local(&f, engine, path, IO_READ);
    if (!rc) {
        rc = move(f, IO_OP_READ, buf, 0, 'a');
        rc = rc ? rc : move(f, IO_OP_READ, buf, BYTES, 'b');
        closed = io_file_close(&f);
    }
    int removed = io_file_remove(MPI_COMM_NULL, path);
    return rc ? rc : closed ? closed : removed;
}

static void name(char *path, int thread, int i)
{
    char text[64];
    snprintf(text, sizeof text, "local.%d.%d.%d", rank, thread, i);
    tap_path(path, text);
}

/* Returns how often the rank sent messages to others. */
static long lives(const char *engine, int n, int *rc)
{
    char path[TAP_PATH], *buf = malloc(BYTES);
    pmpi_calls = 0;
    *rc = buf ? 0 : -ENOMEM;
    for (int i = 0; i < n && !*rc; i++) {
        name(path, 0, i);
        *rc = life(engine, path, buf, i == 0);
        *rc = *rc ? *rc : access(path, F_OK) == 0 ? -EEXIST : 0;
    }
    long calls = pmpi_calls;
    free(buf);
    return calls;
}

static void test_engine(const char *engine, int many)
{
    int rc, more;
    if (io_engine_usable(engine)) {
        tap_skip("%s: not usable here: %s", engine, err_get()->text);
        err_clear();
        return;
    }
    long one = lives(engine, 1, &rc), all = lives(engine, many + rank, &more);
    tap_ok(!rc, "%s: a file is made, appended to, read and removed", engine);
    tap_ok(!more, "%s: %d times as often, and more on other ranks", engine, many);
    tap_ok(one == 0 && all == 0, "%s: without a word to others (%ld, %ld)", engine, one,
           all);
}

/* ---- threads --------------------------------------------------------------------- */

static void *live(void *which)
{
    char path[TAP_PATH], *buf = malloc(BYTES);
    int thread = *(int *)which, rc = buf ? 0 : -ENOMEM;
    for (int i = 0; i < 100 && !rc; i++) {
        name(path, thread, i);
        rc = life("posix", path, buf, false);
    }
    free(buf);
    return rc ? which : NULL;
}

static void test_threads(void)
{
    static int which[THREADS];
    pthread_t t[THREADS];
    int bad = 0;
    pmpi_calls = 0;
    for (int i = 0; i < THREADS; i++) {
        which[i] = i + 1;
        bad += pthread_create(&t[i], NULL, live, &which[i]) != 0;
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        bad += pthread_join(t[i], &failed) || failed;
    }
    long calls = pmpi_calls;
    tap_ok(!bad && !calls, "threads have files of their own");
}

/* ---- files of others ------------------------------------------------------------- */

static bool is_as_it_was(const char *path, const struct stat *was)
{
    struct stat st;
    return !stat(path, &st) && st.st_ino == was->st_ino && st.st_size == was->st_size &&
           st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           st.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

static void make_input(char *path, const char *buf, struct stat *st)
{
    char text[64];
    snprintf(text, sizeof text, "input.%d", rank);
    tap_path(path, text);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    bool good =
        fd >= 0 && write(fd, buf, BYTES) == BYTES && !close(fd) && !stat(path, st);
    tap_ok(good, "a file of somebody else");
}

static void test_input(void)
{
    char path[TAP_PATH], *buf = malloc(BYTES);
    struct stat was;
    struct io_file *f;
    memset(buf, 'x', BYTES);
    make_input(path, buf, &was);
    int rc = open_local(&f, "posix", path, IO_READ);
    rc = rc ? rc : move(f, IO_OP_READ, buf, 0, 'x');
    tap_ok(!rc, "is read");
    struct io_req r = {.op = IO_OP_WRITE, .buf = buf, .bytes = BYTES};
    tap_ok(io_file_transfer(f, &r) < 0, "what was opened to be read is not written");
    tap_ok(io_file_close(&f) == 0 || 1, "and closed");
    err_clear();
    tap_ok(open_local(&f, "posix", path, IO_READ | IO_WRITE) == -EPERM && !f,
           "it is not opened to be written");
    err_clear();
    tap_ok(open_local(&f, "posix", path, IO_WRITE | IO_CREATE) == -EEXIST && !f,
           "nor made anew");
    err_clear();
    tap_ok(io_file_remove(MPI_COMM_NULL, path) == 0 && is_as_it_was(path, &was),
           "nor removed: it is what it was");
    scratch_unlink_all();
    tap_ok(is_as_it_was(path, &was), "nor at the end");
    unlink(path);
    free(buf);
}

static void test_refused(void)
{
    struct io_file *f;
    char path[TAP_PATH];
    name(path, 0, 0);
    pmpi_calls = 0;
    int rc = rank ? 0 : open_local(&f, "posix", path, IO_READ);
    long calls = pmpi_calls;
    tap_ok((rank || rc == -ENOENT) && !calls, "one rank fails, and tells nobody");
    err_clear();
    tap_ok(open_local(&f, "mpiio", path, IO_READ | IO_COLLECTIVE) == -EINVAL,
           "a file of one rank has no collective transfers");
    err_clear();
}

/* Thousands of files in a folder that is removed with them need no entry each. */
static void test_folder(void)
{
    char folder[TAP_PATH], path[TAP_PATH], text[64], *buf = malloc(BYTES);
    int fd, rc;
    snprintf(text, sizeof text, "folder.%d", rank);
    rc = scratch_create_tree(tap_path(folder, text), &fd);
    for (int i = 0; i < 50 && !rc; i++) {
        struct io_file *f;
        snprintf(path, sizeof path, "%.500s/%d", folder, i);
        rc = open_local(&f, "posix", path, IO_WRITE | IO_CREATE);
        rc = rc ? rc : move(f, IO_OP_WRITE, buf, 0, 'a');
        rc = rc ? rc : io_file_close(&f);
        rc = rc ? rc : append("posix", path, buf, 'b', false);
    }
    tap_ok(!rc && scratch_made(path), "files in a folder of the run's are the run's");
    rc = io_file_remove(MPI_COMM_NULL, path);
    tap_ok(!rc && access(path, F_OK) && !access(folder, F_OK), "one is removed");
    rc = io_file_remove(MPI_COMM_NULL, folder);
    tap_ok(!rc && access(folder, F_OK), "and all with the folder");
    free(buf);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    test_engine("posix", 1000);
    test_engine("threads", 5);
    test_engine("uring", 5);
    test_threads();
    test_input();
    test_refused();
    test_folder();
    return tap_end();
}
