/* Collective reads of a container whose partitions are on nodes' local disks: each rank
 * asks the rank that can open a partition for bytes of it, and serves the asks of
 * others, until all ranks have what they read. A rank asks for a bounded piece at a
 * time and serves one ask at a time, so memory grows with the number of ranks only by a
 * number and a bit for each partition. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/part/part.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND (INT64_C(1) << 20) /* bytes that a rank asks for at a time */

enum { ASKS = 4096, /* ... in this many pieces */ TAG_ASK = 1, TAG_REPLY = 2 };

struct ask { /* contiguous bytes of a partition */
    int64_t part, at, bytes;
};

enum { WORDS = sizeof(struct ask) / sizeof(int64_t) };

struct part_swap {
    MPI_Comm comm;       /* its own, so that asks meet no other messages */
    unsigned char *near; /* a bit for each partition: this node can open it */
    int *server;         /* the rank to ask for each partition; -1: none */
    int64_t round;       /* number of this rank's round */
    struct ask *ask;     /* asks of this round, by server, partition and offset */
    int64_t asks;
    int64_t *got_at;      /* offsets of their bytes in `got` */
    MPI_Request *request; /* two for each server: the ask and its reply */
    MPI_Status *status;
    int requests;
    char *got;
    struct ask *asked; /* asks of the rank being served */
    char *reply;
};

/* ---- opening --------------------------------------------------------------------- */

static bool is_near(const struct part_swap *s, int64_t part)
{
    return s->near[part / 8] >> part % 8 & 1;
}

/* The ranks that see the same files: those of a node that have the same mounts. */
static MPI_Comm same_sight(const struct io_file *f)
{
    MPI_Comm node, sight;
    struct stat st;
    uint64_t mounts = stat("/proc/self/ns/mnt", &st) ? 0 : (uint64_t)st.st_ino;
    MPI_Comm_split_type(f->comm, MPI_COMM_TYPE_SHARED, f->rank, MPI_INFO_NULL, &node);
    MPI_Comm_split(node, (int)(mounts & INT_MAX), f->rank, &sight);
    MPI_Comm_free(&node);
    return sight;
}

/* Finds the partitions that this node can open: each of its ranks looks for some. */
static void find_near(struct part *p)
{
    struct part_swap *s = p->swap;
    char path[CONTAINER_PATH];
    int rank, size;
    MPI_Comm sight = same_sight(p->f);
    MPI_Comm_rank(sight, &rank);
    MPI_Comm_size(sight, &size);
    for (int64_t r = rank; r < p->c.parts; r += size)
        if (!container_part_path(&p->c, p->f->path, r, path) &&
            !faccessat(AT_FDCWD, path, R_OK, AT_EACCESS))
            s->near[r / 8] |= (unsigned char)(1 << r % 8);
    MPI_Allreduce(MPI_IN_PLACE, s->near, (int)(p->c.parts / 8 + 1), MPI_BYTE, MPI_BOR,
                  sight);
    MPI_Comm_free(&sight);
}

/* Finds the first rank that can open each partition, counted from a rank that differs
 * by partition, to spread the work. Returns true if any rank needs another. */
static bool find_servers(struct part *p, int size)
{
    struct part_swap *s = p->swap;
    int *turn = s->server, far = 0;
    for (int64_t r = 0; r < p->c.parts; r++) {
        bool near = is_near(s, r);
        far = far || !near;
        turn[r] = near ? (p->f->rank - (int)(r % size) + size) % size : INT_MAX;
    }
    MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_INT, MPI_MAX, p->f->comm);
    if (!far)
        return false;
    MPI_Allreduce(MPI_IN_PLACE, turn, (int)p->c.parts, MPI_INT, MPI_MIN, p->f->comm);
    for (int64_t r = 0; r < p->c.parts; r++)
        s->server[r] = turn[r] == INT_MAX ? -1 : (turn[r] + (int)(r % size)) % size;
    return true;
}

static bool part_swap_allocate(struct part_swap *s, int64_t parts)
{
    s->near = mem_new(parts / 8 + 1, 1, "collective reads");
    s->server = mem_new(parts, sizeof *s->server, "collective reads");
    return s->near && s->server;
}

