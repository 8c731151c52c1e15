/* The plainest parallel write there is, to hold blocktransfer against: each rank writes
 * its segment block by block, syncs as soon as it has, and closes. It stands in for IOR
 * where that is not installed (bench/ior), and counts as IOR does: from before the
 * first rank opens to after the last one has closed.
 *
 *     mpiexec -n 2 segments PATH BYTES BLOCK posix|mpi unique|shared [meet]
 *
 * prints the seconds. meet: all ranks wait for each other before they sync. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char path[4096], *block;
    long long bytes, block_bytes, start; /* start: of this rank's segment */
    int rank, mpi, shared, meet;
} job;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "segments: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void meet(void)
{
    if (job.meet)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void write_posix(void)
{
    int fd = open(job.path, O_CREAT | O_WRONLY, 0600);
    need(fd >= 0, "open");
    for (long long at = 0; at < job.bytes; at += job.block_bytes)
        need(pwrite(fd, job.block, (size_t)job.block_bytes, job.start + at) ==
                 job.block_bytes,
             "pwrite");
    meet();
    need(!fsync(fd), "fsync");
    need(!close(fd), "close");
}

static void write_mpi(void)
{
    MPI_Comm comm = job.shared ? MPI_COMM_WORLD : MPI_COMM_SELF;
    MPI_File f;
    MPI_Status s;
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    need(!MPI_File_open(comm, job.path, mode, MPI_INFO_NULL, &f), "MPI_File_open");
    for (long long at = 0; at < job.bytes; at += job.block_bytes)
        need(!MPI_File_write_at(f, job.start + at, job.block, (int)job.block_bytes,
                                MPI_BYTE, &s),
             "MPI_File_write_at");
    meet();
    need(!MPI_File_sync(f), "MPI_File_sync");
    need(!MPI_File_close(&f), "MPI_File_close");
}

static void read_arguments(int argc, char **argv)
{
    need(argc == 6 || (argc == 7 && !strcmp(argv[6], "meet")), "reading its arguments");
    job.bytes = atoll(argv[2]);
    job.block_bytes = atoll(argv[3]);
    job.mpi = !strcmp(argv[4], "mpi");
    job.shared = !strcmp(argv[5], "shared");
    job.meet = argc == 7;
    job.start = job.shared ? job.rank * job.bytes : 0;
    snprintf(job.path, sizeof job.path, job.shared ? "%s" : "%s.%d", argv[1], job.rank);
    need(job.block_bytes > 0 && job.block_bytes < 1 << 30 &&
             (job.block = malloc((size_t)job.block_bytes)),
         "malloc");
    srand48(job.rank);
    for (long long i = 0; i < job.block_bytes; i++)
        job.block[i] = (char)lrand48();
}

int main(int argc, char **argv)
{
    double span[2]; /* - begin, end */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    read_arguments(argc, argv);
    MPI_Barrier(MPI_COMM_WORLD);
    span[0] = -MPI_Wtime();
    if (job.mpi)
        write_mpi();
    else
        write_posix();
    span[1] = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, span, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (job.rank == 0)
        printf("%.9f\n", span[0] + span[1]);
    free(job.block);
    return MPI_Finalize();
}
