/* The commands: each takes its own argv ("summary", ...) and returns an exit status. */
#ifndef IOTRACE_COMMANDS_H
#define IOTRACE_COMMANDS_H

#include "base/commands.h"
#include <stdio.h>

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

/* Local. Opens `path` for writing ("-": stdout) where nothing may be there yet unless
 * `replace`. NULL with a sentence. */
FILE *command_create(const char *path, bool replace);

/* Local. Ends the file. 0, or -errno with a sentence: what could not be written. */
int command_finish(FILE *out, const char *path);

#endif
