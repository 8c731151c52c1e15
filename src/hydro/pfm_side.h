/* The small files of a PFM: handle, list of input files (.ctl), names of their lines
 * (.lin), coverage map (.cvg). */
#ifndef HYDRO_PFM_SIDE_H
#define HYDRO_PFM_SIDE_H

#include "hydro/pfm.h"

enum { PFM_GSF = 2, PFM_COVERAGE_HEADER = 65536 };

struct pfm_input {
    char *path;
    int64_t type; /* PFM_GSF */
    bool deleted;
};

/* Input files, and lines, by their numbers in soundings. All zero: none. */
struct pfm_inputs {
    int64_t files, lines;
    struct pfm_input *file;
    char **line;
};

/* Local. Adds a file, and a line with its name and "-000", which gets the number
 * in->lines - 1. Returns 0, or -errno with a sentence. */
int pfm_inputs_add(struct pfm_inputs *in, const char *path, int64_t type);

/* Local. Reads the lists in the .ctl and .lin of a PFM, in their order, into an empty
 * list. Returns 0, or -errno with a sentence. */
int pfm_inputs_read(struct pfm_inputs *in, const char *handle);
void pfm_inputs_free(struct pfm_inputs *in); /* everything that was added */

/* Local. Write the file `path`, new or over an old one, for the PFM whose handle file
 * is (or will be) `handle`. Return 0, or -errno with a sentence. */
int pfm_handle_write(const char *path, const struct pfm_head *h, const char *handle);
int pfm_ctl_write(const char *path, const struct pfm_head *h, const char *handle,
                  const struct pfm_inputs *in);
int pfm_lin_write(const char *path, const struct pfm_inputs *in);

/* Local. Writes the .cvg: a header and a byte for each bin (pfm_coverage); if
 * `coverage` is NULL, zeros to be overwritten from pfm_coverage_at on. Only version 7
 * has this file. */
int pfm_cvg_write(const char *path, const struct pfm_head *h, const uint8_t *coverage);

#endif
