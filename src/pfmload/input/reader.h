/* Reads GSF files through the run: with its engine and cache policy, and each transfer
 * booked. One file at a time, in memory that is allocated once. */
#ifndef PFMLOAD_INPUT_READER_H
#define PFMLOAD_INPUT_READER_H

#include "hydro/gsf.h"
#include "run/stream.h"

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

#endif
