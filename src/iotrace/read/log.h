/* Internals of a log, shared by reader.c, binary.c and table.c only. */
#ifndef IOTRACE_READ_LOG_H
#define IOTRACE_READ_LOG_H

#include "iotrace/read/reader.h"

/* Limits of duration and bytes. Larger ones are damage, and would overflow in sums. */
#define LOG_DURATION_NS ((int64_t)100 * 86400 * 1000000000)
#define LOG_BYTES ((int64_t)1 << 48)

struct log {
    struct log_info info;
    int fd;
    int64_t size; /* size of the file when it was opened */
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

extern int64_t log_window_bytes;

#endif
