/* ranks: 1 2 4; limit: 200
 * Features of the engine hdf5 only: arrays, its options, refusals, and what HDF5
 * leaves undone if a transfer fails. With an argument it only writes such a file and
 * leaves it, for tests/e2e/hdf5_file.py. */
#include "tap.h"

#include "io/io.h"
#include <sys/mount.h>

enum { A = 3, B = 5, C = 7, N = A * B * C };

static const struct io_shape shape = {.name = "matrices",
                                      .element_bytes = 8,
                                      .ndims = 3,
                                      .dims = {A, B, C},
                                      .dim_names = "rank,mat,element"};
static int rank, size;

/* ---- calls of HDF5, counted, and failing on request ----------------------------- */

static int collective_calls, independent_calls, syncs;
static bool break_next;

int MPI_File_write_at_all(MPI_File fh, MPI_Offset at, const void *buf, int n,
                          MPI_Datatype type, MPI_Status *s)
{
    int rc = PMPI_File_write_at_all(fh, at, buf, n, type, s);

    collective_calls++;
    if (!break_next)
        return rc;
    break_next = false;
    return MPI_ERR_NO_SPACE;
}

int MPI_File_write_at(MPI_File fh, MPI_Offset at, const void *buf, int n,
                      MPI_Datatype type, MPI_Status *s)
{
    independent_calls++;
    return PMPI_File_write_at(fh, at, buf, n, type, s);
}

int MPI_File_sync(MPI_File fh)
{
    syncs++;
    return PMPI_File_sync(fh);
}

/* ---- helpers ------------------------------------------------------------- */

static double value_of(int64_t i)
{
    return (double)i + 0.25;
}

static struct io_open opening(const char *spec, const char *path, int flags)
{
    return (struct io_open){.engine = spec,
                            .comm = MPI_COMM_WORLD,
                            .path = path,
                            .flags = flags,
                            .bytes = 8 * N,
                            .max_request = 8 * N,
                            .depth = 1,
                            .timeout_s = 60,
                            .shape = &shape};
}

static struct io_file *opened(const char *spec, const char *path, int flags)
{
    struct io_open o = opening(spec, path, flags);
    struct io_file *f;

    err_clear();
    if (io_file_open(&f, &o))
        tap_diag("%s: %s: %s", spec, path, err_get()->text);
    return f;
}

static int move(struct io_file *f, enum io_op op, double *buf, int64_t at, int64_t n)
{
    struct io_req r = {.op = op, .buf = buf, .offset = 8 * at, .bytes = 8 * n};

    return f ? io_file_transfer(f, &r) : -1;
}

/* Writes every element once, in rows of `n` that ranks take in turn; an empty row when
 * they have run out, as the others may still be in a collective call. */
