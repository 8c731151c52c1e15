/* Two datasets of 100 doubles and 50 ints through HDF5: hdf5_levels FILE. The first is
 * written whole and a tenth of it is read back; the second is written from doubles. */
#include <hdf5.h>

int main(int argc, char **argv)
{
    static double data[100];
    hsize_t all = 100, half = 50, start = 20, count = 10;
    const char *path = argc > 1 ? argv[1] : "levels.h5";
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &all, NULL);
    hid_t small = H5Screate_simple(1, &half, NULL);
    hid_t few = H5Screate_simple(1, &count, NULL);
    hid_t a = H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
    hid_t b = H5Dcreate2(file, "b", H5T_STD_I32LE, small, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
    H5Dwrite(a, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dwrite(b, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    H5Dclose(a);
    a = H5Dopen2(file, "a", H5P_DEFAULT);
    H5Dread(a, H5T_NATIVE_DOUBLE, few, space, H5P_DEFAULT, data);
    H5Dclose(a);
    H5Dclose(b);
    H5Sclose(space);
    H5Sclose(small);
    H5Sclose(few);
    H5Fclose(file);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Fclose(file);
    return 0;
}
