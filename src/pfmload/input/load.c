#include "pfmload/input/load.h"
#include "base/err.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings -------------------------------------------------------------------- */

struct settings settings;

/* clang-format off */
struct opt settings_table[] = {
    {.kind = OPT_TITLE, .help = "Load:"},
    {.kind = OPT_REST, .name = "FILE", .value = &settings.files, .workload = true,
     .help = "GSF files; their numbers in the PFM are in the order given",
     .text = "GSF files, versions 1.0 to 3.x. Their numbers in the PFM are in the "
             "order given. One file under two names is refused, and so is a copy "
             "of a file. Records of single-beam echo sounders are loaded as pings "
             "of one beam; pings of both kinds are numbered together, as they "
             "stand in the file. Sonars' own files (.kmall, .all, .s7k) must be "
             "exported to GSF first."},
    {.kind = OPT_LIST, .name = "list", .letter = 'l', .value = &settings.lists,
     .arg = "LISTFILE", .workload = true,
     .help = "a file with the names of files, or a datalist of MB-System; may be "
     "repeated",
     .text = "A file with the names of files, see *LISTS*; may be repeated. Files "
             "named by lists come after the arguments."},
    {.kind = OPT_TEXT, .name = "output", .letter = 'o', .value = &settings.output,
     .arg = "OUT.pfm",
     .help = "the PFM to make: this file and the directory OUT.pfm.data; relative to "
             "--dir",
     .text = "The PFM to make: this file, and the directory _OUT.pfm.data_ beside "
             "it. Relative to --dir. It must end with *.pfm*. If it exists, the "
             "run is refused, unless --overwrite or --append is given. While one "
             "load makes or changes it, others of the same name are refused. So is "
             "a symbolic link, a device or a pipe of that name. Required."},
    {.kind = OPT_CHOICE, .name = "scheme", .letter = 's', .value = &settings.scheme,
     .arg = "SCHEME", .choices = "serial|C|D|D-threaded|E|F|G",
     .help = "how ranks share the work; see the manual page [serial with one rank, G "
     "with more]",
     .text = "*serial*, *C*, *D*, *D-threaded*, *E*, *F* or *G*, see *SCHEMES*; "
             "*serial* is the default with one rank, *G* with more."},
    {.kind = OPT_CHOICE, .name = "library", .value = &settings.library,
     .preset = "cached", .arg = "WAY", .choices = "per-sounding|cached",
     .help = "scheme serial: add soundings one by one, or in order of their bins",
     .choice_text = {"soundings are added one by one",
                     "soundings are sorted by their bins first"},
     .text = "For scheme serial."},
    {.kind = OPT_FLAG, .name = "append", .value = &settings.append, .preset = "no",
     .workload = true,
     .help = "add to OUT.pfm, which is replaced once the new PFM is complete",
     .text = "Add to _OUT.pfm_, which is replaced once the new PFM is complete; see "
             "*APPENDING*."},
    {.kind = OPT_FLAG, .name = "overwrite", .value = &settings.overwrite,
     .preset = "no", .help = "replace OUT.pfm once the new PFM is complete"},
    {.kind = OPT_FLAG, .name = "skip-bad", .value = &settings.skip_bad, .preset = "no",
     .workload = true, .help = "leave out damaged files, and list them",
     .text = "Skip files that are damaged or cannot be read, name them, and "
             "continue. At the end their number is repeated, and the report has a "
             "warning with their names. Skipped files keep their numbers. Without "
             "this option, the first such file ends the run."},
    {.kind = OPT_FLAG, .name = "truncated", .value = &settings.truncated,
     .preset = "no", .workload = true,
     .help = "load the complete pings of files that are cut short",
     .text = "Load the complete pings of files that are cut short. The report has "
             "a warning with the number of such files, and says for each how much "
             "at its end was left out. Without this option such a file counts as "
             "damaged."},
    {.kind = OPT_TITLE, .help = "Grid and format:"},
    {.kind = OPT_REAL, .name = "bin-size", .letter = 'b', .value = &settings.bin_m,
     .preset = "25", .arg = "METRES", .unit = "m", .min = 0.01, .max = 1e5,
     .workload = true, .help = "size of a bin",
     .text = "Size of a bin. Its sides in degrees are those of a square in the "
             "middle of the area."},
    {.kind = OPT_TEXT, .name = "bounds", .value = &settings.bounds_text,
     .arg = "W,S,E,N", .workload = true,
     .help = "bounds of the area in degrees; soundings outside are left out and "
             "counted; west > east if the area crosses 180 degrees [all soundings, "
             "by a first scan]",
     .text = "Bounds of the area in degrees; by default those of all soundings, by a "
             "scan, which finds the side of the earth they are on. The grid begins at "
             "the south-western corner and has whole bins, so it may end a little "
             "beyond the others. Soundings outside are left out. If the area crosses "
             "180 degrees, west is more than east, as in "
             "*--bounds=179.5,-18,-179.2,-17*."},
    {.kind = OPT_TEXT, .name = "depths", .value = &settings.depths_text,
     .arg = "MIN,MAX", .workload = true,
     .help = "range of depths the PFM can hold, metres; with --bounds there is no "
     "first scan [by a first scan]",
     .text = "The range of depths, in metres, that the PFM can hold; positive "
             "downwards. By default it is that of all soundings, by the scan; with "
             "--bounds there is no scan. A depth that does not fit into the bits "
             "this gives ends the run."},
    {.kind = OPT_INT, .name = "record-length", .value = &settings.record_length,
     .preset = "6", .arg = "N", .unit = "1", .min = 1, .max = PFM_LENGTH_MAX,
     .workload = true, .help = "soundings per block"},
    {.kind = OPT_CHOICE, .name = "pfm-version", .value = &settings.version,
     .preset = "7.00", .arg = "VERSION", .choices = "6.40|7.00", .workload = true,
     .help = "version of the PFM format; more programs read the older one",
     .text = "Version of the PFM format, *6.40* or *7.00*. More programs read the "
             "older one; the newer one counts the valid soundings of each bin, and has "
             "the coverage map in a file of its own."},
    {.kind = OPT_CHOICE, .name = "position", .value = &settings.position_text,
     .preset = "exact", .arg = "HOW", .choices = "exact|tangent|survey",
     .workload = true, .help = "how beams are placed: along geodesics; in the "
                               "tangent plane (good in shallow water only); or by "
                               "the formula of NAVO's programs",
     .choice_text = {"along geodesics on the ellipsoid",
                     "in the plane that touches it, for shallow water only",
                     "by the formula of the Naval Oceanographic Office's programs"},
     .text = "How the position of a beam is computed from that of the ship."},
    {.kind = OPT_FLAG, .name = "canonical", .value = &settings.canonical,
     .preset = "no", .workload = true,
     .help = "sort soundings by bin, file, ping and beam: gives the same bytes with "
             "every scheme and number of ranks",
     .text = "Order soundings by bin, file, ping and beam, and blocks by bin. "
             "This gives the same bytes with every scheme and number of ranks, see "
             "*SOURCE_DATE_EPOCH*. Schemes serial (*cached*) and G have that order "
             "anyway. F has its I/O node sort soundings in place of blocks. The "
             "others write all blocks twice."},
    {.kind = OPT_TITLE, .help = "Filters (they flag soundings and never drop them):"},
    {.kind = OPT_FLAG, .name = "swath-filter", .value = &settings.swath,
     .preset = "no", .workload = true,
     .help = "flag beams that stand out from their neighbours in 3 pings, while "
             "files are read",
     .text = "Flag beams that stand out of their neighbours in 3 pings, while files "
             "are read; see *FILTERS*."},
    {.kind = OPT_REAL, .name = "swath-sigma", .value = &settings.swath_sigma,
     .preset = "2", .arg = "SIGMA", .unit = "1", .min = 0.1, .max = 100,
     .workload = true,
     .help = "threshold, in standard deviations beyond all neighbours but one: 4 "
             "flags hardly any good sounding, 2 few",
     .text = "How far beyond all neighbours but one, in standard deviations. 4 "
             "cuts hardly a good sounding, 2 few of them."},
    {.kind = OPT_REAL, .name = "area-filter", .value = &settings.area_sigma,
     .bare = "3", .arg = "SIGMA", .unit = "1", .min = 0.1, .max = 100,
     .workload = true,
     .help = "flag soundings that stand out from the nine bins around them, after "
             "the load; 3 if no number is given",
     .text = "Flag soundings that stand out of the nine bins around them, after "
             "the load. If no number is given: *3*."},
    {.kind = OPT_CHOICE, .name = "area-order", .value = &settings.area_order,
     .preset = "two-pass", .arg = "ORDER", .choices = "two-pass|raster",
     .workload = true,
     .help = "judge each bin by its neighbours as loaded, or as already filtered",
     .choice_text = {"uses the state of the bins before any was filtered, and so "
                     "gives the same result on any number of ranks",
                     "goes bin by bin, row by row, and uses the bins before as "
                     "already filtered, like the Naval Oceanographic Office's "
                     "filter; it needs --area-serial"}},
    {.kind = OPT_FLAG, .name = "area-serial", .value = &settings.area_serial,
     .preset = "no", .help = "filter on one rank, as in 2002, not on all ranks",
     .text = "Run the filter on rank 0 only, as in 2002."},
    {.kind = OPT_TITLE, .help = "Resources:"},
    {.kind = OPT_BYTES, .name = "memory", .letter = 'm', .value = &settings.memory,
     .preset = "512M", .arg = "BYTES", .unit = "B", .min = SETTINGS_MEMORY_MIN,
     .max = 9e18,
     .help = "memory for soundings on each rank; the rest goes to scratch files. By "
             "default the ranks of a node take at most half of its free memory",
     .text = "The memory of each rank in total. 75 MiB of it, or half if it is "
             "less than 150 MiB, are for the process, the MPI library and buffers; "
             "the rest is for soundings. What does not fit goes to scratch files. "
             "For its use in each scheme, see *MEMORY AND DISK*. The default is "
             "less where all ranks of a node together would take more than half of "
             "the memory that it has free."},
    {.kind = OPT_TEXT, .name = "scratch-dir", .value = &settings.scratch_dir,
     .arg = "DIR", .help = "directory for scratch files [where OUT.pfm is]",
     .text = "The directory for scratch files, which may be on each node's own "
             "disk; by default that in which the PFM is made."},
    {.kind = OPT_INT, .name = "queue-limit", .value = &settings.queue_limit,
     .preset = "16", .arg = "N", .unit = "1", .min = 0, .max = 1e6,
     .help = "scheme D-threaded: buffers that may wait on the I/O node; 0: no limit, "
     "as in 2002",
     .text = "For scheme D-threaded: the number of buffers of 256 KiB that may "
             "wait on the I/O node. There must be at least one for each slave. *0* "
             "sets no limit."},
    {.kind = OPT_INT, .name = "io-ranks", .value = &settings.io_ranks, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 2e9,
     .help = "scheme G: ranks that write; 0: all",
     .text = "The number of ranks that write in scheme G, spread evenly over all "
             "ranks. *0* means all ranks."},
    RUN_OPTIONS_WITH(settings.run, "SHARED", "yes"),
    {.kind = OPT_NOTE, .name = "iomethod",
     .text = "The PFM is written and read by it, and GSF files and scratch files are "
             "read and written by the same engine. *hdf5* and *null* are refused, "
             "and so is MPI-IO with D-threaded."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "*ASYNC* fills one buffer while another is written, and reads ahead of "
             "GSF files and scratch files. *NONE* does everything except the I/O of "
             "the PFM. Both work with schemes that do not read back what they wrote: "
             "serial (*cached*), F and G."},
    {.kind = OPT_NOTE, .name = "collective",
     .text = "Here it is the blocks of scheme G that are written so, by *mpiio* or "
             "*mpiio-nb*."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*flush* and *direct* also drop the pages of the input from memory "
             "before the scan and before the load, and the PFM's before the area "
             "filter reads it. *direct* is for GSF files and scratch files (posix, "
             "threads, uring, libaio); the files of the PFM go through the page "
             "cache."},
    {.kind = OPT_NOTE, .name = "dir",
     .text = "_OUT.pfm_ is relative to it. The PFM's own directory must exist on "
             "every node and, but for the schemes in which one rank writes, be the "
             "same file system on all of them."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "The PFM of the last repetition is what is kept. With --no-keep the "
             "program only measures: it makes the PFM under a temporary name and "
             "removes it, whether or not a PFM of this name exists."},
    {.kind = OPT_NOTE, .name = "repeat", .text = "The whole run is repeated."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "The PFM is read back at the end, on the ranks of one node. Every chain "
             "must lead where its bin says, the summary of every bin and its byte of "
             "the coverage map must be those of its soundings, and the number of "
             "soundings and the sum of their fingerprints must be those of the "
             "input. No figure has the time of this phase."},
    {.kind = OPT_NOTE, .name = "seed",
     .text = "Here nothing is random: it is a number for the report."},
    {.kind = OPT_NOTE, .name = "dry-run",
     .text = "The size of the PFM is null in the file of --json."},
};
/* clang-format on */

