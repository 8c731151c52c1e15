/* A resampling on this rank, and the methods of moving bytes between files and memory:
 * one file each, with a table entry. After the study of storage-intensive computing
 * (2007, section 5.2.2). */
#ifndef OUTCORE_RESAMPLE_JOB_H
#define OUTCORE_RESAMPLE_JOB_H

#include "outcore/data/make.h"
#include "outcore/data/output.h"
#include "outcore/resample/kernel.h"

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

#endif
