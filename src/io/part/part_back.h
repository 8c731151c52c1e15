/* A partition's bytes are on their way to the device while a program still writes. */
#ifndef IO_PART_PART_BACK_H
#define IO_PART_PART_BACK_H

#include <stdint.h>

struct part_back;

/* Local. For the file that `fd` is, which stays open; NULL: there is no such file
 * (fd < 0), it is in memory, or there is none left, and bytes are written back when the
 * kernel or a sync says so. */
struct part_back *part_back_make(int fd);

/* Local. Waits for a request that has begun, not for bytes. b may be NULL. */
void part_back_free(struct part_back *b);

/* Local. Bytes that are in the file; b may be NULL. The first 4 MiB start a thread. */
void part_back_wrote(struct part_back *b, int64_t at, int64_t bytes);

#endif
