/* mandelbrot: plain MPI-IO. Every rank makes the same number of calls, some of them of
 * no rows, if rows do not divide evenly among the ranks. */
#include "ldad/workloads/workloads.h"

/* Returns how many of p->rows rows from `first` on are before `end`. */
static MPI_Offset rows_at(const struct mandelbrot *p, MPI_Offset first, MPI_Offset end)
{
    MPI_Offset rows = end < p->height ? end - first : p->height - first;
    return rows < 0 ? 0 : rows < p->rows ? rows : p->rows;
}

static int mandelbrot_write_rows(MPI_File fh, const struct mandelbrot *p,
                                 MPI_Offset first, MPI_Offset end)
{
    MPI_Status status;
    MPI_Offset rows = rows_at(p, first, end);
    mandelbrot_render(p, first, rows);
    return MPI_File_write_at_all(fh, first * p->width, p->strip, (int)(rows * p->width),
                                 MPI_BYTE, &status);
}

static int view_rows(MPI_File fh, const struct mandelbrot *p, MPI_Offset first,
                     MPI_Offset end)
{
    MPI_Status status;
    MPI_Offset rows = rows_at(p, first, end);
    int failed = MPI_File_read_at_all(fh, first * p->width, p->strip,
                                      (int)(rows * p->width), MPI_BYTE, &status);
    mandelbrot_check(p, first, rows);
    return failed;
}

int mandelbrot_write(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                     MPI_Info info)
{
    MPI_File fh;
    MPI_Offset rows = p->rows, height = p->height, band, first, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    band = (height + nprocs - 1) / nprocs;
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh))
        return 1;
    if (p->slabs)
        for (i = 0; i < band; i += rows)
            failed |= mandelbrot_write_rows(fh, p, rank * band + i, (rank + 1) * band);
    else
        for (i = 0; i < height; i += nprocs * rows) {
            first = i + rank * rows;
            failed |= mandelbrot_write_rows(fh, p, first, first + rows);
        }
    failed |= MPI_File_sync(fh);
    failed |= MPI_File_close(&fh);
    return failed;
}

int mandelbrot_view(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                    MPI_Info info)
{
    MPI_File fh;
    MPI_Offset rows = p->rows, height = p->height, band, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    band = (height + nprocs - 1) / nprocs;
    if (MPI_File_open(comm, path, MPI_MODE_RDONLY, info, &fh))
        return 1;
    for (i = 0; i < band; i += rows)
        failed |= view_rows(fh, p, rank * band + i, (rank + 1) * band);
    failed |= MPI_File_close(&fh);
    return failed;
}
