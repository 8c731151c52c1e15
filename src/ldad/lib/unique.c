#include "ldad/lib/unique.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "world/world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_MOST = 16, PATH_ROOM = 4096 };

struct unique {
    MPI_Comm comm;
    int rank;
    int flags;
    char *path, *engine;
    int64_t max_request;
    double timeout_s;
    struct ldad_plan plan; /* its table of starts is owned */
    struct ldad_map map;
    struct io_file *own; /* this rank's file, for writing */
    struct {             /* files for reading, those used last */
        int64_t rank;
        struct io_file *io; /* NULL: free */
        int64_t turn;
    } in[OPEN_MOST];
    int64_t turn;
    int64_t end; /* end of the logical file when last found */
};

int unique_path(char *out, int room, const char *path, int64_t rank)
{
    if (snprintf(out, (size_t)room, "%s.%06lld", path, (long long)rank) < room)
        return 0;
    return err_set(-ENAMETOOLONG, path, -1, "the path is too long");
}

static int unique_open_file(struct unique *u, int64_t rank, int flags,
                            struct io_file **io)
{
    char path[PATH_ROOM];
    int rc = unique_path(path, sizeof path, u->path, rank);
    struct io_open o = {.engine = u->engine,
                        .comm = MPI_COMM_SELF,
                        .path = path,
                        .flags = flags,
                        .max_request = u->max_request,
                        .depth = 1,
                        .timeout_s = u->timeout_s};
    return rc ? rc : io_file_open(io, &o);
}

/* ---- opening --------------------------------------------------------------------- */

static int take_plan(struct unique *u, const char *plan)
{
    int size, rc = plan ? 0
                        : err_usage("one file per rank needs a plan that says which "
                                    "rank writes which bytes: set ldad_plan");
    if (!rc)
        rc = ldad_plan_parse(plan, &u->plan);
    if (!rc)
        rc = ldad_map_make(&u->map, &u->plan);
    MPI_Comm_size(u->comm, &size);
    if (!rc && (u->flags & IO_WRITE) && u->plan.ranks != size)
        rc = err_usage("the plan is of %lld rank%s, and %d write",
                       (long long)u->plan.ranks, units_s(u->plan.ranks), size);
    return rc;
}

/* Opens this rank's own file for writing. */
static int open_own(struct unique *u, bool fresh)
{
    char path[PATH_ROOM];
    int flags = u->flags, rc = unique_path(path, sizeof path, u->path, u->rank);
    if (!fresh && !access(path, F_OK))
        flags &= ~IO_CREATE;
    return rc ? rc : unique_open_file(u, u->rank, flags, &u->own);
}

static void unique_let_go(struct unique *u)
{
    ldad_plan_free(&u->plan);
    free(u->path);
    free(u->engine);
    free(u);
}

int unique_open(struct unique **out, const struct unique_open *o)
{
    struct unique *u = mem_of(o->path, 1, sizeof *u, "an open file");
    *out = NULL;
    if (u) {
        u->comm = o->comm;
        u->flags = o->flags;
        u->path = mem_text(o->path, "an open file");
        u->engine = mem_text(o->engine, "an open file");
        u->max_request = o->max_request;
        u->timeout_s = o->timeout_s;
        MPI_Comm_rank(u->comm, &u->rank);
    }
    int rc = u && u->path && u->engine ? take_plan(u, o->plan) : -ENOMEM;
    rc = err_agree(o->comm, rc);
    if (!rc && (o->flags & IO_WRITE))
        rc = err_agree(o->comm, open_own(u, o->fresh));
    if (!rc) {
        *out = u;
        return 0;
    }
    if (u) {
        io_file_close(&u->own);
        unique_let_go(u);
    }
    return rc;
}

int unique_close(struct unique **out)
{
    struct unique *u = *out;
    int rc = io_file_close(&u->own);
    for (int i = 0; i < OPEN_MOST; i++) {
        int closed = io_file_close(&u->in[i].io);
        rc = rc ? rc : closed;
    }
    *out = NULL;
    rc = err_agree(u->comm, rc); /* whoever opens it next finds all of it */
    unique_let_go(u);
    return rc;
}

/* ---- transfers ------------------------------------------------------------------- */

static int unique_move(struct io_file *io, enum io_op op, void *buf, int64_t at,
                       int64_t bytes)
{
    struct io_req req = {.op = op, .buf = buf, .offset = at, .bytes = bytes};
    return io_file_transfer(io, &req);
}

