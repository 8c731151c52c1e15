#include "pfmload/steps.h"
#include "base/err.h"
#include "base/scratch.h"
#include "base/units.h"
#include "pfmload/passes.h"
#include "pfmload/roles.h"
#include "pfmload/writer.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int agree(struct load *l)
{
    world_barrier(l->r->world.comm);
    return l->r->failed = err_agree(l->r->world.comm, l->r->failed);
}

static bool first(const struct load *l)
{
    return l->r->world.rank == 0;
}

/* ---- options -------------------------------------------------------------------- */

static int check_ranks(const struct scheme *s, int ranks)
{
    if (s->ranks_max && ranks > s->ranks_max)
        return err_usage("scheme %s has work for one rank, and there are %d: start it "
                         "without mpiexec, or choose another --scheme",
                         s->name, ranks);
    if (ranks < s->ranks_min)
        return err_usage("scheme %s needs a master, an I/O node and a slave: start at "
                         "least %d ranks, or choose --scheme=serial or G",
                         s->name, s->ranks_min);
    return 0;
}

/* Each slave must be able to send. */
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

/* What a scheme cannot do, it refuses. */
static int check_scheme(const struct load *l)
{
    const struct scheme *s = l->scheme;
    const struct run *r = l->r;
    int rc = check_ranks(s, r->world.size);
    if (!rc)
        rc = check_queue(l);
    if (rc)
        return rc;
    if (!r->engine && s->reads_back)
        return err_usage("IOMODE=NONE: scheme %s reads back what it wrote; serial with "
                         "--library=cached, F and G do not",
                         s->name);
    if (r->engine && !io_engine_stores(r->engine))
        return err_usage("I/O engine %s stores nothing: for everything but the I/O, "
                         "set IOMODE=NONE",
                         r->engine);
    if (r->async && s->reads_back)
        return err_usage("IOMODE=ASYNC: in scheme %s each transfer needs the one "
                         "before; serial with --library=cached, F and G can overlap",
                         s->name);
    if (r->options->collective && !s->shared)
        return err_usage("--collective: one rank writes in scheme %s; only in G all do",
                         s->name);
    if (r->engine && !strncmp(r->engine, "hdf5", 4))
        return err_usage("IOMETHOD=HDF5: a PFM is no HDF5 file; choose POSIX or MPI");
    if (r->engine && s->one_thread_only && !strncmp(r->engine, "mpiio", 5))
        return err_usage("IOMETHOD=MPI: in scheme %s the thread that writes is not the "
                         "one that may call MPI; choose POSIX",
                         s->name);
    return 0;
}

/* The directory of the PFM is where everything is made. */
static void set_dir(struct load *l)
{
    static char dir[PFM_PATH];
    snprintf(dir, sizeof dir, "%s", l->dest.handle);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    l->r->options->dir = slash ? dir : ".";
}

int steps_settle(struct load *l)
{
    const struct settings *s = l->set;
    const char *name = s->scheme ? s->scheme : l->r->world.size > 1 ? "G" : "serial";
    int rc = settings_settle();
    l->scheme = load_scheme(name, s->library);
    if (!rc && !l->scheme)
        rc = err_usage("--scheme=%s is not built", name);
    if (!rc)
        rc = check_scheme(l);
    if (!rc)
        rc = dest_name(&l->dest, s->run.dir, s->output);
    if (!rc)
        set_dir(l);
    return err_agree(l->r->world.comm, rc);
}

/* ---- the input ------------------------------------------------------------------ */

/* Attributes and errors of soundings would be lost. */
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

static int open_old(struct load *l)
{
    if (!l->set->append)
        return 0;
    int rc = pfm_open(&l->old, l->dest.handle);
    if (!rc)
        rc = check_old(l);
    if (!rc)
        rc = pfm_inputs_read(&l->inputs, l->dest.handle);
    l->inputs_before = l->inputs.files;
    l->lines_before = l->inputs.lines;
    return rc;
}

int steps_begin(struct load *l)
{
    const struct settings *s = l->set;
    char bytes[16];
    int rc = 0;
    dest_name_part(&l->dest, l->r->id);
    if (first(l) && l->r->engine && l->r->options->keep)
        rc = dest_check(&l->dest, s->append || s->overwrite);
    rc = err_agree(l->r->world.comm, rc);
    if (!rc)
        rc = list_open(&l->list, l->r->world.comm, &s->files, &s->lists, s->skip_bad);
    if (!rc)
        rc = err_agree(l->r->world.comm, open_old(l));
    if (!rc)
        report_note(l->r->report, "input", "%lld file%s, %s%s", (long long)l->list->n,
                    l->list->n == 1 ? "" : "s", units_bytes(bytes, l->list->bytes),
                    l->old ? ", added to a PFM" : "");
    for (int64_t i = 0; !rc && i < l->list->n; i++)
        rc = pfm_inputs_add(&l->inputs, l->list->file[i].path, PFM_GSF);
    return err_agree(l->r->world.comm, rc);
}

