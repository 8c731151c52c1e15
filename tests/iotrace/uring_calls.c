/* io_uring without its library: uring_calls FORM N FILE
 *
 * Writes N pieces of 4096 bytes. Then it reads 100 bytes of the file, 65536 at its
 * last 1000 bytes, and 4096 through a descriptor that is not open.
 *
 * FORM `calls` enters by the function syscall, `past` by an instruction of its own, as
 * fio does. In `threads`, two threads write by the function syscall: they add a request
 * under a lock, and enter without it; the main thread waits. Completions are taken from
 * shared memory. Prints the results of the completions: call, count, bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#endif

enum { DEPTH = 8, PIECE = 4096 };

static struct {
    int fd, past;
    struct io_uring_params p;
    char *sq, *cq;
    struct io_uring_sqe *sqes;
    unsigned tail;
} ring;

static struct {
    long count, bytes, errors;
} told[2]; /* reads, writes */

static char buf[65536];
static bool many; /* more are in flight than can have the same data */

static unsigned *at(char *base, unsigned offset)
{
    return (unsigned *)(void *)(base + offset);
}

static void *map(size_t bytes, off_t offset)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                   ring.fd, offset);
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

static void make(void)
{
    ring.fd = (int)syscall(SYS_io_uring_setup, DEPTH, &ring.p);
    if (ring.fd < 0)
        exit(77);
    ring.sq = map(ring.p.sq_off.array + ring.p.sq_entries * sizeof(unsigned),
                  IORING_OFF_SQ_RING);
    ring.cq = map(ring.p.cq_off.cqes + ring.p.cq_entries * sizeof(struct io_uring_cqe),
                  IORING_OFF_CQ_RING);
    ring.sqes = map(ring.p.sq_entries * sizeof *ring.sqes, IORING_OFF_SQES);
    ring.tail = *at(ring.sq, ring.p.sq_off.tail);
}

static void ask(int write, int fd, unsigned bytes, long offset)
{
    unsigned i = ring.tail & *at(ring.sq, ring.p.sq_off.ring_mask);
    struct io_uring_sqe *s = &ring.sqes[i];
    memset(s, 0, sizeof *s);
    s->opcode = write ? IORING_OP_WRITE : IORING_OP_READ;
    s->fd = fd;
    s->addr = (unsigned long)buf;
    s->len = bytes;
    s->off = (unsigned long)offset;
    s->user_data = (unsigned long)write; /* many have the same */
    if (many)
        s->user_data |= (unsigned long)offset << 1;
    at(ring.sq, ring.p.sq_off.array)[i] = i;
    __atomic_store_n(at(ring.sq, ring.p.sq_off.tail), ++ring.tail, __ATOMIC_RELEASE);
}

static long enter(unsigned n)
{
#ifdef __x86_64__
    if (ring.past) {
        register long r10 __asm__("r10") = IORING_ENTER_GETEVENTS;
        register long r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
        long rc = SYS_io_uring_enter;
        __asm__ volatile("syscall"
                         : "+a"(rc)
                         : "D"(ring.fd), "S"(n), "d"(n), "r"(r10), "r"(r8), "r"(r9)
                         : "rcx", "r11", "memory");
        return rc;
    }
#endif
    return syscall(SYS_io_uring_enter, ring.fd, n, n, IORING_ENTER_GETEVENTS, NULL, 0);
}

static void take(void)
{
    unsigned *head = at(ring.cq, ring.p.cq_off.head);
    struct io_uring_cqe *c =
        (struct io_uring_cqe *)(void *)(ring.cq + ring.p.cq_off.cqes);
    unsigned tail = __atomic_load_n(at(ring.cq, ring.p.cq_off.tail), __ATOMIC_ACQUIRE);
    for (; *head != tail; __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE)) {
        const struct io_uring_cqe *one =
            &c[*head & *at(ring.cq, ring.p.cq_off.ring_mask)];
        told[one->user_data & 1].count++;
        told[one->user_data & 1].errors += one->res < 0;
        told[one->user_data & 1].bytes += one->res > 0 ? one->res : 0;
    }
}

/* ---- by two threads ---- */

static struct {
    pthread_mutex_t lock;
    long next, n;
    int fd, done;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *submits(void *nothing)
{
    for (;;) {
        pthread_mutex_lock(&shared.lock);
        long i = shared.next++;
        while (i < shared.n &&
               ring.tail - __atomic_load_n(at(ring.sq, ring.p.sq_off.head),
                                           __ATOMIC_ACQUIRE) ==
                   ring.p.sq_entries)
            usleep(10);
        if (i < shared.n)
            ask(1, shared.fd, PIECE, i * PIECE);
        pthread_mutex_unlock(&shared.lock);
        if (i >= shared.n)
            break;
        if (syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0) != 1)
            exit(1);
    }
    while (!__atomic_load_n(&shared.done, __ATOMIC_ACQUIRE))
        usleep(100); /* the kernel cancels what a thread leaves behind */
    return nothing;
}

static void write_by_threads(int fd, long n)
{
    pthread_t thread[2];
    shared.fd = fd;
    shared.n = n;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, submits, NULL))
            exit(1);
    while (told[1].count < n) {
        syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
        take();
    }
    __atomic_store_n(&shared.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    long n = argc > 3 ? atol(argv[2]) : 0;
    ring.past = argc > 3 && !strcmp(argv[1], "past");
    int fd = argc > 3 ? open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return 1;
    make();
    many = !strcmp(argv[1], "threads");
    if (many)
        write_by_threads(fd, n);
    for (long i = many ? n : 0; i < n;) {
        unsigned k = 0;
        for (; k < DEPTH && i < n; k++, i++)
            ask(1, fd, PIECE, i * PIECE);
        if (enter(k) != (long)k)
            return 1;
        take();
    }
    ask(0, fd, 100, 0);
    ask(0, fd, 65536, n * PIECE - 1000);
    ask(0, 999, PIECE, 0);
    if (enter(3) != 3)
        return 1;
    take();
    printf("uring_read_end %ld %ld %ld\nuring_write_end %ld %ld %ld\n", told[0].count,
           told[0].bytes, told[0].errors, told[1].count, told[1].bytes, told[1].errors);
    return 0;
}
