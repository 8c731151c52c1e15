/* part: a partitioned container. Logically it is one file that all ranks share;
 * physically it is a file for each rank that writes, in which its bytes are stored back
 * to back, and a header with the plan (algebra/descriptor.h) by which all of them are
 * found again. Another engine transfers the bytes:
 *   part:inner=posix     that engine, and any options it has
 *   part:buffer=N        bytes that are written behind (1 MiB)
 *   part:window=N        bytes of one read if less is asked for, at most (1 MiB)
 *   part:files=N         partitions open at once (64)
 *   part:incomplete=1    also reads containers that were never completed (for tools)
 *   part:keep_plan=1     writes to a container of another plan than the one given
 *   part:no_sums=1       keeps no checksums of partitions
 *   part:no_write_back=1 leaves it to the kernel, and to the next sync, when bytes are
 *                        written from its cache to the device
 *   part:recover=1       opens an incomplete container in its state at the last sync
 *
 * Each write is compared with the plan. If the plan does not give all its bytes to this
 * rank, they go to the shared part; the next sync or the close tells all ranks their
 * ranges, and from then on they are read from there, whoever else writes them. So, as
 * with MPI-IO, bytes that two ranks write between two syncs are those of either. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "base/units.h"
#include "io/lock.h"
#include "io/part/part.h"
#include "io/part/part_file.h"
#include "world/world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (INT64_C(1) << 20)
#define WINDOW (INT64_C(1) << 20)
#define WINDOW_LEAST (INT64_C(16) << 10)
#define WINDOWS (INT64_C(64) << 20) /* memory of all windows together */
#define FILES 64

/* Writes of this fraction of the buffer, or longer, gain nothing by waiting there. */
#define BUFFER_SHARE 16

/* ---- opening --------------------------------------------------------------------- */

/* Separates the engine's own options from those of the inner engine. */
static void find_inner(struct part *p, const char *text)
{
    static const char *const own[] = {
        "buffer=",    "window=",  "files=",   "incomplete=",
        "keep_plan=", "recover=", "no_sums=", "no_write_back="};
    const char *name = io_engine_inner(text);
    size_t at = (size_t)snprintf(p->inner, sizeof p->inner, "%.*s",
                                 (int)strcspn(name, ","), name);
    char separator = ':';
    while (*text && at < sizeof p->inner) {
        size_t len = strcspn(text, ",");
        bool taken = !strncmp(text, "inner=", 6);
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
            taken = taken || !strncmp(text, own[i], strlen(own[i]));
        if (!taken) {
            at += (size_t)snprintf(p->inner + at, sizeof p->inner - at, "%c%.*s",
                                   separator, (int)len, text);
            separator = ',';
        }
        text += len + (text[len] == ',');
    }
}

enum { PIECE = 32 << 10 };

/* The number of this rank's node, in the order of their lowest ranks, and its
 * place there. */
static int find_node(struct io_file *f, int *place)
{
    MPI_Comm node;
    int first, before = 0;
    MPI_Comm_split_type(f->comm, MPI_COMM_TYPE_SHARED, f->rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, place);
    first = *place == 0;
    MPI_Exscan(&first, &before, 1, MPI_INT, MPI_SUM, f->comm);
    before = f->rank ? before : 0;
    MPI_Bcast(&before, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    return before;
}

/* Fills in this rank's record, and receives the others'. */
static int exchange_records(struct part *p)
{
    unsigned char mine[CONTAINER_RECORD];
    struct io_file *f = p->f;
    struct container_part *own = &p->c.part[f->rank];
    int place, rc = 0;
    unsigned char *all = mem_of(f->path, p->c.parts, CONTAINER_RECORD, "records");
    own->node = find_node(f, &place);
    own->dir = p->c.dirs[0] ? place : -1;
    part_name_host(own);
    container_record_encode(&p->c, f->rank, mine);
    if (!all)
        rc = -ENOMEM;
    rc = err_agree(f->comm, rc);
    if (!rc)
        MPI_Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, f->comm);
    for (int64_t r = 0; r < p->c.parts && !rc; r++)
        rc = container_record_decode(&p->c, r, all + r * CONTAINER_RECORD);
    free(all);
    return rc;
}

