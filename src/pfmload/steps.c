/* The beginning and the end of a load: options, input, publication. */
#include "pfmload/steps.h"
#include "base/err.h"
#include "base/units.h"
#include "pfmload/schemes/roles.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------- */

static int check_ranks(const struct scheme *s, int ranks)
{
    if (s->ranks_max && ranks > s->ranks_max)
        return err_usage("scheme %s has work for one rank, and there are %d: start it "
                         "without mpiexec, or choose another --scheme",
                         s->name, ranks);
    if (ranks < s->ranks_min)
        return err_usage("scheme %s needs a master, an I/O node and a slave: start at "
                         "least %d rank%s, or choose --scheme=serial or G",
                         s->name, s->ranks_min, units_s(s->ranks_min));
    return 0;
}

/* Checks --queue-limit: each slave must be able to send. */
static int check_queue(const struct load *l)
{
    int64_t limit = l->set->queue_limit, slaves = l->r->world.size - LOAD_SLAVES;
    if (l->scheme != &scheme_d_threaded || !limit || limit >= slaves)
        return 0;
    return err_usage(
        "--queue-limit=%lld: each of the %lld slaves needs a buffer; allow "
        "as many at least, or 0 for any number",
        (long long)limit, (long long)slaves);
}

static int check_writers(const struct load *l)
{
    int64_t asked = l->set->io_ranks, ranks = l->r->world.size;
    if (asked && l->scheme != &scheme_g)
        return err_usage("--io-ranks=%lld: in scheme %s one rank writes; only in G do "
                         "several",
                         (long long)asked, l->scheme->name);
    if (asked > ranks)
        return err_usage("--io-ranks=%lld: there are only %lld ranks that could write; "
                         "ask for fewer, or start more ranks",
                         (long long)asked, (long long)ranks);
    return 0;
}

/* Refuses what the scheme cannot do. */
static int check_scheme(const struct load *l)
{
    const struct scheme *s = l->scheme;
    const struct run *r = l->r;
    int rc = check_ranks(s, r->world.size);
    if (!rc)
        rc = check_queue(l);
    if (!rc)
        rc = check_writers(l);
    if (rc)
        return rc;
    if (!r->engine && s->reads_back)
        return err_usage("IOMODE=NONE: scheme %s reads back what it wrote; serial with "
                         "--library=cached, F and G do not",
                         s->name);
    if (r->async && s->reads_back)
        return err_usage("IOMODE=ASYNC: in scheme %s each transfer needs the one "
                         "before; serial with --library=cached, F and G can overlap",
                         s->name);
    if (r->options->collective && !s->shared)
        return err_usage("--collective: one rank writes in scheme %s; only in G all do",
                         s->name);
    if (r->engine && s->lanes > 1 && io_engine_calls_mpi(r->engine))
        return err_usage("IOMETHOD=MPI: in scheme %s the thread that writes is not the "
                         "one that may call MPI; choose POSIX",
                         s->name);
    return 0;
}

/* Sets --dir to the directory of the PFM, where everything is made. */
static void set_dir(struct load *l)
{
    static char dir[PFM_PATH];
    snprintf(dir, sizeof dir, "%s", l->dest.handle);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    l->r->options->dir = slash ? dir : ".";
}

/* **Collective.** Sets the default of --memory: the ranks of a node use at most half of
 * its memory. The same on all nodes, as ranks have equal work. */
static void settle_memory(const struct load *l)
{
    int64_t node = world_memory_available();
    int64_t share = node / 2 / l->r->world.node_ranks;
    bool said = opt_find(l->r->program, "memory")->from != OPT_DEFAULT;
    if (said || node < 0 || share > settings.memory)
        share = settings.memory;
    share = share < SETTINGS_MEMORY_MIN ? SETTINGS_MEMORY_MIN : share;
    MPI_Allreduce(&share, &settings.memory, 1, MPI_INT64_T, MPI_MIN, l->r->world.comm);
}

