/* A scratch file for what does not fit into memory. It has no name from its start on,
 * so that nothing is left however the process ends. */
#ifndef PFMLOAD_STORE_SPILL_H
#define PFMLOAD_STORE_SPILL_H

#include "base/told.h"
#include <limits.h>
#include <stdint.h>

struct spill {
    int write_fd, read_fd; /* -1: no file yet */
    int64_t bytes;         /* written */
    const struct told *told;
    char path[PATH_MAX]; /* what the file was called */
};

/* Local. Makes a file PREFIX.NUMBER; *told, which must live as long, is told of each
 * pwrite and pread. Returns 0 or -errno with a sentence, as the others
 * do; spill_close frees the space, and may be called twice. */
int spill_open(struct spill *f, const char *prefix, int64_t number,
               const struct told *told);

int spill_append(struct spill *f, const void *from, int64_t bytes); /* Local. */
int spill_read(const struct spill *f, void *to, int64_t offset,
               int64_t bytes); /* Local. */
void spill_close(struct spill *f);

#endif