/* Rank 0 writes the header if `rc` is 0 on all; all wait for it, and note how long
 * it took. */
static int commit(struct part *p, int rc, bool durable)
{
    int64_t begin_ns = clock_ns();
    if (!rc && p->f->rank == 0)
        rc = container_write(&p->c, p->f->path, durable);
    rc = err_agree(p->f->comm, rc);
    part_header_took(clock_ns() - begin_ns);
    return rc;
}

/* Locks the container, so that rank 0 is its only writer. */
static int lock_shared(struct part *p)
{
    char path[CONTAINER_PATH];
    struct container c = {0};
    int rc = container_file(p->f->path, "shared", path);
    if (!rc && access(path, F_OK))
        return 0; /* the next reader of the header reports the missing file */
    if (rc || (rc = lock_file(path, &p->lock)) != -EBUSY)
        return rc;
    if (!container_read(&c, p->f->path))
        container_free(&c);
    return container_busy(&c, p->f->path);
}

/* Makes the shared part, locked by rank 0, and registers the names of the rest. They
 * are in the scratch table of all ranks, as the directory is, since any rank that is
 * told to end removes them. */
static int make_common(struct part *p)
{
    static const char *const names[] = {"header", "header.new", "shared.map",
                                        "shared.map.new", "shared"};
    char path[CONTAINER_PATH];
    int rc = 0, fd = -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rc; i++) {
        rc = container_file(p->f->path, names[i], path);
        if (!rc)
            rc = scratch_add(path);
        scratch_belongs(path, p->f->path);
    }
    if (!rc && p->f->rank == 0)
        rc = scratch_create(path, &fd);
    if (fd >= 0)
        close(fd);
    return rc || p->f->rank ? rc : lock_shared(p);
}

static int make_partition(struct part *p)
{
    char path[CONTAINER_PATH];
    int rc = container_part_path(&p->c, p->f->path, p->mine, path);
    int flags = IO_CREATE | (p->f->flags & (IO_READ | IO_WRITE));
    if (!rc)
        rc = part_inner_open(p, path, flags, &p->own);
    if (!rc)
        scratch_belongs(path, p->f->path);
    if (!rc)
        rc = lock_file(path, &p->own_lock);
    return rc == -EBUSY ? container_busy(&p->c, p->f->path) : rc;
}

/* The message of rank 0 to all, on what it has made or found at the path: the id, or
 * the whole header and map. A second message follows if they do not fit. */
struct start {
    uint64_t id;
    int64_t header, ranges, ns; /* bytes of the header; number of ranges */
    int64_t rc;
    unsigned char piece[PIECE];
};

/* Sends the remainder of what rank 0 has found, after the first piece. */
static int share_rest(struct part *p, unsigned char *all, int64_t bytes)
{
    int rc = p->f->unready;
    if (!rc && !all)
        rc = mem_none(p->f->path, bytes, "a header");
    if (!rc && bytes > INT32_MAX)
        rc = err_set(-EFBIG, p->f->path, -1, "the container's header is too large");
    rc = err_agree(p->f->comm, rc);
    if (!rc)
        MPI_Bcast(all + PIECE, (int)(bytes - PIECE), MPI_BYTE, 0, p->f->comm);
    return rc;
}

/* Exchanges the records, which must be known before partitions are made in node
 * directories; then rank 0 writes the header. */
static int place_partitions(struct part *p, int rc)
{
    rc = err_agree(p->f->comm, rc);
    if (!rc && p->c.parts)
        rc = err_agree(p->f->comm, exchange_records(p));
    return rc ? rc : commit(p, 0, false);
}

/* On rank 0: makes the directory, its files, and the header, which names no ranks yet
 * unless their directories must be known. */
static int make_folder(struct part *p)
{
    int rc = io_file_make(p->f);
    rc = rc ? rc : make_common(p);
    return rc || p->c.dirs[0] ? rc : container_write(&p->c, p->f->path, false);
}

