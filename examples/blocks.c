/* Writes an array in blocks and reads it back in bands of rows, by MPI-IO:
 *
 *     mpicc -o blocks blocks.c                               one shared file
 *     mpicc -o blocks -include ldad_rename.h blocks.c -lldad    a container of libldad
 *     mpirun -np 4 ./blocks FILE
 *
 * With the included header the same calls are libldad's (ldad(3)). The views say which
 * block each rank has, so each rank gets a partition of its own in the container. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 240, COLUMNS = 360 };

/* What a rank has of the array: its size, and the row and column where it begins. */
struct part {
    int size[2], start[2];
};

/* The part in place `at` of `places`, in each dimension. */
static struct part part_of(const int places[2], const int at[2])
{
    const int whole[2] = {ROWS, COLUMNS};
    struct part p;
    for (int d = 0; d < 2; d++) {
        p.start[d] = whole[d] * at[d] / places[d];
        p.size[d] = whole[d] * (at[d] + 1) / places[d] - p.start[d];
    }
    return p;
}

static double value(int row, int column)
{
    return row + column / 1000.0;
}

static void stop_at(int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "blocks: cannot %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static MPI_File open_at(const char *path, int amode, struct part p)
{
    const int whole[2] = {ROWS, COLUMNS};
    MPI_File file;
    MPI_Info info;
    MPI_Datatype view;
    MPI_Info_create(&info); /* MPI-IO ignores hints that it does not know */
    MPI_Info_set(info, "ldad_method", "partitioned");
    stop_at(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file), "open the file");
    MPI_Type_create_subarray(2, whole, p.size, p.start, MPI_ORDER_C, MPI_DOUBLE, &view);
    MPI_Type_commit(&view);
    stop_at(MPI_File_set_view(file, 0, MPI_DOUBLE, view, "native", info), "set a view");
    MPI_Type_free(&view);
    MPI_Info_free(&info);
    return file;
}

/* How the file is stored, by rank 0. */
static void say_fit(MPI_File file, int rank)
{
#ifdef LDAD_H
    struct ldad_fit fit;
    long long all = 0;
    ldad_file_fit(file, &fit);
    long long mine = fit.misfit_bytes;
    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && fit.parts)
        printf("Stored in %lld partitions, and %lld bytes that are in none of them.\n",
               (long long)fit.parts, all);
    else if (rank == 0)
        printf("Stored in one part, as no plan follows from the views.\n");
#else
    (void)file;
    if (rank == 0)
        printf("Stored in one file that the ranks share.\n");
#endif
}

static void write_part(const char *path, struct part p, int rank)
{
    double *data = malloc(sizeof *data * p.size[0] * p.size[1]), *d = data;
    MPI_File file = open_at(path, MPI_MODE_CREATE | MPI_MODE_WRONLY, p);
    for (int i = 0; i < p.size[0]; i++)
        for (int j = 0; j < p.size[1]; j++)
            *d++ = value(p.start[0] + i, p.start[1] + j);
    stop_at(MPI_File_write_all(file, data, p.size[0] * p.size[1], MPI_DOUBLE,
                               MPI_STATUS_IGNORE),
            "write the file");
    say_fit(file, rank);
    stop_at(MPI_File_close(&file), "close the file");
    free(data);
}

/* Numbers that are not those that were written. */
static int read_part(const char *path, struct part p)
{
    int n = p.size[0] * p.size[1], wrong = 0;
    double *data = malloc(sizeof *data * n);
    MPI_File file = open_at(path, MPI_MODE_RDONLY, p);
    stop_at(MPI_File_read_all(file, data, n, MPI_DOUBLE, MPI_STATUS_IGNORE),
            "read the file");
    MPI_File_close(&file);
    for (int k = 0; k < n; k++)
        wrong +=
            data[k] != value(p.start[0] + k / p.size[1], p.start[1] + k % p.size[1]);
    free(data);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, ranks, grid[2] = {0, 0}, wrong, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2) {
        if (rank == 0)
            fprintf(stderr, "Usage: mpirun -np N blocks FILE\n");
        MPI_Finalize();
        return 2;
    }
    MPI_Dims_create(ranks, 2, grid);
    const int block[2] = {rank / grid[1], rank % grid[1]};
    const int bands[2] = {ranks, 1}, band[2] = {rank, 0};
    write_part(argv[1], part_of(grid, block), rank);
    wrong = read_part(argv[1], part_of(bands, band));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("Written as %d x %d blocks and read as %d bands: %d wrong numbers.\n",
               grid[0], grid[1], ranks, all);
    MPI_Finalize();
    return all != 0;
}
