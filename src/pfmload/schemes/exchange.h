/* Sends soundings from all ranks to the ranks they belong to, in rounds that all ranks
 * take part in, with bounded memory however unevenly they are distributed. */
#ifndef PFMLOAD_SCHEMES_EXCHANGE_H
#define PFMLOAD_SCHEMES_EXCHANGE_H

#include "hydro/pfm.h"
#include "report/phase.h"
#include <mpi.h>
#include <stdbool.h>

struct exchange;

/* Receives soundings. Returns 0, or -errno with a sentence. */
typedef int exchange_take(void *context, const struct pfm_sounding *s, int64_t n);

/* Local. Opens an exchange among the `ranks` ranks of comm; `phase` counts the time of
 * waiting and communicating. Returns 0, or -ENOMEM with a sentence; exchange_close must
 * be called whatever it returns. */
int exchange_open(struct exchange **x, MPI_Comm comm, struct phase *phase,
                  exchange_take *take, void *context);

/* Local. The bytes that exchange_open allocates. */
int64_t exchange_bytes(int ranks);

/* **Collective**, except for the number of calls: when a buffer is full, all ranks that
 * still add must add more, or be in exchange_end. Adds n soundings for rank `to`.
 * Returns 0, the first failure of `take` on this rank, or -ECANCELED, without a
 * sentence, if another rank failed, which has the sentence. */
int exchange_add(struct exchange *x, const struct pfm_sounding *s, int64_t n, int to);

/* **Collective.** Ends this rank's adding; returns when all ranks have ended and
 * everything has arrived. `failed`: this rank has failed; then the others stop, too.
 * Returns as exchange_add. */
int exchange_end(struct exchange *x, bool failed);
void exchange_close(struct exchange **x);

#endif
