/* The options of pfmload. */
#ifndef PFMLOAD_INPUT_SETTINGS_H
#define PFMLOAD_INPUT_SETTINGS_H

#include "hydro/geodesy.h"
#include "run/workload.h"

enum { SETTINGS_MEMORY_MIN = 1 << 20 }; /* bytes of a rank */

struct settings {
    struct run_options run;
    struct opt_rest files;
    struct opt_list lists;
    const char *output, *scheme, *library, *bounds_text, *depths_text, *version;
    const char *position_text, *area_order, *scratch_dir;
    double bin_m, area_sigma, swath_sigma;
    int64_t record_length, memory, queue_limit, io_ranks;
    bool canonical, append, overwrite, skip_bad, truncated, swath;
    bool area_serial;
    /* derived from the options */
    enum geo_how how;
    bool bounded, depths_given;
    double west, south, east, north; /* degrees; east > 180 if it crosses
                                      * that meridian */
    double depth_min, depth_max;     /* m */
};

extern struct settings settings;
extern struct opt settings_table[];
extern const int settings_count;

/* Local. Parses --bounds and --depths, and refuses incompatible options. Returns 0, or
 * -EINVAL with a sentence. */
int settings_settle(const struct opt_program *p);

#endif
