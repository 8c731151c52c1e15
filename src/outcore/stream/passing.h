/* Many files from readers to a consumer, after section 3.5 of the 2008 report: each
 * reader lane has files of its own and a ring of slots; the consumer takes the first
 * ring with data and stays with it until its file ends. There may be several consumers,
 * the rank's first lanes, each with its own readers. */
#ifndef OUTCORE_STREAM_PASSING_H
#define OUTCORE_STREAM_PASSING_H

#include "outcore/stream/names.h"
#include "outcore/stream/ring.h"
#include "outcore/stream/sink.h"
#include "run/lanes.h"

/* Rows of option tables: each reader's slots; `about` is the help text. */
/* clang-format off */
#define PASSING_SLOTS(s, about) \
    {.kind = OPT_INT, .name = "slots", .letter = 's', .value = &(s).slots, \
     .preset = "4", .arg = "S", .unit = "1", .min = 1, .max = RING_SLOTS_MAX, \
     .workload = true, .help = about}, \
    {.kind = OPT_BYTES, .name = "slot-size", .letter = 'b', .value = &(s).slot_bytes, \
     .preset = "64k", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30, \
     .workload = true, .help = "bytes per slot"}
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
