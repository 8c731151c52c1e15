#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/sort/sections.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a piece: MPI counts records, so no message has 2^31 of them, nor so
 * many bytes that libraries fail. */
#define ROOM_MOST (1 << 28)

struct exchange {
    struct run *r;
    struct sort_order order;
    struct splitters splitters;
    MPI_Datatype record;
    int64_t records;  /* of the input */
    int64_t capacity; /* records in a room */
    char *in, *out;   /* rooms: for the piece read, then for records received; for
                       * records to send */
    int *rank_of;     /* for each record of the piece */
    int64_t *place;   /* for lane i, rank k: first a number, then a place in `out`: [i *
                       * P + k] */
    int64_t *count;   /* for each rank: records of this piece that go there, */
    int64_t *before;  /* and those from lower ranks in this round */
    int *send, *send_at, *got, *got_at;
    int64_t first, n; /* the piece */
    int64_t read_bytes;
    char *sample_room; /* one for each request in flight */
};

/* ---- memory ---------------------------------------------------------------------- */

int64_t exchange_room(int64_t memory_bytes, int64_t record)
{
    int64_t room = memory_bytes / 8, beside = (int64_t)sizeof(int);
    if (record < beside) /* then the table of ranks exceeds the rooms */
        room = room / (2 * record + beside) * 3 * record;
    room = room < ROOM_MOST ? room : ROOM_MOST;
    return room - room % record;
}

static int64_t exchange_room_bytes(int64_t room)
{
    return units_round_up(room, BUF_ALIGN) + READING_MORE;
}

static int64_t sample_bytes(const struct sort_order *o)
{
    return units_round_up(o->key_bytes, IO_DIRECT_ALIGN) + READING_MORE;
}

int64_t exchange_memory(const struct sort_order *o, int64_t room)
{
    return 2 * exchange_room_bytes(room) + room / o->bytes * (int64_t)sizeof(int);
}

int64_t exchange_beside(const struct run *r, const struct sort_order *o,
                        int64_t records)
{
    struct splitters s;
    int64_t ranks = r->world.size;
    splitters_start(&s, o, (int)ranks);
    int64_t samples = splitters_samples((int)ranks, records);
    int64_t each = splitters_sample_bytes(&s), entry = sizeof(struct sort_entry);
    return splitters_bytes(&s) + ranks * (32 + 8 * (int64_t)r->lanes) +
           sample_bytes(o) + samples * each + ranks * samples * (each + entry);
}

static int make_rooms(struct exchange *x, int64_t room)
{
    void *in = NULL, *out = NULL, *sample = NULL;
    int rc =
        buf_alloc(&in, exchange_room_bytes(room), "records that are read and come");
    if (!rc)
        rc = buf_alloc(&out, exchange_room_bytes(room), "records that go");
    if (!rc)
        rc = buf_alloc(&sample, sample_bytes(&x->order), "a sample");
    x->in = in;
    x->out = out;
    x->sample_room = sample;
    return rc;
}

static int make_tables(struct exchange *x)
{
    size_t ranks = (size_t)x->r->world.size, lanes = (size_t)x->r->lanes;
    x->rank_of = mem_new(x->capacity, sizeof *x->rank_of, "the ranks' exchange");
    x->place = mem_new(ranks * lanes, sizeof *x->place, "the ranks' exchange");
    x->count = mem_new(2 * ranks, sizeof *x->count, "the ranks' exchange");
    x->send = mem_new(4 * ranks, sizeof *x->send, "the ranks' exchange");
    x->splitters.splitter =
        mem_new(1, splitters_bytes(&x->splitters) + 1, "the ranks' exchange");
    if (!x->rank_of || !x->place || !x->count || !x->send || !x->splitters.splitter)
        return -ENOMEM;
    x->before = x->count + ranks;
    x->send_at = x->send + ranks;
    x->got = x->send_at + ranks;
    x->got_at = x->got + ranks;
    return 0;
}

int64_t exchange_sample_bytes(const struct run *r, const struct sort_order *o,
                              int64_t records)
{
    int ranks = r->world.size;
    return ranks * splitters_samples(ranks, records) * o->key_bytes;
}

int exchange_open(struct exchange **out, struct run *r, const struct sort_order *o,
                  int64_t room, int64_t records)
{
    struct exchange *x = mem_new(1, sizeof *x, "an exchange");
    *out = x;
    if (!x)
        return -ENOMEM;
    x->r = r;
    x->order = *o;
    x->records = records;
    x->capacity = room / o->bytes;
    splitters_start(&x->splitters, o, r->world.size);
    MPI_Type_contiguous((int)o->bytes, MPI_BYTE, &x->record);
    MPI_Type_commit(&x->record);
    int rc = make_rooms(x, room);
    if (!rc)
        rc = make_tables(x);
    if (rc)
        exchange_close(out);
    return rc;
}

