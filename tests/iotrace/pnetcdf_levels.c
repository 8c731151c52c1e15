/* Two variables of 100 doubles and 50 ints a rank through PnetCDF: pnetcdf_levels FILE.
 * Collective and independent, of each shape, with a conversion of the type, at once and
 * queued. Prints what the recorder must have for each call: name, calls, bytes. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOUBLES = 100, INTS = 50 };

static int rank, ranks, file, dim[2], var[2];

static void check(int rc, const char *what)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(rc));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const char *name, int calls, int bytes)
{
    if (rank == 0)
        printf("%s %d %d\n", name, calls, bytes);
}

static void make(const char *path)
{
    check(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file),
          "create");
    check(ncmpi_def_dim(file, "x", (MPI_Offset)DOUBLES * ranks, &dim[0]), "dim");
    check(ncmpi_def_dim(file, "y", (MPI_Offset)INTS * ranks, &dim[1]), "dim");
    check(ncmpi_def_var(file, "a", NC_DOUBLE, 1, &dim[0], &var[0]), "var");
    check(ncmpi_def_var(file, "b", NC_INT, 1, &dim[1], &var[1]), "var");
    check(ncmpi_enddef(file), "enddef");
    expect("ncmpi_create", 1, 0);
    expect("ncmpi_enddef", 1, 0);
}

static void put(void)
{
    static double data[DOUBLES];
    MPI_Offset start = (MPI_Offset)DOUBLES * rank, count = DOUBLES, half = DOUBLES / 2;
    MPI_Offset two = 2, one = 1, first = (MPI_Offset)INTS * rank, few = INTS;
    check(ncmpi_put_vara_double_all(file, var[0], &start, &count, data), "vara");
    check(ncmpi_put_vara_all(file, var[0], &start, &count, data, count, MPI_DOUBLE),
          "vara");
    /* The file has ints. */
    check(ncmpi_put_vara_double_all(file, var[1], &first, &few, data), "vara");
    expect("ncmpi_put_vara", 3, 800 + 800 + 200);
    check(ncmpi_put_vars_double_all(file, var[0], &start, &half, &two, data), "vars");
    expect("ncmpi_put_vars", 1, 400);
    check(ncmpi_put_varm_double_all(file, var[0], &start, &half, &one, &two, data),
          "varm");
    expect("ncmpi_put_varm", 1, 400);
    check(ncmpi_begin_indep_data(file), "indep");
    check(ncmpi_put_var1_double(file, var[0], &start, data), "var1");
    expect("ncmpi_put_var1", 1, 8);
    check(ncmpi_end_indep_data(file), "indep");
}

static void get(void)
{
    static double data[DOUBLES];
    float less[DOUBLES];
    MPI_Offset start = (MPI_Offset)DOUBLES * rank, count = DOUBLES;
    double *all = malloc((size_t)(DOUBLES * ranks) * sizeof *all);
    check(ncmpi_get_vara_float_all(file, var[0], &start, &count, less), "get");
    check(ncmpi_get_vara_double_all(file, var[0], &start, &count, data), "get");
    expect("ncmpi_get_vara", 2, 1600);
    check(ncmpi_get_var_double_all(file, var[0], all), "get");
    expect("ncmpi_get_var", 1, 800 * ranks);
    free(all);
}

static void queue(void)
{
    static double data[2][DOUBLES];
    MPI_Offset start = (MPI_Offset)DOUBLES * rank, half = DOUBLES / 2;
    MPI_Offset next = start + half;
    int request[2], status[2];
    check(ncmpi_iput_vara_double(file, var[0], &start, &half, data[0], &request[0]),
          "queue");
    check(ncmpi_iput_vara_double(file, var[0], &next, &half, data[1], &request[1]),
          "queue");
    expect("ncmpi_iput", 2, 0);
    check(ncmpi_wait_all(file, 2, request, status), "wait");
    expect("ncmpi_wait_write", 1, 800);
    check(ncmpi_iget_vara_double(file, var[0], &start, &half, data[0], &request[0]),
          "queue");
    expect("ncmpi_iget", 1, 0);
    check(ncmpi_wait_all(file, 1, request, status), "wait");
    expect("ncmpi_wait_read", 1, 400);
    check(ncmpi_wait_all(file, 0, request, status), "wait");
    expect("ncmpi_wait", 1, 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make(argc > 1 ? argv[1] : "levels.nc");
    put();
    queue();
    get();
    check(ncmpi_close(file), "close");
    expect("ncmpi_close", 1, 0);
    MPI_Finalize();
    return 0;
}
