/* What both modes share: the file, the buffers, gates, and one share's I/O.
 *
 * One loop serves IOMODE=SYNC and ASYNC: with ASYNC a share is fetched while the one
 * before is worked on, and written while the next one is; with SYNC fetching does
 * nothing, and reading and writing are complete when they return. */
#ifndef MADBENCH_BENCH_H
#define MADBENCH_BENCH_H

#include "madbench/settings.h"
#include "madbench/tick.h"
#include "run/run.h"

enum bench_phase { PHASE_S, PHASE_D, PHASE_W, PHASE_C, PHASES };
extern const char *const bench_phase_name[PHASES];

struct bench {
    struct run *run;
    const struct settings *settings;
    struct plan plan;
    MPI_Comm gang; /* the ranks of our gang */
    struct run_file file;
    bool writes;                      /* the present phase writes to it */
    int place;                        /* in it: that of this rank, for this phase */
    void *buf[MADBENCH_BUFFERS_MOST]; /* plan.buffers of plan.buffer_bytes each */
    struct tick tick;                 /* for what computes */
    double alpha;                     /* of I/O mode's work; NAN: as the full mode */
    bool work;                        /* this pass computes */
    double flops;                     /* of busy work, so far, on this rank */
    int64_t busy_ns;                  /* of it, in this phase */
    const char *suffix;               /* of its phases' names */
    struct report_rate rate[PHASES];  /* of this pass */
    enum bench_phase phase;           /* going on */
    struct run_io ahead, back[MADBENCH_DEPTH - 1]; /* under way: read, writes */
    bool fetched;                                  /* ahead was submitted */
};

/* One rank's share of a matrix. */
struct share {
    int64_t offset, bytes;
    MPI_Comm turns; /* the ranks that share the turns of RMOD and WMOD */
};

/* **Collective.** Splits gangs, allocates buffers (all memory of the program). */
int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p);
void bench_close(struct bench *b);

/* **Collective.** All phases of a mode, once, as `call` does them: with I/O or without
 * (RUN_NONE), with work or without; verified, where --verify is on. Then removes the
 * file. */
struct pass {
    const char *suffix; /* "" for what was asked for */
    enum run_mode mode;
    bool work, verify;
};
int bench_pass(struct bench *b, const struct pass *how, int (*call)(void *), void *arg);

/* **Collective.** A phase with the file opened as `flags` says; the end waits for all
 * that is under way, and closes it. */
int bench_phase_begin(struct bench *b, enum bench_phase phase, int flags);
int bench_phase_end(struct bench *b);

/* Local. bin's share of the big grid, or group's share of the gang's grid.
 *
 * With --rank-shift, the ranks move on by so many places in the file with each phase: a
 * rank reads from another's place, W puts its own product there, and C finds it in the
 * next place but one. So no place is used by two ranks in one phase, and each rank
 * reads what run_shifted(1) wrote: that rank's share, of its gang. */
struct share bench_bin(const struct bench *b, int64_t bin);
struct share bench_group(const struct bench *b, int64_t group);

/* Local (collective with --collective). fetch: what is read next, the only one under
 * way. read: it is in `buf` now, fetched before or not. write: `buf` may not be changed
 * before settle. Buffers have plan.buffer_bytes. */
void bench_fetch(struct bench *b, void *buf, struct share s);
void bench_read(struct bench *b, void *buf, struct share s);
void bench_write(struct bench *b, const void *buf, struct share s);
void bench_settle(struct bench *b, const void *buf);

/* Local. One step of progress. */
void bench_step(struct bench *b);

#endif
