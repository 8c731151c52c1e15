#include "ldad/measure/workload.h"
#include "base/err.h"
#include "base/mem.h"
#include "ldad/lib/libldad.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- --io ------------------------------------------------------------------------ */

/* The options that a method stands for. */
static const struct {
    const char *name;
    const char *words[3];
} methods[] = {
    {"independent", {"--iomethod=MPI", "--filetype=SHARED", "--no-collective"}},
    {"collective", {"--iomethod=MPI", "--filetype=SHARED", "--collective"}},
    {"collective-nocb", {"--iomethod=MPI", "--filetype=SHARED", "--collective"}},
    {"hdf5", {"--iomethod=HDF5", "--filetype=SHARED", "--collective"}},
    {"unique", {"--iomethod=POSIX", "--filetype=UNIQUE", "--no-collective"}},
    {"partitioned", {"--iomethod=POSIX", "--filetype=PARTITIONED", "--collective"}},
};

enum { METHODS = sizeof methods / sizeof *methods, WORDS = 3 };

/* Finds the method that words[0] names, after "--io=" or in the next word; -1: none. */
static int method_named(char **words, int left, int *used)
{
    const char *name = NULL;
    *used = 1;
    if (!strncmp(words[0], "--io=", 5))
        name = words[0] + 5;
    else if (!strcmp(words[0], "--io") && left > 1) {
        name = words[1];
        *used = 2;
    }
    for (int i = 0; name && i < METHODS; i++)
        if (!strcasecmp(methods[i].name, name))
            return i;
    *used = 1;
    return -1;
}

/* Puts the options that --io stands for behind it, so that later words still win.
 * Returns the number of words. */
static int expand(const char *name, int argc, char **argv, char **out)
{
    int n = 0, used;
    for (int i = 0; i < argc; i += used) {
        int m = method_named(argv + i, argc - i, &used);
        for (int k = 0; k < used; k++)
            out[n++] = argv[i + k];
        for (int k = 0; k < WORDS && m >= 0; k++)
            out[n++] = (char *)methods[m].words[k];
    }
    out[0] = (char *)name;
    out[n] = NULL;
    return n;
}

static bool unexpanded; /* the expansion had no memory */

/* Runs a workload's main. Others wait for this rank in MPI_Init, so the plan reports a
 * lack of memory. */
int workload_main(const struct workload *w, int argc, char **argv)
{
    char **words = malloc(((size_t)argc * (WORDS + 1) + 1) * sizeof *words);
    unexpanded = !words;
    if (unexpanded)
        argv[0] = (char *)w->name;
    else
        argc = expand(w->name, argc, argv, words);
    int status = run_main(w, argc, unexpanded ? argv : words);
    free(words);
    return status;
}

/* ---- before the first phase ------------------------------------------------------ */

static int workload_check(const struct ldad_workload *w)
{
    const struct run_options *o = &w->options->run;
    if (unexpanded)
        return mem_none(NULL, 0, "the options");
    if (!strcmp(o->filetype, "UNIQUE") && o->collective)
        return err_usage(
            "--collective needs a file that ranks share: leave it out with "
            "--filetype=UNIQUE");
    if (!strcmp(o->filetype, "UNIQUE") && !strcmp(w->run->engine, "hdf5"))
        return err_usage("--filetype=UNIQUE is for regular files: take another "
                         "--iomethod than HDF5");
    return 0;
}

static const char *method_of(const struct ldad_workload *w)
{
    const struct run_options *o = &w->options->run;
    if (!strcmp(o->filetype, "UNIQUE"))
        return "unique";
    if (w->run->partitioned)
        return "partitioned";
    if (!o->collective)
        return "independent";
    return w->options->io && !strcmp(w->options->io, "collective-nocb")
               ? "collective-nocb"
               : "collective";
}

bool workload_collective(const struct ldad_workload *w)
{
    return w->options->run.collective && !w->run->partitioned;
}

static int make_info(struct ldad_workload *w)
{
    const struct run *r = w->run;
    char plan[LDAD_TEXT + 64], seconds[32];
    const char *dirs = w->options->run.node_dirs;
    if (dirs && strlen(dirs) >= MPI_MAX_INFO_VAL)
        return err_usage("--node-dirs: this MPI library's MPI_Info takes %d characters",
                         MPI_MAX_INFO_VAL - 1);
    if (ldad_plan_print(plan, sizeof plan, &w->plan) >= MPI_MAX_INFO_VAL)
        return err_set(-EINVAL, NULL, -1,
                       "the plan of the file is too long for this MPI library's "
                       "MPI_Info: \"%.300s\"",
                       plan);
    snprintf(seconds, sizeof seconds, "%g", w->options->run.io_timeout);
    MPI_Info_create(&w->info);
    MPI_Info_set(w->info, "ldad_method", method_of(w));
    MPI_Info_set(w->info, "ldad_engine", r->engine);
    MPI_Info_set(w->info, "ldad_plan", plan);
    MPI_Info_set(w->info, "ldad_timeout_s", seconds);
    MPI_Info_set(w->info, LIBLDAD_SCRATCH, "yes");
    if (w->options->run.collective)
        MPI_Info_set(w->info, "ldad_collective", "yes");
    if (w->options->run.node_dirs)
        MPI_Info_set(w->info, "ldad_node_dirs", w->options->run.node_dirs);
    for (int i = 0; i < r->hint_count; i++)
        MPI_Info_set(w->info, r->hints[i].key, r->hints[i].value);
    return 0;
}

