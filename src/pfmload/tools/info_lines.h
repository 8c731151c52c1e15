/* pfminfo: writes bins and soundings as lines of text, for other programs. No MPI. */
#ifndef PFMLOAD_TOOLS_INFO_LINES_H
#define PFMLOAD_TOOLS_INFO_LINES_H

#include "hydro/pfm.h"

struct info_lines;

/* Local. Begins the file `path`, replacing an old one; "-" is standard output.
 * info_lines_close frees *l. Returns 0, or -errno with a sentence. */
int info_lines_open(struct info_lines **l, const char *path, const struct pfm_head *h);

/* Local. Writes the column names of info_lines_bin, as a line. */
void info_lines_names(struct info_lines *l);

/* Local. Writes a bin with soundings: comma-separated; a null depth is empty, and so is
 * the deviation of a bin without valid soundings. */
void info_lines_bin(struct info_lines *l, const struct pfm_bin *bin);

/* Local. Writes each of a bin's n soundings: longitude, latitude, depth downwards,
 * separated by blanks; only valid ones, or all. */
void info_lines_soundings(struct info_lines *l, const struct pfm_sounding *s, int64_t n,
                          bool all);

/* Local. True if writing has failed: going on is in vain. */
bool info_lines_failed(const struct info_lines *l);

/* Local. Closes the file; with `rc` != 0 it is incomplete and removed. Returns `rc`, or
 * -errno with a sentence. */
int info_lines_close(struct info_lines **l, int rc);

#endif
