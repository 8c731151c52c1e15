/* ranks: 1 2 3 */
/* The first scan finds the same as a loop over all beams that were written, on any
 * number of ranks, and refuses every kind of damaged file. */
#include "tap.h"

#include "hydro/gsf_write.h"
#include "local_run.h"
#include "pfmload/input/beams.h"
#include "pfmload/input/scan.h"

enum { FILES = 6, BEAMS = 31, NO_PINGS = 3, PACIFIC = 4, DEEP = 5 };

static int rank;

/* ---- written data --------------------------------------------------------------- */

static int pings_of(int file)
{
    return file == NO_PINGS ? 0 : 20 + 15 * file;
}

/* Makes a ping. All numbers read back exactly: they are whole in the units of the
 * file. */
static struct gsf_ping make_ping(int file, int i)
{
    static double depth[BEAMS], across[BEAMS], along[BEAMS];
    static uint8_t flag[BEAMS];
    int beams = 1 + (file * 7 + i * 3) % BEAMS;
    for (int k = 0; k < beams; k++) {
        int null = (file + i + k) % 11;
        depth[k] = null == 5 ? 0 : (3000 + file * 100 + (i * 37 + k * 11) % 977) / 100.;
        across[k] = (k - beams / 2) * (900 + file) / 100.;
        along[k] = (i + k) % 5 * -30 / 100.;
        flag[k] = null == 7 ? GSF_BEAM_NULL : (uint8_t)(null == 8 ? 5 : null == 9);
        flag[k] = null == 9 ? GSF_BEAM_FILTER : flag[k];
    }
    bool west = file == PACIFIC && i % 2;
    int step = i * 700 + file * 40000;
    struct gsf_ping p = {.lat = (-170000000 + step) / 1e7,
                         .lon = (west ? -1799990000 + step : 1799600000 + step) / 1e7,
                         .heading = (file * 7000 + i * 13) % 36000 / 100.,
                         .flags = i % 9 == 4,
                         .beams = beams,
                         .depth = depth,
                         .across = across,
                         .along = along,
                         .flag = flag};
    if (file == 1 && i % 10 == 1)
        p.lat = GSF_NULL_LAT;
    if (file == 1 && i % 10 == 2)
        p.heading = GSF_NULL_HEADING;
    if (file == DEEP)
        depth[0] = 5000 + i;
    return p;
}

static const char *path_of(int file)
{
    static char path[TAP_PATH];
    char name[16];
    snprintf(name, sizeof name, "%d.gsf", file);
    return tap_path(path, name);
}

static int write_file(int file)
{
    const struct gsf_write_array four = {4, 100, 0};
    const struct gsf_write_form form = {3, 9, false, false, four, four, four};
    struct gsf_writer *w;
    int rc = gsf_write_open(&w, path_of(file), &form);
    for (int i = 0; i < pings_of(file) && !rc; i++) {
        struct gsf_ping p = make_ping(file, i);
        rc = gsf_write_ping(w, &p);
    }
    int closed = gsf_write_close(&w, true);
    return rc ? rc : closed;
}

/* ---- expected results ----------------------------------------------------------- */

static struct run run;
static struct reader reader = {.run = &run};
static const struct scan_options everything = {.reader = &reader};

static bool counts(const struct scan_options *o, struct geo_point p)
{
    double lon = p.lon < o->west ? p.lon + 360 : p.lon;
    return !o->bounded || (p.lat >= o->south && p.lat <= o->north && lon <= o->east);
}

static void add_ping(const struct scan_options *o, int file, int i, struct scan *s)
{
    struct gsf_ping p = make_ping(file, i);
    struct geo_point at[BEAMS], here = {p.lat, p.lon};
    bool headed = p.heading <= 360;
    if (p.flags & GSF_PING_IGNORE || p.lat > 90)
        return;
    geo_beams(o->how, here, headed ? p.heading : 0, p.beams, p.across, p.along, at);
    for (int k = 0; k < p.beams; k++) {
        bool is_here = p.across[k] == 0 && p.along[k] == 0;
        at[k] = headed ? at[k] : here;
        if (p.depth[k] == 0 || p.flag[k] == 1 || !(headed || is_here) ||
            !counts(o, at[k]))
            continue;
        s->depth_min =
            s->box.n && s->depth_min < p.depth[k] ? s->depth_min : p.depth[k];
        s->depth_max =
            s->box.n && s->depth_max > p.depth[k] ? s->depth_max : p.depth[k];
        s->pings = s->pings > i + 1 ? s->pings : i + 1;
        s->beams = s->beams > k + 1 ? s->beams : k + 1;
        geo_box_add(&s->box, at[k]);
    }
}

