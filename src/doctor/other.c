/* The second party of a probe: a child of this process, or a rank of another node. Both
 * answer the same questions in the same way. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "doctor/inside.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 48, PAGE = 4096 };

struct other {
    int socket; /* -1: another rank */
    pid_t pid;
    MPI_Comm comm;
    int rank;
    bool gone;
};

/* ---- its work -------------------------------------------------------------------- */

struct served { /* files of the second party */
    const char *path;
    int fd;
    volatile unsigned char *map; /* NULL: none */
};

int other_append(int fd, int writer, int64_t records)
{
    char record[RECORD + 32];
    for (int64_t i = 0; i < records; i++) {
        snprintf(record, sizeof record, "%c%08lld%54s\n", 'a' + writer, (long long)i,
                 "");
        if (write(fd, record, RECORD) != RECORD)
            return errno ? -errno : -EIO;
    }
    return 0;
}

int other_lock(int fd, enum lock_kind kind, bool lock)
{
    struct flock l = {.l_type = lock ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};
    int rc = kind == LOCK_FLOCK
                 ? flock(fd, lock ? LOCK_EX | LOCK_NB : LOCK_UN)
                 : fcntl(fd, kind == LOCK_OFD ? F_OFD_SETLK : F_SETLK, &l);
    return rc ? -errno : 0;
}

/* The byte that all n bytes are; -1: they differ. */
static int same(const unsigned char *b, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (b[i] != b[0])
            return -1;
    return n > 0 ? b[0] : -1;
}

static struct answer serve_read(int fd, const struct question *q)
{
    unsigned char buf[PAGE];
    ssize_t n = pread(fd, buf, (size_t)q->bytes % (PAGE + 1), q->at);
    return (struct answer){n < 0 ? -errno : n, same(buf, n)};
}

static int64_t serve_write(int fd, const struct question *q)
{
    unsigned char buf[PAGE];
    memset(buf, q->how, sizeof buf);
    ssize_t n = pwrite(fd, buf, (size_t)q->bytes % (PAGE + 1), q->at);
    return n < 0 ? -errno : n;
}

/* Counts names; a name that is listed twice makes the number wrong, too. */
static struct answer serve_list(const struct served *s, const char *prefix)
{
    struct answer a = {0, 0};
    DIR *d = opendir(s->path);
    if (!d)
        return (struct answer){-errno, 0};
    for (struct dirent *e; (e = readdir(d));)
        a.value += !strncmp(e->d_name, prefix, strlen(prefix));
    closedir(d);
    return a;
}

static bool is_whole_file(const char *path)
{
    unsigned char buf[RECORD + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, buf, sizeof buf);
    close(fd);
    return n == RECORD && same(buf, n) >= 0;
}

static struct answer serve_watch(const char *path, int64_t ms)
{
    struct answer a = {0, 0};
    for (int64_t end = clock_ns() + ms * 1000000; clock_ns() < end; a.value++)
        a.rc += !is_whole_file(path);
    return a;
}

static int serve_map(struct served *s)
{
    void *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    s->map = map == MAP_FAILED ? NULL : map;
    return s->map ? 0 : -errno;
}

