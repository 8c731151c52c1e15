/* Decodes one record of a swath, or of a single beam. Inside of gsf.c. */
#ifndef HYDRO_GSF_PING_H
#define HYDRO_GSF_PING_H

#include "hydro/gsf.h"
#include "hydro/gsf_format.h"

/* How an array is scaled: value = raw / multiplier - offset. Holds from ping to ping
 * until a later one says otherwise. */
struct gsf_scale {
    double multiplier; /* 0: not yet known */
    double offset;
    bool compressed;
};

/* What a reader keeps from ping to ping. */
struct gsf_pings {
    const char *path; /* for sentences */
    int major;        /* of the format's version */
    struct gsf_scale scale[GSF_ARRAY_IDS];
    int room; /* beams in each of the arrays */
    double *depth, *across, *along;
    uint8_t *flag;
};

/* Local. Decodes `n` bytes of a swath record's data; `offset` is where they are in the
 * file. Fills *ping but its number and offset, and counts subrecords. Returns 0, or
 * -errno with a sentence. */
int gsf_ping_decode(struct gsf_pings *g, const uint8_t *data, int n, int64_t offset,
                    struct gsf_ping *ping, struct gsf_counts *counts);

/* Local. Likewise, of a single-beam record; it has no subrecords that are counted. */
int gsf_ping_decode_single(struct gsf_pings *g, const uint8_t *data, int n,
                           int64_t offset, struct gsf_ping *ping);

void gsf_ping_free(struct gsf_pings *g);

#endif
