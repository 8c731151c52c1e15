/* Results of a load for the report, besides its phases. */
#include "base/units.h"
#include "pfmload/schemes/roles.h"
#include "pfmload/steps.h"
#include <sys/resource.h>

/* The size of all three files; holes count. */
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
    world_reduce(l->r->world.comm, &bytes, 1, MPI_INT64_T, MPI_MAX);
    report_figure(l->r->report, "memory_B", "B", "lower",
                  "largest resident memory of a rank so far", (double)bytes);
}

/* Reports the three large files, under the name of the blocks'. */
static void tell_files(const struct load *l)
{
    char path[PFM_PATH];
    if (load_is_first(l) && !pfm_path(path, l->dest.handle, "ndx"))
        report_file_sizes(l->r->report, "data", path, l->head.version < 7 ? 2 : 3,
                          pfm_bytes(l));
}

static void written_figures(struct load *l, const struct sums *s)
{
    struct report *r = l->r->report;
    double pfm = (double)pfm_bytes(l);
    if (!l->r->engine)
        return;
    tell_files(l);
    report_figure(r, "pfm_B", "B", "lower", "bytes of .ndx, .bin and .cvg", pfm);
    report_figure(r, "written_ratio", "1", "lower",
                  "bytes written to the PFM, its scratch files not counted / pfm_B",
                  (double)(l->r->rates.write_bytes - s->scratch) / pfm);
    if (s->scratch)
        report_figure(r, "scratch_B", "B", "lower",
                      "bytes written to scratch files, and read back",
                      (double)s->scratch);
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

static void warn_of_cut_files(const struct load *l, int64_t files, int64_t cut_bytes)
{
    char bytes[16];
    report_warning(l->r->report, "cut_files",
                   "%lld of %lld files are cut short: their complete pings are loaded, "
                   "and %s at their ends are not; \"sources\" in the report names them",
                   (long long)files, (long long)l->list->n,
                   units_bytes(bytes, cut_bytes));
}

/* Warns if more than 1 % of the beams are missing without a flag in the file. */
static void warn_of_beams(struct load *l, const struct feed_counts *c, const char *why)
{
    int64_t out = gsf_out_sum(c->out);
    if (gsf_out_unflagged(c->out) * 100 <= c->beams)
        return;
    snprintf(l->left_out, sizeof l->left_out,
             "%lld of %lld beam%s (%.1f %%) are not in the PFM: %s", (long long)out,
             (long long)c->beams, units_s(c->beams),
             100 * (double)out / (double)c->beams, why);
    report_warning(l->r->report, "beams_left_out", "%s", l->left_out);
}

/* Reports the same for programs: results of one number each. */
static void tell_beams(struct report *r, const struct feed_counts *c)
{
    char name[64];
    report_result(r, "beams_read", (double[]){(double)c->beams}, 1);
    report_result(r, "beams_loaded", (double[]){(double)(c->soundings - c->old)}, 1);
    for (int i = GSF_IN + 1; i < GSF_OUTS; i++) {
        snprintf(name, sizeof name, "beams_out_%s", gsf_out_name(i));
        report_result(r, name, (double[]){(double)c->out[i]}, 1);
    }
}

/* Reports the counts of all beams, once. */
static void tell_counts(struct load *l)
{
    struct feed_counts c = *feed_counts(l->feed);
    char why[800];
    world_reduce(l->r->world.comm, &c, sizeof c / sizeof(int64_t), MPI_INT64_T,
                 MPI_SUM);
    gsf_out_tell(c.out, why, sizeof why);
    report_note(l->r->report, "beams",
                "%lld in %lld ping%s, of which %lld are single-beam; %lld loaded; left "
                "out: %s",
                (long long)c.beams, (long long)c.pings, units_s(c.pings),
                (long long)c.pings_single, (long long)(c.soundings - c.old), why);
    tell_beams(l->r->report, &c);
    warn_of_beams(l, &c, why);
    report_note(l->r->report, "soundings",
                "%lld; not valid: %lld by hand, %lld by a filter, of these %lld by the "
                "swath filter now",
                (long long)c.soundings, (long long)c.manual, (long long)c.filtered,
                (long long)c.cut);
}

static void tell_source(const struct load *l, const struct list_file *f)
{
    char bytes[16], about[LIST_WHY];
    snprintf(about, sizeof about, "it is cut short: %s at its end are not loaded",
             units_bytes(bytes, f->cut_bytes));
    struct report_source s = {.path = f->path,
                              .about = f->bad         ? f->bad
                                       : f->cut_bytes ? about
                                                      : NULL,
                              .bytes = f->bytes,
                              .soundings = f->loaded};
    report_source(l->r->report, &s);
}

/* Collects each file's counts, which the rank that has read it knows, on rank 0. */
static void tell_sources(struct load *l)
{
    enum { PIECE = 4096 };
    struct list_file *file = l->list->file;
    int64_t n = l->list->n, cut = 0, cut_bytes = 0, known[2 * PIECE];
    for (int64_t at = 0; at < n; at += PIECE) {
        int64_t part = n - at < PIECE ? n - at : PIECE;
        for (int64_t i = 0; i < part; i++) {
            known[2 * i] = file[at + i].loaded;
            known[2 * i + 1] = file[at + i].cut_bytes;
        }
        world_reduce(l->r->world.comm, known, (int)(2 * part), MPI_INT64_T, MPI_SUM);
        for (int64_t i = 0; i < part && load_is_first(l); i++) {
            file[at + i].loaded = known[2 * i];
            file[at + i].cut_bytes = known[2 * i + 1];
            tell_source(l, &file[at + i]);
            cut += known[2 * i + 1] > 0;
            cut_bytes += known[2 * i + 1];
        }
    }
    if (cut)
        warn_of_cut_files(l, cut, cut_bytes);
}

void steps_figures(struct run *r)
{
    struct load *l = r->context;
    struct sums s = {.soundings = l->tally.soundings,
                     .scratch = l->scratch_bytes,
                     .cut = l->area_cut,
                     .cpu_ns = l->cpu_ns};
    world_reduce(r->world.comm, &s, 4, MPI_INT64_T, MPI_SUM);
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
    if (r->rep == 1) {
        tell_counts(l);
        tell_sources(l);
    }
    written_figures(l, &s);
    if (l->scheme == &scheme_d_threaded)
        queue_figures(l);
    memory_figure(l);
}
