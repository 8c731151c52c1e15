#include "pfmload/store/sorter.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "hydro/pfm.h"
#include "pfmload/store/batch.h"
#include "pfmload/store/spill.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define BYTES ((int64_t)sizeof(struct pfm_sounding))

/* Bytes that the merge has of a run at once. */
#define WINDOW_MIN (256 * 1024)  /* memory permitting */
#define WINDOW_MAX (4096 * 1024) /* more is not faster */
#define ALIGN 64                 /* of windows that direct I/O does not use */
#define WRITE_MAX (2048 * 1024)  /* that are on their way to a file */

/* A run that is merged. */
struct source {
    struct run_stream *stream;
    const struct pfm_sounding *at, *end; /* read; equal: the run has ended */
};

/* A source's first bin, kept where the merge compares. */
struct node {
    int64_t bin;
    int64_t source; /* -1: none yet */
};

/* Runs of `length` soundings, the last one maybe shorter, one after another. */
struct runs {
    struct spill file;
    int64_t length, soundings;
};

/* At the start of its own memory; `source`, `tree` and `room` are the rest. */
struct sorter {
    struct sorter_counts counts;
    struct spill_io io;
    void *writing; /* what a file is written through */
    int64_t writing_bytes;
    struct pfm_sounding *room; /* soundings to be sorted, later the windows */
    int64_t capacity, held;
    int64_t given; /* of a sort in memory */
    int64_t fan_in, sources;
    struct source *source;
    struct node *tree; /* of losers; the winner is tree[0] */
    struct pfm_sounding *out;
    int64_t out_capacity;
    int64_t files; /* made so far */
    struct runs runs;
    char scratch[PATH_MAX - 32]; /* a number follows it */
};

/* ---- files of runs -------------------------------------------------------------- */

static int runs_open(struct sorter *s, struct runs *r, int64_t length)
{
    *r = (struct runs){.length = length};
    return spill_open(&r->file, &s->io, s->scratch, s->files++, s->writing,
                      s->writing_bytes);
}

static int runs_append(struct sorter *s, struct runs *r,
                       const struct pfm_sounding *from, int64_t n)
{
    r->soundings += n;
    s->counts.spilled_bytes += n * BYTES;
    return spill_append(&r->file, from, n * BYTES);
}

static int64_t runs_count(const struct runs *r)
{
    return r->length ? units_div_up(r->soundings, r->length) : 0;
}

/* ---- merge ---------------------------------------------------------------------- */

static int source_fill(struct sorter *s, struct source *from)
{
    const void *records;
    int64_t n;
    int rc = spill_next(&s->runs.file, from->stream, &records, &n);
    from->at = records;
    from->end = n ? from->at + n / BYTES : from->at;
    return rc;
}

static bool wins(const struct sorter *s, const struct node *a, const struct node *b)
{
    const struct source *x = &s->source[a->source], *y = &s->source[b->source];
    if (a->bin != b->bin)
        return a->bin < b->bin;
    return x->at < x->end && (y->at == y->end || batch_before(x->at, y->at));
}

/* Source i's first sounding plays all matches up to the root: losers stay (D. Knuth,
 * The Art of Computer Programming, volume 3, 5.4.1). */
static void play(struct sorter *s, int64_t i)
{
    const struct source *from = &s->source[i];
    struct node node = {from->at < from->end ? from->at->bin : INT64_MAX, i};
    for (int64_t t = (i + s->sources) / 2; t > 0; t /= 2) {
        struct node other = s->tree[t];
        if (other.source < 0) { /* its opponent is still to come */
            s->tree[t] = node;
            return;
        }
        if (wins(s, &other, &node)) {
            s->tree[t] = node;
            node = other;
        }
    }
    s->tree[0] = node;
}

static void merge_end(struct sorter *s)
{
    for (int64_t i = 0; i < s->sources; i++)
        run_stream_close(&s->source[i].stream);
    s->sources = 0;
}