int steps_settle(struct load *l)
{
    const struct settings *s = l->set;
    const char *name = s->scheme ? s->scheme : l->r->world.size > 1 ? "G" : "serial";
    int rc = settings_settle(l->r->program);
    l->scheme = load_scheme(name, s->library);
    if (!rc && !l->scheme)
        rc = err_usage("--scheme=%s is not built", name);
    if (!rc)
        rc = check_scheme(l);
    if (!rc)
        rc = dest_name(&l->dest, s->run.dir, s->output);
    if (!rc)
        set_dir(l);
    settle_memory(l);
    return err_agree(l->r->world.comm, rc);
}

/* ---- the input ------------------------------------------------------------------ */

/* Refuses a PFM with attributes or errors of soundings, which would be lost. */
static int check_old(const struct load *l)
{
    const struct pfm_head *h = pfm_head(l->old);
    if (!h->bin_attribute_bits && !h->attribute_bits && !h->horizontal_bits &&
        !h->vertical_bits)
        return 0;
    return err_set(-ENOTSUP, l->dest.handle, -1,
                   "this PFM has attributes or errors beside its soundings, which "
                   "--append does not keep");
}

/* Refuses a file that is already in the PFM: all its soundings would be there twice. */
static int check_inputs(const struct load *l)
{
    for (int64_t i = 0; i < l->list->n; i++)
        for (int64_t k = 0; k < l->inputs.files; k++)
            if (!l->inputs.file[k].deleted &&
                !strcmp(l->list->file[i].path, l->inputs.file[k].path))
                return err_set(-EEXIST, l->list->file[i].path, -1,
                               "this file is in the PFM already");
    return 0;
}

/* **Collective.** Checks that all ranks see the PFM that rank 0 found: nodes with
 * different files would combine halves of two PFMs. */
static int check_same(struct load *l)
{
    if (!l->set->append)
        return 0;
    MPI_Bcast(&l->dest.base, sizeof l->dest.base, MPI_BYTE, 0, l->r->world.comm);
    return err_agree(l->r->world.comm, dest_check_base(&l->dest));
}

static int open_old(struct load *l)
{
    if (!l->set->append)
        return 0;
    int rc = pfm_open(&l->old, l->dest.handle);
    if (!rc)
        pfm_tell(l->old, load_told(l));
    if (!rc)
        rc = check_old(l);
    if (!rc)
        rc = pfm_inputs_read(&l->inputs, l->dest.handle);
    if (!rc)
        rc = check_inputs(l);
    l->inputs_before = l->inputs.files;
    l->lines_before = l->inputs.lines;
    return rc;
}

/* Looks for files of unfinished runs: parts of this PFM beside it, and
 * scratch files. */
static void look_for_leftovers(const struct load *l)
{
    char folder[PFM_PATH], prefix[PFM_PATH];
    snprintf(folder, sizeof folder, "%s", l->dest.handle);
    char *name = strrchr(folder, '/');
    *name++ = 0;
    snprintf(prefix, sizeof prefix, "%.2048s.", name);
    run_leftovers(l->r, folder[0] ? folder : "/", prefix);
    if (l->set->scratch_dir)
        run_leftovers(l->r, l->set->scratch_dir, "pfmload-");
}

/* The first input, which determines the reported storage if files are in
 * several places. */
static const char *first_input(const struct list *l)
{
    int64_t i = 0;
    while (i + 1 < l->n && l->file[i].bad)
        i++;
    return l->file[i].path;
}

/* Opens one queue for all inputs and scratch files of this rank, if the engine can
 * do that. */
static int open_queue(struct load *l)
{
    struct run *r = l->r;
    struct io_queue *q = NULL;
    int rc = 0;
    if (r->engine && io_engine_shares_queue(r->engine))
        rc = run_queue_open(r, &q, EXTSORT_DEPTH, EXTSORT_TRANSFER);
    l->sorted_io = (struct sorted_io){.run = r, .queue = q};
    l->reader = (struct reader){.run = r, .queue = q, .take_cut = l->set->truncated};
    return rc;
}

