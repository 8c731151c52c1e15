/* Text as codes: a Latin letter, with whatever marks, is 1 .. 26, and anything else 0.
 * Several 0 in a row are one, and a text begins as after a 0. No MPI, no files. */
#ifndef OUTCORE_NGRAM_LETTERS_H
#define OUTCORE_NGRAM_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { LETTERS_FOLDED = 0x250 }; /* code points from here on are 0 */

/* Of each code point; made by tests/lint/letters.py. */
extern const uint8_t letters_fold[LETTERS_FOLDED];

struct letters {  /* where a text stands; all zeros: at its begin */
    bool latin1;  /* each byte is a code point; else they are UTF-8 */
    uint8_t lead; /* the first of two bytes, whose second may come; 0: none */
    uint8_t last; /* the code before */
};

/* Local. The codes of the next bytes, to `to`, which has room for bytes + 1 of them;
 * returns how many. Bytes that are not UTF-8 are 0. How a text is cut changes
 * nothing. */
int64_t letters_take(struct letters *l, const void *text, int64_t bytes, uint8_t *to);

/* Local. The text ends: 0 or 1 code more. */
int64_t letters_end(struct letters *l, uint8_t *to);

#endif
