/* Writes blocks and summaries of bins from soundings in the order of bins: each bin's
 * blocks contiguously, row after row. A request always has several blocks. Statistics
 * are running sums while soundings pass. */
#ifndef PFMLOAD_STORE_WRITER_H
#define PFMLOAD_STORE_WRITER_H

#include "extsort/extsort.h"
#include "hydro/pfm.h"
#include "hydro/pfm_make.h"
#include "run/stream/stream.h"

/* Bytes of a transfer, which ends at a multiple of them, and the largest piece. */
enum { WRITER_TRANSFER = 4 << 20, WRITER_PIECE_MAX = 65536 };

/* Local. Opens a stream at the beginning of a file that was opened for transfers of
 * WRITER_TRANSFER bytes, at least two in flight. */
int writer_stream(struct run_stream **s, struct run_file *file);

/* Local. Returns its next n <= WRITER_PIECE_MAX bytes, zeroed, to be filled before the
 * next call; may write complete transfers: collective if the file is. */
uint8_t *writer_take(struct run_stream *s, int64_t n);

/* A writer of summaries of bins, in ascending order, with their bytes of the
 * coverage map. */
struct bin_writer {
    const struct pfm_head *head;
    struct run_file *file; /* of the records */
    struct run_stream *bins, *cover;
    int64_t next; /* next bin */
    struct pfm_extremes extremes;
};

/* Local. Opens a writer on the files of the records and of the coverage map, which are
 * the same in version 6. Returns 0, or -ENOMEM with a sentence; bin_writer_close must
 * be called whatever it returns. */
int bin_writer_open(struct bin_writer *w, const struct pfm_head *head,
                    struct run_file *bins, struct run_file *cover);
/* Local. Continues at bin `first`. */
void bin_writer_begin(struct bin_writer *w, int64_t first);

/* Local. Writes a bin. Bins between the previous one and this have no soundings; if
 * there are many, the file keeps a hole, which reads as the zeros that they are.
 * Returns 0, or -ERANGE with a sentence if a number does not fit into its bits. */
int bin_writer_put(struct bin_writer *w, const struct pfm_bin *bin);
void bin_writer_flush(struct bin_writer *w);
void bin_writer_close(struct bin_writer *w);

struct writer {
    const struct pfm_head *head;
    struct run_stream *blocks;
    struct bin_writer bins;
    /* of the bin being written: */
    struct pfm_bin bin; /* index -1: none yet */
    struct pfm_sums sums;
    uint8_t *block; /* its last block, in the stream */
};

/* Local. Opens a writer, as bin_writer_open. */
int writer_open(struct writer *w, const struct pfm_head *head, struct run_file *blocks,
                struct run_file *bins, struct run_file *cover);

/* Local. Continues with bins from `first` on, and blocks from `offset` on. */
void writer_begin(struct writer *w, int64_t first, int64_t offset);

/* Local. Adds the next n soundings, all of one bin: the same as before, or a later one.
 * Returns as bin_writer_put. */
int writer_add(struct writer *w, const struct pfm_sounding *s, int64_t n);

/* Local. Adds the next block of a bin, packed, with n soundings and without a pointer,
 * after full ones. Returns as bin_writer_put. */
int writer_add_block(struct writer *w, int64_t bin, const uint8_t *block, int64_t n);

/* Local. Sorts the content of a sorter, writes all of it, and ends. Returns 0, or
 * -errno with a sentence. */
int writer_add_sorted(struct writer *w, struct extsort *sorter);

/* Local. Ends the last bin. Returns as bin_writer_put. */
int writer_end_bin(struct writer *w);

/* Local. Ends the last bin, and writes everything. Returns as bin_writer_put. */
int writer_end(struct writer *w);

/* Local. The bytes in the .ndx of a bin with n soundings. */
int64_t writer_bytes(const struct pfm_head *head, int64_t n);
void writer_close(struct writer *w);

#endif