/* The next run, `next` soundings from the first one on. */
static int source_open(struct sorter *s, int64_t next, void *window, int64_t bytes)
{
    struct source *from = &s->source[s->sources];
    int64_t left = s->runs.soundings - next;
    int64_t n = left < s->runs.length ? left : s->runs.length;
    *from = (struct source){NULL, NULL, NULL};
    s->tree[s->sources++].source = -1;
    int rc = spill_read(&s->runs.file, &from->stream, next * BYTES, n * BYTES, BYTES,
                        window, bytes);
    return rc ? rc : source_fill(s, from);
}

/* Starts to merge the `sources` runs from `first` on. They share the room; what they
 * do not need, and an eighth of the memory at least, is for the result. */
static int merge_start(struct sorter *s, int64_t first, int64_t sources)
{
    int64_t room = s->capacity * BYTES - s->counts.memory_bytes / 8;
    int64_t window = room / sources < WINDOW_MAX ? room / sources : WINDOW_MAX;
    window -= window % (s->io.run->io_flags & IO_DIRECT ? BUF_ALIGN : ALIGN);
    s->out = (struct pfm_sounding *)(void *)((char *)s->room + sources * window);
    s->out_capacity = (s->capacity * BYTES - sources * window) / BYTES;
    for (int64_t i = 0; i < sources; i++) {
        int rc = source_open(s, (first + i) * s->runs.length,
                             (char *)s->room + i * window, window);
        if (rc)
            return rc;
    }
    for (int64_t i = 0; i < sources; i++)
        play(s, i);
    return 0;
}

/* Fills `out` from its start with what comes next, as far as it goes; `one_bin`: but
 * not beyond a bin. */
static int merge_some(struct sorter *s, bool one_bin, int64_t *n)
{
    struct pfm_sounding *to = s->out, *full = s->out + s->out_capacity;
    int rc = 0;
    while (to < full && !rc) {
        int64_t i = s->tree[0].source;
        struct source *from = &s->source[i];
        if (from->at == from->end ||
            (one_bin && to > s->out && from->at->bin != s->out->bin))
            break;
        *to++ = *from->at++;
        rc = from->at == from->end ? source_fill(s, from) : 0;
        play(s, i);
    }
    *n = to - s->out;
    return rc;
}

/* Merges each `together` runs into one, in a new file. */
static int merge_pass(struct sorter *s, int64_t together)
{
    struct runs longer;
    int64_t runs = runs_count(&s->runs), n;
    int rc = runs_open(s, &longer, s->runs.length * together);
    for (int64_t i = 0; i < runs && !rc; i += together) {
        rc = merge_start(s, i, runs - i < together ? runs - i : together);
        do {
            rc = rc ? rc : merge_some(s, false, &n);
            rc = rc || !n ? rc : runs_append(s, &longer, s->out, n);
        } while (!rc && n);
        merge_end(s);
    }
    rc = rc ? rc : spill_end(&longer.file);
    spill_close(rc ? &longer.file : &s->runs.file);
    if (!rc)
        s->runs = longer;
    s->counts.passes += !rc;
    return rc;
}

/* ---- sorter --------------------------------------------------------------------- */

/* How many runs are merged at once, where each has the least window; and what is for
 * writing. */
static int sorter_divide(struct sorter *s, int64_t bytes)
{
    int64_t least = spill_memory_least(&s->io, BYTES);
    int64_t window = bytes / 16 < WINDOW_MIN ? bytes / 16 : WINDOW_MIN;
    int64_t writing = bytes / 16 < WRITE_MAX ? bytes / 16 : WRITE_MAX;
    int64_t each = (int64_t)(sizeof *s->source + sizeof *s->tree);
    window = window < least ? least : window;
    s->writing_bytes = units_round_up(writing < least ? least : writing, BUF_ALIGN);
    bytes -= bytes / 8 + s->writing_bytes + (int64_t)sizeof *s + BUF_ALIGN;
    s->fan_in = bytes / (window + each);
    return s->fan_in < 2 ? -1 : 0;
}

