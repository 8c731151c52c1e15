/* Transfers scattered pieces of a file in whole blocks: each block that some
 * piece needs is transferred once, neighbours in one request, with many requests
 * in flight. */
#ifndef RUN_STREAM_BLOCKS_H
#define RUN_STREAM_BLOCKS_H

#include "run/run.h"

/* Called when extent i has been read: `data` has its bytes, until the call returns. */
typedef void run_extent_done(void *context, const struct extent *e, int64_t i,
                             const void *data);

/* Local; not with --collective. Reads the extents (their `file` is ignored). They are
 * sorted by offset; they may overlap, be empty and span blocks, but not be longer
 * than a request, nor go past the end of the file. Requests are of whole blocks of
 * `block` bytes (with IO_DIRECT a multiple of r->direct_align); the last one of the
 * file may be shorter. f->depth of them are in flight, each of at most f->max_request
 * bytes. done() is called for the extents in their order, and its time does not count
 * as time of transfers. Allocates memory for two requests, and for each one in
 * flight. Returns the number of blocks read; a failure is kept, and done() is not
 * called for later extents. */
int64_t run_blocks_read(struct run_file *f, const struct extent *e, int64_t n,
                        int64_t block, run_extent_done *done, void *context);

/* Local. Reads the same blocks, changes each extent i to with[i] (where extents overlap
 * the last one counts), and writes them. */
int64_t run_blocks_update(struct run_file *f, const struct extent *e,
                          const void *const *with, int64_t n, int64_t block);

/* Called when extent i has been read, to change its bytes `data` in place. */
typedef void run_extent_change(void *context, const struct extent *e, int64_t i,
                               void *data);

/* Local. As run_blocks_update, if the new content of an extent depends on the old. No
 * extent may span two blocks. Extents come in order, except those of requests that
 * complete earlier than others. */
int64_t run_blocks_change(struct run_file *f, const struct extent *e, int64_t n,
                          int64_t block, run_extent_change *change, void *context);

#endif
