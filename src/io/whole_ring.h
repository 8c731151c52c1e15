/* Internals of io/whole.c: reads of whole files as chains of open, read and close in an
 * io_uring, with the ring's own descriptors. */
#ifndef IO_WHOLE_RING_H
#define IO_WHOLE_RING_H

#include "io/whole.h"

struct whole_ring;

/* Local. Opens and tests a ring for IO_WHOLE_DEPTH files. -errno without a sentence:
 * there is none here. */
int whole_ring_open(struct whole_ring **ring);
void whole_ring_close(struct whole_ring **ring);

/* Local. Adds the read of file w, in the directory with descriptor `folder`, opened
 * with `how`; there must be room. */
void whole_ring_add(struct whole_ring *ring, int folder, int how, struct io_whole *w);

/* Local. Submits the added reads. Returns 0 or -errno. */
int whole_ring_submit(struct whole_ring *ring);

/* A finished read: the results of its three steps, each -errno or bytes. */
struct whole_done {
    struct io_whole *whole;
    int opened, read, closed;
};

/* Local. Takes up to max finished reads; waits for one if `wait`, for at most limit_s
 * (0: no limit). Returns their number, or -errno. */
int whole_ring_reap(struct whole_ring *ring, struct whole_done *done, int max,
                    bool wait, double limit_s);

#endif
