/* The consumer at the end of a stream: what it is given comes in order, part by part of
 * a file (or of a section of a large one), and is gone afterwards. */
#ifndef OUTCORE_STREAM_SINK_H
#define OUTCORE_STREAM_SINK_H

#include "base/format/crc.h"
#include "outcore/data/consume.h"

/* A sink of somebody else's: context is the sink's, which one lane uses at a time. */
struct sink_ops {
    /* Local. A part of the present file, which is gone afterwards. */
    void (*take)(void *context, const void *data, int64_t bytes);
    /* Local. The file of that name is complete; it may have had no part. NULL: it is a
     * section of a large one. */
    void (*end)(void *context, const char *name);
};

struct sink {
    const struct sink_ops *ops; /* NULL: `how` says what it does */
    void *context;              /* of ops */
    struct consume how;
    char *copy;   /* room for the largest part, where it copies */
    uint32_t crc; /* of the file so far */
    int64_t owed; /* bytes for which it has not slept yet */
    int64_t files, bytes;
    uint64_t sum; /* of the CRC-32 of all files, modulo 2^64 */
};

/* Local. "null", "copy", "checksum" or "sleep:US", microseconds for 1,000,000 bytes. 0,
 * or -EINVAL with a sentence. */
int sink_parse(struct consume *how, const char *text);

/* Local. A part of the present file; the file of that name is complete (NULL: a section
 * of a large one). */
void sink_take(struct sink *s, const void *data, int64_t bytes);
void sink_end(struct sink *s, const char *name);

/* Local. Counts what another one has counted, too. */
void sink_add(struct sink *to, const struct sink *s);

#endif