static struct scan expect(const struct scan_options *o, const char *files,
                          int64_t soundings[FILES])
{
    struct scan s = {0};
    for (int f = 0; f < FILES; f++) {
        int64_t before = s.box.n;
        for (int i = 0; strchr(files, '0' + f) && i < pings_of(f); i++)
            add_ping(o, f, i, &s);
        soundings[f] = s.box.n - before;
    }
    return s;
}

/* ---- scanning ------------------------------------------------------------------- */

static struct list *list;

/* Opens the files with these digits, and whatever else is there, in this order. */
static int open_files(const char *files, bool skip_bad)
{
    const char *item[16];
    struct opt_rest all = {0, item};
    struct opt_list none = {0};
    list_close(&list);
    err_clear();
    for (const char *f = files; *f; f++)
        item[all.n++] = strdup(path_of(*f - '0'));
    int rc = list_open(&list, MPI_COMM_WORLD, &all, &none, skip_bad);
    for (int i = 0; i < all.n; i++)
        free((char *)item[i]);
    return rc;
}

static bool same(const struct scan *a, const struct scan *b)
{
    return !memcmp(&a->box, &b->box, sizeof a->box) && a->depth_min == b->depth_min &&
           a->depth_max == b->depth_max && a->pings == b->pings && a->beams == b->beams;
}

static void finds(const struct scan_options *o, const char *files, const char *what)
{
    int64_t soundings[FILES];
    struct scan s, expected = expect(o, files, soundings);
    local_run(&run);
    int rc = open_files(files, false);
    rc = rc ? rc : scan_files(&s, MPI_COMM_WORLD, list, o);
    bool each = !rc;
    const struct phase_act *a = &run.phase->act[ACT_READ];
    int64_t moved[3] = {a->calls, a->bytes, a->ns};
    MPI_Allreduce(MPI_IN_PLACE, moved, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t i = 0; i < (int64_t)strlen(files) && each; i++)
        each = list->file[i].soundings == soundings[files[i] - '0'];
    tap_ok(!rc && same(&s, &expected) && !s.bad, "%s: %lld soundings", what,
           (long long)expected.box.n);
    tap_ok(each && moved[1] >= list->bytes && moved[2] > 0 && moved[0] >= list->n,
           "%s: those of each file, and calls, bytes and time of reading", what);
    if (rc || !same(&s, &expected))
        tap_diag("%d %s: %lld, %g to %g m, ping %lld, beam %lld", rc, err_get()->text,
                 (long long)s.box.n, s.depth_min, s.depth_max, (long long)s.pings,
                 (long long)s.beams);
}

static void test_good(void)
{
    struct scan_options tangent = {.how = GEO_TANGENT, .reader = &reader};
    struct scan s;
    finds(&everything, "012345", "all files");
    finds(&tangent, "012345", "in the tangent plane");
    finds(&everything, "3", "a file without pings");
    finds(&everything, "4", "across 180 degrees");
    tap_ok(!scan_files(&s, MPI_COMM_WORLD, list, &everything) &&
               geo_box_east(&s.box) > 180 && geo_box_east(&s.box) < 181,
           "that is a small box");
}

/* Each extreme value comes with its ping. */
static void test_ends(void)
{
    struct scan s;
    int rc = open_files("0125", false);
    rc = rc ? rc : scan_files(&s, MPI_COMM_WORLD, list, &everything);
    const struct scan_place *deep = &s.place[SCAN_DEEPEST];
    tap_ok(!rc && deep->file == 3 && deep->ping == s.pings &&
               s.depth_max == 5000 + deep->ping - 1,
           "the deepest is of ping %lld of file %lld", (long long)deep->ping,
           (long long)deep->file);
    struct scan_place south = s.place[SCAN_SOUTH], far = scan_outlier(&s, SCAN_SOUTH);
    tap_ok(south.file == 0 && south.ping == 1, "the southernmost of the first ping");
    tap_ok(far.file == 0 && far.ping == 1, "which is farther from most than the last");
    far = scan_outlier(&s, SCAN_WEST);
    tap_ok(far.file == 0 && s.place[SCAN_NORTH].file == 3, "and so is the westernmost");
}

