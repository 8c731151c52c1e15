/* ranks: 1
 * The engine threads: a request that timed out belongs to its caller again while a
 * helper may still work on it. This program replaces pwrite: it delays the first call
 * until the caller has used the request for something else, stores half of it, and
 * tells where the call for the rest goes. */
#include "tap.h"

#include "io/io.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum { BYTES = 1024, HALF = BYTES / 2, PLACE = 4096, ELSEWHERE = 1 << 20, LONG_S = 60 };

static atomic_int calls;
static sem_t called, may_go;
static struct {
    const void *buffer;
    size_t bytes;
    off_t offset;
} rest;

ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    (void)fd;
    if (atomic_fetch_add(&calls, 1) == 0) {
        sem_post(&called);
        sem_wait(&may_go);
        return HALF;
    }
    rest.buffer = buffer;
    rest.bytes = bytes;
    rest.offset = offset;
    sem_post(&called);
    return (ssize_t)bytes;
}

/* Waits for the call; false: there is none. */
static bool wait_for_call(void)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LONG_S;
    while (sem_timedwait(&called, &end))
        if (errno != EINTR)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static char memory[BYTES], other[BYTES];
    char path[TAP_PATH];
    struct io_file *f = NULL;
    struct io_req req = {
        .op = IO_OP_WRITE, .buf = memory, .offset = PLACE, .bytes = BYTES};
    struct io_req *list[] = {&req};

    tap_start(&argc, &argv, 0);
    struct io_open o = {.engine = "threads",
                        .path = tap_path(path, "late"),
                        .flags = IO_WRITE | IO_CREATE | IO_LOCAL,
                        .max_request = BYTES,
                        .depth = 1,
                        .timeout_s = 0.1};
    sem_init(&called, 0, 0);
    sem_init(&may_go, 0, 0);
    tap_ok(!io_file_open(&f, &o) && !io_file_start(f, list, 1) && wait_for_call() &&
               io_file_wait(f) == -ETIMEDOUT,
           "a write takes longer than the limit: %s", err_get()->text);
    req = (struct io_req){.op = IO_OP_WRITE,
                          .buf = other,
                          .offset = ELSEWHERE,
                          .bytes = BYTES,
                          .file = req.file};
    sem_post(&may_go);
    bool came = wait_for_call();
    tap_ok(came && rest.buffer == memory + HALF && rest.bytes == HALF &&
               rest.offset == PLACE + HALF,
           "its helper goes on with what was asked: %zu bytes at %lld", rest.bytes,
           (long long)rest.offset);
    io_file_close(&f);
    unlink(path);
    return tap_end();
}
