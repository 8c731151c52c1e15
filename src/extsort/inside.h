/* What the sources of the sorter share. */
#ifndef EXTSORT_INSIDE_H
#define EXTSORT_INSIDE_H

#include "extsort/extsort.h"
#include "run/lanes.h"
#include "run/stream.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SAMPLE_WORDS = 16, /* of a key, at most, that are kept of a chunk's first record */
    SAMPLE = 1 + SAMPLE_WORDS
};

/* ---- memory ---------------------------------------------------------------------- */

/* Of the memory: first what runs are written through; then, while records come, a room
 * for them and one for their index, and later, for the merge, windows to the runs. */
struct division {
    int64_t memory;   /* all of it */
    int64_t each;     /* of a lane that sorts */
    int64_t writing;  /* of that, for writing */
    int64_t capacity; /* records of a section */
    int64_t group;    /* records, as many as are written at once */
    int64_t chunk;    /* records that are checked together */
    int64_t merging;  /* of a lane that merges */
    int64_t window;   /* of it, the least for a run */
    int64_t fan_in;   /* runs that it merges at once */
    int64_t result;   /* of it, for extsort_group */
    int slots;        /* of a stream */
};

/* Of one that merges: its tables, which are allocated apart. */
int64_t division_tables(const struct division *d, int lanes);

/* What runs of so many records need; -1: not known. 0 or -EINVAL with a sentence. */
int division_make(struct division *d, const struct run *r,
                  const struct extsort_how *how, int64_t records);

/* Sections of the same size, as many as there are lanes, or several times as many. */
int64_t division_section(const struct division *d, const struct extsort_how *how,
                         int64_t records);

/* A file of runs as run streams want to know it, not open. */
void division_file(struct run_file *f, struct run *r, const struct extsort_how *how,
                   const char *path);

/* How a stream of such a file is. */
struct run_stream_how division_stream(const struct division *d,
                                      const struct run_file *f, enum io_op op,
                                      int64_t record, void *memory, int64_t bytes);

/* Local. What a lane has for each of so many runs. */
int64_t division_window(const struct division *d, const struct extsort_how *how,
                        int64_t runs);

/* Runs of which each pass makes one; 0: they can be merged at once. */
int64_t division_together(const struct division *d, int64_t runs);

/* ---- runs ------------------------------------------------------------------------ */

struct sorted_run {
    int64_t number; /* in the order of the records */
    int64_t at;     /* in the file */
    int64_t records;
    uint64_t *sample; /* of each chunk: its checksum, then its first key's words */
};

struct runs_file {
    struct run_file *file; /* of each lane; NULL: no file */
    int64_t stride;        /* from where one run begins to the next one's begin */
    int fd;                /* to drop its pages by, as it has no name; 0: none */
    bool settled;          /* nothing was written since runs_settle */
    struct sorted_run *run;
    int64_t n, room; /* of `run` */
};

/* ---- groups.c -------------------------------------------------------------------- */

/* Records in memory by their groups. */
struct groups {
    const char *records; /* as they came */
    int64_t n, bytes;    /* of one */
    int64_t least;       /* group */
    int shift;
    int64_t buckets;
    uint32_t *place, *end; /* of all records, by buckets; where in it each one ends */
    char *gathered;        /* the records of one bucket, sorted */
    const char *at, *gathered_end;
    int64_t bucket, taken; /* the next one, and records of those before it */
};

/* Local. Sorts the places of n records, which are at the begin of `room` bytes, into
 * what is left of them. Returns false where that is too little. */
bool groups_make(struct groups *g, const struct sort_order *o, const char *records,
                 int64_t n, int64_t room);

/* Local. As extsort_group. */
const void *groups_next(struct groups *g, const struct sort_order *o, int64_t *n);

/* ---- merge ----------------------------------------------------------------------- */

/* What is merged: a run, or a section in memory. */
struct source {
    const char *at; /* the first record; NULL: it has ended */
    const char *end;
    const struct sort_entry *entry, *entry_end; /* in memory, sorted by an index */
    const char *records;
    struct run_stream *stream;
    const struct sorted_run *run;
    struct stamp_hashing hashing;
    int64_t chunk,
        chunk_bytes; /* that is being read, and what is still to come of it */
};

/* A source's first key, kept where the merge compares. */
struct node {
    uint64_t word[2];
    int64_t source; /* -1: none yet */
};

/* Where a part begins: with a record of this key, and of several at this place. */
struct split {
    const uint64_t *word;
    int64_t source, place;
};

struct merge {
    const struct extsort *s;
    struct run *r;
    struct source *source;
    struct node *tree; /* of losers; the winner is tree[0] */
    int64_t sources;
    const struct split *until;
    struct node rival; /* of the winner, the best of all others; source -1: not known */
    bool given;        /* the winner is with the caller */
    bool running;      /* there are streams to be closed */
    char *result;      /* for extsort_group */
    int64_t result_records;
};

