/* Finding the real functions of libraries that the recorder does not link. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include <dlfcn.h>

static bool is_ours(const void *f)
{
    Dl_info ours, its;
    return dladdr((const void *)late_find, &ours) && dladdr(f, &its) &&
           ours.dli_fbase == its.dli_fbase;
}

late_function *late_find(const char *name, const void *caller)
{
    int error = errno;
    Dl_info from;
    void *f = dlsym(RTLD_NEXT, name);
    if (!f && caller && dladdr(caller, &from) && from.dli_fname) {
        void *library = dlopen(from.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        f = library ? dlsym(library, name) : NULL;
        if (library)
            dlclose(library);
        if (f && is_ours(f))
            f = NULL;
    }
    dlerror();
    errno = error;
    return (late_function *)f;
}

void *late_find_data(const char *name, const void *caller)
{
    int error = errno;
    void *at = dlsym(RTLD_DEFAULT, name);
    dlerror();
    errno = error;
    return at ? at : (void *)late_find(name, caller);
}
