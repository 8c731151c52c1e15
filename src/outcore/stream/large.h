/* A large file, of which each lane reads a part in its order, to a sink of its own. The
 * file is looked at as sections, each of which is a "file" to the sink: so sums do not
 * depend on who reads what. */
#ifndef OUTCORE_STREAM_LARGE_H
#define OUTCORE_STREAM_LARGE_H

#include "outcore/data/make.h"
#include "outcore/stream/sink.h"

#define LARGE_SECTION (1 << 20)

struct large {
    struct data_file file;
    struct data_rows rows; /* of one byte each, where it is made */
    uint64_t key;
    int slots;
    int64_t slot_bytes;
    struct sink *sink; /* of each lane */
};

/* Local. What it is made of: so many bytes of a seed. */
void large_prepare(struct large *g, int64_t bytes, uint64_t seed);

/* Local. What a stream takes of a lane's r->buffer, at most. */
int64_t large_memory(int64_t slots, int64_t slot_bytes);

/* Local, on the rank's thread, in a phase, with the file open: all lanes read their
 * parts in the slots that it has; plainly: one at a time. A failure is kept. */
void large_run(struct large *g, struct run *r, bool plainly);

/* Local, on the rank's thread: adds the sums that follow from the seed. */
void large_expect(struct large *g, struct run *r);

#endif
