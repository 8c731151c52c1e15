/* A PFM (Pure File Magic), the bathymetric database of the U.S. Naval Oceanographic
 * Office, versions 6 and 7: soundings sorted into the bins of a grid, each bin a chain
 * of blocks. What it is made of, and a reader; pfm_make.h begins a new one. No MPI. */
#ifndef HYDRO_PFM_H
#define HYDRO_PFM_H

#include "base/told.h"
#include <stdbool.h>
#include <stdint.h>

/* Validity bits of soundings and bins. */
enum {
    PFM_MANUALLY_INVAL = 0x1,
    PFM_FILTER_INVAL = 0x2,
    PFM_MODIFIED = 0x20,
    PFM_DATA = 0x400, /* of a bin: it has valid soundings */
    PFM_DELETED = 0x800,
    PFM_REFERENCE = 0x4000
};
#define PFM_INVAL (PFM_MANUALLY_INVAL | PFM_FILTER_INVAL)

/* What a byte of the coverage map says of its bin. */
enum { PFM_COVERED_DATA = 0x80, PFM_COVERED_SURVEYED = 0x10 };

enum { PFM_PATH = 4096, PFM_LENGTH_MAX = 1000 /* soundings of a block */ };

/* What the header of the .bin file says. Widths of fields are in bits. */
struct pfm_head {
    char version_text[80];
    double version;                    /* 7.00 */
    int64_t record_length;             /* soundings of a block */
    double min_x, min_y, max_x, max_y; /* degrees */
    double bin_m, bin_x, bin_y;        /* a bin in metres and in degrees */
    double edge_x, edge_y;             /* bounds asked for */
    int64_t width, height;             /* bins */
    int64_t header_bytes;
    int64_t count_bits, std_bits, depth_bits, pointer_bits, file_bits, line_bits;
    int64_t ping_bits, beam_bits, offset_bits, validity_bits;
    int64_t horizontal_bits, vertical_bits;     /* of errors; 0: none */
    int64_t bin_attribute_bits, attribute_bits; /* all of them together */
    double std_scale, depth_scale, depth_offset, null_depth;
    /* what follows of it */
    int64_t sounding_bits, block_bytes, bin_bytes;
    int64_t null_raw; /* the null depth as stored */
};

struct pfm_bin {
    int64_t index; /* row * width + column; not in its record */
    int64_t soundings;
    double std;
    double average_filtered, min_filtered, max_filtered, average, min, max; /* m */
    int64_t valid; /* soundings; -1 where the version does not say */
    uint32_t validity;
    int64_t first, last; /* block, bytes in the .ndx file */
};

/* Over all bins with soundings; all zero: none. The first of equal bins counts. */
struct pfm_extreme {
    double value;
    int64_t bin; /* row * width + column */
};
struct pfm_extremes {
    int64_t bins, filled; /* with soundings; with valid ones */
    struct pfm_extreme min, max, min_filtered, max_filtered; /* m */
    struct pfm_extreme min_count, max_count, min_std, max_std;
};

/* One form for everything: what travels, is sorted, and is packed. In order of (bin,
 * file, ping, beam) the soundings of a PFM do not depend on how it was made. */
struct pfm_sounding {
    int64_t bin;         /* row * width + column; row 0 is the south */
    uint32_t file, ping; /* file from 0; ping from 1 */
    uint32_t depth;      /* as stored: round((m + depth_offset) * depth_scale) */
    uint32_t validity;   /* PFM_... */
    uint16_t line, beam; /* line from 0; beam from 1 */
    uint16_t x, y;       /* place in the bin, 0 .. 2^offset_bits - 1 */
};
_Static_assert(sizeof(struct pfm_sounding) == 32, "a sounding has no holes");

/* Local. A stored depth in metres. */
static inline double pfm_depth(const struct pfm_head *h, uint32_t raw)
{
    return raw / h->depth_scale - h->depth_offset;
}

/* Local. Whether a depth in metres is none: when stored, it is the null depth, which
 * storing may have rounded down, or is deeper. */
static inline bool pfm_is_null(const struct pfm_head *h, double m)
{
    return (m + h->depth_offset) * h->depth_scale > (double)h->null_raw - 0.5;
}

/* Local. Whether a bin has valid soundings, and with them an average depth. */
static inline bool pfm_has_depth(const struct pfm_head *h, const struct pfm_bin *bin)
{
    return bin->validity & PFM_DATA && !pfm_is_null(h, bin->average_filtered);
}

struct pfm;

/* Local. The path of a file of the PFM with this handle file: HANDLE.data/NAME.suffix,
 * where NAME is the handle's without folders. Returns 0, or -errno with a sentence. */
int pfm_path(char path[PFM_PATH], const char *handle, const char *suffix);

/* Local. Whether this is a handle file, which says so in its first line. Returns 0, or
 * -errno with a sentence. */
int pfm_check_handle(const char *path);

/* Local. Opens the PFM whose handle file is `path`; *p is freed by pfm_close. Returns
 * 0, or -errno with a sentence. */
int pfm_open(struct pfm **p, const char *path);

/* Local. Of each read from now on *told is told. */
void pfm_tell(struct pfm *p, struct told told);

const struct pfm_head *pfm_head(const struct pfm *p);
int64_t pfm_blocks(const struct pfm *p); /* Local. Blocks that fit into the .ndx. */

/* Local. What the header says; bins and filled stay 0. */
const struct pfm_extremes *pfm_extremes(const struct pfm *p);

/* Local. The summary of a bin; fast where bins are read in order, row by row. */
int pfm_bin(struct pfm *p, int64_t row, int64_t column, struct pfm_bin *bin);

/* What walks over many chains add up. */
struct pfm_walk {
    uint8_t *used;    /* a bit for each of pfm_blocks blocks; NULL: not looked at */
    int64_t blocks;   /* in chains */
    int64_t links;    /* from block to block */
    int64_t in_order; /* of these, to the very next block of the file */
};

/* Local. All soundings of a bin, walking its chain: *s has bin->soundings entries
 * until the next call. `walk` may be NULL. Returns 0, or -errno with a sentence: a
 * pointer out of the file or between blocks, a block that was used before, a chain that
 * does not end where the bin says. */
int pfm_chain(struct pfm *p, const struct pfm_bin *bin, struct pfm_walk *walk,
              const struct pfm_sounding **s);

void pfm_close(struct pfm **p);

/* Local. The summary that a bin with these soundings should have; its index, soundings,
 * first and last are not touched. */
void pfm_recompute(const struct pfm_head *h, const struct pfm_sounding *s, int64_t n,
                   struct pfm_bin *bin);

#endif