static int create_container(struct part *p)
{
    struct io_file *f = p->f;
    struct start *s = p->start;
    int size, rc = f->unready;
    MPI_Comm_size(f->comm, &size);
    if (!rc && f->plan && f->plan->ranks != size)
        rc = err_usage("the plan is of %lld rank%s, and %d open the container",
                       (long long)f->plan->ranks, units_s(f->plan->ranks), size);
    if (!rc)
        rc = container_make(&p->c, f->plan, f->node_dirs);
    lock_owner(p->c.writer);
    if (f->rank == 0) {
        int64_t begin_ns = clock_ns();
        rc = rc ? rc : make_folder(p);
        *s = (struct start){.id = p->c.id, .rc = rc, .ns = clock_ns() - begin_ns};
    }
    MPI_Bcast(s, sizeof *s - PIECE, MPI_BYTE, 0, f->comm);
    part_header_took(s->ns);
    p->c.id = s->id;
    p->mine = p->c.parts ? f->rank : -1;
    if (f->rank && !rc && !s->rc)
        rc = scratch_add(f->path);
    if (f->rank && !rc && !s->rc)
        rc = make_common(p);
    if (f->node_dirs && f->node_dirs[0])
        rc = place_partitions(p, rc);
    else if (p->c.parts && !rc)
        part_name_host(&p->c.part[f->rank]);
    p->made = !p->c.dirs[0];
    return rc || s->rc || !p->c.parts ? rc : make_partition(p);
}

/* Reads the ranges in the shared part; of an incomplete container, as far
 * as possible. */
static int read_map(struct part *p)
{
    struct err before = *err_get();
    int rc = container_map_read(&p->c, p->f->path, &p->moved);
    if (!rc && !p->incomplete)
        rc = container_shared_check(&p->c, p->f->path, &p->moved);
    if (!rc || !p->incomplete)
        return rc;
    err_put(&before);
    return 0;
}

/* On rank 0: reads the header, under the lock if the container is to be written. */
static int load_header(struct part *p, unsigned char **raw, int64_t *size)
{
    struct io_file *f = p->f;
    int rc = f->unready;
    if (!rc && f->flags & IO_WRITE)
        rc = lock_shared(p);
    rc = rc ? rc : container_load(f->path, raw, size);
    rc = rc ? rc : container_decode(&p->c, f->path, *raw, *size);
    if (!rc && !p->incomplete)
        rc = container_refuse_open(&p->c, f->path, f->flags & IO_WRITE, p->recover);
    return rc ? rc : read_map(p);
}

/* On rank 0: packs the header and the ranges, one after the other. */
static int pack(struct part *p, const unsigned char *raw, unsigned char **all)
{
    struct start *s = p->start;
    int64_t ranges = s->ranges * (int64_t)sizeof *p->moved.range;
    *all = mem_of(p->f->path, s->header + ranges + 1, 1, "a header");
    if (!*all)
        return -ENOMEM;
    memcpy(*all, raw, (size_t)s->header);
    if (ranges)
        memcpy(*all + s->header, p->moved.range, (size_t)ranges);
    int64_t n = s->header + ranges < PIECE ? s->header + ranges : PIECE;
    memcpy(s->piece, *all, (size_t)n);
    return 0;
}

/* On other ranks: unpacks what rank 0 has sent. */
static int unpack(struct part *p, const unsigned char *all)
{
    const struct start *s = p->start;
    size_t ranges = (size_t)s->ranges * sizeof *p->moved.range;
    int rc = container_decode(&p->c, p->f->path, all, s->header);
    if (rc || !ranges)
        return rc;
    p->moved.range = mem_of(p->f->path, ranges, 1, "a map");
    if (!p->moved.range)
        return -ENOMEM;
    memcpy(p->moved.range, all + s->header, ranges);
    p->moved.n = p->moved.room = s->ranges;
    return 0;
}

static int read_header(struct part *p)
{
    struct io_file *f = p->f;
    struct start *s = p->start;
    unsigned char *raw = NULL, *all = NULL;
    int64_t size = 0;
    int rc = 0;
    if (f->rank == 0) {
        rc = load_header(p, &raw, &size);
        *s = (struct start){.header = size, .ranges = p->moved.n};
        s->rc = rc = rc ? rc : pack(p, raw, &all);
        free(raw);
    }
    MPI_Bcast(s, sizeof *s, MPI_BYTE, 0, f->comm);
    int64_t bytes = s->header + s->ranges * (int64_t)sizeof *p->moved.range;
    if (f->rank && !s->rc && bytes > PIECE && (all = malloc((size_t)bytes)))
        memcpy(all, s->piece, PIECE);
    if (!s->rc && bytes > PIECE)
        rc = share_rest(p, all, bytes);
    rc = rc ? rc : f->unready;
    if (f->rank && !rc && !s->rc)
        rc = unpack(p, all ? all : s->piece);
    free(all);
    return rc;
}

