#include "base/clock.h"
#include "base/err.h"
#include "base/scratch.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The thread looks at the deadline a few times a second, so that arming costs two
 * stores and no system call. */
#define LOOK_NS 200000000
/* Where all ranks are stuck, one is enough to tell: the others wait a little longer,
 * in turn, for it to speak and to end them. */
#define TURN_NS INT64_C(500000000)
#define TURNS 8
#define GRACE_NS 300000000
#define THREADS 64
/* So often is looked whether the next rank here is stopped before that is believed. */
#define STOP_LOOKS 10

static pthread_t thread;
static atomic_bool running;
static atomic_int thread_id; /* the kernel's; 0: not known yet */
/* What a thread is waiting for. Of threads that come when all are taken, nothing is
 * known; places are never given back. */
static struct armed {
    _Atomic int64_t deadline_ns; /* 0: disarmed */
    _Atomic(const char *) what, file;
    _Atomic int64_t offset;
    _Atomic double limit_s;
} armed[THREADS];
static atomic_int armed_count;
static _Thread_local struct armed *mine;
static int64_t courtesy_ns;
static const struct mate *mates; /* the other ranks on this node, to be warned */
static int mate_count;
static _Atomic double set_limit_s; /* 0: there is none */
static struct {                    /* looking whether the first mate is stopped */
    int64_t look_ns;               /* when it is looked at again */
    int looks;                     /* so often it was */
} next;
static char who[192]; /* "madbench: rank 3 on n1" */

/* Lets the other ranks here remove their files, stopped ones too: a launcher that sees
 * one process fail may end the rest without a chance to (MPICH's does). Their watchdogs
 * get the signal, and are silent from then on: their first threads may be where no
 * signal reaches them. */
static void warn_mates(void)
{
    for (int i = 0; i < mate_count; i++) {
        syscall(SYS_tgkill, mates[i].pid, mates[i].watchdog, SIGTERM);
        kill(mates[i].pid, SIGCONT);
    }
}

static void end_run(const char *text, size_t bytes)
{
    struct timespec grace = {.tv_nsec = GRACE_NS};
    ssize_t told = write(STDERR_FILENO, text, bytes);
    (void)told; /* there is nobody else to tell */
    scratch_bound(true);
    warn_mates();
    scratch_unlink_all();
    if (mate_count)
        nanosleep(&grace, NULL);
    _exit(EXIT_FAILED);
}

static void bite(const struct armed *a)
{
    const struct err *earlier = err_get(); /* the thread that sets it is stuck */
    char text[2048];
    const char *what = a->what, *file = a->file;
    int64_t offset = a->offset;
    int n = snprintf(text, sizeof text, "%s: %s did not come back within %g s (file %s",
                     who, what ? what : "a call", a->limit_s, file ? file : "-");
    if (offset >= 0 && n > 0 && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, ", offset %lld",
                      (long long)offset);
    if (n > 0 && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "): the run is ended; --io-timeout sets the limit%s%.500s",
                      earlier->code ? "; earlier: " : "", earlier->text);
    if (earlier->rank >= 0 && n > 0 && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " (rank %d on %s)",
                      earlier->rank, earlier->host);
    if (n > 0 && n < (int)sizeof text - 1)
        n += snprintf(text + n, sizeof text - (size_t)n, "\n");
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    end_run(text, n > 0 ? (size_t)n : 0);
}

/* The state in "PID (NAME) STATE ...": T is stopped by a signal, and no debugger. */
static bool is_stopped(pid_t pid)
{
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'T';
}

/* Each rank looks after the next one here, all around. Looks are counted and not
 * seconds: where the batch system stops all ranks and lets them go on, nobody looks
 * meanwhile. Far apart, so that what the kernel counts of our I/O remains the run's. */
static void look_after_next(void)
{
    char text[512];
    double limit_s = set_limit_s;
    if (!mate_count || !(limit_s > 0) || clock_ns() < next.look_ns)
        return;
    next.look_ns = clock_ns() + (int64_t)(limit_s / STOP_LOOKS * 1e9);
    next.looks = is_stopped(mates->pid) ? next.looks + 1 : 0;
    if (next.looks <= STOP_LOOKS)
        return;
    int n = snprintf(text, sizeof text,
                     "%s: rank %d, process %ld here, has been stopped by a signal for "
                     "%g s: the run is ended; --io-timeout sets the limit\n",
                     who, mates->rank, (long)mates->pid, limit_s);
    end_run(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void *look(void *unused)
{
    struct timespec pause = {.tv_nsec = LOOK_NS};
    (void)unused;
    thread_id = (int)syscall(SYS_gettid);
    while (running) {
        nanosleep(&pause, NULL);
        if (scratch_ending())
            continue;
        for (int i = 0; i < armed_count && i < THREADS; i++) {
            int64_t d = armed[i].deadline_ns;
            if (d && clock_ns() > d + courtesy_ns)
                bite(&armed[i]);
        }
        look_after_next();
    }
    return NULL;
}

int watchdog_open(const char *program, int rank, const char *host)
{
    snprintf(who, sizeof who, "%s: rank %d on %s", program, rank, host);
    courtesy_ns = rank ? (1 + rank % TURNS) * TURN_NS : 0;
    running = true;
    int rc = pthread_create(&thread, NULL, look, NULL);
    if (rc) {
        running = false;
        return err_set(-rc, NULL, -1, "the watchdog thread cannot be started: %s",
                       strerror(rc));
    }
    while (!thread_id)
        sched_yield();
    return 0;
}

pid_t watchdog_thread(void)
{
    return thread_id;
}

void watchdog_mates(const struct mate *others, int n)
{
    mates = others;
    mate_count = n;
}

void watchdog_limit(double limit_s)
{
    next.look_ns = clock_ns() + (int64_t)(limit_s / STOP_LOOKS * 1e9);
    set_limit_s = limit_s;
}

static struct armed *my_place(void)
{
    if (!mine) {
        int i = armed_count < THREADS ? armed_count++ : THREADS;
        mine = i < THREADS ? &armed[i] : NULL;
    }
    return mine;
}

void watchdog_arm(double limit_s, const char *what, const char *file, int64_t offset)
{
    struct armed *a = running && limit_s > 0 ? my_place() : NULL;
    if (!a)
        return;
    a->what = what;
    a->file = file;
    a->offset = offset;
    a->limit_s = limit_s;
    a->deadline_ns = clock_ns() + (int64_t)(limit_s * 1e9);
}

void watchdog_arm_as_set(const char *what, const char *file)
{
    watchdog_arm(set_limit_s, what, file, -1);
}

void watchdog_disarm(void)
{
    if (mine)
        mine->deadline_ns = 0;
}

void watchdog_close(void)
{
    if (!running)
        return;
    running = false;
    pthread_cancel(thread); /* it may have just begun its pause */
    pthread_join(thread, NULL);
}
