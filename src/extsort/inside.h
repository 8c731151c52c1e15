/* Declarations that the sources of the sorter share. */
#ifndef EXTSORT_INSIDE_H
#define EXTSORT_INSIDE_H

#include "extsort/extsort.h"
#include "run/lanes.h"
#include "run/stream/stream.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SAMPLE_WORDS = 16, /* words kept of the key of a chunk's first record, at most */
    SAMPLE = 1 + SAMPLE_WORDS
};

/* ---- memory ---------------------------------------------------------------------- */

/* The division of the memory: first the buffers through which runs are written; then,
 * while records come, a room for them and one for their index, and later, for the
 * merge, windows to the runs. */
struct division {
    int64_t memory;   /* total */
    int64_t each;     /* bytes of a lane that sorts */
    int64_t writing;  /* part of `each` that is for writing */
    int64_t capacity; /* records of a section, at most */
    int64_t group;    /* records that are written at once */
    int64_t chunk;    /* records that are checked together */
    int64_t merging;  /* bytes of a lane that merges */
    int64_t window;   /* least part of `merging` for a run */
    int64_t fan_in;   /* runs that a lane merges at once */
    int64_t result;   /* part of `merging` for extsort_group */
    int slots;        /* transfers of a stream in flight */
};

/* Returns the bytes of the tables of `lanes` that merge, which are allocated apart. */
int64_t division_tables(const struct division *d, int lanes);

/* Divides the memory for `records`; -1: their number is not known. Returns 0, or
 * -EINVAL with a sentence. */
int division_make(struct division *d, const struct run *r,
                  const struct extsort_how *how, int64_t records);

/* Returns the records of a section. Sections have the same size, and there are as many
 * as lanes, or several times as many. */
int64_t division_section(const struct division *d, const struct extsort_how *how,
                         int64_t records);

/* Describes a file of runs for run streams; it is not opened. */
void division_file(struct run_file *f, struct run *r, const struct extsort_how *how,
                   const char *path);

/* Returns the description of a stream of such a file. */
struct run_stream_how division_stream(const struct division *d,
                                      const struct run_file *f, enum io_op op,
                                      int64_t record, void *memory, int64_t bytes);

/* Local. Returns the bytes of a lane's window for each of so many runs. */
int64_t division_window(const struct division *d, const struct extsort_how *how,
                        int64_t runs);

/* Returns the number of runs that each pass merges into one; 0: all can be merged at
 * once. */
int64_t division_together(const struct division *d, int64_t runs);

/* ---- runs ------------------------------------------------------------------------ */

struct sorted_run {
    int64_t number; /* its place in the order of the records */
    int64_t at;     /* its place in the file */
    int64_t records;
    uint64_t *sample; /* per chunk: its checksum, then the words of its first key */
};

struct runs_file {
    struct run_file *file; /* one for each lane; NULL: there is no file */
    int64_t stride;        /* bytes from the begin of one run to that of the next */
    int fd;       /* drops its pages, as the file has no name; 0: there is none */
    bool settled; /* nothing was written since runs_settle */
    struct sorted_run *run;
    int64_t n, room; /* runs, and entries allocated */
};

/* ---- groups.c -------------------------------------------------------------------- */

/* Records in memory, by groups. */
struct groups {
    const char *records; /* in the order in which they came */
    int64_t n, bytes;    /* number of records, and bytes of each */
    int64_t least;       /* the least group */
    int shift;
    int64_t buckets;
    /* places of all records, by buckets; the end of each bucket in `place` */
    uint32_t *place, *end;
    char *gathered; /* the records of one bucket, sorted */
    const char *at, *gathered_end;
    /* the next bucket, and the number of records in those before it */
    int64_t bucket, taken;
};

/* Local. Sorts the places of n records, which lie at the begin of `room` bytes, into
 * the rest of the room. Returns false if that is too small. */
bool groups_make(struct groups *g, const struct sort_order *o, const char *records,
                 int64_t n, int64_t room);

/* Local. Returns the next group, as extsort_group does. */
const void *groups_next(struct groups *g, const struct sort_order *o, int64_t *n);

/* ---- merge ----------------------------------------------------------------------- */

/* A source of the merge: a run, or a section in memory. */
struct source {
    const char *at; /* its first record; NULL: it has ended */
    const char *end;
    /* a section in memory, sorted by an index */
    const struct sort_entry *entry, *entry_end;
    const char *records;
    struct run_stream *stream;
    const struct sorted_run *run;
    struct stamp_hashing hashing;
    int64_t chunk,
        chunk_bytes; /* the chunk that is being read, and its bytes still to come */
};

/* A source's first key, kept where the merge compares. */
struct node {
    uint64_t word[2];
    int64_t source; /* -1: none yet */
};

/* The begin of a part: a record with this key; of several such records, the one at this
 * place. */
struct split {
    const uint64_t *word;
    int64_t source, place;
};

struct merge {
    const struct extsort *s;
    struct run *r;
    struct source *source;
    struct node *tree; /* tree of losers; the winner is tree[0] */
    int64_t sources;
    const struct split *until;
    struct node rival; /* the best node but the winner; source -1: not known */
    bool given;        /* the caller holds the winner */
    bool running;      /* streams are open */
    char *result;      /* buffer for extsort_group */
    int64_t result_records;
};

/* ---- the sorter ------------------------------------------------------------------ */

struct lane {
    struct run *r;
    char *memory; /* memory while it sorts */
    char *room;
    struct sort_entry *entry;
    const char *records; /* in the room */
    int64_t n, number;   /* number of records, and of their section */
    bool held;           /* the records are sorted, and not written */
    bool grouped;        /* the records are not sorted: `groups` has their places */
    struct groups groups;
    int64_t came, read_bytes, write_bytes;
    struct merge merge;
};

