/* fft: plain MPI-IO. The file makes the transpositions: what was written in rows is
 * read in columns, a small piece of each row at a time. */
#include "ldad/workloads/workloads.h"

int fft_input(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Status status;
    MPI_Offset element = p->element, share, count, first, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    share = p->n1 * p->n2 / nprocs;
    count = share / p->panels;
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh))
        return 1;
    for (i = 0; i < p->panels; i++) {
        first = rank * share + i * count;
        fft_fill(p, first, count);
        failed |= MPI_File_write_at_all(fh, first * element, p->lines,
                                        (int)(count * element), MPI_BYTE, &status);
    }
    failed |= MPI_File_sync(fh);
    failed |= MPI_File_close(&fh);
    return failed;
}

/* Reads columns [first, first + width) of rows [from, to). */
static int fft_columns(const struct fft *p, MPI_File in, MPI_Offset columns,
                       MPI_Offset first, MPI_Offset width, MPI_Offset from,
                       MPI_Offset to)
{
    MPI_Status status;
    MPI_Offset element = p->element, i;
    int failed = 0;
    for (i = from; i < to; i++)
        failed |= MPI_File_read_at_all(in, (i * columns + first) * element,
                                       p->panel + i * width * element,
                                       (int)(width * element), MPI_BYTE, &status);
    return failed;
}

/* Makes a pass. A rank begins with the rows that it has written, not with the same rows
 * as all others: if each rank's rows are on a disk of its own, all disks are read at a
 * time. */
int fft_pass(const struct fft *p, MPI_Comm comm, const char *from, MPI_Offset rows,
             MPI_Offset columns, enum fft_work work, const char *to, MPI_Info info)
{
    MPI_File in, out;
    MPI_Status status;
    MPI_Offset element = p->element, share, width, first, begin, j;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    share = columns / nprocs;
    width = share / p->panels;
    begin = rank * (rows / nprocs);
    if (MPI_File_open(comm, from, MPI_MODE_RDONLY, info, &in))
        return 1;
    if (MPI_File_open(comm, to, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &out)) {
        MPI_File_close(&in);
        return 1;
    }
    for (j = 0; j < p->panels; j++) {
        first = rank * share + j * width;
        failed |= fft_columns(p, in, columns, first, width, begin, rows);
        failed |= fft_columns(p, in, columns, first, width, 0, begin);
        fft_lines(p, first, rows, width, work);
        failed |=
            MPI_File_write_at_all(out, first * rows * element, p->lines,
                                  (int)(width * rows * element), MPI_BYTE, &status);
    }
    failed |= MPI_File_sync(out);
    failed |= MPI_File_close(&out);
    failed |= MPI_File_close(&in);
    return failed;
}

int fft_result(const struct fft *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Status status;
    MPI_Offset element = p->element, share, count, first, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    share = p->n1 * p->n2 / nprocs;
    count = share / p->panels;
    if (MPI_File_open(comm, path, MPI_MODE_RDONLY, info, &fh))
        return 1;
    for (i = 0; i < p->panels; i++) {
        first = rank * share + i * count;
        failed |= MPI_File_read_at_all(fh, first * element, p->lines,
                                       (int)(count * element), MPI_BYTE, &status);
        fft_check(p, first, count);
    }
    failed |= MPI_File_close(&fh);
    return failed;
}