/* ---- scan ----------------------------------------------------------------------- */

static bool scan_is_due(const struct load *l)
{
    const struct settings *s = l->set;
    return s->skip_bad || !(s->append || (s->bounded && s->depths_given));
}

static struct pfm_form form(const struct load *l)
{
    const struct settings *s = l->set;
    const struct scan *c = &l->scan;
    struct pfm_form f = {.version = atof(s->version),
                         .record_length = s->record_length,
                         .bin_m = s->bin_m,
                         .files = l->inputs.files,
                         .pings = c->pings,
                         .beams = c->beams,
                         .west = s->bounded ? s->west : geo_box_west(&c->box),
                         .east = s->bounded ? s->east : geo_box_east(&c->box),
                         .south = s->bounded ? s->south : c->box.south,
                         .north = s->bounded ? s->north : c->box.north,
                         .depth_min = s->depths_given ? s->depth_min : c->depth_min,
                         .depth_max = s->depths_given ? s->depth_max : c->depth_max};
    if (!s->bounded && f.west == f.east) /* all soundings in one place */
        f.east += 1e-9;
    if (!s->bounded && f.south == f.north)
        f.north += 1e-9;
    return f;
}

static int scan(struct load *l)
{
    const struct settings *s = l->set;
    struct scan_options o = {.how = s->how,
                             .skip_bad = s->skip_bad,
                             .progress = !s->run.quiet,
                             .bounded = s->bounded};
    if (s->bounded) { /* the grid has whole bins */
        struct pfm_form f = form(l);
        int rc = pfm_head_make(&l->head, &f);
        if (rc)
            return rc;
        o.west = s->west;
        o.south = s->south;
        o.east = l->head.max_x;
        o.north = l->head.max_y;
    }
    int rc = scan_files(&l->scan, l->r->world.comm, l->list, &o);
    phase_move(l->r->phase, ACT_COMPUTE, ACT_READ, l->scan.read_ns);
    phase_transfer(l->r->phase, ACT_READ, l->scan.read_bytes, l->scan.read_ns);
    if (!rc && !l->scan.box.n)
        rc = err_set(-ENODATA, NULL, -1,
                     "none of the files has a sounding%s that can be loaded",
                     s->bounded ? " within the bounds" : "");
    return rc;
}

static int make_head(struct load *l)
{
    struct pfm_form f = form(l);
    if (!l->set->append)
        return pfm_head_make(&l->head, &f);
    l->head = *pfm_head(l->old);
    return 0;
}

static void tell_grid(struct load *l)
{
    const struct pfm_head *h = &l->head;
    report_note(l->r->report, "grid",
                "%lld x %lld bins of %g m, blocks of %lld soundings in %lld bytes, "
                "PFM %.2f",
                (long long)h->width, (long long)h->height, h->bin_m,
                (long long)h->record_length, (long long)h->block_bytes, h->version);
}

