/* Replaces two functions of HDF5 1.14 for older versions, and checks the arguments that
 * the recorder must pass on. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#if !H5_VERSION_GE(1, 13, 0)
herr_t H5Dwrite_async(const char *file, const char *function, unsigned line,
                      hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t plist,
                      const void *data, hid_t events);
herr_t H5Dread_multi(size_t n, hid_t *dataset, hid_t *type, hid_t *memory, hid_t *space,
                     hid_t plist, void **data);

herr_t H5Dwrite_async(const char *file, const char *function, unsigned line,
                      hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t plist,
                      const void *data, hid_t events)
{
    if (!strstr(file, "hdf5_levels") || strcmp(function, "later") != 0 || !line ||
        events != 77)
        abort();
    return H5Dwrite(dataset, type, memory, space, plist, data);
}

herr_t H5Dread_multi(size_t n, hid_t *dataset, hid_t *type, hid_t *memory, hid_t *space,
                     hid_t plist, void **data)
{
    for (size_t i = 0; i < n; i++)
        if (H5Dread(dataset[i], type[i], memory[i], space[i], plist, data[i]) < 0)
            return -1;
    return 0;
}
#endif
