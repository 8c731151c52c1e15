/* The commands: each takes its own argv ("summary", ...) and returns an exit status. */
#ifndef IOTRACE_COMMANDS_H
#define IOTRACE_COMMANDS_H

#include "base/program.h"

int command_run(int argc, char **argv);
int command_summary(int argc, char **argv);
int command_findings(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_export(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_ldad(int argc, char **argv);
int command_bins(int argc, char **argv);
int command_report(int argc, char **argv);
int command_plot(int argc, char **argv);

#endif
