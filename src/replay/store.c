/* Stores files of ranks as one file, and one file as files of ranks. */
#include "base/err.h"
#include "io/io.h"
#include "replay/replay.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool replay_is_shared(const struct replay *p, int n)
{
    return !p->file[n].own && p->file[n].alone < 0;
}

/* Finds the range that a rank transfers; *high is 0 if there is none. */
static void find_extent(const struct replay *p, int n, int64_t rank, int64_t *low,
                        int64_t *high)
{
    *low = INT64_MAX;
    *high = 0;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        const struct skeleton_plan *plan = skeleton_plan_of(t, rank);
        if (!replay_is_done(p, t) || t->file != n)
            continue;
        if (t->drawn_calls) {
            *low = 0;
            *high = p->file[n].bytes;
        }
        for (int d = 0; plan && d < plan->ds; d++) {
            struct ldad is =
                ldad_plan_rank(&plan->d[d].plan, skeleton_place(&plan->of, rank));
            *low = ldad_low(&is) < *low ? ldad_low(&is) : *low;
            *high = ldad_high(&is) > *high ? ldad_high(&is) : *high;
        }
    }
    *low = *high ? *low : 0;
}

/* True with --ranks, where one process stands for all ranks. */
static bool pretends(const struct run *r)
{
    int real;
    MPI_Comm_size(r->world.comm, &real);
    return real < r->world.size;
}

/* True if each rank's range ends before the next one's begins. Ranks without a range
 * are left out. */
static bool is_segmented(const struct run *r, const struct replay *p, int n)
{
    const struct replay_file *f = &p->file[n];
    int64_t before = 0, low, high;
    bool right = true;
    for (int rank = 0; pretends(r) && rank < r->world.size && right; rank++) {
        find_extent(p, n, rank, &low, &high);
        right = !high || before <= low;
        before = high > before ? high : before;
    }
    if (pretends(r))
        return right;
    MPI_Exscan(&f->high, &before, 1, MPI_INT64_T, MPI_MAX, r->world.comm);
    right = r->world.rank == 0 || !f->high || before <= f->low;
    world_reduce(r->world.comm, &right, 1, MPI_C_BOOL, MPI_LAND);
    return right;
}

int64_t replay_file_bytes(const struct run *r, int n)
{
    const struct replay *p = r->context;
    int64_t bytes = p->file[n].stored_bytes, all = 0;
    if (!p->file[n].own)
        return bytes;
    if (!pretends(r))
        MPI_Allreduce(&bytes, &all, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    else if (__builtin_mul_overflow(p->is.file[n].bytes, (int64_t)r->world.size, &all))
        all = INT64_MAX;
    return all < 0 ? INT64_MAX : all;
}

static int make_unique(const struct run *r, struct replay *p, int n)
{
    struct replay_file *f = &p->file[n];
    if (f->alone >= 0)
        return 0;
    if (!is_segmented(r, p, n))
        return err_usage(
            "--filetype=UNIQUE: ranks use parts of file-%d of the skeleton that mix or "
            "overlap, so it cannot be stored as one file per rank",
            n + 1);
    f->own = true;
    f->shift = -f->low;
    f->stored_bytes = f->high - f->low;
    return 0;
}

static int make_shared(const struct run *r, struct replay *p, int n)
{
    struct replay_file *f = &p->file[n];
    int64_t most = f->bytes, all;
    world_reduce(r->world.comm, &most, 1, MPI_INT64_T, MPI_MAX);
    if (__builtin_mul_overflow(most, (int64_t)r->world.size, &all))
        return err_usage("--filetype=SHARED: file-%d of the skeleton would exceed "
                         "2^63 - 1 bytes",
                         n + 1);
    f->own = false;
    f->shift = most * r->world.rank;
    f->stored_bytes = all;
    return 0;
}

/* Finds the first plan by which all ranks together write (or read) their own bytes. */
static const struct ldad_plan *plan_of(const struct replay *p, int n, bool write)
{
    struct ldad_map map;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        if (!replay_is_done(p, t) || t->file != n || !skeleton_moves(t) ||
            t->write != write || t->plans != 1)
            continue;
        const struct skeleton_plan *plan = t->plan;
        bool all = plan->of.ranks == p->is.ranks && plan->ds == 1;
        if (all && !ldad_map_make(&map, &plan->d[0].plan))
            return &plan->d[0].plan;
        err_clear();
    }
    return NULL;
}

static int make_partitioned(const struct run *r, struct replay *p, int n)
{
    struct replay_file *f = &p->file[n];
    if (!f->bytes || !replay_is_shared(p, n))
        return 0;
    const struct ldad_plan *plan = plan_of(p, n, true);
    if (!plan && f->before)
        plan = plan_of(p, n, false);
    if (!plan)
        return err_usage("--filetype=PARTITIONED: no plan of all ranks gives each of "
                         "them bytes of its own in file-%d of the skeleton, so it "
                         "cannot be partitioned",
                         n + 1);
    f->plan = *plan;
    f->parts = true;
    return io_engine_of_method(r->options->iomethod, 0, &p->inner);
}

static int check_parts(const struct replay *p)
{
    for (int i = 0; i < p->is.files; i++)
        if (p->file[i].parts)
            return 0;
    return err_usage("--filetype=PARTITIONED: no file of the skeleton is one that "
                     "several ranks use");
}

int replay_store(struct run *r)
{
    struct replay *p = r->context;
    const char *type = p->set.run.filetype;
    bool unique = !strcmp(type, "UNIQUE"), shared = !strcmp(type, "SHARED");
    int rc = 0;
    for (int i = 0; i < p->is.files && !rc; i++) {
        struct replay_file *f = &p->file[i];
        f->own = f->each;
        f->stored_bytes = f->bytes;
        find_extent(p, i, r->world.rank, &f->low, &f->high);
        if (unique && !f->each)
            rc = make_unique(r, p, i);
        else if (shared && f->each)
            rc = make_shared(r, p, i);
        else if (r->partitioned)
            rc = make_partitioned(r, p, i);
        rc = err_agree(r->world.comm, rc);
    }
    if (!rc && r->partitioned)
        rc = check_parts(p);
    if (!unique && !shared) { /* sets the file type that the report names */
        r->shared = false;
        for (int i = 0; i < p->is.files; i++)
            r->shared = r->shared || (p->file[i].bytes > 0 && replay_is_shared(p, i));
    }
    return rc;
}
