#include "pfmload/store/packet_sorter.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "pfmload/store/spill.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MIN (256 * 1024) /* bytes the merge has of a run; memory permitting */
#define WRITE_MAX (2048 * 1024) /* that are on their way to a file */

/* What is sorted is this. */
struct entry {
    uint64_t key;
    int64_t place; /* in the room */
};

/* A run that is merged. */
struct source {
    struct run_stream *stream;
    const uint8_t *at, *end; /* read */
};

/* Runs of `length` bytes, the last one maybe shorter, one after another. */
struct runs {
    struct spill file;
    int64_t length;
};

struct packet_sorter {
    struct sorter_counts counts;
    struct spill_io io;
    int64_t bytes; /* of a packet */
    uint8_t *room,
        *writing;       /* all memory is from the room on; files are written through
                                the end of it */
    int64_t room_bytes; /* to be divided into windows */
    int64_t writing_bytes;
    struct entry *entry, *spare; /* within the room, too */
    int64_t capacity, held;
    int64_t given; /* of a sort in memory */
    struct runs runs;
    int64_t files;        /* made so far */
    int64_t window_least; /* bytes */
    struct source *source;
    int64_t sources;
    int64_t *heap, live; /* sources that have not ended, the least key's first */
    bool pending;        /* the least one was given, and is still there */
    char scratch[PATH_MAX - 32];
};

/* Of the memory, what is for writing and what at least for reading a run. */
static void packet_sorter_divide(struct packet_sorter *s, int64_t bytes)
{
    int64_t least = spill_memory_least(&s->io, s->bytes);
    int64_t window = bytes / 64 < WINDOW_MIN ? bytes / 64 : WINDOW_MIN;
    int64_t writing = bytes / 16 < WRITE_MAX ? bytes / 16 : WRITE_MAX;
    s->window_least = units_round_up(window < least ? least : window, BUF_ALIGN);
    s->writing_bytes = units_round_up(writing < least ? least : writing, BUF_ALIGN);
    s->room_bytes = (bytes - s->writing_bytes) / BUF_ALIGN * BUF_ALIGN;
}

int packet_sorter_open(struct packet_sorter **sorter, int64_t packet_bytes,
                       int64_t memory_bytes, const char *scratch,
                       const struct spill_io *io)
{
    struct packet_sorter *s = calloc(1, sizeof *s);
    void *room = NULL;
    *sorter = s;
    if (!s)
        return err_set(-ENOMEM, NULL, -1, "no memory to sort blocks in");
    if (strlen(scratch) >= sizeof s->scratch)
        return err_set(-EINVAL, scratch, -1, "the file's path is too long");
    memcpy(s->scratch, scratch, strlen(scratch) + 1);
    s->io = *io;
    s->bytes = packet_bytes;
    packet_sorter_divide(s, memory_bytes);
    int rc = buf_reserve(&room, memory_bytes, "the sorter of blocks");
    s->room = room;
    s->counts.memory_bytes = memory_bytes;
    s->capacity = s->room_bytes / (packet_bytes + 2 * (int64_t)sizeof(struct entry));
    s->writing = s->room + s->room_bytes;
    s->entry = (struct entry *)(void *)(s->room + s->capacity * packet_bytes);
    s->spare = s->entry + s->capacity;
    size_t sources = (size_t)(s->room_bytes / s->window_least);
    s->source = calloc(sources, sizeof *s->source);
    s->heap = calloc(sources, sizeof *s->heap);
    if (!rc && (!s->source || !s->heap))
        rc = err_set(-ENOMEM, NULL, -1, "no memory to merge blocks");
    return rc;
}

static void merge_end(struct packet_sorter *s)
{
    for (int64_t i = 0; i < s->sources; i++)
        run_stream_close(&s->source[i].stream);
    s->sources = 0;
}

void packet_sorter_close(struct packet_sorter **s)
{
    if (*s) {
        merge_end(*s);
        spill_close(&(*s)->runs.file);
        buf_free((*s)->room);
        free((*s)->source);
        free((*s)->heap);
    }
    free(*s);
    *s = NULL;
}

const struct sorter_counts *packet_sorter_counts(const struct packet_sorter *s)
{
    return &s->counts;
}

/* ---- in memory ------------------------------------------------------------------ */

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS };

