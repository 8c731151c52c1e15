/* Reads a container: places of bytes, windows onto partitions, few open files. */
#include "base/err.h"
#include "base/mem.h"
#include "io/part/part.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct part_place part_place(const struct part *p, int64_t offset, int64_t bytes)
{
    struct part_place here = {PART_SHARED, offset, bytes};
    if (!p->c.parts)
        return here;
    const struct extents_range *e = extents_from(&p->moved, offset);
    if (e && e->begin <= offset) {
        here.bytes = e->end - offset < bytes ? e->end - offset : bytes;
        return here;
    }
    if (e && e->begin - offset < bytes)
        bytes = e->begin - offset;
    struct ldad_run run = ldad_map_run(&p->c.map, offset, bytes);
    bool nobodys = run.rank < 0;
    return (struct part_place){nobodys ? PART_HOLE : run.rank, run.at, run.bytes};
}

/* ---- the inner engine ------------------------------------------------------------ */

int part_inner_open(struct part *p, const char *path, int flags, struct io_file **io)
{
    int64_t most = p->f->max_request;
    most = most > p->out.room ? most : p->out.room;
    most = most > p->window ? most : p->window;
    struct io_open o = {.engine = p->inner,
                        .comm = MPI_COMM_SELF,
                        .path = path,
                        .flags = flags,
                        .max_request = most,
                        .depth = 1,
                        .timeout_s = p->f->timeout_s};
    return io_file_open(io, &o);
}

int part_inner_move(struct io_file *io, enum io_op op, int64_t at, void *buf,
                    int64_t bytes)
{
    struct io_req r = {.op = op, .buf = buf, .offset = at, .bytes = bytes};
    return bytes ? io_file_transfer(io, &r) : 0;
}

/* ---- open partitions ------------------------------------------------------------- */

static void shut(struct part *p, struct part_in *in)
{
    if (!in->io)
        return;
    if (in->io != p->own) {
        io_file_close(&in->io);
        p->open--;
    }
    in->io = NULL;
}

/* Closes the least recently used partition if too many are open. */
static void part_read_make_room(struct part *p)
{
    struct part_in *oldest = NULL;
    if (p->open < p->open_most)
        return;
    for (int64_t r = 0; r < p->c.parts; r++) {
        struct part_in *in = &p->in[r];
        if (in->io && in->io != p->own && (!oldest || in->turn < oldest->turn))
            oldest = in;
    }
    if (oldest)
        shut(p, oldest);
}

int part_fail_open(const struct container *c, int64_t part, const char *path, int code)
{
    const struct container_part *at = &c->part[part];
    if (at->dir < 0)
        return err_set(code, path, -1,
                       "partition %lld of the container is missing or cannot be "
                       "opened: %s",
                       (long long)part, strerror(-code));
    return err_set(
        code, path, -1,
        "partition %lld of the container, which was written on node %d (%s), "
        "cannot be opened on this one (%s): read it there, or with "
        "collective transfers in a run that has ranks there",
        (long long)part, at->node, at->host, strerror(-code));
}

int part_fail_cut(const struct container *c, int64_t part, const char *path,
                  int64_t size)
{
    return err_set(-EIO, path, size,
                   "partition %lld of the container has %lld bytes, and %lld were "
                   "written: it was cut off",
                   (long long)part, (long long)size, (long long)c->part[part].bytes);
}

/* Checks a partition's length, unless the container is being written: then its header
 * does not have it yet. */
static int check_length(const struct part *p, int64_t part, const char *path,
                        int64_t size)
{
    bool known = (p->c.state == CONTAINER_COMPLETE || p->at_sync) &&
                 !(p->f->flags & IO_WRITE) && !p->incomplete;
    if (!known || size >= p->c.part[part].bytes)
        return 0;
    return part_fail_cut(&p->c, part, path, size);
}

int part_in_open(struct part *p, int64_t part)
{
    char path[CONTAINER_PATH];
    struct part_in *in = &p->in[part];
    struct stat st;
    in->turn = ++p->turn;
    if (in->io)
        return 0;
    int rc = container_part_path(&p->c, p->f->path, part, path);
    if (rc)
        return rc;
    if (stat(path, &st)) {
        in->size = 0;
        bool none = errno == ENOENT && p->at_sync && !p->c.part[part].bytes;
        return none || p->incomplete ? 0 : part_fail_open(&p->c, part, path, -errno);
    }
    in->size = st.st_size;
    rc = check_length(p, part, path, in->size);
    if (rc)
        return rc;
    if (p->at_sync && !(p->f->flags & IO_WRITE))
        in->size = p->c.part[part].bytes; /* later bytes were not synced */
    if (part == p->mine && p->own && (p->f->flags & IO_READ)) {
        in->io = p->own;
        return 0;
    }
    part_read_make_room(p);
    rc = part_inner_open(p, path, IO_READ, &in->io);
    p->open += !rc;
    return rc;
}

