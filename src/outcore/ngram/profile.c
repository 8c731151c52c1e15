#include "outcore/ngram/profile.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
    const struct profile_gram *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->gram < y->gram ? -1 : x->gram > y->gram;
}

void profile_sort(struct profile_gram *is, int64_t n)
{
    qsort(is, (size_t)n, sizeof *is, by_count);
}

int64_t profile_of(const int64_t *count, int64_t all, struct profile_gram *to,
                   int64_t most, int64_t *distinct)
{
    int64_t n = 0;
    for (int64_t g = 0; g < all; g++)
        n += count[g] > 0;
    struct profile_gram *is = malloc((size_t)(n + 1) * sizeof *is);
    if (!is)
        return err_set(-ENOMEM, NULL, -1, "no memory to sort %lld gram%s", (long long)n,
                       units_s(n));
    *distinct = n;
    n = 0;
    for (int64_t g = 0; g < all; g++)
        if (count[g] > 0)
            is[n++] = (struct profile_gram){(uint32_t)g, count[g]};
    profile_sort(is, n);
    most = n < most ? n : most;
    memcpy(to, is, (size_t)most * sizeof *to);
    free(is);
    return most;
}
