/* ranks: 1
 * glibc's asynchronous I/O: the number of threads that move requests, their signals,
 * and requests that no thread has begun. They read from empty pipes, so each stays in
 * flight until the test says otherwise. Settings that glibc fixes once in a process are
 * tested in processes of their own. */
#include "tap.h"

#include "io/io.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

enum { BYTES = 1024, DEPTH = 8, TRIES = 2000, PAUSE_US = 5000, SETTLED = 20 };

struct trial {
    const char *spec;
    int requests, threads; /* requests in flight; threads expected beside our own */
};

static char pipe_path[TAP_PATH];
static char memory[DEPTH][BYTES];

/* ---- looking at this process ------------------------------------------------- */

/* Counts the threads of this process; *guarded: all but the caller's block `SIGTERM`
 * and all other signals from outside. */
static int threads(bool *guarded)
{
    DIR *d = opendir("/proc/self/task");
    struct dirent *e;
    int n = 0;

    *guarded = true;
    while (d && (e = readdir(d))) {
        char path[64], line[256];
        unsigned long long blocked = ~0ULL;
        FILE *f;
        if (e->d_name[0] == '.')
            continue;
        n++;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/status", e->d_name);
        f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            sscanf(line, "SigBlk: %llx", &blocked);
        if (f)
            fclose(f);
        if (atoi(e->d_name) == getpid())
            continue;
        for (int s = 1; s < SIGRTMIN; s++) /* glibc keeps some for itself */
            if (s != SIGKILL && s != SIGSTOP && s < 32 && !(blocked >> (s - 1) & 1))
                *guarded = false;
    }
    if (d)
        closedir(d);
    return n;
}

/* Returns how many threads more there are than before, when that is `expected` or no
 * longer changes: a thread that gets work may start another. */
static int more_threads(int before, int expected, bool *guarded)
{
    int n = threads(guarded), same = 0;

    for (int i = 0; i < TRIES && same < SETTLED; i++) {
        int was = n;
        usleep(PAUSE_US);
        n = threads(guarded);
        same = n == was && (n - before == expected || i > TRIES / 2) ? same + 1 : 0;
    }
    return n - before;
}

/* ---- requests that wait --------------------------------------------------------- */

static struct io_req requests[DEPTH];

static struct io_file *open_pipe(const char *spec, struct io_queue *q)
{
    struct io_open o = {.engine = spec,
                        .path = pipe_path,
                        .flags = IO_READ | IO_LOCAL,
                        .max_request = BYTES,
                        .depth = DEPTH,
                        .queue = q,
                        .timeout_s = 100};
    struct io_file *f;

    if (io_file_open(&f, &o))
        fprintf(stderr, "%s\n", err_get()->text);
    return f;
}

static int read_some(struct io_file *f, int n)
{
    struct io_req *r[DEPTH];

    for (int i = 0; i < n; i++) {
        requests[i] =
            (struct io_req){.op = IO_OP_READ, .buf = memory[i], .bytes = BYTES};
        r[i] = &requests[i];
    }
    return io_file_start(f, r, n);
}

/* Each reader takes what is there, and comes back for the rest. */
static bool feed(int fd, struct io_file *f, int n)
{
    char text[BYTES];

    memset(text, 'x', sizeof text);
    for (int i = 0; i < n; i++)
        if (write(fd, text, sizeof text) != BYTES)
            return false;
    bool good = io_file_wait(f) == 0;
    for (int i = 0; i < n; i++)
        good = good && requests[i].done == BYTES && memory[i][BYTES - 1] == 'x';
    return good;
}

static int complain(const char *what, int got, int expected)
{
    fprintf(stderr, "%s: %d instead of %d\n", what, got, expected);
    return 1;
}

/* Runs in a process of its own. */
static int try_threads(void *arg)
{
    const struct trial *t = arg;
    int fd = open(pipe_path, O_RDWR | O_CLOEXEC), failed = 0;
    bool guarded;
    int before = threads(&guarded);
    struct io_file *f = open_pipe(t->spec, NULL);

    if (fd < 0 || !f || read_some(f, t->requests))
        return 1;
    int more = more_threads(before, t->threads, &guarded);
    if (more != t->threads)
        failed = complain("threads", more, t->threads);
    if (!guarded)
        failed = complain("threads that take signals", 1, 0);
    if (!feed(fd, f, t->requests))
        failed = complain("requests that are not as they should be", 1, 0);
    return io_file_close(&f) || failed;
}

/* The watchdog's own thread exists before and after. */
static void test_threads(void)
{
    static const struct trial trials[] = {{"aio", 8, 1},
                                          {"aio:descriptors=4", 8, 4},
                                          {"aio:descriptors=4", 2, 2},
                                          {"aio:descriptors=8", 8, 8},
                                          {"aio:descriptors=100", 8, 8},
                                          {"aio:descriptors=8,depth=3", 8, 3},
                                          {"aio:descriptors=8,threads=3", 8, 3}};

    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        struct trial t = trials[i];
        char out[512] = "";
        int status = tap_child(try_threads, &t, out, sizeof out);
        tap_ok(!status,
               "%s, %d requests: 1 + %d threads, which no signal comes to, and what is "
               "read is right: %s",
               t.spec, t.requests, t.threads, out);
    }
}

