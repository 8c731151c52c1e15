/* LDAD, linear disk access descriptors: the bytes of a file that a process accesses, as
 * a formula instead of a list (Wang and Kaeli, Source Level Transformations to Improve
 * I/O Data Partitioning). Pure arithmetic, all of it Local; all numbers are bytes.
 *
 *     size          chunk: that many bytes without a gap
 *     stride        from the begin of one chunk to that of the next
 *     span          stride times the number of chunks
 *     levels        a level repeats a chunk, or a pattern that has levels itself
 *
 * A plan describes the accesses of all ranks: the descriptor of rank 0, and the offset
 * that a rank's number adds to its start. A map is a plan that has been found sound; it
 * tells the rank that a byte belongs to, and its place among that rank's bytes.
 *
 * No function costs more than O(levels^2), however many chunks there are; those that go
 * through lists say so. Only ldad_plan_parse allocates memory.
 *
 * As text, a descriptor is its start and, outermost first, its levels in brackets:
 *
 *     start=4096 [size=65536]
 *     start=4096 [span=1048576 stride=262144 size=65536]
 *     start=0 [span=4194304 stride=1048576 [span=262144 stride=65536 size=4096]]
 *
 * and a plan has in front of that its ranks and what their numbers add to the start:
 * one step, or several if a rank's number has several digits (a grid of processes, the
 * last digit fastest), or each rank's start; then the end of the file, if it has one:
 *
 *     ranks=4 step=65536 start=0 [span=1048576 stride=262144 size=65536]
 *     ranks=2x3 step=8000,100 end=15000 start=0 [span=8000 stride=400 size=100]
 *     ranks=3 starts=0,400,700 end=1000 start=0 [size=400]
 *
 * Numbers are decimal, words are in this order, blanks between them are free. */
#ifndef ALGEBRA_DESCRIPTOR_H
#define ALGEBRA_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LDAD_LEVELS = 8,      /* in a descriptor; in a plan, together with its digits */
    LDAD_DIGITS = 3,      /* digits of a rank's number */
    LDAD_FIND_LEVELS = 4, /* found in offsets at most */
    LDAD_TEXT = 768       /* characters of a descriptor's text */
};

struct ldad_level {
    int64_t span, stride; /* span / stride repeats; both may be negative */
};

struct ldad {
    int64_t start;                        /* offset of the first chunk */
    int64_t size;                         /* bytes of each chunk */
    int levels;                           /* 0: there is one chunk */
    struct ldad_level level[LDAD_LEVELS]; /* outermost first */
};

/* Answers to questions. YES and NO are always right. */
enum ldad_answer { LDAD_NO, LDAD_YES, LDAD_CANNOT_TELL };

/* The relation between the ranks' bytes. */
enum ldad_relation {
    LDAD_ALONE,       /* there is one rank */
    LDAD_SEGMENTED,   /* each rank has a region of its own */
    LDAD_INTERLEAVED, /* no byte belongs to two ranks, but their regions mix */
    LDAD_HALO,        /* regions without gaps that share their margins */
    LDAD_OVERLAPPED,  /* some bytes belong to several ranks in any other way */
    LDAD_UNRESOLVED   /* cannot tell */
};
const char *ldad_relation_text(enum ldad_relation r);

/* ---- one descriptor -------------------------------------------------------- */

/* Returns how often a level repeats. */
static inline int64_t ldad_count(const struct ldad_level *l)
{
    return l->span / l->stride;
}

/* Checks that all of it lies in [0, 2^63 - 1) and that spans are whole numbers of
 * strides. Returns 0, -EINVAL or -EOVERFLOW, with a sentence. All functions below
 * require a descriptor that passes. */
int ldad_check(const struct ldad *d);

/* Puts a level around all others: `count` times at a distance of `stride`. Returns 0,
 * -EINVAL or -EOVERFLOW with a sentence. */
int ldad_repeat(struct ldad *d, int64_t count, int64_t stride);

int64_t ldad_low(const struct ldad *d);  /* the first byte's offset */
int64_t ldad_high(const struct ldad *d); /* one past the last byte's */
int64_t ldad_chunks(const struct ldad *d);
int64_t ldad_bytes(const struct ldad *d); /* all chunks together */

