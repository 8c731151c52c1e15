/* hdf5: one dataset in a file of parallel HDF5, through MPI-IO; synchronous.
 *
 * The dataset is the array of f->shape, with doubles or bytes of this machine; without
 * a shape it is "data", with as many bytes as the file will have. It has its full size
 * from the beginning, as single ranks cannot extend it; it is not prefilled. Its
 * attribute "dimensions" names the indices, the file's attribute "creator" the program.
 * A request is a row of its elements: see slabs_of.
 *
 * Options: piece=N, the largest number of bytes in one call; align=N, objects in the
 * file begin at multiples of N bytes; chunk=N, the dataset is stored in chunks of at
 * most N bytes: whole in as many of the innermost dimensions as fit, a part of the next
 * one, and one index of the others (default: contiguous). */
#include "base/err.h"
#include "base/mem.h"
#include "base/program.h"
#include "base/scratch.h"
#include "io/engines/mpiio.h"
#include "io/engines/pieces.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 30) /* counts in MPI-IO are int, as in mpiio.c */
#define DESCRIPTION 65536        /* more than HDF5 adds to the bytes of one dataset */

enum { TEXT = 600 };

struct hdf5_file {
    hid_t file, dataset;
    hid_t space, memory; /* selections of a call, in the dataset and in a buffer */
    hid_t transfer;      /* independent or collective */
    int ndims, element_bytes;
    int64_t dims[IO_SHAPE_DIMS];
    int64_t elements, piece; /* piece: elements in a call */
    int64_t pieces;          /* calls per request: the same on all ranks */
    char layer[64];
    char semaphore[MPIIO_SEMAPHORE];
};

/* ---- errors ------------------------------------------------------------------ */

/* Called by H5Ewalk2 from the origin of the error upwards: the first tells most. */
static herr_t note_cause(unsigned n, const H5E_error2_t *e, void *text)
{
    if (n == 0)
        snprintf(text, TEXT, "%s", e->desc);
    return 0;
}

/* Formats HDF5's reason for the call that has just failed, on one line. */
static const char *cause(char text[TEXT])
{
    snprintf(text, TEXT, "HDF5 gives no reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_cause, text);
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = p[1] ? ';' : 0;
    return text;
}

/* The errno of a failure. HDF5 does not pass it on, but ROMIO's message contains the
 * system's text. */
static int errno_of(const char *text)
{
    static const int known[] = {ENOSPC, EDQUOT, EACCES, EPERM, EROFS, ENOENT, ENOMEM};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, strerror(known[i])))
            return known[i];
    return EIO;
}

static int hdf5_fail(const struct io_file *f, const char *what)
{
    char text[TEXT];
    int code = errno_of(cause(text));
    return err_set(-code, f->path, -1, "HDF5: %s failed: %s", what, text);
}

/* ---- content of the file ------------------------------------------------------ */

static hid_t type_of(const struct hdf5_file *p)
{
    return p->element_bytes == 1 ? H5T_NATIVE_UCHAR : H5T_NATIVE_DOUBLE;
}

static int take_shape(const struct io_file *f, struct hdf5_file *p,
                      const struct io_shape *s)
{
    p->ndims = s->ndims;
    p->element_bytes = s->element_bytes;
    p->elements = 1;
    for (int d = 0; d < s->ndims; d++) {
        p->dims[d] = s->dims[d];
        if (s->dims[d] < 1 ||
            __builtin_mul_overflow(p->elements, s->dims[d], &p->elements))
            return err_set(-EINVAL, f->path, -1,
                           "the size of the file is not known: HDF5 has to know it, as "
                           "ranks cannot make a dataset grow by themselves");
    }
    return 0;
}

static int add_text(const struct io_file *f, hid_t to, const char *name,
                    const char *text)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    hid_t a = -1;
    int rc = H5Tset_size(type, strlen(text) + 1) < 0 ||
             (a = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
             H5Awrite(a, type, text) < 0;
    rc = rc ? hdf5_fail(f, "adding an attribute") : 0;
    H5Aclose(a);
    H5Tclose(type);
    H5Sclose(space);
    return rc;
}

