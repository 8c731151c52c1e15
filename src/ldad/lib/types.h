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
    int64_t size, low, extent; /* as MPI has them: bytes of data, and from where to */
    bool row; /* one run of `extent` bytes from 0 on: copies of it have no gaps */
    bool descending;  /* a run begins before an earlier one, or before byte 0 */
    bool overlapping; /* bytes are in two runs */
    const struct types_node *root;
    int users;
    struct types_room *rooms; /* memory of the nodes */
};

struct types_run {
    int64_t at, bytes; /* from the first byte of the first copy on */
};

/* Takes a datatype apart, or finds what was kept of it; the caller lets go of it. 0, or
 * -ENOMEM or -EOPNOTSUPP (a kind that is not known) with a sentence. */
int types_of(MPI_Datatype type, struct types **t);
void types_release(struct types *t);
struct types *types_keep(struct types *t);

/* Where byte number `pos` is of any number of copies that follow each other, and how
 * many bytes stand together from there on: at most `most`. size > 0. */
struct types_run types_at(const struct types *t, int64_t pos, int64_t most);

/* How many bytes of data, in copies without number, lie before byte `at`. Only of types
 * that are not descending. */
int64_t types_before(const struct types *t, int64_t at);

/* What a type looks like whose runs repeat at fixed distances, outermost level first.
 * Returns how many levels there are, and the bytes of a run; -1: it is not regular, or
 * has more than `most` levels. */
struct types_level {
    int64_t count, distance;
};
int types_levels(const struct types *t, struct types_level *level, int most,
                 int64_t *start, int64_t *bytes);

#endif
