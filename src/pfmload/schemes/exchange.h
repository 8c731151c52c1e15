/* Soundings from all ranks to the ranks they belong to, in rounds that all take part
 * in, with bounded memory however unevenly they are spread. */
#ifndef PFMLOAD_SCHEMES_EXCHANGE_H
#define PFMLOAD_SCHEMES_EXCHANGE_H

#include "hydro/pfm.h"
#include "report/phase.h"
#include <mpi.h>
#include <stdbool.h>

struct exchange;

/* Takes soundings that arrived. Returns 0, or -errno with a sentence. */
typedef int exchange_take(void *context, const struct pfm_sounding *s, int64_t n);

/* Local. For `ranks` ranks of comm; `phase` is told how long ranks wait and
 * communicate. Returns 0 or -ENOMEM with a sentence; exchange_close is due whatever it
 * says. */
int exchange_open(struct exchange **x, MPI_Comm comm, struct phase *phase,
                  exchange_take *take, void *context);

/* Local. Bytes that exchange_open allocates. */
int64_t exchange_bytes(int ranks);

/* **Collective**, but for how often: where a buffer is full, all ranks that still add
 * must add more, or be in exchange_end. n soundings for rank `to`. Returns 0, the first
 * failure of `take` on this rank, or -ECANCELED, without a sentence, where another rank
 * failed, whose sentence it is. */
int exchange_add(struct exchange *x, const struct pfm_sounding *s, int64_t n, int to);

/* **Collective.** This rank adds no more; returns when none does and all has arrived.
 * `failed`: of this rank; then the others stop, too. Returns as exchange_add. */
int exchange_end(struct exchange *x, bool failed);
void exchange_close(struct exchange **x);

#endif
