/* Deadlines of calls, and the thread that checks them. Time counts only while this
 * process runs: if a batch system stops all ranks and lets them go on, no deadline
 * passes meanwhile. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "world/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* If all ranks are stuck, one is enough to tell: the others wait a little longer, in
 * turn, for it to speak and to end them. */
#define TURN_NS INT64_C(500000000)
#define CLOSE_MS 2000                 /* time for the thread to end */
#define REMOVE_NS INT64_C(2000000000) /* time for removing files */
/* Looks at our own first thread before it counts as stuck. */
#define STUCK_LOOKS 10
#define START_S 60.0        /* least time for starting and ending MPI */
#define LET_END_MS 500      /* time for the other ranks of the node after a failure */
#define LET_ALL_END_MS 5000 /* and when MPI_Finalize hangs in all of them */
#define FINALIZE_S 10.0     /* time for ending MPI when nothing is left to do */

static pthread_t thread;
static atomic_bool running;
static int bell[2] = {-1, -1}; /* sockets: [0] is ours, [1] the thread's */
static atomic_int thread_id;   /* number in the kernel; 0: not known yet */
static _Atomic int64_t lived_ns;

/* The call that a thread is waiting for. It is in the list from its first use until the
 * thread ends. */
struct armed {
    _Atomic int64_t deadline_ns; /* in lived time; 0: disarmed */
    _Atomic(const char *) what, file;
    _Atomic int64_t offset;
    _Atomic double limit_s;
    int lane;                   /* -1: the thread is no lane */
    bool listed;                /* used by its own thread only */
    struct armed *next, **link; /* list; `link` is the pointer that points here */
};
static _Thread_local struct armed mine;
static struct armed *all;
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t leaving; /* its destructor takes a thread out of the list */
static bool have_key;

static _Atomic double set_limit_s = WATCHDOG_LIMIT_S; /* 0: there is no limit */
static char program[64], host[64];
static atomic_int rank, turn;
static atomic_bool stands; /* the run has succeeded; only MPI is still to be ended */
static struct {
    pid_t id;           /* the kernel's number of our first thread */
    int64_t look_ns;    /* time of the next look */
    long long switches; /* times that it had gone to sleep by the last look */
    int looks;          /* looks that found it in the same sleep */
} first;

/* ---- the end --------------------------------------------------------------------- */

static struct timespec later(int64_t ns)
{
    int64_t at_ns = clock_ns() + ns;
    return (struct timespec){at_ns / 1000000000, at_ns % 1000000000};
}

static void *remove_all(void *unused)
{
    (void)unused;
    scratch_unlink_all();
    return NULL;
}

/* Removes files within a time limit: removing may hang as well, and the exit status
 * must be the same as ever. */
static void remove_in_time(void)
{
    struct timespec until = later(REMOVE_NS);
    pthread_t remover;
    if (pthread_create(&remover, NULL, remove_all, NULL))
        scratch_unlink_all();
    else
        pthread_clockjoin_np(remover, NULL, CLOCK_MONOTONIC, &until);
}

void watchdog_end(const char *fmt, ...)
{
    char text[2048];
    int size = (int)sizeof text - 1, known = rank;
    int n =
        known < 0
            ? snprintf(text, (size_t)size, "%s: a rank on %s: ", program, host)
            : snprintf(text, (size_t)size, "%s: rank %d on %s: ", program, known, host);
    va_list ap;
    va_start(ap, fmt);
    n += vsnprintf(text + n, (size_t)(size - n), fmt, ap);
    va_end(ap);
    n = n < size ? n : size - 1;
    text[n++] = '\n';
    ssize_t told = write(STDERR_FILENO, text, (size_t)n);
    (void)told; /* there is nobody else to tell */
    watchdog_end_silently();
}

void watchdog_end_silently(void)
{
    scratch_bound(true);
    heartbeat_fail();
    remove_in_time();
    heartbeat_let_end(LET_END_MS);
    _exit(EXIT_FAILED);
}

/* Ends this process when MPI_Finalize hangs, as it does now and then with MPICH 4.0 on
 * several nodes. The report is closed and the files are gone: nothing failed. All ranks
 * end in the same moment: a launcher that saw one end first would kill the others, and
 * the job would seem to have failed. */