void exchange_close(struct exchange **exchange)
{
    struct exchange *x = *exchange;
    *exchange = NULL;
    if (!x)
        return;
    MPI_Type_free(&x->record);
    buf_free(x->in);
    buf_free(x->out);
    buf_free(x->sample_room);
    free(x->rank_of);
    free(x->place);
    free(x->count);
    free(x->send);
    free(x->splitters.splitter);
    free(x);
}

int64_t exchange_read_bytes(const struct exchange *x)
{
    return x->read_bytes;
}

/* ---- splitters ------------------------------------------------------------------- */

static void read_sample(struct exchange *x, struct run_file *f, int64_t place, char *to)
{
    int64_t at = place * x->order.bytes + x->order.key_at;
    reading_share(f, x->sample_room, at, x->order.key_bytes, 0, 1);
    x->read_bytes += reading_bytes(f, at, x->order.key_bytes);
    splitters_sample(&x->splitters, x->sample_room + reading_lead(f, at), place, to);
}

/* Chooses splitters from all samples, on rank 0; if it has no memory for them, all
 * records go to one rank and the phase ends with that failure. */
static void exchange_choose(struct exchange *x, const char *all, int64_t n)
{
    struct sort_entry *e = mem_new(n, sizeof *e, "samples");
    if (e)
        splitters_choose(&x->splitters, all, n, e);
    else
        run_fail(x->r, -ENOMEM);
    free(e);
}

static void gather_and_choose(struct exchange *x, const char *mine, int64_t samples)
{
    struct run *r = x->r;
    int64_t each = splitters_sample_bytes(&x->splitters), all = samples * r->world.size;
    bool first = r->world.rank == 0;
    char *room = first ? mem_new(all * each, 1, "samples") : NULL;
    if (first && !room)
        run_fail(r, -ENOMEM);
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    int there = !first || room;
    MPI_Bcast(&there, 1, MPI_INT, 0, r->world.comm);
    MPI_Datatype sample;
    MPI_Type_contiguous((int)each, MPI_BYTE, &sample);
    MPI_Type_commit(&sample);
    if (there)
        MPI_Gather(mine, (int)samples, sample, room, (int)samples, sample, 0,
                   r->world.comm);
    phase_act(r->phase, before);
    if (room)
        exchange_choose(x, room, all);
    before = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Bcast(x->splitters.splitter, r->world.size - 1, sample, 0, r->world.comm);
    phase_act(r->phase, before);
    MPI_Type_free(&sample);
    free(room);
}

void exchange_split(struct exchange *x, struct run_file *f)
{
    struct run *r = x->r;
    int ranks = r->world.size;
    int64_t samples = splitters_samples(ranks, x->records);
    int64_t each = splitters_sample_bytes(&x->splitters);
    if (!samples) /* and no records to split */
        return;
    char *mine = mem_new(samples, each, "samples");
    if (!mine)
        run_fail(r, -ENOMEM);
    for (int64_t i = 0; mine && i < samples && !r->failed; i++)
        read_sample(x, f, splitters_place(ranks, x->records, r->world.rank, i),
                    mine + i * each);
    int have = mine != NULL;
    world_reduce(r->world.comm, &have, 1, MPI_INT, MPI_MIN);
    if (have)
        gather_and_choose(x, mine, samples);
    free(mine);
}

/* ---- a piece, and the destinations of its records -------------------------------- */

int64_t exchange_rounds(const struct exchange *x)
{
    return units_div_up(x->records, x->capacity * x->r->world.size);
}

static void find_piece(struct exchange *x, int64_t round)
{
    int ranks = x->r->world.size, rank = x->r->world.rank;
    int64_t stretch = x->capacity * ranks, begin = round * stretch;
    int64_t n = x->records - begin < stretch ? x->records - begin : stretch;
    x->first = begin + units_part(n, rank, ranks);
    x->n = begin + units_part(n, rank + 1, ranks) - x->first;
}

struct piece_work {
    struct exchange *x;
    struct run_file *f;
    const char *records; /* of the piece */
};

static void read_piece(struct run *r, void *work)
{
    const struct piece_work *w = work;
    const struct exchange *x = w->x;
    int64_t each = x->order.bytes;
    if (x->n)
        reading_share(&w->f[r->lane], x->in, x->first * each, x->n * each, r->lane,
                      r->lanes);
}

