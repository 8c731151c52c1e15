/* A callback for each finished read and write, for code that knows no phases. */
#ifndef BASE_TOLD_H
#define BASE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

struct told {
    /* Called after one system call with its duration; NULL: not called. */
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
