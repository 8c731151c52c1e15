/* One logical file as a file for each rank, PATH.000000 and so on, with no header: the
 * plan alone says which rank's file holds which byte, and a rank's bytes stand in its
 * file back to back. */
#ifndef LDAD_LIB_UNIQUE_H
#define LDAD_LIB_UNIQUE_H

#include "algebra/descriptor.h"
#include "io/io.h"

struct unique;

struct unique_open {
    MPI_Comm comm;
    const char *path;
    int flags;  /* IO_READ, IO_WRITE; IO_CREATE: each rank makes its own if need be */
    bool fresh; /* IO_CREATE fails where a file exists */
    const char *engine, *plan;
    int64_t max_request;
    double timeout_s;
};

/* **Collective** on o->comm, of as many ranks as the plan, or any number to read. 0 or
 * -errno with a sentence, agreed. */
int unique_open(struct unique **u, const struct unique_open *o);
int unique_close(struct unique **u);

/* Local. A rank writes only what the plan says is its, and reads anything: up to the
 * end of the file, *moved bytes, which is 0 before. 0 or -errno with a sentence. */
int unique_write(struct unique *u, int64_t offset, const void *buf, int64_t bytes);
int unique_read(struct unique *u, int64_t offset, void *buf, int64_t bytes,
                int64_t *moved);

/* Local. 0 or -errno with a sentence. */
int unique_sync(struct unique *u);

/* Local. Cuts this rank's file, or makes it longer, as the logical file of `bytes`
 * needs. */
int unique_set_size(struct unique *u, int64_t bytes);

/* Local. How long the logical file is, by the lengths of all ranks' files. */
int unique_size(struct unique *u, int64_t *bytes);

/* Local. The path of a rank's file, into out[room]; 0 or -ENAMETOOLONG with a
 * sentence. */
int unique_path(char *out, int room, const char *path, int64_t rank);

#endif
