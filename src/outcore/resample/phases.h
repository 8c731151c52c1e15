/* The phases of a repetition of outcore resample, and their figures. */
#ifndef OUTCORE_RESAMPLE_PHASES_H
#define OUTCORE_RESAMPLE_PHASES_H

#include "outcore/resample/job.h"
#include "outcore/resample/settings.h"
#include "outcore/resample/verify.h"

struct phases {
    struct job job;
    struct image_made made; /* if there is no input */
    struct data_rows rows;  /* its bytes */
    int64_t pixels;         /* checked, on all ranks */
    struct resample_counts counts;
};

/* **Collective**, in `plan`. Determines the image to be resampled, made or given.
 * Returns the agreed verdict. */
int phases_input(struct phases *p, struct run *r, const struct settings *s);

/* Local. The transfers that phase resample must make, of all ranks. */
struct bands_count phases_expect(const struct phases *p, const struct run *r);

/* **Collective.** Makes a repetition. Returns the agreed verdict. */
int phases_run(struct phases *p, struct run *r, const struct settings *s);

/* Local. Reports the results of the last one. */
void phases_results(const struct phases *p, struct run *r);

#endif