static void end_with_results(double limit_s)
{
    if (turn == 0)
        err_tell(program, "warning", NULL,
                 "MPI_Finalize did not come back within %g s (known of MPICH 4.0): the "
                 "results stand, and the run ends without it",
                 limit_s);
    heartbeat_let_end(LET_ALL_END_MS);
    heartbeat_close();
    _exit(EXIT_SUCCESS);
}

static void bite(const struct armed *a)
{
    struct err earlier = err_copy();
    char where[512] = "", before[800] = "", silent[256], who[32] = "";
    const char *what = a->what, *file = a->file;
    int64_t offset = a->offset;
    if (file && offset >= 0)
        snprintf(where, sizeof where, " (file %.440s, offset %lld)", file,
                 (long long)offset);
    else if (file)
        snprintf(where, sizeof where, " (file %.480s)", file);
    if (earlier.code && earlier.rank >= 0)
        snprintf(before, sizeof before, "; earlier: %.500s (rank %d on %s)",
                 earlier.text, earlier.rank, earlier.host);
    else if (earlier.code)
        snprintf(before, sizeof before, "; earlier: %.500s", earlier.text);
    if (a->lane >= 0)
        snprintf(who, sizeof who, "lane %d: ", a->lane);
    heartbeat_name_silent(silent, sizeof silent);
    watchdog_end(
        "%s%s did not come back within %g s%s%s%s: the run is ended; --io-timeout "
        "sets the limit%s",
        who, what ? what : "a call", a->limit_s, where, silent[0] ? "; " : "", silent,
        before);
}

/* ---- looking --------------------------------------------------------------------- */

int64_t watchdog_courtesy_ns(void)
{
    return turn * TURN_NS;
}

/* True if any call with a deadline is in flight. */
static bool look_at_calls(void)
{
    bool some = false;
    pthread_mutex_lock(&listing);
    for (const struct armed *a = all; a; a = a->next) {
        int64_t d = a->deadline_ns;
        some |= d != 0;
        if (d && stands && lived_ns > d)
            end_with_results(a->limit_s);
        if (d && lived_ns > d + watchdog_courtesy_ns())
            bite(a);
    }
    pthread_mutex_unlock(&listing);
    return some;
}

/* Returns the state of our first thread, and how often it has gone to sleep. */
static char state_of_first(long long *switches)
{
    char path[64], line[256], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", (long)first.id);
    FILE *f = fopen(path, "re");
    *switches = -1;
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "State: %c", &state);
        sscanf(line, "voluntary_ctxt_switches: %lld", switches);
    }
    if (f)
        fclose(f);
    return state;
}

/* Checks our first thread. A dead file server or disk may hold it in a call without a
 * deadline, or in its own program text. Looks are far apart, so that the kernel's
 * counts of our I/O remain those of the run. */
static void look_at_first(double limit_s)
{
    long long switches;
    if (lived_ns < first.look_ns)
        return;
    first.look_ns = lived_ns + (int64_t)(limit_s / STUCK_LOOKS * 1e9);
    bool stuck = state_of_first(&switches) == 'D' && switches == first.switches;
    first.switches = switches;
    first.looks = stuck ? first.looks + 1 : 0;
    if (first.looks > STUCK_LOOKS)
        watchdog_end(
            "it has been waiting in the kernel (state D) for %g s, for a device "
            "or a file server: the run is ended; --io-timeout sets the limit",
            limit_s);
}

static void ring(int fd)
{
    send(fd, "", 1, MSG_NOSIGNAL);
}

/* Waits for the next look, for the end, or for news of another node, which are passed
 * on at once: they may have to pass many nodes. */
static void pause_looking(void)
{
    int64_t begin_ns = clock_ns();
    bool looks = set_limit_s > 0 && !scratch_ending();
    struct pollfd news[] = {
        {.fd = bell[1], .events = POLLIN},
        {.fd = looks ? heartbeat_descriptor() : -1, .events = POLLIN}};
    poll(news, 2, (int)(WATCHDOG_LOOK_NS / 1000000));
    int64_t slept_ns = clock_ns() - begin_ns;
    lived_ns += slept_ns < 2 * WATCHDOG_LOOK_NS ? slept_ns : 2 * WATCHDOG_LOOK_NS;
}