/* Sets chunks of at most `bytes`, as the comment at the top says. */
static herr_t set_chunks(const struct hdf5_file *p, hid_t how, int64_t bytes)
{
    hsize_t chunk[IO_SHAPE_DIMS];
    int64_t left = bytes / p->element_bytes;
    for (int d = p->ndims - 1; d >= 0; d--) {
        int64_t n = left < 1 ? 1 : left < p->dims[d] ? left : p->dims[d];
        chunk[d] = (hsize_t)n;
        left /= p->dims[d];
    }
    return H5Pset_chunk(how, p->ndims, chunk);
}

static int create_dataset(struct io_file *f, struct hdf5_file *p,
                          const struct io_shape *s)
{
    char creator[128];
    int64_t chunk = io_option(f->options, "chunk", 0);
    snprintf(creator, sizeof creator, "leadline %s", leadline_version);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    int rc = how < 0 || H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) < 0 ||
             H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) < 0 ||
             (chunk && set_chunks(p, how, chunk) < 0);
    if (!rc)
        p->dataset = H5Dcreate2(p->file, s->name, type_of(p), p->space, H5P_DEFAULT,
                                how, H5P_DEFAULT);
    rc = rc || p->dataset < 0 ? hdf5_fail(f, "creating the dataset") : 0;
    H5Pclose(how);
    if (!rc)
        rc = add_text(f, p->dataset, "dimensions", s->dim_names);
    return rc ? rc : add_text(f, p->file, "creator", creator);
}

/* True if the dataset is an array of these elements and dimensions. */
static bool hdf5_fits(const struct hdf5_file *p)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t space = H5Dget_space(p->dataset), type = H5Dget_type(p->dataset);
    bool same = H5Sget_simple_extent_dims(space, dims, NULL) == p->ndims &&
                H5Tequal(type, type_of(p)) > 0;
    for (int d = 0; same && d < p->ndims; d++)
        same = dims[d] == (hsize_t)p->dims[d];
    H5Tclose(type);
    H5Sclose(space);
    return same;
}

static int open_dataset(struct io_file *f, struct hdf5_file *p,
                        const struct io_shape *s)
{
    char text[128] = "";
    p->dataset = H5Dopen2(p->file, s->name, H5P_DEFAULT);
    if (p->dataset < 0)
        return hdf5_fail(f, "opening the dataset");
    if (hdf5_fits(p))
        return 0;
    for (int d = 0, n = 0; d < p->ndims; d++)
        n += snprintf(text + n, sizeof text - (size_t)n, d ? " x %lld" : "%lld",
                      (long long)p->dims[d]);
    return err_set(-EINVAL, f->path, -1, "dataset \"%s\" is not one of %s %s", s->name,
                   text, p->element_bytes == 1 ? "bytes" : "doubles");
}

/* ---- opening ------------------------------------------------------------------- */

/* Checks that there is a block for the dataset's metadata, and that a file may be as
 * long as this one (ulimit -f, the file system). If HDF5 1.10 cannot write the metadata
 * or set the length, a later close fails, and MPI_Finalize then crashes. */
static int has_space(const struct io_file *f, int fd)
{
    static const char block[4096] = {1};
    int64_t length = f->bytes + DESCRIPTION + io_option(f->options, "align", 1);
    int long_code = ftruncate(fd, length) ? errno : 0;
    ssize_t n = pwrite(fd, block, sizeof block, 0);
    int code = n < 0 ? errno : n < (ssize_t)sizeof block ? ENOSPC : 0;
    if (ftruncate(fd, 0) && !code)
        code = errno;
    if (code)
        return err_set(-code, f->path, -1, "nothing can be written to the file: %s",
                       strerror(code));
    return long_code ? err_set(-long_code, f->path, -1,
                               "a file of %lld bytes cannot be made here: %s",
                               (long long)length, strerror(long_code))
                     : 0;
}

