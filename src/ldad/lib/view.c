/* Views, and each rank's own file pointer. */
#include "base/units.h"
#include "ldad/lib/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- types of a view ------------------------------------------------------------- */

static void type_free(MPI_Datatype *type, bool own)
{
    if (own)
        MPI_Type_free(type);
}

void libldad_view_free(struct libldad_view *v)
{
    type_free(&v->etype, v->own_etype);
    type_free(&v->filetype, v->own_filetype);
    types_release(v->file);
    *v = (struct libldad_view){.unit = 1};
}

int libldad_view_reset(struct libldad_view *v)
{
    *v = (struct libldad_view){.unit = 1, .etype = MPI_BYTE, .filetype = MPI_BYTE};
    return types_of(MPI_BYTE, &v->file);
}

/* Duplicates a type, as the program may free its own; basic types are kept as they
 * are. */
static bool type_dup(MPI_Datatype type, MPI_Datatype *out)
{
    int ints, addresses, types, combiner;
    MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
    *out = type;
    return combiner != MPI_COMBINER_NAMED && MPI_Type_dup(type, out) == MPI_SUCCESS;
}

static int view_refuse(ldad_file fh, const struct types *e, const struct types *f,
                       MPI_Offset disp)
{
    if (e->size <= 0)
        return err_set(-EINVAL, fh->path, disp, "the etype of a view has no bytes");
    if (f->size % e->size)
        return err_set(-EINVAL, fh->path, disp,
                       "the filetype of a view, of %lld bytes, is no multiple of its "
                       "etype, of %lld",
                       (long long)f->size, (long long)e->size);
    if (f->descending || f->extent < 0 || e->descending)
        return err_set(-EIO, fh->path, disp,
                       "the filetype of a view goes back in the file, or before its "
                       "start");
    if (f->overlapping && (fh->flags & IO_WRITE))
        return err_set(-EIO, fh->path, disp,
                       "the filetype of a view shows bytes twice: such a view is for "
                       "files that are only read");
    return 0;
}

/* Takes the types of a view; on failure, *v stays unchanged. */
static int view_make(ldad_file fh, struct libldad_view *v, MPI_Offset disp,
                     MPI_Datatype etype, MPI_Datatype filetype)
{
    struct types *e, *f;
    int rc = types_of(etype, &e);
    if (rc)
        return rc;
    rc = types_of(filetype, &f);
    if (!rc && (rc = view_refuse(fh, e, f, disp)))
        types_release(f);
    if (!rc) {
        *v = (struct libldad_view){.displacement = disp, .unit = e->size, .file = f};
        v->own_etype = type_dup(etype, &v->etype);
        v->own_filetype = type_dup(filetype, &v->filetype);
    }
    types_release(e);
    return rc;
}

/* Finds the begin of a view; *disp may stand for the place of the shared pointer. */
static int view_begin(ldad_file fh, MPI_Offset *disp, const char *datarep)
{
    int64_t now = 0;
    if (!datarep || strcmp(datarep, "native"))
        return err_set(-EILSEQ, fh->path, -1,
                       "views are of the data representation native");
    bool sequential = fh->amode & MPI_MODE_SEQUENTIAL;
    if (sequential != (*disp == MPI_DISPLACEMENT_CURRENT))
        return err_set(-EINVAL, fh->path, -1,
                       sequential ? "views of a file that is open for sequential "
                                    "access begin at MPI_DISPLACEMENT_CURRENT"
                                  : "a view begins at byte 0 or later");
    if (sequential) {
        int rc = libldad_pointer_add(fh, 0, &now);
        *disp =
            fh->view.displacement +
            (fh->view.file->size ? types_at(fh->view.file, now * fh->view.unit, 1).at
                                 : 0);
        return rc;
    }
    return *disp >= 0
               ? 0
               : err_set(-EINVAL, fh->path, -1, "a view begins at byte 0 or later");
}

/* Ends setting a view, when all ranks have theirs, and sets the shared pointer to 0. */
static int view_meet(ldad_file fh, int rc)
{
    int rank, holes = !rc && !fh->view.file->row;
    MPI_Comm_rank(fh->comm, &rank);
    if (fh->amode & MPI_MODE_SEQUENTIAL)
        MPI_Barrier(fh->comm); /* all have read the shared pointer */
    if (!rc && rank == 0)
        rc = libldad_pointer_reset(fh);
    rc = err_agree(fh->comm, rc);
    if (!rc && fh->collective) {
        MPI_Allreduce(MPI_IN_PLACE, &holes, 1, MPI_INT, MPI_MAX, fh->comm);
        fh->holes = holes;
    }
    return rc;
}

