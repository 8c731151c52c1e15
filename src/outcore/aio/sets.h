/* A stream cut into operations, and these into sets: which bytes each has. Arithmetic
 * only. */
#ifndef OUTCORE_AIO_SETS_H
#define OUTCORE_AIO_SETS_H

#include <stdint.h>

struct sets {
    int64_t bytes;    /* of the stream */
    int64_t op_bytes; /* of an operation, but for the last one */
    int64_t per_set;  /* operations, but in the last set */
    int64_t ops, sets;
};

struct sets_op {
    int64_t offset, bytes;
};

/* Local. Sets of set_bytes and `per_set` operations each, all > 0. 0, or -EINVAL with a
 * sentence where the operations of a set cannot be equally large. */
int sets_make(struct sets *s, int64_t bytes, int64_t set_bytes, int64_t per_set);

/* Local. Operation i of the stream, 0 .. ops - 1. */
struct sets_op sets_op(const struct sets *s, int64_t i);

/* Local. Of set k, 0 .. sets - 1: the number of its first operation, how many it has,
 * and its bytes. */
int64_t sets_first(const struct sets *s, int64_t k);
int64_t sets_count(const struct sets *s, int64_t k);
int64_t sets_bytes(const struct sets *s, int64_t k);

#endif
