/* mpiio-nb: MPI_File_iread_at and iwrite_at, or their collective forms, with many
 * requests in flight.
 *   mpiio-nb:piece=N   the largest number of bytes in one call; the pieces of a request
 *                      are in flight at the same time
 *   mpiio-nb:depth=N   calls that may be in flight; the others wait in line
 *
 * No library survives a full file system: ROMIO never finishes an independent write,
 * and reports success for a collective one; OMPIO crashes in MPI_Test. OMPIO never
 * finishes a read past the end, either. So requests that would meet these cases are not
 * submitted, and nothing here waits inside the library. ROMIO also mixes up the
 * messages of two collective calls in flight: there the next one is submitted when the
 * last one has ended. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/engines/mpiio.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define SHORT_NS INT64_C(50000) /* a shorter pause is impossible: the timer's slack */
#define LONG_NS INT64_C(200000)
#define DRAIN_S 2.0 /* limit for requests that have already timed out */
#define EDGES 8192  /* disk space that a request may take beyond its bytes */

struct slot {            /* a request in flight, and the state of its pieces */
    struct io_req *r;    /* NULL: unused */
    int submitted, left; /* pieces; left: not submitted, or in flight */
    bool failed;
    int code;          /* MPI's code for the failed piece that is first in the file */
    int64_t failed_at; /* offset of the first byte not transferred */
    struct slot *next; /* next in line */
};

struct nb_file {
    struct mpiio io;
    bool look_first;           /* check first: a failed request must not
                                * reach MPI_Test */
    int ranks;                 /* of the run: they share the file system */
    int under_way, most;       /* calls in flight, and their limit */
    struct slot *first, *last; /* line of slots with pieces to submit */
    int64_t room;     /* bytes that may be written before statvfs is asked again */
    int calls;        /* depth * pieces: entries of `all` */
    MPI_Request *all; /* piece k of slot i is at i * pieces + k */
    MPI_Status *status;
    int *index;
    struct slot slots[]; /* depth */
};

/* ---- opening and closing ---------------------------------------------------- */

static int mpiio_nb_allocate(struct io_file *f)
{
    struct nb_file *p = f->priv;
    p->look_first = !strcmp(f->layer, "OMPIO");
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    p->calls = f->depth * p->io.pieces;
    int64_t most = io_option(f->options, "depth", p->calls);
    if (f->flags & IO_COLLECTIVE && !p->look_first)
        most = 1;
    p->most = most < p->calls ? (int)most : p->calls;
    p->all = mem_of(f->path, p->calls, sizeof p->all[0], "calls in flight");
    p->status = mem_of(f->path, p->calls, sizeof p->status[0], "calls in flight");
    p->index = mem_of(f->path, p->calls, sizeof p->index[0], "calls in flight");
    if (!p->all || !p->status || !p->index)
        return -ENOMEM;
    for (int i = 0; i < p->calls; i++)
        p->all[i] = MPI_REQUEST_NULL;
    return 0;
}

static void mpiio_nb_release(const struct nb_file *p)
{
    free(p->all);
    free(p->status);
    free(p->index);
}

/* Refuses what Open MPI's ROMIO cannot do: it has no requests of its own, but completes
 * the calls at once, and crashes in collective ones. */
static int check_layer(struct io_file *f)
{
    bool together = f->flags & IO_COLLECTIVE;
    if (mpiio_is_romio_of_open_mpi(f)) {
        f->caveat = "Open MPI's ROMIO completes MPI_File_iwrite_at within the call";
        if (together)
            return err_usage(
                "MPI_File_iwrite_at_all crashes in Open MPI's ROMIO: leave out "
                "--collective, or take OMPIO (mpiexec --mca io ompio)");
    } else if (together && !strcmp(f->layer, "ROMIO")) {
        f->caveat = "ROMIO moves the bytes of MPI_File_iwrite_at_all within MPI_Test";
    }
    return 0;
}

static int nb_open(struct io_file *f)
{
    int rc =
        mpiio_open(f, sizeof(struct nb_file) + (size_t)f->depth * sizeof(struct slot));
    if (rc)
        return rc;
    f->queue->priv = f; /* its only file */
    rc = check_layer(f);
    if (!rc)
        rc = mpiio_nb_allocate(f);
    rc = err_agree(f->comm, rc);
    if (rc) {
        mpiio_nb_release(f->priv);
        mpiio_close(f);
    }
    return rc;
}