/* Measures a container without a complete header: it is as long as its
 * partitions reach. */
static void measure_incomplete(struct part *p)
{
    char path[CONTAINER_PATH];
    struct stat st;
    for (int64_t r = 0; r < p->c.parts; r++)
        if (!container_part_path(&p->c, p->f->path, r, path) && !stat(path, &st) &&
            st.st_size) {
            int64_t last = ldad_map_offset(&p->c.map, r, st.st_size - 1) + 1;
            p->bytes = p->bytes > last ? p->bytes : last;
        }
    if (!container_file(p->f->path, "shared", path) && !stat(path, &st))
        p->bytes = p->bytes > st.st_size ? p->bytes : st.st_size;
}

/* Restores an incomplete container to its state at the last sync, including partitions
 * of ranks that no longer exist. */
static int recover(struct part *p)
{
    int size, fd, rc = 0;
    int64_t dropped;
    MPI_Comm_size(p->f->comm, &size);
    for (int64_t r = 0; r < p->c.parts; r++)
        p->c.part[r].summed = false; /* what was overwritten since is not known */
    for (int64_t r = p->f->rank; r < p->c.parts && !rc; r += size) {
        rc = container_recover_part(&p->c, p->f->path, r, &fd, &dropped);
        lock_close(&fd);
    }
    if (!rc && p->f->rank == 0)
        rc = container_recover_shared(&p->c, p->f->path, &dropped);
    return rc;
}

/* Opens the rank's own partition to continue writing; ranks beyond the plan's
 * have none. */
static int open_own(struct part *p)
{
    char path[CONTAINER_PATH];
    struct stat st;
    int rc = p->at_sync ? recover(p) : 0;
    if (rc || p->f->rank >= p->c.parts)
        return rc;
    p->mine = p->f->rank;
    p->own_misfits = p->c.part[p->mine].misfits;
    rc = container_part_path(&p->c, p->f->path, p->mine, path);
    rc = rc ? rc : lock_file(path, &p->own_lock);
    if (rc == -EBUSY)
        return container_busy(&p->c, p->f->path);
    if (!rc)
        rc = part_inner_open(p, path, p->f->flags & (IO_READ | IO_WRITE), &p->own);
    if (!rc && !stat(path, &st))
        p->own_bytes = st.st_size;
    if (!rc && p->c.state == CONTAINER_COMPLETE &&
        p->own_bytes < p->c.part[p->mine].bytes)
        rc = part_fail_cut(&p->c, p->mine, path, p->own_bytes);
    return rc;
}

/* On rank 0: marks the header, so that its readers know that the container is
 * being written. */
static int say_open(struct part *p)
{
    int64_t begin_ns = clock_ns();
    struct container c = p->c;
    c.state = CONTAINER_OPEN;
    c.recovered |= p->at_sync;
    lock_owner(c.writer);
    int rc = container_write(&c, p->f->path, true);
    p->said_open = !rc;
    part_header_took(clock_ns() - begin_ns);
    return rc;
}

/* This rank's part of opening a container for writing. */
static int open_to_write(struct part *p)
{
    int rc = scratch_check(p->f->path, NULL);
    if (!rc && !p->keep_plan)
        rc = container_plan_check(&p->c, p->f->path, p->f->plan);
    if (!rc && p->f->rank == 0)
        rc = say_open(p);
    return rc ? rc : open_own(p);
}

