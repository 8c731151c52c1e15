/* Internals of the findings, for the files of this folder only. */
#ifndef IOTRACE_FINDINGS_INSIDE_H
#define IOTRACE_FINDINGS_INSIDE_H

#include "iotrace/findings/findings.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/unseen.h"

#define MIB ((int64_t)1 << 20)
#define CELLS_MAX (1 << 17) /* pairs of a rank and a file, at most */

/* ---- time ------------------------------------------------------------------- */

/* Kinds of time. Each nanosecond of a call of the program is in one of these: that of
 * the call itself, or of calls within it; the rest of MPI's and HDF5's calls is
 * library. */
enum kind {
    KIND_READ,
    KIND_WRITE,
    KIND_COPY,
    KIND_OPEN,
    KIND_CLOSE,
    KIND_SEEK,
    KIND_META,
    KIND_SYNC,
    KIND_LOCK,
    KIND_MAP,
    KIND_WAIT,
    KIND_LIBRARY,
    KIND_OTHER,
    KINDS
};
extern const char *const kind_name[KINDS];

/* The properties of a call. */
struct call {
    uint8_t kind;   /* kind of its own time */
    bool library;   /* a call of MPI or HDF5: the system does not see it */
    bool mpi;       /* a call of MPI-IO */
    bool hdf5_meta; /* makes or opens an object of HDF5 */
    bool hdf5;      /* any call of HDF5 */
    bool creates;   /* H5Dcreate */
    bool init;      /* MPI_Init, MPI_Finalize */
    bool opens;     /* makes a descriptor from a name */
    bool asks;      /* stat and similar calls */
    bool durable;   /* fsync and similar calls; not fflush */
    bool flushes;   /* fflush */
    bool renames, removes;
    bool uring;  /* io_uring: the end of a transfer is seen only when asked for */
    bool renews; /* discards what was written before: open, truncate, unlink */
    bool set_view, mpi_open, buffer; /* MPI_File_set_view, MPI_File_open, setvbuf */
    bool collective;                 /* every rank of the communicator calls it */
};

/* Local. Properties of operations (op_get). */
extern struct call call_table[OP_TABLE_MAX];
extern int calls_known;
void calls_learn(int op);
static inline const struct call *call_of(int op)
{
    if (op >= calls_known)
        calls_learn(op);
    return &call_table[op];
}

/* ---- evidence --------------------------------------------------------------- */

struct evidence {
    int64_t calls, bytes, ns;
    int64_t first_ns, last_ns;
    int64_t longest_ns;
    uint64_t seq[3]; /* numbers of events: the first, the longest, the last */
};

/* Local. Counts an event with its `bytes` and `ns`. */
static inline void evidence_count(struct evidence *v, const struct event *e,
                                  uint64_t seq, int64_t bytes, int64_t ns)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (v->calls++ == 0) {
        v->first_ns = e->start_ns;
        v->seq[0] = v->seq[1] = seq;
    }
    log_sum(&v->bytes, bytes);
    log_sum(&v->ns, ns);
    v->seq[2] = seq;
    if (end > v->last_ns)
        v->last_ns = end;
    if (e->duration_ns > v->longest_ns) {
        v->longest_ns = e->duration_ns;
        v->seq[1] = seq;
    }
}
void evidence_add(struct evidence *to, const struct evidence *from);

/* ---- extents ---------------------------------------------------------------- */

struct extents; /* disjoint ranges of a file, in order */

#define EXTENTS_MAX ((int64_t)4 << 20) /* in all files together */

/* Local. Adds [begin, end); returns how much of it was there already, or -1 if there is
 * no room for more: from then on nothing is known. */
int64_t extents_add(struct extents **x, int64_t begin, int64_t end);
void extents_remove(struct extents *x, int64_t begin, int64_t end);
void extents_free(struct extents **x);
bool extents_lost(const struct extents *x);

/* Local. Finds the next range, of a walk that begins with {0}; false after the last. */
struct extents_walk {
    int chunk, at;
};
bool extents_walk(const struct extents *x, struct extents_walk *w, int64_t *begin,
                  int64_t *end);
