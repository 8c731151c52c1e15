/* What both modes share: the file, the buffers, gates, and one share's I/O. */
#ifndef MADBENCH_BENCH_H
#define MADBENCH_BENCH_H

#include "madbench/settings.h"
#include "run/run.h"

struct bench {
    struct run *run;
    const struct settings *settings;
    struct plan plan;
    MPI_Comm gang; /* the ranks of our gang */
    struct run_file file;
    bool writes;                  /* the present phase writes to it */
    void *buf[MADBENCH_MATRICES]; /* plan.buffer_bytes each */
};

/* **Collective.** Splits gangs, allocates buffers (all memory of the program). */
int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p);
void bench_close(struct bench *b);

/* **Collective.** A phase with the file opened as `flags` says, and closed after. */
int bench_phase_begin(struct bench *b, const char *name, int flags);
int bench_phase_end(struct bench *b);

/* Local (collective with --collective). One share, through the gates of RMOD and WMOD:
 * bin's share of the big grid, or group's share of the gang's grid. */
void bench_write_bin(struct bench *b, const void *buf, int64_t bin);
void bench_read_bin(struct bench *b, void *buf, int64_t bin);
void bench_write_group(struct bench *b, const void *buf, int64_t group);
void bench_read_group(struct bench *b, void *buf, int64_t group, bool again);

/* Local. Where they stand in the file, for messages of verification. */
int64_t bench_offset_bin(const struct bench *b, int64_t bin);
int64_t bench_offset_group(const struct bench *b, int64_t group);

/* Local. One step of progress. */
void bench_step(struct bench *b);

#endif