/* Returns the offset of chunk i, 0 <= i < ldad_chunks, in the order of the loops. */
int64_t ldad_chunk(const struct ldad *d, int64_t i);

/* Writes the same chunks in as few levels as possible: strides are positive and
 * falling, and chunks that touch are joined. Returns true if these chunks are also in
 * the order of the file, with no byte twice: each stride is at least as long as what it
 * repeats. ldad_before and ldad_at require that. `out` may be `d`. */
bool ldad_normal(const struct ldad *d, struct ldad *out);

/* Count and find bytes of a normal descriptor: ldad_before returns how many are before
 * `offset`, and ldad_at the offset of byte number `at`, 0 <= at < ldad_bytes. */
int64_t ldad_before(const struct ldad *d, int64_t offset);
int64_t ldad_at(const struct ldad *d, int64_t at);

/* True if all numbers are equal. Unequal descriptors may still have the same bytes. */
bool ldad_same(const struct ldad *a, const struct ldad *b);

/* Tells whether no byte is in two chunks of `d`. */
enum ldad_answer ldad_single(const struct ldad *d);

/* Tells whether no byte is in both. Never "cannot tell" if both have one level at
 * most. */
enum ldad_answer ldad_disjoint(const struct ldad *a, const struct ldad *b);

/* Tells how n >= 1 descriptors, each of one rank, relate to each other. Makes them
 * normal and sorts them by first byte; O(n log n). Some may have fewer chunks than
 * others. */
enum ldad_relation ldad_list_relation(struct ldad *list, int64_t n);

/* Tells whether each byte in [begin, end) is in one chunk of one descriptor, and no
 * chunk is outside. Sorts the list, too. */
enum ldad_answer ldad_list_tiles(struct ldad *list, int64_t n, int64_t begin,
                                 int64_t end);

/* ---- all ranks ------------------------------------------------------------- */

struct ldad_digit {
    /* values 0 to count - 1, each of which adds a step (of any sign, or 0) */
    int64_t count, step;
};

struct ldad_plan {
    int64_t ranks;
    struct ldad each; /* the descriptor of rank 0 */
    /* The addition to each.start for a rank's number: the sum over its digits, most
     * significant first, or an entry of `starts`. */
    int digits;
    struct ldad_digit digit[LDAD_DIGITS];
    /* The caller's table, ascending from starts[0] = 0; NULL: digits. A rank's chunks
     * end at the latest where those of the next rank begin, so regions may differ in
     * size. */
    const int64_t *starts;
    int64_t end; /* the first byte that belongs to nobody; INT64_MAX: there is no end */
};

/* Checks a plan, as ldad_check does a descriptor. */
int ldad_plan_check(const struct ldad_plan *p);

/* Deals [start, start + bytes) out in chunks to the ranks in turn. The last chunk may
 * be short. Returns 0, -EINVAL or -EOVERFLOW with a sentence. */
int ldad_plan_cyclic(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t chunk);

/* Divides [start, start + bytes) into one region for each rank, of the same whole
 * number of units; the last ranks may have less, or nothing. Errors as above. */
int ldad_plan_blocks(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t unit);

/* Returns the descriptor of rank r, without regard to `end`. */
struct ldad ldad_plan_rank(const struct ldad_plan *p, int64_t r);

/* Tells whether no byte belongs to two ranks. */
enum ldad_answer ldad_plan_disjoint(const struct ldad_plan *p);

/* Tells whether each byte in [begin, end) is in one chunk of one rank, and no chunk is
 * outside. O(ranks) for a table of starts. */
enum ldad_answer ldad_plan_tiles(const struct ldad_plan *p, int64_t begin, int64_t end);

/* Tells what ldad_list_relation does, as if the plan had no end; a table of starts
 * costs O(ranks). */
enum ldad_relation ldad_plan_relation(const struct ldad_plan *p);

/* ---- bytes and ranks ------------------------------------------------------- */

