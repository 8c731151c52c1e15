/* Two datasets of 100 doubles and 50 ints through HDF5: hdf5_levels FILE. The first is
 * written whole and a tenth of it is read back; the second is written from doubles, and
 * has an attribute of ten doubles. hdf5_levels FILE later does it with features of HDF5
 * 1.14: asynchronously, and both datasets in one call. Here hdf5_later.so replaces
 * these. */
#include <hdf5.h>
#include <string.h>

#if !H5_VERSION_GE(1, 13, 0)
herr_t H5Dwrite_async(const char *, const char *, unsigned, hid_t, hid_t, hid_t, hid_t,
                      hid_t, const void *, hid_t) __attribute__((weak));
herr_t H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **)
    __attribute__((weak));

static void later(hid_t a, hid_t b, double *data)
{
    hid_t set[] = {a, b}, type[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE};
    hid_t space[] = {H5S_ALL, H5S_ALL};
    void *to[] = {data, data};
    H5Dwrite_async(__FILE__, __func__, __LINE__, b, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                   H5P_DEFAULT, data, 77);
    H5Dread_multi(2, set, type, space, space, H5P_DEFAULT, to);
}
#else
static void later(hid_t a, hid_t b, double *data)
{
    (void)a, (void)b, (void)data; /* its names are macros there */
}
#endif

static void attribute(hid_t of, hid_t space, double *data)
{
    hid_t a =
        H5Acreate2(of, "unit", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_DOUBLE, data);
    H5Aclose(a);
    a = H5Aopen(of, "unit", H5P_DEFAULT);
    H5Aread(a, H5T_NATIVE_DOUBLE, data);
    H5Aclose(a);
}

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
    attribute(b, few, data);
    if (argc > 2 && !strcmp(argv[2], "later"))
        later(a, b, data);
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
