/* Makes the findings: gathers, measures the run, judges; tells what logs cannot
 * show. */
#include "base/err.h"
#include "base/mem.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run ---------------------------------------------------------------- */

static void measure_actor(struct actor *a)
{
    if (!a->begin_ns)
        a->begin_ns = a->first_ns;
    if (!a->end_ns)
        a->end_ns = a->last_ns;
}

static void measure_time(struct findings *f)
{
    int64_t first = 0, last = 0;
    for (uint32_t i = 0; i < f->actors; i++) {
        struct actor *a = &f->actor[i];
        measure_actor(a);
        if (!a->scope || !a->first_ns)
            continue;
        if (!first || a->first_ns < first)
            first = a->first_ns;
        if (a->last_ns > last)
            last = a->last_ns;
        if (f->ranks && a->end_ns - a->begin_ns > f->wall_ns)
            f->wall_ns = a->end_ns - a->begin_ns;
    }
    f->begin_ns = first;
    if (!f->ranks)
        f->wall_ns = last - first;
}

/* Finds the cores that the ranks of a host may use; `host` is its first actor.
 * Launchers bind ranks to cores of their own; if a log does not list them, the most
 * that any rank may use counts. Returns the number of ranks. */
static int cores_of_host(const struct findings *f, uint32_t host, int *cores)
{
    unsigned char set[TRACE_CPUS / 8] = {0};
    int ranks = 0, most = 0, all = 0;
    bool known = true;
    for (uint32_t i = host; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (!a->scope || a->client != host)
            continue;
        ranks++;
        most = a->cores > most ? a->cores : most;
        known = known && *a->cpus && facts_add_cpus(a->cpus, set);
    }
    for (size_t i = 0; i < sizeof set && known && ranks; i++)
        all += __builtin_popcount(set[i]);
    *cores = all > most ? all : most;
    return ranks;
}

static void measure_cores(struct findings *f)
{
    for (uint32_t h = 0; h < f->actors; h++) {
        int cores = 0;
        int ranks = f->actor[h].client == h ? cores_of_host(f, h, &cores) : 0;
        if (ranks == 0)
            continue;
        if (cores && ranks > cores) {
            f->short_of_cores = true;
            f->most_on_host = ranks > f->most_on_host ? ranks : f->most_on_host;
        }
        if (f->cores == 0 || cores < f->cores)
            f->cores = cores;
    }
    for (uint32_t i = 0; i < f->actors; i++)
        f->waited |= f->actor[i].scope &&
                     (double)f->actor[i].waited_ns > 0.1 * (double)f->wall_ns;
}

double actor_thread_ns(const struct actor *a)
{
    double ns = 0;
    for (int k = 0; k < KINDS; k++)
        ns += (double)a->kind_ns[k];
    return ns;
}

double actor_at_once(const struct actor *a)
{
    double ns = actor_thread_ns(a);
    return a->io_ns > 0 && ns > (double)a->io_ns ? ns / (double)a->io_ns : 1;
}

/* ---- gaps in the logs ------------------------------------------------------- */

static void count_unseen(struct findings *f)
{
    int ranks = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        ranks += f->actor[i].rank >= 0;
    f->unseen.ranks = f->rank_count;
    f->unseen.missing_ranks = f->rank_count > ranks ? f->rank_count - ranks : 0;
    f->unseen.logs = f->run.logs;
    f->unseen.unreadable = f->run.unreadable;
    f->unseen.followed = CELLS_MAX;
    complete_end(&f->unseen, f->run.path);
}

/* ---- findings that were not looked for -------------------------------------- */

static bool any_known(const struct findings *f,
                      int64_t (*of)(const struct findings *, const struct file *))
{
    for (uint32_t i = 0; i < f->files; i++)
        if (f->file[i].fold == FOLD_NONE && of(f, &f->file[i]))
            return true;
    return false;
}

static int64_t lock_of(const struct findings *f, const struct file *x)
{
    (void)f;
    return x->lock_bytes;
}

static int64_t facts_of(const struct findings *f, const struct file *x)
{
    (void)f;
    return x->facts;
}