static int view_set(ldad_file fh, MPI_Offset disp, MPI_Datatype etype,
                    MPI_Datatype filetype, const char *datarep)
{
    struct libldad_view fresh = {.unit = 0}, old = fh->view;
    int rc = view_begin(fh, &disp, datarep);
    if (!rc)
        rc = view_make(fh, &fresh, disp, etype, filetype);
    if (!rc)
        fh->view = fresh;
    bool mine = !rc;
    rc = view_meet(fh, rc);
    if (rc && mine) {
        libldad_view_free(&fh->view);
        fh->view = old;
    } else if (!rc)
        libldad_view_free(&old);
    return rc ? rc : libldad_plan_by_view(fh);
}

int ldad_file_set_view(ldad_file fh, MPI_Offset disp, MPI_Datatype etype,
                       MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    int code;
    (void)info; /* no key can change a view */
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    return libldad_leave(fh, &before, view_set(fh, disp, etype, filetype, datarep));
}

int ldad_file_get_view(ldad_file fh, MPI_Offset *disp, MPI_Datatype *etype,
                       MPI_Datatype *filetype, char *datarep)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    *disp = fh->view.displacement;
    type_dup(fh->view.etype, etype);
    type_dup(fh->view.filetype, filetype);
    strcpy(datarep, "native");
    return MPI_SUCCESS;
}

/* ---- the own pointer ------------------------------------------------------------- */

int libldad_end(ldad_file fh, int64_t *etypes)
{
    const struct libldad_view *v = &fh->view;
    int64_t bytes = 0;
    int rc = libldad_size(fh, &bytes);
    *etypes = units_div_up(types_before(v->file, bytes - v->displacement), v->unit);
    return rc;
}

static int seek(ldad_file fh, MPI_Offset offset, int whence)
{
    int64_t from = whence == MPI_SEEK_CUR ? fh->view.position : 0;
    int rc = whence == MPI_SEEK_END ? libldad_end(fh, &from) : 0;
    if (rc)
        return rc;
    if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
        return err_set(-EINVAL, fh->path, offset,
                       "the file pointer is set from the start, from where it is, or "
                       "from the end");
    if (offset > INT64_MAX - from || from + offset < 0)
        return err_set(-EINVAL, fh->path, offset,
                       "the file pointer would be before the start");
    fh->view.position = from + offset;
    return 0;
}

static int refuse_sequential(ldad_file fh)
{
    if (!(fh->amode & MPI_MODE_SEQUENTIAL))
        return 0;
    return err_set(-EOPNOTSUPP, fh->path, -1,
                   "a file that is open for sequential access has no pointer of one "
                   "rank");
}

int ldad_file_seek(ldad_file fh, MPI_Offset offset, int whence)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    struct err before = libldad_enter();
    int rc = refuse_sequential(fh);
    return libldad_leave(fh, &before, rc ? rc : seek(fh, offset, whence));
}

int ldad_file_get_position(ldad_file fh, MPI_Offset *offset)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    *offset = fh->view.position;
    return libldad_raise(fh, libldad_class(refuse_sequential(fh)));
}

int ldad_file_get_byte_offset(ldad_file fh, MPI_Offset offset, MPI_Offset *disp)
{
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    const struct libldad_view *v = &fh->view;
    if (offset < 0) {
        err_set(-EINVAL, fh->path, offset, "the offset is negative");
        return libldad_raise(fh, MPI_ERR_ARG);
    }
    *disp = v->displacement +
            (v->file->size ? types_at(v->file, offset * v->unit, 1).at : 0);
    return MPI_SUCCESS;
}

/* Returns a type's extent. In the native representation, files have the layout of
 * memory. */
int ldad_file_get_type_extent(ldad_file fh, MPI_Datatype type, MPI_Aint *extent)
{
    MPI_Aint low;
    int code;
    if (!libldad_is_open(fh, &code))
        return code;
    return libldad_raise(fh, MPI_Type_get_extent(type, &low, extent));
}

int ldad_file_get_type_extent_c(ldad_file fh, MPI_Datatype type, MPI_Count *extent)
{
    MPI_Aint bytes = 0;
    int code = ldad_file_get_type_extent(fh, type, &bytes);
    *extent = bytes;
    return code;
}
