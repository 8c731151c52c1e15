/* Compresses an output with zlib; without it (no HAVE_ZLIB) it refuses. */
#include "outcore/stream/sink.h"

#ifdef HAVE_ZLIB
#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 1, OUT = 64 << 10, PIECE = 1 << 30 };

struct compress {
    z_stream z;
    int64_t bytes;
    unsigned char out[OUT];
};

bool compress_is_here(void)
{
    return true;
}

struct compress *compress_open(void)
{
    struct compress *c = calloc(1, sizeof *c);
    if (c && deflateInit(&c->z, LEVEL) == Z_OK)
        return c;
    free(c);
    return NULL;
}

void compress_close(struct compress *c)
{
    if (c)
        deflateEnd(&c->z);
    free(c);
}

int64_t compress_bytes(const struct compress *c)
{
    return c->bytes;
}

/* Calls deflate until it has consumed the input and, at the end of a file, written
 * all output. */
static void deflate_all(struct compress *c, int flush)
{
    do {
        c->z.next_out = c->out;
        c->z.avail_out = OUT;
        deflate(&c->z, flush);
        c->bytes += OUT - (int64_t)c->z.avail_out;
    } while (!c->z.avail_out);
}

static void compress_take(void *context, const void *data, int64_t bytes)
{
    struct compress *c = context;
    const unsigned char *at = data;
    for (int64_t n; bytes > 0; at += n, bytes -= n) {
        n = bytes < PIECE ? bytes : PIECE;
        c->z.next_in = (unsigned char *)at; /* zlib only reads it */
        c->z.avail_in = (unsigned)n;
        deflate_all(c, Z_NO_FLUSH);
    }
}

static void compress_end(void *context, const char *name)
{
    struct compress *c = context;
    (void)name;
    deflate_all(c, Z_FINISH);
    deflateReset(&c->z);
}

const struct sink_ops compress_ops = {compress_take, compress_end};

#else /* no zlib */
#include <stddef.h>

bool compress_is_here(void)
{
    return false;
}

struct compress *compress_open(void)
{
    return NULL;
}

void compress_close(struct compress *c)
{
    (void)c;
}

int64_t compress_bytes(const struct compress *c)
{
    (void)c;
    return 0;
}

const struct sink_ops compress_ops = {NULL, NULL};

#endif
