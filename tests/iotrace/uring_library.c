/* io_uring by its library: uring_library N FILE. It does the same as uring_calls;
 * functions that are compiled into this program take completions, the last ones without
 * any call. */
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 8, PIECE = 4096 };

static struct {
    long count, bytes, errors;
} told[2];

static struct io_uring ring;
static char buf[65536];

static void ask(int write, int fd, unsigned bytes, long offset)
{
    struct io_uring_sqe *s = io_uring_get_sqe(&ring);
    if (write)
        io_uring_prep_write(s, fd, buf, bytes, (unsigned long)offset);
    else
        io_uring_prep_read(s, fd, buf, bytes, (unsigned long)offset);
    io_uring_sqe_set_data(s, &told[write]);
}

static void take(int n)
{
    struct io_uring_cqe *c;
    while (n-- > 0) {
        if (io_uring_wait_cqe(&ring, &c))
            exit(1);
        int write = io_uring_cqe_get_data(c) == &told[1];
        told[write].count++;
        told[write].errors += c->res < 0;
        told[write].bytes += c->res > 0 ? c->res : 0;
        io_uring_cqe_seen(&ring, c);
    }
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[1]) : 0;
    int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return 1;
    if (io_uring_queue_init(DEPTH, &ring, 0))
        return 77;
    for (long i = 0; i < n;) {
        int k = 0;
        for (; k < DEPTH && i < n; k++, i++)
            ask(1, fd, PIECE, i * PIECE);
        if (io_uring_submit(&ring) != k)
            return 1;
        take(k);
    }
    ask(0, fd, 100, 0);
    ask(0, fd, 65536, n * PIECE - 1000);
    ask(0, 999, PIECE, 0);
    if (io_uring_submit_and_wait(&ring, 3) != 3)
        return 1;
    take(3);
    printf("uring_read_end %ld %ld %ld\nuring_write_end %ld %ld %ld\n", told[0].count,
           told[0].bytes, told[0].errors, told[1].count, told[1].bytes, told[1].errors);
    return 0;
}
