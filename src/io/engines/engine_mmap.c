/* mmap: the file is mapped into memory, and transfers are copies from and to the
 * mapping, synchronous. The kernel reads and writes pages as they are touched. Options:
 * window=N bytes mapped at a time, a multiple of the page size (1 GiB) piece=N the
 * largest number of bytes copied at a time (so that tests need no 1 GiB)
 * advice=normal/random/sequential the advice given to madvise(2) populate pages are
 * read when a window is mapped
 *
 * Windows stay mapped while the file is open, up to SLOTS of them (256 GiB of the file
 * at their default size): this takes 10 KiB of memory for each open file, and 2 MiB of
 * the kernel's for each GiB touched.
 *
 * Before a write is copied, fallocate(2) reserves its space: the kernel then reports a
 * full file system as an error. posix_fallocate(3) is never used: on file systems
 * without the call it writes zeros, over what other ranks write there at the same time.
 * There the file is only extended by a byte of the request, and SIGBUS or the sync
 * reports a lack of space.
 *
 * If several ranks write a file whose size is not known beforehand, bytes past its end
 * at the open are written by pwrite(2): when the kernel moves the end, it zeroes bytes
 * behind the old one, including those that another rank has just copied there (seen
 * with ext4 in Linux 6.18).
 *
 * Mapped pages are whole. On a file system that nodes share, ranks of several nodes
 * must not write into one page; engines with system calls may. */
#include "base/err.h"
#include "base/mem.h"
#include "io/engine.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW (INT64_C(1) << 30)
#define WINDOW_MOST (INT64_C(1) << 40)

enum { SLOTS = 256 };

struct window {
    int64_t number; /* number of the window in the file */
    char *at;       /* NULL: not mapped */
    bool written;   /* since the last sync */
    bool has_room;  /* its part of the file has space allocated */
};

struct mapped {
    int fd, protection, advice, flags;
    int64_t page, window, piece;
    int64_t bytes;   /* bytes that the file will have; 0: it grows */
    int64_t size;    /* at the last look */
    int64_t full;    /* all of the first `full` bytes have space allocated */
    int64_t fixed;   /* no other rank moves the file's end before this offset */
    int64_t reached; /* offset behind the last byte transferred */
    int64_t seen;    /* offset behind the last byte read */
    bool alone;      /* no other rank writes the file, and it was empty */
    bool allocates;  /* the file system has fallocate */
    struct window slot[SLOTS];
};

/* ---- opening -------------------------------------------------------------------- */

/* Looks up the size, also of a block device, for which stat has none. The file position
 * is not used otherwise. */
static int64_t look(struct mapped *m)
{
    off_t end = lseek(m->fd, 0, SEEK_END);
    m->size = end < 0 ? 0 : end;
    return m->size;
}

/* Refuses an impossible window before there is a file. */
static int mmap_queue_open(struct io_queue *q)
{
    int64_t page = sysconf(_SC_PAGE_SIZE);
    int64_t window = io_option(q->options, "window", WINDOW);
    if (window % page == 0 && window <= WINDOW_MOST)
        return 0;
    return err_usage("I/O engine mmap: window=%lld is not a multiple of the page size, "
                     "%lld bytes, of at most 1T",
                     (long long)window, (long long)page);
}

static void take_options(const struct io_file *f, struct mapped *m)
{
    const char *o = f->options;
    m->page = sysconf(_SC_PAGE_SIZE);
    m->window = io_option(o, "window", WINDOW);
    m->piece = io_option(o, "piece", WINDOW);
    m->advice = io_option_is(o, "advice", "random")       ? MADV_RANDOM
                : io_option_is(o, "advice", "sequential") ? MADV_SEQUENTIAL
                                                          : MADV_NORMAL;
    m->flags = MAP_SHARED | (io_option(o, "populate", 0) ? MAP_POPULATE : 0);
    m->protection = PROT_READ | (f->flags & IO_WRITE ? PROT_WRITE : 0);
}

