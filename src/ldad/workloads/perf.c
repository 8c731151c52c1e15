/* perf, after the program of that name in MPICH: plain MPI-IO. */
#include "ldad/workloads/workloads.h"

static int write_chunk(MPI_File fh, const struct perf *p, MPI_Offset offset)
{
    MPI_Status status;
    perf_fill(p, offset);
    return MPI_File_write_at_all(fh, offset, p->buf, (int)p->chunk, MPI_BYTE, &status);
}

static int read_chunk(MPI_File fh, const struct perf *p, MPI_Offset offset)
{
    MPI_Status status;
    int failed =
        MPI_File_read_at_all(fh, offset, p->buf, (int)p->chunk, MPI_BYTE, &status);
    perf_check(p, offset);
    return failed;
}

int perf_write(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Offset chunk = p->chunk, count = p->count, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh))
        return 1;
    if (p->slabs)
        for (i = 0; i < count; i++)
            failed |= write_chunk(fh, p, (rank * count + i) * chunk);
    else
        for (i = 0; i < count; i++)
            failed |= write_chunk(fh, p, (i * nprocs + rank) * chunk);
    failed |= MPI_File_sync(fh);
    failed |= MPI_File_close(&fh);
    return failed;
}

int perf_read(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Offset chunk = p->chunk, count = p->count, i;
    int nprocs, rank, failed = 0;
    MPI_Comm_size(comm, &nprocs);
    MPI_Comm_rank(comm, &rank);
    if (MPI_File_open(comm, path, MPI_MODE_RDONLY, info, &fh))
        return 1;
    if (p->slabs)
        for (i = 0; i < count; i++)
            failed |= read_chunk(fh, p, (rank * count + i) * chunk);
    else
        for (i = 0; i < count; i++)
            failed |= read_chunk(fh, p, (i * nprocs + rank) * chunk);
    failed |= MPI_File_close(&fh);
    return failed;
}
