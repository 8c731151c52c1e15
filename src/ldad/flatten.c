/* flatten and cat: write the logical file as an ordinary one. */
#include "base/buf.h"
#include "base/err.h"
#include "base/scratch.h"
#include "base/units.h"
#include "ldad/commands.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 20)

/* This rank's pieces of the file: [begin, end), a whole number of pieces except at the
 * end of the file. `steps` is that of the rank with most. */
struct share {
    int64_t begin, end, steps;
};

static struct share share_of_rank(const struct world *w, int64_t bytes)
{
    int64_t pieces = units_div_up(bytes, PIECE), most = units_div_up(pieces, w->size);
    struct share s = {.steps = most};
    s.begin = most * w->rank * PIECE;
    s.begin = s.begin < bytes ? s.begin : bytes;
    s.end = bytes - s.begin < most * PIECE ? bytes : s.begin + most * PIECE;
    return s;
}

static int copy_share(struct io_file *from, struct io_file *to, struct share s,
                      void *buf)
{
    int rc = 0;
    for (int64_t i = 0; i < s.steps; i++) {
        int64_t at = s.begin + i * PIECE, left = s.end - at;
        at = left > 0 ? at : s.end;
        struct io_req r = {.op = IO_OP_READ,
                           .buf = buf,
                           .offset = at,
                           .bytes = rc || left < 0 ? 0
                                    : left < PIECE ? left
                                                   : PIECE};
        /* the other ranks need this one in the call */
        int read = io_file_transfer(from, &r);
        rc = rc ? rc : read;
        r.op = IO_OP_WRITE;
        if (!rc && r.bytes)
            rc = io_file_transfer(to, &r);
    }
    return rc;
}

static int flatten_create(struct io_file **f, const struct world *w, const char *path)
{
    struct io_open o = {.engine = "posix",
                        .comm = w->comm,
                        .path = path,
                        .flags = IO_WRITE | IO_CREATE,
                        .max_request = PIECE,
                        .depth = 1,
                        .timeout_s = watchdog_limit_s()};
    return io_file_open(f, &o);
}

/* Truncates the file that was made here, and no other that was put in its place. */
static int truncate_made(const char *path, int64_t bytes)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 || fstat(fd, &st) ? -errno : scratch_check(path, &st);
    if (!rc && ftruncate(fd, bytes))
        rc = -errno;
    if (fd >= 0)
        close(fd);
    return rc ? err_set(rc, path, -1, "its length cannot be set: %s", strerror(-rc))
              : 0;
}

/* Sets the length of a file that ends with bytes that were never written. */
static int set_length(const struct world *w, const char *path, int64_t bytes)
{
    watchdog_arm_as_set("setting the length", path);
    int rc = w->rank ? 0 : truncate_made(path, bytes);
    watchdog_disarm();
    return rc;
}

/* Measures the logical file; rank 0 reports what is missing. *lost: something is. */
static int flatten_measure(const struct world *w, const char *path, struct io_file *f,
                           int64_t *bytes, bool *lost)
{
    struct container c;
    int rc = 0;
    if (w->rank == 0 && !(rc = container_read(&c, path))) {
        *lost = parts_missing(&c, path, stderr) > 0;
        container_free(&c);
    }
    MPI_Bcast(lost, 1, MPI_C_BOOL, 0, w->comm);
    *bytes = io_file_partition(f).bytes;
    return err_agree(w->comm, rc);
}

/* Returns the exit status. A file with zeros for what is missing was asked for, but is
 * no success. */
static int status_of(struct world *w, const char *program, bool lost)
{
    int status = world_close(w, program);
    return status ? status : lost ? EXIT_FAILED : EXIT_GOOD;
}

static int flatten(const struct world *w, const char *path, const char *out,
                   bool incomplete, bool sync, bool *lost)
{
    struct io_file *from = NULL, *to = NULL;
    int64_t bytes = 0;
    void *buf = NULL;
    int rc = err_agree(w->comm, buf_alloc(&buf, PIECE, "a piece of the file"));
    if (!rc)
        rc = parts_open(&from, w->comm, path, incomplete, PIECE);
    if (!rc)
        rc = flatten_measure(w, path, from, &bytes, lost);
    if (!rc)
        rc = flatten_create(&to, w, out);
    bool created = !rc;
    if (!rc)
        rc = err_agree(w->comm, copy_share(from, to, share_of_rank(w, bytes), buf));
    if (!rc && sync)
        rc = err_agree(w->comm, io_file_sync(to));
    int closed = io_file_close(&to);
    rc = rc ? rc : closed;
    io_file_close(&from);
    if (!rc)
        rc = err_agree(w->comm, set_length(w, out, bytes));
    if (!rc)
        io_file_keep(w->comm, out);
    else if (created)
        io_file_remove(w->comm, out);
    buf_free(buf);
    return rc;
}

