/* The state of a load, for all its steps. A scheme divides the work among ranks; it
 * brings every sounding of the input into blocks and bins. */
#ifndef PFMLOAD_INPUT_LOAD_H
#define PFMLOAD_INPUT_LOAD_H

#include "hydro/geodesy.h"
#include "hydro/pfm_make.h"
#include "hydro/pfm_side.h"
#include "pfmload/input/beams.h"
#include "pfmload/input/dest.h"
#include "pfmload/input/feed.h"
#include "pfmload/input/list.h"
#include "pfmload/input/scan.h"
#include "pfmload/store/batch.h"
#include "run/workload.h"

/* ---- settings -------------------------------------------------------------------- */

/* The options of pfmload. */

enum { SETTINGS_MEMORY_MIN = 1 << 20 }; /* bytes of a rank */

struct settings {
    struct run_options run;
    struct opt_rest files;
    struct opt_list lists;
    const char *output, *scheme, *library, *bounds_text, *depths_text, *version;
    const char *position_text, *area_order, *scratch_dir;
    double bin_m, area_sigma, swath_sigma;
    int64_t record_length, memory, queue_limit, io_ranks;
    bool canonical, append, overwrite, skip_bad, truncated, swath;
    bool area_serial;
    /* derived from the options */
    enum geo_how how;
    bool bounded, depths_given;
    double west, south, east, north; /* degrees; east > 180 if it crosses
                                      * that meridian */
    double depth_min, depth_max;     /* m */
};

extern struct settings settings;
extern struct opt settings_table[];
extern const int settings_count;

/* Local. Parses --bounds and --depths, and refuses incompatible options. Returns 0, or
 * -EINVAL with a sentence. */
int settings_settle(const struct opt_program *p);

/* ---- the load -------------------------------------------------------------------- */

/* Ranks of schemes with an I/O node; the slaves are from LOAD_SLAVES on. */
enum { LOAD_IO_RANK, LOAD_MASTER, LOAD_SLAVES };

struct load;

struct scheme {
    const char *name;
    int ranks_min, ranks_max; /* 0: any number */
    bool shared;              /* all ranks write */
    bool ordered;             /* bins are in order, with their statistics: no
                               * further pass */
    bool reads_back;          /* needs a file that returns what was written */
    int lanes;                /* of the I/O node (run/lanes.h); 0: one */
    /* **Collective.** Loads all items into the open files of *l. A failure is kept in
     * l->r->failed of its rank; it must not leave others waiting. */
    void (*load)(struct load *l);
};

/* A unit of reading for a rank: a file, or rows of the PFM that is appended to. */
struct item {
    int64_t file;       /* number in the list; -1: the PFM */
    int64_t row0, row1; /* of the PFM */
    int64_t bytes;
};

/* A count of soundings, and the sum of their fingerprints. */
struct tally {
    int64_t soundings;
    uint64_t hash;
};

/* A bin of a PFM under construction. */
struct load_bin {
    int64_t first, last; /* first and last block of its chain, offsets in the .ndx */
    int64_t soundings;   /* 0: none, and the other members are undefined */
};

struct load {
    struct run *r;
    const struct settings *set;
    const struct scheme *scheme;
    struct list *list;
    struct scan scan;
    struct pfm_inputs inputs; /* all input files, those of an appended PFM first */
    int64_t inputs_before, lines_before;
    struct pfm *old; /* the PFM that is appended to, open; NULL: none */
    struct item *item;
    int64_t items; /* number of items, the longest first */
    struct pfm_head head;
    struct dest dest;
    struct run_file blocks, bins, coverage; /* .ndx, .bin, .cvg */
    struct run_file *cover;                 /* the file with the coverage map */
    struct load_bin *known;       /* one for each bin, while the .bin does not have it
                                   * yet; NULL */
    int64_t blocks_bytes;         /* of the .ndx, on the ranks that write it */
    struct pfm_extremes extremes; /* of this rank's bins */
    struct sorted_io sorted_io;   /* for scratch files */
    struct reader reader;         /* for inputs */
    struct feed *feed;
    struct progress progress;
    struct tally tally; /* of the soundings that this rank has fed */
    int64_t area_cut;   /* soundings that the area filter flagged on this rank */
    int64_t cpu_ns;     /* processor time of this process at the repetition's start;
                         * then during it */
    int64_t scratch_bytes, spilled_runs;
    int64_t peak;        /* scheme D-threaded: most waiting buffers */
    char left_out[1024]; /* sentence on beams that are not in the PFM; "" */
};

/* Local. The bytes of the .bin, including version 6's coverage map. */
int64_t load_bin_bytes(const struct pfm_head *h);

/* Local. The scheme of this name (for serial, with `library`); NULL: there is none. */
const struct scheme *load_scheme(const char *name, const char *library);

/* **Collective.** A scheme calls it once, on every rank, after its preparations, with
 * their result on this rank. Returns true if all ranks are ready. */
bool load_ready(struct load *l, int rc);

/* **Collective.** Agrees on the failures kept so far, and replaces them by the verdict.
 * A rank that waits for others yields its core. */
int load_agree(struct load *l);

/* Local. True on the rank that writes, in schemes with one writer, and that prints. */
static inline bool load_is_first(const struct load *l)
{
    return l->r->world.rank == 0;
}

/* Local. Keeps the first failure of this rank; 0: none. */
void load_fail(struct load *l, int rc);

/* Local. Returns a callback that counts reads and writes of code without phases, with
 * their latencies, in the phase; their time is taken from the present activity. */
struct told load_told(struct load *l);

/* Local. Passes all soundings of an item to `sink`, counted and with their fingerprints
 * added to l->tally. Returns 0, or -errno with a sentence, which is kept in
 * l->r->failed, too; the sink's -ECANCELED is only returned. */
int load_item(struct load *l, const struct item *item, feed_sink *sink, void *context);

/* Local. Adds to the soundings read so far; shown if l->progress is on. */
void load_progress(struct load *l, int64_t soundings);

/* Local. The number of soundings that the scan has found; 0: there was no scan. */
int64_t load_expected(const struct load *l);

/* Local, on one rank of each node. Drops the input from the page cache with
 * --cache=flush, so that the device is measured, and not the memory. Failures
 * are kept. */
void load_drop_input(struct load *l);

/* Local. The part of --memory for soundings: the rest after the process, the MPI
 * library and the buffers of streams and messages, and half of it at least. */
int64_t load_memory(const struct load *l);

/* Local. The memory for the sorter of one of `sharers` ranks, `taken` bytes of which
 * have another use: not more than its soundings need, if that is known. */
int64_t load_sorter_memory(const struct load *l, int64_t taken, int sharers);

/* Local. Adds the bytes that a sorter wrote to its scratch files to the figures; NULL
 * adds nothing. */
void load_count_scratch(struct load *l, const struct extsort *s);

/* Local. The beginning of the paths of this rank's scratch files; `out` has
 * PFM_PATH bytes. */
const char *load_scratch(const struct load *l, const char *what, char *out);

extern const struct scheme scheme_serial_cached, scheme_serial_per_sounding, scheme_c,
    scheme_d, scheme_d_threaded, scheme_e, scheme_f, scheme_g;

#endif