/* Maps a page: some file systems cannot map files, and report it only then. */
static int try_to_map(const struct io_file *f, const struct mapped *m)
{
    void *at = mmap(NULL, (size_t)m->page, m->protection, MAP_SHARED, m->fd, 0);
    if (at == MAP_FAILED)
        return err_set(-errno, f->path, -1, "the file cannot be mapped into memory: %s",
                       errno == ENODEV ? "this file system maps no files (FUSE does "
                                         "not with direct I/O); take another I/O engine"
                                       : strerror(errno));
    munmap(at, (size_t)m->page);
    return 0;
}

/* Sets up the size. One rank gives a new file its size at once: later that could cut
 * what others wrote behind it. If that size is impossible, the writes report it. For an
 * existing file, finds how far it has no holes. */
static void size_up(const struct io_file *f, struct mapped *m)
{
    int ranks = 1;
    m->allocates = true;
    if (!(f->flags & IO_WRITE))
        return;
    m->bytes = f->bytes;
    if (!(f->flags & IO_LOCAL))
        MPI_Comm_size(f->comm, &ranks);
    m->fixed = ranks == 1 ? INT64_MAX : look(m) > f->bytes ? m->size : f->bytes;
    if (f->flags & IO_CREATE) {
        m->alone = ranks == 1;
        if (f->rank == 0 && f->bytes > 0 && ftruncate(m->fd, f->bytes))
            m->bytes = 0;
        return;
    }
    off_t hole = lseek(m->fd, 0, SEEK_HOLE);
    m->full = hole < 0 ? 0 : hole;
}

static int open_mapped(struct io_file *f, struct mapped *m)
{
    take_options(f, m);
    m->fd = io_descriptor_open_to_map(f);
    if (m->fd < 0)
        return m->fd;
    int rc = try_to_map(f, m);
    rc = rc ? rc : guard_open();
    if (rc)
        close(m->fd);
    return rc;
}

static int mmap_open(struct io_file *f)
{
    struct mapped *m = mem_of(f->path, 1, sizeof *m, "a mapped file");
    if (!m)
        return -ENOMEM;
    int rc = open_mapped(f, m);
    if (rc) {
        free(m);
        return rc;
    }
    size_up(f, m);
    look(m);
    f->priv = m;
    f->layer = "POSIX";
    return 0;
}

/* ---- windows -------------------------------------------------------------------- */

static void unmap(struct mapped *m, struct window *w)
{
    if (w->at)
        munmap(w->at, (size_t)m->window);
    *w = (struct window){0};
}

/* The window of a byte of the file; it may not be mapped yet. */
static struct window *window_of(struct mapped *m, int64_t offset)
{
    int64_t number = offset / m->window;
    struct window *w = &m->slot[number % SLOTS];
    if (w->number != number) {
        unmap(m, w);
        w->number = number;
    }
    return w;
}

static int map(const struct mapped *m, struct window *w)
{
    void *at = mmap(NULL, (size_t)m->window, m->protection, m->flags, m->fd,
                    w->number * m->window);
    if (at == MAP_FAILED)
        return -errno;
    if (m->advice != MADV_NORMAL && madvise(at, (size_t)m->window, m->advice)) {
        int rc = -errno;
        munmap(at, (size_t)m->window);
        return rc;
    }
    w->at = at;
    return 0;
}

static int fail_to_map(const struct mapped *m, struct io_req *r, int code)
{
    char why[160];
    snprintf(why, sizeof why, "%lld bytes cannot be mapped into memory: %s",
             (long long)m->window, strerror(-code));
    return io_req_fail(r, code, why);
}

/* ---- space ---------------------------------------------------------------------- */

static int allocate(struct mapped *m, int64_t from, int64_t bytes)
{
    int rc;
    do
        rc = fallocate(m->fd, 0, from, bytes) ? -errno : 0;
    while (rc == -EINTR);
    if (!rc && m->size < from + bytes)
        m->size = from + bytes;
    return rc;
}

static bool is_no_space(int rc)
{
    return rc == -ENOSPC || rc == -EDQUOT || rc == -EFBIG;
}