/* ---- the sorter ------------------------------------------------------------------ */

struct lane {
    struct run *r;
    char *memory; /* while it sorts */
    char *room;
    struct sort_entry *entry;
    const char *records; /* in the room */
    int64_t n, number;   /* of them; and of the section */
    bool held;           /* they are sorted, and not written */
    bool grouped;        /* they are not: `groups` says where they are */
    struct groups groups;
    int64_t came, read_bytes, write_bytes;
    struct merge merge;
};

struct extsort {
    struct run *r;
    struct extsort_how how;
    struct division d;
    char scratch[PATH_MAX - 32]; /* a number follows it */
    char *memory;
    struct lane *lane;
    /* What comes: */
    int64_t records, section; /* in all, -1: not known; and in a section */
    bool spills;              /* it is known that not all fits */
    _Atomic int64_t taken;    /* sections */
    struct extsort_section adding;
    int64_t added; /* to it; -1: there is none */
    /* Runs: */
    pthread_mutex_t lock; /* of the table, while lanes write runs */
    struct runs_file runs;
    int64_t files, came_runs, passes;
    /* The result: */
    struct split *split; /* parts - 1 */
    int parts;
    uint64_t *sample; /* of a sort in memory */
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

/* Local. What is merged: all runs, or all sections that are held in memory. */
int64_t extsort_sources(const struct extsort *s);

/* Local. The lane that a body is run on. */
static inline int extsort_lane_of(const struct extsort *s, const struct run *r)
{
    return s->how.lanes > 1 ? r->lane : 0;
}

/* Local. Of a short record the call would take longer than the copy. */
static inline void extsort_copy(char *to, const char *from, int64_t bytes)
{
    if (bytes != 32) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    memcpy(to, from, 32);
}

/* ---- files.c --------------------------------------------------------------------- */

/* Local, on the rank's thread. A new file, which all lanes open. Returns r->failed. */
int runs_open(struct extsort *s, struct runs_file *f, int64_t stride);
void runs_close(struct extsort *s, struct runs_file *f);

/* Local, on the rank's thread. What extsort_how.settle asks for. Returns r->failed. */
int runs_settle(struct extsort *s, struct runs_file *f);

/* The next n records of a run go to `to`. */
typedef void extsort_fill(void *context, void *to, int64_t n);

/* Local, by a lane. Writes a run to its place, through the memory; a table entry is
 * made. A failure is kept. */
void runs_write(struct extsort *s, int lane, struct runs_file *f, int64_t number,
                int64_t records, void *memory, extsort_fill *fill, void *context);

/* Local, by a lane. Opens a stream of chunks [from, to) of a run. */
int runs_read(struct extsort *s, int lane, struct source *x, int64_t from, int64_t to,
              void *memory, int64_t bytes);

/* Local. The next records of it, checked; x->at becomes NULL at its end. */
void runs_next(const struct merge *m, struct source *x);

/* ---- merge.c --------------------------------------------------------------------- */

/* Local, by a lane. Starts to merge n runs from `first` on, or what is in memory,
 * between two places (NULL: from the begin, to the end); *place: how many records are
 * before them. Returns the lane's r->failed. */
int merge_start(struct extsort *s, int lane, int64_t first, int64_t n,
                const struct split *from, const struct split *until, int64_t *place);

/* Local. Copies the next records, `most` at most; and if `alike`, only those whose
 * first words are the same. */
int64_t merge_take(struct merge *m, void *to, int64_t most, bool alike);
const void *merge_record(struct merge *m);
void merge_end(struct merge *m);

/* Local. Whether a record comes before the split, if it is of this source. */
bool merge_before(const struct extsort *s, const uint64_t first[2], const void *record,
                  int64_t source, const struct split *split);

/* ---- split.c --------------------------------------------------------------------- */

/* Local. Divides what is in runs, or in memory, into s->parts. 0 or -ENOMEM. */
int split_make(struct extsort *s);
void split_free(struct extsort *s);

/* Local. The chunks of run i in which what is between two splits begins and ends. */
void split_chunks(const struct extsort *s, int64_t i, const struct split *from,
                  const struct split *until, int64_t *begin, int64_t *end);

/* Local. Of a section in memory, the source of this number, the first record that is
 * not before the split. */
int64_t split_place(const struct extsort *s, int64_t source, const struct split *split);

/* ---- sections.c ------------------------------------------------------------------ */

/* Local, by a lane. What it holds becomes a run. */
void sections_spill(struct extsort *s, int lane);

/* Local. The i-th lane that holds records, in their order; NULL: there are less. */
const struct lane *sections_held(const struct extsort *s, int64_t i);

static inline const void *sections_record(const struct extsort *s, const struct lane *l,
                                          int64_t i)
{
    int64_t place = s->how.order.sort ? i : l->entry[i].place;
    return l->records + place * s->how.order.bytes;
}

#endif
