/* Libraries that are loaded in a way that keeps their calls from us: with RTLD_DEEPBIND
 * they bind to their own C library first, and dlmopen gives them another one. They are
 * counted. The loader looks at the caller's address, for its search path: these
 * functions have no frame, and go on by a jump. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <dlfcn.h>

static uint64_t loads[2]; /* RTLD_DEEPBIND, dlmopen */

void loads_counted(uint64_t *deep, uint64_t *apart)
{
    *deep = __atomic_load_n(&loads[0], __ATOMIC_RELAXED);
    *apart = __atomic_load_n(&loads[1], __ATOMIC_RELAXED);
}

#ifdef __x86_64__
static void *(*real_dlopen)(void)__attribute__((used));
static const struct real entry_dlopen
    __attribute__((section("reals"), used)) = {"dlopen", (void **)&real_dlopen};
static void *(*real_dlmopen)(void)__attribute__((used));
static const struct real entry_dlmopen
    __attribute__((section("reals"), used)) = {"dlmopen", (void **)&real_dlmopen};

__attribute__((used, noinline)) static void *load_goes_on(const char *path, int mode)
{
    (void)path;
    if (mode & RTLD_DEEPBIND)
        __atomic_fetch_add(&loads[0], 1, __ATOMIC_RELAXED);
    return real_find(&entry_dlopen);
}

__attribute__((used, noinline)) static void *load_goes_apart(Lmid_t space)
{
    if (space != LM_ID_BASE)
        __atomic_fetch_add(&loads[1], 1, __ATOMIC_RELAXED);
    return real_find(&entry_dlmopen);
}

#define LOADS(name, how)                                                               \
    __asm__(".text\n"                                                                  \
            ".globl " name "\n"                                                        \
            ".type " name ", @function\n" name ":\n"                                   \
            "    .cfi_startproc\n"                                                     \
            "    endbr64\n"                                                            \
            "    pushq %rdi\n"                                                         \
            "    .cfi_adjust_cfa_offset 8\n"                                           \
            "    pushq %rsi\n"                                                         \
            "    .cfi_adjust_cfa_offset 8\n"                                           \
            "    pushq %rdx\n"                                                         \
            "    .cfi_adjust_cfa_offset 8\n"                                           \
            "    call " how "\n"                                                       \
            "    popq %rdx\n"                                                          \
            "    .cfi_adjust_cfa_offset -8\n"                                          \
            "    popq %rsi\n"                                                          \
            "    .cfi_adjust_cfa_offset -8\n"                                          \
            "    popq %rdi\n"                                                          \
            "    .cfi_adjust_cfa_offset -8\n"                                          \
            "    jmp *%rax\n"                                                          \
            "    .cfi_endproc\n"                                                       \
            ".size " name ", . - " name "\n")
EXPORT void *dlopen_here(const char *path, int mode) __asm__("dlopen");
EXPORT void *dlmopen_here(Lmid_t space, const char *path, int mode) __asm__("dlmopen");
LOADS("dlopen", "load_goes_on");
LOADS("dlmopen", "load_goes_apart");
#endif
