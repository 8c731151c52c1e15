/* A large file whose parts the lanes read in order, one part per lane, each into its
 * own sink. The file is divided into sections, each of which is a "file" to the sink:
 * so the sums do not depend on how parts are assigned to lanes. */
#ifndef OUTCORE_STREAM_LARGE_H
#define OUTCORE_STREAM_LARGE_H

#include "outcore/data/make.h"
#include "outcore/stream/sink.h"

#define LARGE_SECTION (1 << 20)

struct large {
    struct data_file file;
    struct data_rows rows; /* of one byte each, if it is generated */
    uint64_t key;
    int slots;
    int64_t slot_bytes;
    struct sink *sink; /* one per lane */
};

/* Local. Sets the contents: `bytes` bytes that follow from the seed. */
void large_prepare(struct large *g, int64_t bytes, uint64_t seed);

/* Local. Returns the most bytes of a lane's r->buffer that a stream needs. */
int64_t large_memory(int64_t slots, int64_t slot_bytes);

/* Local, on the rank's thread, in a phase, with the file open: all lanes read their
 * parts through g->slots slots; plainly: through one. A failure is kept. */
void large_run(struct large *g, struct run *r, bool plainly);

/* Local, on the rank's thread: adds the sums that follow from the seed. */
void large_expect(struct large *g, struct run *r);

#endif
