/* Asynchronous I/O by several threads: async_threads FORM N FILE. Writes N pieces of
 * 4096 bytes; threads submit, one request a call, and another one waits.
 *
 * FORM  waiter: one thread submits; limited: its mate waits with a limit of time;
 * submitters: two threads submit, under a lock; poll: a thread of the kernel takes the
 * requests; rings: each of two threads has a ring, and waits in the call that submits;
 * libaio: two threads submit, and the waiting one frees the requests at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_LIBAIO
#include <libaio.h>
#endif

enum { PIECE = 4096, DEPTH = 64, THREADS = 2 };

static struct {
    const char *form;
    long n;
    int fd, threads, done;
    long ended; /* transfers */
    struct io_uring ring;
    pthread_mutex_t lock;
    char *page;
} all = {.threads = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void check(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static int is(const char *form)
{
    return !strcmp(all.form, form);
}

static void prepare(struct io_uring *ring, long i)
{
    struct io_uring_sqe *s;
    while (!(s = io_uring_get_sqe(ring)))
        io_uring_submit(ring);
    io_uring_prep_write(s, all.fd, all.page, PIECE, (unsigned long)(i * PIECE));
    s->user_data = (unsigned long)i + 1;
}

/* No more under way than the ring has room for completions. */
static void wait_for_room(long i)
{
    while (i - __atomic_load_n(&all.ended, __ATOMIC_ACQUIRE) >= DEPTH)
        usleep(100);
}

static void *submits(void *first)
{
    for (long i = (long)first; i < all.n; i += all.threads) {
        wait_for_room(i);
        pthread_mutex_lock(&all.lock);
        prepare(&all.ring, i);
        check(io_uring_submit(&all.ring) > 0, "submit");
        pthread_mutex_unlock(&all.lock);
    }
    while (!__atomic_load_n(&all.done, __ATOMIC_ACQUIRE))
        usleep(100); /* the kernel cancels what a thread leaves behind */
    return NULL;
}

static int next_of(struct io_uring *ring, struct io_uring_cqe **c)
{
    struct __kernel_timespec limit = {.tv_sec = 1};
    return is("limited") ? io_uring_wait_cqe_timeout(ring, c, &limit)
                         : io_uring_wait_cqe(ring, c);
}

static void *waits(void *nothing)
{
    for (long i = 0; i < all.n;) {
        struct io_uring_cqe *c;
        if (next_of(&all.ring, &c))
            continue;
        check(c->res == PIECE, "write");
        io_uring_cqe_seen(&all.ring, c);
        __atomic_store_n(&all.ended, ++i, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&all.done, 1, __ATOMIC_RELEASE);
    return nothing;
}

static void *own_ring(void *first)
{
    struct io_uring ring;
    struct io_uring_cqe *c;
    check(!io_uring_queue_init(DEPTH, &ring, 0), "ring");
    for (long i = (long)first; i < all.n; i += all.threads) {
        prepare(&ring, i);
        check(io_uring_submit_and_wait(&ring, 1) == 1, "submit_and_wait");
        check(!io_uring_wait_cqe(&ring, &c) && c->res == PIECE, "write");
        io_uring_cqe_seen(&ring, c);
    }
    io_uring_queue_exit(&ring);
    return NULL;
}

#ifdef WITH_LIBAIO
static io_context_t context;

static void *libaio_submits(void *first)
{
    for (long i = (long)first; i < all.n; i += all.threads) {
        struct iocb *c = malloc(sizeof *c);
        io_prep_pwrite(c, all.fd, all.page, PIECE, i * PIECE);
        while (io_submit(context, 1, &c) == -EAGAIN)
            usleep(100);
    }
    return NULL;
}

static void *libaio_waits(void *nothing)
{
    struct io_event done;
    for (long i = 0; i < all.n; i++) {
        check(io_getevents(context, 1, 1, &done, NULL) == 1, "getevents");
        check(done.res == PIECE, "write");
        memset(done.obj, 0xff, sizeof *done.obj);
        free(done.obj);
    }
    return nothing;
}
#endif

static void run(void *(*submit)(void *), void *(*wait)(void *))
{
    pthread_t thread[THREADS + 1];
    int n = 0;
    if (wait)
        check(!pthread_create(&thread[n++], NULL, wait, NULL), "thread");
    for (long i = 0; i < all.threads; i++)
        check(!pthread_create(&thread[n++], NULL, submit, (void *)i), "thread");
    while (n > 0)
        pthread_join(thread[--n], NULL);
}

int main(int argc, char **argv)
{
    if (argc < 4 || posix_memalign((void **)&all.page, PIECE, PIECE))
        return 1;
    all.form = argv[1];
    all.n = atol(argv[2]);
    all.fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(all.fd >= 0, argv[3]);
    if (is("submitters") || is("rings") || is("libaio"))
        all.threads = THREADS;
    if (is("libaio")) {
#ifdef WITH_LIBAIO
        check(!io_setup(DEPTH, &context), "io_setup");
        run(libaio_submits, libaio_waits);
        return 0;
#else
        return 77;
#endif
    }
    if (is("rings")) {
        run(own_ring, NULL);
        return 0;
    }
    if (io_uring_queue_init(DEPTH, &all.ring, is("poll") ? IORING_SETUP_SQPOLL : 0))
        return 77;
    run(submits, waits);
    io_uring_queue_exit(&all.ring);
    return 0;
}