/* New work comes while threads of earlier work are idle. */
static int try_again(void *arg)
{
    int fd = open(pipe_path, O_RDWR | O_CLOEXEC);
    bool guarded;
    int before = threads(&guarded), more = 0;
    struct io_file *f = open_pipe("aio:descriptors=4", NULL);

    (void)arg;
    for (int n = 1; f && n <= 4; n++) {
        if (read_some(f, n))
            return 1;
        more = more_threads(before, n, &guarded);
        if (more != n || !feed(fd, f, n))
            return complain("threads", more, n);
    }
    return !f || io_file_close(&f);
}

/* ---- requests that are not begun ------------------------------------------------- */

/* Closes the queue with all requests in flight: for each of four descriptors, one is in
 * a thread's hands and another waits. */
static int try_close(void *arg)
{
    const struct trial *t = arg;
    int fd = open(pipe_path, O_RDWR | O_CLOEXEC), left = 0;
    struct io_open o = {.engine = t->spec,
                        .path = pipe_path,
                        .flags = IO_READ | IO_LOCAL,
                        .max_request = BYTES,
                        .depth = DEPTH,
                        .timeout_s = 0.2};
    struct io_file *f;
    bool guarded;
    int before = threads(&guarded);

    if (fd < 0 || io_file_open(&f, &o) || read_some(f, t->requests) ||
        more_threads(before, t->threads, &guarded) != t->threads)
        return 1;
    if (io_file_wait(f) != -ETIMEDOUT)
        return complain("a wait that ended", 1, 0);
    pid_t feeder = fork(); /* requests that have begun use our memory until they end */
    if (!feeder) {
        usleep(PAUSE_US);
        for (int i = 0; i < t->threads; i++)
            if (write(fd, memory[i], BYTES) != BYTES)
                _exit(1);
        _exit(0);
    }
    if (io_file_close(&f))
        fprintf(stderr, "close: %s\n", err_get()->text);
    waitpid(feeder, NULL, 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (read(fd, memory[0], 1) == 1)
        left++;
    return left ? complain("bytes that a cancelled request left", left, 0) : 0;
}

static void test_close(void)
{
    static const struct trial trials[] = {{"aio", 8, 1}, {"aio:descriptors=4", 8, 4}};

    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        struct trial t = trials[i];
        char out[512] = "";
        int status = tap_child(try_close, &t, out, sizeof out);
        tap_ok(!status,
               "%s: closed with %d under way, %d of them begun: those are waited for, "
               "the others never begin: %s",
               t.spec, t.requests, t.threads, out);
    }
}

/* ---- the limit of threads -------------------------------------------------------- */

static int open_queue(const char *spec)
{
    struct io_queue *q;
    struct io_queue_open o = {.engine = spec, .depth = DEPTH};
    int rc = io_queue_open(&q, &o);

    io_queue_close(&q);
    return rc;
}

static int try_limit(void *arg)
{
    (void)arg;
    if (open_queue("aio:threads=3") || open_queue("aio:threads=3") || open_queue("aio"))
        return complain("a queue that is refused", 1, 0);
    int rc = open_queue("aio:threads=4");
    return rc != -EINVAL || !err_get()->usage || !strstr(err_get()->text, "has 3");
}

static void test_descriptors(void)
{
    struct io_file *one = open_pipe("aio", NULL),
                   *two = open_pipe("aio:descriptors=2", NULL);

    tap_ok(one && two && io_file_in_turn(one) && !io_file_in_turn(two) &&
               !io_file_caveat(one),
           "requests of one descriptor are moved one after another, and it is said");
    io_file_close(&one);
    io_file_close(&two);
}

int main(int argc, char **argv)
{
    char out[512] = "";

    if (io_engine_check("aio", 0)) {
        tap_start(&argc, &argv, 0);
        tap_skip("%s", err_get()->text);
        return tap_end();
    }
    tap_start(&argc, &argv, 0);
    tap_ok(mkfifo(tap_path(pipe_path, "pipe"), 0600) == 0, "a pipe");
    test_threads();
    tap_ok(!tap_child(try_again, NULL, out, sizeof out),
           "one more request each time, while threads are idle: one more thread: %s",
           out);
    test_close();
    tap_ok(!tap_child(try_limit, NULL, out, sizeof out),
           "threads= is taken once in a process; another number is refused: %s", out);
    int fd = open(pipe_path, O_RDWR | O_CLOEXEC);
    test_descriptors();
    close(fd);
    unlink(pipe_path);
    return tap_end();
}
