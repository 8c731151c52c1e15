/* findings: prints the habits of a run that cost it time in its files; summary: prints
 * a first look at them, or tables of all calls. */
#include "base/err.h"
#include "base/format/outfile.h"
#include "iotrace/commands.h"
#include "iotrace/findings/findings.h"
#include "iotrace/read/runs.h"
#include "iotrace/summary.h"
#include <errno.h>
#include <string.h>

#define STATUS_FOUND 3

/* ---- findings ---------------------------------------------------------------- */

static int show(const struct findings *f, const char *json)
{
    if (!json || strcmp(json, "-") != 0)
        findings_text(f, stdout);
    if (!json)
        return 0;
    struct outfile out;
    int rc = outfile_open(&out, json, OUTFILE_STREAM);
    if (!rc)
        findings_json(f, out.file);
    return outfile_close(&out, rc);
}

static int findings_level_of(const char *fail_on)
{
    return !strcmp(fail_on, "high")     ? SEVERITY_HIGH
           : !strcmp(fail_on, "medium") ? SEVERITY_MEDIUM
                                        : SEVERITY_LOW;
}

static int answer(const struct findings_ask *ask, const char *json, const char *fail_on)
{
    struct findings *f;
    int rc = findings_make(&f, ask);
    rc = rc ? rc : show(f, json);
    bool bad = !rc && fail_on && findings_worst(f) >= findings_level_of(fail_on);
    int status = findings_status(f, rc);
    findings_free(&f);
    return status == EXIT_GOOD && bad ? STATUS_FOUND : status;
}

int command_findings(int argc, char **argv)
{
    struct findings_ask ask = {.rank = -1};
    const char *json = NULL, *fail_on = NULL;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &ask.run, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_TEXT, "json", .value = &json, .arg = "FILE",
         .help = "write them as JSON to this file, too (-: to standard output, without "
                 "text)",
         .text = "Write the findings as JSON as well, with the schema "
                 "leadline-iotrace-findings. If FILE is *-*, standard output has them "
                 "instead of the text."},
        {OPT_ASK, "list", .arg = "json", .bare = "", .answer = findings_list,
         .help = "list all findings that there are, with their conditions",
         .text = "List all findings that there are, with their conditions; do not look "
                 "at a run."},
        {OPT_TEXT, "only", .value = &ask.only, .arg = "ID,...",
         .help = "look for findings of these names only"},
        {OPT_REAL, "floor", .value = &ask.floor_s, .preset = "0.005", .arg = "SECONDS",
         .unit = "s", .max = 1e6, .help = "leave out findings with less time at stake",
         .text = "Leave out findings with less time at stake, over all ranks."},
        {OPT_CHOICE, "fail-on", .value = &fail_on, .choices = "high|medium|low",
         .help = "end with status 3 where a finding is as severe as that",
         .text = "End with status 3 if a finding is at least *high*, *medium* or "
                 "*low*."},
        {OPT_FLAG, "all", .value = &ask.all,
         .help = "also processes without a rank, MPI_Init and MPI_Finalize, pipes, "
                 "sockets, and files of the system",
         .text = "Look at everything. By default only ranks count (or all processes, "
                 "if there are no ranks), and only regular files. MPI_Init and "
                 "MPI_Finalize, pipes, sockets, and files of the kernel and the system "
                 "are summed separately."},
        {OPT_INT, "rank", .value = &ask.rank, .arg = "N", .help = "only this rank"},
        {OPT_LIST, "file", .value = &ask.file, .arg = "GLOB",
         .help = "only files whose name matches, as in \"*.h5\"; may be repeated",
         .text = "Only files whose whole name matches; may be repeated."},
        {OPT_TEXT, "phase", .value = &ask.phase, .arg = "REGION",
         .help = "only calls within regions of this name",
         .text = "Only calls within regions of this name (see *libiotrace*(3))."},
        {OPT_TEXT, "process", .value = &ask.process, .arg = "NAME",
         .help = "only processes of this program, or the one with this number"},
        {OPT_BYTES, "small", .value = &ask.small_bytes, .arg = "BYTES", .unit = "B",
         .help = "transfers below this are small [estimated from the run]",
         .text = "Transfers below this size are small. By default it is the size at "
                 "which starting a transfer takes as long as moving its bytes in this "
                 "run, at most 1 MiB; or 64 KiB if the run does not show it."},
        {OPT_BYTES, "lock", .value = &ask.lock_bytes, .arg = "BYTES", .unit = "B",
         .help = "unit of the file system's locks: a stripe, a block [as recorded]",
         .text = "The unit of the file system's locks, for misaligned and "
                 "lock-conflict. By default the log tells it for each file: a stripe "
                 "on Lustre, a block on GPFS, 1 MiB on NFS, none elsewhere."},
        {OPT_CHOICE, "client", .value = &ask.client, .preset = "host",
         .choices = "host|rank", .help = "who holds such a lock",
         .text = "Who holds a lock: each *host* or each *rank*."}};
    const struct opt_program p = {
        "iotrace findings", "RUN",
        "Tells what the run did to its files that cost it time, most important first: "
        "with files, ranks, times and counts as evidence, and a remedy.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    return answer(&ask, json, fail_on);
}

/* ---- summary ----------------------------------------------------------------- */

/* Shows the first look: a summary of the findings in one screen. */
static int show_look(const char *path)
{
    const struct findings_ask ask = {
        .run = path, .rank = -1, .client = "host", .floor_s = FINDINGS_FLOOR_S};
    struct findings *f;
    int rc = findings_make(&f, &ask);
    if (!rc)
        findings_look(f, stdout);
    int status = findings_status(f, rc);
    findings_free(&f);
    return status;
}

static int show_tables(const char *path, const struct summary_tables *tables,
                       const char *json)
{
    struct summary *s;
    int rc = summary_make(&s, path);
    if (!rc && (!json || strcmp(json, "-") != 0))
        rc = summary_text(s, tables, stdout);
    if (!rc && json) {
        struct outfile out;
        rc = outfile_open(&out, json, OUTFILE_STREAM);
        rc = outfile_close(&out, rc ? rc : summary_json(s, out.file));
    }
    int status = run_verdict(&s->run, rc);
    summary_free(&s);
    return status;
}

int command_summary(int argc, char **argv)
{
    const char *path = NULL, *json = NULL;
    struct summary_tables tables = {0};
    bool all = false;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &path, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_FLAG, "calls", .value = &tables.calls,
         .help = "a table of calls: bytes, times and sizes",
         .text = "A table of calls, and one of the calls made within them."},
        {OPT_FLAG, "files", .value = &tables.files, .help = "a table of files"},
        {OPT_FLAG, "ranks", .value = &tables.ranks,
         .help = "a table of ranks and other processes"},
        {OPT_FLAG, "all", .value = &all, .help = "all three tables"},
        {OPT_TEXT, "json", .value = &json, .arg = "FILE",
         .help = "all figures of the tables as JSON, into this file (-: standard "
                 "output, instead of the text)"},
        {OPT_INT, "top", .value = &tables.top, .preset = "20", .arg = "N",
         .help = "rows of files and processes in the tables",
         .text = "Rows of files and processes in the text."}};
    const struct opt_program p = {
        "iotrace summary", "RUN",
        "A run's I/O on one screen: what cost time, where it went, and what was not "
        "seen; or counts, bytes and times by call, by file, by process.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    tables.calls |= all;
    tables.files |= all;
    tables.ranks |= all;
    bool any = tables.calls || tables.files || tables.ranks;
    return any || json ? show_tables(path, &tables, json) : show_look(path);
}
