/* read, write and similar calls. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/transfer.h"

extern void __chk_fail(void) __attribute__((noreturn));

/* Checks, as a fortified function does first, that the buffer holds the bytes
 * requested. */
static inline void posix_check(size_t asked, size_t room)
{
    if (asked > room)
        __chk_fail();
}

WRAP(ssize_t, read, (int fd, void *buf, size_t n))
{
    struct event e = event_on(fd);
    int64_t before = own_offset(&e, fd);
    return transfer_moved(&e, OP_READ, fd, before, n, REAL(read)(fd, buf, n));
}
ALIAS(__read, read);

WRAP(ssize_t, write, (int fd, const void *buf, size_t n))
{
    struct event e = event_on(fd);
    int64_t before = own_offset(&e, fd);
    return transfer_moved(&e, OP_WRITE, fd, before, n, REAL(write)(fd, buf, n));
}
ALIAS(__write, write);

WRAP(ssize_t, readv, (int fd, const struct iovec *v, int n))
{
    struct event e = event_on(fd);
    int64_t before = own_offset(&e, fd);
    ssize_t got = REAL(readv)(fd, v, n);
    return transfer_moved(&e, OP_READV, fd, before, got < 0 ? 0 : total(v, n), got);
}

WRAP(ssize_t, writev, (int fd, const struct iovec *v, int n))
{
    struct event e = event_on(fd);
    int64_t before = own_offset(&e, fd);
    ssize_t put = REAL(writev)(fd, v, n);
    return transfer_moved(&e, OP_WRITEV, fd, before, put < 0 ? 0 : total(v, n), put);
}

/* ---- at a given offset ---- */

WRAP(ssize_t, pread, (int fd, void *buf, size_t n, off_t offset))
{
    struct event e = event_on(fd);
    return moved_at(&e, OP_PREAD, fd, offset, n, REAL(pread)(fd, buf, n, offset));
}
ALIAS(pread64, pread);
ALIAS(__pread64, pread);

WRAP(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t offset))
{
    struct event e = event_on(fd);
    return moved_at(&e, OP_PWRITE, fd, offset, n, REAL(pwrite)(fd, buf, n, offset));
}
ALIAS(pwrite64, pwrite);
ALIAS(__pwrite64, pwrite);

WRAP(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t offset))
{
    struct event e = event_on(fd);
    ssize_t got = REAL(preadv)(fd, v, n, offset);
    return moved_at(&e, OP_PREADV, fd, offset, got < 0 ? 0 : total(v, n), got);
}
ALIAS(preadv64, preadv);

WRAP(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t offset))
{
    struct event e = event_on(fd);
    ssize_t put = REAL(pwritev)(fd, v, n, offset);
    return moved_at(&e, OP_PWRITEV, fd, offset, put < 0 ? 0 : total(v, n), put);
}
ALIAS(pwritev64, pwritev);

/* Offset -1: the descriptor's own. */
WRAP(ssize_t, preadv2, (int fd, const struct iovec *v, int n, off_t offset, int flags))
{
    struct event e = event_on(fd);
    int64_t before = offset == -1 ? own_offset(&e, fd) : -1;
    ssize_t got = REAL(preadv2)(fd, v, n, offset, flags);
    if (offset == -1)
        return transfer_moved(&e, OP_PREADV2, fd, before, got < 0 ? 0 : total(v, n),
                              got);
    return moved_at(&e, OP_PREADV2, fd, offset, got < 0 ? 0 : total(v, n), got);
}
ALIAS(preadv64v2, preadv2);

WRAP(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t offset, int flags))
{
    struct event e = event_on(fd);
    int64_t before = offset == -1 ? own_offset(&e, fd) : -1;
    ssize_t put = REAL(pwritev2)(fd, v, n, offset, flags);
    if (offset == -1)
        return transfer_moved(&e, OP_PWRITEV2, fd, before, put < 0 ? 0 : total(v, n),
                              put);
    return moved_at(&e, OP_PWRITEV2, fd, offset, put < 0 ? 0 : total(v, n), put);
}
ALIAS(pwritev64v2, pwritev2);

/* ---- fortified ---- */

EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
    posix_check(n, room);
    return wrap_read(fd, buf, n);
}

EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t offset, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t offset, size_t room)
{
    posix_check(n, room);
    return wrap_pread(fd, buf, n, offset);
}
EXPORT __typeof__(__pread_chk) __pread64_chk __attribute__((alias("__pread_chk")));

/* ---- the offset itself ---- */

WRAP(off_t, lseek, (int fd, off_t offset, int whence))
{
    struct event e = event_on(fd);
    int64_t before = own_offset(&e, fd);
    return seeked(&e, fd, before, offset, whence, REAL(lseek)(fd, offset, whence));
}
ALIAS(lseek64, lseek);
ALIAS(__lseek, lseek);
ALIAS(llseek, lseek);
