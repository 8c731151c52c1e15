/* Who writes a container keeps others from it by a lock that ends with the process. */
#include "base/err.h"
#include "io/part/container.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The byte that is locked: no transfer comes there, nor do MPI libraries' own locks. */
#define LOCK_AT (INT64_MAX - 1)

void container_writer(char out[CONTAINER_WRITER])
{
    char host[32] = "";
    gethostname(host, sizeof host - 1);
    snprintf(out, CONTAINER_WRITER, "process %lld on %s", (long long)getpid(), host);
}

static struct flock lock_of(short type)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
}

int container_lock(const char *path, int *fd)
{
    struct flock l = lock_of(F_WRLCK);
    *fd = open(path, O_RDWR | O_CLOEXEC);
    if (*fd < 0)
        return err_set(-errno, path, -1, "it cannot be opened to be written: %s",
                       strerror(errno));
    if (!fcntl(*fd, F_OFD_SETLK, &l))
        return 0;
    bool busy = errno == EAGAIN || errno == EACCES;
    close(*fd);
    *fd = -1;
    return busy ? -EBUSY : 0;
}

bool container_is_locked(const char *path)
{
    struct flock l = lock_of(F_WRLCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool locked = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

int container_busy(const struct container *c, const char *path)
{
    return err_set(-EBUSY, path, -1,
                   "another job has the container open and writes it (%s): wait until "
                   "it has closed it, or end it",
                   c->writer[0] ? c->writer : "unknown which");
}
