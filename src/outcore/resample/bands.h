/* The bytes that the I/O methods of outcore resample move: strips are full rows of the
 * output, as many as a tile has; a rank has a band of consecutive strips; tiles divide
 * a strip. After the study of storage-intensive computing (2007, section 5.2.2). No
 * MPI, no files. */
#ifndef OUTCORE_RESAMPLE_BANDS_H
#define OUTCORE_RESAMPLE_BANDS_H

#include "outcore/resample/kernel.h"

struct bands {
    struct resample_how how;
    int64_t tile;  /* rows and columns of a tile of the output */
    bool reads;    /* the input is read */
    bool keeps;    /* rows of the previous strip are kept if they are needed again */
    bool by_tiles; /* a transfer for each row of a tile; else for each strip */
    bool whole;    /* one transfer for all strips of the band */
};

struct bands_count {
    int64_t reads, read_bytes, writes, write_bytes;
};

/* Local. The number of strips of the image, and the output rows .from to .to of
 * number i. */
int64_t bands_strips(const struct bands *b);
struct weights_span bands_strip(const struct bands *b, int64_t i);

/* Local. The output rows of the band of part p of `parts`; none if .from == .to. */
struct weights_span bands_part(const struct bands *b, int64_t p, int64_t parts);

/* Local. The output columns of tile j of a strip, which has bands_columns tiles. */
int64_t bands_columns(const struct bands *b);
struct weights_span bands_column(const struct bands *b, int64_t j);

/* Local. The bytes of a row of output columns X in the file: at the end of the image's
 * row including its padding. */
int64_t bands_out_row(const struct bands *b, struct weights_span X);

/* Local. The rows of output that are transferred together, from row Y of a band that
 * ends at row `end`. */
int64_t bands_step(const struct bands *b, int64_t Y, int64_t end);

/* Local. The input rows to be read for output rows Y .. end - 1, if rows before `there`
 * are in memory already; none if .from == .to. */
struct weights_span bands_fresh(const struct bands *b, int64_t Y, int64_t end,
                                int64_t there);

/* Local. The transfers of the band of part p of `parts`. */
struct bands_count bands_expect(const struct bands *b, int64_t p, int64_t parts);

/* Local. The most input and output rows (.from, .to) in memory for a transfer of any of
 * the parts' bands. */
struct weights_span bands_most(const struct bands *b, int64_t parts);

/* Local. The most input columns of a tile. */
int64_t bands_most_columns(const struct bands *b);

#endif
