/* gsfgen: makes synthetic surveys in GSF, to load and to filter. Ranks make lines in
 * turn; a file's content does not depend on the number of ranks. */
#include "base/err.h"
#include "base/format/progress.h"
#include "base/opt.h"
#include "base/units.h"
#include "pfmload/tools/survey.h"
#include "world/world.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    struct survey survey;
    const char *preset, *dir, *terrain, *spike_size;
    double spike_percent;
    bool truth, checksums, quiet;
    double io_timeout;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Survey:"},
    {.kind = OPT_CHOICE, .name = "preset", .letter = 'p', .value = &set.preset,
     .arg = "LOAD", .choices = "L|12|24|48|74",
     .help = "a test load of the parallel loader of 2002: 7, 12, 24, 48 or 74 files "
             "(L: its small load), each with 2900 pings of 240 beams"},
    {.kind = OPT_INT, .name = "files", .letter = 'f', .value = &set.survey.files,
     .preset = "12", .arg = "N", .unit = "1", .min = 1, .max = 9999,
     .help = "survey lines, one file each"},
    {.kind = OPT_INT, .name = "pings", .value = &set.survey.pings, .preset = "2900",
     .arg = "N", .unit = "1", .min = 1, .max = 1e8, .help = "pings of each file",
     .text = "Pings of each file; 2900 with 240 beams make 5.1 MB."},
    {.kind = OPT_INT, .name = "beams", .value = &set.survey.beams, .preset = "240",
     .arg = "N", .unit = "1", .min = 1, .max = SURVEY_BEAMS_MAX,
     .help = "beams of each ping",
     .text = "Beams of each ping, up to 2048."},
    {.kind = OPT_REAL, .name = "depth", .value = &set.survey.depth, .preset = "100",
     .arg = "METRES", .unit = "m", .min = 1, .max = 11000, .help = "mean depth",
     .text = "The mean depth. Hills and valleys of the smooth sea floor are up to "
             "20 % of it."},
    {.kind = OPT_REAL, .name = "lat", .value = &set.survey.lat, .preset = "30",
     .arg = "DEGREES", .unit = "degree", .min = -80, .max = 80,
     .help = "latitude of the southern end of the first line",
     .text = "Latitude of the southern end of the first line."},
    {.kind = OPT_REAL, .name = "lon", .value = &set.survey.lon, .preset = "-88",
     .arg = "DEGREES", .unit = "degree", .min = -180, .max = 180,
     .help = "longitude of the southern end of the first line; further lines lie to "
             "the east",
     .text = "Longitude of the southern end of the first line; the others follow "
             "eastwards, also across 180 degrees."},
    {.kind = OPT_INT, .name = "seed", .value = &set.survey.seed, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 9.2e18,
     .help = "seed for the sea floor and everything random"},
    {.kind = OPT_CHOICE, .name = "terrain", .value = &set.terrain, .preset = "smooth",
     .arg = "KIND", .choices = "smooth|rugged|wrecks|canyon",
     .help = "kind of sea floor: hills, terraces with cliffs, boulders and wrecks, "
             "or canyons",
     .choice_text = {"hills without steep slopes",
                     "rough ground on terraces with cliffs between them, 15 % of the "
                     "depth high",
                     "the smooth one with a boulder (1 to 4 % of the depth) or a "
                     "wreck (8 %) in each square of 0.75 depths",
                     "the smooth one with winding canyons, 45 % of the depth deep"},
     .text = "Kind of sea floor. On steep ground, a beam gets the depth of the first "
             "place that it hits."},
    {.kind = OPT_REAL, .name = "spikes", .value = &set.spike_percent, .preset = "0.4",
     .arg = "PERCENT", .unit = "%", .min = 0, .max = 50,
     .help = "share of the beams that are spikes (false depths)"},
    {.kind = OPT_TEXT, .name = "spike-size", .value = &set.spike_size,
     .preset = "6-35", .arg = "LOW-HIGH", .unit = NULL,
     .help = "how far off a spike is, in percent of the depth",
     .text = "The error of a spike, in percent of the depth, too deep or too "
             "shallow."},
    {.kind = OPT_TITLE, .help = "Output:"},
    {.kind = OPT_TEXT, .name = "dir", .value = &set.dir, .preset = ".", .arg = "DIR",
     .help = "where line-0001.gsf and so on are made",
     .text = "The directory for _line-0001.gsf_, _line-0002.gsf_ and so "
             "on."},
    {.kind = OPT_FLAG, .name = "truth", .letter = 't', .value = &set.truth,
     .preset = "no", .help = "also write line-0001.spikes and so on: the ping and "
                             "beam of every false depth, counted from 1",
     .text = "Also write _line-0001.spikes_ and so on, one beside each file: a line "
             "_ping,beam_ for every beam with a false depth, both numbered from 1, in "
             "the file's order."},
    WORLD_TIMEOUT(set.io_timeout),
    {.kind = OPT_FLAG, .name = "checksums", .value = &set.checksums, .preset = "no",
     .help = "add a checksum to every record"},
    {.kind = OPT_FLAG, .name = "quiet", .letter = 'q', .value = &set.quiet,
     .preset = "no", .help = "no progress and no summary"},
};
/* clang-format on */

