/* Sends edges or vertices to the ranks that own them: rank v mod P has vertex v. It
 * works in rounds, each of which brings a rank no more than it has room for. */
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "outcore/graph/search.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The room in items: counts in a message must be below 2^31. */
static int64_t room_of(const struct run *r, int64_t room)
{
    int64_t ranks = r->world.size;
    room = room < INT32_MAX ? room : INT32_MAX;
    return room / ranks > 0 ? room / ranks * ranks : ranks;
}

int64_t deal_memory(const struct run *r, int words, int64_t room)
{
    if (r->world.size == 1)
        return 0;
    return 2 * room_of(r, room) * 8 * words + 16 * (int64_t)r->world.size;
}

int deal_open(struct deal *d, struct run *r, int words, int64_t room)
{
    void *memory = NULL;
    *d = (struct deal){.r = r, .words = words, .room = room_of(r, room)};
    MPI_Type_contiguous(words, MPI_UINT64_T, &d->item);
    MPI_Type_commit(&d->item);
    if (r->world.size == 1)
        return 0;
    int rc = buf_alloc(&memory, deal_memory(r, words, room), "what ranks exchange");
    d->out = memory;
    d->send = calloc(4 * (size_t)r->world.size, sizeof *d->send);
    if (!rc && !d->send)
        rc = err_set(-ENOMEM, NULL, -1, "no memory for an exchange of %d rank%s",
                     r->world.size, units_s(r->world.size));
    if (rc)
        return rc;
    d->in = d->out + d->room * words;
    d->send_at = d->send + r->world.size;
    d->got = d->send_at + r->world.size;
    d->got_at = d->got + r->world.size;
    return 0;
}

void deal_close(struct deal *d)
{
    if (d->words)
        MPI_Type_free(&d->item);
    buf_free(d->out);
    free(d->send);
    *d = (struct deal){.words = 0};
}

int64_t deal_most(const struct deal *d)
{
    return d->room / d->r->world.size;
}

static int owner_of(const struct deal *d, uint64_t vertex)
{
    return (int)(vertex % (uint64_t)d->r->world.size);
}

/* Sorts items by owners, keeping their order otherwise. */
static void sort_out(struct deal *d, const uint64_t *item, int64_t n)
{
    int ranks = d->r->world.size, at = 0;
    memset(d->send, 0, (size_t)ranks * sizeof *d->send);
    for (int64_t i = 0; i < n; i++)
        d->send[owner_of(d, item[i * d->words])]++;
    for (int k = 0; k < ranks; k++) {
        d->send_at[k] = at;
        at += d->send[k];
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t to = d->send_at[owner_of(d, item[i * d->words])]++;
        memcpy(d->out + to * d->words, item + i * d->words, (size_t)d->words * 8);
    }
    for (int k = 0; k < ranks; k++)
        d->send_at[k] -= d->send[k];
}

int64_t deal_round(struct deal *d, const uint64_t *item, int64_t n,
                   const uint64_t **came)
{
    struct run *r = d->r;
    int64_t all = 0;
    if (r->world.size == 1) {
        *came = item;
        return n;
    }
    sort_out(d, item, n);
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoall(d->send, 1, MPI_INT, d->got, 1, MPI_INT, r->world.comm);
    for (int k = 0; k < r->world.size; k++) {
        d->got_at[k] = (int)all;
        all += d->got[k];
    }
    MPI_Alltoallv(d->out, d->send, d->send_at, d->item, d->in, d->got, d->got_at,
                  d->item, r->world.comm);
    phase_act(r->phase, before);
    *came = d->in;
    return all;
}

bool deal_any(const struct deal *d, bool mine)
{
    int any = mine;
    enum act before = phase_act(d->r->phase, ACT_COMMUNICATE);
    if (d->r->world.size > 1)
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, d->r->world.comm);
    phase_act(d->r->phase, before);
    return any;
}
