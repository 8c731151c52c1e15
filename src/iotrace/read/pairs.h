/* Matches submissions of asynchronous transfers with completions, so that both are one
 * transfer. */
#ifndef IOTRACE_READ_PAIRS_H
#define IOTRACE_READ_PAIRS_H

#include "iotrace/read/reader.h"

struct pairs;

/* Local. Makes an empty table; NULL: no memory. Free it with pairs_free, which accepts
 * NULL. */
struct pairs *pairs_make(void);
void pairs_free(struct pairs *p);

/* Local. Stops comparing requests: a table does not tell them. */
void pairs_without_requests(struct pairs *p);

/* Local. Notes a submission. If more than PAIRS_MOST are in flight, it is forgotten. */
#define PAIRS_MOST 65536
void pairs_begin(struct pairs *p, const struct event *e);

/* Local. Finds the earliest submission that `e` can complete: same file, direction,
 * offset and request. Sets e->row and e->begun_ns; leaves both unchanged if there is
 * none. */
void pairs_end(struct pairs *p, struct event *e);

/* Local. Returns the number of submissions without a completion so far. */
uint64_t pairs_open(const struct pairs *p);

#endif
