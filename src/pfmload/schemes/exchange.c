#include "pfmload/schemes/exchange.h"
#include "base/mem.h"
#include "world/world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Soundings of a buffer: at least ROOM_MIN, and for many ranks some for each
 * of them. */
enum { ROOM_MIN = 65536, ROOM_PER_RANK = 256 };

struct exchange {
    MPI_Comm comm;
    struct phase *phase;
    int ranks;
    int64_t room, fill;
    exchange_take *take;
    void *context;
    struct pfm_sounding *added, *out, *in; /* `room` soundings each */
    int *to;                               /* destination of each sounding in `added` */
    int64_t *count, *start, *sent;         /* for each rank, in `out` */
    int *send_n, *send_at, *recv_n, *recv_at;
    MPI_Datatype sounding;
    int failed;
};

static int64_t room_for(int ranks)
{
    int64_t n = (int64_t)ranks * ROOM_PER_RANK;
    return n > ROOM_MIN ? n : ROOM_MIN;
}

int64_t exchange_bytes(int ranks)
{
    return room_for(ranks) * (int64_t)(3 * sizeof(struct pfm_sounding) + sizeof(int)) +
           ranks * (int64_t)(3 * sizeof(int64_t) + 4 * sizeof(int));
}

int exchange_open(struct exchange **out, MPI_Comm comm, struct phase *phase,
                  exchange_take *take, void *context)
{
    struct exchange *x = mem_new(1, sizeof *x, "exchanging soundings");
    *out = x;
    if (!x)
        return -ENOMEM;
    MPI_Comm_size(comm, &x->ranks);
    x->comm = comm;
    x->phase = phase;
    x->take = take;
    x->context = context;
    x->room = room_for(x->ranks);
    x->added = mem_new(x->room * 3, sizeof *x->added, "exchanging soundings");
    x->to = mem_new(x->room, sizeof *x->to, "exchanging soundings");
    x->count = mem_new(x->ranks * 3, sizeof *x->count, "exchanging soundings");
    x->send_n = mem_new(x->ranks * 4, sizeof *x->send_n, "exchanging soundings");
    if (!x->added || !x->to || !x->count || !x->send_n)
        return -ENOMEM;
    x->out = x->added + x->room;
    x->in = x->out + x->room;
    x->start = x->count + x->ranks;
    x->sent = x->start + x->ranks;
    x->send_at = x->send_n + x->ranks;
    x->recv_n = x->send_at + x->ranks;
    x->recv_at = x->recv_n + x->ranks;
    MPI_Type_contiguous(sizeof *x->added, MPI_BYTE, &x->sounding);
    MPI_Type_commit(&x->sounding);
    return 0;
}

void exchange_close(struct exchange **x)
{
    if (*x) {
        if ((*x)->ranks && (*x)->out)
            MPI_Type_free(&(*x)->sounding);
        free((*x)->added);
        free((*x)->to);
        free((*x)->count);
        free((*x)->send_n);
    }
    free(*x);
    *x = NULL;
}

/* ---- one round ------------------------------------------------------------------ */

/* Sorts the added soundings by the ranks they go to. */
static void sort_by_rank(struct exchange *x)
{
    int64_t at = 0;
    memset(x->count, 0, (size_t)x->ranks * sizeof *x->count);
    for (int64_t i = 0; i < x->fill; i++)
        x->count[x->to[i]]++;
    for (int r = 0; r < x->ranks; r++) {
        x->start[r] = x->sent[r] = at;
        at += x->count[r];
    }
    for (int64_t i = 0; i < x->fill; i++)
        x->out[x->sent[x->to[i]]++] = x->added[i];
    memset(x->sent, 0, (size_t)x->ranks * sizeof *x->sent);
}

/* Sends a part of the soundings: so many to each rank that those which arrive fit in
 * the buffer. */
static int exchange_part(struct exchange *x)
{
    int64_t most = x->room / x->ranks, arrived = 0;
    for (int r = 0; r < x->ranks; r++) {
        int64_t left = x->count[r] - x->sent[r];
        x->send_n[r] = (int)(left < most ? left : most);
        x->send_at[r] = (int)(x->start[r] + x->sent[r]);
        x->sent[r] += x->send_n[r];
    }
    MPI_Alltoall(x->send_n, 1, MPI_INT, x->recv_n, 1, MPI_INT, x->comm);
    for (int r = 0; r < x->ranks; r++) {
        x->recv_at[r] = (int)arrived;
        arrived += x->recv_n[r];
    }
    MPI_Alltoallv(x->out, x->send_n, x->send_at, x->sounding, x->in, x->recv_n,
                  x->recv_at, x->sounding, x->comm);
    enum act before = phase_act(x->phase, ACT_COMPUTE);
    int rc = arrived && !x->failed ? x->take(x->context, x->in, arrived) : 0;
    phase_act(x->phase, before);
    return rc;
}

struct state {
    int64_t parts; /* rounds that a rank needs to send all its soundings */
    int64_t adds;  /* a rank has more to add */
    int64_t failed;
};

/* **Collective.** Agrees on the maximum of all ranks' states. */
static struct state exchange_agree(struct exchange *x, bool adds, bool failed)
{
    struct state s = {.adds = adds, .failed = failed || x->failed};
    int64_t most = x->room / x->ranks;
    for (int r = 0; r < x->ranks; r++) {
        int64_t parts = (x->count[r] + most - 1) / most;
        s.parts = parts > s.parts ? parts : s.parts;
    }
    enum act before = phase_act(x->phase, ACT_IDLE);
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &s, 3, MPI_INT64_T, MPI_MAX, x->comm, &request);
    world_wait(&request, MPI_STATUS_IGNORE);
    phase_act(x->phase, before);
    return s;
}

static struct state exchange_all(struct exchange *x, bool adds, bool failed)
{
    sort_by_rank(x);
    struct state s = exchange_agree(x, adds, failed);
    enum act before = phase_act(x->phase, ACT_COMMUNICATE);
    for (int64_t i = 0; i < s.parts; i++) {
        int rc = exchange_part(x);
        x->failed = x->failed ? x->failed : rc;
    }
    phase_act(x->phase, before);
    x->fill = 0;
    return s;
}

int exchange_add(struct exchange *x, const struct pfm_sounding *s, int64_t n, int to)
{
    struct state state = {0};
    while (n > 0 && !x->failed && !state.failed) {
        int64_t room = x->room - x->fill, some = n < room ? n : room;
        memcpy(x->added + x->fill, s, (size_t)some * sizeof *s);
        for (int64_t i = 0; i < some; i++)
            x->to[x->fill + i] = to;
        x->fill += some;
        s += some;
        n -= some;
        if (x->fill == x->room)
            state = exchange_all(x, true, false);
    }
    return x->failed ? x->failed : state.failed ? -ECANCELED : 0;
}

int exchange_end(struct exchange *x, bool failed)
{
    struct state s;
    do
        s = exchange_all(x, false, failed);
    while (s.adds);
    /* A failure in the last round is not known to all yet: the ranks that write agree
     * on it. */
    return x->failed ? x->failed : s.failed ? -ECANCELED : 0;
}
