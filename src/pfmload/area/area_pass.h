/* Applies the area filter to a complete PFM, in place: flags soundings, and updates the
 * summaries of their bins.
 *
 * A pass covers a band of rows. In AREA_TWO_PASS any number of ranks may share the
 * rows, and the files are the same, byte for byte, however they do: area_pass_open
 * reads the rows beside the band, and area_pass_apply changes the band's own rows, so a
 * barrier of all ranks is needed between the two. Within its band a pass reads every
 * row before it changes the one to the south of it. In AREA_RASTER a pass covers the
 * whole grid.
 *
 * Memory: some MiB of bin records at a time (one row at least), 24 bytes for each of
 * their bins and of two more rows, and a cache of AREA_PAGES windows of the .ndx file.
 * The rows of the .bin file are read once; of the .ndx file only windows with bins that
 * may need cuts are read: if all valid soundings of a bin lie within the limits, by its
 * record, its chain is not read.
 *
 * If chains are scattered, other ranks' blocks may lie in the same window. A pass over
 * the whole grid writes a changed window from its first changed block to the last; one
 * over a band writes only runs of blocks of its own chains: long ones if bins lie in
 * the order of rows, shorter ones if chains are scattered. */
#ifndef PFMLOAD_AREA_AREA_PASS_H
#define PFMLOAD_AREA_AREA_PASS_H

#include "hydro/area.h"
#include "hydro/pfm_make.h"

#define AREA_PAGES 32
#define AREA_PAGE_BYTES (512 << 10) /* minimum; pages have whole blocks */
#define AREA_ROWS_BYTES (1 << 20)   /* of bin records, rounded to whole rows */

enum area_file { AREA_BIN, AREA_NDX };

/* The transfers of a pass. Both functions transfer all bytes, all of them within the
 * file, and return 0, or -errno with a sentence. */
struct area_io {
    int (*read)(void *context, enum area_file file, int64_t offset, int64_t bytes,
                void *to);
    int (*write)(void *context, enum area_file file, int64_t offset, int64_t bytes,
                 const void *from);
    void *context;
};

struct area_counts {
    int64_t bins;    /* with valid soundings */
    int64_t decided; /* of these, bins with limits */
    int64_t opened;  /* of these, bins whose chains were read */
    int64_t changed; /* of these, bins with soundings cut */
    int64_t cut;     /* number of soundings cut */
    int64_t reads, writes, read_bytes, written_bytes;
};

struct area_pass;

/* Local. Prepares a pass over rows row0 to row1 - 1 of the PFM with head *h, which
 * must outlive the pass; its .ndx file, of ndx_bytes, is called `path` in sentences.
 * Reads the rows beside the band. area_pass_close frees *p. Returns 0, or -errno with
 * a sentence. */
int area_pass_open(struct area_pass **p, const struct pfm_head *h, const char *path,
                   int64_t ndx_bytes, int64_t row0, int64_t row1,
                   const struct area_rule *rule, const struct area_io *io);

/* Local. Filters the band; only after all bands were opened, and once. For the header
 * and the coverage map, which change, too, *e takes in the band's bins with soundings
 * as they are afterwards, and `coverage` gets a byte for each of its bins; either may
 * be NULL. Returns 0, or -errno with a sentence: reading or writing failed, or a chain
 * does not match its bin; the files are then left half filtered. */
int area_pass_apply(struct area_pass *p, struct pfm_extremes *e, uint8_t *coverage);

const struct area_counts *area_pass_counts(const struct area_pass *p); /* Local. */
void area_pass_close(struct area_pass **p); /* Local. Sets *p to NULL. */

#endif
