#include "io/lock.h"
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The locked byte: beyond all transfers, and beyond MPI libraries' own locks. */
#define LOCK_AT (INT64_MAX - 1)

void lock_owner(char out[LOCK_OWNER])
{
    char host[32] = "";
    gethostname(host, sizeof host - 1);
    snprintf(out, LOCK_OWNER, "process %lld on %s", (long long)getpid(), host);
}

static struct flock lock_of(short type)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
}

/* Returns 0, -EBUSY, or -ENOLCK: the file system has no locks. */
static int lock_try(int fd)
{
    struct flock l = lock_of(F_WRLCK);
    if (!fcntl(fd, F_OFD_SETLK, &l))
        return 0;
    return errno == EAGAIN || errno == EACCES ? -EBUSY : -ENOLCK;
}

/* Waits a little for a lock that is held: FUSE may keep one for a second after the
 * process that held it has ended. */
static int lock_in_time(int fd)
{
    enum { TRIES = 60 };
    const struct timespec pause = {.tv_nsec = 50000000};
    int rc = lock_try(fd);
    for (int i = 0; i < TRIES && rc == -EBUSY; i++) {
        nanosleep(&pause, NULL);
        rc = lock_try(fd);
    }
    return rc;
}

int lock_file(const char *path, int *fd)
{
    *fd = open(path, O_RDWR | O_CLOEXEC);
    if (*fd < 0)
        return err_set(-errno, path, -1, "it cannot be opened to be written: %s",
                       strerror(errno));
    int rc = lock_in_time(*fd);
    if (!rc)
        return 0;
    close(*fd);
    *fd = -1;
    return rc == -EBUSY ? rc : 0;
}

void lock_close(int *fd)
{
    struct flock l = {.l_type = F_UNLCK, .l_whence = SEEK_SET}; /* all of the file */
    if (*fd < 0)
        return;
    /* On FUSE closing alone may leave a lock for up to a second. */
    fcntl(*fd, F_OFD_SETLK, &l);
    close(*fd);
    *fd = -1;
}

bool lock_is_held(const char *path)
{
    struct flock l = lock_of(F_WRLCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool locked = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* ---- names ---------------------------------------------------------------------- */

/* True if the name is still that of `fd`: an owner removes its lock file, and another
 * may have made a new one. */
static bool lock_is_still(const char *path, int fd)
{
    struct stat mine, there;
    return !fstat(fd, &mine) && !lstat(path, &there) && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino;
}

static int lock_open(const char *path, int *fd)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return *fd >= 0 ? 0
                    : err_set(-errno, path, -1, "the lock file cannot be made: %s",
                              strerror(errno));
}

/* Writes the owner into the lock file; a failure is ignored. */
static void lock_sign(int fd)
{
    char me[LOCK_OWNER];
    lock_owner(me);
    if (ftruncate(fd, 0) || pwrite(fd, me, strlen(me), 0) < 0)
        return;
}

static void lock_read_owner(int fd, char owner[LOCK_OWNER])
{
    ssize_t n = pread(fd, owner, LOCK_OWNER - 1, 0);
    owner[n > 0 ? n : 0] = 0;
}

int lock_name(const char *path, int *fd, char owner[LOCK_OWNER])
{
    int rc;
    while (!(rc = lock_open(path, fd))) {
        int got = lock_try(*fd);
        if (got == -EBUSY) {
            lock_read_owner(*fd, owner);
            rc = got;
            break;
        }
        if (lock_is_still(path, *fd)) {
            lock_sign(*fd);
            return 0;
        }
        lock_close(fd);
    }
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return rc;
}

void lock_end(const char *path, int *fd)
{
    if (*fd < 0)
        return;
    if (lock_is_still(path, *fd))
        unlink(path);
    lock_close(fd);
}
