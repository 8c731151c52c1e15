/* Writes files in the Generic Sensor Format: a header, swaths, and any records that the
 * caller has made. gsf.h reads back the same values, rounded to the scale factors. */
#ifndef HYDRO_GSF_WRITE_H
#define HYDRO_GSF_WRITE_H

#include "hydro/gsf.h"

/* The storage of an array: round((value + offset) * multiplier) in `width` bytes. */
struct gsf_write_array {
    int width;           /* 1, 2 or 4; 0: the array is left out */
    uint32_t multiplier; /* not 0 */
    int32_t offset;
};

struct gsf_write_form {
    int major, minor; /* 3, 9 */
    bool checksums;
    bool no_flags; /* write no beam flags */
    struct gsf_write_array depth, across, along;
};

struct gsf_writer;

/* Local. Creates `path`, which must not exist, and writes the header record. *w is
 * freed by gsf_write_close. Returns 0, or -errno with a sentence; no file is left. */
int gsf_write_open(struct gsf_writer **w, const char *path,
                   const struct gsf_write_form *form);

/* Local. Changes the form for the following pings; the version stays. */
void gsf_write_reform(struct gsf_writer *w, const struct gsf_write_form *form);

/* Local. Writes a ping. Its number, offset, placed, headed and ignored are not used,
 * its flags are. Scale factors are written if they changed. Returns 0, or -errno with a
 * sentence: -ERANGE if a value does not fit its array. */
int gsf_write_ping(struct gsf_writer *w, const struct gsf_ping *ping);

/* Local. Writes a record with any id (enum gsf_record; registry << 12 | type) and
 * `bytes` of data, padded to a multiple of 4. Returns 0 or -errno with a sentence. */
int gsf_write_record(struct gsf_writer *w, uint32_t id, const void *data, int bytes);

/* Local. Writes the buffer and closes the file; *w becomes NULL. With `keep` false, or
 * after a failure, the file is removed. Returns 0, or -errno with a sentence. */
int gsf_write_close(struct gsf_writer **w, bool keep);

#endif
