/* Makes transfers that O_DIRECT refuses, by interfaces that report it on completion:
 * direct_async FILE. Prints the refused ones: the recorder's name of the completion,
 * offset, bytes. If a file system accepts them, it ends with 77. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef WITH_LIBAIO
#include <libaio.h>
#endif
#ifdef WITH_LIBURING
#include <liburing.h>
#endif

enum { PAGE = 4096, PIECE = 1000 };

static char *page;

static void check(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static void tell(const char *name, long offset, long result)
{
    check(result == -EINVAL, name);
    printf("%s %ld %d\n", name, offset, PIECE);
}

static long by_aio(int fd, long offset, size_t bytes)
{
    struct aiocb cb = {
        .aio_fildes = fd, .aio_buf = page, .aio_nbytes = bytes, .aio_offset = offset};
    const struct aiocb *list[] = {&cb};
    check(aio_write(&cb) == 0 && aio_suspend(list, 1, NULL) == 0, "aio");
    int error = aio_error(&cb);
    errno = ENOSPC; /* a wrong error, for the test */
    ssize_t n = aio_return(&cb);
    return n < 0 ? -error : n;
}

#ifdef WITH_LIBAIO
static long by_libaio(int fd, long offset, size_t bytes)
{
    io_context_t context = 0;
    struct iocb cb, *list[] = {&cb};
    struct io_event done;
    check(io_setup(4, &context) == 0, "io_setup");
    io_prep_pwrite(&cb, fd, page, bytes, offset);
    check(io_submit(context, 1, list) == 1, "io_submit");
    check(io_getevents(context, 1, 1, &done, NULL) == 1, "io_getevents");
    io_destroy(context);
    return (long)done.res;
}
#endif

#ifdef WITH_LIBURING
static struct io_uring ring;

static long by_uring(int fd, long offset, unsigned bytes)
{
    struct io_uring_cqe *c;
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, page, bytes,
                        (unsigned long)offset);
    check(io_uring_submit(&ring) == 1 && io_uring_wait_cqe(&ring, &c) == 0, "uring");
    long result = c->res;
    io_uring_cqe_seen(&ring, c);
    return result;
}
#endif

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_DIRECT, 0600) : -1;
    if (fd < 0 || posix_memalign((void **)&page, PAGE, PAGE))
        return 77;
    if (by_aio(fd, PAGE, PIECE) >= 0)
        return 77;
    tell("aio_return_write", PAGE, -EINVAL);
    check(by_aio(fd, 0, PAGE) == PAGE, "aio_write");
    int other = open(argv[1], O_RDWR);
    check(by_aio(other, -1, PIECE) == -EINVAL, "not for O_DIRECT");
#ifdef WITH_LIBAIO
    tell("io_getevents_write", 2l * PAGE, by_libaio(fd, 2l * PAGE, PIECE));
    check(by_libaio(fd, 0, PAGE) == PAGE, "libaio");
#endif
#ifdef WITH_LIBURING
    if (io_uring_queue_init(4, &ring, 0) == 0) {
        tell("uring_write_end", 3l * PAGE, by_uring(fd, 3l * PAGE, PIECE));
        check(by_uring(fd, 0, PAGE) == PAGE, "uring");
        io_uring_queue_exit(&ring);
    }
#endif
    return 0;
}