const int settings_count = WORKLOAD_COUNT(settings_table);

/* Parses exactly n numbers with commas between. */
static bool numbers(const char *text, int n, double *v)
{
    for (int i = 0; i < n; i++) {
        char *end;
        v[i] = strtod(text, &end);
        if (end == text || !isfinite(v[i]) || *end != (i < n - 1 ? ',' : 0))
            return false;
        text = end + 1;
    }
    return true;
}

static int settle_bounds(struct settings *s)
{
    double v[4];
    if (!s->bounds_text)
        return 0;
    if (!numbers(s->bounds_text, 4, v))
        return err_usage("--bounds: \"%s\" is not W,S,E,N in degrees", s->bounds_text);
    bool on_earth =
        fabs(v[0]) <= 180 && fabs(v[2]) <= 360 && fabs(v[1]) < 90 && fabs(v[3]) < 90;
    if (v[2] < v[0])
        v[2] += 360;
    if (!on_earth || v[1] >= v[3] || v[0] == v[2] || v[2] - v[0] > 360)
        return err_usage("--bounds: \"%s\" is no area: W,S,E,N are degrees, with S < N "
                         "between the poles",
                         s->bounds_text);
    s->bounded = true;
    s->west = v[0];
    s->south = v[1];
    s->east = v[2];
    s->north = v[3];
    return 0;
}