/* Locks and checks the destination; a load that does not keep its PFM blocks nobody. */
static int look_at_dest(struct load *l)
{
    const struct settings *s = l->set;
    bool keep = l->r->options->keep;
    int rc = keep ? dest_lock(&l->dest) : 0;
    if (!rc && (keep || s->append))
        rc = dest_check(&l->dest, s->append || s->overwrite);
    return rc;
}

int steps_begin(struct run *r)
{
    struct load *l = r->context;
    const struct settings *s = l->set;
    char bytes[16];
    int rc = open_queue(l);
    dest_name_part(&l->dest, l->r->id);
    if (l->r->engine)
        look_for_leftovers(l);
    if (!rc && load_is_first(l) && l->r->engine)
        rc = look_at_dest(l);
    rc = err_agree(l->r->world.comm, rc);
    if (!rc)
        rc = list_open(&l->list, l->r->world.comm, &s->files, &s->lists, s->skip_bad);
    if (!rc)
        rc = run_reads(l->r, first_input(l->list));
    if (!rc)
        rc = err_agree(l->r->world.comm, open_old(l));
    if (!rc)
        rc = check_same(l);
    if (!rc)
        report_note(l->r->report, "input", "%lld file%s, %s%s", (long long)l->list->n,
                    units_s(l->list->n), units_bytes(bytes, l->list->bytes),
                    l->old ? ", added to a PFM" : "");
    if (!rc && l->r->io_flags & IO_DIRECT)
        report_note(
            l->r->report, "direct",
            "GSF files and scratch files go past the page cache; the files of the PFM, "
            "whose pieces are no whole blocks, through it, with a sync at the end of "
            "each phase");
    for (int64_t i = 0; !rc && i < l->list->n; i++)
        rc = pfm_inputs_add(&l->inputs, l->list->file[i].path, PFM_GSF);
    return err_agree(l->r->world.comm, rc);
}

/* ---- the end -------------------------------------------------------------------- */

int steps_put_away(struct run *r, int failed)
{
    struct load *l = r->context;
    bool publish = !failed && r->rep == r->options->repeat && r->options->keep;
    int rc = 0;
    feed_close(&l->feed);
    free(l->known);
    l->known = NULL;
    if (!l->r->engine)
        return 0;
    run_file_close(&l->blocks, false);
    run_file_close(&l->bins, false);
    run_file_close(&l->coverage, false);
    if (l->blocks.path[0])
        run_stripes(l->r, l->blocks.path);
    if (load_is_first(l) && publish)
        rc = dest_publish(&l->dest);
    if (load_is_first(l) && (rc || !publish))
        dest_remove(&l->dest);
    rc = err_agree(l->r->world.comm, rc);
    if (!load_is_first(l)) /* the next repetition makes other files of these names */
        dest_forget(&l->dest);
    return rc;
}

int steps_tell_left_out(struct run *r, int rc)
{
    const struct load *l = r->context;
    if (!rc && load_is_first(l) && l->scan.bad)
        err_tell("pfmload", "note", NULL,
                 "%lld of %lld file%s %s not in the PFM, see \"left out\" above, or "
                 "the report",
                 (long long)l->scan.bad, (long long)l->list->n, units_s(l->list->n),
                 l->scan.bad == 1 ? "is" : "are");
    if (!rc && load_is_first(l) && l->left_out[0])
        err_tell("pfmload", "warning", NULL, "%s", l->left_out);
    return rc;
}

void steps_end(struct run *r)
{
    struct load *l = r->context;
    reader_free(&l->reader);
    io_queue_close(&l->sorted_io.queue);
    list_close(&l->list);
    pfm_inputs_free(&l->inputs);
    pfm_close(&l->old);
    dest_unlock(&l->dest);
    free(l->item);
    l->item = NULL;
}
