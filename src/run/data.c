/* Stamped blocks, and their checks. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "base/units.h"
#include "run/set.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>

struct stamp run_stamp_of(const struct run *r, int worker, int mat, int version)
{
    /* Repetitions and passes write to fresh files, but a device may return
     * old blocks. */
    struct stamp s = {.seed = r->seed,
                      .rep = r->rep,
                      .pass = r->pass,
                      .version = version,
                      .rank = worker,
                      .mat = mat,
                      .mat_is = r->workload ? r->workload->mat_is : NULL};
    return s;
}

void run_fill(struct run *r, void *buf, int64_t bytes, const struct stamp *s)
{
    enum act before = phase_act(r->phase, ACT_CHECK);
    stamp_fill(buf, 0, bytes, s);
    phase_act(r->phase, before);
}

void run_stamp(struct run *r, void *buf, int64_t bytes, int mat, int version)
{
    struct stamp s = run_stamp_of(r, r->worker, mat, version);
    if (r->verify)
        run_fill(r, buf, bytes, &s);
}

void run_noise(struct run *r, void *buf, int64_t bytes)
{
    struct stamp s = run_stamp_of(r, r->worker, -1, 0);
    stamp_fill(buf, 0, bytes, &s);
}

void run_poison(struct run *r, void *buf, int64_t bytes)
{
    if (!r->verify)
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    buf_poison(buf, bytes);
    phase_act(r->phase, before);
}

static void found_bad(struct run *r, const char *path, int64_t offset, int64_t bytes,
                      const struct stamp *s, const char *why)
{
    r->bad++;
    int rc = err_set(-EIO, path, offset,
                     "verification failed: the %lld byte%s of %s %d "
                     "are not what was written: %s",
                     (long long)bytes, units_s(bytes), stamp_mat_is(s), s->mat, why);
    if (!r->failed)
        r->failed = rc;
}

enum { WHY = 384 };

/* The first wrong byte of a block that `worker` wrote; -1: there is none. */
static int64_t find_wrong(struct run *r, const void *buf, int64_t bytes,
                          const struct stamp *s, char why[WHY])
{
    if (!r->verify || r->failed)
        return -1;
    enum act before = phase_act(r->phase, ACT_CHECK);
    int64_t wrong = stamp_check(buf, 0, bytes, s, why, WHY);
    r->checked++;
    phase_act(r->phase, before);
    return wrong;
}

void run_check_stamp(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
                     const struct stamp *s)
{
    struct run *r = f->run;
    char why[WHY];
    int64_t wrong = find_wrong(r, buf, bytes, s, why);
    if (wrong >= 0)
        found_bad(r, f->path, offset + wrong, bytes, s, why);
}

void run_check(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
               int mat, int version)
{
    struct stamp s = run_stamp_of(f->run, run_shifted(f->run, 1), mat, version);
    run_check_stamp(f, buf, offset, bytes, &s);
}

/* Finds missing bytes, which the stamp of a shorter block does not show. */
static int64_t find_missing(struct run *r, int64_t has, int64_t bytes, char why[WHY])
{
    if (!r->verify || r->failed || has == bytes)
        return -1;
    snprintf(why, WHY, "the file has %lld bytes: " STAMP_STALE, (long long)has);
    return has < bytes ? has : bytes;
}

void run_whole_check(struct run_set *set, const struct io_whole *w, int64_t bytes,
                     int mat, int version)
{
    struct run *r = set->run;
    char why[WHY], path[RUN_SET_PATH];
    struct stamp s = run_stamp_of(r, set->place, mat, version);
    if (!set->folder)
        return;
    int64_t wrong = find_missing(r, w->bytes, bytes, why);
    if (wrong < 0)
        wrong = find_wrong(r, w->buf, bytes, &s, why);
    if (wrong >= 0)
        found_bad(r, run_set_path(set, w->name, path), wrong, bytes, &s, why);
}

void run_check_hash(struct run_file *f, struct run_hash hash, int64_t offset,
                    int64_t bytes, int mat)
{
    struct run *r = f->run;
    char why[WHY];
    struct stamp s = run_stamp_of(r, run_shifted(r, 1), mat, 0);
    if (!r->verify || r->failed)
        return;
    r->checked++;
    if (hash.found == hash.expected)
        return;
    snprintf(why, sizeof why,
             "its fingerprint differs: expected %016llx, of what rank %d wrote; found "
             "%016llx%s",
             (unsigned long long)hash.expected, run_shifted(r, 1),
             (unsigned long long)hash.found,
             hash.found == hash.earlier
                 ? ", of what was written there earlier: " STAMP_STALE
                 : ": " STAMP_WRONG);
    found_bad(r, f->path, offset, bytes, &s, why);
}
