/* A complete container that several threads read, without MPI, to serve its file to
 * other programs. Lost parts fail only the reads that need them. */
#ifndef IO_PART_VIEW_H
#define IO_PART_VIEW_H

#include <stdint.h>

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