int unique_write(struct unique *u, int64_t offset, const void *buf, int64_t bytes)
{
    int64_t at;
    if (!bytes)
        return 0;
    if (!u->own)
        return err_set(-EBADF, u->path, offset, "the file is not open for writing");
    if (!ldad_map_lands(&u->map, u->rank, offset, bytes, &at))
        return err_set(-EINVAL, u->path, offset,
                       "the plan does not give these %lld bytes to rank %d: write what "
                       "it says, or to one file",
                       (long long)bytes, u->rank);
    return unique_move(u->own, IO_OP_WRITE, (void *)buf, at, bytes);
}

/* Finds a rank's file for reading. If it is not open, it replaces the one used longest
 * ago. */
static int find_in(struct unique *u, int64_t rank, struct io_file **io)
{
    int at = 0, rc;
    for (int i = 0; i < OPEN_MOST; i++) {
        if (u->in[i].io && u->in[i].rank == rank) {
            u->in[i].turn = ++u->turn;
            *io = u->in[i].io;
            return 0;
        }
        if (u->in[i].turn < u->in[at].turn)
            at = i;
    }
    rc = io_file_close(&u->in[at].io);
    if (!rc)
        rc = unique_open_file(u, rank, IO_READ, &u->in[at].io);
    u->in[at].rank = rank;
    u->in[at].turn = ++u->turn;
    *io = u->in[at].io;
    return rc;
}

/* Finds the end of the logical file from the lengths of all ranks' files. */
static void find_end(struct unique *u)
{
    char path[PATH_ROOM];
    struct stat st;
    u->end = 0;
    for (int64_t r = 0; r < u->plan.ranks; r++)
        if (!unique_path(path, sizeof path, u->path, r) && !stat(path, &st) &&
            st.st_size) {
            int64_t end = ldad_map_offset(&u->map, r, st.st_size - 1) + 1;
            u->end = u->end > end ? u->end : end;
        }
}

/* Returns how many of `bytes` from `offset` on, which no rank has written, are in the
 * file; they are zeros. */
static int64_t blank(struct unique *u, int64_t offset, int64_t bytes)
{
    if (offset + bytes > u->end)
        find_end(u);
    int64_t there = u->end > offset ? u->end - offset : 0;
    return bytes < there ? bytes : there;
}

/* Reads the *n bytes of a run that its rank has written. */
static int read_run(struct unique *u, const struct ldad_run *run, char *out, int64_t *n)
{
    struct io_file *io;
    int64_t size = 0;
    *n = 0;
    if (run->rank < 0)
        return 0;
    int rc = find_in(u, run->rank, &io);
    if (!rc)
        rc = io_file_size(io, &size);
    if (!rc && size > run->at)
        *n = size - run->at < run->bytes ? size - run->at : run->bytes;
    return rc ? rc : unique_move(io, IO_OP_READ, out, run->at, *n);
}

int unique_read(struct unique *u, int64_t offset, void *buf, int64_t bytes,
                int64_t *moved)
{
    char *out = buf;
    int rc = u->flags & IO_READ
                 ? 0
                 : err_set(-EBADF, u->path, offset, "the file is not open for reading");
    while (*moved < bytes && !rc) {
        struct ldad_run run = ldad_map_run(&u->map, offset + *moved, bytes - *moved);
        int64_t n, zeros = 0;
        rc = read_run(u, &run, out + *moved, &n);
        if (!rc && n < run.bytes) {
            zeros = blank(u, run.offset + n, run.bytes - n);
            memset(out + *moved + n, 0, (size_t)zeros);
        }
        *moved += n + zeros;
        if (n + zeros < run.bytes)
            break;
    }
    return rc;
}

int unique_sync(struct unique *u)
{
    return u->own ? io_file_sync(u->own) : 0;
}

int unique_set_size(struct unique *u, int64_t bytes)
{
    char path[PATH_ROOM];
    struct ldad mine = ldad_plan_rank(&u->plan, u->rank);
    int rc = u->own ? unique_path(path, sizeof path, u->path, u->rank)
                    : err_set(-EBADF, u->path, -1, "the file is not open for writing");
    ldad_normal(&mine, &mine);
    if (!rc && truncate(path, ldad_before(&mine, bytes)))
        rc = err_set(-errno, path, -1, "the size cannot be set: %s", strerror(errno));
    return rc;
}

int unique_size(struct unique *u, int64_t *bytes)
{
    find_end(u);
    *bytes = u->end;
    return 0;
}
