/* Records here and there in a file, a few in a row at each place, read by a lane with
 * as many reads under way as its file has room for. */
#ifndef OUTCORE_SEARCH_FETCH_H
#define OUTCORE_SEARCH_FETCH_H

#include "outcore/search/index.h"
#include "run/run.h"

enum { FETCH_IN_A_ROW = 2, FETCH_DEPTH_MOST = 1024 }; /* records; reads under way */

struct fetch_records { /* n from number `first` on */
    int64_t first, n;
};

struct fetched {
    const char *data; /* what was read, `bytes` from `offset` of the file on */
    int64_t offset, bytes;
    const char *records; /* in it, those that were wanted */
};

/* Number i, asked for once, and in order; it has the slot until it has come. */
typedef struct fetch_records fetch_want(void *context, int64_t i, int slot);
typedef void fetch_have(void *context, const struct fetched *is, int64_t i, int slot);

struct fetch {
    const struct pages *pages;
    fetch_want *want;
    fetch_have *have;
    void *context;
    int64_t n;     /* 0 .. n - 1 */
    bool ordered;  /* they come in their order */
    bool untimed;  /* it is care for the answers, no transfers of the run */
    int64_t bytes; /* in the end: of all reads, as they were to be */
};

/* Local. Bytes of a slot of r->buffer, one for each read under way, which it takes. */
int64_t fetch_slot_bytes(const struct pages *p);

/* Local, of a lane, with its file open. req: f->depth of them. A failure is kept. */
void fetch_run(struct fetch *f, struct run_file *file, struct io_req *req);

/* Local. The request for what is to be read, into a slot of so many bytes. */
struct io_req fetch_request(const struct run_file *f, const struct pages_read *read,
                            int slot, int64_t slot_bytes);

#endif
