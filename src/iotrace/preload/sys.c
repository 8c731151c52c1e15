/* System calls that spare the program: no signal reaches it, and its stack stays free.
 *
 * A write that fails is an error, and never a signal to the program. A limit of files'
 * sizes (SIGXFSZ) counts as a full disk; a pipe without a reader (SIGPIPE) and a
 * terminal of others (SIGTTOU) are no reason to end or to stop. */
#include "iotrace/preload/sys.h"
#include "iotrace/preload/recorder.h"
#include <signal.h>

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

/* Sets the signal mask in the kernel's format, whatever the C library's is. */
static void change_mask(int how, const uint64_t *set, uint64_t *old)
{
    sys_call(SYS_rt_sigprocmask, how, set, old, sizeof *set);
}

/* Takes out a signal. The kernel sends it to the thread that writes: it is pending
 * there. One that was pending before belongs to the program and stays. */
static void take_out(uint64_t set, uint64_t waited)
{
    static const struct timespec at_once;
    set &= ~waited;
    while (set && sys_call(SYS_rt_sigtimedwait, &set, NULL, &at_once, sizeof set) < 0 &&
           errno == EINTR)
        ;
}

static int64_t put_bytes; /* in this log's time */

static long sys_put(int fd, const void *buf, size_t n, int64_t at)
{
    const uint64_t those = BIT(SIGXFSZ) | BIT(SIGPIPE) | BIT(SIGTTOU);
    uint64_t before = 0, waited = 0;
    change_mask(SIG_BLOCK, &those, &before);
    if (before & those)
        sys_call(SYS_rt_sigpending, &waited, sizeof waited);
    long done = at < 0 ? sys_call(SYS_write, fd, buf, n)
                       : sys_call(SYS_pwrite64, fd, buf, n, at);
    int error = errno;
    if (done > 0)
        __atomic_fetch_add(&put_bytes, done, __ATOMIC_RELAXED);
    if (done < 0 && (error == EFBIG || error == EPIPE))
        take_out(BIT(error == EFBIG ? SIGXFSZ : SIGPIPE), waited);
    change_mask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

void sys_moved(int64_t bytes[2])
{
    bytes[0] = __atomic_load_n(&sys_got, __ATOMIC_RELAXED);
    bytes[1] = __atomic_load_n(&put_bytes, __ATOMIC_RELAXED);
}

void sys_moved_reset(void)
{
    __atomic_store_n(&sys_got, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&put_bytes, 0, __ATOMIC_RELAXED);
}

long sys_write(int fd, const void *buf, size_t n)
{
    return sys_put(fd, buf, n, -1);
}

long sys_pwrite(int fd, const void *buf, size_t n, uint64_t at)
{
    return sys_put(fd, buf, n, (int64_t)at);
}

/* ---- memory ---- */

static char *spare; /* one is usually enough */

char *room_take(void)
{
    char *room = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);
    if (room)
        return room;
    void *p = sys_mmap(ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void room_give(char **room)
{
    char *other = *room ? __atomic_exchange_n(&spare, *room, __ATOMIC_RELEASE) : NULL;
    int error = errno;
    if (other)
        sys_munmap(other, ROOM_BYTES);
    errno = error;
}
