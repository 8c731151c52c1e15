/* Preloaded by bench/scaling: at its end each rank writes into the file
 * $SCALING_DIR/RANK, as words and numbers, its peak of memory (the kernel's VmHWM in
 * KiB), how many collective calls and messages it has made and the bytes in them,
 * and its calls to the file system for what is in $SCALING_FILES: opens (and as many
 * closes), looks (stat, access), changes of a directory, and syncs. What an MPI library
 * calls within itself is not counted where it uses the PMPI names, as MPICH and Open
 * MPI do; its calls to the file system are. */
#undef _FORTIFY_SOURCE /* which makes other names of some */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long collectives, messages, given; /* given: bytes, by this rank */
static long opens, looks, changes, syncs;

static long bytes_of(int n, MPI_Datatype t)
{
    int size = 0;
    PMPI_Type_size(t, &size);
    return (long)n * size;
}

#define COUNTED(what, bytes, name, parameters, arguments)                              \
    int name parameters                                                                \
    {                                                                                  \
        what++;                                                                        \
        given += bytes;                                                                \
        return P##name arguments;                                                      \
    }
#define COLLECTIVE(...) COUNTED(collectives, bytes_of(n, t), __VA_ARGS__)
#define BARE(...) COUNTED(collectives, 0, __VA_ARGS__)
#define MESSAGE(...) COUNTED(messages, bytes_of(n, t), __VA_ARGS__)

/* clang-format off */
#define IN const void *a
#define COUNT int n, MPI_Datatype t
COLLECTIVE(MPI_Allreduce, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c),
           (a, b, n, t, o, c))
COLLECTIVE(MPI_Iallreduce, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c, MPI_Request *r),
           (a, b, n, t, o, c, r))
COLLECTIVE(MPI_Reduce, (IN, void *b, COUNT, MPI_Op o, int root, MPI_Comm c),
           (a, b, n, t, o, root, c))
COLLECTIVE(MPI_Ireduce, (IN, void *b, COUNT, MPI_Op o, int root, MPI_Comm c,
           MPI_Request *r), (a, b, n, t, o, root, c, r))
COLLECTIVE(MPI_Exscan, (IN, void *b, COUNT, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE(MPI_Bcast, (void *a, COUNT, int root, MPI_Comm c), (a, n, t, root, c))
BARE(MPI_Barrier, (MPI_Comm c), (c))
BARE(MPI_Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
COLLECTIVE(MPI_Gather, (IN, COUNT, void *b, int m, MPI_Datatype u, int root,
           MPI_Comm c), (a, n, t, b, m, u, root, c))
COLLECTIVE(MPI_Igather, (IN, COUNT, void *b, int m, MPI_Datatype u, int root,
           MPI_Comm c, MPI_Request *r), (a, n, t, b, m, u, root, c, r))
COLLECTIVE(MPI_Gatherv, (IN, COUNT, void *b, const int m[], const int d[],
           MPI_Datatype u, int root, MPI_Comm c), (a, n, t, b, m, d, u, root, c))
COLLECTIVE(MPI_Scatter, (IN, COUNT, void *b, int m, MPI_Datatype u, int root,
           MPI_Comm c), (a, n, t, b, m, u, root, c))
COLLECTIVE(MPI_Allgather, (IN, COUNT, void *b, int m, MPI_Datatype u, MPI_Comm c),
           (a, n, t, b, m, u, c))
COLLECTIVE(MPI_Alltoall, (IN, COUNT, void *b, int m, MPI_Datatype u, MPI_Comm c),
           (a, n, t, b, m, u, c))
BARE(MPI_Alltoallv, (IN, const int n[], const int d[], MPI_Datatype t, void *b,
           const int m[], const int e[], MPI_Datatype u, MPI_Comm c),
           (a, n, d, t, b, m, e, u, c))
BARE(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *to), (c, to))
BARE(MPI_Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *to),
           (c, color, key, to))
BARE(MPI_Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i,
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

/* ---- the file system ------------------------------------------------------------- */

static int is_ours(const char *path)
{
    const char *files = getenv("SCALING_FILES");
    return files && path && !strncmp(path, files, strlen(files));
}

#define NEXT(result, name, parameters)                                                 \
    static result(*next) parameters;                                                   \
    if (!next)                                                                         \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

#define OPENS(name)                                                                    \
    int name(const char *path, int how, ...)                                           \
    {                                                                                  \
        NEXT(int, name, (const char *, int, ...));                                     \
        va_list args;                                                                  \
        va_start(args, how);                                                           \
        mode_t mode = how & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;          \
        va_end(args);                                                                  \
        opens += is_ours(path);                                                        \
        return next(path, how, mode);                                                  \
    }
OPENS(open)
OPENS(open64)

int __open_2(const char *path, int how);
int __open64_2(const char *path, int how);
#define OPENS_CHECKED(name)                                                            \
    int name(const char *path, int how)                                                \
    {                                                                                  \
        NEXT(int, name, (const char *, int));                                          \
        opens += is_ours(path);                                                        \
        return next(path, how);                                                        \
    }
OPENS_CHECKED(__open_2)
OPENS_CHECKED(__open64_2)

#define OPENS_AT(name)                                                                 \
    int name(int at, const char *path, int how, ...)                                   \
    {                                                                                  \
        NEXT(int, name, (int, const char *, int, ...));                                \
        va_list args;                                                                  \
        va_start(args, how);                                                           \
        mode_t mode = how & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;          \
        va_end(args);                                                                  \
        opens += is_ours(path);                                                        \
        return next(at, path, how, mode);                                              \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

#define CALL(what, name, parameters, arguments)                                        \
    int name parameters                                                                \
    {                                                                                  \
        NEXT(int, name, parameters);                                                   \
        what += is_ours(path);                                                         \
        return next arguments;                                                         \
    }
/* clang-format off */
CALL(looks, stat, (const char *path, struct stat *st), (path, st))
CALL(looks, stat64, (const char *path, struct stat64 *st), (path, st))
CALL(looks, lstat, (const char *path, struct stat *st), (path, st))
CALL(looks, lstat64, (const char *path, struct stat64 *st), (path, st))
CALL(looks, access, (const char *path, int how), (path, how))
CALL(looks, faccessat, (int at, const char *path, int how, int flags),
     (at, path, how, flags))
CALL(changes, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(changes, rmdir, (const char *path), (path))
CALL(changes, unlink, (const char *path), (path))
CALL(changes, rename, (const char *path, const char *to), (path, to))
CALL(changes, truncate, (const char *path, off_t size), (path, size))
CALL(changes, truncate64, (const char *path, off64_t size), (path, size))
/* clang-format on */

static int is_open_of_ours(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return is_ours(path);
}

#define SYNCS(name)                                                                    \
    int name(int fd)                                                                   \
    {                                                                                  \
        NEXT(int, name, (int));                                                        \
        syncs += is_open_of_ours(fd);                                                  \
        return next(fd);                                                               \
    }
SYNCS(fsync)
SYNCS(fdatasync)

/* ---- the end --------------------------------------------------------------------- */

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
        fprintf(f,
                "peak_kib %ld\ncollectives %ld\nmessages %ld\ngiven_bytes %ld\n"
                "opens %ld\nlooks %ld\nchanges %ld\nsyncs %ld\n",
                peak_kib(), collectives, messages, given, opens, looks, changes, syncs);
        fclose(f);
    }
}