/* ---- transfers -------------------------------------------------------------- */

/* The bytes of a piece to request: OMPIO never finishes a read past the end. */
static int asked(struct nb_file *p, const struct io_req *r, int k)
{
    int n = mpiio_piece(&p->io, r, k);
    return r->op == IO_OP_READ ? mpiio_readable(&p->io, r->offset + k * p->io.piece, n)
                               : n;
}

/* Notes a result. Of several failed pieces, the first one in the file is reported. */
static void mpiio_nb_note(struct slot *s, int64_t at, int n, int moved, int code)
{
    if (code == MPI_SUCCESS && moved == n)
        return;
    if (s->failed && s->failed_at <= at + moved)
        return;
    s->failed = true;
    s->failed_at = at + moved;
    s->code = code;
}

/* This rank's share of the free space, less what others may have in flight. */
static int64_t room(const struct io_file *f)
{
    const struct nb_file *p = f->priv;
    struct statvfs v;
    if (statvfs(f->path, &v))
        return INT64_MAX; /* if it is not known, go on */
    return (int64_t)(v.f_bavail * v.f_frsize) / p->ranks -
           f->depth * (f->max_request + EDGES);
}

static bool is_allocated(const struct io_file *f, const struct io_req *r)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    off_t hole = fd < 0 ? -1 : lseek(fd, r->offset, SEEK_HOLE);
    if (fd >= 0)
        close(fd);
    return hole >= r->offset + r->bytes;
}

static bool mpiio_nb_fits(struct io_file *f, const struct io_req *r)
{
    struct nb_file *p = f->priv;
    int64_t need = r->bytes + EDGES;
    if (r->op == IO_OP_READ || !r->bytes)
        return true;
    if (p->room < need)
        p->room = room(f);
    if (p->room < need)
        return is_allocated(f, r);
    p->room -= need;
    return true;
}

static int mpiio_nb_call(struct io_file *f, const struct io_req *r, int64_t at, int n,
                         MPI_Request *q)
{
    MPI_File fh = ((struct nb_file *)f->priv)->io.fh;
    MPI_Offset offset = r->offset + at;
    char *buf = n ? (char *)r->buf + at : NULL;
    bool together = f->flags & IO_COLLECTIVE;
    if (r->op == IO_OP_READ)
        return together ? MPI_File_iread_at_all(fh, offset, buf, n, MPI_BYTE, q)
                        : MPI_File_iread_at(fh, offset, buf, n, MPI_BYTE, q);
    return together ? MPI_File_iwrite_at_all(fh, offset, buf, n, MPI_BYTE, q)
                    : MPI_File_iwrite_at(fh, offset, buf, n, MPI_BYTE, q);
}

/* Submits a piece, which may be empty. */
static void mpiio_nb_submit(struct io_file *f, struct slot *s, int k)
{
    struct nb_file *p = f->priv;
    int64_t at = k * p->io.piece;
    int n = mpiio_piece(&p->io, s->r, k), there = asked(p, s->r, k);
    int code = MPI_SUCCESS;
    MPI_Request *q = &p->all[(s - p->slots) * p->io.pieces + k];
    if (there || (f->flags & IO_COLLECTIVE))
        code = mpiio_nb_call(f, s->r, at, there, q);
    if (code == MPI_SUCCESS && *q != MPI_REQUEST_NULL) {
        p->under_way++;
        return;
    }
    *q = MPI_REQUEST_NULL;
    s->left--;
    mpiio_nb_note(s, at, n, 0, code);
}

/* Submits the pieces in line, as long as more calls are allowed. */
static void submit_all(struct io_file *f)
{
    struct nb_file *p = f->priv;
    while (p->first && p->under_way < p->most) {
        struct slot *s = p->first;
        mpiio_nb_submit(f, s, s->submitted++);
        if (s->submitted == p->io.pieces)
            p->first = s->next;
    }
}

static void mpiio_nb_put(struct nb_file *p, struct slot *s)
{
    if (p->first)
        p->last->next = s;
    else
        p->first = s;
    p->last = s;
}

