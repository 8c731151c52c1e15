/* LDAD, linear disk access descriptors: which bytes of a file a process accesses, as a
 * formula instead of a list (Wang and Kaeli, Source Level Transformations to Improve
 * I/O Data Partitioning). Pure arithmetic, all of it Local; all numbers are bytes.
 *
 *     size          chunk: that many bytes without a gap
 *     stride        from the begin of one chunk to that of the next
 *     span          stride times the number of chunks
 *     levels        what repeats may be a chunk, or again a pattern with strides
 *
 * A plan is what all ranks access together: the descriptor of rank 0, and what a rank's
 * number adds to its start. A map is a plan that has been found sound, and answers
 * which rank a byte belongs to, and where among that rank's bytes it is.
 *
 * No question costs more than O(levels^2), nor depends on how many chunks there are;
 * what goes through lists says so. Nothing is allocated but by ldad_plan_parse.
 *
 * As text, a descriptor is its start and, outermost first, its levels in brackets:
 *
 *     start=4096 [size=65536]
 *     start=4096 [span=1048576 stride=262144 size=65536]
 *     start=0 [span=4194304 stride=1048576 [span=262144 stride=65536 size=4096]]
 *
 * and a plan has in front of that its ranks and what their numbers add to the start:
 * one step, or several where a rank's number has several digits (a grid of processes,
 * the last of them fastest), or each rank's start; then where the file ends, if it
 * does:
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
    LDAD_LEVELS = 8,      /* of a descriptor, and of a plan's with its digits */
    LDAD_DIGITS = 3,      /* of a rank's number */
    LDAD_FIND_LEVELS = 4, /* that are found in offsets */
    LDAD_TEXT = 768       /* characters of a descriptor's text */
};

struct ldad_level {
    int64_t span, stride; /* span / stride times; both may be negative */
};

struct ldad {
    int64_t start;                        /* of the first chunk */
    int64_t size;                         /* of each chunk */
    int levels;                           /* 0: there is one chunk */
    struct ldad_level level[LDAD_LEVELS]; /* outermost first */
};

/* An answer that is not "cannot tell" is right. */
enum ldad_answer { LDAD_NO, LDAD_YES, LDAD_CANNOT_TELL };

/* How the ranks' bytes lie to each other. */
enum ldad_relation {
    LDAD_ALONE,       /* there is one rank */
    LDAD_SEGMENTED,   /* each rank has a region of its own */
    LDAD_INTERLEAVED, /* no byte is two ranks', but their regions mix */
    LDAD_HALO,        /* regions without gaps, which share their margins */
    LDAD_OVERLAPPED,  /* some bytes are several ranks', in any other way */
    LDAD_UNRESOLVED   /* cannot tell */
};
const char *ldad_relation_text(enum ldad_relation r);

/* ---- one descriptor -------------------------------------------------------- */

/* How often a level repeats what is in it. */
static inline int64_t ldad_count(const struct ldad_level *l)
{
    return l->span / l->stride;
}

/* Whether all of it lies in [0, 2^63 - 1) and spans are whole numbers of strides. 0,
 * -EINVAL or -EOVERFLOW, with a sentence. What is below takes only descriptors of which
 * this is true. */
int ldad_check(const struct ldad *d);

/* Puts a level around all others: `count` times at a distance of `stride`. 0, -EINVAL
 * or -EOVERFLOW with a sentence. */
int ldad_repeat(struct ldad *d, int64_t count, int64_t stride);

int64_t ldad_low(const struct ldad *d);  /* the first byte's offset */
int64_t ldad_high(const struct ldad *d); /* one past the last byte's */
int64_t ldad_chunks(const struct ldad *d);
int64_t ldad_bytes(const struct ldad *d); /* of all chunks together */

/* Offset of chunk i, 0 <= i < ldad_chunks, in the order of the loops. */
int64_t ldad_chunk(const struct ldad *d, int64_t i);

/* The same chunks, in as few levels as can be: strides positive and falling, chunks
 * that touch made one. Returns whether these also stand in the order of the file, with
 * no byte twice: each stride is at least as long as what it repeats. Only of those
 * there are ldad_before and ldad_at. `out` may be `d`. */
bool ldad_normal(const struct ldad *d, struct ldad *out);

/* How many bytes of a normal descriptor are before `offset`; its byte number `at`, 0 <=
 * at < ldad_bytes. */
int64_t ldad_before(const struct ldad *d, int64_t offset);
int64_t ldad_at(const struct ldad *d, int64_t at);

/* Number for number; bytes may be the same even so. */
bool ldad_same(const struct ldad *a, const struct ldad *b);

/* Whether no byte is in two chunks of `d`. */
enum ldad_answer ldad_single(const struct ldad *d);

/* Whether no byte is in both. Always told where neither has more than one level. */
enum ldad_answer ldad_disjoint(const struct ldad *a, const struct ldad *b);

/* How n >= 1 descriptors, each of one rank, lie to each other. Makes them normal and
 * sorts them by first byte; O(n log n). Some may have fewer chunks than others. */
enum ldad_relation ldad_list_relation(struct ldad *list, int64_t n);

/* Whether each byte in [begin, end) is in one chunk of one of them, and none is
 * elsewhere. Sorts the list, too. */
enum ldad_answer ldad_list_tiles(struct ldad *list, int64_t n, int64_t begin,
                                 int64_t end);

/* ---- all ranks ------------------------------------------------------------- */

struct ldad_digit {
    int64_t count, step; /* 0 to count - 1, each of which adds a step; any sign, or 0 */
};

