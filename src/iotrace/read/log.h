/* Internals of a log, shared by reader.c, binary.c and table.c only. */
#ifndef IOTRACE_READ_LOG_H
#define IOTRACE_READ_LOG_H

#include "iotrace/format/trace.h"
#include "iotrace/read/reader.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Limits of duration and bytes. Larger ones are damage, and would overflow in sums. */
#define LOG_DURATION_NS ((int64_t)100 * 86400 * 1000000000)
#define LOG_BYTES ((int64_t)1 << 48)

struct log {
    struct log_info info;
    int fd;
    int64_t at;   /* begin of the log in the file */
    int64_t size; /* size of the log when it was opened */
    const struct log_kind *kind;
    struct binary *binary; /* data of the kind: one of these */
    struct table *table;
    struct pairs *pairs;
};

/* Local. Functions of one kind of log, as log_open and so on. Texts stay unchanged
 * after the open: those of info point into the kind's data. is_file, fact and profile
 * are NULL if the kind has no such facts. close is also called after an open that
 * failed. */
struct log_kind {
    const char *begins; /* the first bytes of such a file, at most 12 */
    int (*open)(struct log *l);
    int (*next)(struct log *l, struct event *e);
    const char *(*name)(const struct log *l, uint32_t id);
    uint32_t (*names)(const struct log *l);
    bool (*is_file)(const struct log *l, uint32_t id, int32_t *fd);
    /* Returns the text of a file's fact (trace.h); NULL: there is none. */
    const char *(*fact)(const struct log *l, uint32_t id, enum trace_name_kind kind);
    int (*profile)(struct log *l,
                   int (*visit)(void *arg, const struct trace_profile *p, int op,
                                int64_t ns),
                   void *arg);
    void (*close)(struct log *l);
};
extern const struct log_kind binary_kind, table_kind;

/* Local. Reads `bytes` at `offset`, fewer at the end of the file. Returns their number,
 * or -errno with a sentence. */
int64_t log_read(const struct log *l, void *to, int64_t bytes, int64_t offset);

/* Local. Adds an entry of a profile to what the kernel has counted, too. */
void log_profiled(struct log_info *i, int op, const struct trace_profile *p);

extern int64_t log_window_bytes;

/* ---- pairs ----------------------------------------------------------------------- */

struct pairs;

/* Local. Makes an empty table; NULL: no memory. Free it with pairs_free, which accepts
 * NULL. */
struct pairs *pairs_make(void);
void pairs_free(struct pairs *p);

/* Local. Stops comparing requests: a table does not tell them. */
void pairs_without_requests(struct pairs *p);

/* Local. Notes a submission. If more than PAIRS_MOST are in flight, it is forgotten. */
#define PAIRS_MOST 65536
void pairs_begin(struct pairs *p, const struct event *e);

/* Local. Finds the earliest submission that `e` can complete: same file, direction,
 * offset and request. Sets e->row and e->begun_ns; leaves both unchanged if there is
 * none. */
void pairs_end(struct pairs *p, struct event *e);

/* Local. Returns the number of submissions without a completion so far. */
uint64_t pairs_open(const struct pairs *p);

/* ---- the header ------------------------------------------------------------------ */

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
