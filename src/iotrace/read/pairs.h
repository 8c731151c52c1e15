/* Which submission of an asynchronous transfer belongs to which completion, so that
 * both are one transfer. */
#ifndef IOTRACE_READ_PAIRS_H
#define IOTRACE_READ_PAIRS_H

#include "iotrace/read/reader.h"

struct pairs;

/* Local. NULL: no memory. Free with pairs_free, which takes NULL, too. */
struct pairs *pairs_make(void);
void pairs_free(struct pairs *p);

/* Local. From now on requests are not compared: a table does not tell them. */
void pairs_without_requests(struct pairs *p);

/* Local. Notes a submission. Beyond PAIRS_MOST under way at once it is forgotten. */
#define PAIRS_MOST 65536
void pairs_begin(struct pairs *p, const struct event *e);

/* Local. Finds the earliest submission that `e` can complete: same file, direction,
 * offset and request. Fills e->row and e->begun_ns; leaves both where there is none. */
void pairs_end(struct pairs *p, struct event *e);

/* Local. Submissions that nothing has completed up to now. */
uint64_t pairs_open(const struct pairs *p);

#endif
