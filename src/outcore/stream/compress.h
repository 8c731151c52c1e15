/* The sink that compresses: each file by itself, as gzip -1 does, and what comes of it
 * is counted and thrown away. */
#ifndef OUTCORE_STREAM_COMPRESS_H
#define OUTCORE_STREAM_COMPRESS_H

#include "outcore/stream/sink.h"
#include <stdbool.h>

struct compress;

/* Local. Whether this build can (zlib). */
bool compress_is_here(void);

/* Local. What one lane's sink needs (sink->context). NULL: no memory. */
struct compress *compress_open(void);
void compress_close(struct compress *c);

extern const struct sink_ops compress_ops;

/* Local. Compressed bytes of all files that have ended since it was opened. */
int64_t compress_bytes(const struct compress *c);

#endif
