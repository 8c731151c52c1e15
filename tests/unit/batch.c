/* Sorts few soundings by packed keys and without them, compared with qsort(3). */
#include "tap.h"

#include "pfmload/store/batch.h"

enum { MOST = 3000 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (state >> 20) % below : 0;
}

/* Limits of the values that are drawn: they make keys narrow, wide, or equal. */
struct kind {
    const char *what;
    uint64_t bins, files, pings, beams, rest;
};

static const struct kind kinds[] = {
    {"of one bin", 1, 4, 900, 240, 100000},
    {"of several bins", 5, 2, 900, 240, 100000},
    {"whose keys are too wide to be packed", 1u << 31, 1u << 31, 1u << 31, 65535, 9},
    {"of which many have the same key", 2, 2, 3, 4, 3},
    {"that are all the same", 1, 1, 1, 1, 1},
    {"that differ in their beam", 1, 1, 1, 65535, 1},
};

static struct pfm_sounding make(const struct kind *k)
{
    return (struct pfm_sounding){.bin = (int64_t)(draw(k->bins) * 1000003),
                                 .file = (uint32_t)draw(k->files),
                                 .ping = (uint32_t)draw(k->pings),
                                 .beam = (uint16_t)draw(k->beams),
                                 .depth = (uint32_t)draw(k->rest),
                                 .validity = (uint32_t)draw(2),
                                 .line = (uint16_t)draw(k->rest),
                                 .x = (uint16_t)draw(k->rest),
                                 .y = (uint16_t)draw(k->rest)};
}

static int compare(const void *a, const void *b)
{
    return batch_before(a, b) ? -1 : batch_before(b, a);
}

static bool as_qsort(const struct kind *k, int64_t n, bool ordered)
{
    static struct pfm_sounding a[MOST], b[MOST];
    for (int64_t i = 0; i < n; i++)
        a[i] = b[i] = make(k);
    qsort(b, (size_t)n, sizeof *b, compare);
    if (ordered)
        memcpy(a, b, (size_t)n * sizeof *a);
    batch_sort_row(a, n);
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = {0,   1,   2,   24,  25,  26,  63,  110,
                                    255, 256, 511, 512, 513, 700, 2999};
    tap_start(&argc, &argv, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int wrong = 0;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int round = 0; round < 20; round++)
                wrong += !as_qsort(&kinds[k], sizes[i], round % 5 == 4);
        tap_ok(!wrong, "soundings %s", kinds[k].what);
    }
    return tap_end();
}
