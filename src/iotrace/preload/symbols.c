/* Finds the real functions, and the kernel's clock, in the symbol tables themselves.
 * dlsym may allocate, and always does if it does not find a name, and our caller may be
 * an allocator at its own begin. This code needs no memory, no lock of ours, and
 * nothing that another library could replace. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

extern const struct real __start_reals[] __attribute__((visibility("hidden")));
extern const struct real __stop_reals[] __attribute__((visibility("hidden")));
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

enum { HIDDEN = 0x8000 }; /* bit of a version: new programs do not link it */

struct symbols { /* symbols of one library */
    uintptr_t base;
    const ElfW(Sym) * symbol;
    const char *text;
    const ElfW(Versym) * version; /* NULL: there are no versions */
    const uint32_t *gnu, *sysv;   /* hash tables: there is at least one of them */
};

/* Returns an address. The loader has added the base in sections that it may write
 * to. */
static const void *at(const struct symbols *s, const ElfW(Dyn) * d)
{
    uintptr_t p = d->d_un.d_ptr;
    return (const void *)(p < s->base ? p + s->base : p);
}

static bool open_symbols(struct symbols *s, uintptr_t base, const ElfW(Phdr) * p, int n)
{
    const ElfW(Dyn) *d = NULL;
    *s = (struct symbols){.base = base};
    for (int i = 0; i < n; i++)
        if (p[i].p_type == PT_DYNAMIC)
            d = (const void *)(base + p[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            s->symbol = at(s, d);
        else if (d->d_tag == DT_STRTAB)
            s->text = at(s, d);
        else if (d->d_tag == DT_VERSYM)
            s->version = at(s, d);
        else if (d->d_tag == DT_GNU_HASH)
            s->gnu = at(s, d);
        else if (d->d_tag == DT_HASH)
            s->sysv = at(s, d);
    }
    return s->symbol && s->text && (s->gnu || s->sysv);
}

static const ElfW(Sym) * if_it(const struct symbols *s, uint32_t i, const char *name)
{
    const ElfW(Sym) *y = &s->symbol[i];
    int type = ELF64_ST_TYPE(y->st_info), bind = ELF64_ST_BIND(y->st_info);
    bool function = type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC;
    if (!function || bind == STB_LOCAL || y->st_shndx == SHN_UNDEF || !y->st_value ||
        (s->version && s->version[i] & HIDDEN) || strcmp(s->text + y->st_name, name))
        return NULL;
    return y;
}

static const ElfW(Sym) * find_gnu(const struct symbols *s, const char *name)
{
    uint32_t h = 5381, buckets = s->gnu[0], first = s->gnu[1], words = s->gnu[2];
    for (const char *c = name; *c; c++)
        h = h * 33 + (unsigned char)*c;
    const ElfW(Addr) *filter = (const void *)(s->gnu + 4);
    const uint32_t *bucket = (const void *)(filter + words), *chain = bucket + buckets;
    if (!buckets || !words || !(filter[h / 64 % words] >> h % 64 & 1) ||
        !(filter[h / 64 % words] >> (h >> s->gnu[3]) % 64 & 1))
        return NULL;
    for (uint32_t i = bucket[h % buckets]; i >= first; i++) {
        const ElfW(Sym) *y =
            (chain[i - first] | 1) == (h | 1) ? if_it(s, i, name) : NULL;
        if (y || chain[i - first] & 1)
            return y;
    }
    return NULL;
}

static const ElfW(Sym) * find_sysv(const struct symbols *s, const char *name)
{
    uint32_t h = 0, buckets = s->sysv[0];
    for (const char *c = name; *c; c++) {
        h = (h << 4) + (unsigned char)*c;
        h = (h ^ (h >> 28) << 4) & 0x0fffffff;
    }
    const uint32_t *bucket = s->sysv + 2, *chain = bucket + buckets;
    for (uint32_t i = buckets ? bucket[h % buckets] : 0; i; i = chain[i]) {
        const ElfW(Sym) *y = if_it(s, i, name);
        if (y)
            return y;
    }
    return NULL;
}

static void *symbols_find(const struct symbols *s, const char *name)
{
    const ElfW(Sym) *y = s->gnu ? find_gnu(s, name) : find_sysv(s, name);
    if (!y)
        return NULL;
    if (ELF64_ST_TYPE(y->st_info) == STT_GNU_IFUNC) /* no known C library has one */
        return dlsym(RTLD_NEXT, name);
    return (void *)(s->base + y->st_value);
}

/* ---- the next in the order of loading ---- */

static int search_library(struct dl_phdr_info *i, size_t size, void *after_us)
{
    struct symbols s;
    bool *after = after_us;
    (void)size;
    if (i->dlpi_addr == (uintptr_t)&__ehdr_start)
        *after = true;
    else if (*after && open_symbols(&s, i->dlpi_addr, i->dlpi_phdr, i->dlpi_phnum))
        for (const struct real *r = __start_reals; r < __stop_reals; r++)
            if (!*r->at)
                *r->at = symbols_find(&s, r->name);
    return 0;
}

static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

void reals_find(void)
{
    bool after_us = false;
    dl_iterate_phdr(search_library, &after_us);
    for (const struct real *r = __start_reals; r < __stop_reals; r++)
        if (!*r->at)
            *r->at = (void *)missing;
}

void *real_find(const struct real *r)
{
    if (!*r->at)
        reals_find();
    return *r->at;
}

/* ---- the kernel's clock, in the page that it maps into each process ---- */

void *symbols_kernel_clock(void)
{
    static const char *const names[] = {"__vdso_clock_gettime",
                                        "__kernel_clock_gettime"};
    const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR);
    struct symbols s;
    if (!head)
        return NULL;
    const ElfW(Phdr) *p = (const void *)((const char *)head + head->e_phoff);
    uintptr_t base = (uintptr_t)head;
    for (int i = 0; i < head->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && !p[i].p_offset)
            base -= p[i].p_vaddr;
    if (!open_symbols(&s, base, p, head->e_phnum))
        return NULL;
    void *f = symbols_find(&s, names[0]);
    return f ? f : symbols_find(&s, names[1]);
}