static int settle_depths(struct settings *s)
{
    double v[2];
    if (!s->depths_text)
        return 0;
    if (!numbers(s->depths_text, 2, v) || v[0] >= v[1] || fabs(v[0]) > 20000 ||
        fabs(v[1]) > 20000)
        return err_usage("--depths: \"%s\" is not MIN,MAX in metres", s->depths_text);
    s->depths_given = true;
    s->depth_min = v[0];
    s->depth_max = v[1];
    return 0;
}

/* Refuses options of grid and format with --append: they are those of the PFM. */
static int check_append(const struct opt_program *p)
{
    static const char *const fixed[] = {"bounds", "depths", "bin-size", "record-length",
                                        "pfm-version"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (opt_find(p, fixed[i])->from != OPT_DEFAULT)
            return err_usage("--append: grid and format are those of OUT.pfm; leave "
                             "--%s out",
                             fixed[i]);
    return 0;
}

static int check_output(const struct settings *s, const struct opt_program *p)
{
    size_t n = s->output ? strlen(s->output) : 0;
    if (!n)
        return err_usage("--output is missing; usage: pfmload [options] %s", p->line);
    if (n < 5 || strcmp(s->output + n - 4, ".pfm") || s->output[n - 5] == '/')
        return err_usage("--output: \"%s\" does not end with NAME.pfm, and programs "
                         "that read PFMs expect it",
                         s->output);
    if (s->append && s->overwrite)
        return err_usage("--append and --overwrite exclude each other");
    if (!strcmp(s->area_order, "raster") && !s->area_serial && s->area_sigma > 0)
        return err_usage("--area-order=raster depends on the order of all bins: add "
                         "--area-serial");
    return s->append ? check_append(p) : 0;
}

/* Checks that do not depend on the scheme. */
static int check_io(const struct settings *s)
{
    if (!strcmp(s->run.iomode, "NONE") && (s->area_sigma > 0 || s->append))
        return err_usage(
            "IOMODE=NONE makes no PFM, so there is nothing to filter or to append to");
    return 0;
}

int settings_settle(const struct opt_program *p)
{
    struct settings *s = &settings;
    s->how = !strcmp(s->position_text, "exact")     ? GEO_EXACT
             : !strcmp(s->position_text, "tangent") ? GEO_TANGENT
                                                    : GEO_SURVEY;
    int rc = check_output(s, p);
    if (!rc)
        rc = check_io(s);
    if (!rc)
        rc = settle_bounds(s);
    return rc ? rc : settle_depths(s);
}

/* ---- the load -------------------------------------------------------------------- */

/* Functions of a load for all schemes. */

struct load;

const struct scheme *load_scheme(const char *name, const char *library)
{
    static const struct scheme *const all[] = {&scheme_c, &scheme_d, &scheme_d_threaded,
                                               &scheme_e, &scheme_f, &scheme_g};
    if (!strcmp(name, "serial"))
        return strcmp(library, "cached") ? &scheme_serial_per_sounding
                                         : &scheme_serial_cached;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(name, all[i]->name))
            return all[i];
    return NULL;
}

