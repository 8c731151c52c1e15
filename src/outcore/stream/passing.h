/* Many files from readers to a consumer, after section 3.5 of the 2008 report: each
 * reader lane has files of its own and a ring of slots; the consumer takes the first
 * ring with data and stays with it until its file ends. There may be several consumers,
 * the rank's first lanes, each with its own readers. */
#ifndef OUTCORE_STREAM_PASSING_H
#define OUTCORE_STREAM_PASSING_H

#include "outcore/stream/sink.h"
#include "run/lanes.h"
#include "run/run.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* ---- names ----------------------------------------------------------------------- */

/* Names of files in a folder, in the order in which they are to be read. No MPI,
 * no files. */

enum names_order { NAMES_BY_NAME, NAMES_BY_INODE, NAMES_SHUFFLED };

/* Local. Parses an option's word: "name", "inode" or "shuffle". */
enum names_order names_order_of(const char *word);

struct name {
    int64_t at; /* offset in the text */
    uint64_t inode;
};

struct names { /* all zeros: none */
    int64_t n, most;
    struct name *is;
    char *text; /* each terminated by a zero byte */
    int64_t used, room;
};

/* Local. Adds a name. 0, or -ENOMEM with a sentence. Memory doubles when it is full. */
int names_add(struct names *s, const char *name, uint64_t inode);

/* Local. Returns which of n ranks reads that name: the same on every rank. */
int names_deal(const char *name, int n);

/* Local. Sorts them. The result depends on the names only and not on the order in which
 * they were added (equal inodes are sorted by name). key: of the shuffle. -ENOMEM with
 * a sentence. */
int names_sort(struct names *s, enum names_order order, uint64_t key);

static inline const char *names_at(const struct names *s, int64_t i)
{
    return s->text + s->is[i].at;
}

/* Local. Frees them; all zeros again. */
void names_free(struct names *s);

/* ---- rings ----------------------------------------------------------------------- */

/* A ring of slots between a reader and its consumer: one lane fills them, the other
 * empties them, in order. Slots are handed over without a lock; only a lane that waits
 * for longer sleeps on a bell, until the other lane rings it. */

#define RING_SLOTS_MAX 64
#define RING_BATCH 16 /* slots: half of them are worth a thread switch */

struct slot { /* a cache line, as one is filled while its neighbour is emptied */
    _Alignas(64) char *data;
    int64_t name;  /* number of its file's name; -1: there is no file, and no byte */
    int64_t bytes; /* size of this part */
    bool last;     /* the last part of its file */
};

struct bell { /* wakes one lane */
    atomic_bool awaited;
    pthread_mutex_t lock;
    pthread_cond_t rung;
    int64_t nap_ns; /* longest sleep */
};

struct ring {
    int slots;
    bool at_once; /* a waiting lane sleeps without spinning first */
    struct slot slot[RING_SLOTS_MAX];
    struct bell room;                 /* the reader waits on it */
    struct bell *data;                /* the consumer waits on it, for all its rings */
    _Alignas(64) atomic_llong filled; /* written by the reader: slots handed over */
    int64_t taken_seen;               /* `taken` when it was last loaded */
    atomic_bool ended;                /* no more slots will be filled */
    _Alignas(64) atomic_llong taken;  /* written by the consumer */
    int64_t filled_seen;
};

/* Local. True if the condition that a lane waits for holds. */
typedef bool bell_ready(void *context);

/* Local. Initialises a bell for rings of so many slots, before any other call;
 * frees it. */
void bell_open(struct bell *b, int slots);
void bell_close(struct bell *b);

/* Local, by the lane that owns the bell: waits (ACT_IDLE) until ready() is true.
 * Another lane makes it true and then rings. */
void bell_await(struct bell *b, struct run *r, bool at_once, bell_ready *ready,
                void *context);

/* Local. Initialises an empty ring; frees it. */
void ring_open(struct ring *g, int slots, bool at_once, struct bell *data);
void ring_close(struct ring *g);

