/* Soundings into the order of a PFM, however many there are: an external sort by
 * (bin, file, ping, beam) in memory of a given size. */
#ifndef PFMLOAD_STORE_SORTER_H
#define PFMLOAD_STORE_SORTER_H

#include <stdint.h>

#define SORTER_MEMORY_MIN 65536 /* bytes */

struct pfm_sounding; /* hydro/pfm.h */
struct spill_io;     /* pfmload/store/spill.h */
struct sorter;

struct sorter_counts {
    int64_t soundings;     /* added */
    int64_t runs;          /* sorted runs written while soundings came; 0: all fitted */
    int64_t passes;        /* times that all runs were merged into fewer, longer ones */
    int64_t spilled_bytes; /* written, by such passes too */
    int64_t memory_bytes;  /* all that is allocated, from open to close */
};

/* Local. Allocates `memory_bytes`, all that the sorter ever does. Runs that do not fit
 * go to files whose paths begin with `scratch`, which no other process may use; they
 * are made when first needed and have no name from then on, so that nothing is left
 * however the process ends. They are written and read as *io says, which is copied; a
 * failure of that is kept in its run, too. Returns 0, or -errno with a sentence:
 * -EINVAL for less than SORTER_MEMORY_MIN or a path that is too long, -ENOMEM. */
int sorter_open(struct sorter **s, int64_t memory_bytes, const char *scratch,
                const struct spill_io *io);

/* Local. Takes copies of `n` soundings, in any order. Returns 0, or -errno with a
 * sentence that names the file (disk full, or broken); then only sorter_close is
 * left. */
int sorter_add(struct sorter *s, const struct pfm_sounding *from, int64_t n);

/* Local. No more are added: sorts and writes what must be, and starts the merge.
 * Errors as of sorter_add. */
int sorter_finish(struct sorter *s);

/* Local. After sorter_finish: *next are the *n soundings of the next bin, ordered by
 * (file, ping, beam), and where these are equal by everything else, so that the result
 * does not depend on the order in which they came. None is dropped. A bin that takes
 * more than about an eighth of the memory may come in pieces, one after another. *n = 0
 * at the end. The soundings are the sorter's, until the next call. Errors as of
 * sorter_add. */
int sorter_next(struct sorter *s, const struct pfm_sounding **next, int64_t *n);

/* Local. What has been done so far; valid until sorter_close. */
const struct sorter_counts *sorter_counts(const struct sorter *s);

/* Local. Frees the memory and the disk space, and sets *s to NULL; NULL is left. */
void sorter_close(struct sorter **s);

#endif
