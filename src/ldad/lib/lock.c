/* Locks that end with their owner: in atomic mode on the bytes of a transfer, and on
 * the shared file pointer, which is eight bytes in a hidden file beside the data. A
 * window of MPI's would need rank 0's help without shared memory, and collectives in
 * every open. */
#include "ldad/lib/file.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lock_range(int fd, short how, int64_t begin, int64_t end)
{
    struct flock l = {
        .l_type = how, .l_whence = SEEK_SET, .l_start = begin, .l_len = end - begin};
    int rc;
    while ((rc = fcntl(fd, F_OFD_SETLKW, &l)) && errno == EINTR)
        continue;
    return rc ? -errno : 0;
}

static int no_locks(ldad_file fh, int rc)
{
    return err_set(rc == -EDEADLK ? rc : -EOPNOTSUPP, fh->path, -1,
                   "the file system does not lock files, which this needs: %s",
                   strerror(-rc));
}

/* ---- atomic mode ----------------------------------------------------------------- */

int libldad_lock(ldad_file fh, enum io_op op, int64_t begin, int64_t end)
{
    int rc = lock_range(fh->lock, op == IO_OP_READ ? F_RDLCK : F_WRLCK, begin, end);
    return rc ? no_locks(fh, rc) : 0;
}

void libldad_unlock(ldad_file fh, int64_t begin, int64_t end)
{
    lock_range(fh->lock, F_UNLCK, begin, end);
}

/* Opens the file to lock: the file itself, or of a container its shared part, which has
 * a place for all bytes. */
static int open_lock(ldad_file fh)
{
    char path[4096];
    int how = fh->flags & IO_READ ? O_RDWR : O_WRONLY;
    if (fh->lock >= 0)
        return 0;
    snprintf(path, sizeof path, "%s%s", fh->path, fh->partitioned ? "/shared" : "");
    fh->lock = open(path, (fh->flags & IO_WRITE ? how : O_RDONLY) | O_CLOEXEC);
    if (fh->lock < 0)
        return err_set(-errno, path, -1, "the file cannot be opened to lock it: %s",
                       strerror(errno));
    int rc = lock_range(fh->lock, fh->flags & IO_WRITE ? F_WRLCK : F_RDLCK, 0, 1);
    libldad_unlock(fh, 0, 1);
    return rc ? no_locks(fh, rc) : 0;
}

static int atomicity_possible(ldad_file fh)
{
    struct io_partition stored = {0};
    if (fh->io)
        stored = io_file_partition(fh->io);
    if (fh->plain || (fh->partitioned && !stored.parts))
        return 0;
    return err_set(-EOPNOTSUPP, fh->path, -1,
                   "there is no atomic mode of a file that is stored by its ranks");
}

int ldad_file_set_atomicity(ldad_file fh, int flag)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int same[2] = {flag != 0, flag == 0}, rc = 0;
    MPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_INT, MPI_MAX, fh->comm);
    if (same[0] && same[1])
        rc = err_set(-EBADSLT, fh->path, -1,
                     "some ranks ask for atomic mode, and some "
                     "for none");
    if (!rc && flag)
        rc = atomicity_possible(fh);
    if (!rc && flag)
        rc = open_lock(fh);
    rc = err_agree(fh->comm, rc);
    if (!rc)
        fh->atomic = flag != 0;
    if (!rc && flag)
        fh->auto_plan = false;
    return libldad_leave(fh, &before, rc);
}

int ldad_file_get_atomicity(ldad_file fh, int *flag)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    *flag = fh->atomic;
    return MPI_SUCCESS;
}

/* ---- the shared pointer ---------------------------------------------------------- */

static void pointer_path(ldad_file fh, char out[4096])
{
    char folder[4096], name[4096];
    snprintf(folder, sizeof folder, "%s", fh->path);
    snprintf(name, sizeof name, "%s", fh->path);
    snprintf(out, 4096, "%.1900s/.%.1900s.pointer-%016llx", dirname(folder),
             basename(name), (unsigned long long)fh->id);
}

/* Opens the shared pointer. Its first user makes the file; without bytes, it is
 * zero. */
