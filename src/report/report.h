/* How long it took: samples, figures, and their three sinks (text, JSON, CSV),
 * written in the same run. The JSON is the contract with python/leadline:
 * doc/report-schema.md. Rank 0 holds everything; memory is
 * O(repetitions x phases), never O(operations) or O(ranks) beyond one row. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/err.h"
#include "base/opt.h"
#include "report/phase.h"
#include "world/world.h"

struct report;

/* Local. Whether a report's path means standard output: "-". */
bool report_to_stdout(const char *path);

/* Local. Writes a file by `fill` (0, or -errno), all of it or none: beside `path`, then
 * by a rename (base/format/outfile.h); no device or pipe. "-" is
 * standard output; what cannot be written there is told where the program ends. */
int report_write(const char *path, int (*fill)(const void *what, FILE *out),
                 const void *what);

struct report_open {
    const struct world *world;         /* it, program and argv stay the caller's, */
    const struct world_host *hosts;    /* and valid until report_close; the rest is */
    const struct opt_program *program; /* copied. hosts: w->nodes of them, on rank 0 */
    int argc;
    char **argv;
    const char *run_id; /* the same on every rank */
    const char *label;  /* "" if none */
    const char *series; /* "id,config,round" or NULL */
    uint64_t seed;
    const char *json_path, *csv_path; /* NULL: not written; "-": standard output */
    bool per_rank;                    /* ranks_s whatever the number of ranks */
    bool quiet;                       /* no text */
};

/* **Collective** on o->world->comm. On rank 0 refuses output paths that cannot be
 * written, and writes the first JSON, valid=false "did not finish", and a CSV of
 * headings only. Returns 0 or, the same on every rank, -errno with a sentence;
 * then *r is NULL. */
int report_open(struct report **r, const struct report_open *o);

/* ---- what was used; Local, rank 0's values count; call before report_close ---- */

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

struct report_layer { /* of what the files stand on, from the file system down */
    int level;
    const char *kind, *name, *about, *reads; /* as doc/report-schema.md has them */
};

struct report_file {
    const char *role, *path, *kind, *layout; /* kind: "unique", "shared" */
    int64_t count, bytes;                    /* bytes: of all `count` files */
    const char *fs, *mount;
    int64_t block_bytes;
    const char *ldad; /* NULL, 0: not known, not so stored */
    int64_t stripe_bytes, stripe_count;
    const char *stripe_about; /* how they are known, or why not; NULL: nobody asked */
    int layers;
    const struct report_layer *layer;
    const char *storage; /* the layers in a line; NULL */
};
void report_file(struct report *r, const struct report_file *f); /* copied */

/* Local. Of the files of `role`, once they are there: how many there are, the path of
 * one of them, and the bytes of all. */
void report_file_sizes(struct report *r, const char *role, const char *path,
                       int64_t count, int64_t bytes);

/* Local. What is known of the stripes of the files of `role` once they are there. */
void report_stripes(struct report *r, const char *role, int64_t bytes, int64_t count,
                    const char *about);

/* One of the files of soundings that a run took in. */
struct report_source {
    const char *path, *about; /* about: why not all of it was; NULL: all was */
    int64_t bytes, soundings; /* of the file; taken in */
};

/* Local (rank 0 counts). A row of the JSON's `sources`; copied. */
void report_source(struct report *r, const struct report_source *s);

