/* iotrace: starts programs under libiotrace.so, and reads what it recorded. */
#include "base/err.h"
#include "iotrace/commands.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const struct command command[] = {
    {"run", command_run, "run a command and record its I/O"},
    {"summary", command_summary, "counts, bytes and times by call, file and process"},
    {"findings", command_findings,
     "what costs time, most important first, with remedies"},
    {"dump", command_dump, "all events as a table (tab-separated)"},
    {"merge", command_merge, "the events of all processes in one table"},
    {"export", command_export, "events for Perfetto, as CSV or Parquet; counters"},
    {"compare", command_compare, "what changed between two runs"},
    {"ldad", command_ldad, "access patterns: LDAD(start, span, stride, size)"},
    {"report", command_report, "one HTML page: findings, pictures, tables"},
    {"plot", command_plot, "pictures (needs matplotlib)"},
    {"bins", command_bins, "what plot draws, as JSON"},
    {"recover", command_recover, "finish the logs of killed processes"}};

static const struct command_set iotrace = {
    .program = "iotrace",
    .about = "Records and shows what programs ask of their files. RUN is a run's "
             "directory,\nor one log (.bin, .part or .tsv).\n",
    .example = "summary RUN",
    .command = command,
    .n = sizeof command / sizeof command[0]};

FILE *command_create(const char *path, bool replace)
{
    if (!strcmp(path, "-"))
        return stdout;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
    int fd = open(path, flags, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        err_set(-errno, path, -1, "it cannot be written: %s", strerror(errno));
    return out;
}

int command_finish(FILE *out, const char *path)
{
    if (out == stdout) /* what cannot be written there is told where the program ends */
        return 0;
    bool bad = ferror(out) || fflush(out);
    int e = errno;
    bad |= fclose(out) != 0;
    return bad ? err_set(-e, path, -1, "it cannot be written: %s", strerror(e)) : 0;
}

int main(int argc, char **argv)
{
    return commands_run(&iotrace, argc, argv);
}
