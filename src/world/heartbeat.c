/* Signs of life. A frozen rank (by a cgroup's freezer, by SIGSTOP, with its node) makes
 * no calls, and no library notices: the others would wait for ever. So each rank's
 * watchdog thread increments a counter in memory that the ranks of a node share, and
 * the watchdog of the rank before it checks that counter. The first ranks of the nodes
 * do the same in a ring, by a TCP connection of their own, as the thread must not call
 * MPI.
 *
 * Each rank looks after one, so the cost does not depend on the number of ranks. If
 * several ranks are frozen together, the rank before the first of them still lives and
 * notices. All times count only while the looking process runs: if a batch system stops
 * all ranks, nobody looks meanwhile. */
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "world/inside.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    STILL_LOOKS = 15, /* looks without a change before a rank counts as frozen */
    BEATS = 10,       /* signs of life that a node sends within the limit */
    ADDRESSES = 4,    /* addresses of a node that are tried */
    CALLERS = 4,      /* connections whose caller is not known yet */
    LINK_WAIT_MS = 1000,
    LATER_S = 8, /* extra wait for a node, compared with a rank of our own */
    GRACE_S = 5  /* time for a launcher to end the run after a rank has vanished */
};

/* Bytes that a node sends to the next one. A connection that closes without a BYE or an
 * OVER belongs to a node that vanished. */
enum { BEAT, BYE, OVER };

/* Another rank of this node. */
struct mate {
    pid_t pid, watchdog; /* `watchdog` is the kernel's number of its watchdog thread */
    int rank;
};

/* The state that a rank shows, in a cache line of its own. */
struct beat {
    _Alignas(64) _Atomic uint32_t count;
    _Atomic uint32_t end;    /* its state after a signal (REMOVES, HAS_REMOVED) */
    _Atomic uint32_t failed; /* another rank has said why the run ends */
};
enum { GOES_ON, REMOVES, HAS_REMOVED };
#define ENDED UINT32_MAX

static struct {
    struct beat *beat; /* beats of all ranks of the node; NULL: there are none */
    struct mate *mates;
    int ranks, mine;
    bool known;       /* `mates` are filled in */
    bool linked;      /* another node looks after our first rank */
    pid_t pid;        /* our process; one that we start is not part of the run */
    uint32_t *counts; /* counters of all, some time ago */
    uint32_t seen;    /* counter of the next rank */
    int looks;        /* looks since it last changed */
    int64_t since_ns;
    char host[64];
} here;

/* The address of a node's first rank. The token shows it who calls. */
struct contact {
    uint64_t token;
    int rank, port, n;
    struct in_addr at[ADDRESSES];
    char host[64];
};

static struct {
    int to[ADDRESSES]; /* connections to the next node by each address; -1: none */
    bool greeted[ADDRESSES];
    int listening, caller[CALLERS], from; /* `from` is the node before */
    int rank;                             /* the first rank of the node before */
    char host[64];
    /* our token, which the node before knows; and that of the next node */
    uint64_t token;
    uint64_t next_token;
    int64_t heard_ns, beat_ns;
    int64_t lost_ns; /* time at which the node before vanished; 0: it has not */
    bool over;       /* the node before has said why the run ends */
} links = {
    .to = {-1, -1, -1, -1}, .listening = -1, .caller = {-1, -1, -1, -1}, .from = -1};

static atomic_bool ready; /* the watchdog's thread may use all this */

