/* The shared part of the engines over MPI-IO.
 *
 * Libraries differ in how they report failures: OMPIO returns MPI_SUCCESS with a short
 * count if a write failed, and ROMIO's count means nothing on an error. So both the
 * code and the count are checked. */
#include "io/engines/mpiio.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "base/units.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 30) /* counts are int, and libraries fail near 2^31 */

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

int mpiio_fail(const struct io_file *f, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    return err_set(-errno_of(code), f->path, -1, "%s failed: %s", what,
                   reason(code, text));
}

/* The I/O layer in use. Open MPI has two and reports neither. It loads the parts of
 * OMPIO (fcoll, fbtl) when a file is first opened with it. */
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

const char *mpiio_layer(void)
{
    return is_open_mpi() ? layer_of_open_mpi() : "ROMIO";
}

MPI_Info mpiio_info(const struct io_file *f)
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
    f->hints_in_effect = mem_of(f->path, n + 1, sizeof *f->hints_in_effect, "hints");
    if (!f->hints_in_effect)
        return -ENOMEM;
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

int mpiio_note_hints(struct io_file *f, MPI_File fh)
{
    MPI_Info used;
    if (MPI_File_get_info(fh, &used) != MPI_SUCCESS)
        return 0; /* if they are not known, go on */
    int rc = keep_hints(f, used);
    MPI_Info_free(&used);
    return rc;
}

/* Tests the open before the library does: OMPIO never returns from MPI_File_open if it
 * fails on some ranks only (a node without the mount). */
