/* pfminfo: bins and soundings as lines of text, for other programs. No MPI. */
#ifndef PFMLOAD_TOOLS_INFO_LINES_H
#define PFMLOAD_TOOLS_INFO_LINES_H

#include "hydro/pfm.h"

struct info_lines;

/* Local. Begins the file `path`, over an old one, or standard output where it is "-";
 * *l is freed by info_lines_close. Returns 0, or -errno with a sentence. */
int info_lines_open(struct info_lines **l, const char *path, const struct pfm_head *h);

/* Local. The names of what info_lines_bin writes, as a line. */
void info_lines_names(struct info_lines *l);

/* Local. One bin with soundings: comma-separated; a depth that is null is empty, and so
 * is the deviation of a bin without valid soundings. */
void info_lines_bin(struct info_lines *l, const struct pfm_bin *bin);

/* Local. Each of a bin's n soundings: longitude, latitude, depth downwards, with blanks
 * between them; only valid ones, or all. */
void info_lines_soundings(struct info_lines *l, const struct pfm_sounding *s, int64_t n,
                          bool all);

/* Local. Whether writing has failed: there is no use in going on. */
bool info_lines_failed(const struct info_lines *l);

/* Local. With `rc` the file is not kept: it is not whole. Returns `rc`, or -errno with
 * a sentence. */
int info_lines_close(struct info_lines **l, int rc);

#endif
