/* A complete container that several threads read, without MPI: for who serves its file
 * to other programs. What is lost of it fails reads that want it, and no others. */
#ifndef IO_PART_VIEW_H
#define IO_PART_VIEW_H

#include <stdint.h>

struct container_view;

/* Local. 0, or -errno with a sentence and *v NULL, where the header or the map is not
 * to be believed or the container is not complete. */
int container_view_open(struct container_view **v, const char *path);
void container_view_close(struct container_view **v);

/* Local. How long the file is. */
int64_t container_view_bytes(const struct container_view *v);

/* Local, from any thread. Reads `bytes` at `offset`, both of which are within the file.
 * 0 or -errno with a sentence. */
int container_view_read(struct container_view *v, int64_t offset, int64_t bytes,
                        char *out);

#endif
