/* Grows the modules' buffers for the code that moves files, with a sentence if memory
 * is exhausted. */
#ifndef OUTCORE_TEXT_GROW_H
#define OUTCORE_TEXT_GROW_H

#include "base/err.h"
#include "outcore/text/modules/job.h"
#include <stdlib.h>

/* Local. Makes room for `more` bytes behind the present ones. 0, or -ENOMEM with
 * a sentence. */
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
