/* The sink that compresses: each file by itself, as gzip -1 does. The compressed bytes
 * are counted and discarded. */
#ifndef OUTCORE_STREAM_COMPRESS_H
#define OUTCORE_STREAM_COMPRESS_H

#include "outcore/stream/sink.h"
#include <stdbool.h>

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
