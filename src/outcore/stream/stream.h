/* Parsed options of outcore stream, and the state that its repetitions share. */
#ifndef OUTCORE_STREAM_STREAM_H
#define OUTCORE_STREAM_STREAM_H

#include "outcore/stream/many.h"

struct streaming_settings {
    struct run_options run;
    const char *input, *list, *mode, *sink, *pick, *open, *order, *deal, *vanished;
    const char *write, *fsync;
    int64_t bytes, files, size, readers, slots, slot_bytes;
    bool overlap, direct_compare, deep, stat;
};

enum streaming_work { STREAMING_FILE, STREAMING_FILES, STREAMING_WRITE };

struct streaming {
    const struct streaming_settings *set;
    enum streaming_work work;
    struct large large;
    struct many many;
    struct consume how;
    bool compress;               /* instead of `how` */
    struct sink *sink;           /* one per lane */
    struct sink found, expected; /* sums over all ranks */
    bool known;                  /* `expected` is valid */
    int64_t gone, cut;           /* files of the last pass that had vanished, or
                                  * ended early */
    int64_t compressed;          /* bytes, of all ranks */
    int64_t cpu_ns;              /* of this rank, in the last phase */
    int64_t copy_at;             /* offset in a lane's buffer to which its
                                  * sink copies */
};

/* Local. True if the run generates its input. streaming_writes() parses --write. */
static inline bool streaming_is_made(const struct streaming *s)
{
    return !s->set->input;
}
enum io_replace streaming_writes(const struct streaming *s);

/* Local. Returns the path of the input, given or generated. */
const char *streaming_path(const struct streaming *s);

/* **Collective.** The body of a repetition (struct stage); context: a struct
 * streaming. */
int streaming_repetition(struct run *r, void *context);

/* **Collective**, after a phase: reports its figures. */
void streaming_figures(struct run *r, struct streaming *s, const char *phase);

/* **Collective**, likewise: reports the overlap, from the times of reading alone, of
 * the sink alone, and of both. */
void streaming_overlap_figure(struct run *r, double alone_s, double sink_s,
                              double both_s);

/* **Collective.** streaming_sinks_begin() resets all lanes' sinks, of that kind;
 * streaming_sinks_end() returns their sums over all ranks. */
void streaming_sinks_begin(struct run *r, struct streaming *s, const struct consume *c);
struct sink streaming_sinks_end(const struct run *r, const struct streaming *s);

#endif