/* Opens a container. Ranks agree on the result next: until then no byte is written. */
static int open_container(struct part *p)
{
    struct io_file *f = p->f;
    p->mine = -1;
    int rc = read_header(p);
    if (rc || p->start->rc)
        return rc;
    p->bytes = p->c.bytes;
    p->misfits_before = p->c.misfits;
    p->misfit_bytes_before = p->c.misfit_bytes;
    p->map_changed = !p->c.saved && p->moved.n;
    p->at_sync = p->c.state != CONTAINER_COMPLETE && !p->incomplete;
    if (p->c.state != CONTAINER_COMPLETE && p->incomplete)
        measure_incomplete(p);
    return f->flags & IO_WRITE ? open_to_write(p) : 0;
}

/* Starts the checksums of a new partition, or loads those stored with a complete one.
 * If it has none, none will be kept. */
static int open_sums(struct part *p)
{
    char path[CONTAINER_PATH];
    const struct container_part *own = &p->c.part[p->mine];
    struct sums_of of = container_sums_of(&p->c, p->mine);
    if (!own->bytes) {
        p->sums = sums_make();
        return p->sums ? 0 : -ENOMEM;
    }
    if (!own->summed)
        return 0;
    int rc = container_sums_path(&p->c, p->f->path, p->mine, path);
    return rc ? rc : sums_load(&p->sums, path, &of, own->sums);
}

/* Allocates memory for reading and writing. With many partitions, windows
 * are smaller. */
static int part_allocate(struct part *p)
{
    int64_t parts = p->c.parts ? p->c.parts : 1;
    int64_t most = WINDOWS / parts < p->window ? WINDOWS / parts : p->window;
    p->window = most > WINDOW_LEAST ? most : WINDOW_LEAST;
    p->windows_most = WINDOWS / p->window > 1 ? WINDOWS / p->window : 1;
    p->in = mem_of(p->f->path, parts, sizeof *p->in, "an open container");
    if (p->own && !p->out.buf)
        p->out.buf = mem_of(p->f->path, p->out.room, 1, "an open container");
    if (!p->in || (p->own && !p->out.buf))
        return -ENOMEM;
    if (p->own && !p->back && p->write_back)
        p->back = part_back_make(p->own_lock);
    int rc = p->told ? 0 : part_save_allocate(p);
    return rc || !p->own || !p->want_sums ? rc : open_sums(p);
}

static void let_go(struct part *p)
{
    part_back_free(p->back);
    lock_close(&p->lock);
    lock_close(&p->own_lock);
    free(p->told);
    sums_free(p->sums);
    part_swap_close(p);
    part_in_close(p);
    io_file_close(&p->own);
    io_file_close(&p->shared);
    container_free(&p->c);
    extents_free(&p->moved);
    extents_free(&p->fresh);
    free(p->out.buf);
    free(p);
}

int part_sync_files(struct part *p)
{
    int rc = part_flush(p);
    if (!rc && p->own)
        rc = io_file_sync(p->own);
    if (!rc && p->shared && p->dirty)
        rc = io_file_sync(p->shared);
    p->dirty = p->dirty && rc;
    return rc;
}

/* Changes an open container that gets a plan. */
static int adopt(struct part *p, struct container *fresh)
{
    struct io_file *f = p->f;
    part_in_close(p);
    fresh->id = p->c.id;
    fresh->generation = p->c.generation;
    memcpy(fresh->writer, p->c.writer, sizeof fresh->writer);
    container_free(&p->c);
    p->c = *fresh;
    p->mine = f->rank;
    int rc = err_agree(f->comm, exchange_records(p));
    p->c.bytes = p->bytes;
    if (!rc && p->bytes)
        rc = extents_add(&p->moved, 0, p->bytes);
    if (!rc && f->rank == 0)
        rc = container_save(&p->c, f->path, p->bytes ? &p->moved : NULL, p->bytes > 0);
    rc = err_agree(f->comm, rc);
    if (!rc)
        rc = make_partition(p);
    return err_agree(f->comm, rc ? rc : part_allocate(p));
}

