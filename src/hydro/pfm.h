/* A PFM (Pure File Magic), the bathymetric database of the U.S. Naval Oceanographic
 * Office, versions 6 and 7: soundings sorted into the bins of a grid, each bin a chain
 * of blocks. Its structures, and a reader; pfm_make.h begins a new one. No MPI. */
#ifndef HYDRO_PFM_H
#define HYDRO_PFM_H

#include "hydro/geodesy.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- a callback for each finished read and write --------------------------------- */

struct told {
    /* Called after one system call with its duration; NULL: not called. */
    void (*transfer)(void *context, bool write, int64_t bytes, int64_t ns);
    void *context;
};

/* ---- the file -------------------------------------------------------------------- */

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

/* Bits of a bin's byte in the coverage map. */
enum { PFM_COVERED_DATA = 0x80, PFM_COVERED_SURVEYED = 0x10 };

enum { PFM_PATH = 4096, PFM_LENGTH_MAX = 1000 /* soundings of a block */ };

/* The header of the .bin file. Widths of fields are in bits. */
struct pfm_head {
    char version_text[80];
    double version;                    /* 7.00 */
    int64_t record_length;             /* soundings of a block */
    double min_x, min_y, max_x, max_y; /* degrees */
    double bin_m, bin_x, bin_y;        /* a bin in metres and in degrees */
    double edge_x, edge_y;             /* requested bounds */
    int64_t width, height;             /* bins */
    int64_t header_bytes;
    int64_t count_bits, std_bits, depth_bits, pointer_bits, file_bits, line_bits;
    int64_t ping_bits, beam_bits, offset_bits, validity_bits;
    int64_t horizontal_bits, vertical_bits;     /* of errors; 0: none */
    int64_t bin_attribute_bits, attribute_bits; /* sum over all attributes */
    double std_scale, depth_scale, depth_offset, null_depth;
    /* derived: */
    int64_t sounding_bits, block_bytes, bin_bytes;
    int64_t null_raw; /* the null depth as stored */
};

struct pfm_bin {
    int64_t index; /* row * width + column; not in its record */
    int64_t soundings;
    double std;
    double average_filtered, min_filtered, max_filtered, average, min, max; /* m */
    int64_t valid; /* valid soundings; -1 if the version does not store it */
    uint32_t validity;
    int64_t first, last; /* block, bytes in the .ndx file */
};

/* Extremes over all bins with soundings; all zero: none. The first of equal
 * bins counts. */
struct pfm_extreme {
    double value;
    int64_t bin; /* row * width + column */
};
struct pfm_extremes {
    int64_t bins, filled; /* bins with soundings; with valid ones */
    struct pfm_extreme min, max, min_filtered, max_filtered; /* m */
    struct pfm_extreme min_count, max_count, min_std, max_std;
};

/* The one form of a sounding for sending, sorting and packing. In order of (bin, file,
 * ping, beam) the soundings of a PFM do not depend on the way it was made. */
struct pfm_sounding {
    int64_t bin;         /* row * width + column; row 0 is the south */
    uint32_t file, ping; /* file from 0; ping from 1 */
    uint32_t depth;      /* as stored: round((m + depth_offset) * depth_scale) */
    uint32_t validity;   /* PFM_... */
    uint16_t line, beam; /* line from 0; beam from 1 */
    uint16_t x, y;       /* place in the bin, 0 .. 2^offset_bits - 1 */
};
_Static_assert(sizeof(struct pfm_sounding) == 32, "a sounding has no holes");

/* Local. Converts a stored depth to metres. */
static inline double pfm_depth(const struct pfm_head *h, uint32_t raw)
{
    return raw / h->depth_scale - h->depth_offset;
}

/* Local. True if a depth in metres is the null depth: stored, it would be that, perhaps
 * rounded down, or deeper. */
static inline bool pfm_is_null(const struct pfm_head *h, double m)
{
    return (m + h->depth_offset) * h->depth_scale > (double)h->null_raw - 0.5;
}

/* Local. True if a bin has valid soundings, and so an average depth. */
static inline bool pfm_has_depth(const struct pfm_head *h, const struct pfm_bin *bin)
{
    return bin->validity & PFM_DATA && !pfm_is_null(h, bin->average_filtered);
}

