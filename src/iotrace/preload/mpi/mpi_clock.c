/* Measures the nanoseconds to add to this rank's clock to have rank 0's, after MPI_Init
 * and before MPI_Finalize. Ranks of one node have one clock: nothing is measured. Else
 * IOTRACE_ALIGN=1 says that all ranks are traced, which cannot be found out from here,
 * and that they may send each other messages ("always": on one node, too).
 *
 * No collective is used, and nothing waits without a limit. Rank 0 serves one rank
 * after the other: it sends "go"; the rank asks for the time, gets it, and repeats that
 * a few times; the quickest counts. No message of ours arrives where our receive was
 * not posted before the program's own, so none of those can take it: each rank keeps
 * one posted for the next "go", and a rank that gives up leaves it there. */
#include "iotrace/preload/mpi/mpi.h"
#include "iotrace/preload/sys.h"
#include <stdlib.h>
#include <string.h>

enum { TAG = 32749, ROUNDS = 8 };
#define MS INT64_C(1000000)
#define ALL_LIMIT (1000 * MS) /* for all ranks, at each end */
#define ONE_LIMIT (100 * MS)  /* for one rank at the end; it may come much later */

typedef int message(intptr_t data, intptr_t count, intptr_t type, intptr_t rank,
                    intptr_t tag, intptr_t comm, intptr_t request);

struct transit {
    int64_t word; /* the word that is sent or received */
    int64_t request;
    bool posted;
};

static struct {
    int rank, ranks;
    bool on;
    struct transit go, in, out;
} self;

static int64_t now(void)
{
    return clock_unix_ns(clock_ticks());
}

static bool receive(struct transit *t, int from)
{
    t->posted = !((message *)mpi.irecv)((intptr_t)&t->word, sizeof t->word, mpi.byte,
                                        from, TAG, mpi.world, (intptr_t)&t->request);
    return t->posted;
}

/* Waits for a message; a patient caller leaves the processor to others. */
static bool arrives(struct transit *t, int64_t limit, bool patient)
{
    int64_t status[16];
    for (int turn = 0;; turn++) {
        int done = 0;
        if (mpi.test((intptr_t)&t->request, (intptr_t)&done, (intptr_t)status, 0, 0, 0))
            return false;
        if (done) {
            t->posted = false;
            return true;
        }
        if (now() > limit)
            return false;
        if (patient && turn > 100)
            sys_call(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000}, NULL);
        else
            sys_call(SYS_sched_yield);
    }
}

static bool sends(int64_t word, int to, int64_t limit)
{
    self.out.word = word;
    return !((message *)mpi.isend)((intptr_t)&self.out.word, sizeof word, mpi.byte, to,
                                   TAG, mpi.world, (intptr_t)&self.out.request) &&
           arrives(&self.out, limit, false);
}

static void mpi_clock_give_up(struct transit *t)
{
    int64_t status[16];
    if (!t->posted)
        return;
    t->posted = false;
    mpi.cancel((intptr_t)&t->request, 0, 0, 0, 0, 0);
    mpi.wait((intptr_t)&t->request, (intptr_t)status, 0, 0, 0, 0);
}

static void mpi_clock_note(int moment, int64_t at, int64_t offset)
{
    if (recorder.header) {
        recorder.header->offset_ns[moment] = offset;
        recorder.header->offset_at_ns[moment] = at;
    }
}

/* Serves a rank, as rank 0. "go" says until when it answers. */
static bool serve(int rank, int64_t limit)
{
    if (!receive(&self.in, rank) || !sends(limit, rank, limit))
        return false;
    for (int i = 0; i < ROUNDS; i++) {
        if (!arrives(&self.in, limit, false))
            return false;
        if (i + 1 < ROUNDS && !receive(&self.in, rank))
            return false;
        if (!sends(now(), rank, limit))
            return false;
    }
    return true;
}

/* Asks rank 0, as another rank. After a failure, the posted receive stays. */
static bool ask_rank_0(int moment, int64_t limit)
{
    int64_t quickest = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        if (!receive(&self.go, 0))
            return false;
        int64_t before = now();
        if (!sends(0, 0, limit) || !arrives(&self.go, limit, false))
            return false;
        int64_t after = now(), middle = before + (after - before) / 2;
        if (after - before < quickest)
            mpi_clock_note(moment, middle, self.go.word - middle);
        if (after - before < quickest)
            quickest = after - before;
    }
    return true;
}

static int mpi_clock_number(const char *name)
{
    const char *value = environment(name);
    return value ? atoi(value) : 0;
}

static bool on_one_node(int ranks)
{
    return ranks == 1 || mpi_clock_number("OMPI_COMM_WORLD_LOCAL_SIZE") == ranks ||
           mpi_clock_number("MPI_LOCALNRANKS") == ranks;
}

static bool begin_all(int64_t limit)
{
    for (int rank = 1; rank < self.ranks; rank++)
        if (!serve(rank, limit))
            return false;
    return true;
}

void mpi_clock_begin(int rank, int ranks)
{
    const char *how = environment("IOTRACE_ALIGN");
    bool always = how && !strcmp(how, "always"), one = on_one_node(ranks);
    self.rank = rank;
    self.ranks = ranks;
    self.on = ranks > 1 && (always || (!one && how && !strcmp(how, "1")));
    clock_renew();
    int64_t limit = now() + ALL_LIMIT;
    if (one || (self.on && !rank))
        mpi_clock_note(0, now(), 0);
    if (!self.on)
        return;
    if (!rank)
        self.on = begin_all(limit);
    else
        self.on = receive(&self.go, 0) &&
                  arrives(&self.go, 2 * ALL_LIMIT + now(), true) &&
                  ask_rank_0(0, limit + 2 * ALL_LIMIT) && receive(&self.go, 0);
}

/* Ends with all ranks, after the program's last receive: the rest of our messages goes
 * to nobody. */
static void end_all(int64_t limit)
{
    for (int rank = 1; rank < self.ranks && now() < limit; rank++) {
        int64_t its = now() + ONE_LIMIT;
        if (!serve(rank, its < limit ? its : limit))
            mpi_clock_give_up(&self.in);
    }
}

/* Ends this rank. "go" may be old: rank 0 tells its time. */
static void end_one(int64_t limit)
{
    if (!arrives(&self.go, limit, true))
        return;
    int64_t ours = recorder.header ? recorder.header->offset_ns[0] : 0;
    int64_t left = self.go.word - (now() + ours);
    if (left > ONE_LIMIT / 10)
        ask_rank_0(1, now() + left);
}

void mpi_clock_end(void)
{
    bool known = recorder.header && recorder.header->offset_at_ns[0];
    if (known && (!self.on || !self.rank)) {
        clock_renew();
        if (!self.rank || on_one_node(self.ranks))
            mpi_clock_note(1, now(), 0);
    }
    clock_renew();
    if (self.on && !self.rank)
        end_all(now() + ALL_LIMIT);
    else if (self.on)
        end_one(now() + ALL_LIMIT);
    self.on = false;
    mpi_clock_give_up(&self.go);
    mpi_clock_give_up(&self.in);
}