/* Without fallocate: extends the file to the end of the request's next n bytes. */
static int grow(struct mapped *m, const struct io_req *r, int64_t n)
{
    int64_t end = r->offset + r->done + n;
    ssize_t moved;
    if (end <= m->size || end <= look(m))
        return 0;
    do
        moved = pwrite(m->fd, (const char *)r->buf + r->done + n - 1, 1, end - 1);
    while (moved < 0 && errno == EINTR);
    if (moved != 1)
        return moved < 0 ? -errno : -EIO;
    m->size = end;
    return 0;
}

static int make_room(struct mapped *m, const struct io_req *r, int64_t n)
{
    int rc = m->allocates ? allocate(m, r->offset + r->done, n) : -EOPNOTSUPP;
    if (!rc || is_no_space(rc) || rc == -EIO || rc == -EPERM)
        return rc;
    m->allocates = false;
    return grow(m, r, n);
}

/* Allocates a whole window of a file that no other rank writes, so that all its
 * transfers take one call. */
static bool make_window_room(struct mapped *m, struct window *w)
{
    int64_t from = w->number * m->window, left = m->bytes - from;
    int rc = allocate(m, from, left < m->window ? left : m->window);
    m->alone = !rc; /* else request by request, until the space is used up */
    w->has_room = m->alone;
    return m->alone;
}

/* Makes room for at most n next bytes of a write, all in one window. Returns for how
 * many bytes there is room, or the request's result. */
static int64_t room(struct mapped *m, struct window *w, struct io_req *r, int64_t n)
{
    int64_t end = r->offset + r->done + n;
    if (end <= m->full ||
        (end <= m->bytes && (w->has_room || (m->alone && make_window_room(m, w)))))
        return n;
    for (;;) {
        int rc = make_room(m, r, n);
        if (!rc)
            return n;
        if (n <= m->page || !is_no_space(rc))
            return io_req_fail(r, rc, strerror(-rc));
        n = (n + 1) / 2;
    }
}

/* ---- transfers ------------------------------------------------------------------ */

static int fail_cut(struct io_req *r, int64_t size)
{
    char why[160];
    snprintf(why, sizeof why,
             "the file ends here: somebody else has cut it to %lld bytes",
             (long long)size);
    return io_req_fail(r, -EIO, why);
}

/* The number of bytes, of at most n next bytes of a read, that the file has. */
static int64_t within(struct mapped *m, struct io_req *r, int64_t n)
{
    int64_t at = r->offset + r->done;
    if (at + n <= m->size || at + n <= look(m))
        return n;
    if (at < m->size)
        return m->size - at;
    if (at < m->reached)
        return fail_cut(r, m->size);
    return io_req_fail(r, -EIO, "the file ends here");
}

/* Finds the reason of a SIGBUS by a system call for the same byte. */
static int fail_bus(struct mapped *m, struct io_req *r)
{
    int64_t at = r->offset + r->done;
    char *own = (char *)r->buf + r->done, byte;
    if (at >= look(m))
        return fail_cut(r, m->size);
    ssize_t moved =
        r->op == IO_OP_READ ? pread(m->fd, &byte, 1, at) : pwrite(m->fd, own, 1, at);
    if (moved < 0)
        return io_req_fail(r, -errno, strerror(errno));
    return io_req_fail(r, -EIO,
                       r->op == IO_OP_READ
                           ? "the kernel could not bring in the page (SIGBUS)"
                           : "the kernel has no page to write to (SIGBUS), while a "
                             "system call can write there: is a quota or a space "
                             "for copies used up?");
}

static bool copy(const struct mapped *m, const struct window *w, const struct io_req *r,
                 int64_t n)
{
    char *own = (char *)r->buf + r->done;
    char *there = w->at + (r->offset + r->done) % m->window;
    if (r->op == IO_OP_READ)
        return guard_copy(own, there, (size_t)n, there);
    return guard_copy(there, own, (size_t)n, there);
}

/* Copies page by page after SIGBUS: a copy has no order, so only whole pages are known
 * to be transferred. */
static int copy_pages(struct mapped *m, const struct window *w, struct io_req *r,
                      int64_t n)
{
    int64_t end = r->done + n;
    while (r->done < end) {
        int64_t left = m->page - (r->offset + r->done) % m->page;
        left = left < end - r->done ? left : end - r->done;
        if (!copy(m, w, r, left))
            return fail_bus(m, r);
        r->done += left;
    }
    return 0;
}

