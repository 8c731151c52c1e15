#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/wide.h"
#include "hydro/gsf_format.h"
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- arrays of beams ------------------------------------------------------------ */

/* Decoders, in which loading spends its decoding time: plain loops that compilers turn
 * into vector instructions. They divide, as multiplying by the inverse would give other
 * last digits than other readers of GSF have. The C library's checked memcpy would
 * prevent vectorisation. */
#define DECODER(name, raw_type, host_order)                                            \
    WIDE_EXACT static void name(double *restrict out, const uint8_t *restrict in,      \
                                int n, double multiplier, double offset)               \
    {                                                                                  \
        _Pragma("omp simd") for (int i = 0; i < n; i++)                                \
        {                                                                              \
            raw_type raw;                                                              \
            __builtin_memcpy(&raw, in + i * (int)sizeof raw, sizeof raw);              \
            out[i] = (double)(raw_type)host_order(raw) / multiplier - offset;          \
        }                                                                              \
    }
DECODER(decode_u1, uint8_t, )
DECODER(decode_i1, int8_t, )
DECODER(decode_u2, uint16_t, be16toh)
DECODER(decode_i2, int16_t, (int16_t)be16toh)
DECODER(decode_u4, uint32_t, be32toh)
DECODER(decode_i4, int32_t, (int32_t)be32toh)

typedef void decoder(double *restrict out, const uint8_t *restrict in, int n,
                     double multiplier, double offset);

/* Decoders by width, unsigned and signed; depths are unsigned. */
static decoder *const decoders[5][2] = {{NULL, NULL},
                                        {decode_u1, decode_i1},
                                        {decode_u2, decode_i2},
                                        {NULL, NULL},
                                        {decode_u4, decode_i4}};

static const char *array_text(int id)
{
    return id == GSF_DEPTH    ? "depth"
           : id == GSF_ACROSS ? "across-track"
           : id == GSF_ALONG  ? "along-track"
           : id == GSF_FLAGS  ? "beam flags"
                              : "nominal depth";
}

/* Makes room for n beams in all arrays; their content is lost. */
static int gsf_ping_make_room(struct gsf_pings *g, int n)
{
    if (n <= g->room)
        return 0;
    gsf_ping_free(g);
    int room = n > GSF_BEAMS_MAX / 2 ? GSF_BEAMS_MAX : 2 * n;
    g->depth = mem_of(g->path, room, sizeof *g->depth, "beams");
    g->across = mem_of(g->path, room, sizeof *g->across, "beams");
    g->along = mem_of(g->path, room, sizeof *g->along, "beams");
    g->flag = mem_of(g->path, room, 1, "beams");
    if (!g->depth || !g->across || !g->along || !g->flag)
        return -ENOMEM;
    g->room = room;
    return 0;
}

void gsf_ping_free(struct gsf_pings *g)
{
    free(g->depth);
    free(g->across);
    free(g->along);
    free(g->flag);
    g->depth = g->across = g->along = NULL;
    g->flag = NULL;
    g->room = 0;
}

/* ---- subrecords ----------------------------------------------------------------- */

/* A subrecord: its data in memory, and its offset in the file. */
struct sub {
    int id, bytes;
    const uint8_t *data;
    int64_t offset;
};

/* True for an array that is decoded. */
static bool is_needed(uint32_t id)
{
    return id == GSF_DEPTH || id == GSF_NOMINAL || id == GSF_ACROSS || id == GSF_ALONG;
}

static int read_scales(struct gsf_pings *g, const struct sub *s)
{
    int64_t n = s->bytes >= 4 ? (int64_t)gsf_get4(s->data) : -1;
    if (n < 0 || 4 + 12 * n > s->bytes)
        return err_set(-EBADMSG, g->path, s->offset,
                       "%lld scale factors do not fit into the %d bytes that hold them",
                       (long long)n, s->bytes);
    for (int i = 0; i < n; i++) {
        const uint8_t *p = s->data + 4 + 12 * i;
        uint32_t head = gsf_get4(p), multiplier = gsf_get4(p + 4);
        if (!is_needed(head >> 24))
            continue;
        if (!multiplier)
            return err_set(-EBADMSG, g->path, s->offset + 4 + 12 * i,
                           "the scale factor of array %d is 0", (int)(head >> 24));
        g->scale[head >> 24] =
            (struct gsf_scale){multiplier, (int32_t)gsf_get4(p + 8), head >> 16 & 0x0f};
    }
    return 0;
}

