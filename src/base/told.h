/* Who is told of each finished read and write, by code that knows of no phases. */
#ifndef BASE_TOLD_H
#define BASE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

struct told {
    /* One call of the system, and how long it took; NULL: nobody is told. */
    void (*transfer)(void *context, bool write, int64_t bytes, int64_t ns);
    void *context;
};

static inline void told_transfer(const struct told *t, bool write, int64_t bytes,
                                 int64_t ns)
{
    if (t->transfer)
        t->transfer(t->context, write, bytes, ns);
}

#endif