static int can_open(const struct io_file *f)
{
    int fd = io_descriptor_open(f);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

void mpiio_guard(const struct io_file *f, char path[MPIIO_SEMAPHORE])
{
    const char *slash = strrchr(f->path, '/');
    int n = snprintf(path, MPIIO_SEMAPHORE, "/dev/shm/sem.OMPIO_%s",
                     slash ? slash + 1 : f->path);
    if (!is_open_mpi() || n >= MPIIO_SEMAPHORE || scratch_add(path))
        path[0] = 0;
}

static int mpiio_open_all(struct io_file *f, MPI_File *fh)
{
    int mode = f->flags & IO_WRITE
                   ? f->flags & IO_READ ? MPI_MODE_RDWR : MPI_MODE_WRONLY
                   : MPI_MODE_RDONLY;
    MPI_Info info = mpiio_info(f);
    int code = MPI_File_open(f->comm, f->mpi_path, mode, info, fh);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return code == MPI_SUCCESS ? 0 : mpiio_fail(f, "opening", code);
}

static int agree_on_pieces(struct io_file *f, struct mpiio *p)
{
    int64_t largest = f->max_request, asked = io_option(f->options, "piece", PIECE);
    MPI_Allreduce(&f->max_request, &largest, 1, MPI_INT64_T, MPI_MAX, f->comm);
    if (largest <= 0)
        return err_set(-EINVAL, f->path, -1, "no request size given");
    p->piece = asked < PIECE ? asked : PIECE;
    int64_t n = (largest - 1) / p->piece + 1;
    if (n > INT_MAX / f->depth)
        return err_set(-EINVAL, f->path, -1,
                       "pieces of %lld bytes are too many for %d request%s of %lld",
                       (long long)p->piece, f->depth, units_s(f->depth),
                       (long long)largest);
    p->pieces = (int)n;
    return 0;
}

void mpiio_abandon(struct io_file *f)
{
    struct mpiio *p = f->priv;
    if (p->semaphore[0])
        scratch_remove(p->semaphore);
    free(p);
}

int mpiio_close(struct io_file *f)
{
    struct mpiio *p = f->priv;
    int code = MPI_File_close(&p->fh);
    if (p->semaphore[0])
        scratch_forget(p->semaphore);
    free(p);
    return code == MPI_SUCCESS ? 0 : mpiio_fail(f, "closing", code);
}

/* Prepares the open file; ranks agree on the result. */
static int get_ready(struct io_file *f)
{
    struct mpiio *p = f->priv;
    f->layer = mpiio_layer();
    int rc = scratch_check(f->path, NULL); /* the library opened an existing file */
    rc = err_agree(f->comm, rc ? rc : mpiio_note_hints(f, p->fh));
    return rc ? rc : agree_on_pieces(f, p);
}

int mpiio_open(struct io_file *f, size_t bytes)
{
    struct mpiio *p = mem_of(f->path, 1, bytes, "an open file");
    int rc = p ? can_open(f) : -ENOMEM;
    rc = err_agree(f->comm, rc);
    if (rc) {
        free(p);
        return rc;
    }
    f->priv = p;
    mpiio_guard(f, p->semaphore);
    if (p->semaphore[0] && !access(p->semaphore, F_OK))
        watchdog_arm(f->timeout_s,
                     "opening (which a /dev/shm/sem.OMPIO_* that a killed run left "
                     "may block)",
                     f->path, -1);
    rc = err_agree(f->comm, mpiio_open_all(f, &p->fh));
    if (rc) {
        mpiio_abandon(f);
        return rc;
    }
    rc = get_ready(f);
    if (rc)
        mpiio_close(f);
    return rc;
}

static int sync_all(struct io_file *f)
{
    int code = MPI_File_sync(((struct mpiio *)f->priv)->fh);
    return code == MPI_SUCCESS ? 0 : mpiio_fail(f, "MPI_File_sync", code);
}

static bool sync_waits(const struct io_file *f)
{
    return strcmp(f->layer, "ROMIO") != 0;
}

int mpiio_sync(struct io_file *f)
{
    return sync_waits(f) ? 0 : sync_all(f);
}

int mpiio_meet(struct io_file *f)
{
    return sync_waits(f) ? sync_all(f) : 0;
}

bool mpiio_is_romio_of_open_mpi(const struct io_file *f)
{
    return is_open_mpi() && strcmp(f->layer, "OMPIO") != 0;
}

int mpiio_size(struct io_file *f, int64_t *bytes)
{
    MPI_Offset size = 0;
    int code = MPI_File_get_size(((struct mpiio *)f->priv)->fh, &size);
    *bytes = size;
    return code == MPI_SUCCESS ? 0 : mpiio_fail(f, "asking for the size", code);
}

/* ---- transfers -------------------------------------------------------------- */

int mpiio_piece(const struct mpiio *p, const struct io_req *r, int k)
{
    int64_t left = r->rc ? 0 : r->bytes - k * p->piece;
    return (int)(left < 0 ? 0 : left < p->piece ? left : p->piece);
}

int mpiio_readable(struct mpiio *p, int64_t offset, int n)
{
    MPI_Offset size;
    if (offset + n > p->size && MPI_File_get_size(p->fh, &size) == MPI_SUCCESS)
        p->size = size;
    int64_t there = p->size - offset;
    return there >= n ? n : there > 0 ? (int)there : 0;
}

int mpiio_moved(struct mpiio *p, enum io_op op, int64_t offset, int n,
                const MPI_Status *s)
{
    int moved = 0;
    if (!n)
        return 0; /* the status is undefined then */
    MPI_Get_count(s, MPI_BYTE, &moved);
    if (moved == n && op == IO_OP_READ)
        moved = mpiio_readable(p, offset, n);
    return moved > 0 ? moved : 0;
}

/* Reports the likeliest reason for a short count with MPI_SUCCESS. */
static int fail_short(struct io_req *r)
{
    struct statvfs v;
    if (r->op == IO_OP_READ)
        return io_req_fail(r, -EIO, "the file ends here");
    if (!statvfs(r->file->path, &v) &&
        (double)v.f_bavail * (double)v.f_frsize < (double)(r->bytes - r->done))
        return io_req_fail(r, -ENOSPC,
                           "no space left on device (the MPI library "
                           "reported success and a short count)");
    return io_req_fail(r, -EIO, "the MPI library reported success and a short count");
}

/* True if the request exceeds the file-size limit, which the libraries do
 * not report. */
static bool is_beyond_limit(const struct io_req *r)
{
    struct rlimit limit;
    return r->op == IO_OP_WRITE && !getrlimit(RLIMIT_FSIZE, &limit) &&
           limit.rlim_cur != RLIM_INFINITY &&
           (rlim_t)(r->offset + r->bytes) > limit.rlim_cur;
}

int mpiio_req_fail(struct io_req *r, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    if (is_beyond_limit(r))
        return io_req_fail(r, -EFBIG, strerror(EFBIG));
    if (code == MPI_SUCCESS)
        return fail_short(r);
    return io_req_fail(r, -errno_of(code), reason(code, text));
}
