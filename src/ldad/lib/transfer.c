/* Transfers: cuts what a view and a datatype describe into pieces that are contiguous
 * both in the file and in memory, and hands each piece to the engine. */
#include "base/mem.h"
#include "base/units.h"
#include "ldad/lib/file.h"
#include "ldad/lib/libldad.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BOUNCE (INT64_C(1) << 20)
#define GAP_MOST (INT64_C(64) << 10) /* longest gap that a read includes */

/* A transfer in progress. */
struct moving {
    ldad_file fh;
    enum io_op op;
    char *buf;
    const struct types *memory;
    /* in the view's data: its begin, the bytes done, all bytes */
    int64_t first, done, bytes;
    int rc;
};

/* A piece of it, contiguous in the file. */
struct piece {
    int64_t offset, bytes;
    char *at; /* its place in memory; NULL: it has gaps there */
};

/* ---- memory ---------------------------------------------------------------------- */

/* Copies between memory with gaps and `flat`, from data byte m->done on. */
static void move_memory(const struct moving *m, char *flat, int64_t bytes, bool pack)
{
    int64_t at = 0;
    while (at < bytes) {
        struct types_run r = types_at(m->memory, m->done + at, bytes - at);
        char *there = m->buf + r.at;
        memcpy(pack ? flat + at : there, pack ? there : flat + at, (size_t)r.bytes);
        at += r.bytes;
    }
}

static int need_bounce(ldad_file fh)
{
    if (!fh->bounce)
        fh->bounce = mem_of(fh->path, BOUNCE, 1, "a buffer");
    return fh->bounce ? 0 : -ENOMEM;
}

/* ---- contiguous bytes ---------------------------------------------------------- */

int libldad_size(ldad_file fh, int64_t *bytes)
{
    if (fh->unique)
        return unique_size(fh->unique, bytes);
    return io_file_size(fh->io, bytes);
}

/* Cuts a read to the bytes that exist. Bytes behind the end are not read, which is no
 * failure. */
static int cut_at_end(ldad_file fh, int64_t offset, int64_t *bytes)
{
    int rc = 0;
    if (*bytes > fh->known - offset)
        rc = io_file_size(fh->io, &fh->known);
    int64_t there = fh->known > offset ? fh->known - offset : 0;
    *bytes = rc ? 0 : *bytes < there ? *bytes : there;
    return rc;
}

/* Makes one request, even an empty one, as others may wait for it. */
static int move_whole(ldad_file fh, enum io_op op, int64_t offset, char *buf,
                      int64_t bytes, int64_t *moved)
{
    int rc = op == IO_OP_READ ? cut_at_end(fh, offset, &bytes) : 0;
    if (!bytes && !fh->collective)
        return rc;
    struct io_req req = {.op = op, .buf = buf, .offset = offset, .bytes = bytes};
    int failed = io_file_transfer(fh->io, &req);
    *moved = req.done;
    return rc ? rc : failed;
}

static int move_bytes(ldad_file fh, enum io_op op, int64_t offset, char *buf,
                      int64_t bytes, int64_t *moved)
{
    *moved = 0;
    if (!fh->unique)
        return move_whole(fh, op, offset, buf, bytes, moved);
    if (op == IO_OP_READ)
        return unique_read(fh->unique, offset, buf, bytes, moved);
    int rc = unique_write(fh->unique, offset, buf, bytes);
    *moved = rc ? 0 : bytes;
    return rc;
}

/* ---- pieces ---------------------------------------------------------------------- */

static struct types_run file_run(const struct moving *m, int64_t most)
{
    const struct libldad_view *v = &m->fh->view;
    struct types_run r = types_at(v->file, m->first + m->done, most);
    r.at += v->displacement;
    return r;
}

/* Finds the next piece: at most `most` bytes, or `most_packed` if memory has gaps. */
static struct piece piece_next(const struct moving *m, int64_t most,
                               int64_t most_packed)
{
    int64_t left = m->bytes - m->done;
    struct types_run in_file = file_run(m, left < most ? left : most);
    struct types_run in_memory = types_at(m->memory, m->done, in_file.bytes);
    if (in_memory.bytes == in_file.bytes)
        return (struct piece){in_file.at, in_file.bytes, m->buf + in_memory.at};
    int64_t n = in_file.bytes < most_packed ? in_file.bytes : most_packed;
    return (struct piece){in_file.at, n, NULL};
}

/* Moves a piece; if memory has gaps, by way of flat[p->bytes]. */
static int64_t piece_move(struct moving *m, const struct piece *p, char *flat)
{
    int64_t moved;
    char *at = p->at ? p->at : flat;
    if (!p->at && m->op == IO_OP_WRITE)
        move_memory(m, flat, p->bytes, true);
    int rc = move_bytes(m->fh, m->op, p->offset, at, p->bytes, &moved);
    if (!p->at && m->op == IO_OP_READ)
        move_memory(m, flat, moved, false);
    m->rc = m->rc ? m->rc : rc;
    m->done += moved;
    return moved;
}