void part_in_forget(struct part *p)
{
    for (int64_t r = 0; r < p->c.parts; r++) {
        struct part_in *in = &p->in[r];
        shut(p, in);
        if (in->n)
            in->n = 0;
    }
}

void part_in_close(struct part *p)
{
    for (int64_t r = 0; p->in && r < p->c.parts; r++) {
        shut(p, &p->in[r]);
        free(p->in[r].window);
    }
    free(p->in);
    p->in = NULL;
}

/* ---- windows --------------------------------------------------------------------- */

/* Reads bytes at `at` of an open partition; beyond its end nothing was written. */
static int read_physical(struct part_in *in, int64_t at, char *out, int64_t bytes)
{
    int64_t there = in->size - at;
    there = there < 0 ? 0 : there < bytes ? there : bytes;
    memset(out + there, 0, (size_t)(bytes - there));
    return part_inner_move(in->io, IO_OP_READ, at, out, there);
}

/* Memory for a window: new, or that of the least recently used partition. */
static char *take_window(struct part *p)
{
    struct part_in *oldest = NULL;
    if (p->windows < p->windows_most) {
        char *fresh = mem_of(p->f->path, p->window, 1, "a window");
        p->windows += fresh != NULL;
        return fresh;
    }
    for (int64_t r = 0; r < p->c.parts; r++)
        if (p->in[r].window && (!oldest || p->in[r].turn < oldest->turn))
            oldest = &p->in[r];
    char *buf = oldest->window;
    oldest->window = NULL;
    oldest->n = 0;
    return buf;
}

/* Reads the window that begins at `at`. */
static int part_read_fill(struct part *p, struct part_in *in, int64_t at)
{
    if (!in->window && !(in->window = take_window(p)))
        return -ENOMEM;
    int64_t n = in->size - at < p->window ? in->size - at : p->window;
    in->at = at;
    in->n = 0;
    int rc = read_physical(in, at, in->window, n > 0 ? n : 0);
    in->n = rc || n < 0 ? 0 : n;
    return rc;
}

/* Reads of this size or more gain nothing by a copy. */
#define DIRECT (INT64_C(64) << 10)

/* True if more bytes nearby are likely to be read: reads continue where the last one
 * ended, or skip less than a few times their size (other readers' chunks). */
static bool goes_on(const struct part *p, const struct part_in *in, int64_t at,
                    int64_t bytes)
{
    return bytes <= p->window / 2 && bytes < DIRECT && at < in->size &&
           at >= in->next && at - in->next <= 8 * bytes;
}

static int read_part(struct part *p, int64_t part, int64_t at, char *out, int64_t bytes)
{
    struct part_in *in = &p->in[part];
    int rc = part_in_open(p, part);
    while (bytes > 0 && !rc) {
        int64_t n = in->at + in->n - at;
        if (at >= in->at && n > 0) {
            n = n < bytes ? n : bytes;
            memcpy(out, in->window + (at - in->at), (size_t)n);
        } else if (goes_on(p, in, at, bytes)) {
            rc = part_read_fill(p, in, at);
            n = 0;
        } else
            rc = read_physical(in, at, out, n = bytes);
        at += n;
        out += n;
        bytes -= n;
        in->next = n ? at : in->next;
    }
    return rc;
}

static int read_shared(struct part *p, int64_t at, char *out, int64_t bytes)
{
    char path[CONTAINER_PATH];
    struct stat st;
    int rc = container_file(p->f->path, "shared", path);
    bool there = !rc && !stat(path, &st);
    if (!rc && !there && p->incomplete) {
        memset(out, 0, (size_t)bytes);
        return 0;
    }
    if (!rc && !there)
        rc = err_set(-errno, path, -1, "the container's shared part cannot be read: %s",
                     strerror(errno));
    if (!rc && !p->shared)
        rc = part_inner_open(p, path, p->f->flags & (IO_READ | IO_WRITE), &p->shared);
    struct part_in in = {.io = p->shared, .size = rc ? 0 : st.st_size};
    return rc ? rc : read_physical(&in, at, out, bytes);
}

int part_read_place(struct part *p, const struct part_place *at, char *out)
{
    if (at->part == PART_SHARED)
        return read_shared(p, at->at, out, at->bytes);
    if (at->part >= 0)
        return read_part(p, at->part, at->at, out, at->bytes);
    memset(out, 0, (size_t)at->bytes);
    return 0;
}
