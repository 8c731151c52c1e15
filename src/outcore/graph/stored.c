/* A graph that an earlier run has stored and kept: its files are searched, and stay. */
#include "base/err.h"
#include "outcore/graph/store.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define VERTICES_MOST (UINT64_C(1) << 48)

struct stored {
    char path[4096];
    int64_t bytes;      /* of the file */
    uint64_t number[3]; /* numbers in its head */
};

void stored_path(const struct store *s, const char *which, char *path, size_t size)
{
    snprintf(path, size, "%s.%s.%d", s->kept.name, which, s->r->world.rank);
}

/* ---- a head ---------------------------------------------------------------------- */

static int read_bytes(const char *path, char head[PIF_HEAD])
{
    struct io_file *f = NULL;
    const struct io_open open = {.engine = "posix",
                                 .path = path,
                                 .flags = IO_READ | IO_LOCAL,
                                 .max_request = PIF_HEAD,
                                 .depth = 1};
    struct io_req req = {.op = IO_OP_READ, .buf = head, .bytes = PIF_HEAD};
    int rc = io_file_open(&f, &open);
    if (rc)
        return rc;
    rc = io_file_transfer(f, &req);
    int closed = io_file_close(&f);
    return rc ? rc : closed;
}

static int stored_read_head(const struct store *s, const char *which, const char *magic,
                            struct stored *f)
{
    char head[PIF_HEAD];
    struct io_input is;
    stored_path(s, which, f->path, sizeof f->path);
    int rc = io_input_of(f->path, &is);
    if (rc)
        return rc;
    f->bytes = is.bytes;
    if (f->bytes < PIF_HEAD)
        return err_set(-EIO, f->path, -1,
                       "the file has %" PRId64 " bytes, and its head alone would have "
                       "%d: it was cut short",
                       f->bytes, PIF_HEAD);
    rc = read_bytes(f->path, head);
    if (rc || format_head(head, magic, f->number, 3))
        return rc;
    return err_set(-EIO, f->path, 0,
                   "the file does not begin with %s: it is no %s of outcore graph, or "
                   "is damaged",
                   magic, which);
}

/* ---- content of heads ------------------------------------------------------------ */

static int lies(const struct stored *f, const char *what, uint64_t says, uint64_t is)
{
    return err_set(-EIO, f->path, 0,
                   "the head says that there are %" PRIu64 " %s, and there are %" PRIu64
                   ": the file is damaged, or another one was cut short",
                   says, what, is);
}

static int sums_differ(const struct stored *f, uint64_t places, uint64_t lists)
{
    return err_set(-EIO, f->path, 0,
                   "the sum of edges is %" PRIu64 " here and %" PRIu64
                   " in the other file of the rank: one of them is damaged, or of "
                   "another graph",
                   lists, places);
}

static int check_places(struct store *s, const struct stored *f)
{
    if (!f->number[0] || f->number[0] > VERTICES_MOST)
        return err_set(-EIO, f->path, 0,
                       "the head says that there are %" PRIu64 " vertices, and 1 to "
                       "2^48 are possible: the file is damaged",
                       f->number[0]);
    s->vertices = f->number[0];
    int64_t bytes = s->layout->places_bytes(s);
    if (f->bytes == bytes)
        return 0;
    return err_set(-EIO, f->path, -1,
                   "the file has %" PRId64 " bytes, and that of rank %d of %d would "
                   "have %" PRId64 " for the %" PRIu64 " vertices that its head names: "
                   "take as many ranks as stored the graph, or the file is damaged",
                   f->bytes, s->r->world.rank, s->r->world.size, bytes, s->vertices);
}

/* Checks the file of lists, whose size follows from both heads. */
static int stored_check_size(struct store *s, const struct stored *f, uint64_t chunks,
                             uint64_t entries)
{
    uint64_t bytes = (uint64_t)f->bytes - PARTITION_HEAD;
    s->kept.entries = (int64_t)entries;
    s->kept.chunks = (int64_t)chunks;
    s->kept.bytes = f->bytes;
    if (entries <= bytes / 8 && chunks <= bytes / CHUNK_HEAD &&
        8 * entries + CHUNK_HEAD * chunks == bytes)
        return 0;
    return err_set(-EIO, f->path, 0,
                   "the file has %" PRId64 " bytes, and the heads say that there are "
                   "%" PRIu64 " entries in %" PRIu64 " chunks, which have others: it "
                   "is damaged, or was cut short",
                   f->bytes, entries, chunks);
}

static int check_lists(struct store *s, const struct stored *places,
                       const struct stored *f)
{
    if (f->number[0] != s->vertices)
        return lies(f, "vertices", f->number[0], s->vertices);
    if (s->layout->made) {
        if (places->number[1] != (uint64_t)f->bytes)
            return lies(places, "bytes of PARTITION", places->number[1],
                        (uint64_t)f->bytes);
        return stored_check_size(s, f, places->number[2], f->number[1]);
    }
    if (places->number[1] != f->number[1])
        return lies(places, "entries", places->number[1], f->number[1]);
    s->kept.sum = f->number[2];
    if (places->number[2] != f->number[2])
        return sums_differ(f, places->number[2], f->number[2]);
    return stored_check_size(s, f, 0, f->number[1]);
}

static int read_heads(struct store *s)
{
    const struct store_layout *l = s->layout;
    struct stored places, lists;
    int rc = stored_read_head(s, l->places, l->places_magic, &places);
    rc = rc ? rc : stored_read_head(s, l->lists, l->lists_magic, &lists);
    rc = rc ? rc : check_places(s, &places);
    return rc ? rc : check_lists(s, &places, &lists);
}

int stored_plan(struct store *s)
{
    MPI_Comm comm = s->r->world.comm;
    int rc = err_agree(comm, read_heads(s));
    uint64_t first = s->vertices;
    if (rc)
        return rc;
    s->kept.all_entries = s->kept.entries;
    world_reduce(comm, &s->kept.all_entries, 1, MPI_INT64_T, MPI_SUM);
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm);
    if (first != s->vertices)
        rc = err_set(-EIO, s->kept.name, -1,
                     "the files of rank %d are of a graph of %" PRIu64 " vertices, and "
                     "those of rank 0 of one of %" PRIu64,
                     s->r->world.rank, s->vertices, first);
    return err_agree(comm, rc);
}
