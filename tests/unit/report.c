/* ranks: 1 2 4 */
/* Reductions compared with sums by hand, and the output of the three sinks. */
#include "report/report.h"
#include "base/stats.h"
#include "tap.h"
#include <dirent.h>

static struct world w;
static struct world_host *hosts;
static char dir[256], json_path[300], csv_path[300], text_path[300];

static bool flag = true;
static int64_t npix = 1024, size_option = 4096;
static double alpha = 0.1;
static const char *mode = "ASYNC", *untold;
static struct opt_list list = {2, {"a=1", "b=2"}};
static struct opt table[] = {
    {.kind = OPT_TITLE, .name = "Title"},
    {.kind = OPT_INT,
     .name = "NPIX",
     .value = &npix,
     .unit = "1",
     .workload = true,
     .from = OPT_COMMAND_LINE},
    {.kind = OPT_BYTES, .name = "block-size", .value = &size_option, .unit = "B"},
    {.kind = OPT_REAL,
     .name = "alpha",
     .value = &alpha,
     .unit = "1",
     .from = OPT_ENVIRONMENT},
    {.kind = OPT_FLAG, .name = "verify", .value = &flag},
    {.kind = OPT_CHOICE, .name = "io-mode", .value = &mode},
    {.kind = OPT_TEXT, .name = "untold", .value = &untold},
    {.kind = OPT_LIST, .name = "hint", .value = &list}};
static const struct opt_program program = {"reporttest", "", "", table,
                                           sizeof table / sizeof table[0]};
static char *arguments[] = {"reporttest", "a \"quoted\" word", NULL};

/* ---- helpers ----------------------------------------------------------------- */

static void make_dir(void)
{
    const char *base = getenv("TMPDIR");
    if (w.rank == 0) {
        snprintf(dir, sizeof dir, "%.200s/report-XXXXXX",
                 base && *base ? base : "/tmp");
        if (!mkdtemp(dir))
            dir[0] = 0;
    }
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, w.comm);
    snprintf(json_path, sizeof json_path, "%s/r.json", dir);
    snprintf(csv_path, sizeof csv_path, "%s/r.csv", dir);
    snprintf(text_path, sizeof text_path, "%s/r.txt", dir);
}

static struct report_open options(void)
{
    return (struct report_open){.world = &w,
                                .hosts = hosts,
                                .program = &program,
                                .argc = 2,
                                .argv = arguments,
                                .run_id = "run-1",
                                .label = "a, \"b\"",
                                .series = "s7,posix-shared,3",
                                .seed = UINT64_MAX,
                                .json_path = json_path,
                                .csv_path = csv_path,
                                .quiet = true};
}

static char *slurp(const char *path)
{
    static char text[1 << 20];
    FILE *in = fopen(path, "r");
    size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in)
        fclose(in);
    text[n] = 0;
    return text;
}

/* Makes a point about rank 0's file; other ranks have none. Its name is one line. */
static void look(const char *path, const char *fragment, bool wanted)
{
    char name[512];
    snprintf(name, sizeof name, "%s", fragment);
    for (char *c = name; (c = strchr(c, '\n'));)
        *c = ' ';
    int found = w.rank > 0 ? wanted : strstr(slurp(path), fragment) != NULL;
    tap_ok(found == wanted, "%s %s %s", strrchr(path, '/') + 1,
           wanted ? "has" : "lacks", name);
}

static void has(const char *path, const char *fragment)
{
    look(path, fragment, true);
}

static void lacks(const char *path, const char *fragment)
{
    look(path, fragment, false);
}

/* Returns the first sample of `act` in the JSON, which is one line. */
static const char *sample_of(const char *act)
{
    char name[64], *text = slurp(json_path);
    snprintf(name, sizeof name, "\"act\": \"%s\"", act);
    char *at = strstr(text, name), *end = at ? strchr(at, '\n') : NULL;
    if (end)
        *end = 0;
    return at ? at : "";
}

/* The slowest rank is reported for each activity: the last one in writing, the first in
 * syncing. */
static void slowest_is(const char *act, int rank, int node)
{
    char text[256];
    snprintf(text, sizeof text, "\"max_rank\": %d, \"max_host\": \"%s\"", rank,
             hosts ? hosts[node].name : "");
    tap_ok(w.rank > 0 || strstr(sample_of(act), text), "%s: %s", act, text);
}

