/* A dataset of 4-byte numbers, that ranks write by parallel HDF5 and read back:
 *
 *     hdf5 FILE collective|independent rows|columns|chunks [ROWS]
 *
 * Each rank has adjacent rows or columns, and reads those of the next rank.
 * chunks: rows, of a dataset that is stored in chunks. Prints the number of wrong
 * ones; with ROWS, of each rank, also the time of writing. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 48 }; /* of each rank */

static int rank, ranks, rows = 64;
static hsize_t all[2], begin[2], count[2];

static int number(hsize_t row, hsize_t column)
{
    return (int)(row * all[1] + column + 1);
}

/* Selects rank r's part of the dataset. */
static hid_t part_of(int r, int by_columns)
{
    hid_t space = H5Screate_simple(2, all, NULL);
    begin[0] = by_columns ? 0 : (hsize_t)(r * rows);
    begin[1] = by_columns ? (hsize_t)(r * COLUMNS) : 0;
    count[0] = by_columns ? all[0] : (hsize_t)rows;
    count[1] = by_columns ? COLUMNS : all[1];
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL);
    return space;
}

static hid_t make_dataset(hid_t file, int in_chunks)
{
    hsize_t chunk[2] = {16, 20};
    int one = 1;
    hid_t space = H5Screate_simple(2, all, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (in_chunks)
        H5Pset_chunk(how, 2, chunk);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    hid_t set = H5Dcreate2(file, "numbers", H5T_STD_I32LE, space, H5P_DEFAULT, how,
                           H5P_DEFAULT);
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t note =
        H5Acreate2(set, "step", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(note, H5T_NATIVE_INT, &one);
    H5Aclose(note);
    return set;
}

static int write_all(const char *path, hid_t access, hid_t move, const char *how,
                     int *data)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t set = make_dataset(file, !strcmp(how, "chunks"));
    hid_t space = part_of(rank, !strcmp(how, "columns"));
    for (hsize_t i = 0; i < count[0] * count[1]; i++)
        data[i] = number(begin[0] + i / count[1], begin[1] + i % count[1]);
    hid_t memory = H5Screate_simple(2, count, NULL);
    herr_t rc = H5Dwrite(set, H5T_NATIVE_INT, memory, space, move, data);
    H5Dclose(set);
    return rc < 0 || H5Fclose(file) < 0;
}

static long read_all(const char *path, hid_t access, hid_t move, const char *how,
                     int *data)
{
    long wrong = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    hid_t set = H5Dopen2(file, "numbers", H5P_DEFAULT);
    hid_t space = part_of((rank + 1) % ranks, !strcmp(how, "columns"));
    hid_t memory = H5Screate_simple(2, count, NULL);
    memset(data, 0, (size_t)(count[0] * count[1]) * sizeof *data);
    H5Dread(set, H5T_NATIVE_INT, memory, space, move, data);
    for (hsize_t i = 0; i < count[0] * count[1]; i++)
        wrong += data[i] != number(begin[0] + i / count[1], begin[1] + i % count[1]);
    H5Dclose(set);
    return wrong + (H5Fclose(file) < 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4 && argc != 5)
        return 2;
    rows = argc == 5 ? atoi(argv[4]) : rows;
    all[0] = (hsize_t)(rows * ranks);
    all[1] = (hsize_t)(COLUMNS * ranks);
    int *data = malloc((size_t)rows * (size_t)all[1] * sizeof *data);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), move = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(move, strcmp(argv[2], "collective") ? H5FD_MPIO_INDEPENDENT
                                                         : H5FD_MPIO_COLLECTIVE);
    double begin_s = MPI_Wtime();
    if (write_all(argv[1], access, move, argv[3], data))
        printf("rank %d cannot write\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc == 5 && rank == 0)
        printf("%.3f s\n", MPI_Wtime() - begin_s);
    long wrong = read_all(argv[1], access, move, argv[3], data);
    if (wrong)
        printf("rank %d: %ld numbers are wrong\n", rank, wrong);
    free(data);
    H5Pclose(access);
    H5Pclose(move);
    MPI_Finalize();
    return 0;
}
