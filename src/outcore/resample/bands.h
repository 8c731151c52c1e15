/* Which bytes the I/O methods of outcore resample move: strips are full rows of the
 * output, as many as a tile has; a rank has a band of them, one after the other; tiles
 * divide a strip. After the study of storage-intensive computing (2007, section 5.2.2).
 * No MPI, no files. */
#ifndef OUTCORE_RESAMPLE_BANDS_H
#define OUTCORE_RESAMPLE_BANDS_H

#include "outcore/resample/kernel.h"

struct bands {
    struct resample_how how;
    int64_t tile;  /* rows and columns of a tile of the output */
    bool reads;    /* the input is read at all */
    bool keeps;    /* rows of the strip before are kept, where they are needed again */
    bool by_tiles; /* a transfer for each row of a tile; else for each strip */
    bool whole;    /* one for all strips of the band */
};

struct bands_count {
    int64_t reads, read_bytes, writes, write_bytes;
};

/* Local. Strips of the image, and output rows .from to .to of number i. */
int64_t bands_strips(const struct bands *b);
struct weights_span bands_strip(const struct bands *b, int64_t i);

/* Local. Output rows of the band of part p of `parts`; none where .from == .to. */
struct weights_span bands_part(const struct bands *b, int64_t p, int64_t parts);

/* Local. Output columns of tile j of a strip, which has bands_columns of them. */
int64_t bands_columns(const struct bands *b);
struct weights_span bands_column(const struct bands *b, int64_t j);

/* Local. Bytes of a row of output columns X in the file: at the end of the image's row
 * with what pads it. */
int64_t bands_out_row(const struct bands *b, struct weights_span X);

/* Local. Rows of output that are transferred at once, from row Y of a band that ends at
 * row `end`. */
int64_t bands_step(const struct bands *b, int64_t Y, int64_t end);

/* Local. Input rows that are read for output rows Y .. end - 1, where rows before
 * `there` are in memory already; none where .from == .to. */
struct weights_span bands_fresh(const struct bands *b, int64_t Y, int64_t end,
                                int64_t there);

/* Local. What the band of part p of `parts` moves. */
struct bands_count bands_expect(const struct bands *b, int64_t p, int64_t parts);

/* Local. The most input and output rows (.from, .to) that are in memory for a transfer
 * of any of the parts' bands. */
struct weights_span bands_most(const struct bands *b, int64_t parts);

/* Local. The most input columns of a tile. */
int64_t bands_most_columns(const struct bands *b);

#endif