static int read_array(const struct gsf_pings *g, const struct sub *s, int beams,
                      double *out)
{
    const struct gsf_scale *scale = &g->scale[s->id];
    int width = s->bytes / beams;
    bool sign = s->id == GSF_ACROSS || s->id == GSF_ALONG;
    decoder *decode = width <= 4 ? decoders[width][sign] : NULL;
    if (!scale->multiplier)
        return err_set(-EBADMSG, g->path, s->offset,
                       "the %s array comes before any scale factor for it",
                       array_text(s->id));
    if (scale->compressed)
        return err_set(-ENOTSUP, g->path, s->offset,
                       "the %s array is compressed, which cannot be read",
                       array_text(s->id));
    if (!decode || s->bytes % beams)
        return err_set(
            -EBADMSG, g->path, s->offset,
            "the %s array has %d bytes for %d beam%s, and not 1, 2 or 4 each",
            array_text(s->id), s->bytes, beams, units_s(beams));
    decode(out, s->data, beams, scale->multiplier, scale->offset);
    return 0;
}

static int read_flags(const struct gsf_pings *g, const struct sub *s, int beams)
{
    if (s->bytes != beams)
        return err_set(-EBADMSG, g->path, s->offset,
                       "the beam flags have %d bytes for %d beam%s", s->bytes, beams,
                       units_s(beams));
    memcpy(g->flag, s->data, (size_t)beams);
    return 0;
}

static int read_sub(struct gsf_pings *g, const struct sub *s, struct gsf_ping *ping)
{
    double *out = NULL;
    if (s->id == GSF_SUB_SCALES)
        return read_scales(g, s);
    if (s->id == GSF_DEPTH)
        out = g->depth;
    else if (s->id == GSF_NOMINAL)
        out = ping->has & 1u << GSF_DEPTH ? NULL : g->depth;
    else if (s->id == GSF_ACROSS)
        out = g->across;
    else if (s->id == GSF_ALONG)
        out = g->along;
    else if (s->id != GSF_FLAGS)
        return 0;
    ping->has |= 1u << s->id;
    if (!ping->beams && s->bytes)
        return err_set(-EBADMSG, g->path, s->offset,
                       "the %s array has %d bytes, and its ping says that it has no "
                       "beams",
                       array_text(s->id), s->bytes);
    if (!ping->beams)
        return 0;
    if (s->id == GSF_FLAGS)
        return read_flags(g, s, ping->beams);
    return out ? read_array(g, s, ping->beams, out) : 0;
}

/* ---- pings ---------------------------------------------------------------------- */

static double degrees(const uint8_t *p)
{
    return (int32_t)gsf_get4(p) / 1e7;
}

/* Reads the ship's position and the time, with which both kinds of records begin;
 * `heading` is its place in them. */
static void gsf_ping_read_head(const uint8_t *p, const uint8_t *heading,
                               struct gsf_ping *ping)
{
    *ping = (struct gsf_ping){.time_s = (int32_t)gsf_get4(p),
                              .time_ns = (int32_t)gsf_get4(p + 4),
                              .lon = degrees(p + 8),
                              .lat = degrees(p + 12),
                              .heading = gsf_get2(heading) / 100.0};
    ping->placed = fabs(ping->lat) <= 90 && fabs(ping->lon) <= 180;
    ping->headed = ping->heading <= 360;
}

