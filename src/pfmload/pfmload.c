/* pfmload: soundings from GSF files into the bins of a PFM. After the parallel loader
 * of Miller, Sarnowski and Layne (2002), whose schemes are in scheme_*.c.
 *
 * Memory of a rank: --memory; nothing grows with the number of files but their
 * names. */
#include "base/err.h"
#include "pfmload/steps.h"
#include "pfmload/store/writer.h"
#include <string.h>

static int repetition(struct load *l, bool last)
{
    struct run *r = l->r;
    steps_rep_begin(l);
    int rc = steps_scan(l);
    if (!rc)
        rc = steps_load(l);
    if (!rc)
        rc = steps_finish(l);
    if (!rc && r->verify)
        rc = steps_check(l);
    if (!rc)
        run_rep_end(r);
    if (!rc)
        steps_figures(l);
    int put = steps_put_away(l, !rc && last && r->options->keep);
    return rc ? rc : put;
}

/* What becomes of the soundings is not known before they are read. */
static int dry(const struct run *r, int64_t memory)
{
    struct run_need need = {.memory_bytes = memory,
                            .files = -1,
                            .disk_bytes = -1,
                            .write_bytes = -1,
                            .read_bytes = -1};
    return run_dry(r, &need);
}

static int run_all(struct load *l, int argc, char **argv)
{
    struct run *r = l->r;
    int rc = steps_settle(l);
    if (!rc && r->options->dry_run)
        return dry(r, l->set->memory);
    if (!rc)
        rc = run_ready(r, argc, argv, l->set->memory, -1, l->scheme->name,
                       r->async ? 2 : 1, 0);
    if (!rc)
        rc = steps_begin(l);
    for (int64_t i = 0; i < r->options->repeat && !rc; i++)
        rc = repetition(l, i == r->options->repeat - 1);
    if (!rc)
        steps_tell_bad(l);
    steps_end(l);
    return rc;
}

int main(int argc, char **argv)
{
    static struct run r;
    static struct load l = {.r = &r, .set = &settings};
    int status;
    if (!run_start(&r, &pfmload_program, &settings.run, &argc, &argv, &status))
        return status;
    return run_finish(&r, r.failed ? r.failed : run_all(&l, argc, argv));
}