int64_t extents_count(const struct extents *x);
bool extents_meet(const struct extents *x, int64_t begin, int64_t end);

/* Calls of one name, of an actor and a file: those of which there can be too many. */
struct odd {
    uint16_t op;
    uint32_t next; /* next of the list + 1 */
    struct evidence v;
};

/* ---- cells: one rank and one file ------------------------------------------- */

enum order { ORDER_SEQUENTIAL, ORDER_STRIDED, ORDER_RANDOM, ORDERS };
#define JUMPS 4

struct order_state { /* order of a cell's transfers in one direction */
    int64_t at, end;
    int64_t jump[JUMPS]; /* the last distances, each once */
    uint8_t jumps, next;
    bool begun;
};

/* Transfers that the system saw, of one size: [2^power, 2^(power+1)) bytes. */
struct bin {
    struct evidence v;
    int64_t order[ORDERS];
    uint8_t power;
    bool collective;
};

struct side {                 /* reads or writes of a cell */
    struct evidence top;      /* calls of the program */
    struct evidence leaf;     /* calls that the system saw */
    struct evidence stdio;    /* stream calls smaller than the buffer */
    struct evidence again;    /* bytes read again, or overwritten before being read */
    struct evidence crossing; /* leaves that touch more blocks than necessary */
    struct evidence alone;    /* top calls that are not collective */
    struct evidence under;    /* leaves within MPI-IO's calls of this direction */
    struct evidence helping;  /* reads within MPI-IO's writes */
    struct evidence switched; /* leaves in a block that another client had */
    struct evidence together; /* collective calls of MPI-IO at any level */
    int64_t mpi_bytes;        /* bytes of MPI-IO's calls */
    int64_t touched, needed;  /* blocks */
    int64_t low, high;        /* range of leaves, without collective calls */
    int64_t set_ns;           /* `seen` holds since then */
    struct {                  /* range without another rank's opposite side ... */
        int64_t begin, end;
        uint32_t spread; /* ... as long as the file's `spread` is this */
    } clear;
    struct order_state order;
    struct extents *seen;
    struct bin *bin;
    int bins;
};

/* Counts that few cells have. */
enum rare {
    RARE_FAILED,  /* calls that failed for lack of space or by a device error */
    RARE_REFUSED, /* transfers that O_DIRECT refused */
    RARE_CUT,     /* writes that moved less than requested and were not continued */
    RARE_RACED,   /* writes to bytes that another rank was writing */
    RARE_STALE,   /* reads of bytes that another client may not have shown yet */
    RARE_RENAMED, /* renames of files that were not durable */
    RARE_CHANGE,  /* a descriptor's reads after writes, and writes after reads */
    RARE_META,    /* small leaves within HDF5's opens, closes and flushes */
    RARE_FILL,    /* large writes within H5Dcreate */
    RARES
};

struct rarities {
    struct evidence *v[RARES];
    int64_t error;                     /* error of the last call in RARE_FAILED */
    int64_t refused_at, refused_bytes; /* last transfer in RARE_REFUSED */
    struct { /* a short write that may still be continued; bytes 0: there is none */
        int64_t at, bytes, start_ns, duration_ns;
        uint64_t seq;
    } cut;
};

struct cell {
    uint32_t actor, file;
    uint32_t next; /* next cell of the file + 1; 0: none */
    bool has_view;
    bool appends, synced; /* its last open had O_APPEND; O_SYNC or O_DSYNC */
    bool wrote_last;      /* the last leaf was a write */
    bool recent;          /* its actor's list `recent` contains it */
    int32_t last_fd;      /* descriptor of the last leaf + 1; 0: there was none */
    int64_t buffer_bytes;
    int64_t ops; /* top calls of any kind */
    int64_t ns;  /* their time */
    int64_t stat_ns;
    int64_t flushes;
    uint32_t call_k; /* collective calls so far */
    int64_t skew_ns; /* skew of those that move bytes */
    /* If ranks are clients of their own: bytes that others cannot be sure to see, those
     * that became visible last and when, and the time since which this rank sees what
     * others have shown. */
    struct extents *hidden, *shown;
    int64_t shown_ns, fresh_ns;
    struct rarities *rarities;
    struct evidence open, close, stat, seek, sync, meta, lock;
    uint32_t odd; /* list of calls for unexplained.c */
    struct side *side[2];
};

