/* Reads ranges of the input into memory by many requests in flight. */
#ifndef OUTCORE_SORT_READING_H
#define OUTCORE_SORT_READING_H

#include "run/run.h"

/* Room needed beyond a range: direct I/O reads whole blocks. */
#define READING_MORE (2 * IO_DIRECT_ALIGN)

/* Local. The bytes before the range that are read with it, and all bytes read. */
int64_t reading_lead(const struct run_file *f, int64_t offset);
int64_t reading_bytes(const struct run_file *f, int64_t offset, int64_t bytes);

/* Local, of a lane. Reads its share of a range that `lanes` lanes read together, each
 * with the same room, of bytes + READING_MORE and aligned to BUF_ALIGN; the range
 * begins reading_lead bytes into it. A failure is kept. */
void reading_share(struct run_file *f, void *room, int64_t offset, int64_t bytes,
                   int lane, int lanes);

#endif
