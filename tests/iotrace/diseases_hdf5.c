/* Like diseases.c, with parallel HDF5: "diseases_hdf5 NAME". */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH (1 << 17) /* numbers of a rank */

static int rank, ranks;
static double numbers[EACH];

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "diseases_hdf5: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static hid_t open_file(int make, int together)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, together);
    H5Pset_coll_metadata_write(access, together);
    hid_t file = make ? H5Fcreate("d.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access)
                      : H5Fopen("d.h5", H5F_ACC_RDONLY, access);
    check(file >= 0, "cannot open d.h5");
    H5Pclose(access);
    return file;
}

static void put(hid_t file, const char *name, int fill)
{
    hsize_t all = (hsize_t)EACH * (hsize_t)ranks, own = EACH, at = own * (hsize_t)rank;
    hid_t space = H5Screate_simple(1, &all, NULL);
    hid_t part = H5Screate_simple(1, &own, NULL);
    hid_t make = H5Pcreate(H5P_DATASET_CREATE), move = H5Pcreate(H5P_DATASET_XFER);
    double value = 7;
    if (fill)
        H5Pset_fill_value(make, H5T_NATIVE_DOUBLE, &value);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, make,
                           H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &own, NULL);
    H5Pset_dxpl_mpio(move, H5FD_MPIO_COLLECTIVE);
    check(H5Dwrite(set, H5T_NATIVE_DOUBLE, part, space, move, numbers) >= 0, "write");
    H5Dclose(set);
    H5Pclose(make);
    H5Pclose(move);
    H5Sclose(space);
    H5Sclose(part);
}

/* Makes many small datasets, which all ranks open. */
static void metadata(int together)
{
    char name[16];
    hsize_t few = 10;
    hid_t file = open_file(1, 1), space = H5Screate_simple(1, &few, NULL);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "set%d", i);
        H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Sclose(space);
    H5Fclose(file);
    file = open_file(0, together);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_all_coll_metadata_ops(access, together);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "set%d", i);
        hid_t set = H5Dopen2(file, name, access);
        check(set >= 0, name);
        H5Dclose(set);
    }
    H5Pclose(access);
    H5Fclose(file);
}

static void data(int fill)
{
    hid_t file = open_file(1, 1);
    put(file, "a", fill);
    put(file, "b", fill);
    H5Fclose(file);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(name, "h5meta") || !strcmp(name, "h5together"))
        metadata(name[2] == 't');
    else if (!strcmp(name, "h5fill") || !strcmp(name, "h5data"))
        data(name[2] == 'f');
    else
        check(0, "usage: diseases_hdf5 h5meta|h5together|h5fill|h5data");
    MPI_Finalize();
    return 0;
}