/* Allocates memory for rounds, once some partition is known to be far. */
static bool allocate_round(struct part_swap *s)
{
    s->ask = mem_new(ASKS, sizeof *s->ask, "collective reads");
    s->got_at = mem_new(ASKS, sizeof *s->got_at, "collective reads");
    s->request = mem_new(2 * ASKS, sizeof(MPI_Request), "collective reads");
    s->status = mem_new(2 * ASKS, sizeof *s->status, "collective reads");
    s->got = mem_new(ROUND, 1, "collective reads");
    s->asked = mem_new(ASKS, sizeof *s->asked, "collective reads");
    s->reply = mem_new(ROUND, 1, "collective reads");
    return s->ask && s->got_at && s->request && s->status && s->got && s->asked &&
           s->reply;
}

int part_swap_open(struct part *p)
{
    int size, rc = 0;
    MPI_Comm_size(p->f->comm, &size);
    if (!p->c.parts || !p->c.dirs[0])
        return 0;
    p->swap = mem_new(1, sizeof *p->swap, "collective reads");
    if (p->swap)
        p->swap->comm = MPI_COMM_NULL;
    if (!p->swap || !part_swap_allocate(p->swap, p->c.parts))
        rc = -ENOMEM;
    rc = err_agree(p->f->comm, rc);
    if (rc)
        return rc;
    find_near(p);
    if (!find_servers(p, size)) {
        part_swap_close(p);
        return 0;
    }
    rc = err_agree(p->f->comm, allocate_round(p->swap) ? 0 : -ENOMEM);
    if (!rc)
        MPI_Comm_dup(p->f->comm, &p->swap->comm);
    return rc;
}

void part_swap_close(struct part *p)
{
    struct part_swap *s = p->swap;
    if (!s)
        return;
    if (s->comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->comm);
    free(s->near);
    free(s->server);
    free(s->ask);
    free(s->got_at);
    free(s->request);
    free(s->status);
    free(s->got);
    free(s->asked);
    free(s->reply);
    free(s);
    p->swap = NULL;
}

/* ---- a round of one rank --------------------------------------------------------- */

/* True if another node must read the place. A partition that no node can open counts as
 * zeros, if incomplete containers are accepted. */
static bool is_far(const struct part *p, const struct part_place *at)
{
    const struct part_swap *s = p->swap;
    return at->part >= 0 && !is_near(s, at->part) &&
           !(p->incomplete && s->server[at->part] < 0);
}

/* Adds to the asks of this round; false: there is no room. */
static bool add_ask(struct part *p, const struct part_place *at)
{
    struct part_swap *s = p->swap;
    struct part_in *in = &p->in[at->part];
    struct ask *last = in->round == s->round ? &s->ask[in->ask] : NULL;
    if (last && last->at + last->bytes == at->at) {
        last->bytes += at->bytes;
        return true;
    }
    if (s->asks == ASKS)
        return false;
    in->round = s->round;
    in->ask = s->asks;
    s->ask[s->asks++] = (struct ask){at->part, at->at, at->bytes};
    return true;
}

/* Collects the far bytes from `offset` on, as many as a round takes. *next: where
 * it ended. */
