/* Reads whole files: in one go, in parts, and several at once. */
#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include "io/io.h"
#include "io/whole_inside.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading --------------------------------------------------------------------- */

static int how_to_read(const struct io_folder *d)
{
    return O_RDONLY | O_CLOEXEC | O_NOCTTY | d->how | (d->made ? O_NOFOLLOW : 0);
}

static void whole_fits(const struct io_folder *d, struct io_whole *w, int64_t size)
{
    if (size > w->room)
        whole_fail(d, w, -EOVERFLOW,
                   "the file has %lld bytes, and there is room for %lld",
                   (long long)size, (long long)w->room);
}

/* Opens for reading. O_NONBLOCK: else opening a FIFO would wait. */
static void open_to_read(const struct io_folder *d, struct io_whole *w)
{
    struct stat st;
    w->fd = w->path ? open(w->path, how_to_read(d) | O_NONBLOCK)
                    : openat(d->fd, w->name, how_to_read(d) | O_NONBLOCK);
    if (w->fd < 0 && errno == ENOENT && w->fleeting)
        w->rc = -ENOENT;
    else if (w->fd < 0)
        whole_fail_open(d, w, -errno, "opened");
    else if (fstat(w->fd, &st))
        whole_fail(d, w, -errno, "the file cannot be looked at: %s", strerror(errno));
    else
        whole_plain(d, w, &st);
    w->size = w->rc ? 0 : st.st_size;
    w->at = 0;
}

static void fail_short(const struct io_folder *d, struct io_whole *w, int64_t at,
                       int64_t size)
{
    whole_fail(d, w, -EIO,
               "the file ended after %lld of %lld bytes: it was cut meanwhile",
               (long long)at, (long long)size);
}

static void end_short(const struct io_folder *d, struct io_whole *w)
{
    int64_t at = w->at + w->bytes;
    if (!w->fleeting)
        fail_short(d, w, at, w->size);
    w->cut = true;
    w->size = at;
}

/* Reads a part. With O_DIRECT the last block is requested as a whole. */
static void read_part(const struct io_folder *d, struct io_whole *w)
{
    int64_t left = w->size - w->at, least = left < w->room ? left : w->room;
    int64_t most = d->how ? w->room : least;
    w->bytes = 0;
    while (w->bytes < least && !w->rc && !w->cut) {
        ssize_t n = read(w->fd, (char *)w->buf + w->bytes, (size_t)(most - w->bytes));
        if (n < 0 && errno != EINTR)
            whole_fail(d, w, -errno, "read failed after %lld of %lld bytes: %s",
                       (long long)w->at + w->bytes, (long long)w->size,
                       io_reason(d->how, -errno));
        if (n == 0)
            end_short(d, w);
        w->bytes += n > 0 ? n : 0;
    }
    w->at += w->bytes;
}

/* Reads the first part, or with `whole` the whole file or nothing. A file read to its
 * end is closed. */
