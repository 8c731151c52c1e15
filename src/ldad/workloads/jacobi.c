/* jacobi: plain MPI-IO. Every rank makes the same number of calls, some of them of no
 * rows, if rows do not divide evenly among the ranks. */
#include "ldad/workloads/workloads.h"

/* Returns how many of p->strip rows from `first` on are before `end`. */
static MPI_Offset rows_at(const struct jacobi *p, MPI_Offset first, MPI_Offset end)
{
    MPI_Offset rows = end < p->rows ? end - first : p->rows - first;
    return rows < 0 ? 0 : rows < p->strip ? rows : p->strip;
}

static int jacobi_write_rows(MPI_File fh, const struct jacobi *p, MPI_Offset first,
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
    return jacobi_write_rows(fh, p, first, rows);
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
    return failed | jacobi_write_rows(out, p, first, rows);
}

static int jacobi_read_rows(MPI_File fh, const struct jacobi *p, MPI_Offset first,
                            MPI_Offset end)
{
    MPI_Status status;
    MPI_Offset rows = rows_at(p, first, end);
    int failed = MPI_File_read_at_all(fh, first * p->columns * 8, p->out,
                                      (int)(rows * p->columns), MPI_DOUBLE, &status);
    jacobi_check(p, first, rows);
    return failed;
}

static MPI_Offset band_of(const struct jacobi *p, MPI_Comm comm, int *nprocs, int *rank)
{
    MPI_Comm_size(comm, nprocs);
    MPI_Comm_rank(comm, rank);
    return (p->rows + *nprocs - 1) / *nprocs;
}

/* Makes what one rank wrote readable for the others: the standard wants both syncs. */
static int sync_twice(MPI_File fh, MPI_Comm comm)
{
    int failed = MPI_File_sync(fh);
    MPI_Barrier(comm);
    return failed | MPI_File_sync(fh);
}

static int jacobi_start(MPI_File fh, const struct jacobi *p, MPI_Comm comm)
{
    int nprocs, rank, failed = 0;
    MPI_Offset strip = p->strip, i, band = band_of(p, comm, &nprocs, &rank);
    if (p->slabs)
        for (i = 0; i < band; i += strip)
            failed |= start_rows(fh, p, rank * band + i, (rank + 1) * band);
    else
        for (i = rank * strip; i < p->rows + rank * strip; i += nprocs * strip)
            failed |= start_rows(fh, p, i, i + strip);
    return failed | sync_twice(fh, comm);
}

static int sweep(MPI_File in, MPI_File out, const struct jacobi *p, MPI_Comm comm)
{
    int nprocs, rank, failed = 0;
    MPI_Offset strip = p->strip, i, band = band_of(p, comm, &nprocs, &rank);
    if (p->slabs)
        for (i = 0; i < band; i += strip)
            failed |= relax_rows(in, out, p, rank * band + i, (rank + 1) * band);
    else
        for (i = rank * strip; i < p->rows + rank * strip; i += nprocs * strip)
            failed |= relax_rows(in, out, p, i, i + strip);
    return failed | sync_twice(out, comm);
}

static int sweep_all(MPI_File a, MPI_File b, const struct jacobi *p, MPI_Comm comm)
{
    int failed = 0;
    MPI_Offset s;
    for (s = 1; s < p->sweeps; s += 2) {
        failed |= sweep(a, b, p, comm);
        failed |= sweep(b, a, p, comm);
    }
    if (p->sweeps % 2)
        failed |= sweep(a, b, p, comm);
    return failed;
}

static int read_band(MPI_File fh, const struct jacobi *p, MPI_Comm comm)
{
    int nprocs, rank, failed = 0;
    MPI_Offset i, band = band_of(p, comm, &nprocs, &rank);
    for (i = 0; i < band; i += p->strip)
        failed |= jacobi_read_rows(fh, p, rank * band + i, (rank + 1) * band);
    return failed;
}

/* Runs all parts. Ranks go on after a failure of one, as the others wait for them. */
static int run_parts(MPI_File a, MPI_File b, const struct jacobi *p, MPI_Comm comm)
{
    int failed = jacobi_phase(p, "sweeps", jacobi_start(a, p, comm));
    failed |= jacobi_phase(p, "read", sweep_all(a, b, p, comm));
    if (p->sweeps % 2)
        failed |= read_band(b, p, comm);
    else
        failed |= read_band(a, p, comm);
    return failed;
}

int jacobi_run(const struct jacobi *p, MPI_Comm comm, const char *path_a,
               const char *path_b, MPI_Info info)
{
    MPI_File a, b;
    int failed, mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    if (MPI_File_open(comm, path_a, mode, info, &a))
        return 1;
    if (MPI_File_open(comm, path_b, mode, info, &b)) {
        MPI_File_close(&a);
        return 1;
    }
    failed = run_parts(a, b, p, comm);
    failed |= MPI_File_close(&b);
    failed |= MPI_File_close(&a);
    return failed;
}
