/* Determines the extent, depths and number of soundings, and damaged files, before
 * anything is written. */
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "pfmload/steps.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int nothing_to_load(const struct load *l)
{
    char why[800];
    bool beams = gsf_out_sum(l->scan.out) > 0;
    gsf_out_tell(l->scan.out, why, sizeof why);
    return err_set(-ENODATA, NULL, -1,
                   "none of the files has a sounding%s that can be loaded: %s%s",
                   l->set->bounded ? " within the bounds" : "",
                   beams ? "beams left out: " : "they have no beams", beams ? why : "");
}

static int scan(struct load *l)
{
    const struct settings *s = l->set;
    struct scan_options o = {.how = s->how,
                             .skip_bad = s->skip_bad,
                             .progress = !s->run.quiet,
                             .bounded = s->bounded,
                             .reader = &l->reader};
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
    return rc || l->scan.box.n ? rc : nothing_to_load(l);
}

/* Adds to a failure of the grid the pings that determine its size or depths: one
 * sounding far from all others may be the reason. */
static int blame(const struct load *l, int rc)
{
    const struct settings *s = l->set;
    const struct scan *c = &l->scan;
    const struct geo_box *b = &c->box;
    bool high = fabs(c->depth_min) > fabs(c->depth_max);
    bool deep = !s->depths_given && fabs(high ? c->depth_min : c->depth_max) >= 1e6;
    bool wide = geo_box_east(b) - geo_box_west(b) > b->north - b->south;
    struct scan_place at = !deep ? scan_outlier(c, wide ? SCAN_WEST : SCAN_SOUTH)
                                 : c->place[high ? SCAN_SHALLOWEST : SCAN_DEEPEST];
    char why[sizeof err_get()->text];
    bool large = !s->bounded && l->head.bin_x > 0; /* the head got as far as the grid */
    if (!b->n || !(deep || large))
        return rc;
    snprintf(why, sizeof why, "%s", err_get()->text);
    err_clear();
    return err_usage("%.400s; the %s sounding is of ping %lld of %.500s: mark it to be "
                     "ignored, or leave it out%s",
                     why,
                     !deep  ? "farthest"
                     : high ? "highest"
                            : "deepest",
                     (long long)at.ping, l->list->file[at.file].path,
                     deep ? "" : " by --bounds");
}

static int make_head(struct load *l)
{
    struct pfm_form f = form(l);
    int rc = l->set->append ? 0 : pfm_head_make(&l->head, &f);
    if (rc)
        return blame(l, rc);
    if (!l->set->append)
        return 0;
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

/* Splits the rows of a PFM into items, so that several ranks can read them. */
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
    l->item = mem_new(l->list->n + 64, sizeof *l->item, "the list of files");
    if (!l->item)
        return -ENOMEM;
    if (l->old)
        add_rows(l);
    for (int64_t i = 0; i < l->list->n; i++)
        if (!l->list->file[i].bad)
            l->item[l->items++] =
                (struct item){.file = i, .bytes = l->list->file[i].bytes};
    qsort(l->item, (size_t)l->items, sizeof *l->item, by_bytes);
    return 0;
}

/* Reports bad files, as many as fit into a warning. */
static void warn_of_bad_files(const struct load *l)
{
    char text[2048];
    int64_t told = 0;
    size_t n = 0;
    for (int64_t i = 0; i < l->list->n && n < sizeof text - 1; i++) {
        const struct list_file *f = &l->list->file[i];
        if (!f->bad || n + strlen(f->path) + strlen(f->bad) + 8 > sizeof text)
            continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%s)",
                              told++ ? ", " : "", f->path, f->bad);
    }
    report_warning(l->r->report, "bad_files", "%lld of %lld file%s left out: %s%s",
                   (long long)l->scan.bad, (long long)l->list->n, units_s(l->list->n),
                   told ? text : "", told < l->scan.bad ? " and others" : "");
}

static void tell_bad_files(struct load *l)
{
    for (int64_t i = 0; i < l->list->n; i++)
        if (l->list->file[i].bad && load_is_first(l)) {
            progress_clear(&l->r->progress);
            err_tell("pfmload", "left out", l->list->file[i].path, "%s",
                     l->list->file[i].bad);
        }
    if (l->scan.bad)
        warn_of_bad_files(l);
}

/* Checks the space for the least possible size, that of full blocks. */
static int check_space(const struct load *l)
{
    const struct pfm_head *h = &l->head;
    int64_t need = load_expected(l) / h->record_length * h->block_bytes;
    struct io_fs fs;
    char a[16], b[16];
    if (!load_is_first(l) || !l->r->engine || !l->r->options->space_check)
        return 0;
    int rc = io_fs_of(l->r->options->dir, &fs);
    if (rc || fs.free_bytes < 0 || need <= fs.free_bytes)
        return rc;
    return err_set(-ENOSPC, l->r->options->dir, -1,
                   "the PFM needs %s at least and the file system has %s free: choose "
                   "another --dir, or load less",
                   units_bytes(a, need), units_bytes(b, fs.free_bytes));
}

int steps_scan(struct run *r, void *load)
{
    struct load *l = load;
    struct feed_options o = {.how = l->set->how,
                             .line_shift = l->lines_before - l->inputs_before,
                             .filter = l->set->swath,
                             .swath = SWATH_DEFAULTS,
                             .reader = &l->reader};
    o.swath.sigma = l->set->swath_sigma;
    int rc = 0;
    l->cpu_ns = clock_cpu_ns();
    if (scan_is_due(l)) {
        load_drop_input(l);
        load_agree(l);
        run_phase_begin(r, "scan");
        load_fail(l, scan(l));
        rc = run_phase_end(r);
        if (r->rep == 1)
            tell_bad_files(l);
    }
    if (!rc)
        rc = make_head(l);
    if (!rc)
        rc = make_items(l);
    if (!rc && r->rep == 1)
        tell_grid(l);
    if (!rc)
        rc = check_space(l);
    if (!rc)
        rc = feed_open(&l->feed, &l->head, &o);
    return err_agree(r->world.comm, rc);
}
