/* libldad's calls within the phases of a run: they are timed and counted, drop the
 * pages of files before these are read, and report failures to the run. The workloads
 * are compiled with these calls (rename.h). */
#ifndef LDAD_MEASURE_TIMED_H
#define LDAD_MEASURE_TIMED_H

#include "algebra/descriptor.h"
#include "run/run.h"
#include <mpi.h>

typedef struct timed_open_file *timed_file;

struct timed {
    struct run *run;
    const struct ldad_map *map; /* tells the writer of each byte in every file */
    bool unique;                /* there is one file for each rank */
    int64_t read_bytes;    /* this rank's since they were set to 0: all bytes, and */
    int64_t foreign_bytes; /* the bytes that another rank wrote */
    char path[4096];       /* the file that was read last */
};

/* Local. Sets what the calls below use, until the next call; MPI's signatures have no
 * room for it. It stays the caller's. */
void timed_use(struct timed *t);

int timed_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                    timed_file *fh);
int timed_file_close(timed_file *fh);
int timed_file_sync(timed_file fh);
int timed_barrier(MPI_Comm comm);
int timed_file_write_at_all(timed_file fh, MPI_Offset offset, const void *buf,
                            int count, MPI_Datatype type, MPI_Status *status);
int timed_file_read_at_all(timed_file fh, MPI_Offset offset, void *buf, int count,
                           MPI_Datatype type, MPI_Status *status);

/* **Collective.** Removes a file that this run made, unless --keep. */
int timed_file_remove(const char *path);

#endif