/* A quantile is within a sixteenth of an octave, and not above the maximum. */
static void quantile_is(const char *key, double seconds)
{
    char name[32];
    snprintf(name, sizeof name, "\"%s\": ", key);
    const char *at = strstr(sample_of("write"), name);
    double found = at ? strtod(at + strlen(name), NULL) : NAN;
    tap_ok(w.rank > 0 || (fabs(found / seconds - 1) < 0.045), "%s is %g s (%g)", key,
           seconds, found);
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* Makes a phase with given times, in milliseconds: wall 1000, the rest is idle. */
static void set_phase(struct phase *p, int rep)
{
    int64_t ms = 1000000, used = 0;
    phase_begin(p, "W", rep);
    phase_end(p);
    p->end_ns = p->begin_ns + 1000 * ms;
    for (int a = 0; a < ACT_COUNT; a++)
        p->act[a].ns = 0;
    p->act[ACT_READ].ns = 10 * ms;
    p->act[ACT_WRITE].ns = 100 * (w.rank + 1) * ms;
    p->act[ACT_SYNC].ns = 150 * (w.size - w.rank) * ms;
    for (int a = 0; a < ACT_COUNT; a++)
        used += p->act[a].ns;
    p->act[ACT_IDLE].ns = 1000 * ms - used;
    phase_transfer(p, ACT_READ, 1000, 0, 5 * ms);
    for (int i = 0; i < 1000; i++)
        phase_transfer(p, ACT_WRITE, 1000, p->begin_ns,
                       p->begin_ns + (i < 980 ? 1 : 50 + w.rank) * ms);
    phase_op(p, PHASE_OP_FSYNC, 0, 150 * ms);
    phase_visible(p, ACT_WRITE, 20 * ms, 80 * ms);
    phase_device(p, ACT_READ, 600);
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* ---- points ------------------------------------------------------------------ */

static void refused(struct report_open o, const char *what)
{
    struct report *r = (struct report *)&w;
    int rc = report_open(&r, &o);
    tap_ok(rc < 0 && !r && err_get()->usage && err_get()->text[0], "refused: %s", what);
    err_clear();
}

static void check_refusals(void)
{
    struct report_open o = options();
    o.json_path = "/nowhere/at/all.json";
    refused(o, "a folder that is not there");
    o.json_path = dir;
    refused(o, "a folder");
    o.json_path = "/dev/null";
    refused(o, "a device");
    o.json_path = csv_path;
    refused(o, "one path for two files");
    o = options();
    o.csv_path = "/nowhere/at/all.csv";
    refused(o, "a CSV that cannot be written");
    static const char *const series[] = {"s7",    "s7,c",     "s7,c,x", ",c,1",
                                         "s7,,1", "s7,c,d,1", "s7,c,"};
    for (int i = 0; i < 7; i++) {
        o = options();
        o.series = series[i];
        refused(o, series[i]);
    }
    tap_ok(w.rank > 0 || entries() == 0, "a refused report leaves nothing behind");
}

static void check_first(void)
{
    has(json_path, "\"valid\": false");
    has(json_path, "\"why\": \"did not finish\"");
    has(json_path, "\"wall_s\": null");
    has(json_path, "\"engine\": null");
    has(csv_path, "run_id,program");
    tap_ok(w.rank > 0 || entries() == 2, "no temporary file is left");
}

static void tell(struct report *r)
{
    const char *key[] = {"cb_nodes"}, *value[] = {"1"};
    const struct report_layer layer[] = {{0, "file system", "ext4", "", "below"},
                                         {1, "disk", "sda", "fast", "device"}};
    report_io(r, &(struct report_io){.engine = "posix",
                                     .version = "",
                                     .io_layer = "POSIX",
                                     .mode = "sync",
                                     .chosen_because = "default",
                                     .cache = "flush",
                                     .sync = "phase",
                                     .depth = 1,
                                     .timeout_s = 30,
                                     .hints_asked = 1,
                                     .asked_key = key,
                                     .asked_value = value});
    report_file(r, &(struct report_file){.role = "matrices",
                                         .path = "/x/y",
                                         .kind = "shared",
                                         .layout = "rank,mat,blk",
                                         .count = 1,
                                         .bytes = 4096,
                                         .fs = "ext4",
                                         .mount = "rw",
                                         .block_bytes = 4096,
                                         .stripe_about = "not yet",
                                         .layers = 2,
                                         .layer = layer,
                                         .storage = "ext4 on sda"});
    report_file(r, &(struct report_file){
                       .role = "later", .path = "/old", .count = 1, .bytes = 1});
    report_file_sizes(r, "later", "/new", 3, 999);
    report_file_sizes(r, "others", "/none", 4, 998);
    report_stripes(r, "others", 1, 1, "of others");
    report_stripes(r, "matrices", 1 << 20, 4, "Lustre's layout");
    report_warning(r, "served_from_memory", "Only %d %% came from the device.", 60);
    report_warning(r, "served_from_memory", "A second one of the code.");
    report_result(r, "dC", (double[]){1, 2}, 2);
    report_result(r, "dC", (double[]){-0.93, NAN}, 2);
    report_checks(r, &(struct report_checks){32, 0, 0.6, -1, 0.6, NULL, false});
}

static void check_rate(const struct report_rate *rate)
{
    double write_sync = 0;
    for (int i = 0; i < w.size; i++)
        write_sync = fmax(write_sync, 0.1 * (i + 1) + 0.15 * (w.size - i));
    tap_ok(near(rate->wall_s, 1) && near(rate->read_s, 0.01), "wall and read seconds");
    tap_ok(near(rate->write_s, 0.1 * w.size) && near(rate->sync_s, 0.15 * w.size),
           "write and sync seconds of the slowest rank");
    tap_ok(near(rate->write_sync_s, write_sync),
           "write + sync is the worst sum, not the sum of the worst");
    tap_ok(rate->read_bytes == 1000 * w.size && rate->write_bytes == 1000000 * w.size &&
               rate->device_read_bytes == 600 * w.size,
           "bytes of all ranks");
    tap_ok(rate->split_error == 0, "the parts are the whole");
    tap_ok(near(rate->submit_s, 0.02) && near(rate->wait_s, 0.08),
           "seconds of submitting and of waiting, of writes too");
    tap_ok(near(report_rate_write_MBps(rate), w.size / write_sync) &&
               near(report_rate_read_MBps(rate), w.size * 1e-3 / 0.01) &&
               near(report_rate_phase_MBps(rate), w.size * 1.001),
           "rates");
    tap_ok(isnan(report_rate_read_MBps(&(struct report_rate){.read_s = 1})),
           "no rate where nothing was read");
}

static void measure(struct report *r, int reps)
{
    struct phase *p;
    struct report_rate rate;
    phase_open(&p);
    for (int rep = 1; rep <= reps; rep++) {
        set_phase(p, rep);
        int rc = report_phase(r, p, &(struct report_at){.name = "alpha", .value = 0.5},
                              &rate);
        tap_ok(rc == 0, "repetition %d is reduced", rep);
        if (rep == 1)
            check_rate(&rate);
        report_figure_at(r, "W.write_MBps",
                         &(struct report_at){.name = "alpha", .value = 0.5}, "MB/s",
                         "higher", "f", rep);
        report_figure_at(r, "W.write_MBps",
                         &(struct report_at){.name = "alpha", .value = 0.7}, "MB/s",
                         "higher", "f", 3);
        report_figure(r, "lost", "MB/s", "higher", "f", rep == 2 ? INFINITY : rep);
        report_figure(r, "none", "MB/s", "higher", "f", -rep);
        report_figure(r, "overlap", "1", "higher", "f", -0.25);
    }
    phase_close(&p);
}

/* On each rank, 980 writes end in slot 0 and 20 in slot 47 or 48, in one reduction. */
static void check_slots(void)
{
    char first[128], longest[32];
    const char *at = strstr(sample_of("write"), "\"series\": {");
    snprintf(first, sizeof first,
             "\"series\": {\"slot_s\": 0.001048576, \"bytes\": [%d, 0, 0, ",
             980000 * w.size);
    snprintf(longest, sizeof longest, ", 0.05%d]}", w.size - 1);
    tap_ok(w.rank > 0 || (at && !strncmp(at, first, strlen(first))), "%s", first);
    snprintf(first, sizeof first, "\"calls\": [%d, 0, 0, ", 980 * w.size);
    tap_ok(w.rank > 0 || (at && strstr(at, first)), "%s", first);
    tap_ok(w.rank > 0 || (at && strstr(at, w.size > 1 ? longest : ", 0.05]}")),
           "the longest is in the last slot, %s", longest);
}

static void check_json(void)
{
    char text[256];
    has(json_path, "\"valid\": true,\n  \"why\": null");
    has(json_path,
        "\"series\": {\"id\": \"s7\", \"config\": \"posix-shared\", \"round\": 3}");
    has(json_path, "\"seed\": 18446744073709551615");
    has(json_path, "\"argv\": [\"reporttest\", \"a \\\"quoted\\\" word\"]");
    has(json_path,
        "\"npix\": {\"value\": 1024, \"unit\": \"1\", \"from\": \"command line\", "
        "\"workload\": true}");
    has(json_path, "\"verify\": {\"value\": true, ");
    has(json_path, "\"untold\": {\"value\": null, ");
    has(json_path, "\"hint\": {\"value\": [\"a=1\", \"b=2\"], ");
    has(json_path,
        "\"alpha\": {\"value\": 0.1, \"unit\": \"1\", \"from\": \"environment\"");
    has(json_path, "\"io_layer\": \"POSIX\"");
    has(json_path, "\"cb_nodes\": \"1\"");
    has(json_path, "\"block_bytes\": 4096, \"stripe_bytes\": 1048576, "
                   "\"stripe_count\": 4, \"stripe_about\": \"Lustre's layout\"");
    has(json_path, "\"stack\": [{\"level\": 0, \"kind\": \"file system\", "
                   "\"name\": \"ext4\", \"about\": null, \"reads\": \"below\"}, "
                   "{\"level\": 1, \"kind\": \"disk\", \"name\": \"sda\", "
                   "\"about\": \"fast\", \"reads\": \"device\"}]");
    has(json_path, "\"role\": \"later\", \"path\": \"/new\"");
    has(json_path, "\"count\": 3, ");
    has(json_path, "\"bytes\": 999");
    lacks(json_path, "/none");
    has(json_path, "\"below_share\": 0.6");
    has(json_path, "\"phase\": \"W\", \"act\": \"wall\"");
    lacks(json_path, "\"act\": \"compute\"");
    snprintf(text, sizeof text, "\"calls\": %d, \"bytes\": %d, \"device_bytes\": null",
             1000 * w.size, 1000000 * w.size);
    has(json_path, text);
    snprintf(text, sizeof text, "\"calls\": %d, \"bytes\": %d, \"device_bytes\": %d",
             w.size, 1000 * w.size, 600 * w.size);
    has(json_path, text);
    snprintf(text, sizeof text, "\"max_s\": 0.05%d, \"hist\": [[", w.size - 1);
    has(json_path, w.size > 1 ? text : "\"max_s\": 0.05, \"hist\": [[");
    slowest_is("write", w.size - 1, w.nodes - 1);
    slowest_is("sync", 0, 0);
    quantile_is("p50_s", 1e-3);
    quantile_is("p95_s", 1e-3);
    quantile_is("p99_s", 50e-3);
    tap_ok(w.rank > 0 || strstr(sample_of("write"), "\"p999_s\": null"),
           "1 in 1000 is no percentile");
    check_slots();
    snprintf(text, sizeof text,
             "\"ops\": {\"fsync\": {\"calls\": %d, \"seconds\": 0.%d", w.size,
             w.size == 1   ? 15
             : w.size == 2 ? 3
                           : 6);
    tap_ok(w.rank > 0 || strstr(sample_of("sync"), text), "%s", text);
    has(json_path, "\"submit_mean_s\": 0.02, \"wait_mean_s\": 0.08");
    has(json_path, "\"dC\": [-0.93, null]");
    has(json_path, "\"device_share\": 0.6");
    has(json_path, "\"resident_share\": null");
    has(json_path, "Only 60 % came");
    lacks(json_path, "A second one");
    has(json_path, "\"errors\": []");
    lacks(json_path, "nan");
    lacks(json_path, "inf,");
}

static void check_figures(void)
{
    has(json_path,
        "\"at\": {\"alpha\": 0.5}, \"unit\": \"MB/s\", \"better\": \"higher\", "
        "\"formula\": \"f\", \"reps\": [1, 2, 3, 4, 5, 6], \"median\": 3.5, "
        "\"min\": 1, \"max\": 6, \"ci95\": [");
    has(json_path, "\"at\": {\"alpha\": 0.7}");
    has(json_path, "\"reps\": [1, null, 3, 4, 5, 6], \"median\": 4, \"min\": 1, "
                   "\"max\": 6, \"ci95\": null, \"ci_of\": \"geometric mean\"");
    has(json_path, "\"reps\": [null, null, null, null, null, null], \"median\": null, "
                   "\"min\": null, \"max\": null, \"ci95\": null");
    has(json_path, "\"reps\": [-0.25, -0.25, -0.25, -0.25, -0.25, -0.25]");
}

static void check_csv(void)
{
    int lines = 0;
    for (const char *c = slurp(csv_path); *c; c++)
        lines += *c == '\n';
    /* Read, write, sync, wall in 6 repetitions, and idle unless none is left. */
    tap_ok(w.rank > 0 || lines == 1 + 6 * 5, "a row per sample");
    has(csv_path,
        "run-1,reporttest,\"a, \"\"b\"\"\",s7,posix-shared,3,true,1,alpha,0.5,W,"
        "read,");
}

static void check_good_run(void)
{
    struct report_open o = options();
    struct report *r;
    int rc = report_open(&r, &o);
    tap_ok(rc == 0 && r, "the report opens");
    if (rc)
        return;
    check_first();
    tell(r);
    measure(r, 6);
    rc = report_close(&r, 0);
    tap_ok(rc == 0 && !r, "and closes");
    tap_ok(w.rank > 0 || entries() == 2, "no temporary file is left");
    check_json();
    check_figures();
    check_csv();
}

/* The last rank has no space left. */
static void check_failed_run(void)
{
    struct report_open o = options();
    struct report *r;
    char rank[32];
    int rc = report_open(&r, &o);
    tap_ok(rc == 0, "a report opens over the last one");
    if (rc == 0 && w.rank == w.size - 1)
        rc = err_set(-ENOSPC, "/x/y", 8192, "the device is full");
    rc = err_agree(w.comm, rc);
    tap_ok(report_close(&r, rc) == -ENOSPC && !r, "the close hands the verdict back");
    tap_ok(err_get()->code == -ENOSPC, "the failure stays recorded");
    err_clear();
    snprintf(rank, sizeof rank, "{\"rank\": %d, \"host\": ", w.size - 1);
    has(json_path, "\"valid\": false,\n  \"why\": \"the device is full\"");
    has(json_path, rank);
    has(json_path, "\"file\": \"/x/y\", \"offset_bytes\": 8192, \"errno\": \"ENOSPC\", "
                   "\"text\": \"the device is full\"");
}

static void check_bad_blocks(void)
{
    struct report_open o = options();
    struct report *r;
    report_open(&r, &o);
    report_checks(r, &(struct report_checks){32, 1, -1, -1, -1, NULL, false});
    tap_ok(report_close(&r, 0) == -EIO, "a bad block fails the run");
    err_clear();
    has(json_path, "\"why\": \"1 of 32 blocks verified were wrong\"");
}

/* Work of lanes is reported as if by as many ranks: sums over all of them, and the
 * slowest. Rank r has lanes 0 .. r. */
static void set_lane(struct phase *p, const struct phase *first, int lane)
{
    int64_t ms = 1000000, later = 10 * lane * ms;
    phase_begin(p, "L", 1);
    phase_end(p);
    if (first)
        p->begin_ns = first->begin_ns + later;
    p->end_ns = p->begin_ns + 1000 * ms - later;
    p->act[ACT_COMPUTE].ns = 0;
    p->act[ACT_WRITE].ns = (100 + 10 * lane) * ms;
    p->act[ACT_IDLE].ns = p->end_ns - p->begin_ns - p->act[ACT_WRITE].ns;
    phase_transfer(p, ACT_WRITE, 500, p->begin_ns, p->begin_ns + (1 + lane) * ms);
    phase_op(p, PHASE_OP_OPEN, 0, (1 + lane) * ms);
}

static void check_lane_samples(int lanes)
{
    char text[256];
    snprintf(text, sizeof text, "\"lanes\": %d", w.size);
    has(json_path, text);
    snprintf(text, sizeof text, "\"calls\": %d, \"bytes\": %d", lanes, 500 * lanes);
    tap_ok(w.rank > 0 || strstr(sample_of("write"), text), "%s", text);
    if (w.size > 1) {
        snprintf(text, sizeof text, "\"max_rank\": %d, \"max_lane\": %d", w.size - 1,
                 w.size - 1);
        tap_ok(w.rank > 0 || strstr(sample_of("write"), text), "%s", text);
    } else
        lacks(json_path, "max_lane");
    snprintf(text, sizeof text, "\"max_s\": 0.1%.*s", w.size > 1,
             w.size == 2 ? "1" : "3");
    tap_ok(w.rank > 0 || strstr(sample_of("write"), text), "%s", text);
    snprintf(text, sizeof text, "\"ops\": {\"open\": {\"calls\": %d", lanes);
    tap_ok(w.rank > 0 || strstr(sample_of("open_close"), text), "%s", text);
    /* Lane k's transfer ended 11 k + 1 ms after the rank's begin. */
    const char *calls = strstr(sample_of("write"), "\"calls\": [");
    snprintf(text, sizeof text, "\"calls\": [%d, 0, ", w.size);
    tap_ok(w.rank > 0 || w.size == 1 || (calls && !strncmp(calls, text, strlen(text))),
           "lanes that begin later are later in the series");
}

/* Makes phases whose parts differ from rank to rank, so that a sum, a minimum and a
 * maximum are three numbers. Rank 0's parts leave out a tenth of its wall time. */
static void set_uneven(struct phase *p, int rep)
{
    const int64_t ms = 1000000, lost = rep == 1 && w.rank == 0 ? 100 * ms : 0;
    int64_t used = 0;
    phase_begin(p, "U", rep);
    phase_end(p);
    p->end_ns = p->begin_ns + 1000 * ms;
    for (int a = 0; a < ACT_COUNT; a++)
        p->act[a].ns = 0;
    p->act[ACT_READ].ns = 10 * (w.rank + 1) * ms;
    p->act[ACT_WRITE].ns = 30 * ms;
    p->act[ACT_SYNC].ns = 5 * (w.rank + 1) * ms;
    p->act[ACT_OPEN_CLOSE].ns = 7 * ms;
    for (int a = 0; a < ACT_COUNT; a++)
        used += p->act[a].ns;
    p->act[ACT_IDLE].ns = 1000 * ms - used - lost;
}

/* Device bytes are known if all that moved bytes know them, and none contradicts. */
static void check_device_bytes(struct report *r, struct phase *p)
{
    struct report_rate rate;
    set_uneven(p, 2);
    if (w.rank == 0) {
        phase_transfer(p, ACT_READ, 700, 0, 1000);
        phase_device(p, ACT_READ, 600);
    }
    report_phase(r, p, NULL, &rate);
    tap_ok(rate.device_read_bytes == 600, "a rank that moved nothing knows: 0 bytes");
    phase_transfer(p, ACT_READ, 700, 0, 1000);
    phase_device(p, ACT_READ, w.rank == w.size - 1 ? -1 : 600);
    report_phase(r, p, NULL, &rate);
    tap_ok(rate.device_read_bytes == -1, "one rank that does not know is enough");
}

static void check_uneven(void)
{
    struct report_open o = options();
    struct world apart = w; /* each rank on a node of its own */
    struct world_host *of = calloc((size_t)w.size, sizeof *of);
    struct report_rate rate;
    struct report *r;
    struct phase *p;
    char text[96];
    apart.nodes = w.size;
    apart.node = w.rank;
    for (int i = 0; i < w.size; i++)
        snprintf(of[i].name, sizeof of[i].name, "node%d", i);
    o.world = &apart;
    o.hosts = of;
    report_open(&r, &o);
    phase_open(&p);
    set_uneven(p, 1);
    report_phase(r, p, NULL, &rate);
    tap_ok(near(rate.read_sync_s, 0.015 * w.size), "read + sync of the slowest rank");
    tap_ok(near(rate.io_s, 0.037 + 0.015 * w.size), "I/O has opening and closing");
    tap_ok(near(rate.split_error, 0.1), "a tenth of rank 0's time is in no part");
    check_device_bytes(r, p);
    report_figure(r, "zero", "MB/s", "higher", "f", 0);
    phase_close(&p);
    report_close(&r, 0);
    err_clear();
    free(of);
    snprintf(text, sizeof text, "\"max_rank\": %d, \"max_host\": \"node%d\"",
             w.size - 1, w.size - 1);
    tap_ok(w.rank > 0 || strstr(sample_of("read"), text), "%s", text);
    tap_ok(w.rank > 0 || strstr(sample_of("read"), "\"min_s\": 0.01,"),
           "the least is the least rank's");
    has(json_path, "\"split_error\": 0.1");
    has(json_path, "\"reps\": [null], \"median\": null");
}

/* A percentile of the tail needs ten calls beyond it; the median needs one call. */
static void check_quantiles(void)
{
    int64_t hist[HIST_SIZE] = {0};
    hist[hist_bucket(1000)] = 1000;
    tap_ok(isfinite(report_quantile(hist, 1, 0.5, 1)), "one call has a median");
    tap_ok(isnan(report_quantile(hist, 0, 0.5, 1)), "no call has none");
    tap_ok(isnan(report_quantile(hist, 99, 0.9, 1)), "9 calls beyond are too few");
    tap_ok(isfinite(report_quantile(hist, 100, 0.9, 1)), "10 calls beyond suffice");
}

static void check_lanes(void)
{
    enum { MOST = 16 };
    struct phase *p[MOST];
    struct report_open o = options();
    struct report_rate rate;
    struct report *r;
    int n = w.rank + 1, lanes = w.size * (w.size + 1) / 2;
    report_open(&r, &o);
    for (int i = 0; i < n; i++) {
        phase_open(&p[i]);
        set_lane(p[i], i ? p[0] : NULL, i);
    }
    int rc = report_phases(r, (const struct phase *const *)p, n, NULL, &rate);
    tap_ok(rc == 0, "lanes are reduced");
    tap_ok(near(rate.write_s, 0.1 + 0.01 * (w.size - 1)) &&
               rate.write_bytes == 500 * lanes && near(rate.wall_s, 1) &&
               rate.split_error == 0,
           "the slowest lane's seconds, and the bytes of all");
    tap_ok(w.rank
               ? isnan(rate.write_latency.max_s)
               : near(rate.write_latency.max_s, 1e-3 * w.size) &&
                     rate.write_latency.p50_s > 0 && isnan(rate.write_latency.p99_s) &&
                     isnan(rate.read_latency.max_s),
           "latencies of all, on rank 0; of too few no percentile");
    rc = report_close(&r, 0);
    tap_ok(rc == 0, "and the report closes");
    check_lane_samples(lanes);
    for (int i = 0; i < n; i++)
        phase_close(&p[i]);
}

/* More repetitions than there is room for at first; some have no value. */
static void check_many_values(void)
{
    struct report_open o = options();
    struct report *r;
    char reps[512] = "\"reps\": [";
    report_open(&r, &o);
    for (int i = 1; i <= 70; i++) {
        size_t n = strlen(reps);
        report_figure(r, "many", "MB/s", "higher", "f", i % 7 ? i : 0);
        snprintf(reps + n, sizeof reps - n, i % 7 ? "%s%d" : "%snull",
                 i > 1 ? ", " : "", i);
    }
    report_close(&r, 0);
    snprintf(reps + strlen(reps), sizeof reps - strlen(reps),
             "], \"median\": 35, \"min\": 1, \"max\": 69, ");
    has(json_path, reps);
}

static void check_lost_folder(void)
{
    struct report_open o = options();
    struct report *r;
    char sub[300], path[320];
    snprintf(sub, sizeof sub, "%s/sub", dir);
    snprintf(path, sizeof path, "%s/r.json", sub);
    if (w.rank == 0)
        mkdir(sub, 0777);
    o.json_path = path;
    o.csv_path = NULL;
    int rc = report_open(&r, &o);
    tap_ok(rc == 0, "a report opens in a folder of its own");
    if (w.rank == 0) {
        unlink(path);
        rmdir(sub);
    }
    tap_ok(report_close(&r, 0) < 0 && !r, "the folder's loss is every rank's verdict");
    err_clear();
}

/* Tables of two ranks on node0, as set_phase has them in two repetitions. */
static const char tables[] =
    "phase    rep    wall compute    comm  op/clo    read   write    sync   check    "
    "idle       read      write  slowest\n"
    "             seconds, mean over ranks                                             "
    "         MB/s       MB/s  in I/O\n"
    "W          1  1.0000       -       -       -  0.0100  0.1500  0.2250       -  "
    "0.6150     0.2000     5.0000  0 node0\n"
    "W          2  1.0000       -       -       -  0.0100  0.1500  0.2250       -  "
    "0.6150     0.2000     5.0000  0 node0\n"
    "\n"
    "               seconds of a rank: min     mean      max  slowest rank   transfers "
    "     p50      p95      p99    p99.9      max\n"
    "W       read     0.0100   0.0100   0.0100  0 node0                4  5.00 ms      "
    "  -        -        -  5.00 ms\n"
    "W       write    0.1000   0.1500   0.2000  1 node0             4000   983 us  "
    "1.00 ms  50.6 ms        -  51.0 ms\n"
    "W       sync     0.1500   0.2250   0.3000  0 node0\n"
    "\n"
    "figure                   unit      n     median        min        max   95 % "
    "interval of the geometric mean\n"
    "W.write_MBps             MB/s      2     15.000     10.000     20.000   -\n";

/* Sends what rank 0 prints to text_path; returns what back_to takes. */
static int print_to_file(void)
{
    fflush(stdout);
    int saved = dup(1);
    if (w.rank == 0 && freopen(text_path, "w", stdout) == NULL)
        tap_diag("stdout cannot be sent to %s", text_path);
    return saved;
}

static void back_to(int saved)
{
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
}

/* The last rank is the slowest in one kind of I/O, in a phase called after it; rank 0
 * computes for longer. */
static void check_slowest(void)
{
    static const struct {
        const char *name;
        enum act act;
    } kind[] = {{"read", ACT_READ}, {"write", ACT_WRITE}, {"sync", ACT_SYNC}};
    struct report_open o = options();
    struct report *r;
    struct phase *p;
    o.quiet = false;
    int saved = print_to_file();
    phase_open(&p);
    report_open(&r, &o);
    for (int i = 0; i < 3; i++) {
        phase_begin(p, kind[i].name, 1);
        phase_end(p);
        p->end_ns = p->begin_ns + 1000000000;
        for (int a = 0; a < ACT_COUNT; a++)
            p->act[a].ns = a == (int)kind[i].act ? 100000000 * (w.rank + 1)
                           : a == ACT_COMPUTE    ? 500000000 - 1000000 * w.rank
                                                 : 1000;
        report_phase(r, p, NULL, NULL);
    }
    report_close(&r, 0);
    phase_close(&p);
    back_to(saved);
    err_clear();
    for (int i = 0; i < 3; i++) {
        char row[32], *text = slurp(text_path), *at, *end, expected[96];
        snprintf(row, sizeof row, "\n%-10s 1  1.0000", kind[i].name);
        at = strstr(text, row);
        end = at ? strchr(at + 1, '\n') : NULL;
        snprintf(expected, sizeof expected, "  %d %s", w.size - 1,
                 hosts ? hosts[w.nodes - 1].name : "");
        tap_ok(w.rank > 0 ||
                   (end && end - at > (int)strlen(expected) &&
                    !strncmp(end - strlen(expected), expected, strlen(expected))),
               "%s: slowest in I/O is%s", kind[i].name, expected);
    }
}

static void check_text(void)
{
    struct report_open o = options();
    struct world_host named = hosts ? *hosts : (struct world_host){.ranks = 0};
    struct report *r;
    snprintf(named.name, sizeof named.name, "node0");
    o.hosts = hosts && w.nodes == 1 ? &named : hosts;
    o.quiet = false;
    int saved = print_to_file();
    struct phase *p;
    phase_open(&p);
    report_open(&r, &o);
    tell(r);
    report_note(r, "a line", "of the program's");
    for (int rep = 1; rep <= 2; rep++) {
        set_phase(p, rep);
        report_phase(r, p, NULL, NULL);
        report_figure(r, "W.write_MBps", "MB/s", "higher", "f", 10 * rep);
    }
    report_close(&r, 0);
    phase_close(&p);
    back_to(saved);
    has(text_path, "\na line    of the program's\n");
    if (w.size == 2 && w.nodes == 1)
        has(text_path, tables);
    has(text_path, "cb_nodes=1");
    has(text_path, "\nW          2  1.0000       -       -       -  0.0100");
    has(text_path,
        "W.write_MBps             MB/s      2     15.000     10.000     20.000"
        "   -\n");
    has(text_path, "fewer than 6 repetitions");
    has(text_path, "60.0 % of the bytes read came from it");
    has(text_path, "\nstorage   ext4 on sda\n");
    has(text_path, "\nstripes   matrices: 4 of 1.0 MiB (Lustre's layout)\n");
    has(text_path, "warning   Only 60 % came from the device.");
}

static void clean_up(void)
{
    if (w.rank == 0) {
        unlink(json_path);
        unlink(csv_path);
        unlink(text_path);
        tap_diag("%s", rmdir(dir) ? "the test's folder is not empty" : "cleaned up");
    }
}

int main(int argc, char **argv)
{
    int rc = world_open(&w, &argc, &argv, &program, 0, true);
    tap_start(&argc, &argv, 1);
    tap_ok(rc == 0 && world_hosts(&w, &hosts) == 0, "the world opens");
    make_dir();
    check_refusals();
    check_good_run();
    check_failed_run();
    check_bad_blocks();
    check_quantiles();
    check_uneven();
    check_lanes();
    check_many_values();
    check_lost_folder();
    check_slowest();
    check_text();
    clean_up();
    free(hosts);
    int status = tap_end();
    return world_close(&w, "reporttest") || status;
}
