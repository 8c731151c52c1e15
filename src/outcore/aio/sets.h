/* Divides a stream into operations, and these into sets. Arithmetic only. */
#ifndef OUTCORE_AIO_SETS_H
#define OUTCORE_AIO_SETS_H

#include <stdint.h>

struct sets {
    int64_t bytes;    /* of the stream */
    int64_t op_bytes; /* of an operation; the last one may have fewer */
    int64_t per_set;  /* operations in a set; the last one may have fewer */
    int64_t ops, sets;
};

struct sets_op {
    int64_t offset, bytes;
};

/* Local. Makes sets of set_bytes and `per_set` operations each, all > 0. Returns 0, or
 * -EINVAL with a sentence if the operations of a set cannot be equally large. */
int sets_make(struct sets *s, int64_t bytes, int64_t set_bytes, int64_t per_set);

/* Local. Operation i of the stream, 0 .. ops - 1. */
struct sets_op sets_op(const struct sets *s, int64_t i);

/* Local. For set k, 0 .. sets - 1: the number of its first operation, its number of
 * operations, and its bytes. */
int64_t sets_first(const struct sets *s, int64_t k);
int64_t sets_count(const struct sets *s, int64_t k);
int64_t sets_bytes(const struct sets *s, int64_t k);

#endif
