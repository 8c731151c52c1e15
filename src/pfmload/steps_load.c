/* Makes the PFM: its files, by the scheme, and the later passes. */
#include "base/err.h"
#include "base/scratch.h"
#include "base/units.h"
#include "pfmload/steps.h"
#include "pfmload/store/writer.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Makes the directories, and the coverage map's file, which has its own header. */
static int steps_load_prepare(struct load *l)
{
    char path[PFM_PATH];
    int rc = dest_begin(&l->dest);
    if (rc || l->head.version < 7)
        return rc;
    rc = path_of(l, "cvg", path);
    if (!rc)
        rc = scratch_add(path);
    watchdog_arm_as_set("writing", path);
    rc = rc ? rc : pfm_cvg_write(path, &l->head, NULL);
    watchdog_disarm();
    return rc;
}

static void name_file(struct load *l, struct run_file *f, const char *suffix,
                      bool shared)
{
    char path[PFM_PATH] = "";
    int64_t row = l->head.width * l->head.bin_bytes; /* the area filter reads rows */
    load_fail(l, path_of(l, suffix, path));
    run_file_at(f, l->r, path, shared, load_is_first(l), 0,
                row > WRITER_TRANSFER ? row : WRITER_TRANSFER, 4);
    f->without = IO_DIRECT; /* bins and blocks are not whole blocks of a device */
}

/* Opens the files; `shared`: on all ranks; else on rank 0. */
static int open_files(struct load *l, bool shared, int flags)
{
    bool map = l->head.version >= 7;
    name_file(l, &l->blocks, "ndx", shared);
    name_file(l, &l->bins, "bin", shared);
    name_file(l, &l->coverage, "cvg", shared);
    l->blocks.independent = !(flags & IO_CREATE);
    l->bins.independent = l->coverage.independent = true;
    l->cover = map ? &l->coverage : &l->bins;
    int rc = load_agree(l);
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
    if (load_is_first(l) && l->r->engine)
        load_fail(l, steps_load_prepare(l));
    int rc = load_agree(l);
    if (!rc)
        rc = open_files(l, l->scheme->shared, IO_READ | IO_WRITE | IO_CREATE);
    if (!rc && load_is_first(l) && l->r->engine)
        load_fail(l, extend(l->bins.path, load_bin_bytes(&l->head)));
    return load_agree(l);
}

static void close_files(struct load *l)
{
    run_file_close(&l->blocks, true);
    run_file_close(&l->bins, true);
    run_file_close(&l->coverage, true);
}

static void join_op(void *in, void *sum, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        pfm_extremes_join((struct pfm_extremes *)sum + i,
                          (struct pfm_extremes *)in + i);
}

