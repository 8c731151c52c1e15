#include "pfmload/schemes/roles.h"
#include "base/buf.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

enum tag {
    TAG_DATA = 1, /* slave to receiver: a buffer */
    TAG_END,      /* slave to receiver: no more buffers */
    TAG_ASK,      /* slave to master: another item? struct ask */
    TAG_ANSWER,   /* master to slave: struct answer */
    TAG_COUNT,    /* slave to master: number of further soundings */
    TAG_CREDIT,   /* receiver to slave: it may send one more buffer */
    TAG_FAILED,   /* I/O node to master: a write failed */
    TAG_DONE      /* I/O node to master: everything is received */
};

struct ask {
    int64_t soundings; /* since the last message */
    int64_t failed;
};

struct answer {
    int64_t item; /* -1: no more items, and: */
    int64_t group, slaves;
};

/* Begins an activity. Time in MPI is communication, or idle if there is nothing
 * to do. */
static enum act roles_begin(struct load *l, enum act a)
{
    return phase_act(l->r->phase, a);
}

static void schemes_roles_end(struct load *l, enum act before)
{
    phase_act(l->r->phase, before);
}

/* ---- sending -------------------------------------------------------------------- */

static int open_buffers(uint8_t *buf[2])
{
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        void *p = NULL;
        rc = buf_alloc(&p, ROLES_MESSAGE, "messages");
        buf[i] = p;
    }
    return rc;
}

int channel_open(struct channel *c, struct load *l, int to)
{
    memset(c, 0, sizeof *c);
    c->l = l;
    c->to = to;
    c->request[0] = c->request[1] = MPI_REQUEST_NULL;
    channel_limit(c, CHANNEL_UNLIMITED);
    return open_buffers(c->buf);
}

void channel_limit(struct channel *c, int64_t credits)
{
    c->limit = c->credits = credits;
}

void channel_close(struct channel *c)
{
    buf_free(c->buf[0]);
    buf_free(c->buf[1]);
}

/* Waits until it holds `n` credits. */
static void wait_for_credits(struct channel *c, int64_t n)
{
    for (; c->credits < n; c->credits++) {
        MPI_Request request;
        MPI_Irecv(NULL, 0, MPI_BYTE, c->to, TAG_CREDIT, c->l->r->world.comm, &request);
        world_wait(&request, MPI_STATUS_IGNORE);
    }
}

static void send_buffer(struct channel *c)
{
    MPI_Comm comm = c->l->r->world.comm;
    enum act before = roles_begin(c->l, ACT_COMMUNICATE);
    if (c->limit != CHANNEL_UNLIMITED) {
        wait_for_credits(c, 1);
        c->credits--;
    }
    MPI_Issend(c->buf[c->now], (int)c->fill, MPI_BYTE, c->to, TAG_DATA, comm,
               &c->request[c->now]);
    c->now = !c->now;
    c->fill = 0;
    world_wait(&c->request[c->now], MPI_STATUS_IGNORE);
    schemes_roles_end(c->l, before);
}

void *channel_take(struct channel *c, int64_t n)
{
    if (c->fill + n > ROLES_MESSAGE)
        send_buffer(c);
    c->fill += n;
    return c->buf[c->now] + c->fill - n;
}

void channel_end(struct channel *c)
{
    if (c->fill)
        send_buffer(c);
    enum act before = roles_begin(c->l, ACT_COMMUNICATE);
    for (int i = 0; i < 2; i++)
        world_wait(&c->request[i], MPI_STATUS_IGNORE);
    wait_for_credits(c, c->limit); /* none must be in transit that nobody awaits */
    MPI_Issend(NULL, 0, MPI_BYTE, c->to, TAG_END, c->l->r->world.comm, &c->request[0]);
    world_wait(&c->request[0], MPI_STATUS_IGNORE);
    schemes_roles_end(c->l, before);
}

/* ---- receiving ------------------------------------------------------------------ */

int receiver_open(struct receiver *v, struct load *l)
{
    memset(v, 0, sizeof *v);
    v->l = l;
    return open_buffers(v->buf);
}

void receiver_start(struct receiver *v, struct load *l,
                    const struct receiver_keep *keep)
{
    memset(v, 0, sizeof *v);
    v->l = l;
    v->keep = keep;
}

/* Gives a slave a credit. The message is empty, and there are no more of them than a
 * slave has credits: no MPI delays it until it is received. */
void roles_give_credit(struct load *l, int slave)
{
    MPI_Send(NULL, 0, MPI_BYTE, slave, TAG_CREDIT, l->r->world.comm);
}

void receiver_close(struct receiver *v)
{
    buf_free(v->buf[0]);
    buf_free(v->buf[1]);
}

/* Posts receives. Every sender sends at least one more message, so they are
 * all used. */
static void post(struct receiver *v)
{
    while (v->posted < 2 && v->posted < v->senders) {
        int i = (v->now + v->posted) % 2;
        if (!v->buf[i])
            v->buf[i] = v->keep->room(v->keep->context);
        if (!v->buf[i])
            break;
        MPI_Irecv(v->buf[i], ROLES_MESSAGE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                  v->l->r->world.comm, &v->request[i]);
        v->posted++;
    }
}

