/* Places the beams of a ping: the same for all readers of input files. */
#ifndef PFMLOAD_INPUT_BEAMS_H
#define PFMLOAD_INPUT_BEAMS_H

#include "hydro/geodesy.h"
#include "hydro/gsf.h"
#include "hydro/gsf_out.h"
#include "run/stream/stream.h"

/* ---- readers --------------------------------------------------------------------- */

/* Reads GSF files through the run: with its engine and cache policy, and each transfer
 * booked. One file at a time, in memory that is allocated once. */

struct reader {
    struct run *run;
    struct io_queue *queue; /* shared by several files; NULL: each has its own */
    bool take_cut;          /* read the complete part of truncated files */
    void *memory;           /* of a stream; NULL: nothing was read yet */
    struct run_file file;
    struct run_stream *stream;
    struct gsf *gsf;
    const uint8_t *piece; /* the last piece read */
    int64_t at, bytes;    /* its place in the file */
    bool failed;          /* reading this file has failed the run */
};

/* Local. Opens a file, as gsf_open, for gsf_next with reader->gsf. A failure is
 * returned and not kept: the caller decides about a bad file. reader_close must be
 * called whatever it returns. */
int reader_open(struct reader *r, const char *path);
void reader_close(struct reader *r); /* Local. Then the next file may be opened. */
void reader_free(struct reader *r);  /* Local. Frees the memory, too. */

/* ---- beams ----------------------------------------------------------------------- */

/* Initialize with `how` and zeros; beams_free ends it. */
struct beams {
    enum geo_how how;
    int room;
    struct geo_point *at;   /* position of every beam */
    struct geo_point *end;  /* positions of beams that beams_place_ends places */
    double *across, *along; /* offsets of these beams */
    int *which;             /* numbers of these beams */
};

/* Local. Fills b->at for a ping that has a position. If its heading is not known, all
 * beams are at the ship (GSF_OUT_HEADING). Returns 0, or -ENOMEM with a sentence. */
int beams_place(struct beams *b, const struct gsf_ping *ping);
void beams_free(struct beams *b);

/* Local. The same for callers that only need the box of all beams that are loaded, and
 * already have `known` of it. Few beams can enlarge that box, and only these are
 * placed. The others get the place of one of them, or of the ship if no beam can be an
 * end of `known`: that does not change the box. */
int beams_place_ends(struct beams *b, const struct gsf_ping *ping,
                     const struct geo_box *known);

#endif
