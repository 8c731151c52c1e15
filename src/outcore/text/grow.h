/* The modules' buffer, as those that move files use it: with a sentence where there is
 * no memory. */
#ifndef OUTCORE_TEXT_GROW_H
#define OUTCORE_TEXT_GROW_H

#include "base/err.h"
#include "outcore/text/modules/job.h"
#include <stdlib.h>

/* Local. Room for `more` bytes behind those that there are. 0, or -ENOMEM with a
 * sentence. */
static inline int grow_room(struct text_out *g, int64_t more)
{
    int rc = text_out_fit(g, more);
    return rc ? err_set(rc, NULL, -1, "no memory for a file of %lld bytes",
                        (long long)(g->bytes + more))
              : 0;
}

static inline void grow_free(struct text_out *g)
{
    free(g->at);
    *g = (struct text_out){.at = NULL};
}

#endif
