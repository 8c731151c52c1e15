/* Blocks that say where they belong, and the checking of them. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "run/run.h"
#include <errno.h>

static struct stamp stamp_of(const struct run *r, int mat, int version)
{
    /* Repetitions and passes write to fresh files, but a device may hand back old
     * blocks. */
    struct stamp s = {.seed = r->seed,
                      .rep = r->rep,
                      .pass = r->pass,
                      .version = version,
                      .rank = r->world.rank,
                      .mat = mat};
    return s;
}

void run_stamp(struct run *r, void *buf, int64_t bytes, int mat, int version)
{
    if (!r->verify)
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    struct stamp s = stamp_of(r, mat, version);
    stamp_fill(buf, 0, bytes, &s);
    phase_act(r->phase, before);
}

void run_noise(struct run *r, void *buf, int64_t bytes)
{
    struct stamp s = stamp_of(r, -1, 0);
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

static void found_bad(struct run_file *f, int64_t offset, int64_t bytes, int mat,
                      const char *why)
{
    struct run *r = f->run;
    r->bad++;
    int rc = err_set(-EIO, f->path, offset,
                     "verification failed: the block of %lld bytes "
                     "of matrix %d is not what was written: %s",
                     (long long)bytes, mat, why);
    if (!r->failed)
        r->failed = rc;
}

void run_check(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
               int mat, int version)
{
    struct run *r = f->run;
    char why[384];
    if (!r->verify || r->failed)
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    struct stamp s = stamp_of(r, mat, version);
    int64_t wrong = stamp_check(buf, 0, bytes, &s, why, sizeof why);
    r->checked++;
    if (wrong >= 0)
        found_bad(f, offset + wrong, bytes, mat, why);
    phase_act(r->phase, before);
}

void run_check_hash(struct run_file *f, uint64_t found, uint64_t expected,
                    int64_t offset, int64_t bytes, int mat)
{
    struct run *r = f->run;
    if (!r->verify || r->failed)
        return;
    r->checked++;
    if (found != expected)
        found_bad(f, offset, bytes, mat, "its fingerprint differs");
}