struct ldad_map {
    struct ldad_plan plan;
    struct ldad each; /* normal */
    int levels;       /* number of levels of time and of ranks, by stride */
    struct ldad_map_level {
        int64_t stride, count;
        /* weight of a rank's digit; 0: level of time, INT64_MAX: table of starts */
        int64_t weight;
    } level[LDAD_LEVELS + 1];
    int64_t low;   /* the first byte that belongs to a rank */
    int64_t rank0; /* the rank it belongs to */
};

struct ldad_run { /* bytes that are contiguous in the file and in their rank's part */
    int64_t offset, bytes;
    int64_t rank; /* -1: they belong to nobody */
    int64_t at;   /* number of the rank's bytes before them in the file */
};

/* Makes a map of a plan. The ranks must share no byte, and the chunks must be in the
 * order of the file, one level within the other. Returns 0, -EINVAL if the plan cannot
 * be a map (it partitions nothing), or -EOVERFLOW; with a sentence. A table of starts
 * stays the caller's. */
int ldad_map_make(struct ldad_map *m, const struct ldad_plan *p);

/* True if both assign every byte alike, as far as their numbers tell. O(ranks) for
 * tables of starts. */
bool ldad_map_same(const struct ldad_map *a, const struct ldad_map *b);

/* Returns the number of bytes of rank r. */
int64_t ldad_map_bytes(const struct ldad_map *m, int64_t r);

/* Returns the longest run from `offset` on, but no more than `bytes` > 0. Ask again at
 * offset + run.bytes for the next one. */
struct ldad_run ldad_map_run(const struct ldad_map *m, int64_t offset, int64_t bytes);

/* Returns the offset in the file of rank r's byte number `at`; -1: there is none. It is
 * the inverse of ldad_map_run. */
int64_t ldad_map_offset(const struct ldad_map *m, int64_t r, int64_t at);

/* True if [offset, offset + bytes), bytes > 0, belongs to rank r alone. Then *at is the
 * number of the first of these bytes, and they are contiguous there as well. */
bool ldad_map_lands(const struct ldad_map *m, int64_t r, int64_t offset, int64_t bytes,
                    int64_t *at);

/* ---- from offsets ---------------------------------------------------------- */

/* Takes a rank's transfers, in their order, and reports the descriptors that they
 * follow as soon as these end. O(1) memory; O(levels) for each transfer, over all of
 * them. */
struct ldad_finder {
    /* Reports a pattern, and how many times in a row it occurred. A result other than 0
     * ends the call that led to it, with that result. */
    int (*found)(void *arg, const struct ldad *d, int64_t repeats);
    void *arg;
    int64_t at, end; /* a chunk that may still grow; equal: there is none */
    struct ldad_series {
        struct ldad one; /* it contains the levels below this one */
        int64_t stride, count, repeats;
    } series[LDAD_FIND_LEVELS]; /* unfinished series, innermost first */
};

/* Adds a transfer of bytes > 0. One that continues the last one joins its chunk. An end
 * beyond 2^63 - 1 is -EOVERFLOW with a sentence. */
int ldad_finder_add(struct ldad_finder *f, int64_t offset, int64_t bytes);

/* Adds a transfer as ldad_finder_add does, but as a chunk of its own even if it
 * continues the last one. Use only one of the two for a stream. */
int ldad_finder_call(struct ldad_finder *f, int64_t offset, int64_t bytes);

/* Ends the stream: reports what is left. The finder can be used again. */
int ldad_finder_end(struct ldad_finder *f);

/* ---- text ------------------------------------------------------------------ */

/* Print the text into out[room], terminated, and return its length, which may be more
 * than fits, as snprintf does. LDAD_TEXT is room for any descriptor, and for a plan
 * without a table. */
int ldad_print(char *out, int64_t room, const struct ldad *d);
int64_t ldad_plan_print(char *out, int64_t room, const struct ldad_plan *p);

/* Read and check printed text. Return 0, -EINVAL or -EOVERFLOW with a sentence, or
 * -ENOMEM. A plan's table of starts is allocated; ldad_plan_free frees it. */
int ldad_parse(const char *text, struct ldad *d);
int ldad_plan_parse(const char *text, struct ldad_plan *p);
void ldad_plan_free(struct ldad_plan *p);

#endif
