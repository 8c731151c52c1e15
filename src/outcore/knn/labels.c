#include "outcore/knn/labels.h"
#include "base/rng.h"

int32_t labels_made(uint64_t seed, uint64_t id, int64_t classes)
{
    return (int32_t)rng_below(rng_key(seed, RNG_LABELS), id, (uint64_t)classes);
}

/* Counts votes pairwise: k is too small for a table of labels. */
int32_t labels_vote(const int32_t *label, int64_t n)
{
    int32_t best = LABELS_NONE;
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t votes = 0;
        for (int64_t j = i; j < n; j++)
            votes += label[j] == label[i];
        if (label[i] != LABELS_NONE && votes > most) {
            most = votes;
            best = label[i];
        }
    }
    return best;
}
