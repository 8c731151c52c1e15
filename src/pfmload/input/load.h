/* One load: what all its steps know. A scheme is how ranks share the work; it brings
 * every sounding of the input into blocks and bins. */
#ifndef PFMLOAD_INPUT_LOAD_H
#define PFMLOAD_INPUT_LOAD_H

#include "hydro/pfm_make.h"
#include "hydro/pfm_side.h"
#include "pfmload/input/dest.h"
#include "pfmload/input/feed.h"
#include "pfmload/input/list.h"
#include "pfmload/input/reader.h"
#include "pfmload/input/scan.h"
#include "pfmload/input/settings.h"
#include "pfmload/store/sorted.h"

/* Of schemes with an I/O node; slaves are the ranks after these. */
enum { LOAD_IO_RANK, LOAD_MASTER, LOAD_SLAVES };

struct load;

struct scheme {
    const char *name;
    int ranks_min, ranks_max; /* 0: as many as there are */
    bool shared;              /* all ranks write */
    bool ordered;             /* bins in order, summed up on the way: no further pass */
    bool reads_back;          /* cannot do without a file that holds what was written */
    int lanes;                /* of the I/O node (run/lanes.h); 0: one */
    /* **Collective.** Loads all items into the open files of *l. Failures are kept in
     * l->r->failed of the rank they happen on, whichever others must not wait for
     * ever. */
    void (*load)(struct load *l);
};

/* What a rank is given to read: a file, or rows of the PFM that is appended to. */
struct item {
    int64_t file;       /* in the list; -1: the PFM */
    int64_t row0, row1; /* of the PFM */
    int64_t bytes;
};

/* Of soundings: how many, and the sum of their fingerprints. */
struct tally {
    int64_t soundings;
    uint64_t hash;
};

/* A bin of a PFM in the making. */
struct load_bin {
    int64_t first, last; /* blocks of its chain, bytes in the .ndx */
    int64_t soundings;   /* 0: none, and the rest says nothing */
};

struct load {
    struct run *r;
    const struct settings *set;
    const struct scheme *scheme;
    struct list *list;
    struct scan scan;
    struct pfm_inputs inputs; /* all of them, those of an appended PFM first */
    int64_t inputs_before, lines_before;
    struct pfm *old; /* the PFM that is appended to, open; NULL */
    struct item *item;
    int64_t items; /* the longest first */
    struct pfm_head head;
    struct dest dest;
    struct run_file blocks, bins, coverage; /* .ndx, .bin, .cvg */
    struct run_file *cover;                 /* where the coverage map is */
    struct load_bin *known; /* of each bin, where the .bin does not say it yet; NULL */
    int64_t blocks_bytes;   /* of the .ndx; the writers of it know */
    struct pfm_extremes extremes; /* of this rank's bins */
    struct sorted_io sorted_io;   /* of scratch files */
    struct reader reader;         /* of inputs */
    struct feed *feed;
    struct progress progress;
    struct tally tally; /* of what this rank has fed */
    int64_t area_cut;   /* soundings that the area filter flagged on this rank */
    int64_t cpu_ns;     /* of this process, when the repetition began; then during it */
    int64_t scratch_bytes, spilled_runs;
    int64_t peak;        /* scheme D-threaded: most buffers that waited */
    char left_out[1024]; /* what is to be said of beams that are not in the PFM; "" */
};

/* Local. Bytes of the .bin, with the coverage map that version 6 has in it. */
int64_t load_bin_bytes(const struct pfm_head *h);

/* Local. NULL where there is no scheme of this name (with `library`, of serial). */
const struct scheme *load_scheme(const char *name, const char *library);

/* **Collective.** A scheme calls it once, on every rank, after its preparations, with
 * their outcome on this rank. Returns whether all are ready. */
bool load_ready(struct load *l, int rc);

/* **Collective.** The verdict of all ranks on what was kept so far, which it replaces.
 * Who waits for others leaves its core to them. */
int load_agree(struct load *l);

/* Local. The rank of schemes in which one writes, and that which speaks. */
static inline bool load_is_first(const struct load *l)
{
    return l->r->world.rank == 0;
}

/* Local. Keeps the first failure of this rank; 0 is none. */
void load_fail(struct load *l, int rc);

/* Local. Counts each read and write of what does not know phases, with its latency, as
 * one of the phase: its time is taken from what is going on. */
struct told load_told(struct load *l);

/* Local. All soundings of an item, counted and with their fingerprints added to
 * l->tally, to `sink`. Returns 0, or
 * -errno with a sentence, which is kept in l->r->failed, too; -ECANCELED of the sink is
 * only returned. */
int load_item(struct load *l, const struct item *item, feed_sink *sink, void *context);

/* Local. So many soundings more were read; shown where l->progress is on. */
void load_progress(struct load *l, int64_t soundings);

/* Local. Soundings that the scan has found; 0: there was none. */
int64_t load_expected(const struct load *l);

/* Local, one rank of each node. Drops the input from the page cache, under
 * --cache=flush: the device is to be measured, and not what was left in memory.
 * Failures are kept. */
void load_drop_input(struct load *l);

/* Local. What of --memory is for soundings: all but what the process, the MPI library
 * and the buffers of streams and messages take, and half of it at least. */
int64_t load_memory(const struct load *l);

/* Local. Memory for the sorter of one of `sharers` ranks, where `taken` of that is
 * for something else: not more than what soundings need, if that is known. */
int64_t load_sorter_memory(const struct load *l, int64_t taken, int sharers);

/* Local. What a sorter wrote to its scratch files, for the figures; NULL is nothing. */
void load_count_scratch(struct load *l, const struct extsort *s);

/* Local. Where scratch files of this rank begin; `out` has PFM_PATH bytes. */
const char *load_scratch(const struct load *l, const char *what, char *out);

extern const struct scheme scheme_serial_cached, scheme_serial_per_sounding, scheme_c,
    scheme_d, scheme_d_threaded, scheme_e, scheme_f, scheme_g;

#endif