int part_file_plan(struct io_file *f, const struct ldad_plan *plan)
{
    struct part *p = f->priv;
    struct container fresh;
    char path[CONTAINER_PATH];
    int size, rc = part_sync_files(p);
    rc = part_save(p, CONTAINER_OPEN, rc);
    MPI_Comm_size(f->comm, &size);
    if (rc || p->c.parts || p->bytes > PART_PLAN_BYTES || plan->ranks != size)
        return err_agree(f->comm, rc);
    rc = err_agree(f->comm, container_make(&fresh, plan, p->c.dirs));
    if (rc)
        return rc;
    if (!fresh.parts) {
        container_free(&fresh);
        return 0;
    }
    rc = adopt(p, &fresh);
    if (!rc && !scratch_made(f->path) &&
        !container_part_path(&p->c, f->path, p->mine, path))
        scratch_forget(path);
    if (!rc && p->swap) {
        part_swap_close(p);
        rc = part_swap_open(p);
    }
    return rc;
}

/* Undoes what a failed open may have made or written. */
static void undo(struct part *p)
{
    io_file_close(&p->own);
    if (p->f->flags & IO_CREATE)
        scratch_empty(p->f->path);
    else if (p->said_open)
        container_write(&p->c, p->f->path, true);
    MPI_Barrier(p->f->comm); /* the directory is removed next */
    let_go(p);
}

/* Sends and receives the same messages as a rank that has the memory, then gives up. */
static int part_absent(const struct io_open *o, int rc)
{
    static struct start s;
    bool makes = o->flags & IO_CREATE;
    MPI_Bcast(&s, (int)sizeof s - (makes ? PIECE : 0), MPI_BYTE, 0, o->comm);
    int64_t bytes = s.header + s.ranges * (int64_t)sizeof(struct extents_range);
    if (makes ? o->node_dirs && o->node_dirs[0] : !s.rc && bytes > PIECE)
        rc = err_agree(o->comm, rc);
    rc = err_agree(o->comm, rc);
    MPI_Barrier(o->comm);
    return rc;
}

static void take_options(struct part *p)
{
    const char *options = p->f->options ? p->f->options : "";
    p->out.room = io_option(options, "buffer", BUFFER);
    p->window = io_option(options, "window", WINDOW);
    p->open_most = io_option(options, "files", FILES);
    p->incomplete = io_option(options, "incomplete", 0);
    p->keep_plan = io_option(options, "keep_plan", 0);
    p->recover = io_option(options, "recover", 0);
    p->want_sums = !io_option(options, "no_sums", 0);
    p->write_back = !io_option(options, "no_write_back", 0);
    find_inner(p, options);
}

static int part_open(struct io_file *f)
{
    struct part *p = mem_of(f->path, 1, sizeof *p, "an open container");
    struct start *start = mem_of(f->path, 1, sizeof *start, "an open container");
    if (!p || !start) {
        free(p);
        free(start);
        return part_absent(&(struct io_open){.comm = f->comm,
                                             .flags = f->flags,
                                             .node_dirs = f->node_dirs},
                           -ENOMEM);
    }
    p->f = f;
    p->start = start;
    p->lock = p->own_lock = -1;
    take_options(p);
    int rc = f->flags & IO_CREATE ? create_container(p) : open_container(p);
    rc = rc || start->rc ? rc : part_allocate(p);
    rc = err_agree(f->comm, rc);
    if (!rc && (f->flags & IO_WRITE)) {
        p->c.state = CONTAINER_OPEN;
        p->c.recovered |= p->at_sync;
        lock_owner(p->c.writer);
    }
    if (!rc && (f->flags & IO_COLLECTIVE) && (f->flags & IO_READ))
        rc = part_swap_open(p);
    free(start);
    p->start = NULL;
    if (rc) {
        undo(p);
        return rc;
    }
    f->layer = "LDAD";
    f->priv = p;
    return 0;
}

/* ---- writing --------------------------------------------------------------------- */

/* Writes to this rank's partition; its window and its known length become invalid.
 * Checksums come first, block by block, so that the bytes are read once. */
static int write_through(struct part *p, int64_t at, char *from, int64_t bytes)
{
    if (p->sums)
        sums_write(p->sums, at, from, bytes);
    p->in[p->mine].io = NULL;
    p->in[p->mine].n = 0;
    int rc = part_inner_move(p->own, IO_OP_WRITE, at, from, bytes);
    if (!rc)
        part_back_wrote(p->back, at, bytes);
    return rc;
}

int part_flush(struct part *p)
{
    int64_t n = p->own ? p->out.n : 0;
    if (!n)
        return 0;
    p->out.n = 0; /* even on a failure, which is reported once */
    return write_through(p, p->out.at, p->out.buf, n);
}