static int by_bytes(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

/* Rows of a PFM in pieces, so that several ranks can read them. */
static void add_rows(struct load *l)
{
    enum { PIECES = 64 };
    int64_t height = l->head.height;
    for (int64_t i = 0; i < PIECES; i++) {
        struct item t = {.file = -1,
                         .row0 = height * i / PIECES,
                         .row1 = height * (i + 1) / PIECES,
                         .bytes = pfm_blocks(l->old) * l->head.block_bytes / PIECES};
        if (t.row0 < t.row1)
            l->item[l->items++] = t;
    }
}

static int make_items(struct load *l)
{
    free(l->item);
    l->items = 0;
    l->item = calloc((size_t)l->list->n + 64, sizeof *l->item);
    if (!l->item)
        return err_set(-ENOMEM, NULL, -1, "no memory for the list of files");
    if (l->old)
        add_rows(l);
    for (int64_t i = 0; i < l->list->n; i++)
        if (!l->list->file[i].bad)
            l->item[l->items++] =
                (struct item){.file = i, .bytes = l->list->file[i].bytes};
    qsort(l->item, (size_t)l->items, sizeof *l->item, by_bytes);
    return 0;
}

static void tell_bad_files(struct load *l)
{
    for (int64_t i = 0; i < l->list->n; i++)
        if (l->list->file[i].bad && first(l)) {
            progress_clear(&l->r->progress);
            fprintf(stderr, "pfmload: left out: %s\n", l->list->file[i].bad);
        }
    if (l->scan.bad)
        report_warning(l->r->report, "bad_files", "%lld of %lld files are left out",
                       (long long)l->scan.bad, (long long)l->list->n);
}

/* The device is to be measured, and not what the last run left in memory. */
static void drop_input(struct load *l)
{
    int64_t resident;
    if (!l->r->flush || l->r->world.node_rank)
        return;
    for (int64_t i = 0; i < l->list->n; i++)
        if (!l->list->file[i].bad)
            load_fail(l, io_cache_drop(l->list->file[i].path, 0, 0, &resident));
}

int steps_scan(struct load *l)
{
    struct feed_options o = {.how = l->set->how,
                             .line_shift = l->lines_before - l->inputs_before,
                             .filter = l->set->swath,
                             .swath = SWATH_DEFAULTS};
    o.swath.sigma = l->set->swath_sigma;
    int rc = 0;
    drop_input(l);
    agree(l);
    if (scan_is_due(l)) {
        run_phase_begin(l->r, "scan");
        load_fail(l, scan(l));
        rc = run_phase_end(l->r);
        if (l->r->rep == 1)
            tell_bad_files(l);
    }
    if (!rc)
        rc = make_head(l);
    if (!rc)
        rc = make_items(l);
    if (!rc && l->r->rep == 1)
        tell_grid(l);
    if (!rc)
        rc = feed_open(&l->feed, &l->head, &o);
    return err_agree(l->r->world.comm, rc);
}

/* ---- load ----------------------------------------------------------------------- */

static int path_of(const struct load *l, const char *suffix, char path[PFM_PATH])
{
    return pfm_path(path, l->dest.part_handle, suffix);
}

static int extend(const char *path, int64_t bytes)
{
    if (!truncate(path, bytes))
        return 0;
    return err_set(-errno, path, bytes,
                   "the file cannot be made as long as it is to "
                   "be: %s",
                   strerror(errno));
}

/* The folders, and the coverage map's file, which has a header of its own. */
static int prepare(struct load *l)
{
    char path[PFM_PATH];
    int rc = dest_begin(&l->dest);
    if (rc || l->head.version < 7)
        return rc;
    rc = path_of(l, "cvg", path);
    if (!rc)
        rc = scratch_add(path);
    return rc ? rc : pfm_cvg_write(path, &l->head, NULL);
}

static void name_file(struct load *l, struct run_file *f, const char *suffix,
                      bool shared)
{
    char path[PFM_PATH] = "";
    int64_t row = l->head.width * l->head.bin_bytes; /* the area filter reads rows */
    load_fail(l, path_of(l, suffix, path));
    run_file_at(f, l->r, path, shared, first(l), 0,
                row > STREAM_CHUNK ? row : STREAM_CHUNK, 4);
}

/* `shared`: by all ranks; else rank 0 has them. */
static int open_files(struct load *l, bool shared, int flags)
{
    bool map = l->head.version >= 7;
    name_file(l, &l->blocks, "ndx", shared);
    name_file(l, &l->bins, "bin", shared);
    name_file(l, &l->coverage, "cvg", shared);
    l->blocks.independent = !(flags & IO_CREATE);
    l->bins.independent = l->coverage.independent = true;
    l->cover = map ? &l->coverage : &l->bins;
    int rc = agree(l);
    if (!rc)
        rc = run_file_open(&l->blocks, flags);
    if (!rc)
        rc = run_file_open(&l->bins, flags);
    if (!rc && map) /* made before, with its header */
        rc = run_file_open(&l->coverage, IO_WRITE);
    return rc;
}

static int make_files(struct load *l)
{
    if (first(l) && l->r->engine)
        load_fail(l, prepare(l));
    int rc = agree(l);
    if (!rc)
        rc = open_files(l, l->scheme->shared, IO_READ | IO_WRITE | IO_CREATE);
    if (!rc && first(l) && l->r->engine)
        load_fail(l, extend(l->bins.path, load_bin_bytes(&l->head)));
    return agree(l);
}

static void close_files(struct load *l)
{
    run_file_close(&l->blocks, true);
    run_file_close(&l->bins, true);
    run_file_close(&l->coverage, true);
}

/* Rank 0 gets to know the extremes of all. */
static void join_extremes(struct load *l)
{
    struct pfm_extremes other;
    MPI_Comm comm = l->r->world.comm;
    if (!first(l))
        MPI_Send(&l->extremes, sizeof l->extremes, MPI_BYTE, 0, 1, comm);
    for (int i = 1; first(l) && i < l->r->world.size; i++) {
        MPI_Recv(&other, sizeof other, MPI_BYTE, i, 1, comm, MPI_STATUS_IGNORE);
        pfm_extremes_join(&l->extremes, &other);
    }
}

static int64_t date(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    return epoch ? atoll(epoch) : time(NULL);
}

static void put_header(struct load *l)
{
    static char text[PFM_HEADER_BYTES];
    if (!first(l))
        return;
    load_fail(l, pfm_head_text(&l->head, &l->extremes, date(), text));
    struct io_req req = {
        .op = IO_OP_WRITE, .buf = text, .offset = 0, .bytes = PFM_HEADER_BYTES};
    run_transfer(&l->bins, &req, 1);
}

static int64_t soundings_expected(const struct load *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->list->n; i++)
        n += l->list->file[i].bad ? 0 : l->list->file[i].soundings;
    return n;
}