/* ---- files, groups, actors -------------------------------------------------- */

struct file {
    uint32_t name, group; /* of names */
    uint32_t cells;       /* first cell + 1; 0: none */
    uint32_t sharers;     /* number of cells */
    uint8_t fold;
    bool facts, unwanted;
    char type[16];                   /* type of its file system; "": not known */
    int64_t block_bytes, lock_bytes; /* 0: none, or not known */
    /* ranks of the communicator that opened it; 0: not known; -1: several did */
    int32_t comm_ranks;
    int32_t stripes;    /* 0: not known */
    int64_t write_ns;   /* start of the last write */
    int64_t last_ns[2]; /* ends of all ranks' sides, at the top */
    uint32_t spread[2]; /* number of times that either side has become wider */
    bool moved, made;   /* a byte of it has moved; the first was written */
    bool removed;       /* removed since its last write */
    struct gathering *gathering;
    struct race *race;
    /* fits of its type's reads and writes; NULL: not looked up yet */
    struct fit *fit[2];
};

struct group {
    uint32_t key;   /* its name with # for digits */
    uint32_t shown; /* the name of one of its files */
    uint32_t files;
    uint64_t differs; /* runs of digits in the name that differ */
    uint32_t sample[4];
};

#define RECENT 8

struct pace { /* bursts of transfers and the gaps between them; see transfer.c */
    int64_t burst_ns;
    uint32_t gap;      /* number of the run's gap before it */
    int64_t hidden_ns; /* transfers that the gaps could have hidden */
    int64_t gaps;
    struct evidence v;      /* transfers */
    struct evidence submit; /* submissions of asynchronous transfers */
    int64_t blocked;        /* submissions of these that took long */
    int64_t wait_ns, span_ns, ended;
    int64_t under_way, most_under_way;
    uint32_t file; /* file of the first submission + 1 */
    bool files;    /* others submitted to other files, too */
    bool uring;
    bool threads; /* other threads than the first move bytes */
};

struct actor { /* a rank; or a process, if there are no ranks */
    int32_t rank, pid;
    char host[64], program[64], app[256], argv[512];
    int64_t begin_ns, end_ns;  /* end of MPI_Init, begin of MPI_Finalize */
    int64_t first_ns, last_ns; /* first and last time of its events, or by its log */
    int64_t kind_ns[KINDS];
    int64_t calls, bytes[2];
    int64_t io_ns, covered_ns;        /* time with at least one thread in a call */
    uint32_t odd;                     /* list of calls about no file */
    struct evidence missed;           /* calls that found no such file */
    int64_t phase_ns, phase_bytes[2]; /* sums of the current phase */
    struct evidence phase_v;
    int64_t waited_ns;                   /* wait for a core; -1: not known */
    int cores;                           /* cores that it may use; 0: not known */
    char cpus[TRACE_CPUS_TEXT];          /* list of these cores; "": not known */
    struct evidence late, slow, unequal; /* see moments.c */
    double late_gain_ns, slow_gain_ns, unequal_gain_ns;
    int64_t *late_gap; /* histogram of its delays in ns, when it came last */
    uint32_t late_file;
    struct pace pace;
    uint32_t recent[RECENT]; /* cells written recently, + 1 */
    int recent_next;
    int64_t sync_ns; /* last time when all files were made durable */
    uint32_t client; /* number of the first actor of its host */
    bool alone;      /* moves nearly all bytes, so imbalance is no news */
    bool scope;
    /* the first of its host, and the host has an actor in scope */
    bool host_counts;
};

/* Local. actor_thread_ns returns the sum of the times of an actor's threads in calls,
 * and actor_at_once how many of them are in a call at once, on average over the time in
 * which any is: 1 or more. A sum divided by that is time of the actor, which never
 * exceeds the time of the run. */
double actor_thread_ns(const struct actor *a);
double actor_at_once(const struct actor *a);

