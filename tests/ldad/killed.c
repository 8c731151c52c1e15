/* A program that is killed: killed PATH LOG KIND [KEY=VALUE...], KIND append or again.
 * In epoch e = 1, 2, ... each rank writes its blocks of the epoch, whose bytes follow
 * from offset and epoch; then all sync, and rank 0 notes e in LOG, before ("b") and
 * after ("a"). With `again` the blocks are the same in all epochs. KIND read: reads all
 * of the file and writes it to LOG. */
#include "hints.h"
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 777, BLOCKS = 40, EPOCHS = 30 };

static int rank, ranks;

static void note(int fd, char what, int epoch)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%c %d\n", what, epoch);
    if (rank == 0 && write(fd, line, (size_t)n) != n)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A rank's last block belongs to its neighbour by the plan. */
static int write_epoch(MPI_File fh, int epoch, int again)
{
    static char block[BLOCK];
    for (int i = 0; i < BLOCKS; i++) {
        int whose = i == BLOCKS - 1 ? (rank + 1) % ranks : rank;
        long long number =
            (long long)((again ? 0 : epoch - 1) * BLOCKS + i) * ranks + whose;
        memset(block, (int)(1 + (number * 31 + epoch * 7) % 255), sizeof block);
        if (MPI_File_write_at(fh, number * BLOCK, block, BLOCK, MPI_BYTE,
                              MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 1;
    }
    return 0;
}

static int copy(MPI_File fh, int out)
{
    static char block[BLOCK];
    MPI_Status status;
    int n = BLOCK;
    while (n == BLOCK) {
        if (MPI_File_read(fh, block, BLOCK, MPI_BYTE, &status) != MPI_SUCCESS)
            return 1;
        MPI_Get_count(&status, MPI_BYTE, &n);
        if (rank == 0 && write(out, block, (size_t)n) != n)
            return 1;
    }
    return 0;
}

static void tell(int code)
{
    if (code != MPI_SUCCESS && rank == 0)
        fprintf(stderr, "%s\n", ldad_file_error());
}

static int write_all(MPI_File fh, int log, int again)
{
    int failed = 0;
    for (int e = 1; e <= EPOCHS && !failed; e++) {
        failed = write_epoch(fh, e, again);
        note(log, 'b', e);
        failed |= MPI_File_sync(fh) != MPI_SUCCESS;
        note(log, 'a', e);
    }
    return failed;
}

int main(int argc, char **argv)
{
    MPI_File fh;
    bool together;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info info = hints_of(argc, argv, 4, &together);
    int reads = !strcmp(argv[3], "read");
    int log = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644);
    int failed =
        MPI_File_open(MPI_COMM_WORLD, argv[1],
                      reads ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY, info,
                      &fh) != MPI_SUCCESS;
    if (!failed) {
        failed = reads ? copy(fh, log) : write_all(fh, log, !strcmp(argv[3], "again"));
        failed |= MPI_File_close(&fh) != MPI_SUCCESS;
    }
    tell(failed);
    if (!failed && !reads)
        note(log, 'c', EPOCHS);
    MPI_Info_free(&info);
    MPI_Finalize();
    return failed;
}