struct ldad_plan {
    int64_t ranks;
    struct ldad each; /* of rank 0 */
    /* What a rank's number adds to each.start: its digits, most significant first, or
     * what stands in a table. */
    int digits;
    struct ldad_digit digit[LDAD_DIGITS];
    /* The caller's, ascending, starts[0] is 0; NULL: digits. A rank's chunks end at the
     * latest where those of the next rank begin, so regions may differ in size. */
    const int64_t *starts;
    int64_t end; /* no byte from here on belongs to anybody; INT64_MAX: no such end */
};

/* As ldad_check. */
int ldad_plan_check(const struct ldad_plan *p);

/* [start, start + bytes) dealt out in chunks to the ranks in turn. The last chunk may
 * be short. 0, -EINVAL or -EOVERFLOW with a sentence. */
int ldad_plan_cyclic(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t chunk);

/* [start, start + bytes) in one region for each rank, of the same whole number of
 * units; the last ranks may have less, or nothing. Errors as above. */
int ldad_plan_blocks(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t unit);

/* What rank r accesses, but for `end`. */
struct ldad ldad_plan_rank(const struct ldad_plan *p, int64_t r);

/* Whether no byte is two ranks'. */
enum ldad_answer ldad_plan_disjoint(const struct ldad_plan *p);

/* Whether each byte in [begin, end) is in one chunk of one rank, and none is elsewhere.
 * O(ranks) for a table of starts. */
enum ldad_answer ldad_plan_tiles(const struct ldad_plan *p, int64_t begin, int64_t end);

/* As ldad_list_relation, as if the plan had no end; a table of starts costs
 * O(ranks). */
enum ldad_relation ldad_plan_relation(const struct ldad_plan *p);

/* ---- bytes and ranks ------------------------------------------------------- */

struct ldad_map {
    struct ldad_plan plan;
    struct ldad each; /* normal */
    int levels;       /* of time and of ranks, by stride */
    struct ldad_map_level {
        int64_t stride, count;
        int64_t weight; /* of a rank's digit, 0: of time, INT64_MAX: table of starts */
    } level[LDAD_LEVELS + 1];
    int64_t low;   /* the first byte that is anybody's */
    int64_t rank0; /* whose it is */
};

struct ldad_run { /* bytes that stand together in the file and with their rank */
    int64_t offset, bytes;
    int64_t rank; /* -1: nobody's */
    int64_t at;   /* how many of the rank's bytes are before them in the file */
};

/* Makes a map of a plan whose ranks share no byte and whose chunks are in the order of
 * the file, one level within the other. 0, -EINVAL where it is none of those (partition
 * nothing by it), -EOVERFLOW; with a sentence. A table of starts stays the caller's. */
int ldad_map_make(struct ldad_map *m, const struct ldad_plan *p);

/* Whether both say the same of every byte, as far as their numbers tell. O(ranks) for
 * tables of starts. */
bool ldad_map_same(const struct ldad_map *a, const struct ldad_map *b);

/* How many bytes rank r has. */
int64_t ldad_map_bytes(const struct ldad_map *m, int64_t r);

/* The longest run from `offset` on, but no more than `bytes` > 0. Runs that follow each
 * other come of asking again at offset + run.bytes. */
struct ldad_run ldad_map_run(const struct ldad_map *m, int64_t offset, int64_t bytes);

/* The way back: where in the file rank r's byte number `at` is; -1: it has none. */
int64_t ldad_map_offset(const struct ldad_map *m, int64_t r, int64_t at);

/* Whether [offset, offset + bytes), bytes > 0, is all rank r's. Then *at is the number
 * of the first of them, and they stand together there as well. */
bool ldad_map_lands(const struct ldad_map *m, int64_t r, int64_t offset, int64_t bytes,
                    int64_t *at);

/* ---- from offsets ---------------------------------------------------------- */

/* Takes what a rank transfers, in its order, and tells the descriptors it follows as
 * soon as they end. O(1) memory; O(levels) for each transfer, over all of them. */
struct ldad_finder {
    /* A pattern, and how many times in a row it occurred. What it returns other than 0
     * ends the call that made it, with that. */
    int (*found)(void *arg, const struct ldad *d, int64_t repeats);
    void *arg;
    int64_t at, end; /* a chunk in the making; equal: none */
    struct ldad_series {
        struct ldad one; /* with levels below this one's */
        int64_t stride, count, repeats;
    } series[LDAD_FIND_LEVELS]; /* in the making, innermost first */
};

/* A transfer; bytes > 0. What goes on where the last one ended is one chunk with it. An
 * end beyond 2^63 - 1 is -EOVERFLOW with a sentence. */
int ldad_finder_add(struct ldad_finder *f, int64_t offset, int64_t bytes);

/* As ldad_finder_add, but a transfer stays a chunk of its own where it goes on where
 * the last one ended. A stream takes the one or the other. */
int ldad_finder_call(struct ldad_finder *f, int64_t offset, int64_t bytes);

/* No more will come: tells what is left. It can be used again. */
int ldad_finder_end(struct ldad_finder *f);

/* ---- text ------------------------------------------------------------------ */

/* Writes the text into out[room], ended; returns its length, which may be more than
 * fits, as snprintf does. LDAD_TEXT is room for any descriptor, and for a plan without
 * a table. */
int ldad_print(char *out, int64_t room, const struct ldad *d);
int64_t ldad_plan_print(char *out, int64_t room, const struct ldad_plan *p);

/* Reads and checks what is printed so. 0, -EINVAL or -EOVERFLOW with a sentence, or
 * -ENOMEM. A plan's table of starts is allocated; ldad_plan_free frees it. */
int ldad_parse(const char *text, struct ldad *d);
int ldad_plan_parse(const char *text, struct ldad_plan *p);
void ldad_plan_free(struct ldad_plan *p);

#endif
