/* Finds the logs that are the ranks of a run. Launchers tell ranks by the environment,
 * which a shell around the program has as well, and all that the rank starts. Of the
 * logs of one rank, that of its first MPI program counts; without one, that of the
 * program that moved most bytes. */
#include "base/err.h"
#include "base/mem.h"
#include "iotrace/read/names.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <stdlib.h>

struct candidate { /* a log */
    int number;
    int32_t rank;
    int64_t begin_ns, bytes;
    bool several; /* its rank has other logs */
    bool mpi;
};

struct choice {
    struct candidate *log; /* sorted by number, until one is chosen */
    uint32_t room;
    int logs, at;
    bool any, several;
};

static int note_log(void *arg, struct log *l)
{
    struct choice *c = arg;
    const struct log_info *i = log_info(l);
    uint32_t n = (uint32_t)c->logs;
    struct candidate *more = list_reach(c->log, &c->room, n, sizeof *more, "logs");
    if (!more)
        return -ENOMEM;
    c->log = more;
    c->log[n] = (struct candidate){
        .number = c->logs++, .rank = i->rank, .begin_ns = i->begin_ns};
    c->any |= i->rank >= 0;
    return skeleton_has_events(l);
}

static int skeleton_by_rank(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->mpi != y->mpi)
        return x->mpi ? -1 : 1;
    if (!x->mpi && x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->number - y->number;
}

static int by_log_number(const void *a, const void *b)
{
    return ((const struct candidate *)a)->number -
           ((const struct candidate *)b)->number;
}

static void find_several(struct choice *c)
{
    struct candidate *log = c->log;
    qsort(log, (size_t)c->logs, sizeof *log, skeleton_by_rank);
    for (int i = 1; i < c->logs; i++)
        if (log[i].rank >= 0 && log[i].rank == log[i - 1].rank)
            c->several = log[i].several = log[i - 1].several = true;
    qsort(log, (size_t)c->logs, sizeof *log, by_log_number);
}

/* Reads a log up to its first call of MPI. */
static int weigh_log(void *arg, struct log *l)
{
    struct choice *c = arg;
    struct candidate *log = &c->log[c->at++];
    struct event e;
    int more = 0;
    while (log->several && !log->mpi && (more = log_next(l, &e)) > 0) {
        log->mpi = op_get(e.op)->library == LIBRARY_MPI;
        if (op_moves((enum trace_class)e.class) && skeleton_is_asked(&e) && e.bytes > 0)
            log_sum(&log->bytes, e.bytes);
    }
    return more < 0 ? more : 0;
}

static int choose_logs(struct skeleton *s, const struct run *r, struct choice *c)
{
    int others = 0;
    s->is_rank = mem_new(c->logs + 1, sizeof *s->is_rank, "logs");
    if (!s->is_rank)
        return -ENOMEM;
    qsort(c->log, (size_t)c->logs, sizeof *c->log, skeleton_by_rank);
    for (int i = 0; i < c->logs; i++) {
        const struct candidate *log = &c->log[i];
        bool first = !i || log[-1].rank != log->rank;
        s->is_rank[log->number] = !c->any || (log->rank >= 0 && first);
        others += log->several && log->mpi && !first;
    }
    if (others)
        run_say(r->path, "ranks ran several MPI programs, one after the other: the "
                         "skeleton is of the first");
    return 0;
}

int skeleton_find_ranks(struct skeleton *s, struct run *r)
{
    struct choice c = {.logs = 0};
    int rc = run_each(r, note_log, &c);
    if (!rc)
        find_several(&c);
    r->again = true;
    if (!rc && c.several) {
        r->unreadable = 0;
        rc = run_each(r, weigh_log, &c);
    }
    if (!rc)
        rc = choose_logs(s, r, &c);
    s->has_ranks = c.any;
    free(c.log);
    return rc;
}