static void sorter_place(struct sorter *s, int64_t bytes)
{
    s->source = (struct source *)(s + 1);
    s->tree = (struct node *)(s->source + s->fan_in);
    int64_t tables =
        units_round_up((char *)(s->tree + s->fan_in) - (char *)s, BUF_ALIGN);
    s->writing = (char *)s + tables;
    s->room = (void *)((char *)s + tables + s->writing_bytes);
    s->capacity = (bytes - tables - s->writing_bytes) / BYTES;
}

int sorter_open(struct sorter **sorter, int64_t memory_bytes, const char *scratch,
                const struct spill_io *io)
{
    struct sorter divided = {.io = *io}, *s;
    void *memory;
    *sorter = NULL;
    if (memory_bytes < SORTER_MEMORY_MIN || sorter_divide(&divided, memory_bytes))
        return err_set(-EINVAL, NULL, -1,
                       "%lld bytes of memory are too few to sort soundings in: allow "
                       "%d at least",
                       (long long)memory_bytes, SORTER_MEMORY_MIN);
    if (strlen(scratch) >= sizeof s->scratch)
        return err_set(-EINVAL, scratch, -1, "the file's path is too long");
    memory_bytes -= memory_bytes % BUF_ALIGN;
    int rc = buf_reserve(&memory, memory_bytes, "the sorter of soundings");
    if (rc)
        return rc;
    s = memory;
    *s = divided;
    s->counts.memory_bytes = memory_bytes;
    sorter_place(s, memory_bytes);
    memcpy(s->scratch, scratch, strlen(scratch) + 1);
    *sorter = s;
    return 0;
}

/* What is held becomes a run. */
static int spill(struct sorter *s)
{
    int rc = s->counts.runs ? 0 : runs_open(s, &s->runs, s->capacity);
    if (rc)
        return rc;
    batch_sort_row(s->room, s->held);
    rc = runs_append(s, &s->runs, s->room, s->held);
    s->held = 0;
    s->counts.runs++;
    return rc;
}

int sorter_add(struct sorter *s, const struct pfm_sounding *from, int64_t n)
{
    s->counts.soundings += n;
    while (n > 0) {
        int64_t free = s->capacity - s->held, some = n < free ? n : free;
        memcpy(s->room + s->held, from, (size_t)(some * BYTES));
        s->held += some;
        from += some;
        n -= some;
        int rc = n ? spill(s) : 0; /* a room just filled may be the last */
        if (rc)
            return rc;
    }
    return 0;
}

int sorter_finish(struct sorter *s)
{
    int64_t runs;
    int rc = 0;
    if (!s->counts.runs) {
        batch_sort_row(s->room, s->held);
        return 0;
    }
    if (s->held)
        rc = spill(s);
    rc = rc ? rc : spill_end(&s->runs.file);
    /* No more are merged than make one last merge possible, with long windows. */
    while (!rc && (runs = runs_count(&s->runs)) > s->fan_in) {
        int64_t together = units_div_up(runs, s->fan_in);
        rc = merge_pass(s, together < s->fan_in ? together : s->fan_in);
    }
    return rc ? rc : merge_start(s, 0, runs_count(&s->runs));
}

int sorter_next(struct sorter *s, const struct pfm_sounding **next, int64_t *n)
{
    if (s->counts.runs) {
        *next = s->out;
        return merge_some(s, true, n);
    }
    int64_t i = s->given;
    *next = s->room + i;
    while (i < s->held && s->room[i].bin == (*next)->bin)
        i++;
    *n = i - s->given;
    s->given = i;
    return 0;
}

const struct sorter_counts *sorter_counts(const struct sorter *s)
{
    return &s->counts;
}

void sorter_close(struct sorter **s)
{
    if (!*s)
        return;
    merge_end(*s);
    spill_close(&(*s)->runs.file);
    buf_free(*s);
    *s = NULL;
}