int workload_plan(struct ldad_workload *w, int rc, int64_t file_bytes,
                  struct run_need *n)
{
    struct run *r = w->run;
    w->info = MPI_INFO_NULL;
    if (!rc)
        rc = workload_check(w);
    if (!rc)
        rc = ldad_map_make(&w->map, &w->plan);
    if (rc)
        return rc;
    ldad_plan_print(r->plan, sizeof r->plan, &w->plan);
    n->files = w->files;
    n->disk_bytes = w->files * file_bytes;
    n->steps = 1;
    return 0;
}

int workload_open(struct run *r)
{
    struct ldad_workload *w = r->context;
    int rc = make_info(w);
    if (rc)
        return rc;
    if (!r->partitioned) /* else it was reported already */
        report_note(r->report, "plan", "%s", r->plan);
    report_note(r->report, "method", "%s, %s", method_of(w),
                ldad_relation_text(ldad_plan_relation(&w->plan)));
    w->timed = (struct timed){.run = r, .map = &w->map, .unique = !r->shared};
    timed_use(&w->timed);
    return 0;
}

void workload_close(struct run *r)
{
    struct ldad_workload *w = r->context;
    if (w->run && w->info != MPI_INFO_NULL)
        MPI_Info_free(&w->info);
}

int workload_called(const struct ldad_workload *w, int failed)
{
    return failed && !w->run->failed
               ? err_set(-EIO, NULL, -1, "a call of MPI-IO failed")
               : 0;
}

/* ---- repetitions ----------------------------------------------------------------- */

static int make_path(const struct ldad_workload *w, const char *role, workload_path out)
{
    const struct run *r = w->run;
    const struct run_options *o = r->options;
    char rep[16] = "";
    if (o->repeat > 1) /* not the same name anew: network file systems mix them up */
        snprintf(rep, sizeof rep, ".rep%d", r->rep);
    if (snprintf(out, sizeof(workload_path), "%s/ldad-%s.%s%s", o->dir, r->id, role,
                 rep) < (int)sizeof(workload_path) - 16)
        return 0;
    return err_set(-ENAMETOOLONG, NULL, -1, "--dir is too long a path");
}

int workload_begin(struct run *r, void *unused)
{
    struct ldad_workload *w = r->context;
    int rc = 0;
    (void)unused;
    w->timed.read_bytes = w->timed.foreign_bytes = 0;
    for (int i = 0; i < w->files && !rc; i++)
        rc = make_path(w, w->role[i], w->path[i]);
    return rc;
}

void workload_figures(struct run *r)
{
    const struct ldad_workload *w = r->context;
    int64_t sum[2] = {w->timed.foreign_bytes, w->timed.read_bytes};
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, r->world.comm);
    report_figure(r->report, "foreign_read_bytes", "1", "lower",
                  "bytes of all ranks' reads that another rank had written",
                  (double)sum[0]);
    report_figure(r->report, "foreign_read_share", "%", "lower",
                  "foreign_read_bytes / bytes of all ranks' reads x 100",
                  sum[1] ? 100.0 * (double)sum[0] / (double)sum[1] : 0);
}

int workload_put_away(struct run *r, int rc)
{
    struct ldad_workload *w = r->context;
    for (int i = 0; i < w->files; i++) {
        int removed = w->path[i][0] ? timed_file_remove(w->path[i]) : 0;
        rc = rc ? rc : removed;
    }
    return rc;
}

/* ---- checks ---------------------------------------------------------------------- */

enum act workload_care_begin(struct ldad_workload *w)
{
    return phase_act(w->run->phase, ACT_CHECK);
}

void workload_care_end(struct ldad_workload *w, enum act before)
{
    phase_act(w->run->phase, before);
}

void workload_checked(struct ldad_workload *w, int64_t offset, int64_t bytes,
                      const char *why)
{
    struct run *r = w->run;
    r->checked++;
    if (!why)
        return;
    r->bad++;
    int rc = err_set(-EIO, w->timed.path, offset,
                     "verification failed: the %lld bytes here are not what was "
                     "written: %s",
                     (long long)bytes, why);
    if (!r->failed)
        r->failed = rc;
}