static int write_long(struct part *p, int64_t at, const char *from, int64_t bytes)
{
    int rc = part_flush(p);
    return rc ? rc : write_through(p, at, (void *)from, bytes);
}

/* Writes bytes that belong at `at` of this rank's partition. */
static int write_own(struct part *p, int64_t at, const char *from, int64_t bytes)
{
    int rc = 0;
    if (at + bytes > p->own_bytes)
        p->own_bytes = at + bytes;
    if (bytes >= p->out.room / BUFFER_SHARE)
        return write_long(p, at, from, bytes);
    bool fits = at >= p->out.at && at <= p->out.at + p->out.n &&
                at + bytes <= p->out.at + p->out.room;
    if (!fits || !p->out.n) {
        rc = part_flush(p);
        p->out.at = at;
    }
    memcpy(p->out.buf + (at - p->out.at), from, (size_t)bytes);
    int64_t end = at + bytes - p->out.at;
    p->out.n = end > p->out.n ? end : p->out.n;
    return rc;
}

static int note_misfit(struct part *p, int64_t offset, int64_t bytes)
{
    if (!p->c.parts)
        return 0;
    int rc = extents_add(&p->moved, offset, offset + bytes);
    rc = rc ? rc : extents_add(&p->fresh, offset, offset + bytes);
    p->misfits++;
    p->misfit_bytes += bytes;
    if (!rc)
        return 0;
    return err_set(
        rc, p->f->path, offset,
        "%lld write%s did not fit the plan, more than can be kept: it is not "
        "this program's; take a shared file",
        (long long)p->misfits, units_s(p->misfits));
}

static int write_shared(struct part *p, int64_t offset, const char *from, int64_t bytes)
{
    char path[CONTAINER_PATH];
    int rc = container_file(p->f->path, "shared", path);
    if (!rc && !p->shared)
        rc = part_inner_open(p, path, p->f->flags & (IO_READ | IO_WRITE), &p->shared);
    if (!rc)
        rc = part_inner_move(p->shared, IO_OP_WRITE, offset, (void *)from, bytes);
    return rc ? rc : note_misfit(p, offset, bytes);
}

/* True if all the bytes are this rank's, and none is in the shared part. */
static bool part_fits(const struct part *p, int64_t offset, int64_t bytes, int64_t *at)
{
    const struct extents_range *e = extents_from(&p->moved, offset);
    return p->own && !(e && e->begin < offset + bytes) &&
           ldad_map_lands(&p->c.map, p->mine, offset, bytes, at);
}

static int write_bytes(struct part *p, struct io_req *r)
{
    int64_t at;
    int rc;
    if (!r->bytes)
        return 0;
    if (part_fits(p, r->offset, r->bytes, &at))
        rc = write_own(p, at, r->buf, r->bytes);
    else
        rc = write_shared(p, r->offset, r->buf, r->bytes);
    p->dirty = p->changed = true;
    if (!rc && r->offset + r->bytes > p->bytes)
        p->bytes = r->offset + r->bytes;
    r->done = rc ? 0 : r->bytes;
    return rc;
}

/* ---- reading --------------------------------------------------------------------- */

static int read_near(struct part *p, struct io_req *r, int64_t bytes)
{
    int rc = 0;
    while (r->done < bytes && !rc) {
        struct part_place at = part_place(p, r->offset + r->done, bytes - r->done);
        rc = part_read_place(p, &at, (char *)r->buf + r->done);
        r->done += rc ? 0 : at.bytes;
    }
    return rc;
}

static int read_bytes(struct part *p, struct io_req *r)
{
    int64_t there = p->bytes - r->offset;
    int64_t bytes = r->rc ? 0 : r->bytes;
    there = there < 0 ? 0 : there < bytes ? there : bytes;
    int rc = part_flush(p);
    if (p->swap) { /* the others wait for this rank even if it has failed */
        int swapped = part_swap_read(p, r->offset, rc ? 0 : there, r->buf);
        rc = rc ? rc : swapped;
        r->done = rc ? 0 : there;
    } else if (!rc)
        rc = read_near(p, r, there);
    if (rc || there == bytes)
        return rc;
    return io_req_fail(r, -EIO, "the file ends here");
}

