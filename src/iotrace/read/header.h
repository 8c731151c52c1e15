/* The header of a log: what it says of itself, checked. */
#ifndef IOTRACE_READ_HEADER_H
#define IOTRACE_READ_HEADER_H

#include "iotrace/format/trace.h"
#include <stdbool.h>
#include <stdint.h>

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
    char *text; /* lines, each ended by a 0 */
    struct {
        uint32_t at, bytes;
        bool has_sign;
    } field[FIELDS];
    bool native;          /* records are struct trace_record */
    int32_t *op;          /* op_get's number of each number of this log; -1: none */
    uint32_t ops;         /* numbers below this */
    uint64_t ns_per_tick; /* in 2^-48 */
};

/* Local. Checks the beginning of a log, `bytes` of it: the fixed part must be there,
 * the text as well. 0, or -EINVAL with a sentence about `path`. The `text` is allocated
 * by the caller and belongs to the header from then on. */
int header_check(struct header *h, const char *path);
int header_read_text(struct header *h, const char *path);
void header_free(struct header *h);

/* Local. The value of a line "key=value" of the text; "" where there is none. */
const char *header_value(const struct header *h, const char *key);

/* Local. Nanoseconds since the epoch of a moment, and of a duration, in ticks. */
int64_t header_time(const struct header *h, uint64_t ticks);
int64_t header_duration(const struct header *h, uint64_t ticks);

/* Local. The record at `from`, by the header's fields. */
void header_record(const struct header *h, const char *from, struct trace_record *r);

#endif
