/* The options of outcore resample. */
#ifndef OUTCORE_RESAMPLE_SETTINGS_H
#define OUTCORE_RESAMPLE_SETTINGS_H

#include "outcore/resample/kernel.h"
#include "run/run.h"

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

#endif