static MPI_Status wait_for(struct receiver *v)
{
    MPI_Status status;
    enum act before = roles_begin(v->l, ACT_IDLE);
    int arrived = 0;
    do {
        post(v);
        if (v->posted && v->keep)
            MPI_Test(&v->request[v->now], &arrived, &status);
    } while (!arrived && v->keep && v->keep->pause(v->keep->context));
    if (!arrived)
        world_wait(&v->request[v->now], &status);
    schemes_roles_end(v->l, before);
    return status;
}

static void tell_failure(struct receiver *v)
{
    struct run *r = v->l->r;
    if (!r->failed || v->told || r->world.rank != LOAD_IO_RANK)
        return;
    MPI_Send(NULL, 0, MPI_BYTE, LOAD_MASTER, TAG_FAILED, r->world.comm);
    v->told = true;
}

static void receive_one(struct receiver *v, roles_take *take, void *context)
{
    MPI_Status status = wait_for(v);
    int n;
    MPI_Get_count(&status, MPI_BYTE, &n);
    if (status.MPI_TAG == TAG_END)
        v->senders--;
    else if (v->keep || !v->l->r->failed) {
        take(context, v->buf[v->now], n, status.MPI_SOURCE);
        v->buf[v->now] = v->keep ? NULL : v->buf[v->now];
    }
    v->now = !v->now;
    v->posted--;
}

void receiver_run(struct receiver *v, int64_t senders, roles_take *take, void *context)
{
    const struct world *w = &v->l->r->world;
    v->senders = senders;
    while (v->senders) {
        receive_one(v, take, context);
        tell_failure(v);
    }
    if (w->rank == LOAD_IO_RANK)
        MPI_Send(NULL, 0, MPI_BYTE, LOAD_MASTER, TAG_DONE, w->comm);
}

/* ---- master and slaves ---------------------------------------------------------- */

struct master {
    struct load *l;
    int64_t next;  /* the next item */
    int slaves;    /* slaves that do not know yet that there are no more items */
    int64_t group; /* rank that groups; 0: none yet */
    bool stop, io_done;
};

static void roles_answer(struct master *m, int slave)
{
    struct answer a = {.item = -1};
    if (m->next < m->l->items && !m->stop)
        a.item = m->next++;
    else {
        m->slaves--;
        m->group = m->group ? m->group : slave;
        a.group = m->group;
        a.slaves = roles_slaves(m->l) - 1;
    }
    MPI_Send(&a, sizeof a, MPI_BYTE, slave, TAG_ANSWER, m->l->r->world.comm);
}

static void master(struct load *l)
{
    struct master m = {.l = l, .slaves = roles_slaves(l)};
    if (!load_ready(l, 0))
        return;
    enum act before = roles_begin(l, ACT_IDLE);
    while (m.slaves || !m.io_done) {
        struct ask ask;
        MPI_Status status;
        MPI_Request request;
        MPI_Irecv(&ask, sizeof ask, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                  l->r->world.comm, &request);
        world_wait(&request, &status);
        m.io_done |= status.MPI_TAG == TAG_DONE;
        m.stop |= status.MPI_TAG == TAG_FAILED;
        if (status.MPI_TAG != TAG_ASK && status.MPI_TAG != TAG_COUNT)
            continue;
        m.stop |= ask.failed;
        load_progress(l, ask.soundings);
        if (status.MPI_TAG == TAG_ASK)
            roles_answer(&m, status.MPI_SOURCE);
    }
    schemes_roles_end(l, before);
}

void roles_play(struct load *l, roles_part *io_node, roles_part *slave)
{
    int rank = l->r->world.rank;
    if (rank == LOAD_IO_RANK)
        io_node(l);
    else if (rank == LOAD_MASTER)
        master(l);
    else
        slave(l);
}

struct slave {
    struct load *l;
    feed_sink *sink;
    void *context;
    struct ask ask;
};

/* Passes soundings on, and reports their number to the master now and then. */
static int roles_count(void *context, const struct pfm_sounding *s, int64_t n)
{
    enum { OFTEN = 1 << 19 };
    struct slave *v = context;
    v->ask.soundings += n;
    if (v->ask.soundings >= OFTEN) {
        MPI_Send(&v->ask, sizeof v->ask, MPI_BYTE, LOAD_MASTER, TAG_COUNT,
                 v->l->r->world.comm);
        v->ask.soundings = 0;
    }
    return v->sink(v->context, s, n);
}

static struct answer ask_master(struct slave *v)
{
    struct answer a;
    MPI_Request request;
    MPI_Comm comm = v->l->r->world.comm;
    enum act before = roles_begin(v->l, ACT_COMMUNICATE);
    v->ask.failed = v->l->r->failed != 0;
    MPI_Irecv(&a, sizeof a, MPI_BYTE, LOAD_MASTER, TAG_ANSWER, comm, &request);
    MPI_Send(&v->ask, sizeof v->ask, MPI_BYTE, LOAD_MASTER, TAG_ASK, comm);
    world_wait(&request, MPI_STATUS_IGNORE);
    v->ask.soundings = 0;
    schemes_roles_end(v->l, before);
    return a;
}

struct roles_end roles_slave(struct load *l, feed_sink *sink, void *context)
{
    struct slave v = {.l = l, .sink = sink, .context = context};
    struct answer a;
    while ((a = ask_master(&v)).item >= 0)
        load_item(l, &l->item[a.item], roles_count, &v);
    return (struct roles_end){.groups = a.group == l->r->world.rank,
                              .group = (int)a.group,
                              .slaves = a.slaves};
}