int command_flatten(int argc, char **argv)
{
    const char *path = NULL, *out = NULL;
    bool incomplete = false, sync = false, lost = false;
    double io_timeout = WATCHDOG_LIMIT_S;
    struct opt table[] = {COMMAND_CONTAINER(path),
                          {OPT_TEXT, "OUT", .value = &out, .required = true,
                           .help = "the file to make; it must not exist"},
                          COMMAND_INCOMPLETE(incomplete),
                          WORLD_TIMEOUT(io_timeout),
                          {OPT_FLAG, "sync", .value = &sync, .preset = "no",
                           .help = "sync the file before ending",
                           .text = "End when the file is on stable storage."}};
    const struct opt_program p = {
        "ldad flatten", "CONTAINER OUT",
        "Makes the ordinary file that a container stands for, byte for byte. Under "
        "mpirun all ranks take part, and what is on the disks of nodes is read there.",
        table, sizeof table / sizeof table[0]};
    struct world w;
    int status;
    if (world_early(&p, argc, argv, &status))
        return status;
    int rc = opt_parse(&p, argc, argv);
    watchdog_limit(io_timeout);
    rc = world_open(&w, &argc, &argv, &p, rc, false);
    if (!rc)
        flatten(&w, path, out, incomplete, sync, &lost);
    return status_of(&w, p.name, lost);
}

/* Gives the file's bytes a stream of their own. Libraries below MPI print on standard
 * output (UCX its warnings); that goes to standard error, not among the bytes. */
static int take_stdout(FILE **out)
{
    int fd = dup(STDOUT_FILENO);
    bool closed = fd < 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    *out = closed ? NULL : fdopen(fd, "w");
    if (*out && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return 0;
    int why = closed ? EBADF : errno;
    return err_set(-why, NULL, -1, "standard output cannot be written: %s",
                   strerror(why));
}

static int put_all(FILE *out, const char *buf, int64_t bytes)
{
    if (fwrite(buf, 1, (size_t)bytes, out) == (size_t)bytes)
        return 0;
    return err_set(-errno, NULL, -1, "standard output cannot be written: %s",
                   strerror(errno));
}

static int cat(const struct world *w, const char *path, bool incomplete, FILE *out,
               bool *lost)
{
    struct io_file *f = NULL;
    int64_t bytes = 0;
    void *buf = NULL;
    int rc = buf_alloc(&buf, PIECE, "a piece of the file");
    if (!rc)
        rc = parts_open(&f, MPI_COMM_SELF, path, incomplete, PIECE);
    if (!rc)
        rc = flatten_measure(w, path, f, &bytes, lost);
    for (int64_t at = 0; at < bytes && !rc; at += PIECE) {
        struct io_req r = {.op = IO_OP_READ,
                           .buf = buf,
                           .offset = at,
                           .bytes = bytes - at < PIECE ? bytes - at : PIECE};
        rc = io_file_transfer(f, &r);
        if (!rc)
            rc = put_all(out, buf, r.bytes);
    }
    if (!rc && fflush(out))
        rc = put_all(out, "", 1);
    io_file_close(&f);
    buf_free(buf);
    return rc;
}

int command_cat(int argc, char **argv)
{
    const char *path = NULL;
    bool incomplete = false, lost = false;
    double io_timeout = WATCHDOG_LIMIT_S;
    struct opt table[] = {COMMAND_CONTAINER(path), COMMAND_INCOMPLETE(incomplete),
                          WORLD_TIMEOUT(io_timeout)};
    const struct opt_program p = {
        "ldad cat", "CONTAINER",
        "Writes the bytes of the file that a container stands for to standard output. "
        "One process; partitions on other nodes' disks need ldad flatten.",
        table, sizeof table / sizeof table[0]};
    struct world w;
    int status;
    if (world_early(&p, argc, argv, &status))
        return status;
    FILE *out = NULL;
    int rc = opt_parse(&p, argc, argv);
    if (!rc)
        rc = take_stdout(&out);
    watchdog_limit(io_timeout);
    rc = world_open(&w, &argc, &argv, &p, rc, false);
    if (!rc && w.size > 1)
        rc = err_usage("it writes to one standard output: start it without mpirun");
    if (!rc)
        cat(&w, path, incomplete, out, &lost);
    return status_of(&w, p.name, lost);
}
