/* Master, I/O node and slaves of the paper's schemes: handing out items, and sending
 * buffers from slaves to the I/O node. */
#ifndef PFMLOAD_SCHEMES_ROLES_H
#define PFMLOAD_SCHEMES_ROLES_H

#include "pfmload/input/load.h"

enum { ROLES_MESSAGE = 256 << 10 }; /* bytes of a buffer */

/* ---- sending, on a slave -------------------------------------------------------- */

/* Two buffers for one rank: one is filled while the other is in flight. A buffer is
 * sent when its receiver is ready for it (synchronous sends), so that none waits at
 * the receiver. */
struct channel {
    struct load *l;
    int to;
    int64_t fill;
    int now;
    uint8_t *buf[2]; /* ROLES_MESSAGE bytes each */
    MPI_Request request[2];
    int64_t limit, credits; /* CHANNEL_UNLIMITED; or see channel_limit */
};

enum { CHANNEL_UNLIMITED = -1 };

int channel_open(struct channel *c, struct load *l, int to); /* Local. 0 or -ENOMEM. */

/* Local, before anything is sent. Limits the buffers in transit: each takes one of
 * `credits` > 0, and the receiver returns it (roles_give_credit) when it is done with
 * the buffer; with CHANNEL_UNLIMITED none is needed. */
void channel_limit(struct channel *c, int64_t credits);

/* Local. Returns room for n <= ROLES_MESSAGE contiguous bytes, at a multiple of 8 if
 * all earlier n were multiples; may send the present buffer. */
void *channel_take(struct channel *c, int64_t n);

/* Local. Sends the rest, waits for all credits, then sends the end, and waits until it
 * has arrived. */
void channel_end(struct channel *c);
void channel_close(struct channel *c);

/* ---- receiving ------------------------------------------------------------------ */

/* Callbacks of a receiver whose buffers are kept for some time by `take`. */
struct receiver_keep {
    uint8_t *(*room)(void *context); /* another buffer; NULL: none is free now */
    bool (*pause)(void *context);    /* waits briefly for buffers to become free; false:
                                      * none will until more is taken */
    void *context;
};

struct receiver {
    struct load *l;
    const struct receiver_keep *keep; /* NULL: a buffer is free again once taken */
    int64_t senders;                  /* senders that have not ended */
    int posted, now;
    uint8_t *buf[2]; /* ROLES_MESSAGE bytes each; NULL: none to receive into */
    MPI_Request request[2];
    bool told; /* the master knows of a failure */
};

/* Takes one buffer; Local. */
typedef void roles_take(void *context, const uint8_t *buf, int64_t n, int from);

int receiver_open(struct receiver *v, struct load *l); /* Local. 0 or -ENOMEM. */

/* Local. In place of receiver_open and receiver_close: `take` keeps every buffer, even
 * after a failure, until `room` returns it. */
void receiver_start(struct receiver *v, struct load *l,
                    const struct receiver_keep *keep);

/* Local. Allows `slave` one more buffer. */
void roles_give_credit(struct load *l, int slave);

/* Local. Receives buffers until `senders` ranks have ended, and passes them to `take`;
 * after a failure they are dropped, as senders wait for their receipt. The I/O node
 * reports a failure to the master, who then hands out no more items. */
void receiver_run(struct receiver *v, int64_t senders, roles_take *take, void *context);
void receiver_close(struct receiver *v);

/* ---- master and slaves ---------------------------------------------------------- */

/* The end of a slave when there are no more items (schemes E and F): the first one to
 * finish groups the leftovers of all. */
struct roles_end {
    bool groups;    /* this slave groups */
    int group;      /* rank of the slave that groups */
    int64_t slaves; /* other slaves, which will send their leftovers to it */
};

typedef void roles_part(struct load *l);

/* **Collective**, as load_ready is called first, by `io_node` and `slave` themselves.
 * Plays each rank's part: the master answers slaves until each knows that there are no
 * more items. */
void roles_play(struct load *l, roles_part *io_node, roles_part *slave);

/* Local. Plays a slave's part: asks for items and feeds them to `sink` until there are
 * none. After a failure it tells the master, and items end for all. */
struct roles_end roles_slave(struct load *l, feed_sink *sink, void *context);

static inline int roles_slaves(const struct load *l)
{
    return l->r->world.size - LOAD_SLAVES;
}

#endif
