/* Master, I/O node and slaves of the paper's schemes: who hands out what, and how
 * buffers get from slaves to the I/O node. */
#ifndef PFMLOAD_SCHEMES_ROLES_H
#define PFMLOAD_SCHEMES_ROLES_H

#include "pfmload/input/load.h"

enum { ROLES_MESSAGE = 256 << 10 }; /* bytes of a buffer */

/* ---- sending, on a slave -------------------------------------------------------- */

/* Two buffers to one rank, one being filled while the other is under way. A buffer goes
 * when its receiver is ready for it (synchronous sends), so that none waits at the
 * receiver. */
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

/* Local. Before anything is sent: each buffer takes one of `credits` > 0, and the
 * receiver gives it back (roles_give_credit) once it is done with the buffer; with
 * CHANNEL_UNLIMITED none is needed. */
void channel_limit(struct channel *c, int64_t credits);

/* Local. Room for n <= ROLES_MESSAGE contiguous bytes, at a multiple of 8 if all that
 * was taken before were such; may send what is there. */
void *channel_take(struct channel *c, int64_t n);

/* Local. Sends what is left, waits for all credits, then sends that there is no more,
 * and waits until it has arrived. */
void channel_end(struct channel *c);
void channel_close(struct channel *c);

/* ---- receiving ------------------------------------------------------------------ */

/* Of a receiver whose buffers are kept by who takes them, for a while. */
struct receiver_keep {
    uint8_t *(*room)(void *context); /* another buffer; NULL: there is none now */
    bool (*pause)(void *context);    /* waits a moment for what frees buffers; false:
                                         nothing will until more is taken */
    void *context;
};

struct receiver {
    struct load *l;
    const struct receiver_keep *keep; /* NULL: buffers are free again once taken */
    int64_t senders;                  /* that have not ended */
    int posted, now;
    uint8_t *buf[2]; /* ROLES_MESSAGE bytes each; NULL: none to receive into */
    MPI_Request request[2];
    bool told; /* the master, of a failure */
};

/* Takes one buffer; local. */
typedef void roles_take(void *context, const uint8_t *buf, int64_t n, int from);

int receiver_open(struct receiver *v, struct load *l); /* Local. 0 or -ENOMEM. */

/* Local. In place of receiver_open and receiver_close: `take` keeps every buffer, after
 * a failure too, until `room` hands it out again. */
void receiver_start(struct receiver *v, struct load *l,
                    const struct receiver_keep *keep);

/* Local. `slave` may send one more buffer. */
void roles_give_credit(struct load *l, int slave);

/* Local. Receives buffers until `senders` ranks have ended, and gives them to `take`;
 * after a failure they are dropped, as somebody waits to be rid of them. A failure of
 * the I/O node is told to the master, who then hands out no more. */
void receiver_run(struct receiver *v, int64_t senders, roles_take *take, void *context);
void receiver_close(struct receiver *v);

/* ---- master and slaves ---------------------------------------------------------- */

/* What a slave does when there are no more items (schemes E and F): the first one to
 * finish groups what the others have left over. */
struct roles_end {
    bool groups;    /* this slave does */
    int group;      /* rank that does */
    int64_t slaves; /* that will send it their leftovers, itself not counted */
};

typedef void roles_part(struct load *l);

/* **Collective**, as load_ready is called first, which `io_node` and `slave` do
 * themselves. Each rank's part: the master answers slaves until each has been told that
 * there is no more. */
void roles_play(struct load *l, roles_part *io_node, roles_part *slave);

/* Local. A slave's part: asks for items and feeds them to `sink` until there are none.
 * After a failure the master is told, and items end for all. */
struct roles_end roles_slave(struct load *l, feed_sink *sink, void *context);

static inline int roles_slaves(const struct load *l)
{
    return l->r->world.size - LOAD_SLAVES;
}

#endif
