/* The header of a log: its description of itself, checked. */
#ifndef IOTRACE_READ_HEADER_H
#define IOTRACE_READ_HEADER_H

#include "iotrace/format/trace.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HEADER_SHIFT 48

/* The fields of struct trace_record, in its order. */
enum header_field {
    FIELD_START,
    FIELD_DURATION,
    FIELD_OFFSET,
    FIELD_REQUEST,
    FIELD_RESULT,
    FIELD_FILE,
    FIELD_OP,
    FIELD_LEVEL,
    FIELD_FLAGS,
    FIELDS
};

struct header {
    struct trace_header fixed;
    char *text; /* lines, each terminated by 0 */
    struct {
        uint32_t at, bytes;
        bool has_sign;
    } field[FIELDS];
    bool native;          /* records are struct trace_record of this machine */
    int32_t *op;          /* op_get's number for each number of this log; -1: none */
    uint32_t ops;         /* numbers are below this */
    uint64_t ns_per_tick; /* in 2^-HEADER_SHIFT */
};

/* Local. Check the begin of a log: the fixed part, and the text. Return 0, or -EINVAL
 * with a sentence about `path`. The caller allocates `text`, which belongs to the
 * header from then on. */
int header_check(struct header *h, const char *path);
int header_read_text(struct header *h, const char *path);
void header_free(struct header *h);

/* Local. Returns the value of a line "key=value" of the text; "" if there is none. */
const char *header_value(const struct header *h, const char *key);

/* Local. Convert ticks of a duration to nanoseconds, and a moment to nanoseconds since
 * the epoch. */
static inline int64_t header_duration(const struct header *h, uint64_t ticks)
{
    uint64_t s = h->ns_per_tick;
    const uint64_t half = (uint64_t)1 << (HEADER_SHIFT - 1);
    unsigned __int128 ns =
        s ? ((unsigned __int128)ticks * s + half) >> HEADER_SHIFT : ticks;
    return ns > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)ns;
}

static inline int64_t header_time(const struct header *h, uint64_t ticks)
{
    const struct trace_header *f = &h->fixed;
    if (ticks >= f->ticks[0])
        return f->unix_ns[0] + header_duration(h, ticks - f->ticks[0]);
    return f->unix_ns[0] - header_duration(h, f->ticks[0] - ticks);
}

/* Local. Reads the record at `from`, by the header's fields. */
void header_load(const struct header *h, const char *from, struct trace_record *r);
static inline void header_record(const struct header *h, const char *from,
                                 struct trace_record *r)
{
    if (h->native)
        memcpy(r, from, sizeof *r);
    else
        header_load(h, from, r);
}

#endif
