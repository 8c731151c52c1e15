/* Stretches of the input, read into memory by many requests at once. */
#ifndef OUTCORE_SORT_READING_H
#define OUTCORE_SORT_READING_H

#include "run/run.h"

/* Room that is taken beyond a stretch: past the page cache whole blocks are read. */
#define READING_MORE (2 * IO_DIRECT_ALIGN)

/* Local. Bytes before the stretch that are read with it, and of all that is read. */
int64_t reading_lead(const struct run_file *f, int64_t offset);
int64_t reading_bytes(const struct run_file *f, int64_t offset, int64_t bytes);

/* Local, of a lane. Reads its share of a stretch that `lanes` lanes read together, each
 * of them with the same room, of bytes + READING_MORE and aligned to BUF_ALIGN; the
 * stretch is reading_lead further on in it. A failure is kept. */
void reading_share(struct run_file *f, void *room, int64_t offset, int64_t bytes,
                   int lane, int lanes);

#endif
