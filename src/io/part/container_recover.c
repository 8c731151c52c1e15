/* Recovers a container that was not closed, to its state at the last sync. */
#include "base/err.h"
#include "io/lock.h"
#include "io/part/container.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_part(const char *file, int64_t r, int code)
{
    return err_set(code, file, -1,
                   "partition %lld of the container is missing or cannot be opened: %s",
                   (long long)r, strerror(-code));
}

/* Makes the partition, if its writer was ended before it did. */
static int make_empty(const char *file, int64_t r, int *fd)
{
    *fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (*fd < 0)
        return fail_part(file, r, -errno);
    close(*fd);
    return lock_file(file, fd);
}

static int cut_to(const char *file, int fd, int64_t bytes)
{
    if (fd >= 0 ? !ftruncate(fd, bytes) : !truncate(file, bytes))
        return 0;
    return err_set(-errno, file, bytes, "it cannot be cut to its last sync: %s",
                   strerror(errno));
}

int container_recover_part(const struct container *c, const char *path, int64_t r,
                           int *fd, int64_t *dropped)
{
    char file[CONTAINER_PATH];
    struct stat st = {0};
    int64_t bytes = c->part[r].bytes;
    *dropped = 0;
    *fd = -1;
    int rc = container_part_path(c, path, r, file);
    if (rc)
        return rc;
    bool there = !stat(file, &st);
    if (!there && (errno != ENOENT || bytes))
        return fail_part(file, r, -errno);
    rc = there ? lock_file(file, fd) : make_empty(file, r, fd);
    if (rc == -EBUSY)
        return container_busy(c, path);
    if (rc || st.st_size == bytes)
        return rc;
    if (st.st_size < bytes)
        return err_set(-EIO, file, st.st_size,
                       "partition %lld of the container has %lld bytes, and %lld were "
                       "synced: it was cut off",
                       (long long)r, (long long)st.st_size, (long long)bytes);
    *dropped = st.st_size - bytes;
    return cut_to(file, *fd, bytes);
}

int container_recover_shared(const struct container *c, const char *path,
                             int64_t *dropped)
{
    char file[CONTAINER_PATH];
    struct stat st;
    *dropped = 0;
    int rc = container_file(path, "shared", file);
    if (rc || c->parts || stat(file, &st) || st.st_size <= c->bytes)
        return rc; /* with a plan, the map tells which of its bytes count */
    *dropped = st.st_size - c->bytes;
    return cut_to(file, -1, c->bytes);
}

int container_refuse_open(const struct container *c, const char *path, bool ours,
                          bool recover)
{
    char shared[CONTAINER_PATH];
    if (c->state == CONTAINER_COMPLETE)
        return 0;
    int rc = container_file(path, "shared", shared);
    if (!rc && !ours && lock_is_held(shared))
        rc = container_busy(c, path);
    if (rc || (recover && c->saved))
        return rc;
    return err_set(-EIO, path, -1,
                   "the container was never completed: whoever wrote it was ended "
                   "(ldad info tells what is there, and ldad recover brings it to its "
                   "last sync)");
}
