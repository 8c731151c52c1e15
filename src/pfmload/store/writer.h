/* Blocks and summaries of bins from soundings that come in the order of bins: each
 * bin's blocks in a row, rows of bins one after another. One request never is for one
 * block. Statistics are running sums while soundings pass. */
#ifndef PFMLOAD_STORE_WRITER_H
#define PFMLOAD_STORE_WRITER_H

#include "extsort/extsort.h"
#include "hydro/pfm_make.h"
#include "hydro/pfm_sums.h"
#include "run/stream.h"

/* Bytes of a transfer, which ends at a multiple of it, and the most of a piece. */
enum { WRITER_TRANSFER = 4 << 20, WRITER_PIECE_MAX = 65536 };

/* Local. A stream from the begin of a file that is open for transfers of
 * WRITER_TRANSFER bytes, at least two at once. */
int writer_stream(struct run_stream **s, struct run_file *file);

/* Local. Its next n <= WRITER_PIECE_MAX bytes, zeros, to be filled before the next
 * call; may write what is complete: collective where the file is. */
uint8_t *writer_take(struct run_stream *s, int64_t n);

/* Summaries of bins, in ascending order, with their bytes of the coverage map. */
struct bin_writer {
    const struct pfm_head *head;
    struct run_file *file; /* of the records */
    struct run_stream *bins, *cover;
    int64_t next; /* bin */
    struct pfm_extremes extremes;
};

/* Local. Files for the records and for the coverage map, which with version 6 are one.
 * Returns 0 or -ENOMEM with a sentence; bin_writer_close is due whatever it says. */
int bin_writer_open(struct bin_writer *w, const struct pfm_head *head,
                    struct run_file *bins, struct run_file *cover);
void bin_writer_begin(struct bin_writer *w, int64_t first); /* Local. Goes on there. */

/* Local. Those between the last one and this are without soundings; where many are, the
 * file keeps a hole, which reads as zeros, as they should be. Returns 0, or -ERANGE
 * with a sentence where a number does not fit into its bits. */
int bin_writer_put(struct bin_writer *w, const struct pfm_bin *bin);
void bin_writer_flush(struct bin_writer *w);
void bin_writer_close(struct bin_writer *w);

struct writer {
    const struct pfm_head *head;
    struct run_stream *blocks;
    struct bin_writer bins;
    /* of the bin that is being written: */
    struct pfm_bin bin; /* index -1: none yet */
    struct pfm_sums sums;
    uint8_t *block; /* its last one, in the stream */
};

/* Local. As bin_writer_open. */
int writer_open(struct writer *w, const struct pfm_head *head, struct run_file *blocks,
                struct run_file *bins, struct run_file *cover);

/* Local. From here on: bins from `first` on, and blocks from `offset` on. */
void writer_begin(struct writer *w, int64_t first, int64_t offset);

/* Local. The next n soundings, all of one bin: of the same as the last ones, or of a
 * later one. Returns as bin_writer_put. */
int writer_add(struct writer *w, const struct pfm_sounding *s, int64_t n);

/* Local. The next block of a bin, packed, with n soundings and without a pointer, after
 * full ones. Returns as bin_writer_put. */
int writer_add_block(struct writer *w, int64_t bin, const uint8_t *block, int64_t n);

/* Local. Sorts what was added to a sorter, writes all of it, and ends. Returns 0, or
 * -errno with a sentence. */
int writer_add_sorted(struct writer *w, struct extsort *sorter);

/* Local. No more soundings of the last bin come. Returns as bin_writer_put. */
int writer_end_bin(struct writer *w);

/* Local. Ends the last bin, and writes all there is. Returns as bin_writer_put. */
int writer_end(struct writer *w);

/* Local. Bytes in the .ndx of a bin with n soundings. */
int64_t writer_bytes(const struct pfm_head *head, int64_t n);
void writer_close(struct writer *w);

#endif
