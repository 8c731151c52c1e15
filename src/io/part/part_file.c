#include "io/part/part_file.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/part/bytes.h"
#include "io/part/part.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Makes an open container as a whole shorter or longer. */

/* Syncs everything written, and tells all ranks of it. */
static int settle(struct part *p)
{
    int rc = part_save(p, CONTAINER_OPEN, part_sync_files(p));
    part_in_forget(p);
    return rc;
}

/* The bytes of partition r if the file ends at `bytes`. */
static int64_t planned(const struct part *p, int64_t r, int64_t bytes)
{
    int64_t before = 0;
    struct ldad d = ldad_plan_rank(&p->c.map.plan, r);
    int64_t end = p->c.map.plan.end < bytes ? p->c.map.plan.end : bytes;
    if (p->c.starts && r + 1 < p->c.parts &&
        d.size > p->c.starts[r + 1] - p->c.starts[r])
        d.size = p->c.starts[r + 1] - p->c.starts[r];
    if (ldad_normal(&d, &d))
        before = ldad_before(&d, end);
    return before;
}

static int cut_file(const char *path, int64_t bytes, bool longer)
{
    struct stat st;
    if (stat(path, &st))
        return err_set(-errno, path, -1, "a part of the container is missing: %s",
                       strerror(errno));
    if (st.st_size == bytes || (st.st_size < bytes && !longer) ||
        !truncate(path, bytes))
        return 0;
    return err_set(-errno, path, bytes, "a part of the container cannot be cut: %s",
                   strerror(errno));
}

/* Changes the lengths and the map in the header to those after the cut. */
static int plan_cut(struct part *p, int64_t bytes)
{
    for (int64_t r = 0; r < p->c.parts; r++) {
        int64_t most = planned(p, r, bytes);
        if (p->c.part[r].bytes > most) {
            p->c.part[r].bytes = most;
            p->c.part[r].summed = false; /* of ranks that no longer exist */
        }
        if (r == p->mine && p->own_bytes > most) {
            p->own_bytes = most;
            if (p->sums)
                sums_cut(p->sums, most);
        }
    }
    int64_t ranges = p->moved.n;
    extents_cut(&p->moved, bytes);
    if (!p->moved.n && ranges) {
        p->c.misfits = p->c.misfit_bytes = p->misfits_before = p->misfit_bytes_before =
            0;
        p->misfits = p->misfit_bytes = 0;
    }
    p->bytes = p->c.bytes = bytes;
    if (p->f->rank)
        return 0;
    return container_save(&p->c, p->f->path, ranges ? &p->moved : NULL, true);
}

/* Each rank cuts the partitions whose turn it is. */
static int cut_partitions(struct part *p, int64_t bytes)
{
    char path[CONTAINER_PATH];
    int size, rc = 0;
    MPI_Comm_size(p->f->comm, &size);
    for (int64_t r = p->f->rank; r < p->c.parts && !rc; r += size) {
        rc = container_part_path(&p->c, p->f->path, r, path);
        rc = rc ? rc : cut_file(path, planned(p, r, bytes), false);
    }
    return rc;
}

static int cut_shared(const struct part *p, int64_t bytes)
{
    char path[CONTAINER_PATH];
    if (p->f->rank)
        return 0;
    int rc = container_file(p->f->path, "shared", path);
    return rc ? rc : cut_file(path, bytes, !p->c.parts);
}

/* Writes the header first: if a rank is killed before all is cut, recovery cuts
 * the rest. */
int part_file_set_size(struct io_file *f, int64_t bytes)
{
    struct part *p = f->priv;
    int rc = settle(p);
    if (rc)
        return rc;
    /* the shared part is not too short then either */
    if (!p->c.parts && bytes > p->bytes)
        rc = cut_shared(p, bytes);
    rc = err_agree(f->comm, rc ? rc : plan_cut(p, bytes));
    if (rc)
        return rc;
    rc = cut_partitions(p, bytes);
    int failed = cut_shared(p, bytes);
    return rc ? rc : failed;
}

