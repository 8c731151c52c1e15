/* The shared part of the engines over MPI-IO: opening, hints, splitting requests into
 * calls, and checking the libraries' results. */
#ifndef IO_ENGINES_MPIIO_H
#define IO_ENGINES_MPIIO_H

#include "io/engine.h"

#define MPIIO_SEMAPHORE 300

/* The first member of f->priv. */
struct mpiio {
    MPI_File fh;
    int64_t piece; /* the largest number of bytes in one call; fits an int */
    int64_t size;  /* of the file when last asked: it has at least as much */
    int pieces; /* calls per request: the same on all ranks, for they are collective */
    char
        semaphore[MPIIO_SEMAPHORE]; /* name of what OMPIO leaves behind if it is killed;
                                     * "": nothing */
};

/* **Collective** on f->comm. Allocates f->priv, `bytes` zeroed, and opens
 * f->path. Returns the same verdict on all ranks: 0, or -errno with a sentence
 * and nothing open. */
int mpiio_open(struct io_file *f, size_t bytes);

/* **Collective.** Closes the file and frees f->priv. Returns 0, or -errno with
 * a sentence. */
int mpiio_close(struct io_file *f);

/* Local. Replaces closing if that would hang or do harm. */
void mpiio_abandon(struct io_file *f);

/* **Collective.** Call MPI_File_sync: mpiio_sync does with ROMIO, which syncs before
 * it waits for others; mpiio_meet does with other libraries. Return 0, or -errno with
 * a sentence. */
int mpiio_sync(struct io_file *f);
int mpiio_meet(struct io_file *f);

/* Local. For io_file_size. */
int mpiio_size(struct io_file *f, int64_t *bytes);

/* Local. True if this is Open MPI with ROMIO; known once opened. */
bool mpiio_is_romio_of_open_mpi(const struct io_file *f);

/* Local. The bytes in piece k of a request: 0 if it has failed, or is shorter. */
int mpiio_piece(const struct mpiio *p, const struct io_req *r, int k);

/* Local. The number of the n bytes at `offset` that the file has, as OMPIO's
 * collective reads past the end report success and a full count. The size is looked up
 * only if it matters. */
int mpiio_readable(struct mpiio *p, int64_t offset, int n);

/* Local. The number of the n bytes at `offset` that a successful call with this status
 * really transferred. */
int mpiio_moved(struct mpiio *p, enum io_op op, int64_t offset, int n,
                const MPI_Status *s);

/* Local. Records the reason why a request failed after r->done bytes: MPI's error
 * `code`, or MPI_SUCCESS with a short count. Sets and returns its rc. */
int mpiio_req_fail(struct io_req *r, int code);

/* Local. Records that `what` failed with MPI's error `code`; returns -errno. */
int mpiio_fail(const struct io_file *f, const char *what, int code);

/* ---- for other users of MPI-IO (hdf5) ------------------------------------------- */

/* Local. "ROMIO" or "OMPIO". Open MPI has both, and the answer is known once a file
 * was opened. */
const char *mpiio_layer(void);

/* Local. The hints requested; MPI_INFO_NULL: none. */
MPI_Info mpiio_info(const struct io_file *f);

/* Local. Keeps the hints in effect for io_file_hints. Returns 0 or -ENOMEM. */
int mpiio_note_hints(struct io_file *f, MPI_File fh);

/* Local. Enters OMPIO's semaphore in the scratch table before the open that makes it;
 * path "": there is none. OMPIO guards its shared file pointer with this named
 * semaphore; a killed process leaves it behind, and the next open of the same name
 * would hang on this node. */
void mpiio_guard(const struct io_file *f, char path[MPIIO_SEMAPHORE]);

#endif
