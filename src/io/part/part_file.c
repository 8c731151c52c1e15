/* Makes an open container as a whole shorter or longer. */
#include "io/part/part_file.h"
#include "base/err.h"
#include "io/part/part.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
