/* Sends a partition's bytes to the device while a program still writes. */
#ifndef IO_PART_PART_BACK_H
#define IO_PART_PART_BACK_H

#include <stdint.h>

struct part_back;

/* Local. Starts early write-back of the file `fd`, which stays open. NULL: there is
 * none, as there is no file (fd < 0), it is in memory, or there is no memory; bytes are
 * then written back when the kernel or a sync does it. */
struct part_back *part_back_make(int fd);

/* Local. Waits for a request in progress, not for bytes. b may be NULL. */
void part_back_free(struct part_back *b);

/* Local. Reports bytes that were written to the file; b may be NULL. The first 4 MiB
 * start a thread. */
void part_back_wrote(struct part_back *b, int64_t at, int64_t bytes);

#endif