/* Tests the open before the library does, as in mpiio.c. */
static int can_open(const struct io_file *f)
{
    int fd = io_descriptor_open(f);
    if (fd < 0)
        return fd;
    int rc = (f->flags & IO_CREATE) && f->rank == 0 ? has_space(f, fd) : 0;
    close(fd);
    return rc;
}

static int hdf5_open_file(const struct io_file *f, struct hdf5_file *p)
{
    hsize_t align = (hsize_t)io_option(f->options, "align", 1);
    MPI_Info info = mpiio_info(f);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    int rc = H5Pset_fapl_mpio(how, f->comm, info) < 0 ||
             H5Pset_fclose_degree(how, H5F_CLOSE_STRONG) < 0 ||
             H5Pset_alignment(how, 1, align) < 0;
    if (!rc && (f->flags & IO_CREATE))
        p->file = H5Fcreate(f->mpi_path, H5F_ACC_TRUNC, H5P_DEFAULT, how);
    else if (!rc)
        p->file = H5Fopen(f->mpi_path,
                          f->flags & IO_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY, how);
    rc = p->file > 0 ? scratch_check(f->path, NULL) : hdf5_fail(f, "opening");
    H5Pclose(how);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return rc;
}

static int close_one(const struct io_file *f, hid_t id, herr_t (*close_it)(hid_t))
{
    return id > 0 && close_it(id) < 0 ? hdf5_fail(f, "closing") : 0;
}

static int hdf5_close(struct io_file *f)
{
    struct hdf5_file *p = f->priv;
    int rc = close_one(f, p->transfer, H5Pclose);
    rc = close_one(f, p->memory, H5Sclose) || rc;
    rc = close_one(f, p->space, H5Sclose) || rc;
    rc = close_one(f, p->dataset, H5Dclose) || rc;
    rc = close_one(f, p->file, H5Fclose) || rc;
    if (p->semaphore[0])
        scratch_forget(p->semaphore);
    free(p);
    return rc ? err_get()->code : 0;
}

static bool file_below(const struct hdf5_file *p, MPI_File *fh)
{
    void *at;
    bool known = H5Fget_vfd_handle(p->file, H5P_DEFAULT, &at) >= 0;
    if (known)
        *fh = *(MPI_File *)at;
    return known;
}

static void name_layer(struct io_file *f, struct hdf5_file *p)
{
    unsigned a = 0, b = 0, c = 0;
    H5get_libversion(&a, &b, &c);
    snprintf(p->layer, sizeof p->layer, "HDF5 %u.%u.%u over %s", a, b, c,
             mpiio_layer());
    f->layer = p->layer;
}

static int agree_on_pieces(const struct io_file *f, struct hdf5_file *p)
{
    int64_t largest = f->max_request, bytes;
    MPI_Allreduce(&f->max_request, &largest, 1, MPI_INT64_T, MPI_MAX, f->comm);
    p->piece = io_option(f->options, "piece", PIECE) / p->element_bytes;
    if (p->piece < 1)
        p->piece = 1;
    bytes = p->piece * p->element_bytes;
    p->pieces = (largest + bytes - 1) / bytes;
    return p->pieces > 0 ? 0 : err_set(-EINVAL, f->path, -1, "no request size given");
}

/* Prepares the rank's own objects for transfers. */
static int hdf5_prepare(struct io_file *f, struct hdf5_file *p)
{
    MPI_File fh;
    hsize_t n = (hsize_t)p->piece;
    p->memory = H5Screate_simple(1, &n, NULL);
    p->transfer = H5Pcreate(H5P_DATASET_XFER);
    if (p->memory < 0 || H5Pset_dxpl_mpio(p->transfer, f->flags & IO_COLLECTIVE
                                                           ? H5FD_MPIO_COLLECTIVE
                                                           : H5FD_MPIO_INDEPENDENT) < 0)
        return hdf5_fail(f, "preparing transfers");
    name_layer(f, p);
    return file_below(p, &fh) ? mpiio_note_hints(f, fh) : 0;
}

