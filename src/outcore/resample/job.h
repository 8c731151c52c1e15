/* A resampling on this rank, and the methods of moving bytes between files and memory:
 * one file each, with a table entry. After the study of storage-intensive computing
 * (2007, section 5.2.2). */
#ifndef OUTCORE_RESAMPLE_JOB_H
#define OUTCORE_RESAMPLE_JOB_H

#include "outcore/data/image.h"
#include "outcore/data/make.h"
#include "outcore/data/output.h"
#include "outcore/resample/kernel.h"
#include "run/run.h"

/* ---- the job --------------------------------------------------------------------- */

/* The value of every pixel of an input that is not read (--no-read); any would do. */
enum { JOB_PIXEL = 40 };

struct job {
    struct run *run;
    const struct method *method;
    struct bands bands;
    struct weights_span band; /* this rank's output rows */
    int64_t out_first; /* first output row in the file: with UNIQUE, that of the band */
    struct data_file input;
    struct output output;
    char *in, *out; /* method->memory bytes, and memory for the kernel */
    void *room;
    int64_t in_slot, out_slot; /* bytes of each slot */
    int slots;
    bool idle;          /* transfers only, without computing (--overlap) */
    int64_t compute_ns; /* processor time in tiles */
    struct resample_counts counts;
};

struct method {
    const char *name, *about;
    const char *engine; /* NULL: that of --iomethod */
    bool by_tiles, whole, slots_double;
    /* Local, in a phase, with both files open: processes this rank's band. */
    void (*run)(struct job *j);
};

extern const struct method method_basic, method_block, method_mmap, method_strip;

/* Local. The method of that name. */
const struct method *job_method(const char *name);

/* Local, once bands and method are set: computes the sizes of the slots. Returns the
 * bytes that the rank allocates, or -1 if they exceed 2^63 - 1. */
int64_t job_memory(struct job *j, int64_t parts, bool async);

/* Local. Allocate and free them. Returns 0, or -ENOMEM with a sentence. */
int job_open(struct job *j);
void job_close(struct job *j);

/* Local, in a phase. Computes all tiles of output rows Y, with input rows from y on and
 * these output rows in memory as in the files. */
void job_compute_strip(struct job *j, struct weights_span Y, int64_t y, const char *in,
                       char *out);

/* Local. The offset of a row in the output's file. */
int64_t job_out_at(const struct job *j, int64_t Y);

/* Most requests of tiles in flight. */
enum { TILES_DEPTH = 64 };

/* ---- images ---------------------------------------------------------------------- */

/* Heads of the images of outcore resample: the input's before the run, the output's at
 * its end. */

/* ---- FITS ------------------------------------------------------------------------ */

/* The first bytes of a FITS file. */
#define FITS_MAGIC "SIMPLE  ="

/* Local. Finds the first image in a file of file_bytes: of two axes, or more with one
 * plane. Returns 0, or -errno with a sentence: -EINVAL: a wrong head, no image, a
 * compressed one, more bytes than the file has; -ENOTSUP: built without CFITSIO. */
int fits_parse(struct image *m, int64_t file_bytes, const char *path);

/* ---- heads ----------------------------------------------------------------------- */

/* Local, before the first phase, once the input's size is known: reads its first bytes.
 * Returns 0, or -errno with a sentence, as image_parse and fits_parse. */
int heads_read(struct job *j, const char *path);

/* Local, in a phase, with the output open. Writes its head, and the zeros at the end of
 * a FITS image; for a shared one on rank 0. */
void heads_write(struct job *j);

/* Local. The bytes that all ranks write so. */
int64_t heads_expect(const struct job *j);

/* ---- a repetition ---------------------------------------------------------------- */

/* The phases of a repetition of outcore resample, and their figures. */

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
