/* MPI-IO through the entry points that Fortran programs call, so that no Fortran
 * compiler is needed: mpi_fortran FOLDER. Three writes, a collective read and a
 * nonblocking write of 32 bytes each; one write by the name with two underscores. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef MPI_Fint integer;

void mpi_init_(integer *error);
void mpi_finalize_(integer *error);
void mpi_file_open_(integer *comm, const char *name, integer *mode, integer *info,
                    integer *file, integer *error, size_t length);
void mpi_file_write_at_(integer *file, MPI_Offset *at, void *data, integer *n,
                        integer *type, integer *status, integer *error);
void mpi_file_write_at__(integer *file, MPI_Offset *at, void *data, integer *n,
                         integer *type, integer *status, integer *error);
void mpi_file_read_at_all_(integer *file, MPI_Offset *at, void *data, integer *n,
                           integer *type, integer *status, integer *error);
void mpi_file_iwrite_at_(integer *file, MPI_Offset *at, void *data, integer *n,
                         integer *type, integer *request, integer *error);
void mpi_wait_(integer *request, integer *status, integer *error);
void mpi_file_close_(integer *file, integer *error);

int main(int argc, char **argv)
{
    char name[4096];
    integer error, file, request, n = 8, data[8] = {0}, status[16];
    integer mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    mpi_init_(&error);
    integer self = MPI_Comm_c2f(MPI_COMM_SELF), info = MPI_Info_c2f(MPI_INFO_NULL);
    integer type = MPI_Type_c2f(MPI_INT);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/fortran.%d", argc > 1 ? argv[1] : ".", rank);
    mpi_file_open_(&self, name, &mode, &info, &file, &error, strlen(name));
    MPI_Offset at = 0;
    mpi_file_write_at_(&file, &at, data, &n, &type, status, &error);
    at = 32;
    mpi_file_write_at_(&file, &at, data, &n, &type, status, &error);
    at = 64;
    mpi_file_write_at__(&file, &at, data, &n, &type, status, &error);
    mpi_file_read_at_all_(&file, &at, data, &n, &type, status, &error);
    mpi_file_iwrite_at_(&file, &at, data, &n, &type, &request, &error);
    mpi_wait_(&request, status, &error);
    mpi_file_close_(&file, &error);
    mpi_finalize_(&error);
    return error;
}