/* Detects files of HDF5 or netCDF by the usual ends of their names. */
static int64_t is_hdf5(const struct findings *f, const struct file *x)
{
    static const char *const ends[] = {".h5", ".hdf5", ".he5", ".nc", ".nc4"};
    const char *dot = strrchr(names_get(&f->names, x->name), '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
        if (!strcmp(dot, ends[i]))
            return true;
    return false;
}

static void tell_not_judged(struct findings *f)
{
    if (!any_known(f, lock_of) && !any_known(f, facts_of))
        findings_need(f, NEEDS_LOCKS,
                      "the logs do not say where the files are (--lock=BYTES does)");
    if (!any_known(f, facts_of))
        findings_need(f, NEEDS_PLACES, "the logs do not say where the files are");
    if (!f->hdf5 && any_known(f, is_hdf5))
        findings_need(f, NEEDS_HDF5,
                      "calls of HDF5 were not recorded (IOTRACE_HDF5=1)");
    if (f->strangers && !f->collective_calls)
        findings_need(f, NEEDS_OPENERS,
                      "the logs do not say who opened a file together");
    if (unseen_share(&f->unseen, 0) < 0)
        findings_need(f, NEEDS_COUNTS, "the logs do not have the kernel's counts");
    if (f->extents_lost)
        findings_need(f, NEEDS_EXTENTS,
                      "the files are touched in more pieces, or by more ranks, than "
                      "can be followed");
}

/* Reads "ID,ID"; other findings are not looked for. Returns 0, or a sentence about one
 * that does not exist. */
static int take_only(struct findings *f, const char *only)
{
    for (int i = 0; i < IDS; i++)
        f->not_asked[i] = only != NULL;
    for (const char *s = only; s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        int i = 0;
        while (i < IDS &&
               (strncmp(finding_kind[i].id, s, n) != 0 || finding_kind[i].id[n] != 0))
            i++;
        if (i == IDS)
            return err_usage("no finding is called \"%.*s\": iotrace(1) lists them",
                             (int)(n < 60 ? n : 60), s);
        f->not_asked[i] = false;
        s += n;
        if (!*s)
            break;
    }
    return 0;
}

int findings_make(struct findings **out, const struct findings_ask *ask)
{
    struct findings *f = *out = mem_new(1, sizeof *f, "the findings");
    if (!f)
        return -ENOMEM;
    f->ask = *ask;
    int rc = take_only(f, ask->only);
    rc = rc ? rc : run_find(&f->run, ask->run);
    rc = rc ? rc : gather(f);
    if (rc)
        return rc;
    moments_end(f);
    risks_end(f);
    measure_time(f);
    measure_cores(f);
    fit_all(f);
    count_unseen(f);
    tell_not_judged(f);
    rc = findings_judge(f);
    return rc ? rc : f->memory;
}

int findings_worst(const struct findings *f)
{
    int worst = -1;
    for (int i = 0; i < f->found; i++)
        if ((int)f->finding[i].severity > worst)
            worst = (int)f->finding[i].severity;
    return worst;
}

int findings_status(const struct findings *f, int rc)
{
    return run_verdict(&f->run, rc);
}

void findings_free(struct findings **out)
{
    struct findings *f = *out;
    if (!f)
        return;
    moments_free(f);
    risks_free(f);
    blocks_free(f);
    cells_free(f);
    for (int i = 0; i < f->fits; i++)
        for (int p = 0; p < 48; p++)
            free(f->fit[i].hist[p]);
    for (int i = 0; i < f->found + f->risks; i++)
        free(f->finding[i].member);
    for (int i = 0; i < f->notes; i++) {
        free(f->note[i].log);
        free(f->note[i].text);
    }
    for (int k = 0; k < FOLDS; k++)
        free(f->fold[k].by_actor);
    names_free(&f->names);
    unseen_free(&f->unseen);
    free(f->finding);
    free(f->odd);
    free(f->note);
    free(f->file);
    free(f->file_of_name);
    free(f->group);
    free(f->group_of_name);
    free(f->actor);
    run_free(&f->run);
    free(f);
    *out = NULL;
}