static int allocate(const char *path, int64_t bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int rc = fd < 0 ? errno : bytes ? posix_fallocate(fd, 0, bytes) : 0;
    if (fd >= 0)
        close(fd);
    if (!rc)
        return 0;
    return err_set(-rc, path, -1, "%lld bytes cannot be preallocated: %s",
                   (long long)bytes, strerror(rc));
}

int part_file_allocate(struct io_file *f, int64_t bytes)
{
    struct part *p = f->priv;
    char path[CONTAINER_PATH];
    int rc = settle(p);
    if (rc)
        return rc;
    if (p->mine >= 0) {
        int64_t own = planned(p, p->mine, bytes);
        rc = container_part_path(&p->c, f->path, p->mine, path);
        rc = rc ? rc : allocate(path, own);
        p->own_bytes = !rc && own > p->own_bytes ? own : p->own_bytes;
    } else if (!p->c.parts && f->rank == 0) {
        rc = container_file(f->path, "shared", path);
        rc = rc ? rc : allocate(path, bytes);
    }
    p->bytes = bytes > p->bytes ? bytes : p->bytes;
    p->changed = true;
    return rc;
}

/* ---- views ----------------------------------------------------------------------- */

/* Keeps one descriptor for each partition that was read, until the end: threads share
 * it, as pread(2) has no position. Beyond the process's limit, partitions are opened
 * for one read each. */

struct container_view;

#define VIEW_PIECES 256 /* pieces looked at together */

struct container_view {
    char *path;
    struct part part; /* its `c` and `moved` give the places of bytes */
    int shared;       /* descriptor; -1: no bytes are in the shared part */
    _Atomic int *fd;  /* descriptor of each partition plus 1; 0: not open */
};

static _Atomic int view_open_now; /* descriptors of partitions in all views */

/* Half of the descriptors that this process may have. */
static int view_open_most(void)
{
    struct rlimit l;
    bool known = !getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur != RLIM_INFINITY;
    return known && l.rlim_cur < INT32_MAX ? (int)(l.rlim_cur / 2) : INT32_MAX;
}

/* ---- open and close ------------------------------------------------------------ */

static int view_open_shared(struct container_view *v)
{
    char shared[CONTAINER_PATH];
    const struct container *c = &v->part.c;
    int rc = container_shared_check(c, v->path, &v->part.moved);
    if (rc || (c->parts && !v->part.moved.n))
        return rc;
    rc = container_file(v->path, "shared", shared);
    v->shared = rc ? -1 : open(shared, O_RDONLY | O_CLOEXEC);
    if (rc || v->shared >= 0)
        return rc;
    return err_set(-errno, shared, -1, "the container's shared part cannot be read: %s",
                   strerror(errno));
}

static int view_open(struct container_view *v, const char *path)
{
    struct part *p = &v->part;
    v->shared = -1;
    v->path = mem_text(path, "an open container");
    int rc = v->path ? container_read(&p->c, path) : -ENOMEM;
    if (!rc &&
        !(v->fd = mem_of(path, p->c.parts + 1, sizeof *v->fd, "an open container")))
        rc = -ENOMEM;
    if (!rc)
        rc = container_refuse_open(&p->c, path, false, false);
    if (!rc)
        rc = container_map_read(&p->c, path, &p->moved);
    return rc ? rc : view_open_shared(v);
}

int container_view_open(struct container_view **v, const char *path)
{
    *v = mem_of(path, 1, sizeof **v, "an open container");
    if (!*v)
        return -ENOMEM;
    int rc = view_open(*v, path);
    if (rc)
        container_view_close(v);
    return rc;
}

void container_view_close(struct container_view **view)
{
    struct container_view *v = *view;
    *view = NULL;
    if (!v)
        return;
    for (int64_t r = 0; v->fd && r < v->part.c.parts; r++)
        if (v->fd[r]) {
            close(v->fd[r] - 1);
            view_open_now--;
        }
    if (v->shared >= 0)
        close(v->shared);
    free(v->fd);
    extents_free(&v->part.moved);
    container_free(&v->part.c);
    free(v->path);
    free(v);
}

int64_t container_view_bytes(const struct container_view *v)
{
    return v->part.c.bytes;
}

/* ---- reading ------------------------------------------------------------------- */