static int pointer_open(ldad_file fh)
{
    char path[4096];
    if (fh->pointer >= 0)
        return 0;
    pointer_path(fh, path);
    fh->pointer = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fh->pointer >= 0)
        return 0;
    return err_set(-errno, path, -1,
                   "the file of the shared file pointer cannot be made: %s",
                   strerror(errno));
}

/* Reads the pointer, and sets it to `etypes` (`set`) or adds them. */
static int pointer_change(ldad_file fh, bool set, int64_t etypes, int64_t *was)
{
    int64_t now = 0;
    int rc = pointer_open(fh);
    if (rc)
        return rc;
    if ((rc = lock_range(fh->pointer, F_WRLCK, 0, 8)))
        return no_locks(fh, rc);
    ssize_t n = pread(fh->pointer, &now, sizeof now, 0);
    *was = n == sizeof now ? now : 0;
    now = set ? etypes : *was + etypes;
    if (n < 0 ||
        (now != *was && pwrite(fh->pointer, &now, sizeof now, 0) != sizeof now))
        rc = err_set(-EIO, fh->path, -1, "the shared file pointer cannot be moved: %s",
                     strerror(errno));
    lock_range(fh->pointer, F_UNLCK, 0, 8);
    return rc;
}

int libldad_pointer_add(ldad_file fh, int64_t etypes, int64_t *was)
{
    return pointer_change(fh, false, etypes, was);
}

int libldad_pointer_set(ldad_file fh, int64_t etypes)
{
    int64_t was;
    return pointer_change(fh, true, etypes, &was);
}

int libldad_pointer_reset(ldad_file fh)
{
    char path[4096];
    pointer_path(fh, path);
    return access(path, F_OK) ? 0 : libldad_pointer_set(fh, 0);
}

void libldad_pointer_close(ldad_file fh, bool last)
{
    char path[4096];
    if (fh->pointer >= 0)
        close(fh->pointer);
    fh->pointer = -1;
    pointer_path(fh, path);
    if (last)
        unlink(path);
}

int libldad_pointer_turn(ldad_file fh, int64_t etypes, int64_t *first)
{
    int rank, size, rc = 0;
    int64_t sum, base = 0;
    MPI_Comm_rank(fh->comm, &rank);
    MPI_Comm_size(fh->comm, &size);
    MPI_Scan(&etypes, &sum, 1, MPI_INT64_T, MPI_SUM, fh->comm);
    if (rank == size - 1)
        rc = libldad_pointer_add(fh, sum, &base);
    rc = err_agree(fh->comm, rc);
    MPI_Bcast(&base, 1, MPI_INT64_T, size - 1, fh->comm);
    *first = base + sum - etypes;
    return rc;
}

int ldad_file_get_position_shared(ldad_file fh, MPI_Offset *offset)
{
    int code;
    int64_t now = 0;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = libldad_pointer_add(fh, 0, &now);
    *offset = now;
    return libldad_leave(fh, &before, rc);
}

/* Sets the shared pointer as rank 0 asks; the other ranks must ask for the same. */
static int seek_shared(ldad_file fh, int64_t offset, int whence)
{
    int rank;
    int64_t asked[4] = {offset, -offset, whence, -whence}, now = 0;
    MPI_Comm_rank(fh->comm, &rank);
    MPI_Allreduce(MPI_IN_PLACE, asked, 4, MPI_INT64_T, MPI_MAX, fh->comm);
    if (asked[0] != -asked[1] || asked[2] != -asked[3])
        return err_set(-EBADSLT, fh->path, -1,
                       "ranks seek different places of the shared file pointer");
    if (rank)
        return 0;
    int rc = whence == MPI_SEEK_END   ? libldad_end(fh, &now)
             : whence == MPI_SEEK_CUR ? libldad_pointer_add(fh, 0, &now)
             : whence == MPI_SEEK_SET ? 0
                                      : -EINVAL;
    if (!rc && now + offset < 0)
        rc = -EINVAL;
    if (rc == -EINVAL)
        err_set(rc, fh->path, offset, "the file pointer would be before the start");
    return rc ? rc : libldad_pointer_set(fh, now + offset);
}

int ldad_file_seek_shared(ldad_file fh, MPI_Offset offset, int whence)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    return libldad_leave(fh, &before,
                         err_agree(fh->comm, seek_shared(fh, offset, whence)));
}
