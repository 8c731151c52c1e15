/* Requests of a queue cut into pieces that are under way at the same time, for engines
 * that hand the kernel one operation at a time and learn later what came of it (uring,
 * libaio, aio). All of it is Local, and nothing is allocated after pieces_make. */
#ifndef IO_ENGINES_PIECES_H
#define IO_ENGINES_PIECES_H

#include "io/engine.h"

struct pieces;

struct piece { /* one operation: bytes of a request, from `at` on */
    struct io_req *r;
    int64_t at, bytes;
    int64_t from; /* where it began: `at` goes on past what a short one moved */
    struct part *of;
    struct piece *next;
    /* The engine's own, where several results make one: */
    int awaited, moved, synced;
};

/* Pieces of at most `bytes` each, as many at once as q->depth requests may make, but
 * no more than the engine's option depth=N says; without it, than PIECES_MOST, or
 * q->depth where that is more. NULL: no memory. */
enum { PIECES_MOST = 128, PIECES_ASKED_MOST = 8192 };
struct pieces *pieces_make(const struct io_queue *q, int64_t bytes);
void pieces_free(struct pieces *p);
int pieces_count(const struct pieces *p); /* that may be under way */

/* Puts a request in line. There is room: the core counts to q->depth. */
void pieces_add(struct pieces *p, struct io_req *r);

/* The next piece to submit; from now on it is under way. NULL: none is left, or all
 * are under way. */
struct piece *pieces_next(struct pieces *p);

/* What came of a piece: the number of bytes moved, or -errno. The rest of one that was
 * short, or was to be tried again, comes from pieces_next once more. */
void pieces_result(struct pieces *p, struct piece *one, int64_t result);

/* Hands requests back that are done, up to `max`; returns how many. */
int pieces_reap(struct pieces *p, struct io_req *done[], int max);

bool pieces_any_done(const struct pieces *p);
int pieces_under_way(const struct pieces *p);

/* Whether anything of the file is under way or in line. */
bool pieces_busy(const struct pieces *p, const struct io_file *f);

/* Nothing more of the file is to be submitted or handed back: what stands in line or is
 * done is dropped. Whether some of it is still under way. */
bool pieces_drop(struct pieces *p, const struct io_file *f);

#endif