/* Keeps a descriptor for later reads, unless another thread already has. Returns true
 * if kept. */
static bool view_keep(struct container_view *v, int64_t r, int fd)
{
    int none = 0;
    if (view_open_now >= view_open_most())
        return false;
    if (!atomic_compare_exchange_strong(&v->fd[r], &none, fd + 1))
        return false;
    view_open_now++;
    return true;
}

/* Reads from a partition. Bytes beyond its end are zeros, if they were
 * never written. */
static int view_read_part(struct container_view *v, const struct part_place *p,
                          char *out)
{
    char path[CONTAINER_PATH];
    const struct container *c = &v->part.c;
    int rc = container_part_path(c, v->path, p->part, path);
    int kept = v->fd[p->part],
        fd = rc || kept ? kept - 1 : open(path, O_RDONLY | O_CLOEXEC);
    if (rc)
        return rc;
    if (fd < 0)
        return part_fail_open(c, p->part, path, -errno);
    int64_t n = bytes_read(fd, p->at, out, p->bytes);
    if (!kept && !view_keep(v, p->part, fd))
        close(fd);
    if (n < 0)
        return part_fail_open(c, p->part, path, (int)n);
    if (n < p->bytes && p->at + n < c->part[p->part].bytes)
        return part_fail_cut(c, p->part, path, p->at + n);
    memset(out + n, 0, (size_t)(p->bytes - n));
    return 0;
}

static int view_read_shared(struct container_view *v, const struct part_place *p,
                            char *out)
{
    int64_t n = bytes_read(v->shared, p->at, out, p->bytes);
    if (n == p->bytes)
        return 0;
    int rc = n < 0 ? (int)n : -EIO;
    return err_set(rc, v->path, p->at, "the container's shared part cannot be read: %s",
                   n < 0 ? strerror(-rc) : "it was cut off");
}

static int view_read_place(struct container_view *v, const struct part_place *p,
                           char *out)
{
    if (p->part >= 0)
        return view_read_part(v, p, out);
    if (p->part == PART_SHARED)
        return view_read_shared(v, p, out);
    memset(out, 0, (size_t)p->bytes);
    return 0;
}

/* Contiguous bytes of a read. */
struct view_piece {
    struct part_place place;
    char *out;
    bool done;
};

/* Reads the first piece, and later ones that follow it in its partition, by one call.
 * Returns false if bytes are missing: the partition ends earlier, and each piece is
 * read by itself. */
static bool view_read_together(struct container_view *v, struct view_piece *p, int n)
{
    struct iovec to[VIEW_PIECES];
    int of[VIEW_PIECES], count = 0;
    int64_t bytes = 0;
    int fd = p->place.part < 0 ? -1 : v->fd[p->place.part] - 1;
    for (int i = 0; i < n && fd >= 0; i++) {
        if (p[i].place.part != p->place.part || p[i].place.at != p->place.at + bytes)
            continue;
        to[count] = (struct iovec){p[i].out, (size_t)p[i].place.bytes};
        of[count++] = i;
        bytes += p[i].place.bytes;
    }
    if (count < 2 || preadv(fd, to, count, p->place.at) != bytes)
        return false;
    for (int i = 0; i < count; i++)
        p[of[i]].done = true;
    return true;
}

static int view_read_pieces(struct container_view *v, struct view_piece *p, int n)
{
    int rc = 0;
    for (int i = 0; i < n && !rc; i++)
        if (!p[i].done && !view_read_together(v, p + i, n - i))
            rc = view_read_place(v, &p[i].place, p[i].out);
    return rc;
}

int container_view_read(struct container_view *v, int64_t offset, int64_t bytes,
                        char *out)
{
    struct view_piece piece[VIEW_PIECES];
    int rc = 0;
    while (bytes > 0 && !rc) {
        int n = 0;
        do {
            struct part_place p = part_place(&v->part, offset, bytes);
            piece[n++] = (struct view_piece){p, out, false};
            offset += p.bytes;
            out += p.bytes;
            bytes -= p.bytes;
        } while (bytes > 0 && n < VIEW_PIECES);
        rc = view_read_pieces(v, piece, n);
    }
    return rc;
}
