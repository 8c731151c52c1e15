/* Collective reads of a container whose partitions are on nodes' own disks: each rank
 * asks, in rounds, the rank that can open a partition for its bytes of it. In a round, a
 * rank asks for no more than its share of what one rank serves, so that nobody is asked
 * for more than there is memory for. */
#include "base/err.h"
#include "io/part.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND (INT64_C(8) << 20) /* bytes that one rank serves in a round */
#define ROUND_ASKS 65536         /* ... in so many pieces */
#define SHARE_LEAST 4096
#define SHARE_LEAST_ASKS 16

struct ask { /* bytes that stand together in a partition */
    int64_t part, at, bytes;
};

struct part_swap {
    int size;
    int64_t quota, asks_most; /* of this rank, in a round */
    struct ask *ask;          /* this round's, by server, partition and offset */
    int64_t asks;
    int64_t *got_at;   /* where in `got` the bytes of each are */
    struct ask *asked; /* of this rank by others */
    char *got, *reply;
    int *out, *out_at, *in, *in_at; /* counts and places for MPI_Alltoallv, by rank */
};

/* ---- opening ----------------------------------------------------------------------- */

/* The first rank that can open each partition, counted from a rank that differs by
 * partition, so that the work is spread. Returns whether any rank needs another. */
static int find_servers(struct part *p, int size, bool *needed)
{
    struct io_file *f = p->f;
    char path[CONTAINER_PATH];
    int far = 0;
    int *turn = malloc((size_t)p->c.parts * sizeof *turn);
    int rc = turn ? 0 : err_set(-ENOMEM, f->path, -1, "no memory for a list of ranks");
    rc = err_agree(f->comm, rc);
    for (int64_t r = 0; r < p->c.parts && !rc; r++) {
        rc = container_part_path(&p->c, f->path, r, path);
        p->in[r].far = rc || faccessat(AT_FDCWD, path, R_OK, AT_EACCESS);
        far = far || p->in[r].far;
        turn[r] = p->in[r].far ? INT_MAX : (f->rank - (int)(r % size) + size) % size;
    }
    rc = err_agree(f->comm, rc);
    if (!rc) {
        MPI_Allreduce(MPI_IN_PLACE, turn, (int)p->c.parts, MPI_INT, MPI_MIN, f->comm);
        MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_INT, MPI_MAX, f->comm);
    }
    for (int64_t r = 0; r < p->c.parts && !rc; r++)
        p->in[r].server = turn[r] == INT_MAX ? -1 : (turn[r] + (int)(r % size)) % size;
    free(turn);
    *needed = far;
    return rc;
}

static bool allocate(struct part_swap *s)
{
    size_t n = (size_t)s->size, asks = (size_t)s->asks_most, quota = (size_t)s->quota;
    s->ask = malloc(asks * sizeof *s->ask);
    s->got_at = malloc(asks * sizeof *s->got_at);
    s->asked = malloc(n * asks * sizeof *s->asked);
    s->got = malloc(quota);
    s->reply = malloc(n * quota);
    s->out = malloc(n * sizeof *s->out);
    s->out_at = malloc(n * sizeof *s->out_at);
    s->in = malloc(n * sizeof *s->in);
    s->in_at = malloc(n * sizeof *s->in_at);
    return s->ask && s->got_at && s->asked && s->got && s->reply && s->out &&
           s->out_at && s->in && s->in_at;
}

int part_swap_open(struct part *p)
{
    int size, rc;
    bool needed = false;
    MPI_Comm_size(p->f->comm, &size);
    if (!p->c.parts || !p->c.dirs[0])
        return 0;
    rc = find_servers(p, size, &needed);
    if (rc || !needed)
        return rc;
    p->swap = calloc(1, sizeof *p->swap);
    if (p->swap) {
        p->swap->size = size;
        p->swap->quota = ROUND / size > SHARE_LEAST ? ROUND / size : SHARE_LEAST;
        p->swap->asks_most =
            ROUND_ASKS / size > SHARE_LEAST_ASKS ? ROUND_ASKS / size : SHARE_LEAST_ASKS;
    }
    if (!p->swap || !allocate(p->swap))
        rc = err_set(-ENOMEM, p->f->path, -1, "no memory for collective reads");
    return err_agree(p->f->comm, rc);
}

