/* leadline-doctor: the program behind "leadline doctor", which starts it in its own
 * place, so that a launcher's variables and descriptors reach it. */
#include "base/clock.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "base/plain.h"
#include "base/program.h"
#include "doctor/doctor.h"
#include <string.h>

static struct {
    const char *dir, *json;
} set;

static struct opt table[] = {
    {OPT_TEXT, "DIR", .value = &set.dir, .required = true,
     .help = "the directory to examine"},
    {OPT_TEXT, "json", .value = &set.json, .arg = "FILE",
     .help = "write the findings as JSON (-: to standard output, instead of the text)"},
};

static int put_json(const struct doctor *d, const struct world *w, FILE *out)
{
    struct json j;
    char utc[CLOCK_UTC_SIZE];
    clock_utc(utc);
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-doctor/1");
    json_text(&j, "version", leadline_version);
    json_text(&j, "start_utc", utc);
    json_text(&j, "directory", set.dir);
    json_text(&j, "host", w->host);
    json_int(&j, "nodes", w->nodes);
    doctor_put(d, &j, "doctor");
    json_end_object(&j);
    return json_finish(&j);
}

static int tell(const struct doctor *d, const struct world *w)
{
    struct outfile o = {.file = NULL};
    char dir[PLAIN_PATH];
    bool standard = set.json && !strcmp(set.json, "-");
    if (!standard) {
        printf("%s on %s\n\n", plain(dir, sizeof dir, set.dir), w->host);
        doctor_print(d, stdout);
    }
    if (!set.json)
        return 0;
    int rc = outfile_open(&o, set.json, OUTFILE_STREAM);
    if (!rc && (rc = put_json(d, w, o.file)))
        err_set(rc, set.json, -1, "the findings cannot be written: %s", strerror(-rc));
    return outfile_close(&o, rc);
}

int main(int argc, char **argv)
{
    static struct doctor d;
    const struct opt_program p = {
        "leadline doctor", "DIR",
        "Examines a directory: what its file system can do, where it does what it "
        "says, "
        "and what that means for a measurement. On two nodes it also tries what they "
        "see of each other's work.",
        table, sizeof table / sizeof table[0]};
    struct world w;
    int status;
    if (world_early(&p, argc, argv, &status))
        return status;
    int rc = opt_parse(&p, argc, argv);
    watchdog_limit(WATCHDOG_LIMIT_S);
    rc = world_open(&w, &argc, &argv, &p, rc, false);
    if (!rc)
        rc = doctor_examine(&d, &w, set.dir);
    if (!rc)
        err_agree(w.comm, w.rank ? 0 : tell(&d, &w));
    return world_close(&w, p.name);
}
