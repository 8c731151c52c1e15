/* Moves matrices between process grids: from the big grid, of all ranks of a
 * communicator, to the grid of one gang.
 *
 * Gang g is the ranks g R .. g R + R - 1 of the communicator, R = ranks / ngang; all
 * gangs' grids have the same shape and the same blocks as the big one, so whole blocks
 * move. Shares are as in madbench/grid.h.
 *
 * Memory. custom: a pack buffer of one share of the big grid on every rank and a
 * receive buffer of one share of the gang's grid on the ranks of the receiving gang,
 * both the caller's, besides the two shares themselves. With W's inverse and result
 * that is the share of the big grid read (1/ngang) and packed (1/ngang), dSdC received,
 * dSdC and inverse: the result's share may serve as the receive buffer, as it is still
 * empty, and the sum is 3 + 2/ngang <= 5 matrices of a gang. scalapack: pdgemr2d
 * allocates about as much by itself. */
#ifndef MADBENCH_REMAP_H
#define MADBENCH_REMAP_H

#include "madbench/grid.h"
#include "madbench/linalg.h"

#include <mpi.h>

#define REMAP_MESSAGE_MAX (INT64_C(1) << 30) /* bytes; longer ones are split */

enum remap_method {
    REMAP_CUSTOM,   /* point to point between ranks that share blocks, packed here */
    REMAP_SCALAPACK /* Cpdgemr2d */
};

struct remap {
    MPI_Comm comm; /* the caller's: all ranks */
    enum remap_method method;
    int ngang, gang;                /* gang: ours */
    struct grid big;                /* our place in the big grid */
    struct grid small;              /* our place in our gang's grid */
    int big_context, small_context; /* of the BLACS, scalapack only, else -1 */
    int big_desc[9], small_desc[9];
    int64_t message_max; /* bytes; REMAP_MESSAGE_MAX, less in tests */
};

/* **Collective** on `comm`. Prepares to move matrices of npix in blocks of `block` to
 * `ngang` gangs. `big` and `small` are the open grids of `comm` and of this rank's
 * gang, in rank order; custom takes NULL for both and needs no ScaLAPACK. *r holds no
 * resources and need not be closed. Returns 0, or -EINVAL with a sentence (ngang does
 * not divide the ranks; see grid_check; with scalapack, shares beyond 32-bit indices),
 * the same on every rank. */
int remap_open(struct remap *r, MPI_Comm comm, int64_t npix, int64_t block, int ngang,
               enum remap_method method, const struct linalg *big,
               const struct linalg *small);

/* Local. The bytes of the buffers that remap_matrix needs on this rank. Zero for
 * scalapack and for one gang. */
int64_t remap_pack_bytes(const struct remap *r);
int64_t remap_receive_bytes(const struct remap *r);

/* **Collective** on the big communicator. Moves the matrix whose share of the big grid
 * is `from` to gang `gang`; ranks of that gang find their share in `to`, which the
 * others need not give (NULL). `pack` and `receive`: see above; `receive` only on
 * ranks of that gang. No two buffers may overlap; only with one gang, when this is a
 * copy, may `from` be `to`. Returns 0, or -ENOMEM or -EIO with a sentence, the same on
 * every rank. */
int remap_matrix(const struct remap *r, int gang, const double *from, double *to,
                 double *pack, double *receive);

/* **Collective** on the big communicator. Passes one share of the gang's grid from
 * every gang to the next (the last gang's to gang 0): rank k of a gang sends `out` to
 * rank k of gang g + 1 and receives the one of gang g - 1 in `in`. Both share-sized,
 * not overlapping; with one gang, a copy. Polls `t` (or NULL) while it waits. Returns 0
 * or -EIO with a sentence, the same on every rank. */
int remap_rotate(const struct remap *r, const double *out, double *in, struct tick *t);

#endif
