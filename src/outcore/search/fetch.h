/* Reads scattered records of a file, a few consecutive ones at each place, on a lane,
 * with as many reads in flight as its file allows. */
#ifndef OUTCORE_SEARCH_FETCH_H
#define OUTCORE_SEARCH_FETCH_H

#include "outcore/search/index.h"
#include "run/run.h"

enum { FETCH_IN_A_ROW = 2, FETCH_DEPTH_MOST = 1024 }; /* records; reads in flight */

struct fetch_records { /* n records from number `first` on */
    int64_t first, n;
};

struct fetched {
    const char *data; /* the bytes read, from `offset` of the file on */
    int64_t offset, bytes;
    const char *records; /* the records wanted, in `data` */
};

/* Ask for number i, once, and in order, which has the slot until it has come; and
 * take it. */
typedef struct fetch_records fetch_want(void *context, int64_t i, int slot);
typedef void fetch_have(void *context, const struct fetched *is, int64_t i, int slot);

struct fetch {
    const struct pages *pages;
    fetch_want *want;
    fetch_have *have;
    void *context;
    int64_t n;     /* 0 .. n - 1 */
    bool ordered;  /* they are taken in their order */
    bool untimed;  /* part of checks, not booked as transfers */
    int64_t bytes; /* after the run: to be moved by all reads */
};

/* Local. The bytes of a slot of r->buffer, one for each read in flight. */
int64_t fetch_slot_bytes(const struct pages *p);

/* Local, of a lane, with its file open. req: f->depth of them. A failure is kept. */
void fetch_run(struct fetch *f, struct run_file *file, struct io_req *req);

/* Local. The request for `read`, into a slot of slot_bytes. */
struct io_req fetch_request(const struct run_file *f, const struct pages_read *read,
                            int slot, int64_t slot_bytes);

#endif