struct folded {
    int64_t calls, bytes, ns;
    uint32_t files;
    int64_t *by_actor; /* ns */
};

struct fit { /* fit of one file system and direction: the size that is small there */
    char type[16];
    bool write, fits;
    double startup_ns, ns_per_byte;
    int64_t small_bytes;
    int64_t calls[48], bytes[48], ns[48];
    int64_t *hist[48]; /* histograms of nanoseconds, by size */
};
#define FITS_MAX 16

/* ---- findings --------------------------------------------------------------- */

#define NO_GROUP UINT32_MAX

#define FINDING(name, ...) ID_##name,
#define LIMIT(...)
enum id {
#include "iotrace/findings/table.def"
    IDS
};
#undef FINDING
#undef LIMIT

#define FINDING(...)
#define LIMIT(finding, limit, ...) finding##_##limit,
enum limit_id {
#include "iotrace/findings/table.def"
    LIMITS
};
#undef FINDING
#undef LIMIT

/* The groups of files over which a judge goes, or the run. */
enum {
    READS = 1,  /* each group's reads */
    WRITES = 2, /* each group's writes */
    ONCE = 4,   /* each group, in no direction */
    RUN = 8     /* the run as a whole */
};

/* Facts without which a finding is not judged. */
enum {
    NEEDS_LOCKS = 1,    /* the unit of locks */
    NEEDS_PLACES = 2,   /* file systems */
    NEEDS_HDF5 = 4,     /* calls of HDF5 */
    NEEDS_OPENERS = 8,  /* ranks that opened a file together */
    NEEDS_EXTENTS = 16, /* which bytes a rank has moved */
    NEEDS_CORES = 32,   /* a core for each rank */
    NEEDS_WHOLE = 64,   /* all ranks and files */
    NEEDS_COUNTS = 128, /* the kernel's counts of bytes */
    NEEDS_WAITS = 256   /* a core for each rank, or how long each waited for one */
};

/* Findings of one domain are about the same events. */
enum domain {
    MOVES,
    OPENS,
    STATS,
    SEEKING,
    SYNCS,
    RANKS,
    AGAIN,
    LIBRARY,
    PACE,
    HDF5,
    REST
};

struct slice { /* cells that are judged, by actor: of one group, or of the run */
    struct findings *f;
    const uint32_t *cell;
    int n;
    uint32_t group; /* NO_GROUP: the run */
    int write;      /* direction; -1: none */
    enum id id;     /* the finding that is looked for */
};
typedef void judge_fn(const struct slice *s);

struct finding_kind { /* a row of table.def */
    const char *id, *title, *condition, *remedy;
    const char *remedy_of_reads; /* NULL: the same */
    judge_fn *judge;
    unsigned over, needs;
    enum domain domain;
    enum severity cap; /* highest severity */
    bool risk;         /* to the contents of files: it has no severity */
    bool at_most;      /* the gain is not known: at most the time at stake */
    const char *time;  /* kind of its time; NULL: that of its direction */
};
extern const struct finding_kind finding_kind[IDS];

struct limit {
    enum id of;
    const char *name, *relation, *unit, *what;
    double value;
};
extern const struct limit finding_limit[LIMITS];

struct condition {
    char what[64];
    double value, limit;
    const char *relation, *unit;
};

struct member { /* a rank with the finding */
    uint32_t actor;
    struct evidence v;
    double gain_ns;
};

struct finding {
    enum id id;
    enum severity severity;
    uint32_t group; /* NO_GROUP: it is about no file */
    int direction;  /* 0 read, 1 write, -1 neither */
    bool gain_known;
    struct evidence v; /* sum over all members */
    double gain_ns;
    double most_ns; /* gain if the device limits operations; 0: gain_ns */
    int64_t extra_bytes;
    int64_t median_bytes;
    uint32_t worst; /* actor */
    double worst_gain_ns, share;
    struct condition condition[4];
    int conditions;
    struct member *member;
    int members, room;
    char sentence[256]; /* for people: facts that the other members lack */
    int after;          /* finding that comes first for the same events; -1: none */
    enum severity cap;
};