static int part_swap_collect(struct part *p, int64_t offset, int64_t end, int64_t *next)
{
    struct part_swap *s = p->swap;
    int64_t left = ROUND;
    s->asks = 0;
    s->round++;
    while (offset < end && left > 0) {
        struct part_place at = part_place(p, offset, end - offset);
        if (is_far(p, &at)) {
            at.bytes = at.bytes < left ? at.bytes : left;
            if (s->server[at.part] < 0)
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

static const struct part *sorting; /* qsort passes no context */

static int by_server(const void *a, const void *b)
{
    const struct ask *x = a, *y = b;
    int s = sorting->swap->server[x->part], t = sorting->swap->server[y->part];
    if (s != t)
        return s < t ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Sends each server its asks, after posting the receive of its reply. */
static void send_asks(struct part *p)
{
    struct part_swap *s = p->swap;
    int64_t at = 0, i = 0;
    sorting = p;
    qsort(s->ask, (size_t)s->asks, sizeof *s->ask, by_server);
    s->requests = 0;
    while (i < s->asks) {
        int64_t first = i, begin = at;
        int server = s->server[s->ask[i].part];
        for (; i < s->asks && s->server[s->ask[i].part] == server; i++) {
            s->got_at[i] = at;
            at += s->ask[i].bytes;
        }
        MPI_Irecv(s->got + begin, (int)(at - begin), MPI_BYTE, server, TAG_REPLY,
                  s->comm, &s->request[s->requests++]);
        MPI_Isend(&s->ask[first], (int)(i - first) * WORDS, MPI_INT64_T, server,
                  TAG_ASK, s->comm, &s->request[s->requests++]);
    }
}

/* True if all replies have come; *unserved is set if a reply is empty. */
static bool replies_came(struct part *p, bool *unserved)
{
    struct part_swap *s = p->swap;
    int all = 0, bytes;
    MPI_Testall(s->requests, s->request, &all, s->status);
    for (int i = 0; all && i < s->requests; i += 2) {
        MPI_Get_count(&s->status[i], MPI_BYTE, &bytes);
        *unserved = *unserved || !bytes;
    }
    if (all)
        s->requests = 0;
    return all;
}

/* Copies the received bytes to their places in [offset, next), walking as
 * `collect` did. */
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

/* ---- serving --------------------------------------------------------------------- */

/* Serves one ask, if there is one; an empty reply means that it could not be read.
 * Returns true if there was one. */
static bool serve(struct part *p, int *rc)
{
    struct part_swap *s = p->swap;
    MPI_Status from;
    int asks, there, failed = 0;
    int64_t n = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_ASK, s->comm, &there, &from);
    if (!there)
        return false;
    MPI_Get_count(&from, MPI_INT64_T, &asks);
    MPI_Recv(s->asked, asks, MPI_INT64_T, from.MPI_SOURCE, TAG_ASK, s->comm,
             MPI_STATUS_IGNORE);
    for (int i = 0; i < asks / WORDS && !failed; i++) {
        struct part_place at = {s->asked[i].part, s->asked[i].at, s->asked[i].bytes};
        failed = part_read_place(p, &at, s->reply + n);
        n += at.bytes;
    }
    *rc = *rc ? *rc : failed;
    MPI_Send(s->reply, failed ? 0 : (int)n, MPI_BYTE, from.MPI_SOURCE, TAG_REPLY,
             s->comm);
    return true;
}

/* ---- a read ---------------------------------------------------------------------- */

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

/* A rank's course of a read: it asks in rounds, then waits for the others, and serves
 * all the time. */
struct turn {
    int64_t offset, next, end;
    char *out;       /* memory for `offset` on */
    int rc;          /* this rank's failure, also in serving */
    bool unserved;   /* a server has failed, and knows why */
    bool waits;      /* it has everything */
    int mine, first; /* this rank if it failed, else INT_MAX; and the lowest of all */
    MPI_Request agreed;
};

/* Copies what came, and asks for more, unless it has everything. A rank that was not
 * served tells before the read ends, on behalf of the server that failed. */
static void go_on(struct part *p, struct turn *t)
{
    bool good = !t->rc && !t->unserved;
    if (good)
        scatter(p, t->offset, t->next, t->out);
    t->out += t->next - t->offset;
    t->offset = t->next;
    p->swap->asks = 0;
    if (good)
        t->rc = part_swap_collect(p, t->offset, t->end, &t->next);
    good = good && !t->rc;
    if (good && p->swap->asks) {
        send_asks(p);
        return;
    }
    t->waits = true;
    t->mine = good ? INT_MAX : p->f->rank;
    MPI_Iallreduce(&t->mine, &t->first, 1, MPI_INT, MPI_MIN, p->swap->comm, &t->agreed);
}

int part_swap_read(struct part *p, int64_t offset, int64_t bytes, char *out)
{
    struct turn t = {
        .offset = offset, .next = offset, .end = offset + bytes, .out = out};
    int64_t since_ns = clock_ns();
    int over = 0;
    t.rc = read_near(p, offset, t.end, out);
    p->swap->asks = 0;
    p->swap->requests = 0;
    while (!over) {
        bool busy = serve(p, &t.rc);
        if (!t.waits && replies_came(p, &t.unserved)) {
            go_on(p, &t);
            busy = true;
        }
        if (t.waits)
            MPI_Test(&t.agreed, &over, MPI_STATUS_IGNORE);
        if (busy)
            since_ns = clock_ns();
        else if (!over)
            world_rest(since_ns);
    }
    return t.first == INT_MAX ? 0 : err_agree(p->f->comm, t.rc);
}
