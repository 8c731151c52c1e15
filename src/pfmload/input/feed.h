/* Makes soundings for a PFM from files: GSF files to be loaded, or another PFM to be
 * appended to. */
#ifndef PFMLOAD_INPUT_FEED_H
#define PFMLOAD_INPUT_FEED_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include "hydro/pfm.h"
#include "hydro/swath.h"
#include <stdint.h>

struct reader; /* pfmload/input/beams.h */

struct feed_options {
    enum geo_how how;
    int64_t line_shift; /* added to a file's number to get its line */
    bool filter;        /* flag soundings that the swath filter cuts */
    struct swath_options swath;
    struct reader *reader; /* reader of GSF files; must outlive the feed */
};

/* Counts so far. Each beam that was read is a sounding that was passed on and is not
 * `old`, or has one reason in `out` (feed_balance). */
struct feed_counts {
    int64_t files;
    int64_t cut_bytes;     /* at the ends of truncated files */
    int64_t pings;         /* all pings, and of these: */
    int64_t pings_single;  /* of single-beam echo sounders */
    int64_t beams;         /* in all pings */
    int64_t out[GSF_OUTS]; /* left out, by reason */
    int64_t soundings;     /* passed on, and of these: */
    int64_t old;           /* from a PFM */
    int64_t manual;        /* invalid by hand */
    int64_t filtered;      /* invalid by a filter, and of these: */
    int64_t cut;           /* cut now, by the swath filter */
};

/* Receives `n` > 0 soundings, all of one ping or of one bin; they are valid during the
 * call only. Returns 0, or -errno with a sentence, which ends the feeding. */
typedef int feed_sink(void *context, const struct pfm_sounding *s, int64_t n);

struct feed;

/* Local. Prepares to feed a PFM with the head *h, which must live as long as *f;
 * feed_close frees that. Returns 0, or -errno with a sentence: no memory, or invalid
 * filter options. A feed that failed cannot be used again. */
int feed_open(struct feed **f, const struct pfm_head *h, const struct feed_options *o);

/* Local. Feeds all soundings of the GSF file `path`, as those of file `number` (from
 * 0), ping by ping. Beams, and the validity of their soundings:
 *   ping to be ignored, or at no known position       not loaded
 *   beam flags exactly 0x01 (no detection), depth 0   not loaded
 *   several beams without across-track distances not loaded
 *   beam flags 0x09                                   PFM_FILTER_INVAL
 *   all others with the bit "ignore", 0x05 first      PFM_MANUALLY_INVAL
 *   those of the rest that the swath filter cuts      PFM_FILTER_INVAL, PFM_MODIFIED
 *   others                                            0: valid
 * If the heading is not known, only a beam right below the ship has a position. Returns
 * 0, the sink's return value, or -errno with a sentence: the file cannot be read, or a
 * number does not fit into its bits in this PFM. */
int feed_file(struct feed *f, int64_t number, const char *path, feed_sink *sink,
              void *context);

/* Local. Feeds all soundings of the rows row0 <= row < row1 of the PFM `p`, bin by bin,
 * unchanged; its grid must be that of the head given to feed_open, and its numbers must
 * fit into the bits of that. Returns as feed_file. */
int feed_pfm(struct feed *f, struct pfm *p, int64_t row0, int64_t row1, feed_sink *sink,
             void *context);

const struct feed_counts *feed_counts(const struct feed *f); /* Local. */

/* Local. Checks that each beam has become a sounding or has a reason. Returns 0, or
 * -EIO with a sentence: beams were lost, or counted twice. */
int feed_balance(const struct feed *f);

void feed_close(struct feed **f); /* Local. Sets *f to NULL; it may be NULL before. */

/* Local. A fingerprint of n soundings. It is a sum (mod 2^64) over them, so it does not
 * depend on their order, and it practically differs if any of them does, except in its
 * line and in the bits of its validity that a filter changes. */
uint64_t feed_hash(const struct pfm_sounding *s, int64_t n);

#endif
