/* The commands: each takes its own argv ("summary", ...) and returns an exit status. */
#ifndef IOTRACE_COMMANDS_H
#define IOTRACE_COMMANDS_H

#include "base/program.h"
#include "iotrace/read/runs.h"
#include <stdbool.h>
#include <stddef.h>
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

/* ---- starting a program ---------------------------------------------------------- */

/* Local. Finds the folder of this executable; "." if it is not known. */
void launch_folder(char *out, size_t size);

/* Local. Finds the installed file `configured`: relative to this executable, as it was
 * configured ("make install prefix=ELSEWHERE" moves both), or else at `configured`
 * itself. False: it can be read at neither. */
bool launch_installed(char *out, size_t size, const char *configured);

/* ---- recovery -------------------------------------------------------------------- */

/* Local. Finishes the log `path`: makes the table NAME of NAME.part, which it removes,
 * and adds PATH.summary to a log in binary form. It overwrites nothing. *made is the
 * new file's name, to be freed; NULL: there was nothing to do. Returns 0, or -errno
 * with a sentence. */
int recover_log(const char *path, char **made);

/* ---- Darshan --------------------------------------------------------------------- */

/* Local. Writes a run's counters in the layout of darshan-parser. Returns 0, or -errno
 * with a sentence. */
int darshan_put(struct run *r, FILE *out);

/* ---- Python ---------------------------------------------------------------------- */

#define PYTHON_ARGS 16

/* Local. Replaces this process by Python, which runs the package's `script` with
 * --program (this program) and `args`, which end with NULL. Returns only if that
 * failed: -errno with a sentence. */
int python_become(const char *script, const char *const args[]);

#endif