/* A line of the header, and run.notes in the JSON: "grid", "2 x 4 ranks, ...". */
void report_note(struct report *r, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- what was measured ------------------------------------------------------- */

/* Latencies of the single transfers of all ranks, on rank 0; NAN elsewhere, and where
 * there were too few (doc/method.md). */
struct report_latency {
    double p50_s, p99_s, p999_s, max_s;
};

/* Local. The seconds within which the q-th part of all `calls` transfers was complete,
 * at most max_s; NAN where so few cannot tell. hist: HIST_SIZE counts. */
double report_quantile(const int64_t *hist, int64_t calls, double q, double max_s);

struct report_op {
    int64_t calls; /* of all ranks */
    struct report_latency latency;
};

/* What report_phases found, on every rank. Where a rank has several lanes, the slowest
 * rank is the one of the slowest lane. */
struct report_rate {
    double wall_s;                    /* slowest rank */
    double read_s, write_s, sync_s;   /* slowest rank's visible seconds */
    double read_sync_s, write_sync_s; /* slowest rank's (read or write) + sync */
    double compute_s;                 /* slowest rank's, each for itself: */
    double check_s;
    double visible_s;                /* read + write + sync */
    double work_s;                   /* compute + communicate + read + write + sync */
    double io_s;                     /* read + write + sync + open_close */
    double submit_s, wait_s;         /* of reads and writes */
    int64_t read_bytes, write_bytes; /* of all ranks */
    int64_t device_read_bytes;       /* of all ranks; -1: not known */
    double split_error;              /* |sum of parts - wall| / wall, worst rank */
    bool mixed;                      /* reads and writes were in flight at once */
    bool paused;                     /* the kernel may have gone on in pauses */
    struct report_latency read_latency, write_latency;
    struct report_op op[PHASE_OPS];
};

/* What a sample or a figure belongs to where a run has several: "alpha" and its value,
 * or "engine" and its name. NULL in the calls below: to none. */
struct report_at {
    const char *name;
    double value;
    const char *text; /* instead of the value; NULL: it is a number */
};

/* **Collective.** Reduces one ended phase over this rank's n >= 1 lanes, each with a
 * phase of its own, and over ranks, to one sample per activity that took place (plus
 * "wall"), and prints its row of the text table. p[0] is the rank's own and has the
 * name and the times; n need not be the same on all ranks, and is at most 1024.
 * `rate` may be NULL.
 * Returns 0 or, agreed, -ENOMEM or -EIO. */
int report_phases(struct report *r, const struct phase *const p[], int n,
                  const struct report_at *at, struct report_rate *rate);

/* **Collective.** The same of ranks with one lane. */
int report_phase(struct report *r, const struct phase *p, const struct report_at *at,
                 struct report_rate *rate);

/* Local. The rates of a phase, in 10^6 bytes per second; NAN where nothing was
 * transferred. Bytes of all ranks / the slowest rank's visible seconds, which for
 * writes include the sync: making data durable is part of writing, never of reading.
 * Where both kinds were in flight at once, the seconds are those of both and of syncs,
 * so that the two rates add up.
 * `phase`: bytes read and written / the slowest rank's wall. */
double report_rate_read_MBps(const struct report_rate *rate);
double report_rate_write_MBps(const struct report_rate *rate);
double report_rate_phase_MBps(const struct report_rate *rate);

/* Local (rank 0 counts). Appends one repetition's value to the figure `name`,
 * which its first call defines: report_figure(r, "W.write_MBps", "MB/s",
 * "higher", "bytes / max_s / 1e6", v). A value that is not finite is stored as
 * null, and so is one of 0 or less, but where the unit is "1" or "%": an overlap
 * may be negative. */
void report_figure(struct report *r, const char *name, const char *unit,
                   const char *better, const char *formula, double value);

/* Local (rank 0 counts). The same where the figure belongs to the value of a parameter;
 * each value has a vector of its own. */
void report_figure_at(struct report *r, const char *name, const struct report_at *at,
                      const char *unit, const char *better, const char *formula,
                      double value);

/* Local (rank 0 counts). results.<name>; copied. */
void report_result(struct report *r, const char *name, const double *x, int n);

/* Local (rank 0 counts). checks.*; a share < 0: null. Later calls replace. With
 * blocks_bad > 0 report_close fails even where rc is 0. */
struct report_checks {
    int64_t blocks_checked, blocks_bad;
    double device_share;   /* share of the bytes read that came from the device */
    double resident_share; /* share of the bytes that were in memory before reading */
    double below_share; /* share of the bytes read that the page cache did not have */
    const char *why;    /* what served these and may be no device; static, NULL: it
                              is one */
};
void report_checks(struct report *r, const struct report_checks *c);

/* Local (rank 0 counts). One warning of each code is kept. */
void report_warning(struct report *r, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* **Collective.** `rc` is the agreed verdict; *r may be NULL. Prints the closing
 * tables (figures with median, min, max, interval from 6 repetitions on; warnings),
 * writes JSON (valid = rc == 0, else why and errors) and CSV by rename, frees *r.
 * Returns rc, or the failure to write, agreed. */
int report_close(struct report **r, int rc);

#endif