/* Sets arrays that the file lacks to 0: no depth, below the ship, no flag. */
static void fill_gaps(struct gsf_pings *g, struct gsf_ping *ping)
{
    size_t n = (size_t)ping->beams;
    if (!(ping->has & (1u << GSF_DEPTH | 1u << GSF_NOMINAL)))
        memset(g->depth, 0, n * sizeof *g->depth);
    if (!(ping->has & 1u << GSF_ACROSS))
        memset(g->across, 0, n * sizeof *g->across);
    if (!(ping->has & 1u << GSF_ALONG))
        memset(g->along, 0, n * sizeof *g->along);
    if (!(ping->has & 1u << GSF_FLAGS))
        memset(g->flag, 0, n);
    ping->depth = g->depth;
    ping->across = g->across;
    ping->along = g->along;
    ping->flag = g->flag;
}

/* True if a subrecord ends within its ping. For intensities, which come last, the
 * reference library counts the subrecord's own head among its bytes. */
static bool gsf_ping_fits(const struct sub *s, int left)
{
    return s->bytes - (s->id == GSF_SUB_INTENSITIES ? GSF_SUB_HEAD : 0) <= left;
}

/* Reads the subrecords. A word of zeros is padding: pings are often padded by more than
 * they need. */
static int read_subs(struct gsf_pings *g, const uint8_t *data, int n, int64_t offset,
                     struct gsf_ping *ping, struct gsf_counts *counts)
{
    int rc = 0;
    for (int at = gsf_ping_head_bytes(g->major); n - at > GSF_SUB_HEAD && !rc;) {
        uint32_t word = gsf_get4(data + at);
        struct sub s = {.id = (int)(word >> 24), .bytes = (int)(word & 0xffffff)};
        at += GSF_SUB_HEAD;
        s.data = data + at;
        s.offset = offset + at;
        if (!gsf_ping_fits(&s, n - at))
            return err_set(
                -EBADMSG, g->path, s.offset - GSF_SUB_HEAD,
                "subrecord %d of a ping has %d bytes, and %d are left of the "
                "ping",
                s.id, s.bytes, n - at);
        counts->subrecords[s.id]++;
        rc = read_sub(g, &s, ping);
        at += s.bytes;
    }
    return rc;
}

int gsf_ping_decode(struct gsf_pings *g, const uint8_t *data, int n, int64_t offset,
                    struct gsf_ping *ping, struct gsf_counts *counts)
{
    if (n < gsf_ping_head_bytes(g->major))
        return err_set(-EBADMSG, g->path, offset,
                       "a ping has %d bytes, fewer than the %d of its head", n,
                       gsf_ping_head_bytes(g->major));
    gsf_ping_read_head(data, data + 30, ping);
    ping->beams = gsf_get2(data + 16);
    ping->flags = gsf_get2(data + 20);
    ping->ignored = ping->flags & GSF_PING_IGNORE;
    int rc =
        gsf_ping_make_room(g, ping->beams ? ping->beams : 1); /* no null pointers */
    if (!rc)
        rc = read_subs(g, data, n, offset, ping, counts);
    if (!rc)
        fill_gaps(g, ping);
    return rc;
}

/* Decodes a single-beam ping. Its depth includes the corrections in its record, as a
 * swath's depths do. */
int gsf_ping_decode_single(struct gsf_pings *g, const uint8_t *data, int n,
                           int64_t offset, struct gsf_ping *ping)
{
    enum { HEADING = 22, DEPTH = 30, BYTES = 38 };
    if (n < BYTES)
        return err_set(-EBADMSG, g->path, offset,
                       "a single-beam ping has %d bytes, fewer than its %d", n, BYTES);
    gsf_ping_read_head(data, data + HEADING, ping);
    ping->single = true;
    ping->beams = 1;
    ping->has = 1u << GSF_DEPTH;
    int rc = gsf_ping_make_room(g, 1);
    if (rc)
        return rc;
    g->depth[0] = (int32_t)gsf_get4(data + DEPTH) / 100.0;
    fill_gaps(g, ping);
    return 0;
}
