/* Views, and each rank's own file pointer: they say where a transfer goes, and the
 * calls with offsets do it. */
#include "ldad/libldad.h"
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

/* The pointer goes on by what was transferred, unless that is no whole number of
 * etypes. */
static int move_on(ldad_file fh, int code, int count, MPI_Datatype type)
{
    struct libldad_view *v = libldad_view(fh);
    int size;
    MPI_Type_size(type, &size);
    int64_t bytes = (int64_t)count * size;
    if (code != MPI_SUCCESS)
        return code;
    if (bytes % v->unit)
        return libldad_fail(fh, -EINVAL, v->position,
                            "a transfer at the file pointer is of whole etypes");
    v->position += bytes / v->unit;
    return code;
}

int ldad_file_write(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    int64_t at = libldad_view(fh)->position;
    int code = ldad_file_write_at(fh, at, buf, count, type, status);
    return move_on(fh, code, count, type);
}

int ldad_file_read(ldad_file fh, void *buf, int count, MPI_Datatype type,
                   MPI_Status *status)
{
    int64_t at = libldad_view(fh)->position;
    int code = ldad_file_read_at(fh, at, buf, count, type, status);
    return move_on(fh, code, count, type);
}

int ldad_file_write_all(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                        MPI_Status *status)
{
    int64_t at = libldad_view(fh)->position;
    int code = ldad_file_write_at_all(fh, at, buf, count, type, status);
    return move_on(fh, code, count, type);
}

int ldad_file_read_all(ldad_file fh, void *buf, int count, MPI_Datatype type,
                       MPI_Status *status)
{
    int64_t at = libldad_view(fh)->position;
    int code = ldad_file_read_at_all(fh, at, buf, count, type, status);
    return move_on(fh, code, count, type);
}
