/* Views, and each rank's own file pointer: they say where a transfer goes, and the
 * calls with offsets do it. */
#include "base/units.h"
#include "ldad/lib/libldad.h"
#include <errno.h>
#include <string.h>

int ldad_file_set_view(ldad_file fh, MPI_Offset disp, MPI_Datatype etype,
                       MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    struct libldad_view *v = libldad_view(fh);
    int64_t unit, size;
    (void)info;
    if (strcmp(datarep, "native"))
        return libldad_fail(fh, -EOPNOTSUPP, -1,
                            "views are of the data representation native");
    if (!libldad_is_row(etype, &unit) || !libldad_is_row(filetype, &size) ||
        unit <= 0 || size % unit || disp < 0)
        return libldad_fail(fh, -EOPNOTSUPP, disp,
                            "a view begins at byte 0 or later, and its types are basic "
                            "ones or rows of such: others hide parts of the file");
    *v = (struct libldad_view){.displacement = disp, .unit = unit};
    return MPI_SUCCESS;
}

int ldad_file_seek(ldad_file fh, MPI_Offset offset, int whence)
{
    struct libldad_view *v = libldad_view(fh);
    int64_t from = whence == MPI_SEEK_CUR ? v->position : 0;
    if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR)
        return libldad_fail(fh, -EOPNOTSUPP, offset,
                            "the file pointer is set from the start or from where it "
                            "is, not from the end");
    if (offset > INT64_MAX - from || from + offset < 0)
        return libldad_fail(fh, -EINVAL, offset,
                            "the file pointer would be before the start");
    v->position = from + offset;
    return MPI_SUCCESS;
}

int ldad_file_get_position(ldad_file fh, MPI_Offset *offset)
{
    *offset = libldad_view(fh)->position;
    return MPI_SUCCESS;
}

/* A transfer at the pointer, which goes on by what was moved: past an etype of which
 * the file has a part only, or whoever reads up to the end would read that for ever. */
static int at_pointer(ldad_file fh, bool all, enum io_op op, void *buf, int count,
                      MPI_Datatype type, MPI_Status *status)
{
    struct libldad_view *v = libldad_view(fh);
    int64_t moved;
    int size;
    int code =
        libldad_transfer(fh, all, op, v->position, buf, count, type, status, &moved);
    MPI_Type_size(type, &size);
    if (code == MPI_SUCCESS && (int64_t)count * size % v->unit)
        code = libldad_fail(fh, -EINVAL, v->position,
                            "a transfer at the file pointer is of whole etypes");
    else
        v->position += units_div_up(moved, v->unit);
    return code;
}

int ldad_file_write(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    return at_pointer(fh, false, IO_OP_WRITE, (void *)buf, count, type, status);
}

int ldad_file_read(ldad_file fh, void *buf, int count, MPI_Datatype type,
                   MPI_Status *status)
{
    return at_pointer(fh, false, IO_OP_READ, buf, count, type, status);
}

int ldad_file_write_all(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                        MPI_Status *status)
{
    return at_pointer(fh, true, IO_OP_WRITE, (void *)buf, count, type, status);
}

int ldad_file_read_all(ldad_file fh, void *buf, int count, MPI_Datatype type,
                       MPI_Status *status)
{
    return at_pointer(fh, true, IO_OP_READ, buf, count, type, status);
}
