/* Wrappers: WRAP(type, name, (parameters)) { ... REAL(name)(arguments) ... }
 *
 * The function is called wrap_name in C and `name` for the linker: no header's
 * prototype, macro or renaming interferes. Each WRAP leaves an entry in the section
 * `reals`, from which the real functions are found at the start: the next in the order
 * of loading, so that other preloaded libraries see the call, too. */
#ifndef IOTRACE_PRELOAD_REAL_H
#define IOTRACE_PRELOAD_REAL_H

struct real {
    const char *name;
    void **at;
};

/* Looks all of them up: without an allocation or a lock, so that an allocator may call
 * a wrapper before the start. A function that the C library lacks is replaced by one
 * that fails with ENOSYS. */
void reals_find(void);
void *real_find(const struct real *r); /* never NULL */

#define EXPORT __attribute__((visibility("default"), used))

#define WRAP(type, name, params)                                                       \
    static type(*real_##name) params;                                                  \
    static const struct real entry_##name                                              \
        __attribute__((section("reals"), used)) = {#name, (void **)&real_##name};      \
    EXPORT type wrap_##name params __asm__(#name);                                     \
    type wrap_##name params

/* Defines another name of the same function, such as those with 64 in their name on
 * 64-bit systems. */
#define ALIAS(alias_name, name)                                                        \
    extern __typeof__(wrap_##name) alias_##alias_name __asm__(#alias_name)             \
        __attribute__((alias(#name), visibility("default"), used))

#define REAL(name)                                                                     \
    (__builtin_expect(real_##name != 0, 1)                                             \
         ? real_##name                                                                 \
         : (__typeof__(real_##name))real_find(&entry_##name))

#endif
