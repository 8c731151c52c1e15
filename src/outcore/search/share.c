#include "outcore/search/share.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 65536, LEAST = 64 }; /* keys: of all ranks; of a rank, at least */

static int64_t batch_of(int ranks)
{
    return ROUND / ranks > LEAST ? ROUND / ranks : LEAST;
}

int64_t share_bytes(int ranks, int64_t key_bytes)
{
    int64_t batch = batch_of(ranks), answer = (int64_t)sizeof(int64_t);
    if (ranks == 1)
        return 0;
    return (ranks + 1) * batch * (key_bytes + answer) + batch * answer +
           5 * ranks * (int64_t)sizeof(int);
}

int share_open(struct share *s, const struct build *b, int ranks)
{
    size_t batch = (size_t)batch_of(ranks), all = batch * (size_t)ranks;
    size_t bytes = (size_t)build_key_bytes(b->order);
    *s = (struct share){.build = b,
                        .key_bytes = (int64_t)bytes,
                        .batch = (int64_t)batch,
                        .key = MPI_DATATYPE_NULL};
    if (ranks == 1)
        return 0;
    s->out_keys = malloc(batch * bytes);
    s->in_keys = malloc(all * bytes);
    s->out_answers = malloc(batch * sizeof *s->out_answers);
    s->in_answers = malloc(all * sizeof *s->in_answers);
    s->number = malloc(batch * sizeof *s->number);
    s->out.count = calloc((size_t)ranks * 5, sizeof *s->out.count);
    if (!s->out_keys || !s->in_keys || !s->out_answers || !s->in_answers ||
        !s->number || !s->out.count)
        return err_set(-ENOMEM, NULL, -1, "no memory for the look-ups of %d rank%s",
                       ranks, units_s(ranks));
    s->out.at = s->out.count + ranks;
    s->in.count = s->out.count + 2 * ranks;
    s->in.at = s->out.count + 3 * ranks;
    s->who = s->out.count + 4 * ranks;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &s->key);
    MPI_Type_commit(&s->key);
    return 0;
}

void share_close(struct share *s)
{
    free(s->out_keys);
    free(s->in_keys);
    free(s->out_answers);
    free(s->in_answers);
    free(s->number);
    free(s->out.count);
    if (s->out.count && s->key != MPI_DATATYPE_NULL)
        MPI_Type_free(&s->key);
    memset(s, 0, sizeof *s);
}

/* ---- owners ---------------------------------------------------------------------- */

static void find_who(struct share *s, int ranks)
{
    s->who_n = 0;
    for (int i = 0; i < ranks; i++)
        if (build_last_of(s->build, i).number >= 0)
            s->who[s->who_n++] = i;
}

/* The owner of a key: the first rank whose last record is not before it; else the
 * last one. */
static int owner(const struct share *s, const char *key)
{
    int low = 0;
    for (int n = s->who_n - 1; n > 0;) {
        int half = n / 2;
        const char *last = build_last_of(s->build, s->who[low + half]).record;
        bool before = sort_compare(s->build->order, last, key) < 0;
        low = before ? low + half + 1 : low;
        n = before ? n - half - 1 : half;
    }
    return s->who[low];
}

/* ---- a round --------------------------------------------------------------------- */

static int64_t add_up(struct share_round *x, int ranks)
{
    int64_t sum = 0;
    for (int i = 0; i < ranks; i++) {
        x->at[i] = (int)sum;
        sum += x->count[i];
    }
    return sum;
}

/* Sorts n keys by owners. */
static void pack(struct share *s, int ranks, const char *keys, int64_t n)
{
    memset(s->out.count, 0, (size_t)ranks * sizeof *s->out.count);
    for (int64_t i = 0; i < n; i++) {
        s->out_answers[i] = owner(s, keys + i * s->key_bytes);
        s->out.count[s->out_answers[i]]++;
    }
    add_up(&s->out, ranks);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = s->out.at[s->out_answers[i]]++;
        memcpy(s->out_keys + to * s->key_bytes, keys + i * s->key_bytes,
               (size_t)s->key_bytes);
        s->number[to] = i;
    }
    add_up(&s->out, ranks);
}

static void look_up(struct run *r, struct lookups *l, const char *keys, int64_t n,
                    int64_t *answer)
{
    l->keys = keys;
    l->n = n;
    l->answer = answer;
    memset(answer, 0xff, (size_t)n * sizeof *answer);
    atomic_store(&l->next, 0);
    run_lanes(r, lookups_run, l);
}

static int64_t send_keys(struct run *r, struct share *s)
{
    MPI_Comm comm = r->world.comm;
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_barrier(comm);
    phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoall(s->out.count, 1, MPI_INT, s->in.count, 1, MPI_INT, comm);
    int64_t come = add_up(&s->in, r->world.size);
    MPI_Alltoallv(s->out_keys, s->out.count, s->out.at, s->key, s->in_keys, s->in.count,
                  s->in.at, s->key, comm);
    phase_act(r->phase, before);
    return come;
}

static void send_answers(struct run *r, struct share *s, int64_t n, int64_t *answer)
{
    MPI_Comm comm = r->world.comm;
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_barrier(comm);
    phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoallv(s->in_answers, s->in.count, s->in.at, MPI_INT64_T, s->out_answers,
                  s->out.count, s->out.at, MPI_INT64_T, comm);
    for (int64_t i = 0; i < n; i++)
        answer[s->number[i]] = s->out_answers[i];
    phase_act(r->phase, before);
}

/* Looks up keys in rounds. Ranks with no more keys to send continue answering. */
void share_look_up(struct run *r, struct share *s, struct lookups *l, const char *keys,
                   int64_t n, int64_t *answer)
{
    int64_t left = n;
    if (!s->who) {
        look_up(r, l, keys, n, answer);
        return;
    }
    find_who(s, r->world.size);
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT64_T, MPI_MAX, r->world.comm);
    for (; left > 0; left -= s->batch) {
        int64_t now = n < s->batch ? n : s->batch;
        enum act before = phase_act(r->phase, ACT_COMMUNICATE);
        pack(s, r->world.size, keys, now);
        phase_act(r->phase, before);
        int64_t come = send_keys(r, s);
        look_up(r, l, s->in_keys, come, s->in_answers);
        send_answers(r, s, now, answer);
        keys += now * s->key_bytes;
        answer += now;
        n -= now;
    }
}