/* ---- alone ----------------------------------------------------------------------- */

/* Reads runs and the small gaps between them at once; true if it did. Containers have
 * windows for that. */
static bool read_through(struct moving *m)
{
    int64_t end = 0, n = 0, runs = 0, begin = 0, got, done = m->done;
    while (m->done + n < m->bytes) {
        struct moving ahead = *m;
        ahead.done += n;
        struct types_run r = file_run(&ahead, m->bytes - ahead.done);
        begin = runs ? begin : r.at;
        if ((runs && r.at - end > GAP_MOST) || r.at + r.bytes - begin > BOUNCE)
            break;
        end = r.at + r.bytes;
        n += r.bytes;
        runs++;
    }
    if (runs < 2)
        return false;
    m->rc = move_bytes(m->fh, IO_OP_READ, begin, m->fh->bounce, end - begin, &got);
    while (!m->rc && m->done < done + n) {
        struct types_run r = file_run(m, done + n - m->done);
        int64_t there = begin + got - r.at;
        there = there < 0 ? 0 : there < r.bytes ? there : r.bytes;
        move_memory(m, m->fh->bounce + (r.at - begin), there, false);
        m->done += there;
        if (there < r.bytes) {
            m->bytes = m->done; /* the file ends here */
            return true;
        }
    }
    return true;
}

static void move_alone(struct moving *m)
{
    bool gaps = !m->fh->view.file->row;
    if (m->done < m->bytes && (gaps || !m->memory->row))
        m->rc = need_bounce(m->fh);
    while (m->done < m->bytes && !m->rc) {
        if (gaps && m->op == IO_OP_READ && m->fh->plain && read_through(m))
            continue;
        struct piece p = piece_next(m, LIBLDAD_REQUEST_MOST, BOUNCE);
        if (piece_move(m, &p, m->fh->bounce) < p.bytes)
            break;
    }
}

/* ---- together -------------------------------------------------------------------- */

/* Moves all in one collective call, as no rank's view has gaps. */
static void move_at_once(struct moving *m)
{
    struct piece p = {.bytes = 0};
    char *flat = NULL;
    if (m->bytes && !m->rc)
        p = piece_next(m, INT64_MAX, INT64_MAX);
    if (p.bytes && !p.at &&
        !(flat = mem_of(m->fh->path, p.bytes, 1, "gathering bytes"))) {
        m->rc = -ENOMEM;
        p.bytes = 0;
    }
    piece_move(m, &p, p.bytes ? flat : (char *)m);
    free(flat);
}

static int64_t count_pieces(const struct moving *m)
{
    struct moving ahead = *m;
    int64_t n = 0;
    while (ahead.done < ahead.bytes) {
        ahead.done += piece_next(&ahead, LIBLDAD_REQUEST_MOST, BOUNCE).bytes;
        n++;
    }
    return n;
}

/* Makes as many collective calls as the rank with most pieces needs. */
static void move_in_rounds(struct moving *m)
{
    bool over = m->rc || (m->rc = need_bounce(m->fh));
    int64_t rounds = over ? 0 : count_pieces(m);
    MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, m->fh->comm);
    for (int64_t i = 0; i < rounds; i++) {
        struct piece p = {.bytes = 0, .at = (char *)m};
        if (m->done < m->bytes && !over && !m->rc)
            p = piece_next(m, LIBLDAD_REQUEST_MOST, BOUNCE);
        if (piece_move(m, &p, m->fh->bounce) < p.bytes)
            over = true;
    }
}

int libldad_move(ldad_file fh, const struct libldad_ask *a, const struct types *memory,
                 int64_t first, int64_t *moved)
{
    struct moving m = {.fh = fh,
                       .op = a->op,
                       .buf = a->buf,
                       .memory = memory,
                       .first = first,
                       .bytes = a->count * memory->size};
    if (!fh->collective)
        move_alone(&m);
    else if (fh->holes)
        move_in_rounds(&m);
    else
        move_at_once(&m);
    *moved = m.done;
    return m.rc;
}

/* ---- requests -------------------------------------------------------------------- */

