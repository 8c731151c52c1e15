/* An MPI datatype as runs of bytes. It keeps the datatype's own structure, so a vector
 * of a billion elements costs as much as one of two, and finding a run costs a step for
 * each level. All of it is Local. */
#ifndef LDAD_LIB_TYPES_H
#define LDAD_LIB_TYPES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct types_node;

struct types {
    int64_t size, low, extent; /* MPI's size, lower bound and extent, in bytes */
    bool row; /* one run of `extent` bytes from 0 on: copies of it have no gaps */
    bool descending;  /* a run begins before an earlier one, or before byte 0 */
    bool overlapping; /* some bytes are in two runs */
    const struct types_node *root;
    int users;
    struct types_room *rooms; /* memory of the nodes */
};

struct types_run {
    int64_t at, bytes; /* `at` counts from the first byte of the first copy */
};

/* Decodes a datatype, or finds its cached form; the caller releases it. Returns 0, or
 * -ENOMEM or -EOPNOTSUPP (an unknown kind) with a sentence. */
int types_of(MPI_Datatype type, struct types **t);
void types_release(struct types *t);
struct types *types_keep(struct types *t);

/* Finds the place of byte number `pos` in any number of copies that follow each other,
 * and how many bytes are contiguous from there on: at most `most`. size > 0. */
struct types_run types_at(const struct types *t, int64_t pos, int64_t most);

/* Returns how many bytes of data, in endless copies, lie before byte `at`. Only for
 * types that are not descending. */
int64_t types_before(const struct types *t, int64_t at);

/* Describes a type whose runs repeat at fixed distances, outermost level first. Returns
 * the number of levels, and the bytes of a run; -1: it is not regular, or has more than
 * `most` levels. */
struct types_level {
    int64_t count, distance;
};
int types_levels(const struct types *t, struct types_level *level, int most,
                 int64_t *start, int64_t *bytes);

#endif
