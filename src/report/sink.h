/* The report's data on rank 0, and the three sinks that write it. Included only inside
 * src/report. report.c opens and closes, model.c keeps the program's data, reduce.c
 * makes the samples, output.c owns the files; a sink only reads: a new output format is
 * one new sink_*.c and one call in output.c. Missing text is NULL, unknown numbers are
 * NAN or -1. */
#ifndef REPORT_SINK_H
#define REPORT_SINK_H

#include "base/paired.h"
#include "report/report.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SAMPLE_WALL ACT_COUNT /* the whole, after its parts */
#define SAMPLE_ROWS (ACT_COUNT + 1)
#define AT_SIZE 32
#define AT_TEXT 96

struct at { /* the parameter a sample or figure belongs to; name "": none */
    char name[AT_SIZE];
    double value;
    char text[AT_TEXT]; /* instead of the value; "": it is a number */
};

struct latency {
    double p50_s, p90_s, p95_s, p99_s, p999_s, max_s; /* NAN: too few calls */
    int n;                                            /* buckets that are not empty */
    struct {
        double bound_s;
        int64_t count;
    } hist[];
};

struct slots { /* slots of a series */
    double slot_s;
    int n;
    struct series_slot slot[];
};

struct op { /* calls that move no data, of one kind */
    int64_t calls;
    double sum_s;
    struct latency *latency; /* NULL: no calls */
};

struct sample {
    int rep, act; /* act: enum act or SAMPLE_WALL */
    int arm;      /* of a comparison; -1: none */
    struct at at;
    char phase[16];
    double start_s;
    int64_t calls, bytes, device_bytes; /* device_bytes -1: not known */
    double min_s, mean_s, max_s;
    int max_rank, max_lane;
    const char *max_host;              /* points into hosts; NULL: not known */
    double submit_mean_s, wait_mean_s; /* NAN: not known */
    double *ranks_s;                   /* one for each rank; NULL: not kept */
    struct latency *latency;           /* NULL: no transfers */
    struct slots *slots;               /* NULL: no transfers */
    struct op *op;                     /* PHASE_OPS of them; NULL: no such calls */
    char start_utc[CLOCK_UTC_SIZE], end_utc[CLOCK_UTC_SIZE]; /* only the wall's */
};

struct figure {
    char *name, *unit, *better, *formula;
    struct at at;
    int arm; /* of a comparison; -1: none */
    int n, known, room;
    double *reps;  /* n values, NAN if missing */
    double *value; /* the `known` ones among them, in the same order */
};

struct figure_summary {
    double median, min, max; /* NAN if no value is known */
    bool has_ci;
    double lo, hi;
};

struct pair {
    char *key, *value;
};

struct pairs {
    int n;
    struct pair *pair;
};

struct model_io {
    char *engine, *version, *io_layer, *mode, *chosen_because, *cache, *sync;
    bool collective;
    int depth;
    double timeout_s;
    struct pairs settings, asked, in_effect;
};

struct model_layer {
    int level;
    char *kind, *name, *about, *reads;
};

struct model_file {
    char *role, *path, *kind, *layout, *fs, *mount, *ldad, *stripe_about, *storage;
    char *stored_about;
    int64_t count, bytes, block_bytes, stripe_bytes, stripe_count;
    int64_t stored_bytes, stored_of_bytes; /* of: 0: not known */
    int layers;
    struct model_layer *layer;
};

struct model_group {
    int nodes;
    struct pairs of;
    double below_share, resident_share; /* < 0: not known */
};

struct model_source {
    char *path, *about;
    int64_t bytes, soundings;
};

struct model_result {
    char *name;
    int n;
    double *x;
};

struct model_warning {
    char *code, *text;
    int arm; /* of a comparison; -1: none */
};

struct model {
    const struct world *world;
    const struct opt_program *program;
    int argc;
    char **argv;
    bool quiet;

    char *run_id, *label, *json_path, *csv_path;
    char *series_id, *series_config; /* NULL: no series */
    int64_t series_round;
    uint64_t seed;
    int64_t start_ns;
    char start_utc[CLOCK_UTC_SIZE], end_utc[CLOCK_UTC_SIZE]; /* end "": not yet */
    double wall_s;                                           /* NAN: not yet */
    bool valid;
    char *why;      /* NULL if valid */
    struct err err; /* code 0: none */