int steps_load(struct load *l)
{
    struct run *r = l->r;
    bool passes = !l->scheme->ordered;
    memset(&l->tally, 0, sizeof l->tally);
    memset(&l->extremes, 0, sizeof l->extremes);
    l->scratch_bytes = l->spilled_runs = l->peak = 0;
    int shows = l->scheme->ranks_min > 1 && !l->scheme->shared ? LOAD_MASTER : 0;
    progress_start(&l->progress, r->world.rank == shows && !r->options->quiet,
                   soundings_expected(l));
    run_phase_begin(r, "load");
    if (!make_files(l))
        l->scheme->load(l);
    progress_clear(&l->progress);
    if (!agree(l) && !passes) {
        join_extremes(l);
        put_header(l);
        close_files(l);
    }
    return run_phase_end(r);
}

/* ---- afterwards ----------------------------------------------------------------- */

static void remove_blocks(struct load *l)
{
    run_file_close(&l->blocks, false);
    if (first(l))
        load_fail(l, io_file_remove(MPI_COMM_SELF, l->blocks.path));
}

/* The blocks in order take the place of those that are not. */
static void rewrite(struct load *l)
{
    struct run_file ordered;
    char path[PFM_PATH] = "", name[PFM_PATH];
    load_fail(l, path_of(l, "ordered", path));
    run_file_at(&ordered, l->r, path, false, first(l), 0, STREAM_CHUNK, 4);
    if (run_file_open(&ordered, IO_READ | IO_WRITE | IO_CREATE))
        return;
    if (first(l))
        passes_rewrite(l, &ordered);
    run_file_close(&ordered, true);
    snprintf(name, sizeof name, "%s", l->blocks.path);
    remove_blocks(l);
    if (first(l) && !l->r->failed) {
        load_fail(l, scratch_add(name));
        if (rename(path, name))
            load_fail(l, err_set(-errno, path, -1, "the file cannot be renamed: %s",
                                 strerror(errno)));
        scratch_forget(path);
    }
}

static int recompute(struct load *l)
{
    run_phase_begin(l->r, l->set->canonical ? "rewrite" : "recompute");
    if (l->set->canonical)
        rewrite(l);
    else if (first(l))
        passes_recompute(l);
    if (!agree(l)) {
        put_header(l);
        close_files(l);
    }
    return run_phase_end(l->r);
}

static int write_side_files(struct load *l)
{
    const struct dest *d = &l->dest;
    char ctl[PFM_PATH], lin[PFM_PATH];
    int rc = path_of(l, "ctl", ctl);
    if (!rc)
        rc = path_of(l, "lin", lin);
    if (!rc)
        rc = scratch_add(ctl);
    if (!rc)
        rc = scratch_add(lin);
    if (!rc)
        rc = scratch_add(d->part_handle);
    if (!rc)
        rc = pfm_ctl_write(ctl, &l->head, d->handle, &l->inputs);
    if (!rc)
        rc = pfm_lin_write(lin, &l->inputs);
    return rc ? rc : pfm_handle_write(d->part_handle, &l->head, d->handle);
}

static int area(struct load *l)
{
    run_phase_begin(l->r, "area");
    MPI_Bcast(&l->blocks_bytes, 1, MPI_INT64_T, 0, l->r->world.comm);
    if (!open_files(l, !l->set->area_serial, IO_READ | IO_WRITE))
        area_step(l);
    if (!agree(l)) {
        join_extremes(l);
        put_header(l);
        close_files(l);
    }
    return run_phase_end(l->r);
}

