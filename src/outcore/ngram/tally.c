#include "outcore/ngram/tally.h"
#include <string.h>

enum { LOW = 4 }; /* binary digits below sixteen */

void tally_begin(struct tally *t)
{
    memset(t, 0, sizeof *t);
}

/* Adds a and b: *low + a + b = 2 * carry + *low */
static inline uint64_t add(uint64_t *low, uint64_t a, uint64_t b)
{
    uint64_t both = *low ^ a, carry = (*low & a) | (both & b);
    *low = both ^ b;
    return carry;
}

static inline uint64_t add_4(uint64_t d[], const uint64_t w[])
{
    uint64_t first = add(&d[0], w[0], w[1]), second = add(&d[0], w[2], w[3]);
    return add(&d[1], first, second);
}

static inline uint64_t add_8(uint64_t d[], const uint64_t w[])
{
    uint64_t first = add_4(d, w), second = add_4(d, w + 4);
    return add(&d[2], first, second);
}

static void carry_on(struct tally *t, uint64_t sixteens)
{
    for (int k = LOW; sixteens; k++) {
        uint64_t sum = t->digit[k] ^ sixteens;
        sixteens &= t->digit[k];
        t->digit[k] = sum;
        t->digits = k - LOW >= t->digits ? k - LOW + 1 : t->digits;
    }
}

void tally_add(struct tally *t, const uint64_t *word, int64_t words)
{
    uint64_t d[LOW];
    memcpy(d, t->digit, sizeof d);
    for (int64_t i = 0; i < words; i += TALLY_AT_ONCE) {
        uint64_t first = add_8(d, word + i), second = add_8(d, word + i + 8);
        carry_on(t, add(&d[3], first, second));
    }
    memcpy(t->digit, d, sizeof d);
}

int64_t tally_sum(const struct tally *t, int bits, int i)
{
    uint64_t each =
        ~UINT64_C(0) / (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
    int64_t sum = 0;
    for (int k = LOW + t->digits; k-- > 0;)
        sum += (int64_t)(((t->digit[k] >> i) & each) * each >> (64 - bits)) << k;
    return sum;
}
