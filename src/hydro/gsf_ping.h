/* Decodes one record of a swath, or of a single beam. Private to gsf.c. */
#ifndef HYDRO_GSF_PING_H
#define HYDRO_GSF_PING_H

#include "hydro/gsf.h"
#include "hydro/gsf_format.h"

/* The scaling of an array: value = raw / multiplier - offset. It holds for all pings
 * until it is changed. */
struct gsf_scale {
    double multiplier; /* 0: not yet known */
    double offset;
    bool compressed;
};

/* The state that a reader keeps between pings. */
struct gsf_pings {
    const char *path; /* for sentences */
    int major;        /* of the format's version */
    struct gsf_scale scale[GSF_ARRAY_IDS];
    int room; /* beams in each of the arrays */
    double *depth, *across, *along;
    uint8_t *flag;
};

/* Local. Decodes `n` bytes of a swath record's data, at `offset` in the file. Fills
 * *ping except its number and offset, and counts subrecords. Returns 0, or -errno with
 * a sentence. */
int gsf_ping_decode(struct gsf_pings *g, const uint8_t *data, int n, int64_t offset,
                    struct gsf_ping *ping, struct gsf_counts *counts);

/* Local. Decodes a single-beam record; it has no subrecords to count. */
int gsf_ping_decode_single(struct gsf_pings *g, const uint8_t *data, int n,
                           int64_t offset, struct gsf_ping *ping);

void gsf_ping_free(struct gsf_pings *g);

#endif
