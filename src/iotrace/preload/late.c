/* Finds the real functions of libraries that the recorder does not link. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include <dlfcn.h>
#include <link.h>

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

struct place { /* the object that holds an address */
    uintptr_t address, from, to;
};

static int holds(struct dl_phdr_info *i, size_t size, void *place)
{
    struct place *p = place;
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    for (int n = 0; n < i->dlpi_phnum; n++) {
        const ElfW(Phdr) *h = &i->dlpi_phdr[n];
        uintptr_t at = i->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD)
            continue;
        from = at < from ? at : from;
        to = at + h->p_memsz > to ? at + h->p_memsz : to;
    }
    if (p->address < from || p->address >= to)
        return 0;
    p->from = from;
    p->to = to;
    return 1;
}

late_function *late_learn(struct late_cache *c, const char *name, const void *caller)
{
    struct place p = {.address = (uintptr_t)caller};
    late_function *f = late_find(name, caller);
    if (!f || !dl_iterate_phdr(holds, &p))
        return f;
    unsigned i = __atomic_fetch_add(&c->taken, 1, __ATOMIC_RELAXED);
    if (i < LATE_OBJECTS) {
        c->object[i].from = p.from;
        c->object[i].f = f;
        __atomic_store_n(&c->object[i].to, p.to, __ATOMIC_RELEASE);
    }
    return f;
}

void *late_find_data(const char *name, const void *caller)
{
    int error = errno;
    void *at = dlsym(RTLD_DEFAULT, name);
    dlerror();
    errno = error;
    return at ? at : (void *)late_find(name, caller);
}