int steps_finish(struct load *l)
{
    int rc = l->scheme->ordered ? 0 : recompute(l);
    if (!rc && l->set->area_sigma > 0)
        rc = area(l);
    if (!rc && first(l) && l->r->engine)
        load_fail(l, write_side_files(l));
    l->cpu_ns = clock_cpu_ns() - l->cpu_ns;
    return rc ? rc : agree(l);
}

int steps_check(struct load *l)
{
    struct run_rates rates = l->r->rates;
    run_phase_begin(l->r, "check");
    passes_check(l);
    int rc = run_phase_end(l->r);
    l->r->rates = rates; /* a user of the loader need not do this */
    return rc;
}

/* ---- what the report says ------------------------------------------------------- */

void steps_rep_begin(struct load *l)
{
    run_rep_begin(l->r);
    l->cpu_ns = clock_cpu_ns();
}

/* Of all three files; holes count. */
static int64_t pfm_bytes(const struct load *l)
{
    int64_t map =
        l->head.version < 7 ? 0 : PFM_COVERAGE_HEADER + l->head.width * l->head.height;
    return l->blocks_bytes + load_bin_bytes(&l->head) + map;
}

struct sums {
    int64_t soundings, scratch, cut, cpu_ns;
};

static void memory_figure(struct load *l)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    int64_t bytes = usage.ru_maxrss * 1024;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, l->r->world.comm);
    report_figure(l->r->report, "memory_B", "B", "lower",
                  "largest resident memory of a rank so far", (double)bytes);
}

static void written_figures(struct load *l, const struct sums *s)
{
    struct report *r = l->r->report;
    double pfm = (double)pfm_bytes(l);
    if (!l->r->engine)
        return;
    report_figure(r, "pfm_B", "B", "lower", "bytes of .ndx, .bin and .cvg", pfm);
    report_figure(r, "written_ratio", "1", "lower",
                  "bytes written to the PFM, its scratch files not counted / pfm_B",
                  (double)(l->r->rates.write_bytes - s->scratch) / pfm);
    report_figure(r, "scratch_B", "1", "lower",
                  "bytes written to scratch files, and read back", (double)s->scratch);
}

static void queue_figures(struct load *l)
{
    struct report *r = l->r->report;
    report_figure(r, "queue_peak", "1", "lower",
                  "most buffers that waited on the I/O node, or were being written",
                  (double)l->peak);
    report_figure(r, "queue_peak_bytes", "B", "lower",
                  "their bytes: queue_peak * size of a buffer",
                  (double)(l->peak * ROLES_MESSAGE));
}

void steps_figures(struct load *l)
{
    struct run *r = l->r;
    struct sums s = {.soundings = l->tally.soundings,
                     .scratch = l->scratch_bytes,
                     .cut = l->area_cut,
                     .cpu_ns = l->cpu_ns};
    MPI_Allreduce(MPI_IN_PLACE, &s, 4, MPI_INT64_T, MPI_SUM, r->world.comm);
    report_figure(r->report, "soundings", "1", "higher", "soundings in the PFM",
                  (double)s.soundings);
    report_figure(
        r->report, "soundings_per_s", "1/s", "higher",
        "soundings / sum over phases, but for the check, of the slowest rank's "
        "seconds",
        (double)s.soundings / r->rates.wall_s);
    report_figure(r->report, "soundings_per_cpu_s", "1/s", "higher",
                  "soundings / processor seconds of all ranks but for the check, with "
                  "what MPI spends on waiting",
                  (double)s.soundings / ((double)s.cpu_ns / 1e9));
    if (l->set->area_sigma > 0)
        report_figure(r->report, "area_cut", "1", "lower",
                      "soundings that the area filter flagged", (double)s.cut);
    written_figures(l, &s);
    if (l->scheme == &scheme_d_threaded)
        queue_figures(l);
    memory_figure(l);
}

int steps_put_away(struct load *l, bool publish)
{
    int rc = 0;
    feed_close(&l->feed);
    if (!l->r->engine)
        return 0;
    run_file_close(&l->blocks, false);
    run_file_close(&l->bins, false);
    run_file_close(&l->coverage, false);
    if (first(l) && publish)
        rc = dest_publish(&l->dest);
    if (first(l) && (rc || !publish))
        dest_remove(&l->dest);
    return err_agree(l->r->world.comm, rc);
}

void steps_end(struct load *l)
{
    list_close(&l->list);
    pfm_inputs_free(&l->inputs);
    pfm_close(&l->old);
    free(l->item);
    l->item = NULL;
}
