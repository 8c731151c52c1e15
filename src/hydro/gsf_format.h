/* Constants of the Generic Sensor Format for its reader and its writer. Everything in a
 * file is big-endian. */
#ifndef HYDRO_GSF_FORMAT_H
#define HYDRO_GSF_FORMAT_H

#include "hydro/gsf.h"
#include <stdint.h>
#include <string.h>

enum {
    GSF_RECORD_MAX = 524288, /* data bytes of one record */
    GSF_RECORD_MIN = 9,      /* least bytes of a record of the format's own types */
    GSF_HEAD_BYTES = 8,      /* size and id before each record's data */
    GSF_ARRAY_IDS = 32,      /* arrays of beams are 1..31 */
    GSF_SUB_INTENSITIES = 21,
    GSF_SUB_SCALES = 100,
    GSF_SUB_HEAD = 4,
    GSF_BEAMS_MAX = 65535,
    GSF_VERSION_BYTES = 12 /* "GSF-v03.09", padded */
};

#define GSF_CHECKSUM_FLAG UINT32_C(0x80000000)
#define GSF_ID_MASK UINT32_C(0x003fffff) /* registry and type */

/* Bytes of a ping before its first subrecord. */
static inline int gsf_ping_head_bytes(int major)
{
    return major <= 2 ? 42 : 56;
}

static inline uint16_t gsf_get2(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t gsf_get4(const uint8_t *p)
{
    return (uint32_t)gsf_get2(p) << 16 | gsf_get2(p + 2);
}
static inline void gsf_put2(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}
static inline void gsf_put4(uint8_t *p, uint32_t v)
{
    gsf_put2(p, v >> 16);
    gsf_put2(p + 2, v);
}

/* The checksum: the sum of a record's data bytes. */
static inline uint32_t gsf_sum(const uint8_t *p, int64_t n)
{
    uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

/* ---- decoding a ping ------------------------------------------------------------- */

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
