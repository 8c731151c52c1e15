/* Many files from readers to a consumer, after section 3.5 of the 2008 report: each
 * reader lane has files of its own and a ring of slots; the consumer takes the first
 * ring with data and stays with it until its file ends. There may be several consumers,
 * the rank's first lanes, each with readers of its own. */
#ifndef OUTCORE_STREAM_PASSING_H
#define OUTCORE_STREAM_PASSING_H

#include "outcore/stream/names.h"
#include "outcore/stream/ring.h"
#include "outcore/stream/sink.h"
#include "run/lanes.h"

/* Rows of option tables: the slots of each reader, with what is said of them. */
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
    _Alignas(64) struct bell data; /* rung for its rings */
    int64_t wait_ns;
};

struct passing {      /* of a rank */
    const char *path; /* of the folder */
    const struct names *names;
    int consumers; /* lanes 0 .. consumers - 1 */
    int readers;   /* of each consumer; those of the first one come first, after all
                    * consumers: passing_lanes() in all */
    int64_t slot_bytes;
    bool chains;  /* of open, read and close in the kernel, a slot each */
    bool at_once; /* who waits sleeps, as lanes are more than cores, or slots many */
    bool by_path; /* each is opened by its path, and not in the open folder */
    bool looks;   /* stat before open */
    bool cyclic;  /* readers take files in turn, and not a range each */
    bool skip;    /* files that are gone are counted, and not read */
    bool round_robin;  /* the ring after the one that was taken last; else the lowest */
    struct ring *ring; /* of each reader */
    struct consumer *consumer;
    struct sink *sink;      /* of each consumer */
    atomic_bool stop;       /* a reader has failed */
    atomic_llong gone, cut; /* files that were gone, or ended early */
    atomic_llong resident;  /* bytes that the page cache had of these files */
    int64_t sink_wait_ns, reader_wait_ns; /* of all consumers, of all readers */
};

static inline int passing_lanes(const struct passing *p)
{
    return p->consumers * (1 + p->readers);
}

/* Local. Rings of `slots` for all readers, in the buffers of their lanes (slots x
 * slot_bytes). 0 or -ENOMEM with a sentence. */
int passing_open(struct passing *p, struct run *r, int slots);
void passing_close(struct passing *p);

/* Local, on the rank's thread, in a phase: all of its files. A file ends with its name
 * at the sink. A failure is kept. */
void passing_run(struct passing *p, struct run *r);

/* Local, on the rank's thread, in a phase: the same files one after another, lane by
 * lane a share, with nothing between reading and the sink. */
void passing_plain(struct passing *p, struct run *r, struct sink *lane);

/* Local, likewise. Drops what the page cache has of these files, or, where that is not
 * the policy, counts it where they are not too many. */
void passing_drop(struct passing *p, struct run *r);

#endif
