/* Inside of io/whole.c: reads of whole files as chains of open, read and close in an
 * io_uring, with descriptors that are the ring's own. */
#ifndef IO_WHOLE_RING_H
#define IO_WHOLE_RING_H

#include "io/whole.h"

struct whole_ring;

/* Local. A ring for IO_WHOLE_DEPTH files, tried out. -errno without a sentence: there
 * is none here. */
int whole_ring_open(struct whole_ring **ring);
void whole_ring_close(struct whole_ring **ring);

/* Local. Begins to read the file w of the folder with that descriptor, opened with
 * `how`; there is room for it. */
void whole_ring_add(struct whole_ring *ring, int folder, int how, struct io_whole *w);

/* Local. The kernel takes what was added. 0 or -errno. */
int whole_ring_submit(struct whole_ring *ring);

/* One that is done: the results of its three steps, -errno each, or bytes. */
struct whole_done {
    struct io_whole *whole;
    int opened, read, closed;
};

/* Local. Takes up to max that are done; waits for one if `wait`, limit_s at most (0: no
 * limit). How many, or -errno. */
int whole_ring_reap(struct whole_ring *ring, struct whole_done *done, int max,
                    bool wait, double limit_s);

#endif
