/* What the engines over MPI-IO share: opening, hints, cutting requests into calls,
 * judging what the library says of them. */
#ifndef IO_ENGINES_MPIIO_H
#define IO_ENGINES_MPIIO_H

#include "io/engine.h"

#define MPIIO_SEMAPHORE 300

/* What f->priv begins with. */
struct mpiio {
    MPI_File fh;
    int64_t piece; /* the largest number of bytes in one call; fits an int */
    int64_t size;  /* of the file when last asked: it holds at least so much */
    int pieces; /* calls per request: the same on all ranks, for they are collective */
    char semaphore
        [MPIIO_SEMAPHORE]; /* what OMPIO leaves behind if it is killed; "": nothing */
};

/* **Collective** on f->comm. Makes f->priv, of `bytes` and zeroed, and opens f->path.
 * The same verdict everywhere: 0 or -errno with a sentence; then nothing is open. */
int mpiio_open(struct io_file *f, size_t bytes);

/* **Collective.** 0 or -errno with a sentence; f->priv is freed. */
int mpiio_close(struct io_file *f);

/* Local. Instead of closing, where that would never end or do harm. */
void mpiio_abandon(struct io_file *f);

/* **Collective.** MPI_File_sync: as an engine's sync with ROMIO, which waits for nobody
 * before it syncs, and as its meet with others. 0 or -errno with a sentence. */
int mpiio_sync(struct io_file *f);
int mpiio_meet(struct io_file *f);

/* Local. For io_file_size. */
int mpiio_size(struct io_file *f, int64_t *bytes);

/* Local. Whether this is Open MPI with ROMIO; known once opened. */
bool mpiio_is_romio_of_open_mpi(const struct io_file *f);

/* Local. Bytes in piece k of a request: none where it has failed, or is shorter. */
int mpiio_piece(const struct mpiio *p, const struct io_req *r, int k);

/* Local. How many of the n bytes at `offset` the file has, for OMPIO's collective reads
 * past the end report success and a full count. The size is asked for only where it
 * matters. */
int mpiio_readable(struct mpiio *p, int64_t offset, int n);

/* Local. Of n bytes at `offset`, those that a call with this status really moved, where
 * it reported success. */
int mpiio_moved(struct mpiio *p, enum io_op op, int64_t offset, int n,
                const MPI_Status *s);

/* Local. Records why a request failed after r->done bytes: MPI's error `code`, or
 * MPI_SUCCESS and a short count. Sets and returns its rc. */
int mpiio_req_fail(struct io_req *r, int code);

/* Local. Records that `what` failed with MPI's error `code`; returns -errno. */
int mpiio_fail(const struct io_file *f, const char *what, int code);

/* ---- for whoever opens through MPI-IO by other means (hdf5) --------------------- */

/* Local. "ROMIO" or "OMPIO"; Open MPI has both, and the answer is known once a file was
 * opened. */
const char *mpiio_layer(void);

/* Local. The hints asked for; MPI_INFO_NULL: none. */
MPI_Info mpiio_info(const struct io_file *f);

/* Local. Keeps the hints in effect for io_file_hints. 0 or -ENOMEM. */
int mpiio_note_hints(struct io_file *f, MPI_File fh);

/* Local. OMPIO guards its shared file pointer with a named semaphore, which a killed
 * process leaves behind; the next open of the same name would then hang on this node.
 * So it is entered in the scratch table before the open that makes it; path "": there
 * is none. */
void mpiio_guard(const struct io_file *f, char path[MPIIO_SEMAPHORE]);

#endif