/* Refuses what the program may not do with this file, the same on all ranks. */
static int libldad_refuse(ldad_file fh, const struct libldad_ask *a)
{
    bool reads = a->op == IO_OP_READ;
    bool shared = a->where == AT_SHARED_POINTER || a->where == IN_ORDER;
    if ((fh->amode & MPI_MODE_SEQUENTIAL) && !shared)
        return err_set(-EOPNOTSUPP, fh->path, -1,
                       "the file is open for sequential access: use the calls with "
                       "the shared file pointer");
    if (fh->collective && !a->all)
        return err_set(-EOPNOTSUPP, fh->path, a->offset,
                       "the file is open with a method that makes collective "
                       "transfers: use the calls that end in _all");
    if (fh->flags & (reads ? IO_READ : IO_WRITE))
        return 0;
    return err_set(reads ? -EACCES : -EROFS, fh->path, a->offset,
                   "the file is not open for %s", reads ? "reading" : "writing");
}

/* Checks this rank's part of the request; *etypes is its size. */
static int check_ask(ldad_file fh, const struct libldad_ask *a,
                     const struct types *memory, int64_t *etypes)
{
    const struct libldad_view *v = &fh->view;
    int64_t bytes, most = INT64_MAX / 4;
    *etypes = 0;
    if (a->count < 0)
        return err_set(-ERANGE, fh->path, a->offset,
                       "a transfer of %lld element%s is not possible",
                       (long long)a->count, units_s(a->count));
    if (a->where == AT_OFFSET && (a->offset < 0 || a->offset > most / v->unit))
        return err_set(-EINVAL, fh->path, a->offset,
                       "the offset of a transfer is negative, or beyond any file");
    if (__builtin_mul_overflow(a->count, memory->size, &bytes))
        return err_set(-ERANGE, fh->path, a->offset, "the transfer is too long");
    if (bytes && !v->file->size)
        return err_set(-EINVAL, fh->path, a->offset, "the view shows no byte");
    if (a->where != AT_OFFSET && bytes % v->unit)
        return err_set(-EINVAL, fh->path, v->position,
                       "a transfer at a file pointer is of whole etypes");
    *etypes = units_div_up(bytes, v->unit);
    return 0;
}

/* Finds its begin, in etypes; a shared pointer advances by the whole request. */
static int find_first(ldad_file fh, const struct libldad_ask *a, int64_t etypes,
                      int64_t *first)
{
    switch (a->where) {
    case AT_OWN_POINTER:
        *first = fh->view.position;
        return 0;
    case AT_SHARED_POINTER:
        return libldad_pointer_add(fh, etypes, first);
    case IN_ORDER:
        return libldad_pointer_turn(fh, etypes, first);
    default:
        *first = a->offset;
        return 0;
    }
}

/* Moves the bytes; in atomic mode, with the range from the first to the last byte
 * locked. */
static int move_locked(ldad_file fh, const struct libldad_ask *a,
                       const struct types *memory, int64_t first, int64_t *moved)
{
    const struct libldad_view *v = &fh->view;
    int64_t bytes = a->count * memory->size;
    if (!fh->atomic || !bytes)
        return libldad_move(fh, a, memory, first, moved);
    int64_t begin = v->displacement + types_at(v->file, first, 1).at;
    int64_t end = v->displacement + types_at(v->file, first + bytes - 1, 1).at + 1;
    int rc = libldad_lock(fh, a->op, begin, end);
    if (rc)
        return rc;
    rc = libldad_move(fh, a, memory, first, moved);
    libldad_unlock(fh, begin, end);
    return rc;
}

int libldad_transfer(ldad_file fh, const struct libldad_ask *asked, int64_t *moved)
{
    struct libldad_ask a = *asked;
    struct types *memory = NULL;
    int64_t etypes = 0, first = 0;
    *moved = 0;
    int rc = libldad_refuse(fh, &a);
    if (rc)
        return rc;
    rc = types_of(a.type, &memory);
    if (!rc)
        rc = check_ask(fh, &a, memory, &etypes);
    if (rc && !a.all) {
        types_release(memory);
        return rc;
    }
    struct types nothing = {.row = true};
    a.count = rc ? 0 : a.count; /* the others wait for this rank */
    int found = find_first(fh, &a, etypes, &first);
    rc = rc ? rc : found;
    int failed =
        move_locked(fh, &a, memory ? memory : &nothing, first * fh->view.unit, moved);
    if (a.where == AT_OWN_POINTER)
        fh->view.position += units_div_up(*moved, fh->view.unit);
    types_release(memory);
    return rc ? rc : failed;
}

void libldad_set_status(MPI_Status *status, int64_t moved)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    MPI_Status_set_elements_x(status, MPI_BYTE, moved);
    MPI_Status_set_cancelled(status, 0);
}

int libldad_report(ldad_file fh, const struct libldad_ask *a, MPI_Status *status)
{
    int64_t moved;
    int rc = libldad_transfer(fh, a, &moved);
    libldad_set_status(status, moved);
    return libldad_raise(fh, libldad_class(rc));
}
