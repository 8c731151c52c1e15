/* The functions that include/ldad.f90 calls: those of <ldad.h> with all arguments by
 * reference and MPI's handles as in Fortran. */
#include <ldad.h>
#include <string.h>

typedef int transfer_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                        MPI_Datatype type, MPI_Status *status);

void ldad_file_open_f(const MPI_Fint *comm, const char *path, const MPI_Fint *amode,
                      const MPI_Fint *info, ldad_file *fh, MPI_Fint *ierror);
void ldad_file_close_f(ldad_file *fh, MPI_Fint *ierror);
void ldad_file_delete_f(const char *path, const MPI_Fint *info, MPI_Fint *ierror);
void ldad_file_set_size_f(const ldad_file *fh, const MPI_Offset *size,
                          MPI_Fint *ierror);
void ldad_file_sync_f(const ldad_file *fh, MPI_Fint *ierror);
void ldad_file_error_f(char *text, const int *room);

void ldad_file_open_f(const MPI_Fint *comm, const char *path, const MPI_Fint *amode,
                      const MPI_Fint *info, ldad_file *fh, MPI_Fint *ierror)
{
    *ierror =
        ldad_file_open(MPI_Comm_f2c(*comm), path, *amode, MPI_Info_f2c(*info), fh);
}

void ldad_file_close_f(ldad_file *fh, MPI_Fint *ierror)
{
    *ierror = ldad_file_close(fh);
}

void ldad_file_delete_f(const char *path, const MPI_Fint *info, MPI_Fint *ierror)
{
    *ierror = ldad_file_delete(path, MPI_Info_f2c(*info));
}

void ldad_file_set_size_f(const ldad_file *fh, const MPI_Offset *size, MPI_Fint *ierror)
{
    *ierror = ldad_file_set_size(*fh, *size);
}

void ldad_file_sync_f(const ldad_file *fh, MPI_Fint *ierror)
{
    *ierror = ldad_file_sync(*fh);
}

/* Copies the sentence and fills the rest with blanks. */
void ldad_file_error_f(char *text, const int *room)
{
    const char *why = ldad_file_error();
    size_t n = strlen(why), most = *room > 0 ? (size_t)*room : 0;
    n = n < most ? n : most;
    memset(text, ' ', most);
    memcpy(text, why, n);
}

static MPI_Fint fortran_transfer(transfer_at *f, const ldad_file *fh,
                                 const MPI_Offset *offset, void *buf,
                                 const MPI_Fint *count, const MPI_Fint *type,
                                 MPI_Fint *status)
{
    MPI_Status s;
    memset(&s, 0, sizeof s);
    int code = f(*fh, *offset, buf, *count, MPI_Type_f2c(*type), &s);
    if (status != MPI_F_STATUS_IGNORE)
        MPI_Status_c2f(&s, status);
    return code;
}

/* Writing does not change the buffer, whatever its type here is. */
static int fortran_write_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                            MPI_Datatype type, MPI_Status *status)
{
    return ldad_file_write_at(fh, offset, buf, count, type, status);
}

static int write_at_all(ldad_file fh, MPI_Offset offset, void *buf, int count,
                        MPI_Datatype type, MPI_Status *status)
{
    return ldad_file_write_at_all(fh, offset, buf, count, type, status);
}

#define TRANSFER(name, f)                                                              \
    void name(const ldad_file *fh, const MPI_Offset *offset, void *buf,                \
              const MPI_Fint *count, const MPI_Fint *type, MPI_Fint *status,           \
              MPI_Fint *ierror);                                                       \
    void name(const ldad_file *fh, const MPI_Offset *offset, void *buf,                \
              const MPI_Fint *count, const MPI_Fint *type, MPI_Fint *status,           \
              MPI_Fint *ierror)                                                        \
    {                                                                                  \
        *ierror = fortran_transfer(f, fh, offset, buf, count, type, status);           \
    }

TRANSFER(ldad_file_write_at_f, fortran_write_at)
TRANSFER(ldad_file_write_at_all_f, write_at_all)
TRANSFER(ldad_file_read_at_f, ldad_file_read_at)
TRANSFER(ldad_file_read_at_all_f, ldad_file_read_at_all)