static int part_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++) {
        const struct io_file *f = r[i]->file;
        struct part *p = f->priv;
        bool reads = r[i]->op == IO_OP_READ;
        int rc = 0;
        if (!r[i]->rc && !(f->flags & (reads ? IO_READ : IO_WRITE)))
            rc = io_req_fail(r[i], -EBADF, "the file is not open for that");
        else if (reads)
            rc = read_bytes(p, r[i]);
        else if (!r[i]->rc)
            rc = write_bytes(p, r[i]);
        if (rc && !r[i]->rc)
            r[i]->rc = rc;
        if (r[i]->rc)
            return r[i]->rc;
    }
    return 0;
}

/* ---- sync and close -------------------------------------------------------------- */

static int part_sync(struct io_file *f)
{
    return f->flags & IO_WRITE ? part_sync_files(f->priv) : 0;
}

static int part_meet(struct io_file *f)
{
    struct part *p = f->priv;
    if (!(f->flags & IO_WRITE))
        return 0;
    int rc = part_save(p, CONTAINER_OPEN, 0);
    part_in_forget(p);
    return rc;
}

static int store_sums(struct part *p)
{
    char path[CONTAINER_PATH], part[CONTAINER_PATH];
    struct container_part *own = p->mine < 0 ? NULL : &p->c.part[p->mine];
    if (!own)
        return 0;
    int rc = container_sums_path(&p->c, p->f->path, p->mine, path);
    rc = rc ? rc : container_part_path(&p->c, p->f->path, p->mine, part);
    own->bytes = p->own_bytes;
    own->summed = p->sums != NULL;
    if (!rc && !p->sums)
        unlink(path); /* of an earlier container */
    if (rc || !p->sums)
        return rc;
    if (scratch_made(p->f->path)) {
        rc = scratch_add(path);
        scratch_belongs(path, p->f->path);
    }
    struct sums_of of = container_sums_of(&p->c, p->mine);
    return rc ? rc : sums_store(p->sums, path, &of, part, !p->dirty, &own->sums);
}

static int part_finish(struct part *p)
{
    int rc = part_flush(p);
    int closed = io_file_close(&p->own);
    rc = rc ? rc : closed;
    rc = rc ? rc : store_sums(p);
    closed = io_file_close(&p->shared);
    rc = rc ? rc : closed;
    return part_save(p, CONTAINER_COMPLETE, rc);
}

static int part_close(struct io_file *f)
{
    struct part *p = f->priv;
    int rc = 0;
    if (f->flags & IO_WRITE) {
        part_in_forget(p);
        rc = part_finish(p);
    }
    let_go(p);
    return rc;
}

/* Without a plan, the writes of other ranks show in the shared part's size. */
static int part_size(struct io_file *f, int64_t *bytes)
{
    struct part *p = f->priv;
    char path[CONTAINER_PATH];
    struct stat st;
    bool past = p->at_sync && !(f->flags & IO_WRITE);
    if (!p->c.parts && !past && !container_file(f->path, "shared", path) &&
        !stat(path, &st) && st.st_size > p->bytes)
        p->bytes = st.st_size;
    *bytes = p->bytes;
    return 0;
}

static void part_partition(const struct io_file *f, struct io_partition *out)
{
    const struct part *p = f->priv;
    out->parts = p->c.parts;
    out->bytes = p->bytes;
    out->misfits = p->misfits;
    out->misfit_bytes = p->misfit_bytes;
    out->unlocked = p->own && p->own_lock < 0;
    out->recovered = p->at_sync ? p->c.generation : -1;
}

const struct io_engine io_engine_part = {
    .name = "part",
    .options = "buffer|window|files|incomplete|keep_plan|recover|no_sums|no_write_back",
    .can =
        IO_CAN_COLLECTIVE | IO_IS_FOLDER | IO_WRAPS | IO_CALLS_MPI | IO_OPENS_AT_ONCE,
    .open = part_open,
    .absent = part_absent,
    .start = part_start,
    .sync = part_sync,
    .meet = part_meet,
    .close = part_close,
    .size = part_size,
    .partition = part_partition,
};