/* Reduces the extremes of all ranks on rank 0. */
static void join_extremes(struct load *l)
{
    struct pfm_extremes mine = l->extremes;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous((int)sizeof mine, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(join_op, 1, &op);
    MPI_Reduce(&mine, &l->extremes, 1, type, op, 0, l->r->world.comm);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* The present time, or SOURCE_DATE_EPOCH, so that runs can be compared byte by byte. */
static int64_t date(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t s;
    return epoch && !units_parse_int(epoch, &s) ? s : time(NULL);
}

static void put_header(struct load *l)
{
    static char text[PFM_HEADER_BYTES];
    if (!load_is_first(l))
        return;
    load_fail(l, pfm_head_text(&l->head, &l->extremes, date(), text));
    struct io_req req = {
        .op = IO_OP_WRITE, .buf = text, .offset = 0, .bytes = PFM_HEADER_BYTES};
    run_transfer(&l->bins, &req, 1);
}

int steps_load(struct run *r, void *load)
{
    struct load *l = load;
    bool passes = !l->scheme->ordered;
    load_drop_input(l);
    load_agree(l);
    memset(&l->tally, 0, sizeof l->tally);
    memset(&l->extremes, 0, sizeof l->extremes);
    l->scratch_bytes = l->spilled_runs = l->peak = 0;
    int shows = l->scheme->ranks_min > 1 && !l->scheme->shared ? LOAD_MASTER : 0;
    progress_start(&l->progress, r->world.rank == shows && !r->options->quiet,
                   load_expected(l));
    load_fail(l, run_lanes_open(r, load_is_first(l) ? l->scheme->lanes : 1));
    run_phase_begin(r, "load");
    if (!load_agree(l) && !make_files(l))
        l->scheme->load(l);
    if (!r->failed)
        load_fail(l, feed_balance(l->feed));
    progress_clear(&l->progress);
    if (!load_agree(l) && !passes) {
        join_extremes(l);
        put_header(l);
        close_files(l);
    }
    int rc = run_phase_end(r);
    run_lanes_close(r);
    return rc;
}

/* ---- after the load ------------------------------------------------------------- */

static void remove_blocks(struct load *l)
{
    run_file_close(&l->blocks, false);
    if (load_is_first(l))
        load_fail(l, io_file_remove(MPI_COMM_SELF, l->blocks.path));
}

/* Replaces the blocks by ordered ones. */
static void rewrite(struct load *l)
{
    struct run_file ordered;
    char path[PFM_PATH] = "", name[PFM_PATH];
    load_fail(l, path_of(l, "ordered", path));
    run_file_at(&ordered, l->r, path, false, load_is_first(l), 0, WRITER_TRANSFER, 4);
    ordered.without = IO_DIRECT;
    if (run_file_open(&ordered, IO_READ | IO_WRITE | IO_CREATE))
        return;
    if (load_is_first(l))
        passes_rewrite(l, &ordered);
    run_file_close(&ordered, true);
    snprintf(name, sizeof name, "%s", l->blocks.path);
    remove_blocks(l);
    if (load_is_first(l) && !l->r->failed) {
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
    else if (load_is_first(l))
        passes_recompute(l);
    free(l->known);
    l->known = NULL;
    if (!load_agree(l)) {
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
    watchdog_arm_as_set("writing", d->part_handle);
    if (!rc)
        rc = pfm_ctl_write(ctl, &l->head, d->handle, &l->inputs);
    if (!rc)
        rc = pfm_lin_write(lin, &l->inputs);
    rc = rc ? rc : pfm_handle_write(d->part_handle, &l->head, d->handle);
    watchdog_disarm();
    return rc;
}

static int area(struct load *l)
{
    run_phase_begin(l->r, "area");
    MPI_Bcast(&l->blocks_bytes, 1, MPI_INT64_T, 0, l->r->world.comm);
    if (!open_files(l, !l->set->area_serial, IO_READ | IO_WRITE))
        area_step(l);
    if (!load_agree(l)) {
        join_extremes(l);
        put_header(l);
        close_files(l);
    }
    return run_phase_end(l->r);
}

/* Writes the side files. They count as no transfers of data, but are timed and synced
 * like all files. */
static int side(struct load *l)
{
    struct phase *p = l->r->phase;
    run_phase_begin(l->r, "side");
    if (load_is_first(l)) {
        enum act before = phase_act(p, ACT_OPEN_CLOSE);
        load_fail(l, write_side_files(l));
        phase_act(p, before);
    }
    return run_phase_end(l->r);
}

int steps_finish(struct run *r, void *load)
{
    struct load *l = load;
    int rc = l->scheme->ordered ? 0 : recompute(l);
    if (!rc && l->set->area_sigma > 0)
        rc = area(l);
    if (!rc && r->engine)
        rc = side(l);
    l->cpu_ns = clock_cpu_ns() - l->cpu_ns;
    return rc ? rc : load_agree(l);
}

int steps_check(struct run *r, void *load)
{
    struct run_rates rates = r->rates;
    if (!r->verify)
        return 0;
    run_phase_begin(r, "check");
    passes_check(load);
    int rc = run_phase_end(r);
    r->rates = rates; /* users of the loader can do without the check */
    return rc;
}