struct phase {
    int64_t first_ns, last_ns;
};
#define PHASES_MAX 1024

struct findings {
    struct findings_ask ask;
    struct run run;
    uint64_t events;
    struct unseen unseen;
    int logs;
    struct names names;
    struct file *file;
    uint32_t files, file_room;
    uint32_t *file_of_name; /* number of the file + 1 */
    uint32_t name_room;
    struct group *group;
    uint32_t groups, group_room;
    uint32_t *group_of_name;
    struct actor *actor;
    uint32_t actors, actor_room;
    struct cell *cell;
    uint32_t cells, cell_room;
    uint32_t *slot; /* number of the cell + 1, by hash of actor and file */
    uint32_t slots;
    bool ranks; /* some processes have a rank */
    int rank_count, hosts, processes;
    int cores;        /* cores of the host with fewest; 0: not known */
    int most_on_host; /* ranks on a host with fewer cores than ranks */
    bool short_of_cores, waited;
    int tables, profiles;
    int64_t begin_ns, wall_ns;
    struct folded fold[FOLDS];
    struct {
        int64_t calls, bytes;
    } kind_sum[KINDS];
    bool hdf5; /* there are calls of HDF5 */
    bool extents_lost;
    int64_t looks; /* looks at other ranks' cells */
    struct fit fit[FITS_MAX];
    int fits;
    struct blocks *blocks;
    bool clients; /* there are several clients: locks are judged */
    struct phase phase[PHASES_MAX];
    int phases;
    int64_t phase_end_ns;
    int64_t guess_ns; /* estimate of wall_ns, before the pass */
    int64_t collective_calls, skew_ns;
    struct odd *odd;
    int64_t odds, odd_room;
    uint32_t gaps;           /* gaps of all ranks together */
    int64_t gap_ns;          /* length of the last gap */
    int64_t pace_end_ns;     /* end of the calls so far */
    uint32_t races;          /* files whose writes in flight are followed */
    int64_t strangers;       /* collective calls whose communicator is not known */
    struct finding *finding; /* the findings; the risks follow the last one */
    int found, risks, finding_room;
    bool not_asked[IDS];
    const char *why_not[IDS]; /* reason for not judging it */
    char why_cores[64];
    double io_ns, covered_ns;
    struct {
        char *log, *text;
    } * note;
    int notes;
    int memory; /* -ENOMEM once memory has run out */
};

/* All of these are Local. Each is in the file named above it. */

/* files.c */
int file_add(struct findings *f, const char *name, uint32_t *file);
const char *group_name(const struct findings *f, uint32_t group, char *out,
                       size_t room);

/* cells.c */
struct cell *cell_get(struct findings *f, uint32_t actor, uint32_t file);
struct side *cell_side(struct findings *f, struct cell *c, int write);
struct bin *side_bin(struct findings *f, struct side *s, int64_t bytes,
                     bool collective);
enum order order_next(struct order_state *o, int64_t offset, int64_t bytes);
int64_t bins_median(const struct side *const *side, int n);
void cells_free(struct findings *f);

/* files.c: facts */
void actor_facts(struct actor *a, const struct log_process *p);
void file_facts(struct findings *f, uint32_t file, const struct log *l, uint32_t id);

/* gather.c */
int gather(struct findings *f);

/* transfer.c: counts transfers */
struct within {                 /* the calls that enclose an event */
    bool mpi_read, mpi_write;   /* a read or write of MPI-IO */
    bool collective, hdf5_meta; /* a call with that property */
    bool creates;               /* H5Dcreate */
    bool failed;                /* a counted call that failed */
    bool told;                  /* a call that tells its place */
};
struct context { /* an event and what it concerns */
    struct findings *f;
    const struct event *e;
    uint64_t seq;
    struct cell *cell;
    struct actor *actor;
    bool top, told;
    struct within in;
};
void transfer_count(const struct context *c);
struct evidence *cell_rare(const struct context *c, enum rare kind);

/* judge/unexplained.c: counts a call of the program in the list of its cell; NULL: it
 * is about no file, and in the actor's */