struct pfm;

/* Local. The path of a file of the PFM with this handle file:
 * HANDLE.data/NAME.suffix, where NAME is the handle's without directories. Returns 0,
 * or -errno with a sentence. */
int pfm_path(char path[PFM_PATH], const char *handle, const char *suffix);

/* Local. Checks that this is a handle file, by its first line. Returns 0, or -errno
 * with a sentence. */
int pfm_check_handle(const char *path);

/* Local. Opens the PFM whose handle file is `path`; pfm_close frees *p. Returns 0, or
 * -errno with a sentence. */
int pfm_open(struct pfm **p, const char *path);

/* Local. Sets the callback for each further read. */
void pfm_tell(struct pfm *p, struct told told);

const struct pfm_head *pfm_head(const struct pfm *p);
int64_t pfm_blocks(const struct pfm *p); /* Local. Number of blocks in the .ndx. */

/* Local. The extremes in the header; bins and filled stay 0. */
const struct pfm_extremes *pfm_extremes(const struct pfm *p);

/* Local. Reads the summary of a bin; fast if bins are read in order, row by row. */
int pfm_bin(struct pfm *p, int64_t row, int64_t column, struct pfm_bin *bin);

/* Totals of walks over many chains. */
struct pfm_walk {
    uint8_t *used;    /* a bit for each of pfm_blocks blocks; NULL: not tracked */
    int64_t blocks;   /* blocks in chains */
    int64_t links;    /* links from block to block */
    int64_t in_order; /* links to the next block of the file */
};

/* Local. Reads all soundings of a bin by walking its chain: *s has bin->soundings
 * entries until the next call. `walk` may be NULL. Returns 0, or -errno with a
 * sentence: a pointer out of the file or between blocks, a block that is already used,
 * a chain with another end than the bin has. */
int pfm_chain(struct pfm *p, const struct pfm_bin *bin, struct pfm_walk *walk,
              const struct pfm_sounding **s);

void pfm_close(struct pfm **p);

/* Local. Computes the summary of a bin with these soundings; its index, soundings,
 * first and last are not changed. */
void pfm_recompute(const struct pfm_head *h, const struct pfm_sounding *s, int64_t n,
                   struct pfm_bin *bin);

/* ---- places ---------------------------------------------------------------------- */

/* Finds the bins of points, and their offsets in them. */

struct pfm_place {
    int32_t column, row; /* column -1: outside of the grid */
    int32_t x, y;        /* as in a sounding */
};

/* Local. Places n points; the same on every processor. */
void pfm_places(const struct pfm_head *h, const struct geo_point *p, int n,
                struct pfm_place *to);

/* Local. Sets a sounding's bin, x and y; false: it is outside of the grid. */
static inline bool pfm_put_place(const struct pfm_head *h, const struct pfm_place *p,
                                 struct pfm_sounding *s)
{
    s->bin = p->row * h->width + p->column;
    s->x = (uint16_t)p->x;
    s->y = (uint16_t)p->y;
    return p->column >= 0;
}

/* ---- sums of a bin --------------------------------------------------------------- */

/* The summary of a bin's soundings from running sums: of integers, and so exact and
 * independent of order and partition. */

/* All zero: no soundings. Depths as stored. */
struct pfm_sums {
    int64_t n;         /* soundings */
    uint32_t validity; /* or of all of them */
    struct pfm_sums_part {
        int64_t n, sum;
        unsigned __int128 squares;
        uint32_t min, max;
    } good, bad; /* with a depth that counts: not marked invalid, and marked so */
};

/* Local. Adds n soundings; fewer than 2^31 in all. */
void pfm_sums_add(const struct pfm_head *h, struct pfm_sums *sums,
                  const struct pfm_sounding *s, int64_t n);

/* Local. Fills *bin except first and last: count, valid ones, standard deviation (of a
 * sample: n - 1), averages, ranges, validity; the null depth if there are no values
 * for them. */
void pfm_sums_bin(const struct pfm_head *h, const struct pfm_sums *sums,
                  struct pfm_bin *bin);

#endif