/* One pass of a radix sort, from the lowest digits on; stable. */
static void deal(const struct entry *from, struct entry *to, int64_t n, int shift)
{
    int64_t start[BUCKETS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++)
        start[from[i].key >> shift & (BUCKETS - 1)]++;
    for (int b = 0; b < BUCKETS; b++) {
        int64_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[start[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

static void packet_sorter_sort(struct packet_sorter *s)
{
    uint64_t vary = 0;
    for (int64_t i = 0; i < s->held; i++) {
        memcpy(&s->entry[i].key, s->room + i * s->bytes, sizeof s->entry[i].key);
        s->entry[i].place = i;
        vary |= s->entry[i].key ^ s->entry[0].key;
    }
    for (int shift = 0; shift < 64 && vary >> shift; shift += DIGIT_BITS) {
        if (!(vary >> shift & (BUCKETS - 1)))
            continue;
        struct entry *sorted = s->spare;
        deal(s->entry, sorted, s->held, shift);
        s->spare = s->entry;
        s->entry = sorted;
    }
}

static const uint8_t *sorted_packet(const struct packet_sorter *s, int64_t i)
{
    return s->room + s->entry[i].place * s->bytes;
}

/* ---- runs ----------------------------------------------------------------------- */

static int runs_open(struct packet_sorter *s, struct runs *r, int64_t length)
{
    r->length = length;
    return spill_open(&r->file, &s->io, s->scratch, s->files++, s->writing,
                      s->writing_bytes);
}

static int runs_append(struct packet_sorter *s, struct runs *r, const uint8_t *packet)
{
    s->counts.spilled_bytes += s->bytes;
    return spill_append(&r->file, packet, s->bytes);
}

/* What is held becomes a run. */
static int spill(struct packet_sorter *s)
{
    struct runs *r = &s->runs;
    int rc = s->counts.runs ? 0 : runs_open(s, r, s->capacity * s->bytes);
    packet_sorter_sort(s);
    for (int64_t i = 0; i < s->held && !rc; i++)
        rc = runs_append(s, r, sorted_packet(s, i));
    s->held = 0;
    s->counts.runs++;
    return rc;
}

int packet_sorter_add(struct packet_sorter *s, const uint8_t *packets, int64_t n)
{
    int rc = 0;
    s->counts.soundings += n;
    while (n && !rc) {
        int64_t room = s->capacity - s->held, now = n < room ? n : room;
        memcpy(s->room + s->held * s->bytes, packets, (size_t)(now * s->bytes));
        s->held += now;
        packets += now * s->bytes;
        n -= now;
        rc = n ? spill(s) : 0; /* a room just filled may be the last */
    }
    return rc;
}

/* ---- merge ---------------------------------------------------------------------- */

static int packet_sorter_fill(struct packet_sorter *s, struct source *from)
{
    const void *packets;
    int64_t n;
    int rc = spill_next(&s->runs.file, from->stream, &packets, &n);
    from->at = packets;
    from->end = n ? from->at + n : from->at;
    return rc;
}

static bool packet_sorter_before(const struct packet_sorter *s, int64_t a, int64_t b)
{
    uint64_t x, y;
    memcpy(&x, s->source[a].at, sizeof x);
    memcpy(&y, s->source[b].at, sizeof y);
    return x != y ? x < y : a < b;
}

static void sift(struct packet_sorter *s, int64_t i)
{
    int64_t *heap = s->heap, moved = heap[i];
    for (int64_t child; (child = 2 * i + 1) < s->live; i = child) {
        child += child + 1 < s->live &&
                 packet_sorter_before(s, heap[child + 1], heap[child]);
        if (!packet_sorter_before(s, heap[child], moved))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* The next run, which begins at byte `from`. */
static int source_open(struct packet_sorter *s, int64_t from, uint8_t *window,
                       int64_t bytes)
{
    struct source *source = &s->source[s->sources];
    int64_t left = s->runs.file.bytes - from;
    int64_t n = left < s->runs.length ? left : s->runs.length;
    *source = (struct source){NULL, NULL, NULL};
    s->heap[s->sources] = s->sources;
    s->sources++;
    int rc =
        spill_read(&s->runs.file, &source->stream, from, n, s->bytes, window, bytes);
    return rc ? rc : packet_sorter_fill(s, source);
}

/* Starts to merge n runs from `first` on. */
static int merge_start(struct packet_sorter *s, int64_t first, int64_t n)
{
    int64_t window = s->room_bytes / n / BUF_ALIGN * BUF_ALIGN;
    int rc = 0;
    s->live = n;
    s->pending = false;
    for (int64_t i = 0; i < n && !rc; i++)
        rc = source_open(s, (first + i) * s->runs.length, s->room + i * window, window);
    for (int64_t i = n / 2; i-- > 0 && !rc;)
        sift(s, i);
    return rc;
}

/* Past the packet that was given. */
static int advance(struct packet_sorter *s)
{
    struct source *from = &s->source[s->heap[0]];
    int rc = 0;
    from->at += s->bytes;
    if (from->at == from->end)
        rc = packet_sorter_fill(s, from);
    if (from->at == from->end)
        s->heap[0] = s->heap[--s->live];
    if (s->live)
        sift(s, 0);
    return rc;
}

static int merge_next(struct packet_sorter *s, const uint8_t **packet)
{
    int rc = s->pending ? advance(s) : 0;
    s->pending = s->live > 0;
    *packet = s->pending && !rc ? s->source[s->heap[0]].at : NULL;
    return rc;
}

/* Merges each `together` runs into one, in a new file. */
static int merge_pass(struct packet_sorter *s, int64_t runs, int64_t together)
{
    struct runs longer;
    const uint8_t *packet;
    int rc = runs_open(s, &longer, s->runs.length * together);
    for (int64_t i = 0; i < runs && !rc; i += together) {
        rc = merge_start(s, i, runs - i < together ? runs - i : together);
        while (!rc && !(rc = merge_next(s, &packet)) && packet)
            rc = runs_append(s, &longer, packet);
        merge_end(s);
    }
    rc = rc ? rc : spill_end(&longer.file);
    spill_close(rc ? &longer.file : &s->runs.file);
    if (!rc)
        s->runs = longer;
    s->counts.passes += !rc;
    return rc;
}

/* ---- all of it ------------------------------------------------------------------ */

int packet_sorter_finish(struct packet_sorter *s)
{
    int64_t runs, fan_in = s->room_bytes / s->window_least;
    if (!s->counts.runs) {
        packet_sorter_sort(s);
        return 0;
    }
    int rc = s->held ? spill(s) : 0;
    rc = rc ? rc : spill_end(&s->runs.file);
    while (!rc && (runs = units_div_up(s->runs.file.bytes, s->runs.length)) > fan_in) {
        int64_t together = units_div_up(runs, fan_in);
        rc = merge_pass(s, runs, together < fan_in ? together : fan_in);
    }
    return rc ? rc : merge_start(s, 0, runs);
}

int packet_sorter_next(struct packet_sorter *s, const uint8_t **packet)
{
    if (s->counts.runs)
        return merge_next(s, packet);
    *packet = s->given < s->held ? sorted_packet(s, s->given++) : NULL;
    return 0;
}
