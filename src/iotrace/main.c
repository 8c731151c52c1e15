/* iotrace: starts programs under libiotrace.so, and reads what it recorded. */
#include "iotrace/commands.h"

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

int main(int argc, char **argv)
{
    return commands_run(&iotrace, argc, argv);
}