static int make_space(const struct io_file *f, struct hdf5_file *p)
{
    hsize_t dims[IO_SHAPE_DIMS];
    for (int d = 0; d < p->ndims; d++)
        dims[d] = (hsize_t)p->dims[d];
    p->space = H5Screate_simple(p->ndims, dims, NULL);
    return p->space > 0 ? 0 : hdf5_fail(f, "making a dataspace");
}

/* Opens in steps that ranks agree on, as the next step is collective. Metadata are
 * written at once: later there may be no space for them, and if a close fails on some
 * ranks the others wait forever. */
static int open_steps(struct io_file *f, struct hdf5_file *p, const struct io_shape *s)
{
    int rc = take_shape(f, p, s);
    if (!rc)
        rc = can_open(f);
    if (!rc)
        rc = make_space(f, p);
    if ((rc = err_agree(f->comm, rc)))
        return rc;
    mpiio_guard(f, p->semaphore);
    if ((rc = err_agree(f->comm, hdf5_open_file(f, p))))
        return rc;
    rc = f->flags & IO_CREATE ? create_dataset(f, p, s) : open_dataset(f, p, s);
    if ((rc = err_agree(f->comm, rc)))
        return rc;
    if ((f->flags & IO_CREATE) && H5Fflush(p->file, H5F_SCOPE_LOCAL) < 0)
        rc = hdf5_fail(f, "writing what describes the dataset");
    if ((rc = err_agree(f->comm, rc)))
        return rc;
    rc = agree_on_pieces(f, p);
    return err_agree(f->comm, rc ? rc : hdf5_prepare(f, p));
}

static int hdf5_open(struct io_file *f)
{
    struct io_shape bytes = {
        .name = "data", .element_bytes = 1, .ndims = 1, .dim_names = "byte"};
    struct hdf5_file *p = mem_of(f->path, 1, sizeof *p, "an open file");
    bytes.dims[0] = f->bytes;
    H5dont_atexit(); /* MPI will have ended by then */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int rc = p ? 0 : -ENOMEM;
    if ((rc = err_agree(f->comm, rc))) {
        free(p);
        return rc;
    }
    f->priv = p;
    rc = open_steps(f, p, f->shape ? f->shape : &bytes);
    if (!rc)
        return 0;
    if (p->semaphore[0])
        scratch_remove(p->semaphore);
    hdf5_close(f);
    return rc;
}

/* ---- transfers ------------------------------------------------------------------ */

static herr_t choose_slabs(const struct hdf5_file *p, int64_t at, int64_t n)
{
    struct slab s[SLABS_MOST];
    int slabs = slabs_of(p->ndims, p->dims, at, n, s);
    herr_t rc = H5Sselect_none(p->space);
    for (int i = 0; i < slabs && rc >= 0; i++) {
        hsize_t start[IO_SHAPE_DIMS], count[IO_SHAPE_DIMS];
        for (int d = 0; d < p->ndims; d++) {
            start[d] = (hsize_t)s[i].start[d];
            count[d] = (hsize_t)s[i].count[d];
        }
        rc = H5Sselect_hyperslab(p->space, i ? H5S_SELECT_OR : H5S_SELECT_SET, start,
                                 NULL, count, NULL);
    }
    return rc;
}

/* Selects n elements of the dataset and of a buffer. */
static herr_t hdf5_choose(const struct hdf5_file *p, int64_t at, int64_t n)
{
    hsize_t from = 0, count = (hsize_t)n;
    herr_t rc = choose_slabs(p, at, n);
    if (rc >= 0 && !n)
        rc = H5Sselect_none(p->memory);
    else if (rc >= 0)
        rc = H5Sselect_hyperslab(p->memory, H5S_SELECT_SET, &from, NULL, &count, NULL);
    return rc;
}

/* Restores the file's view. HDF5 1.10 returns from a collective transfer that failed in
 * MPI-IO before it has done so. Setting the view is collective, so the others wait for
 * it; and the rank's next write would go elsewhere in the file. */
