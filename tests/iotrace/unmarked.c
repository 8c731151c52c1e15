/* A program that marks no phases. It writes three files of one role together, reads the
 * last of them back, writes files of ranks in steps with pauses between them, and reads
 * these. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES 4096

static int rank, ranks;
static char buffer[BYTES];

static void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void pause_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(1100000);
}

static void together(int number, int mode)
{
    MPI_File f;
    char name[32];
    snprintf(name, sizeof name, "together.%d", number);
    check(!MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f), name);
    for (int i = 0; i < 4; i++) {
        MPI_Offset at = (MPI_Offset)(i * ranks + rank) * BYTES;
        if (mode == MPI_MODE_RDONLY)
            MPI_File_read_at_all(f, at, buffer, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
        else
            MPI_File_write_at_all(f, at, buffer, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&f);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++)
        together(i, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    together(2, MPI_MODE_RDONLY);
    snprintf(name, sizeof name, "own.%d", rank);
    int fd = open(name, O_CREAT | O_RDWR, 0666);
    check(fd >= 0, name);
    for (int step = 0; step < 2; step++) {
        pause_all();
        for (int i = 0; i < 3; i++)
            check(write(fd, buffer, BYTES) == BYTES, name);
    }
    pause_all();
    for (int i = 0; i < 6; i++)
        check(pread(fd, buffer, BYTES, (off_t)i * BYTES) == BYTES, name);
    close(fd);
    MPI_Finalize();
    return 0;
}
