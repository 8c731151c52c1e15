/* The consumer at the end of a stream. It gets data in order, part by part of a file
 * (or of a section of a large one), and may use a part only during the call. */
#ifndef OUTCORE_STREAM_SINK_H
#define OUTCORE_STREAM_SINK_H

#include "base/format/crc.h"
#include "outcore/data/consume.h"
#include <stdbool.h>

/* Operations of a user-defined sink. Only one lane at a time uses its context. */
struct sink_ops {
    /* Local. Takes a part of the current file; the data is valid only during
     * the call. */
    void (*take)(void *context, const void *data, int64_t bytes);
    /* Local. The file of that name is complete; it may have had no part. NULL: it is a
     * section of a large one. */
    void (*end)(void *context, const char *name);
};

struct sink {
    const struct sink_ops *ops; /* NULL: `how` says what to do */
    void *context;              /* passed to ops */
    struct consume how;
    char *copy;   /* buffer for the largest part, for copying */
    uint32_t crc; /* of the current file so far */
    int64_t owed; /* bytes for which it has yet to sleep */
    int64_t files, bytes;
    uint64_t sum; /* sum of the CRC-32 of all files, modulo 2^64 */
};

/* Local. Parses "null", "copy", "checksum" or "sleep:US", microseconds for 1,000,000
 * bytes. 0, or -EINVAL with a sentence. */
int sink_parse(struct consume *how, const char *text);

/* Local. Takes a part of the current file; ends the file of that name (NULL: a section
 * of a large one). */
void sink_take(struct sink *s, const void *data, int64_t bytes);
void sink_end(struct sink *s, const char *name);

/* Local. Adds the counts of another sink. */
void sink_add(struct sink *to, const struct sink *s);

/* ---- compression ----------------------------------------------------------------- */

struct compress;

/* Local. True if this build can compress (with zlib). */
bool compress_is_here(void);

/* Local. Makes the state of one lane's sink (sink->context). NULL: no memory. */
struct compress *compress_open(void);
void compress_close(struct compress *c);

extern const struct sink_ops compress_ops;

/* Local. Returns the compressed bytes of all files that have ended since it
 * was opened. */
int64_t compress_bytes(const struct compress *c);

#endif