static int write_growing(struct mapped *m, struct io_req *r, int64_t n)
{
    int64_t at = r->offset + r->done;
    ssize_t moved;
    do
        moved = pwrite(m->fd, (const char *)r->buf + r->done, (size_t)n, at);
    while (moved < 0 && errno == EINTR);
    if (moved <= 0)
        return io_req_fail(r, moved < 0 ? -errno : -EIO,
                           moved < 0 ? strerror(errno) : "nothing was written");
    r->done += moved;
    m->reached = at + moved > m->reached ? at + moved : m->reached;
    return 0;
}

/* Transfers the next bytes, within one window and one piece. */
static int step(struct mapped *m, struct io_req *r)
{
    int64_t at = r->offset + r->done, n = r->bytes - r->done;
    int64_t left = m->window - at % m->window;
    n = n < left ? n : left;
    n = n < m->piece ? n : m->piece;
    if (r->op == IO_OP_WRITE && at + n > m->fixed)
        return write_growing(m, r, n);
    struct window *w = window_of(m, at);
    n = r->op == IO_OP_READ ? within(m, r, n) : room(m, w, r, n);
    if (n < 0)
        return (int)n;
    int rc = w->at ? 0 : map(m, w);
    if (rc)
        return fail_to_map(m, r, rc);
    w->written |= r->op == IO_OP_WRITE;
    if (copy(m, w, r, n))
        r->done += n;
    else
        rc = copy_pages(m, w, r, n);
    at = r->offset + r->done;
    m->reached = m->reached > at ? m->reached : at;
    if (r->op == IO_OP_READ)
        m->seen = m->seen > at ? m->seen : at;
    return rc;
}

static int mmap_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++)
        while (!io_req_enough(r[i], r[i]->done)) {
            int rc = step(r[i]->file->priv, r[i]);
            if (rc)
                return rc;
        }
    return 0;
}

/* ---- syncing and closing -------------------------------------------------------- */

/* Fails if the file was cut: the page of the new end is still there, with zeros, and
 * raises no SIGBUS, so its reader has read bytes that are not in the file. */
static int check_cut(const struct io_file *f, struct mapped *m)
{
    if (look(m) >= m->seen)
        return 0;
    return err_set(-EIO, f->path, m->size,
                   "somebody else has cut the file to %lld bytes while it was open: "
                   "what was read beyond that is not part of it",
                   (long long)m->size);
}

/* The run itself has cut the file. */
static void mmap_was_cut(struct io_file *f, int64_t bytes)
{
    struct mapped *m = f->priv;
    int64_t *known[] = {&m->bytes, &m->full, &m->reached, &m->seen};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        *known[i] = *known[i] < bytes ? *known[i] : bytes;
    if (m->fixed != INT64_MAX && m->fixed > bytes)
        m->fixed = bytes;
    look(m);
}

static int mmap_sync(struct io_file *f)
{
    struct mapped *m = f->priv;
    for (int i = 0; i < SLOTS; i++) {
        struct window *w = &m->slot[i];
        if (w->at && w->written && msync(w->at, (size_t)m->window, MS_SYNC))
            return err_set(-errno, f->path, w->number * m->window, "msync failed: %s",
                           strerror(errno));
        w->written = false;
    }
    int rc = io_descriptor_sync(f, m->fd);
    return rc ? rc : check_cut(f, m);
}

static int mmap_close(struct io_file *f)
{
    struct mapped *m = f->priv;
    int rc = check_cut(f, m);
    for (int i = 0; i < SLOTS; i++)
        unmap(m, &m->slot[i]);
    guard_close();
    if (close(m->fd) && !rc)
        rc = err_set(-errno, f->path, -1, "close failed: %s", strerror(errno));
    free(m);
    return rc;
}

const struct io_engine io_engine_mmap = {
    .name = "mmap",
    .can = IO_CAN_DATA_SYNC,
    .options = "window|piece|advice=normal/random/sequential|populate[=1]",
    .queue_open = mmap_queue_open,
    .open = mmap_open,
    .start = mmap_start,
    .sync = mmap_sync,
    .was_cut = mmap_was_cut,
    .close = mmap_close,
};
