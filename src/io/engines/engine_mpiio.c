/* mpiio: MPI_File_read_at and write_at, or their collective forms; synchronous. Option:
 * piece=N, the largest number of bytes in one call. */
#include "io/engines/mpiio.h"
#include <stddef.h>

static int mpiio_open_file(struct io_file *f)
{
    return mpiio_open(f, sizeof(struct mpiio));
}

static int mpiio_call(const struct io_file *f, struct io_req *r, int64_t at, int n,
                      MPI_Status *s)
{
    MPI_File fh = ((struct mpiio *)f->priv)->fh;
    MPI_Offset offset = r->offset + at;
    char *buf = n ? (char *)r->buf + at : NULL;
    bool together = f->flags & IO_COLLECTIVE;
    if (r->op == IO_OP_READ)
        return together ? MPI_File_read_at_all(fh, offset, buf, n, MPI_BYTE, s)
                        : MPI_File_read_at(fh, offset, buf, n, MPI_BYTE, s);
    return together ? MPI_File_write_at_all(fh, offset, buf, n, MPI_BYTE, s)
                    : MPI_File_write_at(fh, offset, buf, n, MPI_BYTE, s);
}

/* Transfers a piece of a request. A failed collective request still makes its remaining
 * calls, with no bytes. */
static void mpiio_move(struct io_file *f, struct io_req *r, int k)
{
    struct mpiio *p = f->priv;
    int64_t at = k * p->piece;
    int n = mpiio_piece(p, r, k), moved = 0;
    MPI_Status s;
    if (!n && !(f->flags & IO_COLLECTIVE))
        return;
    int code = mpiio_call(f, r, at, n, &s);
    if (r->rc)
        return;
    if (code == MPI_SUCCESS)
        moved = mpiio_moved(p, r->op, r->offset + at, n, &s);
    r->done += moved;
    if (code != MPI_SUCCESS || moved != n)
        mpiio_req_fail(r, code);
}

static int mpiio_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++) {
        const struct mpiio *p = r[i]->file->priv;
        for (int k = 0; k < p->pieces; k++)
            mpiio_move(r[i]->file, r[i], k);
    }
    return 0;
}

const struct io_engine io_engine_mpiio = {
    .name = "mpiio",
    .options = "piece",
    .can = IO_CAN_COLLECTIVE | IO_CAN_HINTS | IO_SYNC_TOGETHER | IO_CAN_BE_INNER |
           IO_CALLS_MPI,
    .open = mpiio_open_file,
    .start = mpiio_start,
    .sync = mpiio_sync,
    .meet = mpiio_meet,
    .close = mpiio_close,
    .size = mpiio_size,
};
