/* Wrappers of libraries that the recorder does not link and that a program may load at
 * any time: MPI, HDF5. No function of theirs is looked up before the program calls it.
 *
 * All arguments are words: integers of any size, handles and addresses come in a
 * register each, so that one type serves all implementations of a library, and surplus
 * arguments do no harm. */
#ifndef IOTRACE_PRELOAD_LATE_H
#define IOTRACE_PRELOAD_LATE_H

#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdint.h>

#if !defined __x86_64__ && !defined __aarch64__
#error "six integer arguments must come in registers"
#endif

typedef intptr_t late_function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                               intptr_t);

/* Finds the real function `name`: the next in the order of loading; or, in a library
 * that was loaded for its caller alone, the one of the caller's own libraries. NULL:
 * there is none. Never on the hot path. */
late_function *late_find(const char *name, const void *caller);

/* Results of late_find by calling object: a process can have two libraries of one name,
 * each for its own callers. */
enum { LATE_OBJECTS = 4 };
struct late_cache {
    unsigned taken;
    struct {
        uintptr_t from, to; /* the caller's object; to 0: not filled */
        late_function *f;
    } object[LATE_OBJECTS];
};
late_function *late_learn(struct late_cache *c, const char *name, const void *caller);
static inline late_function *late_of(struct late_cache *c, const char *name,
                                     const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    for (int i = 0; i < LATE_OBJECTS; i++) {
        uintptr_t to = __atomic_load_n(&c->object[i].to, __ATOMIC_ACQUIRE);
        if (LIKELY(at < to && at >= c->object[i].from))
            return c->object[i].f;
    }
    return late_learn(c, name, caller);
}

/* Finds a variable in the same way: the one in use can be the program's own copy. */
void *late_find_data(const char *name, const void *caller);

#define WORDS                                                                          \
    intptr_t a0, intptr_t a1, intptr_t a2, intptr_t a3, intptr_t a4, intptr_t a5

static inline intptr_t late_call(late_function *f, const intptr_t *a)
{
    return f(a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Record calls of libaio, which `f` makes; the result is -errno if it fails. */
intptr_t libaio_submits(late_function *f, const intptr_t *a);
intptr_t libaio_fetches(late_function *f, const intptr_t *a);

/* Defines the exported `name`, which returns an int: `how` is an expression of f, the
 * real function, and a, its arguments; -ENOSYS if there is no real one. */
#define WRAP_LATE(name, how)                                                           \
    EXPORT int wrap_##name(WORDS) __asm__(#name);                                      \
    int wrap_##name(WORDS)                                                             \
    {                                                                                  \
        static struct late_cache cache;                                                \
        const intptr_t a[] = {a0, a1, a2, a3, a4, a5};                                 \
        late_function *f = late_of(&cache, #name, __builtin_return_address(0));        \
        return f ? (int)(how) : -ENOSYS;                                               \
    }

#endif