static int read_first(struct io_folder *d, struct io_whole *w, bool whole)
{
    w->fd = -1;
    w->bytes = w->size = w->at = 0;
    if (!whole_begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("reading", w->name);
    open_to_read(d, w);
    if (whole)
        whole_fits(d, w, w->size);
    w->open_ns = whole_part(&at);
    if (!w->rc && w->size) {
        read_part(d, w);
        w->move_ns = whole_part(&at);
    }
    if (w->rc || w->at == w->size) {
        whole_close(d, w, w->fd);
        w->fd = -1;
        w->close_ns = whole_part(&at);
    }
    watchdog_disarm();
    return w->rc;
}

int io_whole_read(struct io_folder *d, struct io_whole *w)
{
    return read_first(d, w, true);
}

int io_whole_head(struct io_folder *d, struct io_whole *w)
{
    return read_first(d, w, false);
}

int io_whole_open(struct io_folder *d, struct io_whole *w)
{
    w->fd = -1;
    w->bytes = w->size = w->at = 0;
    if (!whole_begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("opening", w->name);
    open_to_read(d, w);
    w->open_ns = whole_part(&at);
    watchdog_disarm();
    return w->rc;
}

int io_whole_part(struct io_folder *d, struct io_whole *w)
{
    int64_t at = w->start_ns = clock_ns();
    watchdog_arm_as_set("reading", w->name);
    read_part(d, w);
    w->move_ns = whole_part(&at);
    watchdog_disarm();
    return w->rc;
}

int io_whole_again(struct io_folder *d, struct io_whole *w)
{
    if (lseek(w->fd, 0, SEEK_SET))
        whole_fail(d, w, -errno, "lseek failed: %s", strerror(errno));
    w->at = 0;
    return w->rc;
}

int io_whole_close(struct io_folder *d, struct io_whole *w)
{
    int64_t at = w->start_ns = clock_ns();
    watchdog_arm_as_set("closing", w->name);
    whole_close(d, w, w->fd);
    w->fd = -1;
    w->close_ns = whole_part(&at);
    watchdog_disarm();
    return w->rc;
}

/* ---- several at once ------------------------------------------------------------- */

bool io_whole_asynchronous(struct io_folder *d)
{
    if (!d->tried)
        whole_ring_open(&d->ring);
    d->tried = true;
    return d->ring;
}

static void start_one(struct io_folder *d, struct io_whole *w)
{
    w->bytes = 0;
    if (io_whole_asynchronous(d) && whole_begin(d, w, false)) {
        whole_ring_add(d->ring, d->fd, how_to_read(d), w);
        return;
    }
    if (!d->ring)
        io_whole_read(d, w);
    d->ready[d->ready_count++] = w;
}

int io_whole_start(struct io_folder *d, struct io_whole *w[], int n)
{
    if (n > IO_WHOLE_DEPTH - d->under_way)
        return err_set(-EINVAL, d->path, -1, "%d file%s at once, and %d are the most",
                       d->under_way + n, units_s(d->under_way + n), IO_WHOLE_DEPTH);
    for (int i = 0; i < n; i++)
        start_one(d, w[i]);
    d->under_way += n;
    int rc = d->ring ? whole_ring_submit(d->ring) : 0;
    if (rc)
        rc = err_set(rc, d->path, -1, "io_uring takes no requests: %s", strerror(-rc));
    return rc;
}

/* Checks the size after a read that filled the buffer, or found nothing: it may not
 * have been the whole file. */
static void look_again(const struct io_folder *d, struct io_whole *w)
{
    struct stat st;
    if (w->bytes && w->bytes < w->room)
        return;
    if (fstatat(d->fd, w->name, &st, d->made ? AT_SYMLINK_NOFOLLOW : 0)) {
        if (errno == ENOENT && w->fleeting)
            w->rc = -ENOENT;
        whole_fail(d, w, -errno, "the file cannot be looked at: %s", strerror(errno));
    } else {
        whole_plain(d, w, &st);
    }
    if (!w->rc)
        whole_fits(d, w, st.st_size);
    if (!w->rc && st.st_size > w->bytes)
        fail_short(d, w, w->bytes, st.st_size);
}

static struct io_whole *whole_judge(const struct io_folder *d,
                                    const struct whole_done *done)
{
    struct io_whole *w = done->whole;
    w->bytes = done->read > 0 ? done->read : 0;
    if (done->opened == -ENOENT && w->fleeting)
        w->rc = -ENOENT;
    else if (done->opened < 0)
        whole_fail_open(d, w, done->opened, "opened");
    else if (done->read == -EISDIR)
        whole_fail(d, w, -EISDIR, "it is a directory, where a file is to be read");
    else if (done->read < 0)
        whole_fail(d, w, done->read, "read failed: %s", io_reason(d->how, done->read));
    else if (done->closed < 0)
        whole_fail(d, w, done->closed, "close failed: %s", strerror(-done->closed));
    else
        look_again(d, w);
    return w;
}

static int reap_ready(struct io_folder *d, struct io_whole *done[], int max)
{
    int n = d->ready_count < max ? d->ready_count : max;
    memcpy(done, d->ready, (size_t)n * sizeof done[0]);
    d->ready_count -= n;
    memmove(d->ready, d->ready + n, (size_t)d->ready_count * sizeof d->ready[0]);
    return n;
}

static int reap_ring(struct io_folder *d, struct io_whole *done[], int max, bool wait,
                     double limit_s)
{
    struct whole_done found[IO_WHOLE_DEPTH];
    max = max < IO_WHOLE_DEPTH ? max : IO_WHOLE_DEPTH;
    int n = d->ring ? whole_ring_reap(d->ring, found, max, wait, limit_s) : 0;
    for (int i = 0; i < n; i++)
        done[i] = whole_judge(d, &found[i]);
    if (n < 0)
        err_set(n, d->path, -1, "waiting for io_uring failed: %s", strerror(-n));
    return n;
}

int io_whole_reap(struct io_folder *d, struct io_whole *done[], int max, int min,
                  double limit_s)
{
    int64_t begin_ns = clock_ns();
    int n = reap_ready(d, done, max);
    d->under_way -= n;
    min = min < n + d->under_way ? min : n + d->under_way;
    double left = limit_s;
    bool first = true;
    while (n < max && (first || n < min) && (left > 0 || limit_s <= 0)) {
        int more = reap_ring(d, done + n, max - n, n < min, left);
        if (more < 0)
            return n ? n : more;
        n += more;
        d->under_way -= more;
        left = limit_s - (double)(clock_ns() - begin_ns) / 1e9;
        first = false;
    }
    return n;
}