static void *watch_calls(void *unused)
{
    (void)unused;
    thread_id = (int)syscall(SYS_gettid);
    while (running) {
        pause_looking();
        heartbeat_tick();
        if (scratch_ending())
            continue;
        bool calls = look_at_calls();
        double limit_s = set_limit_s;
        if (limit_s > 0 && !calls)
            look_at_first(limit_s);
        if (limit_s > 0)
            heartbeat_look(lived_ns, limit_s);
    }
    ring(bell[1]);
    return NULL;
}

/* ---- what others call ------------------------------------------------------------ */

static void unlist_thread(void *place)
{
    struct armed *a = place;
    pthread_mutex_lock(&listing);
    *a->link = a->next;
    if (a->next)
        a->next->link = a->link;
    a->listed = false;
    pthread_mutex_unlock(&listing);
}

/* Sets the rank and its turn. The environment is not read later: MPI libraries change
 * it as they start. */
void watchdog_rank(int known)
{
    bool speaks = known < 0 ? opt_speaks() : !known;
    rank = known;
    turn = speaks ? 0 : 1 + (known < 0 ? getpid() : known) % WATCHDOG_TURNS;
}

int watchdog_open(const char *of_program, int of_rank, const char *on_host)
{
    snprintf(program, sizeof program, "%s", of_program);
    snprintf(host, sizeof host, "%s", on_host);
    watchdog_rank(of_rank);
    first.id = (pid_t)syscall(SYS_gettid);
    int rc = have_key ? 0 : pthread_key_create(&leaving, unlist_thread);
    have_key = !rc;
    if (!rc && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bell))
        rc = errno;
    running = true;
    if (!rc)
        rc = pthread_create(&thread, NULL, watch_calls, NULL);
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

void watchdog_limit(double limit_s)
{
    set_limit_s = limit_s;
}

double watchdog_limit_s(void)
{
    return set_limit_s;
}

int64_t watchdog_ns(void)
{
    return running ? lived_ns : clock_ns();
}

static struct armed *my_place(void)
{
    if (mine.listed)
        return &mine;
    if (pthread_setspecific(leaving, &mine)) {
        mem_none(NULL, 0, "watching a thread's calls");
        return NULL;
    }
    mine.lane = err_lane_now();
    mine.listed = true;
    pthread_mutex_lock(&listing);
    mine.next = all;
    mine.link = &all;
    if (all)
        all->link = &mine.next;
    all = &mine;
    pthread_mutex_unlock(&listing);
    return &mine;
}

/* Arms a deadline, twice in each transfer. A thread that sees the deadline sees the
 * rest as well; no other order is needed, which would cost as much as reading the
 * clock. */
void watchdog_arm(double limit_s, const char *what, const char *file, int64_t offset)
{
    struct armed *a = running && limit_s > 0 ? my_place() : NULL;
    if (!a)
        return;
    int64_t limit_ns = (int64_t)(limit_s * 1e9) + WATCHDOG_LOOK_NS;
    atomic_store_explicit(&a->what, what, memory_order_relaxed);
    atomic_store_explicit(&a->file, file, memory_order_relaxed);
    atomic_store_explicit(&a->offset, offset, memory_order_relaxed);
    atomic_store_explicit(&a->limit_s, limit_s, memory_order_relaxed);
    atomic_store_explicit(&a->deadline_ns, lived_ns + limit_ns, memory_order_release);
}

void watchdog_arm_as_set(const char *what, const char *file)
{
    watchdog_arm(set_limit_s, what, file, -1);
}

void watchdog_arm_start(const char *what)
{
    double limit_s = set_limit_s;
    watchdog_arm(limit_s > 0 && limit_s < START_S ? START_S : limit_s, what, NULL, -1);
}

void watchdog_arm_finalize(void)
{
    stands = true;
    watchdog_arm(FINALIZE_S, "MPI_Finalize", NULL, -1);
}

void watchdog_disarm(void)
{
    atomic_store_explicit(&mine.deadline_ns, 0, memory_order_release);
}

void watchdog_close(void)
{
    if (!running)
        return;
    struct pollfd ends = {.fd = bell[0], .events = POLLIN};
    running = false;
    ring(bell[0]);
    /* The report is written: a thread that hangs must not hold the process. */
    if (poll(&ends, 1, CLOSE_MS) != 1)
        return;
    pthread_join(thread, NULL);
    heartbeat_close();
    close(bell[0]);
    close(bell[1]);
}