static const struct opt_program program = {
    .name = "gsfgen",
    .line = "",
    .about =
        "Makes files of multibeam soundings (GSF) of a survey that never was, with "
        "spikes, edits and gaps in known places.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

/* Totals over all ranks. */
struct made {
    int64_t files, bytes, soundings, spikes;
};

/* Makes the name "DIR/line-0001.gsf" for line 0. Returns 0, or -ENAMETOOLONG with
 * a sentence. */
static int gsfgen_name(char out[4096], int line, const char *suffix)
{
    int n = snprintf(out, 4096, "%s/line-%04d.%s", set.dir, line + 1, suffix);
    return n < 4096 ? 0 : err_set(-ENAMETOOLONG, set.dir, -1, "the path is too long");
}

/* ---- one line ------------------------------------------------------------------- */

static void write_truth(FILE *truth, const struct survey_ping *p, struct made *made)
{
    for (int i = 0; i < p->ping.beams; i++) {
        made->spikes += p->spike[i];
        if (truth && p->spike[i])
            fprintf(truth, "%lld,%d\n", (long long)p->ping.number, i + 1);
    }
    made->soundings += p->ping.beams;
}

static int write_pings(struct gsf_writer *w, FILE *truth, int line, const char *path,
                       struct progress *progress, struct made *made)
{
    static struct survey_ping p;
    int rc = 0;
    for (int64_t i = 0; i < set.survey.pings && !rc; i++) {
        survey_make(&set.survey, line, i, &p);
        watchdog_arm_as_set("writing", path);
        rc = gsf_write_ping(w, &p.ping);
        write_truth(truth, &p, made);
        watchdog_disarm();
        progress_step(progress, 1, "survey lines");
    }
    return rc;
}

static int open_truth(FILE **truth, int line)
{
    char path[4096];
    *truth = NULL;
    if (!set.truth)
        return 0;
    int rc = gsfgen_name(path, line, "spikes");
    if (!rc && !(*truth = fopen(path, "wx")))
        rc = err_set(-errno, path, -1, "the file cannot be created: %s",
                     strerror(errno));
    if (!rc)
        fputs("ping,beam\n", *truth);
    return rc;
}

/* Closes the list of spikes, and removes it if the line failed. */
static int close_truth(FILE *truth, int line, int rc)
{
    char path[4096];
    if (!truth)
        return rc;
    gsfgen_name(path, line, "spikes");
    bool lost = ferror(truth);
    lost |= fclose(truth) != 0;
    if (lost && !rc)
        rc = err_set(-EIO, path, -1, "write failed: %s", strerror(errno));
    if (rc)
        unlink(path);
    return rc;
}

static int make_line(int line, struct progress *progress, struct made *made)
{
    struct gsf_write_form form = survey_form(&set.survey);
    struct gsf_writer *w = NULL;
    struct stat st;
    FILE *truth;
    char path[4096];
    form.checksums = set.checksums;
    int rc = gsfgen_name(path, line, "gsf");
    if (!rc)
        rc = gsf_write_open(&w, path, &form);
    if (rc)
        return rc;
    rc = open_truth(&truth, line);
    if (!rc)
        rc = write_pings(w, truth, line, path, progress, made);
    watchdog_arm_as_set("closing", path);
    rc = close_truth(truth, line, rc);
    int closed = gsf_write_close(&w, !rc);
    watchdog_disarm();
    if (!rc && !closed && !stat(path, &st)) {
        made->files++;
        made->bytes += st.st_size;
    }
    return rc ? rc : closed;
}

/* ---- all lines ------------------------------------------------------------------ */

/* Removes the files that this rank has finished, after another rank or a later
 * line failed. */
static void gsfgen_take_back(const struct world *w, int64_t lines)
{
    char path[4096];
    for (int line = w->rank; line < lines; line += w->size) {
        if (!gsfgen_name(path, line, "gsf"))
            unlink(path);
        if (set.truth && !gsfgen_name(path, line, "spikes"))
            unlink(path);
    }
}

static int make_all(const struct world *w)
{
    struct made mine = {0}, all;
    struct progress progress;
    int line = w->rank, rc = 0;
    progress_start(&progress, !w->rank && !set.quiet,
                   units_div_up(set.survey.files, w->size) * set.survey.pings);
    for (; line < set.survey.files && !rc; line += rc ? 0 : w->size)
        rc = make_line(line, &progress, &mine);
    progress_clear(&progress);
    rc = err_agree(w->comm, rc);
    if (rc) {
        gsfgen_take_back(w, line);
        return rc;
    }
    MPI_Reduce(&mine, &all, sizeof all / sizeof(int64_t), MPI_INT64_T, MPI_SUM, 0,
               w->comm);
    char bytes[16];
    if (!w->rank && !set.quiet)
        printf("%lld file%s, %s, %lld sounding%s, %lld of them spikes\n",
               (long long)all.files, units_s(all.files), units_bytes(bytes, all.bytes),
               (long long)all.soundings, units_s(all.soundings), (long long)all.spikes);
    return 0;
}

static int settle_spikes(void)
{
    struct survey *s = &set.survey;
    double low, high;
    char rest;
    if (sscanf(set.spike_size, "%lf-%lf%c", &low, &high, &rest) != 2 ||
        !(low > 0 && low <= high && high <= 90))
        return err_usage("--spike-size=%s: give two percentages above 0 and up to 90, "
                         "the lower one first, as in 6-35",
                         set.spike_size);
    s->spikes = set.spike_percent / 100;
    s->spike_low = low / 100;
    s->spike_high = high / 100;
    for (int i = 0; i < TERRAINS; i++)
        if (!strcmp(set.terrain, seafloor_names[i]))
            s->terrain = (enum terrain)i;
    return 0;
}

/* Applies a preset, which sets the number of files. */
static int gsfgen_settle(void)
{
    static const struct {
        const char *name;
        int files;
    } presets[] = {{"L", 7}, {"12", 12}, {"24", 24}, {"48", 48}, {"74", 74}};
    struct opt *files = opt_find(&program, "files");
    if (set.preset && files->from == OPT_COMMAND_LINE)
        return err_usage("--preset and --files both say how many files there are: give "
                         "one of them");
    for (int i = 0; set.preset && i < 5; i++)
        if (!strcmp(set.preset, presets[i].name))
            set.survey.files = presets[i].files;
    return settle_spikes();
}

int main(int argc, char **argv)
{
    struct world w;
    int status;
    if (world_early(&program, argc, argv, &status))
        return status;
    int rc = opt_parse(&program, argc, argv);
    if (!rc)
        rc = gsfgen_settle();
    watchdog_limit(set.io_timeout);
    rc = world_open(&w, &argc, &argv, &program, rc, false);
    if (!rc)
        make_all(&w);
    return world_close(&w, program.name);
}