static int write_rows(struct io_file *f, int64_t n)
{
    double buf[N];
    int rc = 0;

    for (int64_t at = rank * n; at - rank * n < N; at += size * n) {
        int64_t m = at >= N ? 0 : N - at < n ? N - at : n;
        for (int64_t i = 0; i < m; i++)
            buf[i] = value_of(at + i);
        rc = move(f, IO_OP_WRITE, buf, m ? at : 0, m) || rc;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return rc;
}

/* True if rows of all lengths and from all places, both in steps of `step`, read back;
 * N: all of it. */
static bool reads_back(struct io_file *f, int64_t step)
{
    double buf[N];
    bool good = true;

    for (int64_t at = 0; at < N; at += step)
        for (int64_t n = step; good && n <= N - at; n += step) {
            memset(buf, 0xff, sizeof buf);
            good = move(f, IO_OP_READ, buf, at, n) == 0;
            for (int64_t i = 0; i < n; i++)
                good = good && buf[i] == value_of(at + i);
        }
    return good;
}

/* ---- arrays -------------------------------------------------------------- */

static void test_rows(const char *spec, int flags)
{
    char path[TAP_PATH];
    struct io_file *f =
        opened(spec, tap_path(path, "file"), IO_CREATE | IO_READ | IO_WRITE | flags);

    collective_calls = independent_calls = 0;
    int rc = write_rows(f, 11);
    tap_ok(f && rc == 0 &&
               (flags ? collective_calls && !independent_calls
                      : independent_calls && !collective_calls),
           "%s%s: rows that are no slabs are written by %s calls", spec,
           flags ? " collective" : "", flags ? "collective" : "independent");
    syncs = 0;
    tap_ok(f && io_file_sync(f) == 0 && syncs, "%s: synced by MPI_File_sync", spec);
    tap_ok(f && reads_back(f, N), "%s: read back", spec);
    tap_ok(io_file_close(&f) == 0, "%s: closed", spec);
    f = opened(spec, path, IO_READ | flags);
    tap_ok(f && reads_back(f, flags ? 17 : 3), "%s: opened again, any row is read",
           spec);
    io_file_close(&f);
    io_file_remove(MPI_COMM_WORLD, path);
}

static int64_t bytes_of(const char *path)
{
    struct stat st;

    return stat(path, &st) ? -1 : (int64_t)st.st_size;
}

/* With an aligned dataset the file cannot be shorter; without, HDF5 needs 2 KiB for
 * metadata. */
static void test_align(void)
{
    char path[TAP_PATH];
    struct io_file *f = opened("hdf5:align=64K", tap_path(path, "file"),
                               IO_CREATE | IO_READ | IO_WRITE);
    int rc = write_rows(f, N);

    io_file_close(&f);
    tap_ok(rc == 0 && bytes_of(path) >= (64 << 10) + 8 * N, "align=64K is heeded");
    MPI_Barrier(MPI_COMM_WORLD);
    io_file_remove(MPI_COMM_WORLD, path);
}

/* ---- refusals -------------------------------------------------------------- */

static void refused(const char *path, const struct io_shape *s, int64_t bytes,
                    int flags, const char *why)
{
    struct io_open o = opening("hdf5", path, flags);
    struct io_file *f;

    o.shape = s;
    o.bytes = bytes;
    err_clear();
    int rc = io_file_open(&f, &o);
    tap_ok(rc < 0 && !f && strstr(err_get()->text, why), "refused: %s",
           err_get()->text);
    io_file_close(&f);
}

static void test_other_shapes(void)
{
    char path[TAP_PATH];
    struct io_shape other = shape;
    struct io_file *f = opened("hdf5", tap_path(path, "file"), IO_CREATE | IO_WRITE);

    tap_ok(f && io_file_close(&f) == 0, "a file to open in other ways");
    other.dims[1] = B + 1;
    refused(path, &other, 0, IO_READ, "is not one of 3 x 6 x 7 doubles");
    other = shape;
    other.element_bytes = 1;
    refused(path, &other, 0, IO_READ, "is not one of 3 x 5 x 7 bytes");
    other = shape;
    other.ndims = 2;
    refused(path, &other, 0, IO_READ, "is not one of 3 x 5 doubles");
    other = shape;
    other.name = "gauss";
    refused(path, &other, 0, IO_READ, "opening the dataset failed");
    refused(path, NULL, N, IO_READ, "opening the dataset failed");
    MPI_Barrier(MPI_COMM_WORLD);
    io_file_remove(MPI_COMM_WORLD, path);
    refused(tap_path(path, "none"), NULL, 0, IO_CREATE | IO_WRITE,
            "size of the file is not known");
    tap_ok(access(path, F_OK) != 0, "a file that was refused is not there");
}

static void test_no_hdf5(void)
{
    char path[TAP_PATH];
    FILE *out = rank ? NULL : fopen(tap_path(path, "text"), "w");

    if (out) {
        fprintf(out, "%4000d", 1);
        fclose(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    refused(tap_path(path, "text"), &shape, 0, IO_READ, "opening failed");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        unlink(path);
}

static bool fails(struct io_file *f, enum io_op op, int64_t offset, int64_t bytes,
                  int code, const char *why)
{
    double buf[N] = {0};
    struct io_req r = {.op = op, .buf = buf, .offset = offset, .bytes = bytes};

    err_clear();
    bool good = io_file_transfer(f, &r) == code && r.done == 0 &&
                strstr(err_get()->text, why) && err_get()->offset == offset;
    if (!good)
        tap_diag("%lld bytes at %lld: %d: %s", (long long)bytes, (long long)offset,
                 r.rc, err_get()->text);
    return good;
}

static void test_bad_requests(int flags)
{
    char path[TAP_PATH];
    struct io_file *f =
        opened("hdf5", tap_path(path, "file"), IO_CREATE | IO_READ | IO_WRITE | flags);

    tap_ok(f && fails(f, IO_OP_WRITE, 4, 8, -EINVAL, "doubles") &&
               fails(f, IO_OP_READ, 8, 12, -EINVAL, "doubles"),
           "half of an element is refused");
    tap_ok(f && fails(f, IO_OP_READ, 8 * N, 8, -EIO, "the file ends here") &&
               fails(f, IO_OP_READ, 8 * N - 8, 16, -EIO, "the file ends here"),
           "reading beyond the end fails");
    tap_ok(f && fails(f, IO_OP_WRITE, 8 * N - 8, 16, -EFBIG, "cannot grow"),
           "writing beyond the end fails");
    tap_ok(f && write_rows(f, 4) == 0 && reads_back(f, N), "all is well after it");
    io_file_close(&f);
    io_file_remove(MPI_COMM_WORLD, path);
}

/* ---- failures below ------------------------------------------------------ */

/* One rank's collective write fails: the others do not wait for it, and its later
 * writes go to their places. */
static void test_failed_collective(int who)
{
    char path[TAP_PATH];
    double buf[N] = {0};
    struct io_file *f = opened("hdf5", tap_path(path, "file"),
                               IO_CREATE | IO_READ | IO_WRITE | IO_COLLECTIVE);

    break_next = rank == who;
    err_clear();
    int rc = move(f, IO_OP_WRITE, buf, rank, 1);
    tap_ok((rank == who) == (rc < 0) &&
               (!rc || strstr(err_get()->text, "write_at_all")),
           "a collective write fails on rank %d and on no other", who);
    tap_ok(write_rows(f, 5) == 0 && reads_back(f, N),
           "rank %d: later writes go where they belong", who);
    tap_ok(io_file_close(&f) == 0, "rank %d: closed", who);
    f = opened("hdf5", path, IO_READ);
    tap_ok(f && reads_back(f, N), "rank %d: the file is whole", who);
    io_file_close(&f);
    io_file_remove(MPI_COMM_WORLD, path);
}

/* A disk that is full from the beginning is refused, and MPI ends properly. */
static void test_full_from_the_start(void)
{
    char dir[TAP_PATH], path[TAP_PATH + 64], block[4096] = "";
    int failed =
        !rank && (!getenv("LEADLINE_MOUNTS") || mkdir(tap_path(dir, "full"), 0700) ||
                  mount("none", dir, "tmpfs", 0, "size=64k"));

    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (failed) {
        tap_skip("a full file system: mounting a small one is not allowed here");
        return;
    }
    snprintf(path, sizeof path, "%s/ballast", tap_path(dir, "full"));
    FILE *ballast = rank ? NULL : fopen(path, "w");
    while (ballast && fwrite(block, sizeof block, 1, ballast) == 1)
        ;
    if (ballast)
        fclose(ballast);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/file", dir);
    refused(path, &shape, 0, IO_CREATE | IO_WRITE, "No space left");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank && (umount(dir) || rmdir(dir)))
        tap_diag("%s: %s", dir, strerror(errno));
}

static void leave_file(const char *spec, const char *path)
{
    struct io_file *f = opened(spec, path, IO_CREATE | IO_WRITE);
    int rc = write_rows(f, 11);

    tap_ok(f && rc == 0 && io_file_close(&f) == 0, "%s: written", path);
    io_file_keep(MPI_COMM_WORLD, path);
}

int main(int argc, char **argv)
{
    const char *reason;
    int built = 0;

    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; io_engine_name(i, &reason); i++)
        built = built || (!strcmp(io_engine_name(i, NULL), "hdf5") && !reason[0]);
    if (!built)
        tap_skip("the engine hdf5 is not built");
    else if (argc == 3)
        leave_file(argv[1], argv[2]);
    else {
        test_rows("hdf5", 0);
        test_rows("hdf5", IO_COLLECTIVE);
        test_rows("hdf5:piece=20", 0);
        test_rows("hdf5:piece=100", IO_COLLECTIVE);
        test_rows("hdf5:chunk=100", 0);
        test_rows("hdf5:chunk=100", IO_COLLECTIVE);
        test_rows("hdf5:chunk=1,piece=1", 0);
        test_rows("hdf5:chunk=1T,align=4K", 0);
        test_align();
        test_other_shapes();
        test_no_hdf5();
        test_bad_requests(0);
        test_bad_requests(IO_COLLECTIVE);
        test_failed_collective(0);
        test_failed_collective(size - 1);
        test_full_from_the_start();
    }
    return tap_end();
}
