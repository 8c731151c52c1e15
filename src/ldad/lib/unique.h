/* One logical file stored as a file for each rank, PATH.000000 and so on, without a
 * header: only the plan tells which rank's file holds which byte. A rank's bytes are
 * contiguous in its file. */
#ifndef LDAD_LIB_UNIQUE_H
#define LDAD_LIB_UNIQUE_H

#include "algebra/descriptor.h"
#include "io/io.h"

struct unique;

struct unique_open {
    MPI_Comm comm;
    const char *path;
    int flags;  /* IO_READ, IO_WRITE; IO_CREATE: each rank creates its own if needed */
    bool fresh; /* IO_CREATE fails if a file exists */
    const char *engine, *plan;
    int64_t max_request;
    double timeout_s;
};

/* **Collective** on o->comm. Needs as many ranks as the plan has; for reading, any
 * number. Returns 0 or -errno with a sentence, agreed. */
int unique_open(struct unique **u, const struct unique_open *o);
int unique_close(struct unique **u);

/* Local. A rank writes only bytes that the plan gives it, and reads any: up to the end
 * of the file, *moved bytes (0 before the call). Return 0 or -errno with a sentence. */
int unique_write(struct unique *u, int64_t offset, const void *buf, int64_t bytes);
int unique_read(struct unique *u, int64_t offset, void *buf, int64_t bytes,
                int64_t *moved);

/* Local. 0 or -errno with a sentence. */
int unique_sync(struct unique *u);

/* Local. Truncates or extends this rank's file, as a logical file of `bytes` needs. */
int unique_set_size(struct unique *u, int64_t bytes);

/* Local. Finds the length of the logical file from the lengths of all ranks' files. */
int unique_size(struct unique *u, int64_t *bytes);

/* Local. Builds the path of a rank's file in out[room]. Returns 0 or -ENAMETOOLONG with
 * a sentence. */
int unique_path(char *out, int room, const char *path, int64_t rank);

#endif
