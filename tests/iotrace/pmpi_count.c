/* A tool as sites preload it, by the profiling interface: it counts two calls and
 * prints the counts at the end. Compiled twice: as tools for one MPI are, which call
 * PMPI_X, and with -DNEXT as those that go on to the next MPI_X. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int writes, opens;

#ifdef NEXT
#define REAL(x) ((__typeof__(&MPI_##x))dlsym(RTLD_NEXT, "MPI_" #x))
#else
#define REAL(x) PMPI_##x
#endif

int MPI_File_write_at(MPI_File f, MPI_Offset at, const void *buf, int n, MPI_Datatype t,
                      MPI_Status *s)
{
    writes++;
    return REAL(File_write_at)(f, at, buf, n, t, s);
}

int MPI_File_open(MPI_Comm c, const char *name, int mode, MPI_Info i, MPI_File *f)
{
    opens++;
    return REAL(File_open)(c, name, mode, i, f);
}

int MPI_Finalize(void)
{
    printf("counted %d opens, %d writes\n", opens, writes);
    fflush(stdout);
    return REAL(Finalize)();
}