    int hosts; /* 0: not known */
    struct world_host *host;
    double *load1_end; /* one for each host; NAN: not known */
    int *node_of;      /* for each rank: its host's index in the list */

    struct model_io *io; /* NULL: not reported */
    struct pairs notes;  /* label and text, for the header */
    int files, groups, sources, samples, figures, results, warnings;
    int group_room, file_room, source_room, sample_room, figure_room, result_room,
        warning_room;
    int note_room;
    struct model_file *file;
    struct model_group *group;
    struct model_source *source;
    struct sample *sample;
    struct figure *figure;
    struct model_result *result;
    struct model_warning *warning;

    const struct report_rounds *rounds; /* NULL: no comparison */
    int arm, round;                     /* that are reported; arm -1: none */

    void (*part_put)(const void *what, struct json *j); /* NULL: there is none */
    const void *part;

    bool checked; /* checks were reported */
    struct report_checks checks;
    int lanes;          /* of the rank with the most; 0: none yet */
    double split_error; /* worst of all phases; NAN: none yet */

    struct { /* state of the text sink */
        bool header, io;
        int notes;    /* number of notes printed */
        int rows;     /* rows since the column headings */
        int rep;      /* of the last row */
        struct at at; /* of the last row */
    } text;
};

struct report {
    const struct world *world;
    bool per_rank;       /* ranks_s is kept: a row of the ranks' seconds is gathered */
    int rc;              /* first failure of a call that returns nothing */
    double *row;         /* on rank 0 with per_rank: SAMPLE_ROWS x world size */
    struct bulk *bulk;   /* of reduce.c */
    struct model *model; /* on rank 0; NULL elsewhere */
};

/* Local. Allocate and free the memory for reducing. Returns 0 or -ENOMEM. */
int reduce_open(struct report *r);
void reduce_close(struct report *r);

/* Local. Records that the report lacks memory, so that its close fails. */
int model_no_memory(struct report *r);

/* Local. Returns 0, or the report's failure. For a lack of memory the sentence is
 * recorded again, as the program may have cleared it. */
int model_verdict(struct report *r);

/* Local. Makes room for one more element of `size` bytes after the n of *array, zeroed;
 * NULL if there is no memory. */
void *model_grow(struct report *r, void *array, int n, int *room, size_t size);

/* Local. Copy a parameter; compare two; format its value in `out`, and return it. */
struct at at_of(const struct report_at *told);
bool at_same(const struct at *a, const struct at *b);
const char *at_text(const struct at *at, char out[AT_TEXT]);

/* Local. Copies a text; NULL for NULL, and if there is no memory. */
char *model_text(struct report *r, const char *text);
void model_free(struct model *m);

/* Local. Check the output paths; write all outputs (standard output only when the run
 * has `ended`). Return 0, or -errno with a sentence. */
int output_check(const struct model *m);
int output_write(const struct model *m, bool ended);

/* Local. Makes the latencies of a sample; NULL if there is no memory, which
 * r records. */
struct latency *latency_make(struct report *r, const int64_t *hist, int64_t calls,
                             double max_s);

struct figure_summary figure_summary(const struct figure *f);
const char *sample_act_name(int act);
const char *errno_name(int code); /* "ENOSPC" for -ENOSPC; NULL: not known */

/* Local. Write the whole model; return 0 or -EIO. */
int sink_json(const struct model *m, FILE *out);
int sink_csv(const struct model *m, FILE *out);

/* Local. Print the text as it grows; nothing if the model is quiet. The phase is the
 * last `n` samples of the model. */
void sink_text_phase(struct model *m, int n, const struct report_rate *rate);
void sink_text_close(struct model *m);

/* ---- comparisons ---------------------------------------------------------------- */

struct ratio { /* of an arm's figure over that of arm 0 */
    const struct figure *figure;
    bool known;
    struct paired_ratio of;
    char verdict[96];
};

/* Local. The ratios of all arms' headline figures; to be freed. NULL: none. */
struct ratio *comparison_ratios(const struct model *m, int *n);

/* Local. Write the group "comparison"; print the answer and its table. */
struct json;
void comparison_json(struct json *j, const struct model *m);
void comparison_text(const struct model *m);

/* ---- reduction over ranks -------------------------------------------------------- */

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
