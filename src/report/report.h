/* Measurements: samples, figures, and their three outputs (text, JSON, CSV), written in
 * the same run. The JSON is the contract with python/leadline: doc/report-schema.md.
 * Rank 0 holds everything; memory is O(repetitions x phases), never O(operations) or
 * O(ranks) beyond one row. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/err.h"
#include "base/opt.h"
#include "report/phase.h"
#include "world/world.h"

struct report;

/* Local. True if a report's path means standard output: "-". */
bool report_to_stdout(const char *path);

/* Local. Writes a file by `fill` (0, or -errno), all of it or none: beside `path`, then
 * by a rename (base/format/outfile.h); no device or pipe. "-" is standard output, whose
 * errors are reported at the end of the program. */
int report_write(const char *path, int (*fill)(const void *what, FILE *out),
                 const void *what);

struct report_open {
    const struct world *world;         /* world, program and argv must be valid until */
    const struct world_host *hosts;    /* report_close; the rest is copied. hosts: */
    const struct opt_program *program; /* w->nodes of them, on rank 0 */
    int argc;
    char **argv;
    const char *run_id; /* the same on every rank */
    const char *label;  /* "" if none */
    const char *series; /* "id,config,round" or NULL */
    uint64_t seed;
    const char *json_path, *csv_path; /* NULL: not written; "-": standard output */
    bool per_rank;                    /* ranks_s for any number of ranks */
    bool quiet;                       /* no text output */
};

/* **Collective** on o->world->comm. On rank 0 refuses output paths that cannot be
 * written, and writes the first JSON, valid=false "did not finish", and a CSV with
 * headings only. Returns 0, or, the same on every rank, -errno with a sentence; then *r
 * is NULL. */
int report_open(struct report **r, const struct report_open *o);

/* ---- the setup; Local, rank 0's values count; call before report_close -------- */

struct report_io {
    const char *engine, *version; /* version: of the library; "" if none */
    const char *io_layer;         /* "ROMIO", "OMPIO", "POSIX" */
    const char *mode;             /* "sync", "async", "none" */
    const char *chosen_because;
    bool collective;
    const char *cache; /* "flush", "keep", "direct" */
    const char *sync;  /* "phase", "transfer and phase", "none" */
    int depth;
    double timeout_s;
    int hints_asked, hints_in_effect;
    const char *const *asked_key, *const *asked_value; /* hints_asked of each */
    const char *const *effect_key, *const *effect_value;
    int settings; /* the engine's own: "delay_us" = "50" */
    const char *const *setting_key, *const *setting_value;
};
void report_io(struct report *r, const struct report_io *io); /* copied */

struct report_layer { /* a layer of the files' storage, from the file system down */
    int level;
    const char *kind, *name, *about, *reads; /* as in doc/report-schema.md */
};

struct report_file {
    const char *role, *path, *kind, *layout; /* kind: "unique", "shared" */
    int64_t count, bytes;                    /* bytes: of all `count` files */
    const char *fs, *mount;
    int64_t block_bytes;
    const char *ldad; /* NULL, 0: not known, or not stored so */
    int64_t stripe_bytes, stripe_count;
    const char *stripe_about; /* their source, or the reason why they are not known;
                               * NULL: not looked up */
    int layers;
    const struct report_layer *layer;
    const char *storage; /* the layers in one line; NULL */
};
void report_file(struct report *r, const struct report_file *f); /* copied */

/* Local. Reports the files of `role`, once they exist: their number, the path of one of
 * them, and the bytes of all. */
void report_file_sizes(struct report *r, const char *role, const char *path,
                       int64_t count, int64_t bytes);

/* Local. Reports the stripes of the files of `role`, once they exist. */
void report_stripes(struct report *r, const char *role, int64_t bytes, int64_t count,
                    const char *about);

/* Local. Reports how many of the `data` bytes of some files of `role` are stored, and
 * what asks for compression. */
void report_stored(struct report *r, const char *role, int64_t stored, int64_t data,
                   const char *about);

