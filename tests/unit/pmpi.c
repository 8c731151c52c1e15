/* Counts each call in which other ranks take part, or may. Linked before the
 * library. */
#include "pmpi.h"
#include <mpi.h>

long pmpi_calls;

#define COUNTED(name, params, args)                                                    \
    int MPI_##name params                                                              \
    {                                                                                  \
        __atomic_fetch_add(&pmpi_calls, 1, __ATOMIC_RELAXED);                          \
        return PMPI_##name args;                                                       \
    }

/* clang-format off */
COUNTED(Barrier, (MPI_Comm c), (c))
COUNTED(Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
COUNTED(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c),
        (b, n, t, root, c))
COUNTED(Reduce, (const void *s, void *b, int n, MPI_Datatype t, MPI_Op o, int root,
                 MPI_Comm c), (s, b, n, t, o, root, c))
COUNTED(Allreduce, (const void *s, void *b, int n, MPI_Datatype t, MPI_Op o,
                    MPI_Comm c), (s, b, n, t, o, c))
COUNTED(Iallreduce, (const void *s, void *b, int n, MPI_Datatype t, MPI_Op o,
                     MPI_Comm c, MPI_Request *r), (s, b, n, t, o, c, r))
COUNTED(Gather, (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u,
                 int root, MPI_Comm c), (s, n, t, b, m, u, root, c))
COUNTED(Gatherv, (const void *s, int n, MPI_Datatype t, void *b, const int *m,
                  const int *at, MPI_Datatype u, int root, MPI_Comm c),
        (s, n, t, b, m, at, u, root, c))
COUNTED(Allgather, (const void *s, int n, MPI_Datatype t, void *b, int m,
                    MPI_Datatype u, MPI_Comm c), (s, n, t, b, m, u, c))
COUNTED(Allgatherv, (const void *s, int n, MPI_Datatype t, void *b, const int *m,
                     const int *at, MPI_Datatype u, MPI_Comm c),
        (s, n, t, b, m, at, u, c))
COUNTED(Alltoall, (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u,
                   MPI_Comm c), (s, n, t, b, m, u, c))
COUNTED(Scan, (const void *s, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (s, b, n, t, o, c))
COUNTED(Exscan, (const void *s, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (s, b, n, t, o, c))
COUNTED(Comm_dup, (MPI_Comm c, MPI_Comm *d), (c, d))
COUNTED(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *d), (c, color, key, d))
COUNTED(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm *d),
        (c, type, key, i, d))
COUNTED(Comm_free, (MPI_Comm *c), (c))
COUNTED(File_open, (MPI_Comm c, const char *name, int mode, MPI_Info i, MPI_File *f),
        (c, name, mode, i, f))
COUNTED(File_close, (MPI_File *f), (f))
COUNTED(File_sync, (MPI_File f), (f))
COUNTED(Send, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
        (b, n, t, to, tag, c))
COUNTED(Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c,
                MPI_Request *r), (b, n, t, to, tag, c, r))
COUNTED(Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
               MPI_Status *s), (b, n, t, from, tag, c, s))
COUNTED(Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
                MPI_Request *r), (b, n, t, from, tag, c, r))
/* clang-format on */
