/* The user's settings, and what follows from them: grids, sizes, slots. */
#ifndef MADBENCH_SETTINGS_H
#define MADBENCH_SETTINGS_H

#include "base/opt.h"
#include "layout/layout.h"
#include "madbench/grid.h"
#include "run/workload.h"

#define MADBENCH_MATRICES 5 /* in memory, per gang: MADbench2's count */
#define MADBENCH_BUFFERS_MOST 8
#define MADBENCH_ALPHAS_MOST 1000
#define MADBENCH_DEPTH 2 /* in flight at once with ASYNC: a read and a write */

struct settings {
    struct run_options run;
    int64_t npix, nbin, ngang, sblock, fblock, rmod, wmod;
    const char *remap;
    double bwexp;            /* NAN: not given; < 0: the same, but in I/O mode */
    const char *alpha_sweep; /* "A:B:STEP"; NULL: not given */
    const char *format;      /* of the output */
    bool io_only, overlap;
};

extern struct settings settings;
extern struct opt settings_table[];
extern const int settings_count;

struct alphas { /* of --alpha-sweep: first, first + step, ... */
    double first, step;
    int n; /* 0: no sweep */
};

/* The derived plan, the same on every rank but for its own share. */
struct plan {
    bool full;  /* with linear algebra */
    bool async; /* transfers may be in flight while it computes */
    struct alphas alphas;
    int buffers;            /* matrices in memory, per gang */
    int ranks, gangs, gang; /* gang: ours */
    int gang_ranks, gang_rank;
    int64_t groups;          /* bins of each gang: nbin / gangs */
    struct grid big, small;  /* of all ranks; of our gang */
    struct layout bins;      /* slots of the big grid: one for each bin */
    struct layout gang_bins; /* the same bytes, as slots of gang matrices */
    int64_t big_bytes;       /* our share of a matrix */
    int64_t small_bytes;     /* our share of a gang's matrix */
    int64_t align;           /* transfers are multiples of it: 1, or for O_DIRECT */
    int64_t piece_bytes;     /* --rank-shift: part of a share that is passed on at a
                              * time; 0: none */
    int64_t buffer_bytes;    /* largest transfer of any rank: size of a buffer */
};

/* Local. Fills the plan for rank `rank` of `ranks`. Returns 0, or -EINVAL with a
 * sentence that names the nearest valid values. */
int plan_make(struct plan *p, struct settings *s, int rank, int ranks);

/* Local. The bytes of memory that one rank allocates, and of all files. */
int64_t plan_memory(const struct plan *p);
int64_t plan_vectors(const struct plan *p); /* the part without the matrices */
int64_t plan_disk(const struct plan *p);

/* Local. Fills in files, these bytes, and the bytes moved by `passes` passes; `p` must
 * stay valid. */
void plan_need(const struct plan *p, int64_t passes, struct run_need *n);

/* Local. The steps of progress in one pass over all phases. */
int64_t plan_steps(const struct plan *p, const struct settings *s);

/* Local. Prints the plan for --dry-run. */
void plan_print(const struct plan *p, const struct settings *s,
                const struct run_need *need);

#endif
