/* The parts that many programs of the corpus have in common: each shows what is its
 * own. They are macros, so that the compiler and ldadc see the calls in place. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef S
#define S 16 /* bytes of a block */
#endif

#define BEGIN                                                                          \
    int rank, nprocs;                                                                  \
    MPI_Init(&argc, &argv);                                                            \
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);                                              \
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs)

#define OPEN                                                                           \
    MPI_File fh;                                                                       \
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,            \
                  MPI_INFO_NULL, &fh)

#define START                                                                          \
    BEGIN;                                                                             \
    OPEN

#define START_B                                                                        \
    char b[S] = "";                                                                    \
    START

/* Writes that matter for their offset and size alone. */
#define WRITE_BYTES(at, buf, n)                                                        \
    MPI_File_write_at(fh, at, buf, n, MPI_BYTE, MPI_STATUS_IGNORE)
#define WRITE_BLOCK(at) WRITE_BYTES(at, b, S)

#define END                                                                            \
    MPI_File_close(&fh);                                                               \
    MPI_Finalize();                                                                    \
    return 0
