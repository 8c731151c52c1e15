/* Functions that libldad needs on a partitioned file beyond io.h. */
#ifndef IO_PART_PART_FILE_H
#define IO_PART_PART_FILE_H

#include "io/io.h"
#include <stdint.h>

/* **Collective**, on an open container that may be written. Sets the length of the
 * logical file to `bytes`: cuts partitions and the shared part there. Returns 0, or
 * -errno with a sentence, not agreed. */
int part_file_set_size(struct io_file *f, int64_t bytes);

/* **Collective.** Allocates space for the first `bytes`, as posix_fallocate(3) does;
 * the file is at least that long then. */
int part_file_allocate(struct io_file *f, int64_t bytes);

/* **Collective.** Partitions a container that has no plan yet, and at most
 * PART_PLAN_BYTES of data, which stay in the shared part. Otherwise, and if no
 * map can be made of the plan, nothing changes. Returns 0, or -errno with a
 * sentence, agreed. */
#define PART_PLAN_BYTES (INT64_C(1) << 20)
int part_file_plan(struct io_file *f, const struct ldad_plan *plan);

/* ---- views ----------------------------------------------------------------------- */

/* A complete container that several threads read, without MPI, to serve its file to
 * other programs. Lost parts fail only the reads that need them. */

struct container_view;

/* Local. Opens a view. Returns 0, or -errno with a sentence and *v NULL if the header
 * or the map is invalid or the container is not complete. */
int container_view_open(struct container_view **v, const char *path);
void container_view_close(struct container_view **v);

/* Local. The length of the file. */
int64_t container_view_bytes(const struct container_view *v);

/* Local, from any thread. Reads `bytes` at `offset`, both within the file. Returns 0,
 * or -errno with a sentence. */
int container_view_read(struct container_view *v, int64_t offset, int64_t bytes,
                        char *out);

#endif
