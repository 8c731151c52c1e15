/* Scattered pieces of a file, in whole blocks: each block that some piece needs is
 * transferred once, neighbours in one request, many requests under way. */
#ifndef RUN_BLOCKS_H
#define RUN_BLOCKS_H

#include "run/run.h"

/* Extent i is there: its bytes in a row, until the call returns. */
typedef void run_extent_done(void *context, const struct extent *e, int64_t i,
                             const void *data);

/* Local; not with --collective. The extents (their `file` is not looked at) are sorted
 * by offset; they may overlap, be empty and span blocks, but not be longer than a
 * request, nor go past the end of the file. Requests are of whole blocks of `block`
 * bytes (with IO_DIRECT a multiple of IO_DIRECT_ALIGN), the last one of the file may be
 * less; f->depth of them are under way, each of at most f->max_request bytes. done() is
 * called for the extents in their order, and its time is not the transfers'. Allocates
 * two requests' memory and one for each that is under way. Returns how many blocks were
 * read; a failure is kept, and done() is not called for what comes after it. */
int64_t run_blocks_read(struct run_file *f, const struct extent *e, int64_t n,
                        int64_t block, run_extent_done *done, void *context);

/* Local. The same blocks are read, changed to with[i] in extent i (where some overlap
 * the last one counts), and written. */
int64_t run_blocks_update(struct run_file *f, const struct extent *e,
                          const void *const *with, int64_t n, int64_t block);

/* Extent i has been read: `data`, its bytes, are to be changed in place. */
typedef void run_extent_change(void *context, const struct extent *e, int64_t i,
                               void *data);

/* Local. The same, where what becomes of an extent depends on what is there; no extent
 * may be in two blocks. The extents come in their order, but for those of requests that
 * are done earlier than others. */
int64_t run_blocks_change(struct run_file *f, const struct extent *e, int64_t n,
                          int64_t block, run_extent_change *change, void *context);

#endif
