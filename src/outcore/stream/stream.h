/* What the options of outcore stream come to, and what its repetitions use. */
#ifndef OUTCORE_STREAM_STREAM_H
#define OUTCORE_STREAM_STREAM_H

#include "outcore/stream/large.h"
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
    bool compress;               /* and not `how` */
    struct sink *sink;           /* of each lane */
    struct sink found, expected; /* of all ranks */
    bool known;                  /* what is expected */
    int64_t gone, cut;           /* of the last pass, files that were so */
    int64_t compressed;          /* bytes, of all ranks */
    int64_t cpu_ns;              /* of this rank, in the last phase */
    int64_t copy_at;             /* in a lane's buffer: where its sink copies to */
};

/* Local. Whether the run makes its input; and how it writes files, with --write. */
static inline bool streaming_is_made(const struct streaming *s)
{
    return !s->set->input;
}
enum io_replace streaming_writes(const struct streaming *s);

/* Local. The input, or what is made. */
const char *streaming_path(const struct streaming *s);

/* **Collective.** The body of a repetition (struct stage); context: a struct
 * streaming. */
int streaming_repetition(struct run *r, void *context);

/* **Collective**, after a phase: its figures. */
void streaming_figures(struct run *r, struct streaming *s, const char *phase);

/* **Collective**, likewise: of reading alone, the sink alone, and both. */
void streaming_overlap_figure(struct run *r, double alone_s, double sink_s,
                              double both_s);

/* **Collective.** Puts them to work: all lanes' sinks, of that kind, begin anew; and
 * what they come to, of all ranks. */
void streaming_sinks_begin(struct run *r, struct streaming *s, const struct consume *c);
struct sink streaming_sinks_end(const struct run *r, const struct streaming *s);

#endif