struct extsort {
    struct run *r;
    struct extsort_how how;
    struct division d;
    char scratch[PATH_MAX - 32]; /* prefix of paths, followed by a number */
    char *memory;
    struct lane *lane;
    /* Records that come: */
    int64_t records, section; /* number in all, -1: not known; and in a section */
    bool spills;              /* not all records fit */
    _Atomic int64_t taken;    /* sections that lanes have taken */
    struct extsort_section adding;
    int64_t added; /* records in `adding`; -1: there is no section */
    /* Runs: */
    pthread_mutex_t lock; /* guards the table of runs, as lanes write runs */
    struct runs_file runs;
    int64_t files, came_runs, passes;
    /* The result: */
    struct split *split; /* parts - 1 of them */
    int parts;
    uint64_t *sample; /* samples of a sort in memory */
};

static inline bool extsort_exact(const struct extsort *s)
{
    return sort_words(&s->how.order) <= SAMPLE_WORDS;
}

static inline int extsort_sample_words(const struct extsort *s)
{
    return extsort_exact(s) ? sort_words(&s->how.order) : SAMPLE_WORDS;
}

static inline const uint64_t *
extsort_sample(const struct extsort *s, const struct sorted_run *run, int64_t chunk)
{
    return run->sample + chunk * (1 + extsort_sample_words(s));
}

static inline int64_t extsort_chunks(const struct extsort *s,
                                     const struct sorted_run *run)
{
    return (run->records + s->d.chunk - 1) / s->d.chunk;
}

/* Local. Runs the body on all lanes that sort. */
void extsort_lanes(struct extsort *s, run_lane_body *body, void *context);

/* Local. Returns the number of sources of a merge: all runs, or all sections in
 * memory. */
int64_t extsort_sources(const struct extsort *s);

/* Local. Returns the number of the lane that a body runs on. */
static inline int extsort_lane_of(const struct extsort *s, const struct run *r)
{
    return s->how.lanes > 1 ? r->lane : 0;
}

/* Local. Copies a record. For short ones, a call of memcpy would take longer than the
 * copy. */
static inline void extsort_copy(char *to, const char *from, int64_t bytes)
{
    if (bytes != 32) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    memcpy(to, from, 32);
}

/* ---- files.c --------------------------------------------------------------------- */

/* Local, on the rank's thread. runs_open creates a file, which all lanes open. Returns
 * r->failed. */
int runs_open(struct extsort *s, struct runs_file *f, int64_t stride);
void runs_close(struct extsort *s, struct runs_file *f);

/* Local, on the rank's thread. Makes runs durable, as extsort_how.settle asks for.
 * Returns r->failed. */
int runs_settle(struct extsort *s, struct runs_file *f);

/* Copies the next n records of a run to `to`. */
typedef void extsort_fill(void *context, void *to, int64_t n);

/* Local, by a lane. Writes a run to its place, through `memory`, and enters it in the
 * table. A failure is kept. */
void runs_write(struct extsort *s, int lane, struct runs_file *f, int64_t number,
                int64_t records, void *memory, extsort_fill *fill, void *context);

/* Local, by a lane. Opens a stream of chunks [from, to) of a run. */
int runs_read(struct extsort *s, int lane, struct source *x, int64_t from, int64_t to,
              void *memory, int64_t bytes);

/* Local. Goes to the next records of the stream and checks them; x->at becomes NULL at
 * its end. */
void runs_next(const struct merge *m, struct source *x);

/* ---- merge.c --------------------------------------------------------------------- */

/* Local, by a lane. Starts to merge n runs from `first` on, or the sections in memory,
 * between two places (NULL: from the begin, to the end); *place is the number of
 * records before them. Returns the lane's r->failed. */
int merge_start(struct extsort *s, int lane, int64_t first, int64_t n,
                const struct split *from, const struct split *until, int64_t *place);

/* Local. Copies the next records, `most` at most; if `alike`, only those that have the
 * same first word. */
int64_t merge_take(struct merge *m, void *to, int64_t most, bool alike);
const void *merge_record(struct merge *m);
void merge_end(struct merge *m);

/* Local. True if a record of this source comes before the split. */
bool merge_before(const struct extsort *s, const uint64_t first[2], const void *record,
                  int64_t source, const struct split *split);

/* ---- split.c --------------------------------------------------------------------- */

/* Local. Divides the runs, or the sections in memory, into s->parts. Returns 0 or
 * -ENOMEM. */
int split_make(struct extsort *s);
void split_free(struct extsort *s);

/* Local. Finds the chunks of run i in which the records between two splits begin and
 * end. */
void split_chunks(const struct extsort *s, int64_t i, const struct split *from,
                  const struct split *until, int64_t *begin, int64_t *end);

/* Local. Returns the first record of a section in memory, the source of this number,
 * that is not before the split. */
int64_t split_place(const struct extsort *s, int64_t source, const struct split *split);

/* ---- sections.c ------------------------------------------------------------------ */

/* Local, by a lane. Writes the section that the lane holds as a run. */
void sections_spill(struct extsort *s, int lane);

/* Local. Returns the i-th lane that holds records, in their order; NULL: there are
 * fewer. */
const struct lane *sections_held(const struct extsort *s, int64_t i);

static inline const void *sections_record(const struct extsort *s, const struct lane *l,
                                          int64_t i)
{
    int64_t place = s->how.order.sort ? i : l->entry[i].place;
    return l->records + place * s->how.order.bytes;
}

#endif