static void hang_up(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- in a node: opening ---------------------------------------------------------- */

/* Exchanges the process numbers of the ranks here, the next one first. */
static int meet_mates(MPI_Comm group, int rank)
{
    struct mate self = {getpid(), watchdog_thread(), rank};
    struct mate *all = mem_new(here.ranks, sizeof *all, "processes");
    here.mates = mem_new(here.ranks, sizeof *here.mates, "processes");
    here.counts = mem_new(here.ranks, sizeof *here.counts, "processes");
    int rc = all && here.mates && here.counts ? 0 : -ENOMEM;
    rc = err_agree(group, rc);
    if (!rc)
        MPI_Allgather(&self, (int)sizeof self, MPI_BYTE, all, (int)sizeof self,
                      MPI_BYTE, group);
    for (int i = 1; i < here.ranks && !rc; i++)
        here.mates[i - 1] = all[(here.mine + i) % here.ranks];
    here.pid = getpid();
    here.known = !rc;
    free(all);
    return rc;
}

/* Creates memory without a name, which the others open as a file of the first rank. So
 * nothing is left of it, however the run ends. */
static int open_page(MPI_Comm group, size_t bytes)
{
    long long where[2] = {getpid(), -1};
    char path[64];
    if (here.mine == 0) {
        int fd = (int)syscall(SYS_memfd_create, "leadline", 1 /* close on exec */);
        where[1] = fd >= 0 && ftruncate(fd, (off_t)bytes) ? -1 : fd;
    }
    MPI_Bcast(where, 2, MPI_LONG_LONG, 0, group);
    if (here.mine == 0 || where[1] < 0)
        return (int)where[1];
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", where[0], where[1]);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Maps the shared memory. Returns 1, or 0 if the ranks here cannot share memory. */
static int share_page(MPI_Comm group)
{
    size_t bytes = (size_t)here.ranks * sizeof *here.beat;
    int fd = open_page(group, bytes);
    void *page = fd < 0 ? MAP_FAILED
                        : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int good = page != MAP_FAILED;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group);
    if (fd >= 0)
        close(fd);
    if (good)
        here.beat = page;
    else if (page != MAP_FAILED)
        munmap(page, bytes);
    return good;
}

/* ---- between nodes: opening ------------------------------------------------------ */

static void find_addresses(struct contact *c)
{
    struct ifaddrs *list = NULL;
    c->n = 0;
    if (getifaddrs(&list))
        return;
    for (int loopback = 0; loopback < 2 && !c->n; loopback++)
        for (struct ifaddrs *i = list; i && c->n < ADDRESSES; i = i->ifa_next)
            if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
                (i->ifa_flags & IFF_UP) &&
                !(i->ifa_flags & IFF_LOOPBACK) == !loopback) {
                struct sockaddr_in a;
                memcpy(&a, i->ifa_addr, sizeof a);
                c->at[c->n++] = a.sin_addr;
            }
    freeifaddrs(list);
}

static int new_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Listens for the node before; c->n is 0 if that cannot be done. */
static void listen_for(struct contact *c)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    socklen_t size = sizeof any;
    int fd = new_socket();
    if (fd >= 0 && !bind(fd, (struct sockaddr *)&any, sizeof any) &&
        !listen(fd, CALLERS) && !getsockname(fd, (struct sockaddr *)&any, &size) &&
        getrandom(&c->token, sizeof c->token, 0) == (ssize_t)sizeof c->token)
        find_addresses(c);
    c->port = any.sin_port;
    links.listening = fd;
    links.token = c->token;
}

static void heartbeat_call(const struct contact *c)
{
    links.next_token = c->token;
    for (int i = 0; i < c->n && i < ADDRESSES; i++) {
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_port = (in_port_t)c->port,
                                .sin_addr = c->at[i]};
        links.to[i] = new_socket();
        if (links.to[i] >= 0 && connect(links.to[i], (struct sockaddr *)&a, sizeof a) &&
            errno != EINPROGRESS)
            hang_up(&links.to[i]);
    }
}

/* Sends the token on connections that are up; they are made in the background. */
static void greet(void)
{
    for (int i = 0; i < ADDRESSES; i++) {
        struct pollfd p = {.fd = links.to[i], .events = POLLOUT};
        if (links.greeted[i] || links.to[i] < 0 || poll(&p, 1, 0) != 1)
            continue;
        links.greeted[i] = send(links.to[i], &links.next_token, sizeof links.next_token,
                                MSG_NOSIGNAL) == (ssize_t)sizeof links.next_token;
        if (!links.greeted[i])
            hang_up(&links.to[i]);
    }
}

static void hear_caller(int *fd)
{
    uint64_t token;
    ssize_t n = recv(*fd, &token, sizeof token, MSG_PEEK);
    if (n < (ssize_t)sizeof token && (n > 0 || (n < 0 && errno == EAGAIN)))
        return; /* the rest may still come */
    if (n == (ssize_t)sizeof token && token == links.token && links.from < 0 &&
        recv(*fd, &token, sizeof token, 0) == n) { /* what follows are news */
        links.from = *fd;
        *fd = -1;
    }
    hang_up(fd);
}