void part_swap_close(struct part *p)
{
    struct part_swap *s = p->swap;
    if (!s)
        return;
    free(s->ask);
    free(s->got_at);
    free(s->asked);
    free(s->got);
    free(s->reply);
    free(s->out);
    free(s->out_at);
    free(s->in);
    free(s->in_at);
    free(s);
    p->swap = NULL;
}

/* ---- a round ------------------------------------------------------------------------- */

static bool is_far(const struct part *p, const struct part_place *at)
{
    return at->part >= 0 && p->in[at->part].far;
}

/* Adds to the asks of this round; false: there is no room for it. */
static bool add_ask(struct part *p, const struct part_place *at)
{
    struct part_swap *s = p->swap;
    struct part_in *in = &p->in[at->part];
    struct ask *last = in->ask < 0 ? NULL : &s->ask[in->ask];
    if (last && last->at + last->bytes == at->at) {
        last->bytes += at->bytes;
        return true;
    }
    if (s->asks == s->asks_most)
        return false;
    in->ask = s->asks;
    s->ask[s->asks++] = (struct ask){at->part, at->at, at->bytes};
    return true;
}

/* What is far from `offset` on, as much as a round takes. *next: where it ended. */
static int collect(struct part *p, int64_t offset, int64_t end, int64_t *next)
{
    struct part_swap *s = p->swap;
    int64_t left = s->quota;
    s->asks = 0;
    for (int64_t r = 0; r < p->c.parts && offset < end; r++)
        p->in[r].ask = -1;
    while (offset < end && left > 0) {
        struct part_place at = part_place(p, offset, end - offset);
        if (is_far(p, &at)) {
            at.bytes = at.bytes < left ? at.bytes : left;
            if (p->in[at.part].server < 0)
                return err_set(-ENOENT, p->f->path, offset,
                               "partition %lld of the container cannot be opened by "
                               "any rank: it is missing, or on a node (%d, %s) that "
                               "this run has no rank on",
                               (long long)at.part, p->c.part[at.part].node,
                               p->c.part[at.part].host);
            if (!add_ask(p, &at))
                break;
            left -= at.bytes;
        }
        offset += at.bytes;
    }
    *next = offset;
    return 0;
}

static const struct part *sorting; /* qsort hands nothing on */