static void find_ranks(struct run *r, void *work)
{
    const struct piece_work *w = work;
    const struct exchange *x = w->x;
    int64_t *count = x->place + (int64_t)r->lane * r->world.size;
    memset(count, 0, (size_t)r->world.size * sizeof *count);
    if (r->failed)
        return;
    int64_t end = units_part(x->n, r->lane + 1, r->lanes);
    for (int64_t i = units_part(x->n, r->lane, r->lanes); i < end; i++) {
        x->rank_of[i] = splitters_rank(&x->splitters, w->records + i * x->order.bytes,
                                       x->first + i);
        count[x->rank_of[i]]++;
    }
}

static void exchange_sort_out(struct run *r, void *work)
{
    const struct piece_work *w = work;
    const struct exchange *x = w->x;
    int64_t *place = x->place + (int64_t)r->lane * r->world.size;
    int64_t each = x->order.bytes;
    if (r->failed)
        return;
    int64_t end = units_part(x->n, r->lane + 1, r->lanes);
    for (int64_t i = units_part(x->n, r->lane, r->lanes); i < end; i++)
        memcpy(x->out + place[x->rank_of[i]]++ * each, w->records + i * each,
               (size_t)each);
}

/* Converts counts to places: by ranks, and for each by lanes, so that the
 * order stays. */
static void find_places(struct exchange *x)
{
    int ranks = x->r->world.size;
    int64_t at = 0;
    for (int k = 0; k < ranks; k++) {
        int64_t begin = at;
        for (int i = 0; i < x->r->lanes; i++) {
            int64_t *place = &x->place[(int64_t)i * ranks + k], n = *place;
            *place = at;
            at += n;
        }
        x->count[k] = x->r->failed ? 0 : at - begin;
    }
}

/* Finds the number of steps: a rank receives a round's records in steps of at most a
 * room, and every rank knows which of its records are in each step. */
static int64_t find_steps(struct exchange *x)
{
    struct run *r = x->r;
    int ranks = r->world.size;
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    memset(x->before, 0, (size_t)ranks * sizeof *x->before);
    MPI_Exscan(x->count, x->before, ranks, MPI_INT64_T, MPI_SUM, r->world.comm);
    int64_t most = 0;
    for (int k = 0; k < ranks; k++) /* on the last rank this is the total */
        most = x->before[k] + x->count[k] > most ? x->before[k] + x->count[k] : most;
    world_reduce(r->world.comm, &most, 1, MPI_INT64_T, MPI_MAX);
    phase_act(r->phase, before);
    return units_div_up(most, x->capacity);
}

int64_t exchange_round(struct exchange *x, struct run_file f[], int64_t round)
{
    struct run *r = x->r;
    int64_t each = x->order.bytes;
    find_piece(x, round);
    struct piece_work w = {
        .x = x, .f = f, .records = x->in + reading_lead(f, x->first * each)};
    run_lanes(r, read_piece, &w);
    x->read_bytes += x->n ? reading_bytes(f, x->first * each, x->n * each) : 0;
    run_lanes(r, find_ranks, &w);
    find_places(x);
    run_lanes(r, exchange_sort_out, &w);
    return find_steps(x);
}

/* ---- a step ---------------------------------------------------------------------- */

static int64_t within(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Finds the messages to each rank in this step. */
static void find_messages(struct exchange *x, int64_t step)
{
    int64_t from = step * x->capacity, to = from + x->capacity, at = 0;
    for (int k = 0; k < x->r->world.size; k++) {
        int64_t begin = x->before[k], end = begin + x->count[k];
        int64_t low = within(from, begin, end), high = within(to, begin, end);
        x->send_at[k] = (int)(at + low - begin);
        x->send[k] = (int)(high - low);
        at += x->count[k];
    }
}

int64_t exchange_step(struct exchange *x, int64_t step, const void **records)
{
    struct run *r = x->r;
    int64_t n = 0;
    find_messages(x, step);
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoall(x->send, 1, MPI_INT, x->got, 1, MPI_INT, r->world.comm);
    for (int k = 0; k < r->world.size; k++) {
        x->got_at[k] = (int)n;
        n += x->got[k];
    }
    MPI_Alltoallv(x->out, x->send, x->send_at, x->record, x->in, x->got, x->got_at,
                  x->record, r->world.comm);
    phase_act(r->phase, before);
    *records = x->in;
    return n;
}
