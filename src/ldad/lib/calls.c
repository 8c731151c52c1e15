/* The calls that transfer: each kind exists with an int and, ending in _c, with an
 * MPI_Count; they are blocking, nonblocking and split. */
#include "base/mem.h"
#include "ldad/lib/file.h"
#include <errno.h>
#include <stdlib.h>

/* ---- blocking -------------------------------------------------------------------- */

static int blocking(ldad_file fh, struct libldad_ask a, MPI_Status *status)
{
    int code;
    return libldad_is_open(fh, &code) ? libldad_report(fh, &a, status) : code;
}

/* ---- nonblocking ----------------------------------------------------------------- */

static int query(void *moved, MPI_Status *status)
{
    libldad_set_status(status, *(int64_t *)moved);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int done_with(void *moved)
{
    free(moved);
    return MPI_SUCCESS;
}

static int never_cancelled(void *moved, int complete)
{
    (void)moved;
    (void)complete;
    return MPI_SUCCESS;
}

/* Makes the transfer at once, so the request is complete. */
static int nonblocking(ldad_file fh, struct libldad_ask a, MPI_Request *request)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    int64_t *moved = malloc(sizeof *moved), none;
    int rc = libldad_transfer(fh, &a, moved ? moved : &none);
    if (!moved)
        rc = mem_none(fh->path, sizeof *moved, "a request");
    if (!rc && MPI_Grequest_start(query, done_with, never_cancelled, moved, request) ==
                   MPI_SUCCESS)
        return MPI_Grequest_complete(*request);
    free(moved);
    *request = MPI_REQUEST_NULL;
    return libldad_raise(fh, rc ? libldad_class(rc) : MPI_ERR_OTHER);
}

/* ---- split ----------------------------------------------------------------------- */

static int begin_split(ldad_file fh, struct libldad_ask a)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    if (fh->split.begun) {
        err_set(-EIO, fh->path, a.offset,
                "a split collective transfer is in progress: end it before another one "
                "begins");
        return libldad_raise(fh, MPI_ERR_IO);
    }
    fh->split.begun = true;
    fh->split.ask = a;
    fh->split.code = libldad_class(libldad_transfer(fh, &a, &fh->split.moved));
    return libldad_raise(fh, fh->split.code);
}

static int end_split(ldad_file fh, enum io_op op, enum libldad_where where,
                     const void *buf, MPI_Status *status)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    const struct libldad_ask *a = &fh->split.ask;
    if (!fh->split.begun || a->op != op || a->where != where || a->buf != buf) {
        err_set(-EIO, fh->path, -1,
                "no split collective transfer of this kind was begun with this buffer");
        return libldad_raise(fh, MPI_ERR_IO);
    }
    fh->split.begun = false;
    libldad_set_status(status, fh->split.moved);
    return fh->split.code;
}

/* ---- names ----------------------------------------------------------------------- */

#define ASK(to, wh, together, at)                                                      \
    (struct libldad_ask)                                                               \
    {                                                                                  \
        .op = to, .where = wh, .all = together, .offset = at, .buf = (void *)buf,      \
        .count = count, .type = type                                                   \
    }

/* Defines the calls of one kind. `OF()` is the list of parameters before the buffer. */
#define CALL(name, OF, BUF, COUNT, to, wh, together, at)                               \
    int ldad_file_##name(OF(), BUF *buf, COUNT count, MPI_Datatype type,               \
                         MPI_Status *status)                                           \
    {                                                                                  \
        return blocking(fh, ASK(to, wh, together, at), status);                        \
    }
#define ICALL(name, OF, BUF, COUNT, to, wh, together, at)                              \
    int ldad_file_##name(OF(), BUF *buf, COUNT count, MPI_Datatype type,               \
                         MPI_Request *request)                                         \
    {                                                                                  \
        return nonblocking(fh, ASK(to, wh, together, at), request);                    \
    }
#define BEGIN(name, OF, BUF, COUNT, to, wh, at)                                        \
    int ldad_file_##name(OF(), BUF *buf, COUNT count, MPI_Datatype type)               \
    {                                                                                  \
        return begin_split(fh, ASK(to, wh, true, at));                                 \
    }
#define END(name, BUF, to, wh)                                                         \
    int ldad_file_##name(ldad_file fh, BUF *buf, MPI_Status *status)                   \
    {                                                                                  \
        return end_split(fh, to, wh, buf, status);                                     \
    }

#define FILE_ONLY() ldad_file fh
#define FILE_AT() ldad_file fh, MPI_Offset offset

#define BOTH(kind, name, OF, BUF, ...)                                                 \
    kind(name, OF, BUF, int, __VA_ARGS__)                                              \
        kind(name##_c, OF, BUF, MPI_Count, __VA_ARGS__)

#define FAMILY(op, BUF, to)                                                            \
    BOTH(CALL, op##_at, FILE_AT, BUF, to, AT_OFFSET, false, offset)                    \
    BOTH(CALL, op##_at_all, FILE_AT, BUF, to, AT_OFFSET, true, offset)                 \
    BOTH(CALL, op, FILE_ONLY, BUF, to, AT_OWN_POINTER, false, -1)                      \
    BOTH(CALL, op##_all, FILE_ONLY, BUF, to, AT_OWN_POINTER, true, -1)                 \
    BOTH(CALL, op##_shared, FILE_ONLY, BUF, to, AT_SHARED_POINTER, false, -1)          \
    BOTH(CALL, op##_ordered, FILE_ONLY, BUF, to, IN_ORDER, true, -1)                   \
    BOTH(ICALL, i##op##_at, FILE_AT, BUF, to, AT_OFFSET, false, offset)                \
    BOTH(ICALL, i##op##_at_all, FILE_AT, BUF, to, AT_OFFSET, true, offset)             \
    BOTH(ICALL, i##op, FILE_ONLY, BUF, to, AT_OWN_POINTER, false, -1)                  \
    BOTH(ICALL, i##op##_all, FILE_ONLY, BUF, to, AT_OWN_POINTER, true, -1)             \
    BOTH(ICALL, i##op##_shared, FILE_ONLY, BUF, to, AT_SHARED_POINTER, false, -1)      \
    BOTH(BEGIN, op##_at_all_begin, FILE_AT, BUF, to, AT_OFFSET, offset)                \
    BOTH(BEGIN, op##_all_begin, FILE_ONLY, BUF, to, AT_OWN_POINTER, -1)                \
    BOTH(BEGIN, op##_ordered_begin, FILE_ONLY, BUF, to, IN_ORDER, -1)                  \
    END(op##_at_all_end, BUF, to, AT_OFFSET)                                           \
    END(op##_all_end, BUF, to, AT_OWN_POINTER)                                         \
    END(op##_ordered_end, BUF, to, IN_ORDER)

FAMILY(write, const void, IO_OP_WRITE)
FAMILY(read, void, IO_OP_READ)