static int serve_close(struct served *s)
{
    if (s->map)
        munmap((void *)s->map, PAGE);
    int rc = s->fd >= 0 && close(s->fd) ? -errno : 0;
    s->map = NULL;
    s->fd = -1;
    return rc;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Answers what concerns names. */
static struct answer serve_name(struct served *s, const struct question *q)
{
    char path[PATH_MAX + 80];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", s->path, q->name);
    if (q->what == ASK_LIST)
        return serve_list(s, q->name);
    if (q->what == ASK_WATCH)
        return serve_watch(path, q->bytes);
    if (q->what == ASK_STAT)
        return stat(path, &st) ? (struct answer){-errno, 0}
                               : (struct answer){0, st.st_size};
    serve_close(s);
    s->fd = open(path, q->how | O_CLOEXEC);
    return (struct answer){s->fd < 0 ? -errno : 0, 0};
}

static struct answer answer_question(struct served *s, const struct question *q)
{
    struct answer a = {0, 0};
    switch (q->what) {
    case ASK_READ:
        return serve_read(s->fd, q);
    case ASK_WRITE:
        a.rc = serve_write(s->fd, q);
        break;
    case ASK_APPEND:
        a.rc = other_append(s->fd, q->how, q->bytes);
        break;
    case ASK_LOCK:
        a.rc = other_lock(s->fd, (enum lock_kind)q->how, true);
        break;
    case ASK_UNLOCK:
        a.rc = other_lock(s->fd, (enum lock_kind)q->how, false);
        break;
    case ASK_MAP:
        a.rc = serve_map(s);
        break;
    case ASK_CLOSE:
        a.rc = serve_close(s);
        break;
    case ASK_CLOCK:
        a.value = now_ns();
        break;
    case ASK_PEEK:
        a.value = s->map ? s->map[q->at] : -1;
        break;
    case ASK_POKE:
        if (s->map)
            s->map[q->at] = (unsigned char)q->how;
        break;
    default:
        return serve_name(s, q);
    }
    return a;
}

/* ---- a child --------------------------------------------------------------------- */

/* Transfers all n bytes by a socket; false: its other end is closed. */
static bool socket_send(int fd, const void *what, size_t n)
{
    return send(fd, what, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static bool socket_receive(int fd, void *what, size_t n)
{
    ssize_t got;
    do
        got = recv(fd, what, n, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

/* The life of a child. If its parent is gone, nobody else removes the files. */
static void child_serve(int socket, const char *path)
{
    struct served s = {path, -1, NULL};
    struct question q;
    bool asked;
    while ((asked = socket_receive(socket, &q, sizeof q)) && q.what != ASK_END) {
        struct answer a = answer_question(&s, &q);
        if (!(asked = socket_send(socket, &a, sizeof a)))
            break;
    }
    serve_close(&s);
    int fd = asked ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && !empty_folder(fd))
        rmdir(path);
    _exit(0);
}

/* A signal for the whole group is the parent's to answer. */
static void ignore_signals(void)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGQUIT, SIGHUP,
                                  SIGXCPU, SIGUSR2, SIGPIPE, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_IGN);
}

struct other *other_start(const char *path)
{
    int pair[2];
    struct other *o = mem_of(path, 1, sizeof *o, "a second process");
    if (!o || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        free(o);
        return NULL;
    }
    *o = (struct other){.socket = pair[0], .comm = MPI_COMM_NULL};
    fflush(NULL);
    o->pid = fork();
    if (o->pid == 0) {
        close(pair[0]);
        ignore_signals();
        child_serve(pair[1], path);
    }
    close(pair[1]);
    if (o->pid > 0)
        return o;
    close(pair[0]);
    free(o);
    return NULL;
}

/* ---- another rank ---------------------------------------------------------------- */

struct other *other_rank(MPI_Comm comm, int rank)
{
    struct other *o = mem_new(1, sizeof *o, "a second process");
    if (o)
        *o = (struct other){.socket = -1, .comm = comm, .rank = rank};
    return o;
}

static void rank_receive(MPI_Comm comm, int rank, void *what, int n)
{
    MPI_Request request;
    MPI_Irecv(what, n, MPI_BYTE, rank, TAG, comm, &request);
    world_wait(&request, MPI_STATUS_IGNORE);
}

void other_serve(MPI_Comm comm, const char *path)
{
    struct served s = {path, -1, NULL};
    struct question q;
    for (;;) {
        rank_receive(comm, 0, &q, sizeof q);
        if (q.what == ASK_END)
            break;
        struct answer a = answer_question(&s, &q);
        MPI_Send(&a, sizeof a, MPI_BYTE, 0, TAG, comm);
    }
    serve_close(&s);
}

/* ---- asking ---------------------------------------------------------------------- */

void other_send(struct other *o, const struct question *q)
{
    if (o->socket < 0)
        MPI_Send(q, sizeof *q, MPI_BYTE, o->rank, TAG, o->comm);
    else if (!o->gone)
        o->gone = !socket_send(o->socket, q, sizeof *q);
}

struct answer other_receive(struct other *o)
{
    struct answer a = {-ESRCH, -1};
    if (o->socket < 0)
        rank_receive(o->comm, o->rank, &a, sizeof a);
    else if (!o->gone)
        o->gone = !socket_receive(o->socket, &a, sizeof a);
    return a;
}

struct answer other_ask(struct other *o, const struct question *q)
{
    other_send(o, q);
    return other_receive(o);
}

bool other_remote(const struct other *o)
{
    return o->socket < 0;
}

bool other_gone(const struct other *o)
{
    return o->gone;
}

void other_end(struct other **o, bool tell)
{
    if (!*o)
        return;
    if (tell)
        other_send(*o, &(struct question){.what = ASK_END});
    if ((*o)->socket >= 0) {
        close((*o)->socket);
        while (waitpid((*o)->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(*o);
    *o = NULL;
}