static int by_server(const void *a, const void *b)
{
    const struct ask *x = a, *y = b;
    int s = sorting->in[x->part].server, t = sorting->in[y->part].server;
    if (s != t)
        return s < t ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int sum_up(const int *count, int *at, int n)
{
    int sum = 0;
    for (int r = 0; r < n; r++) {
        at[r] = sum;
        sum += count[r];
    }
    return sum;
}

/* Sends the asks to those who serve; returns how many came here. */
static int send_asks(struct part *p)
{
    struct part_swap *s = p->swap;
    const int words = sizeof(struct ask) / sizeof(int64_t);
    sorting = p;
    qsort(s->ask, (size_t)s->asks, sizeof *s->ask, by_server);
    memset(s->out, 0, (size_t)s->size * sizeof *s->out);
    for (int64_t i = 0; i < s->asks; i++)
        s->out[p->in[s->ask[i].part].server] += words;
    MPI_Alltoall(s->out, 1, MPI_INT, s->in, 1, MPI_INT, p->f->comm);
    sum_up(s->out, s->out_at, s->size);
    int came = sum_up(s->in, s->in_at, s->size);
    MPI_Alltoallv(s->ask, s->out, s->out_at, MPI_INT64_T, s->asked, s->in, s->in_at,
                  MPI_INT64_T, p->f->comm);
    return came / words;
}

/* Reads what others ask for, and counts it by who asked. */
static int serve(struct part *p, int came)
{
    struct part_swap *s = p->swap;
    const int words = sizeof(struct ask) / sizeof(int64_t);
    int64_t at = 0;
    int rc = 0, from = 0, seen = 0;
    memset(s->out, 0, (size_t)s->size * sizeof *s->out);
    for (int i = 0; i < came; i++, seen += words) {
        while (seen >= s->in_at[from] + s->in[from])
            from++;
        struct part_place place = {s->asked[i].part, s->asked[i].at, s->asked[i].bytes};
        if (!rc)
            rc = part_read_place(p, &place, s->reply + at);
        at += place.bytes;
        s->out[from] += (int)place.bytes;
    }
    return rc;
}

/* Sends what was read to who asked. */
static void send_replies(struct part *p)
{
    struct part_swap *s = p->swap;
    int64_t at = 0;
    memset(s->in, 0, (size_t)s->size * sizeof *s->in);
    for (int64_t i = 0; i < s->asks; i++) {
        s->got_at[i] = at;
        at += s->ask[i].bytes;
        s->in[p->in[s->ask[i].part].server] += (int)s->ask[i].bytes;
    }
    sum_up(s->out, s->out_at, s->size);
    sum_up(s->in, s->in_at, s->size);
    MPI_Alltoallv(s->reply, s->out, s->out_at, MPI_BYTE, s->got, s->in, s->in_at,
                  MPI_BYTE, p->f->comm);
}

/* Puts what came into the place of [offset, next), as `collect` walked it. */
static void scatter(struct part *p, int64_t offset, int64_t next, char *out)
{
    struct part_swap *s = p->swap;
    for (int64_t i = s->asks - 1; i >= 0; i--)
        p->in[s->ask[i].part].ask = i; /* the first of each partition */
    while (offset < next) {
        struct part_place at = part_place(p, offset, next - offset);
        if (is_far(p, &at)) {
            int64_t *i = &p->in[at.part].ask;
            while (at.at >= s->ask[*i].at + s->ask[*i].bytes)
                ++*i;
            memcpy(out, s->got + s->got_at[*i] + (at.at - s->ask[*i].at),
                   (size_t)at.bytes);
        }
        offset += at.bytes;
        out += at.bytes;
    }
}

static int read_near(struct part *p, int64_t offset, int64_t end, char *out)
{
    int rc = 0;
    while (offset < end && !rc) {
        struct part_place at = part_place(p, offset, end - offset);
        if (!is_far(p, &at))
            rc = part_read_place(p, &at, out);
        offset += at.bytes;
        out += at.bytes;
    }
    return rc;
}

/* One round, of ranks with something to ask and ranks without. */
static int play_round(struct part *p, int64_t offset, int64_t next, char *out)
{
    int came = send_asks(p);
    int rc = serve(p, came);
    send_replies(p);
    rc = err_agree(p->f->comm, rc); /* or somebody takes what was not read for data */
    if (!rc)
        scatter(p, offset, next, out);
    return rc;
}

int part_swap_read(struct part *p, int64_t offset, int64_t bytes, char *out)
{
    struct part_swap *s = p->swap;
    int64_t end = offset + bytes, next = offset;
    int rc = read_near(p, offset, end, out);
    for (;;) {
        s->asks = 0;
        if (!rc)
            rc = collect(p, offset, end, &next);
        int asks = !rc && s->asks > 0;
        s->asks = asks ? s->asks : 0;
        MPI_Allreduce(MPI_IN_PLACE, &asks, 1, MPI_INT, MPI_MAX, p->f->comm);
        if (!asks)
            return rc;
        int played = play_round(p, offset, rc ? offset : next, out);
        if (played)
            return rc ? rc : played;
        out += next - offset;
        offset = next;
    }
}