int64_t load_bin_bytes(const struct pfm_head *h)
{
    int64_t bins = h->width * h->height;
    return h->version < 7 ? pfm_coverage_at(h) + bins
                          : h->header_bytes + bins * h->bin_bytes;
}

void load_fail(struct load *l, int rc)
{
    run_fail(l->r, rc);
}

int load_agree(struct load *l)
{
    struct phase *p = l->r->phase;
    enum act before = phase_act(p, ACT_IDLE);
    l->r->failed = err_agree(l->r->world.comm, l->r->failed);
    phase_act(p, before);
    return l->r->failed;
}

bool load_ready(struct load *l, int rc)
{
    load_fail(l, rc);
    return !load_agree(l);
}

void load_progress(struct load *l, int64_t soundings)
{
    struct progress *p = &l->progress;
    char what[64];
    if (!p->on)
        return;
    double s = (double)(clock_ns() - p->start_ns) / 1e9;
    snprintf(what, sizeof what, "load %.2f M soundings/s",
             (double)(p->done + soundings) / (s > 0 ? s : 1) / 1e6);
    progress_step(p, soundings, what);
}

static void transferred(void *context, bool write, int64_t bytes, int64_t ns)
{
    struct phase *p = ((struct load *)context)->r->phase;
    enum act a = write ? ACT_WRITE : ACT_READ;
    phase_move(p, p->now, a, ns);
    phase_transfer(p, a, bytes, p->switch_ns - ns, p->switch_ns);
}

