/* The order of events, as runs and loops: "a b a b a b c" is three times "a b",
 * then c. It is folded as it grows, and nothing is lost: unfolded, it is what was
 * added, in its order. A sequence that still takes too many nodes is given up.
 *
 * As text it is numbers, each with its repeats, and loops in brackets:
 *
 *     0 1x4 (2 3)x100 (4 (5x2 6)x10)x3
 *
 * All of it is Local. */
#ifndef ALGEBRA_SEQUENCE_H
#define ALGEBRA_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SEQUENCE_LOOP = -1,
    SEQUENCE_NODES = 256,  /* a longer one is given up */
    SEQUENCE_LONGEST = 24, /* items of the longest loop that is found */
    SEQUENCE_DEPTH = 8,    /* nested loops */
    SEQUENCE_TEXT = 16384  /* characters of a sequence's text */
};

struct sequence_node {
    int64_t what;   /* a number, or SEQUENCE_LOOP: the following nodes are its body */
    int64_t times;  /* repeats in a row */
    int64_t length; /* nodes of a loop's body; else 0 */
};

struct sequence {
    struct sequence_node *node; /* an item is a node with its body */
    int *item;                  /* the items that are in no loop, by their first node */
    int nodes, items, room;
    bool lost; /* the order was too long, or its parts are no longer known */
};

/* Adds `times` repeats of `what`. Returns 0, or -ENOMEM with a sentence. */
int sequence_add(struct sequence *s, int64_t what, int64_t times);

/* Gives the sequence up. */
void sequence_lose(struct sequence *s);

/* True if both are equal; all lost sequences are. */
bool sequence_same(const struct sequence *a, const struct sequence *b);

/* Prints the text into out[SEQUENCE_TEXT]. */
void sequence_print(char out[SEQUENCE_TEXT], const struct sequence *s);

/* Reads printed text, with numbers below `limit`. Returns 0, or -EINVAL or -ENOMEM with
 * a sentence. Free it in both cases. */
int sequence_parse(struct sequence *s, const char *text, int64_t limit);

void sequence_free(struct sequence *s);

/* A walk through a sequence. It begins with all zeros but `of`. */
struct sequence_walk {
    const struct sequence *of;
    int at, depth;
    int64_t left; /* remaining repeats of the node at `at` */
    struct {
        int begin, end;
        int64_t left;
    } loop[SEQUENCE_DEPTH];
};

/* Returns the next number in *what; false: there are no more. */
bool sequence_next(struct sequence_walk *w, int64_t *what);

/* Adds to count[] how often each number below `n` occurs; INT64_MAX: that often or
 * more. */
void sequence_count(const struct sequence *s, int64_t *count, int64_t n);

#endif
