/* Soundings, ready for a PFM, out of files: GSF files that are to be loaded, or another
 * PFM that is to be added to. */
#ifndef PFMLOAD_INPUT_FEED_H
#define PFMLOAD_INPUT_FEED_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include "hydro/pfm.h"
#include "hydro/swath.h"
#include <stdint.h>

struct reader; /* pfmload/input/reader.h */

struct feed_options {
    enum geo_how how;
    int64_t line_shift; /* the line of a file is its number and this */
    bool filter;        /* flag what the swath filter cuts */
    struct swath_options swath;
    struct reader *reader; /* of GSF files; it lives as long */
};

/* Of all that was fed so far. Each beam that was read is a sounding that was handed
 * over and is not `old`, or has one reason in `out` (feed_balance). */
struct feed_counts {
    int64_t files;
    int64_t cut_bytes;     /* at the ends of files that are cut short */
    int64_t pings;         /* all of them, and of these: */
    int64_t pings_single;  /* of single-beam echo sounders */
    int64_t beams;         /* of all pings */
    int64_t out[GSF_OUTS]; /* left out, by reason */
    int64_t soundings;     /* handed over, and of these: */
    int64_t old;           /* of a PFM */
    int64_t manual;        /* invalid by hand */
    int64_t filtered;      /* invalid by a filter, and of these: */
    int64_t cut;           /* now, by the swath filter */
};

/* Takes `n` > 0 soundings, all of one ping or of one bin; they are valid during the
 * call only. Returns 0, or -errno with a sentence, which ends the feeding. */
typedef int feed_sink(void *context, const struct pfm_sounding *s, int64_t n);

struct feed;

/* Local. Prepares to feed a PFM with the head *h, which must live as long as *f;
 * feed_close frees that. Returns 0 or -errno with a sentence: no memory, or a filter
 * that cannot be. A feed that failed is of no more use. */
int feed_open(struct feed **f, const struct pfm_head *h, const struct feed_options *o);

/* Local. All soundings of the GSF file `path`, as those of file `number` (from 0), ping
 * by ping. What is loaded, and with which validity:
 *   ping to be ignored, or at no known position       nothing
 *   beam flags exactly 0x01 (no detection), depth 0   nothing
 *   several beams without across-track distances      nothing
 *   beam flags 0x09                                   PFM_FILTER_INVAL
 *   all others with the bit "ignore", 0x05 first      PFM_MANUALLY_INVAL
 *   what the swath filter cuts of the rest            PFM_FILTER_INVAL, PFM_MODIFIED
 *   and else                                          0: valid
 * Where the heading is not known, only a beam right under the ship has a position.
 * Returns 0, what the sink returned, or -errno with a sentence: the file cannot be
 * read, or a number does not fit into its bits in this PFM. */
int feed_file(struct feed *f, int64_t number, const char *path, feed_sink *sink,
              void *context);

/* Local. All soundings of the rows row0 <= row < row1 of the PFM `p`, bin by bin, as
 * they are; its grid must be that of the head given to feed_open, and its numbers fit
 * into the bits of that. Returns as feed_file. */
int feed_pfm(struct feed *f, struct pfm *p, int64_t row0, int64_t row1, feed_sink *sink,
             void *context);

const struct feed_counts *feed_counts(const struct feed *f); /* Local. */

/* Local. Whether each beam has become a sounding or has a reason. Returns 0, or -EIO
 * with a sentence: beams were lost, or counted twice. */
int feed_balance(const struct feed *f);

void feed_close(struct feed **f); /* Local. *f becomes NULL; NULL is fine. */

/* Local. A fingerprint of n soundings. It is a sum (mod 2^64) over them, so it does not
 * depend on their order, and it practically differs where any of them does, in anything
 * but its line and what a filter changes of its validity. */
uint64_t feed_hash(const struct pfm_sounding *s, int64_t n);

#endif