/* Accepts connections. Anybody may call; the first one that knows the token is taken,
 * and then nobody else. */
static void heartbeat_answer(void)
{
    if (links.listening < 0)
        return;
    for (int i = 0; i < CALLERS; i++) {
        if (links.caller[i] < 0)
            links.caller[i] =
                accept4(links.listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (links.caller[i] >= 0)
            hear_caller(&links.caller[i]);
    }
    if (links.from < 0)
        return;
    for (int i = 0; i < CALLERS; i++)
        hang_up(&links.caller[i]);
    hang_up(&links.listening);
}

/* Connects neighbouring nodes. Returns 1, or 0 if the node before cannot be heard. */
static int link_nodes(MPI_Comm leaders, const struct world *w)
{
    struct contact self = {.rank = w->rank}, next, before;
    int rank, n;
    MPI_Comm_rank(leaders, &rank);
    MPI_Comm_size(leaders, &n);
    if (n == 1)
        return 1;
    int up = (rank + 1) % n, down = (rank + n - 1) % n;
    memcpy(self.host, w->host, sizeof self.host);
    listen_for(&self);
    MPI_Sendrecv(&self, sizeof self, MPI_BYTE, down, 0, &next, sizeof next, MPI_BYTE,
                 up, 0, leaders, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&self, sizeof self, MPI_BYTE, up, 1, &before, sizeof before, MPI_BYTE,
                 down, 1, leaders, MPI_STATUS_IGNORE);
    links.rank = before.rank;
    memcpy(links.host, before.host, sizeof links.host);
    heartbeat_call(&next);
    for (int ms = 0; ms < LINK_WAIT_MS && links.from < 0; ms++) {
        greet();
        heartbeat_answer();
        poll(NULL, 0, links.from < 0 ? 1 : 0);
    }
    return links.from >= 0;
}

/* ---- an end by a signal ---------------------------------------------------------- */

/* Returns the state in "PID (NAME) STATE ..."; 0: there is no such process. */
static char state_of(pid_t pid)
{
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static bool has_ended(char state)
{
    return !state || state == 'Z' || state == 'X';
}

/* True if other ranks still remove files. A rank that has been warned, or waits for a
 * disk, may not know of its signal yet. */
static bool others_busy(bool gone)
{
    if (here.pid != getpid()) /* a process that we start is not part of the run */
        return false;
    here.beat[here.mine].end = gone ? HAS_REMOVED : REMOVES;
    for (int i = 1; i < here.ranks; i++) {
        const struct beat *b = &here.beat[(here.mine + i) % here.ranks];
        bool over = b->end == HAS_REMOVED || b->count == ENDED;
        if (!over && !has_ended(state_of(here.mates[i - 1].pid)))
            return true;
    }
    return false;
}

/* Signals another rank. A launcher that sees one process end may kill the rest, which
 * then leave their files (MPICH's does). So they get a signal first, even if stopped.
 * The signal goes to their watchdogs, which are silent from then on: a first thread may
 * be where no signal reaches it. */
static void warn_mate(const struct mate *m, int sig)
{
    syscall(SYS_tgkill, m->pid, m->watchdog, sig);
    kill(m->pid, SIGCONT);
}

/* Warns the other ranks of this node. MPI libraries ignore SIGPIPE. */
static void warn_others(int sig)
{
    for (int i = 1; i < here.ranks && here.pid == getpid(); i++) {
        const struct beat *b = &here.beat[(here.mine + i) % here.ranks];
        if (b->end == GOES_ON && b->count != ENDED)
            warn_mate(&here.mates[i - 1], sig == SIGPIPE ? SIGTERM : sig);
    }
}

/* Tells the next node. Safe in a signal's handler. */
static void tell_next_node(char what)
{
    for (int i = 0; i < ADDRESSES; i++)
        if (links.greeted[i] && links.to[i] >= 0)
            send(links.to[i], &what, 1, MSG_NOSIGNAL);
}

/* True if another rank has said why the run ends: then the next node need not say it
 * again. */
static bool run_failed(void)
{
    bool failed = here.beat[here.mine].failed;
    if (failed && here.pid == getpid())
        tell_next_node(OVER);
    return failed;
}

void heartbeat_fail(void)
{
    tell_next_node(OVER);
    if (here.beat) /* a rank that has a signal from us sends us none */
        here.beat[here.mine].end = REMOVES;
    for (int i = 1; i < here.ranks && here.known; i++) {
        if (here.beat)
            here.beat[(here.mine + i) % here.ranks].failed = 1;
        warn_mate(&here.mates[i - 1], SIGTERM);
    }
}

void heartbeat_let_end(int most_ms)
{
    const struct timespec look = {.tv_nsec = 1000000};
    for (int i = 0; i < most_ms && here.beat && others_busy(true); i++)
        nanosleep(&look, NULL);
}

/* ---- opening --------------------------------------------------------------------- */

int heartbeat_open(struct world *w, MPI_Comm node)
{
    static const struct scratch_others others = {others_busy, warn_others, run_failed};
    MPI_Comm group, leaders;
    struct stat st;
    /* Ranks in containers may share memory but not process numbers. */
    int64_t pids = stat("/proc/self/ns/pid", &st) ? 0 : (int64_t)st.st_ino;
    MPI_Comm_split(node, (int)(pids & INT_MAX), 0, &group);
    MPI_Comm_rank(group, &here.mine);
    MPI_Comm_size(group, &here.ranks);
    memcpy(here.host, w->host, sizeof here.host);
    int rc = err_agree(w->comm, meet_mates(group, w->rank));
    int good = !rc && (here.ranks == 1 || share_page(group));
    MPI_Comm_split(w->comm, here.mine ? MPI_UNDEFINED : 0, w->rank, &leaders);
    if (leaders != MPI_COMM_NULL) {
        good &= link_nodes(leaders, w);
        MPI_Comm_free(&leaders);
    }
    MPI_Comm_free(&group);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, w->comm);
    w->watched = good;
    here.linked = good && w->nodes > 1;
    ready = true;
    if (here.beat)
        scratch_wait_for(&others);
    return rc;
}

/* ---- looking: the watchdog's thread ---------------------------------------------- */

void heartbeat_tick(void)
{
    if (ready && here.beat)
        atomic_fetch_add(&here.beat[here.mine].count, 1);
}

/* Describes a rank and its state in the kernel; false: a debugger holds it (state t),
 * and somebody knows. */
static bool heartbeat_describe(const struct mate *m, char *out, size_t size)
{
    char state = state_of(m->pid), how[64];
    if (state == 'T')
        snprintf(how, sizeof how, "has been stopped by a signal");
    else if (has_ended(state))
        snprintf(how, sizeof how, "has ended, and did not say so,");
    else
        snprintf(how, sizeof how, "is frozen (state %c), without a sign of life",
                 state);
    snprintf(out, size, "rank %d on %s, process %ld, %s", m->rank, here.host,
             (long)m->pid, how);
    return state != 't';
}

static void tell_of_next(double limit_s)
{
    char text[256];
    bool ended = has_ended(state_of(here.mates->pid));
    bool first = (here.mine + 1) % here.ranks == 0;
    if (ended && first && here.linked)
        watchdog_end_silently(); /* the next node says it */
    if (ended)
        watchdog_end("rank %d on %s, process %ld, has ended before the run did: the "
                     "run is ended",
                     here.mates->rank, here.host, (long)here.mates->pid);
    if (heartbeat_describe(here.mates, text, sizeof text))
        watchdog_end("%s for %g s: the run is ended; --io-timeout sets the limit", text,
                     limit_s);
}

/* Limits the time for which a vanished rank or node is awaited. */
static int64_t grace_ns(int64_t limit_ns)
{
    int64_t grace = GRACE_S * INT64_C(1000000000);
    return grace < limit_ns ? grace : limit_ns;
}

void heartbeat_name_silent(char *out, size_t size)
{
    enum { LOOKS = 3 };
    uint32_t *count = ready && here.beat ? here.counts : NULL;
    out[0] = 0;
    for (int i = 0; count && i < here.ranks; i++)
        count[i] = here.beat[i].count;
    for (int i = 0; count && i < LOOKS; i++) { /* the others must see that we live */
        nanosleep(&(struct timespec){.tv_nsec = WATCHDOG_LOOK_NS}, NULL);
        heartbeat_tick();
    }
    for (int i = 1; count && !out[0] && i < here.ranks; i++) {
        int at = (here.mine + i) % here.ranks;
        if (here.beat[at].count == count[at] && count[at] != ENDED &&
            !heartbeat_describe(&here.mates[i - 1], out, size))
            out[0] = 0;
    }
}

static void look_after_next(int64_t lived_ns, int64_t limit_ns)
{
    uint32_t count = here.beat[(here.mine + 1) % here.ranks].count;
    here.looks++;
    if (count != here.seen || count == ENDED) {
        here.seen = count;
        here.since_ns = lived_ns;
        here.looks = 0;
    }
    int64_t still_ns = lived_ns - here.since_ns - watchdog_courtesy_ns();
    if (here.looks > STILL_LOOKS &&
        (still_ns > limit_ns ||
         (still_ns > grace_ns(limit_ns) && has_ended(state_of(here.mates->pid)))))
        tell_of_next((double)limit_ns / 1e9);
}

static void send_beats(int64_t lived_ns, int64_t limit_ns)
{
    if (lived_ns < links.beat_ns)
        return;
    links.beat_ns = lived_ns + limit_ns / BEATS;
    for (int i = 0; i < ADDRESSES; i++)
        if (links.greeted[i] && links.to[i] >= 0 &&
            send(links.to[i], "", 1, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
            hang_up(&links.to[i]);
}

/* Reads the bytes of the node before. Returns false if the connection is closed. */
static bool hear_node(int64_t lived_ns)
{
    char what[64];
    ssize_t n = recv(links.from, what, sizeof what, 0);
    if (n > 0 || !links.heard_ns)
        links.heard_ns = lived_ns;
    if (n > 0 && what[n - 1] == BYE)
        n = 0;
    else if (n > 0 && what[n - 1] == OVER)
        links.over = true;
    else if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
        links.lost_ns = lived_ns ? lived_ns : 1;
    return n > 0 || !links.lost_ns;
}

/* Checks the node before. If it has vanished, its launcher has a moment to end the run:
 * srun, for one, does not by default. */
static void look_after_node(int64_t lived_ns, int64_t limit_ns)
{
    if (links.from >= 0 && !hear_node(lived_ns))
        hang_up(&links.from);
    if (links.over)
        watchdog_end_silently();
    if (links.lost_ns && lived_ns - links.lost_ns > grace_ns(limit_ns))
        watchdog_end("rank %d on %s, the first of its node, has ended before the run "
                     "did: the run is ended",
                     links.rank, links.host);
    if (links.from >= 0 &&
        lived_ns - links.heard_ns > limit_ns + LATER_S * INT64_C(1000000000))
        watchdog_end(
            "rank %d on %s, the first of its node, has given no sign of life for "
            "%g s: it is frozen, or cannot be reached any more: the run is "
            "ended; --io-timeout sets the limit",
            links.rank, links.host, (double)limit_ns / 1e9);
}

int heartbeat_descriptor(void)
{
    return ready ? links.from : -1;
}

void heartbeat_look(int64_t lived_ns, double limit_s)
{
    int64_t limit_ns = (int64_t)(limit_s * 1e9);
    if (!ready)
        return;
    if (here.beat)
        look_after_next(lived_ns, limit_ns);
    greet();
    heartbeat_answer();
    send_beats(lived_ns, limit_ns);
    look_after_node(lived_ns, limit_ns);
}

void heartbeat_close(void)
{
    scratch_wait_for(NULL);
    if (ready && here.beat)
        here.beat[here.mine].count = ENDED;
    ready = false;
    tell_next_node(BYE);
    for (int i = 0; i < ADDRESSES; i++)
        hang_up(&links.to[i]);
    for (int i = 0; i < CALLERS; i++)
        hang_up(&links.caller[i]);
    hang_up(&links.listening);
    hang_up(&links.from);
}
