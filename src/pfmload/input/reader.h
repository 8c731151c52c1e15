/* Reads GSF files by way of the run: its engine, its cache policy, each transfer
 * booked. One file at a time, in memory that is allocated once. */
#ifndef PFMLOAD_INPUT_READER_H
#define PFMLOAD_INPUT_READER_H

#include "hydro/gsf.h"
#include "run/stream.h"

struct reader {
    struct run *run;
    struct io_queue *queue; /* of several files; NULL: each has its own */
    bool take_cut;          /* of files that are cut short, what is complete */
    void *memory;           /* of a stream; NULL: none was read yet */
    struct run_file file;
    struct run_stream *stream;
    struct gsf *gsf;
    const uint8_t *piece; /* that was read last */
    int64_t at, bytes;    /* of it in the file */
    bool failed;          /* the run has, by reading this file */
};

/* Local. Opens a file, as gsf_open, for gsf_next with reader->gsf. A failure is
 * returned and not kept: what becomes of a bad file is the caller's to say.
 * reader_close is due whatever it returns. */
int reader_open(struct reader *r, const char *path);
void reader_close(struct reader *r); /* Local. The next file may be opened. */
void reader_free(struct reader *r);  /* Local. Frees the memory, too. */

#endif
