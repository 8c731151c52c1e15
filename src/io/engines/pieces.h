/* Splits a queue's requests into pieces that are in flight at the same time, for
 * engines that submit single operations to the kernel and get their results
 * later (uring, libaio, aio). All functions are Local, and nothing is allocated
 * after pieces_make. */
#ifndef IO_ENGINES_PIECES_H
#define IO_ENGINES_PIECES_H

#include "io/engine.h"
#include "io/io.h"

struct pieces;

struct piece { /* one operation: bytes of a request, from `at` on */
    struct io_req *r;
    int64_t at, bytes;
    int64_t from; /* its beginning: after a short operation `at` is further on */
    struct part *of;
    struct piece *next;
    /* For the engine, if several results make one: */
    int awaited, moved, synced;
};

/* Makes pieces of at most `bytes` each, as many as q->depth requests may need, but no
 * more than the engine's option depth=N; without it, than PIECES_MOST, or q->depth if
 * that is more. NULL: no memory. */
enum { PIECES_MOST = 128, PIECES_ASKED_MOST = 8192 };
struct pieces *pieces_make(const struct io_queue *q, int64_t bytes);
void pieces_free(struct pieces *p);
int pieces_count(const struct pieces *p); /* most pieces in flight */

/* Puts a request in line. There is room: the core counts to q->depth. */
void pieces_add(struct pieces *p, struct io_req *r);

/* The next piece to submit, which then counts as in flight. NULL: no piece is left, or
 * all are in flight. */
struct piece *pieces_next(struct pieces *p);

/* Books a piece's result: the bytes transferred, or -errno. The remainder of a short
 * piece, or one to be retried, comes from pieces_next again. */
void pieces_result(struct pieces *p, struct piece *one, int64_t result);

/* Returns finished requests in done[], up to `max`, and their number. */
int pieces_reap(struct pieces *p, struct io_req *done[], int max);

bool pieces_any_done(const struct pieces *p);
int pieces_under_way(const struct pieces *p);

/* True if any piece of the file is in flight or in line. */
bool pieces_busy(const struct pieces *p, const struct io_file *f);

/* Drops the file's requests that are in line or done: none is submitted or returned.
 * True if some pieces are still in flight. */
bool pieces_drop(struct pieces *p, const struct io_file *f);

/* ---- slabs of an array ----------------------------------------------------------- */

/* Splits a row of elements into slabs of an N-dimensional array, for libraries with
 * arrays instead of offsets. */

enum { SLABS_MOST = 2 * IO_SHAPE_DIMS - 1 };

struct slab { /* in each dimension, `count` indices from `start` on */
    int64_t start[IO_SHAPE_DIMS], count[IO_SHAPE_DIMS];
};

/* Local. Finds the slabs that make up the n elements from row-major position `at` on,
 * in that order: at most 2 ndims - 1, and one for whole rows or a part of one. All
 * elements must be in the array. Returns their number. */
int slabs_of(int ndims, const int64_t *dims, int64_t at, int64_t n,
             struct slab out[SLABS_MOST]);

#endif
