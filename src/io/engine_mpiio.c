/* mpiio: MPI_File_read_at and write_at, or their collective forms, synchronous.
 *
 * What the libraries do behind their interface decides how results are checked:
 * OMPIO returns MPI_SUCCESS with a short count where a write failed, ROMIO's count
 * means nothing on an error. So both the code and the count are looked at.
 * Option: piece=N, the largest number of bytes in one call. */
#include "base/err.h"
#include "base/scratch.h"
#include "io/engine.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 30) /* counts are int, and libraries fail near 2^31 */

struct mpiio_file {
    MPI_File fh;
    int64_t piece;
    int64_t size;        /* of the file when last asked: it holds at least so much */
    char semaphore[300]; /* what OMPIO leaves behind if it is killed; "": nothing */
    int pieces; /* calls per request: the same on all ranks, for they are collective */
};

/* MPI's text for an error, on one line. */
static const char *reason(int code, char out[MPI_MAX_ERROR_STRING + 1])
{
    int n = 0;
    if (MPI_Error_string(code, out, &n) != MPI_SUCCESS)
        snprintf(out, MPI_MAX_ERROR_STRING, "MPI error %d", code);
    for (char *p = out; *p; p++)
        if (*p == '\n')
            *p = p[1] ? ';' : 0;
    return out;
}

/* The errno that comes nearest to an MPI error class. */
static int errno_of(int code)
{
    static const struct {
        int mpi, os;
    } table[] = {{MPI_ERR_NO_SPACE, ENOSPC},     {MPI_ERR_ACCESS, EACCES},
                 {MPI_ERR_NO_SUCH_FILE, ENOENT}, {MPI_ERR_FILE_EXISTS, EEXIST},
                 {MPI_ERR_QUOTA, EDQUOT},        {MPI_ERR_READ_ONLY, EROFS}};
    int class = 0;
    MPI_Error_class(code, &class);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].mpi == class)
            return table[i].os;
    return EIO;
}

static int fail(const struct io_file *f, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    return err_set(-errno_of(code), f->path, -1, "%s failed: %s", what,
                   reason(code, text));
}

/* Open MPI has two I/O layers and reports neither. It loads the parts of OMPIO
 * (fcoll, fbtl) when a file is first opened with it. */
static const char *layer_of_open_mpi(void)
{
    char line[1024];
    const char *layer = "ROMIO";
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return "MPI-IO";
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "mca_fcoll_") || strstr(line, "mca_fbtl_"))
            layer = "OMPIO";
    fclose(maps);
    return layer;
}

static bool is_open_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int n;
    MPI_Get_library_version(text, &n);
    return strstr(text, "Open MPI");
}

static const char *layer_name(void)
{
    return is_open_mpi() ? layer_of_open_mpi() : "ROMIO";
}

static MPI_Info info_of(const struct io_file *f)
{
    MPI_Info info = MPI_INFO_NULL;
    if (f->hint_count)
        MPI_Info_create(&info);
    for (int i = 0; i < f->hint_count; i++)
        MPI_Info_set(info, f->hints[i].key, f->hints[i].value);
    return info;
}

static int keep_hints(struct io_file *f, MPI_Info info)
{
    int n = 0, found, length;
    MPI_Info_get_nkeys(info, &n);
    f->hints_in_effect = calloc((size_t)n + 1, sizeof *f->hints_in_effect);
    if (!f->hints_in_effect)
        return err_set(-ENOMEM, f->path, -1, "no memory for %d hints", n);
    for (int i = 0; i < n; i++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &found);
        if (found)
            MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        struct io_hint *h = &f->hints_in_effect[f->hints_in_effect_count++];
        snprintf(h->key, sizeof h->key, "%s", key);
        snprintf(h->value, sizeof h->value, "%.*s", (int)sizeof h->value - 1, value);
    }
    return 0;
}

static int note_hints(struct io_file *f, MPI_File fh)
{
    MPI_Info used;
    if (MPI_File_get_info(fh, &used) != MPI_SUCCESS)
        return 0; /* not knowing them is no reason to stop */
    int rc = keep_hints(f, used);
    MPI_Info_free(&used);
    return rc;
}

static int agree_on_pieces(struct io_file *f, struct mpiio_file *p)
{
    int64_t largest = f->max_request;
    MPI_Allreduce(&f->max_request, &largest, 1, MPI_INT64_T, MPI_MAX, f->comm);
    p->piece = io_option(f, "piece", PIECE);
    p->pieces = (int)((largest + p->piece - 1) / p->piece);
    return p->pieces > 0 ? 0 : err_set(-EINVAL, f->path, -1, "no request size given");
}

/* Asked before the library is, for OMPIO never comes back from MPI_File_open where it
 * fails on some ranks only (a node without the mount). */
static int can_open(const struct io_file *f)
{
    int how = f->flags & IO_WRITE ? f->flags & IO_READ ? O_RDWR : O_WRONLY : O_RDONLY;
    int fd = open(f->path, how | O_CLOEXEC);
    if (fd < 0)
        return err_set(-errno, f->path, -1, "the file cannot be opened: %s",
                       strerror(errno));
    close(fd);
    return 0;
}

/* OMPIO guards its shared file pointer with a named semaphore, which a killed process
 * leaves behind; the next open of the same name would then hang on this node. To be
 * called before the open, which makes it; ROMIO has none, and that does no harm. */
