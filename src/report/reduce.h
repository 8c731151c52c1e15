/* The result of reducing a phase: reduce.c collects it on rank 0, samples.c makes
 * samples and rates of it. Included by them only. */
#ifndef REPORT_REDUCE_H
#define REPORT_REDUCE_H

#include "report/sink.h"

/* Rows that are maximised over lanes, after the seconds of each activity and
 * the wall. */
enum {
    MAX_READ_SYNC = SAMPLE_ROWS,
    MAX_WRITE_SYNC,
    MAX_VISIBLE,
    MAX_WORK,
    MAX_IO,
    MAX_SUBMIT,
    MAX_WAIT,
    MAX_SPLIT,
    MAX_READ_LATENCY,
    MAX_WRITE_LATENCY,
    MAX_MIXED,  /* 1: reads and writes were in flight together on some lane */
    MAX_PAUSED, /* 1: on some lane (struct phase) */
    MAX_LANES,  /* of a rank */
    MAX_SHIFT,  /* of a series: the length that suits all of them */
    MAX_OP,     /* and PHASE_OPS - 1 more: longest latency of each */
    MAX_ROWS = MAX_OP + PHASE_OPS
};

/* Whole numbers that are summed over lanes. */
struct totals {
    int64_t lanes;
    int64_t calls[SAMPLE_ROWS], bytes[SAMPLE_ROWS], device[SAMPLE_ROWS];
    int64_t told[SAMPLE_ROWS];    /* lanes that know their device bytes */
    int64_t unknown[SAMPLE_ROWS]; /* lanes that should know them, and do not */
    int64_t op_calls[PHASE_OPS], op_ns[PHASE_OPS];
};

enum { REDUCE_SERIES = 3 }; /* of activities from ACT_OPEN_CLOSE on */
enum {
    LANE_BITS = 10
}; /* the rank is in the higher bits: among equal values the lowest rank wins */

struct extreme { /* laid out as MPI_DOUBLE_INT */
    double value;
    int who; /* rank << LANE_BITS | lane */
};

struct reduced {
    struct extreme max[MAX_ROWS];
    double min[SAMPLE_ROWS];
    double sum[SAMPLE_ROWS + 4]; /* then submit and wait of reads, of writes */
    struct totals total;
    const struct bulk *bulk;
    bool root; /* rank 0, which alone has sum, min and bulk of all */
};

/* Large data, allocated once: of this rank's lanes, then, on rank 0, of all ranks. */
struct bulk {
    struct bulk_act { /* opening and closing, reads, writes: one message */
        int64_t bytes[SERIES_SLOTS], calls[SERIES_SLOTS];
        int64_t hist[HIST_SIZE]; /* reads, writes */
    } act[REDUCE_SERIES];
    int64_t longest_ns[REDUCE_SERIES][SERIES_SLOTS];
    int64_t op_hist[PHASE_OPS][HIST_SIZE];
    struct series series; /* scratch space for joining lanes */
};

/* **Collective.** Reduces an ended phase of n lanes. Returns MPI's error code. */
int reduce_phases(struct reduced *d, struct report *r, const struct phase *const p[],
                  int n);

static inline double reduce_seconds(int64_t ns)
{
    return (double)ns / 1e9; /* the nearest number; * 1e-9 is not */
}

#endif
