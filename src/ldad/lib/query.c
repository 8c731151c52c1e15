/* Queries of an open file, and changes to it as a whole. */
#include "io/part/part_file.h"
#include "ldad/lib/file.h"
#include "ldad/lib/libldad.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- queries --------------------------------------------------------------------- */

int ldad_file_get_size(ldad_file fh, MPI_Offset *size)
{
    int code;
    int64_t bytes = 0;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = libldad_size(fh, &bytes);
    *size = bytes;
    return libldad_leave(fh, &before, rc);
}

int ldad_file_get_group(ldad_file fh, MPI_Group *group)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    return libldad_raise(fh, MPI_Comm_group(fh->comm, group));
}

int ldad_file_get_amode(ldad_file fh, int *amode)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    *amode = fh->amode;
    return MPI_SUCCESS;
}

int ldad_file_get_info(ldad_file fh, MPI_Info *info)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    return libldad_raise(fh, MPI_Info_dup(fh->info, info));
}

/* Accepts any info: no key can be changed while a file is open. */
int ldad_file_set_info(ldad_file fh, MPI_Info info)
{
    int code;
    (void)info;
    return libldad_is_open(fh, &code) ? MPI_SUCCESS : code;
}

int ldad_file_register_datarep(const char *datarep,
                               MPI_Datarep_conversion_function *read,
                               MPI_Datarep_conversion_function *write,
                               MPI_Datarep_extent_function *extent, void *extra)
{
    (void)read;
    (void)write;
    (void)extent;
    (void)extra;
    err_set(-EOPNOTSUPP, NULL, -1,
            "the data representation %s cannot be registered: files are native",
            datarep ? datarep : "NULL");
    return libldad_raise(NULL, MPI_ERR_UNSUPPORTED_OPERATION);
}

int ldad_file_fit(ldad_file fh, struct ldad_fit *fit)
{
    int code;
    *fit = (struct ldad_fit){0};
    if (!libldad_is_open(fh, &code))
        return code;
    if (!fh->io)
        return MPI_SUCCESS;
    struct io_partition stored = io_file_partition(fh->io);
    *fit = (struct ldad_fit){.parts = stored.parts,
                             .misfits = stored.misfits,
                             .misfit_bytes = stored.misfit_bytes};
    return MPI_SUCCESS;
}

/* ---- the size -------------------------------------------------------------------- */

/* Checks that the number is the same on all ranks, and not negative. */
static int check_same_size(ldad_file fh, MPI_Offset size)
{
    int64_t asked[2] = {size, -size};
    MPI_Allreduce(MPI_IN_PLACE, asked, 2, MPI_INT64_T, MPI_MAX, fh->comm);
    if (asked[0] != -asked[1])
        return err_set(-EBADSLT, fh->path, -1, "ranks ask for different sizes");
    if (size < 0)
        return err_set(-EINVAL, fh->path, size, "a size is not negative");
    if (fh->flags & IO_WRITE)
        return 0;
    return err_set(-EROFS, fh->path, -1, "the file is not open for writing");
}

static int no_size(ldad_file fh)
{
    return err_set(-EOPNOTSUPP, fh->path, -1,
                   "the size of such a file is not set: it follows from the plan");
}

/* Sets the size of an ordinary file, on rank 0. */
static int cut_plain(ldad_file fh, int64_t size)
{
    if (!truncate(fh->path, size))
        return 0;
    return err_set(-errno, fh->path, -1, "the size cannot be set: %s", strerror(errno));
}

static int set_size(ldad_file fh, MPI_Offset size)
{
    int rank, rc = check_same_size(fh, size);
    MPI_Comm_rank(fh->comm, &rank);
    if (rc)
        return rc;
    if (fh->unique)
        rc = unique_set_size(fh->unique, size);
    else if (fh->partitioned)
        rc = part_file_set_size(fh->io, size);
    else if (!fh->plain)
        rc = no_size(fh);
    else if (rank == 0)
        rc = cut_plain(fh, size);
    return err_agree(fh->comm, rc);
}

int ldad_file_set_size(ldad_file fh, MPI_Offset size)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = set_size(fh, size);
    fh->known = 0;
    return libldad_leave(fh, &before, rc);
}

/* Allocates space, on rank 0; existing bytes stay what they are. */
static int allocate_plain(ldad_file fh, int64_t size)
{
    int fd = open(fh->path, O_WRONLY | O_CLOEXEC), rc = 0;
    if (fd < 0)
        rc = errno;
    else if (size)
        rc = posix_fallocate(fd, 0, size);
    if (fd >= 0)
        close(fd);
    return rc ? err_set(-rc, fh->path, -1, "%lld bytes cannot be preallocated: %s",
                        (long long)size, strerror(rc))
              : 0;
}

static int preallocate(ldad_file fh, MPI_Offset size)
{
    int rank, rc = check_same_size(fh, size);
    MPI_Comm_rank(fh->comm, &rank);
    if (rc)
        return rc;
    if (fh->partitioned)
        rc = part_file_allocate(fh->io, size);
    else if (!fh->plain)
        rc = no_size(fh);
    else if (rank == 0)
        rc = allocate_plain(fh, size);
    return err_agree(fh->comm, rc);
}

int ldad_file_preallocate(ldad_file fh, MPI_Offset size)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = preallocate(fh, size);
    fh->known = 0;
    return libldad_leave(fh, &before, rc);
}

int ldad_file_sync(ldad_file fh)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = fh->unique ? unique_sync(fh->unique) : io_file_sync(fh->io);
    fh->known = 0;
    return libldad_leave(fh, &before, rc);
}

/* ---- for programs of the suite --------------------------------------------------- */

struct io_file *libldad_io(ldad_file fh)
{
    return fh->io;
}

bool libldad_collective(ldad_file fh)
{
    return fh->collective;
}