static void test_bounds(void)
{
    struct scan_options o = {.reader = &reader,
                             .bounded = true,
                             .west = 179.965,
                             .south = -16.999,
                             .east = 180.018,
                             .north = -16.982};
    finds(&o, "012345", "within bounds across 180 degrees");
    o.north = -16.99;
    finds(&o, "012345", "within smaller ones");
    o.south = o.north = 50;
    finds(&o, "012345", "within bounds without soundings");
}

/* ---- the ends of a box ----------------------------------------------------------- */

enum { SWATH = 60, PINGS = 40 };

/* Makes a line of pings; some beams are null. */
static struct gsf_ping line_ping(double lat, double lon, double heading, double metres)
{
    static double depth[SWATH], across[SWATH], along[SWATH];
    static uint8_t flag[SWATH];
    for (int k = 0; k < SWATH; k++) {
        depth[k] = 1;
        across[k] = metres * (k - SWATH / 2 + rand() % 3) / SWATH;
        along[k] = metres * (rand() % 11 - 5) / 100;
        flag[k] = rand() % 8 ? 0 : GSF_BEAM_NULL;
    }
    return (struct gsf_ping){.lat = lat,
                             .lon = lon,
                             .heading = heading,
                             .headed = true,
                             .has = 1u << GSF_DEPTH | 1u << GSF_ACROSS,
                             .beams = SWATH,
                             .depth = depth,
                             .across = across,
                             .along = along,
                             .flag = flag};
}

static void add_beams(struct geo_box *box, const struct beams *b,
                      const struct gsf_ping *p)
{
    for (int i = 0; i < p->beams; i++)
        if (!gsf_why_beam_out(p, i))
            geo_box_add(box, b->at[i]);
}

static bool is_at_ship(const struct beams *b, const struct gsf_ping *p)
{
    for (int i = 0; i < p->beams; i++)
        if (b->at[i].lat != p->lat || b->at[i].lon != p->lon)
            return false;
    return true;
}

/* Lines are everywhere, also across 0 and 180 degrees and near the poles, and back
 * again with narrower swaths: these mostly stay within the box. */
static void test_ends_of_boxes(void)
{
    struct beams all = {.how = GEO_EXACT}, ends = {.how = GEO_EXACT};
    int lines = 600, same_boxes = 0, placed = 0, few = 0, left = 0;
    srand(3);
    for (int i = 0; i < lines; i++) {
        struct geo_box a = {0}, b = {0};
        double lat = rand() % 1700 * 0.1 - 85, heading = rand() % 3600 * 0.1;
        double lon = i % 3 ? rand() % 3600 * 0.1 - 180 : (i % 2 ? 179.999 : -0.001);
        double metres = 30 * pow(10, i % 4);
        for (int k = 0; k < 2 * PINGS; k++) {
            double step = (k < PINGS ? k : 2 * PINGS - k) * metres / 2e6;
            struct gsf_ping p =
                line_ping(lat + step * cos(heading * M_PI / 180), geo_wrap(lon + step),
                          heading, k < PINGS ? metres : metres / (2 + rand() % 9));
            if (beams_place(&all, &p) || beams_place_ends(&ends, &p, &b))
                continue;
            for (int j = 0; j < SWATH; j++)
                few += !memcmp(&all.at[j], &ends.at[j], sizeof *all.at);
            placed += SWATH;
            left += is_at_ship(&ends, &p);
            add_beams(&a, &all, &p);
            add_beams(&b, &ends, &p);
        }
        same_boxes += a.n && !memcmp(&a, &b, sizeof a);
    }
    tap_ok(same_boxes == lines,
           "boxes of %d of %d lines do not depend on the beams "
           "within them",
           same_boxes, lines);
    tap_ok(few < placed / 2, "of which few are placed (%d of %d)", few, placed);
    tap_ok(left > lines * PINGS / 4, "and of some pings none (%d of %d)", left,
           2 * lines * PINGS);
    beams_free(&all);
    beams_free(&ends);
}