struct told load_told(struct load *l)
{
    return (struct told){.transfer = transferred, .context = l};
}

/* ---- input ---------------------------------------------------------------------- */

struct count {
    struct load *l;
    feed_sink *sink;
    void *context;
};

static int load_count(void *context, const struct pfm_sounding *s, int64_t n)
{
    struct count *c = context;
    if (c->l->r->verify)
        c->l->tally.hash += feed_hash(s, n);
    c->l->tally.soundings += n;
    return c->sink(c->context, s, n);
}

static int feed_item(struct load *l, const struct item *item, struct count *c)
{
    if (item->file < 0)
        return feed_pfm(l->feed, l->old, item->row0, item->row1, load_count, c);
    struct list_file *f = &l->list->file[item->file];
    struct feed_counts before = *feed_counts(l->feed);
    int rc = feed_file(l->feed, l->inputs_before + item->file, f->path, load_count, c);
    f->loaded = feed_counts(l->feed)->soundings - before.soundings;
    f->cut_bytes = feed_counts(l->feed)->cut_bytes - before.cut_bytes;
    return rc;
}

int load_item(struct load *l, const struct item *item, feed_sink *sink, void *context)
{
    struct count c = {.l = l, .sink = sink, .context = context};
    int rc = feed_item(l, item, &c);
    load_fail(l, rc == -ECANCELED ? 0 : rc);
    return rc;
}

void load_drop_input(struct load *l)
{
    int64_t resident;
    if (!l->r->flush || l->r->world.node_rank)
        return;
    for (int64_t i = 0; i < l->list->n; i++)
        if (!l->list->file[i].bad)
            load_fail(l, io_cache_drop(l->list->file[i].path, 0, 0, &resident));
}

/* ---- output --------------------------------------------------------------------- */

const char *load_scratch(const struct load *l, const char *what, char *out)
{
    const char *dir = l->r->engine ? l->dest.part : l->r->options->dir;
    if (l->set->scratch_dir)
        dir = l->set->scratch_dir;
    snprintf(out, PFM_PATH, "%.3900s/pfmload-%s.%s.%06d", dir, l->r->id, what,
             l->r->world.rank);
    return out;
}

void load_count_scratch(struct load *l, const struct extsort *s)
{
    if (!s)
        return;
    struct extsort_counts c = extsort_counts(s);
    l->scratch_bytes += c.write_bytes;
    l->spilled_runs += c.runs;
}

int64_t load_expected(const struct load *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->list->n; i++)
        n += l->list->file[i].bad ? 0 : l->list->file[i].soundings;
    return n;
}

int64_t load_memory(const struct load *l)
{
    enum { OTHERS = 75 << 20 }; /* resident memory besides, measured: 50 and 24 MiB */
    int64_t half = l->set->memory / 2, rest = l->set->memory - OTHERS;
    return rest > half ? rest : half;
}

int64_t load_sorter_memory(const struct load *l, int64_t taken, int sharers)
{
    int64_t most = load_memory(l) - taken, least = load_memory(l) / 2;
    int64_t expected = load_expected(l);
    /* Half as much again, as ranks get unequal parts. */
    int64_t need = expected / sharers * (int64_t)sizeof(struct pfm_sounding);
    need += need / 2 + (1 << 20);
    most = most > least ? most : least;
    return expected && !l->old && need < most ? need : most;
}
