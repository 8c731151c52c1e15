/* jacobi: plain MPI-IO. Every rank makes as many calls, some of them of no rows, where
 * rows do not divide among the ranks. */
#include "ldad/workloads/jacobi.h"

/* How many of p->strip rows from `first` on there are before `end`. */
static MPI_Offset rows_at(const struct jacobi *p, MPI_Offset first, MPI_Offset end)
{
    MPI_Offset rows = end < p->rows ? end - first : p->rows - first;
    return rows < 0 ? 0 : rows < p->strip ? rows : p->strip;
}

static int write_rows(MPI_File fh, const struct jacobi *p, MPI_Offset first,
                      MPI_Offset rows)
{
    MPI_Status status;
    return MPI_File_write_at_all(fh, first * p->columns * 8, p->out,
                                 (int)(rows * p->columns), MPI_DOUBLE, &status);
}

static int start_rows(MPI_File fh, const struct jacobi *p, MPI_Offset first,
                      MPI_Offset end)
{
    MPI_Offset rows = rows_at(p, first, end);
    jacobi_fill(p, first, rows);
    return write_rows(fh, p, first, rows);
}

static int relax_rows(MPI_File in, MPI_File out, const struct jacobi *p,
                      MPI_Offset first, MPI_Offset end)
{
    MPI_Status status;
    MPI_Offset rows = rows_at(p, first, end);
    MPI_Offset above = first > 0 ? first - 1 : 0;
    MPI_Offset below = first + rows < p->rows ? first + rows + 1 : p->rows;
    MPI_Offset count = rows > 0 ? (below - above) * p->columns : 0;
    int failed = MPI_File_read_at_all(in, above * p->columns * 8, p->in, (int)count,
                                      MPI_DOUBLE, &status);
    jacobi_relax(p, first, rows);
    return failed | write_rows(out, p, first, rows);
}

static int read_rows(MPI_File fh, const struct jacobi *p, MPI_Offset first,
                     MPI_Offset end)
{
    MPI_Status status;
    MPI_Offset rows = rows_at(p, first, end);
    int failed = MPI_File_read_at_all(fh, first * p->columns * 8, p->out,
                                      (int)(rows * p->columns), MPI_DOUBLE, &status);
    jacobi_check(p, first, rows);
    return failed;
}

int jacobi_start(const struct jacobi *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Offset strip = p->strip, band, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    band = (p->rows + nprocs - 1) / nprocs;
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh))
        return 1;
    if (p->slabs)
        for (i = 0; i < band; i += strip)
            failed |= start_rows(fh, p, rank * band + i, (rank + 1) * band);
    else
        for (i = rank * strip; i < p->rows + rank * strip; i += nprocs * strip)
            failed |= start_rows(fh, p, i, i + strip);
    failed |= MPI_File_sync(fh);
    failed |= MPI_File_close(&fh);
    return failed;
}

int jacobi_sweep(const struct jacobi *p, MPI_Comm comm, const char *from,
                 const char *to, MPI_Info info)
{
    MPI_File in, out;
    MPI_Offset strip = p->strip, band, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    band = (p->rows + nprocs - 1) / nprocs;
    if (MPI_File_open(comm, from, MPI_MODE_RDONLY, info, &in))
        return 1;
    if (MPI_File_open(comm, to, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &out)) {
        MPI_File_close(&in);
        return 1;
    }
    if (p->slabs)
        for (i = 0; i < band; i += strip)
            failed |= relax_rows(in, out, p, rank * band + i, (rank + 1) * band);
    else
        for (i = rank * strip; i < p->rows + rank * strip; i += nprocs * strip)
            failed |= relax_rows(in, out, p, i, i + strip);
    failed |= MPI_File_sync(out);
    failed |= MPI_File_close(&out);
    failed |= MPI_File_close(&in);
    return failed;
}

int jacobi_read(const struct jacobi *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Offset strip = p->strip, band, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    band = (p->rows + nprocs - 1) / nprocs;
    if (MPI_File_open(comm, path, MPI_MODE_RDONLY, info, &fh))
        return 1;
    for (i = 0; i < band; i += strip)
        failed |= read_rows(fh, p, rank * band + i, (rank + 1) * band);
    failed |= MPI_File_close(&fh);
    return failed;
}
