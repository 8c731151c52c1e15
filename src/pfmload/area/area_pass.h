/* Applies the area filter to a PFM that is complete, in place: flags soundings, and
 * brings the summaries of their bins up to date.
 *
 * A pass is over a band of rows. In AREA_TWO_PASS any number of ranks may share the
 * rows, and the files are the same, byte for byte, however they do: area_pass_open
 * reads the rows beside the band, and area_pass_apply changes the band's own rows, so
 * what is needed is a barrier of all ranks between the two. Within its band a pass
 * reads every row before it changes the one to the south of it. In AREA_RASTER a pass
 * is over the whole grid.
 *
 * Memory: some MiB of bin records at a time (one row at least), 24 bytes for each of
 * their bins and of two rows more, and a cache of AREA_PAGES windows of the .ndx file.
 * The rows of the .bin file are read once; of the .ndx file those windows are read that
 * hold bins with something to cut: a bin whose valid soundings all lie within the
 * limits, as its record says, is not looked into.
 *
 * Other ranks' blocks may lie in the same window, where chains are scattered. A pass
 * over the whole grid writes a changed window from its first changed block to the last;
 * one over a band only runs of blocks of its own chains: as large where bins lie in the
 * order of rows, smaller where chains are scattered. */
#ifndef PFMLOAD_AREA_AREA_PASS_H
#define PFMLOAD_AREA_AREA_PASS_H

#include "hydro/area.h"
#include "hydro/pfm_make.h"

#define AREA_PAGES 32
#define AREA_PAGE_BYTES (512 << 10) /* at least: made of whole blocks */
#define AREA_ROWS_BYTES (1 << 20)   /* of bin records, as near as whole rows come */

enum area_file { AREA_BIN, AREA_NDX };

/* How a pass gets at the two files. Both transfer all bytes, all of them within the
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
    int64_t decided; /* of these, with limits */
    int64_t opened;  /* of these, with chains that were read */
    int64_t changed; /* of these, with soundings cut */
    int64_t cut;     /* soundings */
    int64_t reads, writes, read_bytes, written_bytes;
};

struct area_pass;

/* Local. Prepares a pass over rows row0 to row1 - 1 of the PFM with head *h, which must
 * outlive the pass; its .ndx file, of ndx_bytes, is called `path` in sentences. Reads
 * the rows beside the band. *p is freed by area_pass_close. Returns 0, or -errno with a
 * sentence. */
int area_pass_open(struct area_pass **p, const struct pfm_head *h, const char *path,
                   int64_t ndx_bytes, int64_t row0, int64_t row1,
                   const struct area_rule *rule, const struct area_io *io);

/* Local. Filters the band; only after all bands were opened, and once. What a header
 * and a coverage map say of bins changes, too: *e takes in the band's bins with
 * soundings as they are afterwards, and `coverage` gets a byte for each of its bins;
 * either may be NULL. Returns 0, or -errno with a sentence: reading or writing failed,
 * or a chain is not as its bin says; the files are then left half filtered. */
int area_pass_apply(struct area_pass *p, struct pfm_extremes *e, uint8_t *coverage);

const struct area_counts *area_pass_counts(const struct area_pass *p); /* Local. */
void area_pass_close(struct area_pass **p); /* Local. *p becomes NULL. */

#endif