void odd_count(struct findings *f, struct actor *a, struct cell *c,
               const struct event *e, uint64_t seq);

/* risks.c: risks for the contents of files */
bool risk_is_failure(const struct event *e, const struct call *call);
void risk_call(const struct context *c, const struct call *call);
void risk_leaf(const struct context *c, int write);
void risk_known(const struct context *c, int write);
void risks_end(struct findings *f);
void risks_free(struct findings *f);

/* transfer.c: transfers that overlap, and those that could */
void pace_event(struct findings *f, struct actor *a, const struct event *e,
                uint64_t seq, const struct call *call, bool top, uint32_t file);

/* moments.c: the fit */
void fit_count(struct findings *f, struct file *x, int write, const struct event *e);
void fit_all(struct findings *f);
const struct fit *fit_of(const struct findings *f, const struct file *x, int write);
bool is_remote(const char *type);

/* cells.c: blocks */
uint32_t client_of(const struct findings *f, uint32_t actor);
bool blocks_touch(const struct context *c, int64_t lock_bytes);
void blocks_free(struct findings *f);
double blocks_excess(const struct findings *f, const struct evidence *switched);
double blocks_share(const struct findings *f, uint32_t file);

/* moments.c: phases, and ranks that are late */
void moments_event(const struct context *c, const struct call *call);
void moments_collective(const struct context *c);
void moments_end(struct findings *f);
void moments_free(struct findings *f);

/* table.c: the limits of findings. finding_words prints `text` with the finding's
 * limits for {LIMIT}. */
double limit_of(enum limit_id id);
const char *finding_words(enum id id, const char *text, char *out, size_t room);

/* judge.c: makes findings from the counts */
int findings_judge(struct findings *f);
/* Findings that need this fact are not judged. */
void findings_need(struct findings *f, unsigned fact, const char *why);
struct finding *finding_begin(const struct slice *s);
void finding_add(struct findings *f, uint32_t actor, const struct evidence *v,
                 double gain_ns);
/* Returns the condition, whose limit or words the judge may replace. */
struct condition *finding_condition(struct findings *f, enum limit_id limit,
                                    double value);
void finding_say(struct findings *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_end(struct findings *f);
void finding_drop(struct findings *f); /* discards the finding that was begun */
/* Finds the next actor's cells of a slice, from *at on. Returns their number; 0: there
 * are no more. */
int slice_next(const struct slice *s, int *at, uint32_t *actor);
struct side *slice_side(const struct slice *s, int i, int write);
struct evidence slice_rare(const struct slice *s, int i, enum rare kind);
/* Begins a finding about the ranks that have at least `least` calls of a rare kind, of
 * whose time `share` could be saved; *all is the number of ranks with the file. NULL:
 * there is none. */
struct finding *slice_rare_ranks(const struct slice *s, enum rare kind, double least,
                                 double share, int *all);
struct evidence side_collective(const struct side *s);
uint32_t main_group(const struct findings *f, uint32_t actor, int write);
int scope_actors(const struct findings *f);

/* judge/: each looks for a finding. */
#define FINDING(name, judge, ...) judge_fn judge;
#define LIMIT(...)
#include "iotrace/findings/table.def"
#undef FINDING
#undef LIMIT

/* show/sums.c: text such as "0-3,7" */
void findings_which(const struct findings *f, bool found[IDS]);
const char *ranks_text(const struct findings *f, const struct finding *x, char *out,
                       size_t room);
/* show/text.c */
const char *verdict_text(const struct findings *f, char *out, size_t room);
const char *severity_name(enum severity s);
const char *finding_remedy(const struct finding *x);
const char *ranks_of_group(const struct findings *f, uint32_t group, char *out,
                           size_t room, int *count);

/* show/sums.c: rows of the tables of files */
struct group_sum {
    uint32_t group;
    int64_t ns; /* time of all calls of the program */
    struct evidence asked[2], done[2], meta;
    int64_t opens, stats, seeks, syncs;
};
/* Returns the groups in scope by time, allocated. NULL: no memory. */
struct group_sum *group_sums(const struct findings *f, uint32_t *n);

#endif