struct report_group { /* nodes that see the same storage, as in doc/report-schema.md */
    int nodes, fields;
    const char *const *key, *const *value; /* "" if it is not known */
};
void report_group(struct report *r, const struct report_group *g); /* copied */

/* Local. Reports, of group i, from 0, the shares of the bytes read that came from below
 * the page cache, and that were in memory before; < 0: not known. */
void report_group_shares(struct report *r, int i, double below, double resident);

/* Local. Has `put` write a further group of the JSON, from `what`, which is valid until
 * report_close: findings of a library that is not known here. One at most. */
struct json;
void report_part(struct report *r, void (*put)(const void *what, struct json *j),
                 const void *what);

/* A file of soundings that a run has read. */
struct report_source {
    const char *path, *about; /* about: reason why parts were left out; NULL: all
                               * was read */
    int64_t bytes, soundings; /* of the file; that were read */
};

/* Local (rank 0 counts). Adds a row to the JSON's `sources`; copied. */
void report_source(struct report *r, const struct report_source *s);

/* Adds a line to the header, and to run.notes in the JSON: "grid", "2 x 4, blocks
 * of ...". */
void report_note(struct report *r, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the measurements -------------------------------------------------------- */

/* Latencies of the single transfers of all ranks, on rank 0; NAN elsewhere, and if
 * there were too few (doc/method.md). */
struct report_latency {
    double p50_s, p99_s, p999_s, max_s;
};

/* Local. The seconds within which the q-th part of all `calls` transfers was complete,
 * at most max_s; NAN if there are too few. hist: HIST_SIZE counts. */
double report_quantile(const int64_t *hist, int64_t calls, double q, double max_s);

struct report_op {
    int64_t calls; /* of all ranks */
    struct report_latency latency;
};

/* The result of report_phases, on every rank. If a rank has several lanes, the slowest
 * rank is the one of the slowest lane. */
struct report_rate {
    double wall_s;                    /* slowest rank */
    double read_s, write_s, sync_s;   /* slowest rank's visible seconds */
    double read_sync_s, write_sync_s; /* slowest rank's (read or write) + sync */
    double compute_s;                 /* maximum over ranks, each by itself: */
    double check_s;
    double visible_s;                /* read + write + sync */
    double work_s;                   /* compute + communicate + read + write + sync */
    double io_s;                     /* read + write + sync + open_close */
    double submit_s, wait_s;         /* of reads and writes */
    int64_t read_bytes, write_bytes; /* of all ranks */
    int64_t device_read_bytes;       /* of all ranks; -1: not known */
    double split_error;              /* |sum of parts - wall| / wall, worst rank */
    bool mixed;                      /* reads and writes were in flight together */
    bool paused;                     /* the kernel may have moved bytes in pauses */
    struct report_latency read_latency, write_latency;
    struct report_op op[PHASE_OPS];
};

/* The parameter that a sample or a figure belongs to: "alpha" and its value, or
 * "engine" and its name. NULL in the calls below: none. */
struct report_at {
    const char *name;
    double value;
    const char *text; /* instead of the value; NULL: it is a number */
};

/* **Collective.** Reduces one ended phase over this rank's n >= 1 lanes, each with its
 * own phase, and over ranks, to one sample per activity that occurred (plus "wall"),
 * and prints its row of the text table. p[0] is the rank's own and has the name and the
 * times; n may differ between ranks, and is at most 1024. `rate` may be NULL. Returns
 * 0, or, agreed, -ENOMEM or -EIO. */
int report_phases(struct report *r, const struct phase *const p[], int n,
                  const struct report_at *at, struct report_rate *rate);

/* **Collective.** The same for ranks with one lane. */
int report_phase(struct report *r, const struct phase *p, const struct report_at *at,
                 struct report_rate *rate);

/* Local. The rates of a phase, in 10^6 bytes per second; NAN if nothing was
 * transferred. They are bytes of all ranks divided by the slowest rank's visible
 * seconds, which for writes include the sync: making data durable is part of writing,
 * never of reading. If both kinds were in flight together, the seconds are those of
 * both and of syncs, so that the two rates add up. `phase`: bytes read and written,
 * divided by the slowest rank's wall. */
double report_rate_read_MBps(const struct report_rate *rate);
double report_rate_write_MBps(const struct report_rate *rate);
double report_rate_phase_MBps(const struct report_rate *rate);

/* Local (rank 0 counts). Appends one repetition's value to the figure `name`, which its
 * first call defines: report_figure(r, "W.write_MBps", "MB/s", "higher", "bytes / max_s
 * / 1e6", v). A value that is not finite is stored as null, and so is one of 0 or less,
 * unless the unit is "1" or "%": an overlap may be negative. */
void report_figure(struct report *r, const char *name, const char *unit,
                   const char *better, const char *formula, double value);

/* Local (rank 0 counts). The same for a figure of a parameter's value; each value has
 * its own vector. */
void report_figure_at(struct report *r, const char *name, const struct report_at *at,
                      const char *unit, const char *better, const char *formula,
                      double value);

/* Local (rank 0 counts). Adds results.<name>; copied. */
void report_result(struct report *r, const char *name, const double *x, int n);

/* Local (rank 0 counts). Sets checks.*; a share < 0: null. Later calls replace earlier
 * ones. With blocks_bad > 0 report_close fails even if rc is 0. */
struct report_checks {
    int64_t blocks_checked, blocks_bad;
    double device_share;   /* share of the bytes read that came from the device */
    double resident_share; /* share of the bytes that were in memory before reading */
    double below_share; /* share of the bytes read that the page cache did not have */
    const char *why;    /* what served the rest, if that may be no device; static; NULL:
                         * it is a device */
    bool by_group;      /* the shares are those of groups of nodes */
};
void report_checks(struct report *r, const struct report_checks *c);

/* Local (rank 0 counts). Adds a warning; one of each code is kept. */
void report_warning(struct report *r, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- comparisons of arms within a run (run/compare.h) ------------------- */

struct report_setting {
    const char *option, *value;
};

struct report_arm {
    const char *name, *failed; /* failed: its sentence; NULL: it takes part */
    int settings;
    const struct report_setting *setting;
};

struct report_factor {
    const char *option;
    int values;
    const char *const *value;
};

struct report_turn {       /* a repetition of one arm */
    int arm;               /* -1: none was made */
    double start_s, end_s; /* since the report was opened */
    int64_t bytes;         /* read and written by all ranks */
};

struct report_rounds {
    int arms, factors;
    const struct report_arm *arm;
    const struct report_factor *factor;
    uint64_t seed;                  /* of the orders */
    int rows;                       /* rounds begun; row 0 is the warm-up */
    int counted;                    /* rounds that ended after it */
    const struct report_turn *turn; /* [row][position] */
    const char *ended_by;           /* as in doc/report-schema.md */
};

/* Local (rank 0 counts). The report is of these rounds, which it reads until
 * report_close. */
void report_rounds(struct report *r, const struct report_rounds *rounds);

/* Local (rank 0 counts). Further samples, figures and warnings are of this arm, in this
 * round; figures of round 0 are dropped. */
void report_turn(struct report *r, int arm, int round);

/* Local, on rank 0. The widest half-width, as a share, of the intervals of all arms'
 * headline figures over those of arm 0; NAN: one is not known yet. */
double report_width(const struct report *r);

/* Local. Seconds since the report was opened; on rank 0, else 0. */
double report_clock_s(const struct report *r);

/* **Collective.** `rc` is the agreed verdict; *r may be NULL. Prints the closing tables
 * (figures with median, min, max, interval from 6 repetitions on; warnings), writes
 * JSON (valid = rc == 0, else why and errors) and CSV by rename, frees *r. Returns rc,
 * or the failure to write, agreed. */
int report_close(struct report **r, int rc);

#endif