/* Local, while no lane uses the ring. Resets it. */
void ring_empty(struct ring *g);

/* Local, by the reader. Waits (ACT_IDLE) until slot number k, 0.. in turn, is free, and
 * returns it; ring_has_room() does not wait. */
struct slot *ring_room(struct ring *g, struct run *r, int64_t k);
bool ring_has_room(struct ring *g, int64_t k);

/* Local, by the reader. Hands over the next slot; ring_end() says that there are
 * no more. */
void ring_fill(struct ring *g);
void ring_end(struct ring *g);

/* Local, by the consumer. ring_next() returns the oldest filled slot, or NULL if there
 * is none now; ring_take() frees it. */
struct slot *ring_next(struct ring *g);
void ring_take(struct ring *g);

/* Local, by the consumer. True if the ring is empty and will stay empty. */
bool ring_is_over(struct ring *g);

/* Rows of option tables: each reader's slots; `about` is the help text. */
/* clang-format off */
#define PASSING_SLOTS(s, about) \
    {.kind = OPT_INT, .name = "slots", .letter = 's', .value = &(s).slots, \
     .preset = "4", .arg = "S", .unit = "1", .min = 1, .max = RING_SLOTS_MAX, \
     .workload = true, .help = about}, \
    {.kind = OPT_BYTES, .name = "slot-size", .letter = 'b', .value = &(s).slot_bytes, \
     .preset = "64k", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30, \
     .workload = true, .help = "bytes per slot", \
     .text = "Bytes per slot. Larger files come in parts."}
/* clang-format on */

struct consumer {
    _Alignas(64) struct bell data; /* rung when one of its rings has data */
    int64_t wait_ns;
};

struct passing {      /* one per rank */
    const char *path; /* path of the folder */
    const struct names *names;
    int consumers; /* lanes 0 .. consumers - 1 */
    int readers;   /* per consumer; passing_lanes() lanes in all: all consumers, then
                    * the readers of the first consumer, of the second, ... */
    int64_t slot_bytes;
    bool chains;  /* open, read and close are linked in the kernel, one chain
                   * per slot */
    bool at_once; /* a waiting lane sleeps at once, as there are more lanes than cores,
                   * or many slots */
    bool by_path; /* opens each file by its path and not relative to the open folder */
    bool looks;   /* calls stat before open */
    bool cyclic;  /* readers take files in turn, and not a range each */
    bool skip;    /* vanished files are counted instead of being errors */
    bool round_robin;  /* takes the ring after the one taken last; else the lowest */
    struct ring *ring; /* one per reader */
    struct consumer *consumer;
    struct sink *sink;                    /* one per consumer */
    atomic_bool stop;                     /* a reader has failed */
    atomic_llong gone, cut;               /* files that had vanished, or ended early */
    atomic_llong resident;                /* bytes of these files in the page cache */
    int64_t sink_wait_ns, reader_wait_ns; /* sum over all consumers, over all readers */
};

static inline int passing_lanes(const struct passing *p)
{
    return p->consumers * (1 + p->readers);
}

/* Local. Makes rings of `slots` slots for all readers, in the buffers of their lanes
 * (slots x slot_bytes). 0 or -ENOMEM with a sentence. */
int passing_open(struct passing *p, struct run *r, int slots);
void passing_close(struct passing *p);

/* Local, on the rank's thread, in a phase: reads all files of the rank. At the end of a
 * file the sink gets its name. A failure is kept. */
void passing_run(struct passing *p, struct run *r);

/* Local, on the rank's thread, in a phase: reads the same files one after another, a
 * share per lane, without rings between reading and the sink. */
void passing_plain(struct passing *p, struct run *r, struct sink *lane);

/* Local, likewise. Drops these files' pages from the page cache; if the policy is not
 * to flush, counts them instead, unless there are too many files. */
void passing_drop(struct passing *p, struct run *r);

#endif
