/* The order of what happened, as runs and loops: "a b a b a b c" is three times "a b",
 * then c. It is folded as it grows, and nothing is lost: unfolded it is what was added,
 * in its order. A sequence that takes too many nodes even so is given up.
 *
 * As text it is numbers, how often each follows itself, and loops in brackets:
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
    SEQUENCE_NODES = 256,  /* more: it is given up */
    SEQUENCE_LONGEST = 24, /* items of a loop that is found */
    SEQUENCE_DEPTH = 8,    /* of loops within loops */
    SEQUENCE_TEXT = 16384  /* characters of a sequence's text */
};

struct sequence_node {
    int64_t what;   /* SEQUENCE_LOOP: the nodes that follow */
    int64_t times;  /* in a row */
    int64_t length; /* nodes of a loop's body; 0 */
};

struct sequence {
    struct sequence_node *node; /* an item is a node with its body */
    int *item;                  /* where those begin that are in no loop */
    int nodes, items, room;
    bool lost; /* too long, or what it is made of is not known any more */
};

/* What happens next, so many times in a row. 0, or -ENOMEM with a sentence. */
int sequence_add(struct sequence *s, int64_t what, int64_t times);

/* Gives it up. */
void sequence_lose(struct sequence *s);

/* Whether both say the same; those that are lost do. */
bool sequence_same(const struct sequence *a, const struct sequence *b);

/* Writes its text into out[SEQUENCE_TEXT]. */
void sequence_print(char out[SEQUENCE_TEXT], const struct sequence *s);

/* Reads what is printed so; its numbers are below `limit`. 0, or -EINVAL or -ENOMEM
 * with a sentence. Free it in both cases. */
int sequence_parse(struct sequence *s, const char *text, int64_t limit);

void sequence_free(struct sequence *s);

/* Goes through it: begins with all zeros but `of`. */
struct sequence_walk {
    const struct sequence *of;
    int at, depth;
    int64_t left; /* of the run at `at` */
    struct {
        int begin, end;
        int64_t left;
    } loop[SEQUENCE_DEPTH];
};

/* The next number; false: that was all. */
bool sequence_next(struct sequence_walk *w, int64_t *what);

/* How often each number below `n` occurs, added to count[]; INT64_MAX: as often or more
 * often. */
void sequence_count(const struct sequence *s, int64_t *count, int64_t n);

#endif
