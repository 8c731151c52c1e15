/* Without liburing, whole files are read one after another. */
#include "io/whole_ring.h"
#include <errno.h>

int whole_ring_open(struct whole_ring **ring)
{
    *ring = NULL;
    return -ENOSYS;
}

void whole_ring_close(struct whole_ring **ring)
{
    (void)ring;
}

void whole_ring_add(struct whole_ring *ring, int folder, int how, struct io_whole *w)
{
    (void)ring;
    (void)folder;
    (void)how;
    (void)w;
}

int whole_ring_submit(struct whole_ring *ring)
{
    (void)ring;
    return -ENOSYS;
}

int whole_ring_reap(struct whole_ring *ring, struct whole_done *done, int max,
                    bool wait, double limit_s)
{
    (void)ring;
    (void)done;
    (void)max;
    (void)wait;
    (void)limit_s;
    return -ENOSYS;
}