static void restore_view(const struct hdf5_file *p)
{
    MPI_File fh;
    MPI_Offset at = 0;
    MPI_Datatype element, type;
    char as[MPI_MAX_DATAREP_STRING + 1];
    int n, kind = MPI_COMBINER_NAMED;
    if (!file_below(p, &fh) || MPI_File_get_view(fh, &at, &element, &type, as))
        return;
    MPI_Type_get_envelope(type, &n, &n, &n, &kind);
    if (kind != MPI_COMBINER_NAMED)
        MPI_Type_free(&type);
    if (at > 0)
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

static int fail_transfer(struct io_req *r)
{
    char text[TEXT];
    int code = errno_of(cause(text));
    return r->rc ? r->rc : io_req_fail(r, -code, text);
}

/* Transfers the piece of a request from element `at` on. A failed collective request
 * still makes its remaining calls, with no elements. */
static void hdf5_move(struct io_req *r, int64_t at)
{
    const struct io_file *f = r->file;
    const struct hdf5_file *p = f->priv;
    int64_t left = r->rc ? 0 : r->bytes / p->element_bytes - at;
    int64_t n = left < 0 ? 0 : left < p->piece ? left : p->piece;
    char *buf = n ? (char *)r->buf + at * p->element_bytes : NULL;
    if (!n && !(f->flags & IO_COLLECTIVE))
        return;
    if (hdf5_choose(p, r->offset / p->element_bytes + at, n) < 0) {
        fail_transfer(r);
        hdf5_choose(p, 0, 0);
    }
    herr_t rc =
        r->op == IO_OP_READ
            ? H5Dread(p->dataset, type_of(p), p->memory, p->space, p->transfer, buf)
            : H5Dwrite(p->dataset, type_of(p), p->memory, p->space, p->transfer, buf);
    if (rc >= 0)
        r->done += n * p->element_bytes;
    else
        fail_transfer(r);
    if (rc < 0 && (f->flags & IO_COLLECTIVE))
        restore_view(p);
}

static void hdf5_check(struct io_req *r)
{
    const struct hdf5_file *p = r->file->priv;
    if (r->offset % p->element_bytes || r->bytes % p->element_bytes)
        io_req_fail(r, -EINVAL,
                    "the dataset is of doubles, and this is no number "
                    "of them");
    else if (r->bytes && r->offset + r->bytes > p->elements * p->element_bytes)
        io_req_fail(r, r->op == IO_OP_READ ? -EIO : -EFBIG,
                    r->op == IO_OP_READ ? "the file ends here"
                                        : "the dataset ends here and cannot grow");
}

static int hdf5_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++) {
        const struct hdf5_file *p = r[i]->file->priv;
        if (!r[i]->rc)
            hdf5_check(r[i]);
        for (int64_t k = 0; k < p->pieces; k++)
            hdf5_move(r[i], k * p->piece);
    }
    return 0;
}

/* Syncs by H5Fflush, which waits for all ranks, writes metadata, and ends
 * with MPI_File_sync. */
static int hdf5_sync(struct io_file *f)
{
    const struct hdf5_file *p = f->priv;
    return H5Fflush(p->file, H5F_SCOPE_LOCAL) < 0 ? hdf5_fail(f, "H5Fflush") : 0;
}

static int hdf5_size(struct io_file *f, int64_t *bytes)
{
    const struct hdf5_file *p = f->priv;
    *bytes = p->elements * p->element_bytes;
    return 0;
}

const struct io_engine io_engine_hdf5 = {
    .name = "hdf5",
    .options = "piece|align|chunk",
    .can = IO_CAN_COLLECTIVE | IO_CAN_HINTS | IO_CALLS_MPI | IO_OWN_FORMAT,
    .open = hdf5_open,
    .start = hdf5_start,
    .meet = hdf5_sync,
    .close = hdf5_close,
    .size = hdf5_size,
};
