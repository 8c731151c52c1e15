/* The common part of both modes: the file, the buffers, gates, and the I/O of a share.
 *
 * One loop serves IOMODE=SYNC and ASYNC, in the order of MADbench2: a share is read
 * before the program works on the previous one. With ASYNC the transfer is in flight
 * meanwhile, one read and one write at most; with SYNC it is complete when the call
 * returns. */
#ifndef MADBENCH_BENCH_H
#define MADBENCH_BENCH_H

#include "madbench/busy.h"
#include "madbench/settings.h"
#include "run/run.h"

/* ---- passes ---------------------------------------------------------------------- */

enum bench_phase { PHASE_S, PHASE_D, PHASE_W, PHASE_C, PHASES };
extern const char *const bench_phase_name[PHASES];

struct bench {
    struct run *run;
    const struct settings *settings;
    struct plan plan;
    MPI_Comm gang; /* the ranks of our gang */
    struct run_file file;
    bool writes;                      /* the present phase writes to it */
    int place;                        /* this rank's place in the file in this phase */
    void *buf[MADBENCH_BUFFERS_MOST]; /* plan.buffers of plan.buffer_bytes each */
    struct tick tick;                 /* for code that computes */
    double alpha;                     /* exponent of I/O mode's work; NAN: as in
                                       * full mode */
    bool work;                        /* this pass computes */
    double flops;                     /* busy work so far, on this rank */
    int64_t busy_ns;                  /* time of busy work in this phase */
    const char *suffix;               /* of the names of its phases */
    struct report_rate rate[PHASES];  /* of this pass */
    enum bench_phase phase;           /* the present one */
    struct run_io ahead, back;        /* the read and the write that are in flight */
    bool fetched;                     /* ahead was submitted */
};

/* A rank's share of a matrix. */
struct share {
    int64_t offset, bytes;
    MPI_Comm turns; /* the ranks that take turns by RMOD and WMOD */
};

/* **Collective.** Splits gangs, allocates buffers (all memory of the program). */
int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p);
void bench_close(struct bench *b);

/* **Collective.** Makes all phases of a mode, once, by `call`: with I/O or
 * without (RUN_NONE), with work or without; verified if --verify is on. Then
 * removes the file. */
struct pass {
    const char *suffix; /* "" for the requested pass */
    enum run_mode mode;
    bool work, verify;
};
int bench_pass(struct bench *b, const struct pass *how, int (*call)(void *), void *arg);

/* **Collective.** Begin and end a phase, with the file opened by `flags`; the end waits
 * for transfers in flight, and closes it. */
int bench_phase_begin(struct bench *b, enum bench_phase phase, int flags);
int bench_phase_end(struct bench *b);

/* Local. The place of bin's share of the big grid, or of group's share of the gang's
 * grid.
 *
 * With --rank-shift, the ranks move on by that many places in the file with each phase:
 * a rank reads from another's place, W puts its own product there, and C finds it in
 * the next place but one. So no place is used by two ranks in one phase, and each rank
 * reads what run_shifted(1) wrote: that rank's share, of its gang. */
struct share bench_bin(const struct bench *b, int64_t bin);
struct share bench_group(const struct bench *b, int64_t group);

/* Local (collective with --collective). fetch: submits the read of the next share.
 * read: waits until the share is in `buf`; reads it if it was not fetched. write: waits
 * for the previous write, then submits this one; `buf` must not change until the next
 * write was submitted. Buffers have plan.buffer_bytes. */
void bench_fetch(struct bench *b, void *buf, struct share s);
void bench_read(struct bench *b, void *buf, struct share s);
void bench_write(struct bench *b, const void *buf, struct share s);

/* Local (collective with --collective). Reads bin's share into in[bin % 2], and fetches
 * the next one: a single gang fetches across groups, several gangs only within a group,
 * as MADbench2 does. Returns the share. */
struct share bench_read_bin(struct bench *b, void *const in[2], int64_t bin);

/* Local. The number of groups that phase W reads before it works on one: none with one
 * gang, which fetches a bin ahead, and one with several, as in MADbench2. */
int bench_groups_ahead(const struct bench *b);

/* Local. Counts one step of progress. */
void bench_step(struct bench *b);

/* ---- --format=madbench2 ---------------------------------------------------------- */

/* --format=madbench2: prints the lines of MADbench2, for scripts that read them. */

/* Local. True if this format was requested. */
bool original_asked(const struct settings *s);

/* Local. Prints the lines before the first phase (on rank 0). */
void original_head(const struct bench *b);

/* Local, on rank 0. Prints the line of the result, which ends full mode. */
void original_result(double dc);

/* ---- I/O mode -------------------------------------------------------------------- */

/* Local. Fills the buffers with incompressible data. */
void iomode_prepare(struct bench *b);

/* **Collective.** Makes the phases once (`bench`: a struct bench); the file stays. For
 * bench_pass. Returns the agreed verdict. */
int iomode_phases(void *bench);

#endif