static void guard_semaphore(const struct io_file *f, struct mpiio_file *p)
{
    const char *slash = strrchr(f->path, '/');
    int n = snprintf(p->semaphore, sizeof p->semaphore, "/dev/shm/sem.OMPIO_%s",
                     slash ? slash + 1 : f->path);
    if (!is_open_mpi() || n >= (int)sizeof p->semaphore || scratch_add(p->semaphore))
        p->semaphore[0] = 0;
}

static int open_all(struct io_file *f, MPI_File *fh)
{
    int mode = f->flags & IO_WRITE
                   ? f->flags & IO_READ ? MPI_MODE_RDWR : MPI_MODE_WRONLY
                   : MPI_MODE_RDONLY;
    MPI_Info info = info_of(f);
    int code = MPI_File_open(f->comm, f->path, mode, info, fh);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return code == MPI_SUCCESS ? 0 : fail(f, "opening", code);
}

static int mpiio_close(struct io_file *f)
{
    struct mpiio_file *p = f->priv;
    int code = MPI_File_close(&p->fh);
    if (p->semaphore[0])
        scratch_forget(p->semaphore);
    free(p);
    return code == MPI_SUCCESS ? 0 : fail(f, "closing", code);
}

static int mpiio_open(struct io_file *f)
{
    struct mpiio_file *p = calloc(1, sizeof *p);
    int rc =
        p ? can_open(f) : err_set(-ENOMEM, f->path, -1, "no memory to open a file");
    rc = err_agree(f->comm, rc);
    if (!rc) {
        guard_semaphore(f, p);
        rc = err_agree(f->comm, open_all(f, &p->fh));
        if (rc && p->semaphore[0])
            scratch_remove(p->semaphore);
    }
    if (rc) {
        free(p);
        return rc;
    }
    f->priv = p;
    f->layer = layer_name();
    rc = err_agree(f->comm, note_hints(f, p->fh));
    if (!rc)
        rc = agree_on_pieces(f, p);
    if (rc)
        mpiio_close(f);
    return rc;
}

static int call(const struct io_file *f, struct io_req *r, int64_t at, int n,
                MPI_Status *s)
{
    MPI_File fh = ((struct mpiio_file *)f->priv)->fh;
    MPI_Offset offset = r->offset + at;
    char *buf = n ? (char *)r->buf + at : NULL;
    bool together = f->flags & IO_COLLECTIVE;
    if (r->op == IO_OP_READ)
        return together ? MPI_File_read_at_all(fh, offset, buf, n, MPI_BYTE, s)
                        : MPI_File_read_at(fh, offset, buf, n, MPI_BYTE, s);
    return together ? MPI_File_write_at_all(fh, offset, buf, n, MPI_BYTE, s)
                    : MPI_File_write_at(fh, offset, buf, n, MPI_BYTE, s);
}

/* The library said "success" and moved less: say what is most likely. */
static int fail_short(struct io_file *f, struct io_req *r)
{
    struct statvfs v;
    if (r->op == IO_OP_READ)
        return io_req_fail(f, r, -EIO, "the file ends here");
    if (!statvfs(f->path, &v) &&
        (double)v.f_bavail * (double)v.f_frsize < (double)(r->bytes - r->done))
        return io_req_fail(f, r, -ENOSPC,
                           "no space left on device (the MPI library "
                           "reported success and a short count)");
    return io_req_fail(f, r, -EIO,
                       "the MPI library reported success and a short count");
}

/* How many of the n bytes at `offset`, which the library says it read, the file can
 * have given: OMPIO's collective reads past the end report success and a full
 * count. The size is asked for only where it matters. */
static int readable(struct mpiio_file *p, int64_t offset, int n)
{
    MPI_Offset size;
    if (offset + n > p->size && MPI_File_get_size(p->fh, &size) == MPI_SUCCESS)
        p->size = size;
    int64_t there = p->size - offset;
    return there >= n ? n : there > 0 ? (int)there : 0;
}

/* One piece of a request. A failed request still makes its remaining calls, with
 * nothing to move, where they are collective. */
static void move(struct io_file *f, struct io_req *r, int64_t at, int64_t piece)
{
    int64_t left = r->rc ? 0 : r->bytes - at;
    int n = (int)(left < 0 ? 0 : left < piece ? left : piece), moved = 0;
    MPI_Status s;
    char text[MPI_MAX_ERROR_STRING + 1];
    if (!n && !(f->flags & IO_COLLECTIVE))
        return;
    int code = call(f, r, at, n, &s);
    if (r->rc)
        return;
    if (code != MPI_SUCCESS) {
        io_req_fail(f, r, -errno_of(code), reason(code, text));
        return;
    }
    MPI_Get_count(&s, MPI_BYTE, &moved);
    if (n && moved == n && r->op == IO_OP_READ)
        moved = readable(f->priv, r->offset + at, n);
    if (n && moved > 0)
        r->done += moved;
    if (n && moved != n)
        fail_short(f, r);
}

static int mpiio_start(struct io_file *f, struct io_req *r[], int n)
{
    const struct mpiio_file *p = f->priv;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < p->pieces; k++)
            move(f, r[i], k * p->piece, p->piece);
    return 0;
}

static int mpiio_sync(struct io_file *f)
{
    int code = MPI_File_sync(((struct mpiio_file *)f->priv)->fh);
    return code == MPI_SUCCESS ? 0 : fail(f, "MPI_File_sync", code);
}

const struct io_engine io_engine_mpiio = {
    .name = "mpiio",
    .options = "piece",
    .can = IO_CAN_COLLECTIVE | IO_CAN_HINTS,
    .open = mpiio_open,
    .start = mpiio_start,
    .sync = mpiio_sync,
    .close = mpiio_close,
};
