/* The phases of a repetition of outcore resample, and their figures. */
#ifndef OUTCORE_RESAMPLE_PHASES_H
#define OUTCORE_RESAMPLE_PHASES_H

#include "outcore/resample/job.h"
#include "outcore/resample/kernel.h"
#include "run/run.h"

/* ---- the check ------------------------------------------------------------------- */

/* Most pixels of a band that are all checked, and the number checked in a
 * larger one. */
enum { VERIFY_ALL = 1 << 14, VERIFY_POINTS = 256 };

/* The error allowed, as a share of the largest value of a pixel. */
#define VERIFY_TOLERANCE 1e-6

/* Local. The bytes of memory that it takes. */
int64_t verify_memory(const struct job *j);

/* Local, in a phase, once the output is complete and closed. A wrong pixel is a failure
 * of the run, with a sentence that names it. Returns the bytes that it has requested;
 * *pixels: number checked. */
int64_t verify_band(struct job *j, int64_t *pixels);

/* ---- phases ---------------------------------------------------------------------- */

/* ---- settings -------------------------------------------------------------------- */

/* The options of outcore resample. */

struct settings {
    struct run_options run;
    const char *image, *input, *bits, *scale, *taps, *shift, *out_bits, *edge, *kernel;
    const char *io, *halo;
    int64_t width, height, tile, memory;
    bool normalize, no_read, row_pad, overlap;
};

/* Local. Sets the kernel's options, without the images and their sizes. Returns 0, or
 * -EINVAL with a sentence. */
int settings_kernel(const struct settings *s, struct resample_how *how);

/* ---- phases ---------------------------------------------------------------------- */

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