/* A free slot; there is one, as the core counts to depth. */
static struct slot *unused(struct nb_file *p)
{
    struct slot *s = p->slots;
    while (s->r)
        s++;
    return s;
}

static int nb_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct io_file *f = q->priv;
    struct nb_file *p = f->priv;
    for (int i = 0; i < n; i++) {
        struct slot *s = unused(p);
        *s = (struct slot){.r = r[i], .left = p->io.pieces};
        if (!r[i]->rc && !mpiio_nb_fits(f, r[i]))
            io_req_fail(
                r[i], -ENOSPC,
                "the file system has too little space left for what all ranks may have "
                "in flight, and MPI libraries do not survive a full one");
        mpiio_nb_put(p, s);
    }
    submit_all(f);
    return 0;
}

/* Ends call i, whose request is freed, or must not be touched again. */
static void mpiio_nb_end(struct nb_file *p, int i, int code, const MPI_Status *status)
{
    struct slot *s = &p->slots[i / p->io.pieces];
    int k = i % p->io.pieces, n = mpiio_piece(&p->io, s->r, k), moved = 0;
    int64_t at = k * p->io.piece;
    p->all[i] = MPI_REQUEST_NULL;
    s->left--;
    p->under_way--;
    if (code == MPI_SUCCESS)
        moved = mpiio_moved(&p->io, s->r->op, s->r->offset + at, n, status);
    mpiio_nb_note(s, at, n, moved, code);
}

static int test_some(struct io_file *f)
{
    struct nb_file *p = f->priv;
    int n = 0, class = MPI_SUCCESS;
    int code = MPI_Testsome(p->calls, p->all, &n, p->index, p->status);
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS && class != MPI_ERR_IN_STATUS)
        return mpiio_fail(f, "MPI_Testsome", code);
    for (int i = 0; i < n; i++) /* MPI_UNDEFINED, if there are none, is negative */
        mpiio_nb_end(p, p->index[i],
                     code == MPI_SUCCESS ? code : p->status[i].MPI_ERROR,
                     &p->status[i]);
    return 0;
}

/* Collects the calls that have ended, one by one, for OMPIO: the status of a failed
 * request only has a short count, and freeing the request crashes. */
static int test_each(struct io_file *f)
{
    struct nb_file *p = f->priv;
    for (int i = 0; i < p->calls; i++) {
        MPI_Request q = p->all[i];
        MPI_Status status;
        int done = 0;
        if (q == MPI_REQUEST_NULL)
            continue;
        MPI_Request_get_status(q, &done, &status);
        if (!done)
            continue;
        const struct slot *s = &p->slots[i / p->io.pieces];
        int n = asked(p, s->r, i % p->io.pieces), moved = 0;
        MPI_Get_count(&status, MPI_BYTE, &moved);
        if (!n || moved == n)
            MPI_Test(&q, &done, MPI_STATUS_IGNORE);
        mpiio_nb_end(p, i, MPI_SUCCESS, &status);
    }
    return 0;
}

/* Lets the library progress, and collects ended calls. */
static int test(struct io_file *f)
{
    const struct nb_file *p = f->priv;
    int rc = p->look_first ? test_each(f) : test_some(f);
    submit_all(f);
    return rc;
}

static bool any_done(const struct io_file *f)
{
    const struct nb_file *p = f->priv;
    for (int i = 0; i < f->depth; i++)
        if (p->slots[i].r && !p->slots[i].left)
            return true;
    return false;
}

static int hand_back(const struct io_file *f, struct io_req *done[], int max)
{
    struct nb_file *p = f->priv;
    int n = 0;
    for (int i = 0; i < f->depth && n < max; i++) {
        struct slot *s = &p->slots[i];
        struct io_req *r = s->r;
        if (!r || s->left)
            continue;
        r->done = s->failed ? s->failed_at : r->rc ? 0 : r->bytes;
        if (s->failed && !r->rc)
            mpiio_req_fail(r, s->code);
        s->r = NULL;
        done[n++] = r;
    }
    return n;
}

/* Pauses for a part of the time waited so far: briefly at first, to add little
 * to it. */
