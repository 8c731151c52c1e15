/* Preloaded by bench/scaling: at its end each rank writes into the file
 * $SCALING_DIR/RANK its peak of memory, the kernel's VmHWM in KiB, and how many
 * collective calls and messages it has made. What an MPI library calls within itself is
 * not counted where it uses the PMPI names, as MPICH and Open MPI do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long collectives, messages;

#define COUNTED(what, name, parameters, arguments)                                     \
    int name parameters                                                                \
    {                                                                                  \
        what++;                                                                        \
        return P##name arguments;                                                      \
    }
#define COLLECTIVE(...) COUNTED(collectives, __VA_ARGS__)
#define MESSAGE(...) COUNTED(messages, __VA_ARGS__)

/* clang-format off */
#define IN const void *a
#define COUNT int n, MPI_Datatype t
COLLECTIVE(MPI_Allreduce, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c),
           (a, b, n, t, o, c))
COLLECTIVE(MPI_Iallreduce, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c, MPI_Request *r),
           (a, b, n, t, o, c, r))
COLLECTIVE(MPI_Reduce, (IN, void *b, COUNT, MPI_Op o, int root, MPI_Comm c),
           (a, b, n, t, o, root, c))
COLLECTIVE(MPI_Exscan, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE(MPI_Bcast, (void *a, COUNT, int root, MPI_Comm c), (a, n, t, root, c))
COLLECTIVE(MPI_Barrier, (MPI_Comm c), (c))
COLLECTIVE(MPI_Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
COLLECTIVE(MPI_Gather, (IN, COUNT, void *b, int m, MPI_Datatype u, int root,
           MPI_Comm c), (a, n, t, b, m, u, root, c))
COLLECTIVE(MPI_Gatherv, (IN, COUNT, void *b, const int m[], const int d[],
           MPI_Datatype u, int root, MPI_Comm c), (a, n, t, b, m, d, u, root, c))
COLLECTIVE(MPI_Scatter, (IN, COUNT, void *b, int m, MPI_Datatype u, int root,
           MPI_Comm c), (a, n, t, b, m, u, root, c))
COLLECTIVE(MPI_Allgather, (IN, COUNT, void *b, int m, MPI_Datatype u, MPI_Comm c),
           (a, n, t, b, m, u, c))
COLLECTIVE(MPI_Alltoall, (IN, COUNT, void *b, int m, MPI_Datatype u, MPI_Comm c),
           (a, n, t, b, m, u, c))
COLLECTIVE(MPI_Alltoallv, (IN, const int n[], const int d[], MPI_Datatype t, void *b,
           const int m[], const int e[], MPI_Datatype u, MPI_Comm c),
           (a, n, d, t, b, m, e, u, c))
COLLECTIVE(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *to), (c, to))
COLLECTIVE(MPI_Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *to),
           (c, color, key, to))
COLLECTIVE(MPI_Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i,
           MPI_Comm *to), (c, type, key, i, to))
MESSAGE(MPI_Send, (IN, COUNT, int to, int tag, MPI_Comm c), (a, n, t, to, tag, c))
MESSAGE(MPI_Ssend, (IN, COUNT, int to, int tag, MPI_Comm c), (a, n, t, to, tag, c))
MESSAGE(MPI_Isend, (IN, COUNT, int to, int tag, MPI_Comm c, MPI_Request *r),
        (a, n, t, to, tag, c, r))
MESSAGE(MPI_Issend, (IN, COUNT, int to, int tag, MPI_Comm c, MPI_Request *r),
        (a, n, t, to, tag, c, r))
MESSAGE(MPI_Sendrecv, (IN, COUNT, int to, int tag, void *b, int m, MPI_Datatype u,
        int from, int tag2, MPI_Comm c, MPI_Status *s),
        (a, n, t, to, tag, b, m, u, from, tag2, c, s))
/* clang-format on */

static long peak_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

__attribute__((destructor)) static void tell(void)
{
    const char *dir = getenv("SCALING_DIR"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    if (!rank)
        rank = getenv("PMI_RANK");
    if (!dir || !rank)
        return;
    snprintf(path, sizeof path, "%s/%s", dir, rank);
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%ld %ld %ld\n", peak_kib(), collectives, messages);
        fclose(f);
    }
}