/* ---- damaged files -------------------------------------------------------------- */

enum { TRUNCATED = 6, EMPTY, NO_GSF, FOLDER, MISSING };

static void make_damaged(void)
{
    static char bytes[3000];
    int fd = open(path_of(2), O_RDONLY);
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    for (int f = TRUNCATED; f <= NO_GSF; f++) {
        memset(bytes, 'x', f == NO_GSF ? sizeof bytes : 0);
        fd = open(path_of(f), O_WRONLY | O_CREAT, 0600);
        if (write(fd, bytes, f == EMPTY ? 0 : (size_t)n) < 0 || close(fd))
            tap_diag("cannot write %s", path_of(f));
    }
    mkdir(path_of(FOLDER), 0700);
}

/* The first damaged file in the order of the list is everyone's verdict. */
static void refused(const char *files, int bad, int code, const char *part)
{
    struct scan s;
    int rc = open_files(files, false);
    rc = rc ? rc : scan_files(&s, MPI_COMM_WORLD, list, &everything);
    bool named = !strcmp(err_get()->file, path_of(bad));
    tap_ok(tap_refused(rc, code, part) && named, "of %s, %d is refused: %s", files, bad,
           part);
}

static void test_refusals(void)
{
    refused("0612", 6, -EBADMSG, "cut short");
    refused("0172", 7, -EBADMSG, "empty");
    refused("8", 8, -EBADMSG, "not a GSF file");
    refused("50687", 6, -EBADMSG, "cut short");
    refused("58607", 8, -EBADMSG, "not a GSF file");
    refused("09", 9, -EISDIR, "a directory");
    refused("0:", MISSING, -ENOENT, "cannot be looked at");
}

/* True if the text is the same as on rank 0. */
static bool is_as_on_rank_0(const char *text)
{
    char first[LIST_WHY];
    snprintf(first, sizeof first, "%s", text);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return !strcmp(first, text);
}

static void test_skip_bad(void)
{
    static const char files[] = "06172839:45";
    static const char *const why[] = {"cut short", "empty", "not a GSF", "a directory",
                                      "No such file"};
    struct scan_options o = {.reader = &reader, .skip_bad = true};
    int64_t soundings[FILES];
    struct scan s, expected = expect(&o, "012345", soundings);
    int rc = open_files(files, true);
    rc = rc ? rc : scan_files(&s, MPI_COMM_WORLD, list, &o);
    tap_ok(!rc && same(&s, &expected) && s.bad == 5 && !err_get()->code,
           "damaged files are left out, all of each");
    bool fine = !rc, alike = true;
    int64_t bytes = 0;
    for (int i = 0; files[i] && fine; i++) {
        const struct list_file *f = &list->file[i];
        int k = files[i] - '0';
        fine = k < FILES ? !f->bad && f->soundings == soundings[k]
                         : f->bad && strstr(f->bad, why[k - FILES]) && !f->soundings;
        bytes += f->bad ? 0 : f->bytes;
        alike = is_as_on_rank_0(f->bad ? f->bad : "") && alike;
    }
    tap_ok(fine && bytes == list->bytes, "each with its sentence");
    tap_ok(alike, "which is the same on every rank");
    rc = open_files("678", true);
    rc = rc ? rc : scan_files(&s, MPI_COMM_WORLD, list, &o);
    tap_ok(!rc && s.bad == 3 && !s.box.n && !s.pings && !list->bytes,
           "all may be damaged");
}

int main(int argc, char **argv)
{
    int rc = 0;
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local_run(&run);
    for (int f = 0; f < FILES && !rank && !rc; f++)
        rc = write_file(f);
    if (!rank)
        make_damaged();
    tap_ok(!rc, "files are written");
    test_good();
    test_ends();
    test_bounds();
    test_ends_of_boxes();
    test_refusals();
    test_skip_bad();
    list_close(&list);
    reader_free(&reader);
    phase_close(&run.phase);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int f = 0; f <= NO_GSF && !rank; f++)
        unlink(path_of(f));
    if (!rank)
        rmdir(path_of(FOLDER));
    return tap_end();
}