static void pause_after(int64_t waited_ns)
{
    struct timespec t = {.tv_nsec = waited_ns / 16};
    if (t.tv_nsec > LONG_NS)
        t.tv_nsec = LONG_NS;
    if (t.tv_nsec < SHORT_NS)
        sched_yield();
    else
        nanosleep(&t, NULL);
}

static int mpiio_nb_wait_for_any(struct io_file *f, double limit_s)
{
    int64_t begin_ns = clock_ns(), waited_ns = 0;
    int rc = 0;
    while (!rc && !any_done(f) &&
           (!(limit_s > 0) || (double)waited_ns < limit_s * 1e9)) {
        pause_after(waited_ns);
        rc = test(f);
        waited_ns = clock_ns() - begin_ns;
    }
    return rc;
}

static int nb_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                   double limit_s)
{
    struct io_file *f = q->priv;
    int rc = test(f);
    if (!rc && min > 0)
        rc = mpiio_nb_wait_for_any(f, limit_s);
    int n = hand_back(f, done, max);
    return n ? n : rc;
}

static bool busy(const struct io_file *f, enum io_op op)
{
    const struct nb_file *p = f->priv;
    for (int i = 0; i < f->depth; i++)
        if (p->slots[i].r && p->slots[i].left && p->slots[i].r->op == op)
            return true;
    return false;
}

/* Waits until no request is in flight, for at most limit_s (0: no limit). The wait for
 * reads has no limit, since they would write to memory that the program frees; the
 * watchdog ends it. */
static int drain(struct io_file *f, double limit_s)
{
    int64_t begin_ns = clock_ns(), waited_ns = 0;
    int rc = 0;
    while (!rc && (busy(f, IO_OP_READ) ||
                   (busy(f, IO_OP_WRITE) &&
                    (!(limit_s > 0) || (double)waited_ns < limit_s * 1e9)))) {
        pause_after(waited_ns);
        rc = test(f);
        waited_ns = clock_ns() - begin_ns;
    }
    return rc;
}

/* Calls fsync. ROMIO's MPI_File_sync syncs only what blocking calls wrote, and does
 * nothing after this engine's independent ones (MPICH 4.0): bytes would never be sent
 * to the device, and its errors would go unnoticed. */
static int sync_here(const struct io_file *f)
{
    int fd = open(f->path, O_WRONLY | O_CLOEXEC);
    int rc = 0;
    if (fd < 0 || fsync(fd))
        rc = err_set(-errno, f->path, -1, "fsync failed: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Syncs after all writes have ended: MPI_File_sync does not cover writes in flight
 * (OMPIO refuses it). */
static int nb_sync(struct io_file *f)
{
    int rc = f->failed ? 0 : drain(f, 0), synced = mpiio_sync(f);
    if (!synced && !strcmp(f->layer, "ROMIO") && !(f->flags & IO_COLLECTIVE))
        synced = sync_here(f);
    return rc ? rc : synced;
}

/* Closes the file, unless the library may still write to a descriptor that the next
 * file would get: then the file stays open on all ranks until the run, which has
 * failed, ends. */
static int nb_close(struct io_file *f)
{
    double half = f->timeout_s / 2; /* shorter than the watchdog's limit */
    drain(f, half > 0 && half < DRAIN_S ? half : DRAIN_S);
    int left = busy(f, IO_OP_READ) || busy(f, IO_OP_WRITE);
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_LOR, f->comm);
    if (left) { /* memory is not freed either, as the library may write to it */
        mpiio_abandon(f);
        return err_set(-ETIMEDOUT, f->path, -1,
                       "requests did not finish, and the file cannot be closed");
    }
    mpiio_nb_release(f->priv);
    return mpiio_close(f);
}

const struct io_engine io_engine_mpiio_nb = {
    .name = "mpiio-nb",
    .options = "depth|piece",
    .can = IO_CAN_COLLECTIVE | IO_CAN_HINTS | IO_SYNC_TOGETHER | IO_CALLS_MPI,
    .open = nb_open,
    .start = nb_start,
    .reap = nb_reap,
    .sync = nb_sync,
    .meet = mpiio_meet,
    .close = nb_close,
    .size = mpiio_size,
};
