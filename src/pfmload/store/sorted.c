#include "pfmload/store/sorted.h"
#include "pfmload/store/batch.h"
#include <string.h>

static void sounding_words(const void *sounding, int k, uint64_t two[2])
{
    two[0] = k ? batch_word(sounding, k) : batch_word(sounding, 0);
    two[1] = k ? batch_word(sounding, k + 1) : batch_word(sounding, 1);
}

static void sort_soundings(void *soundings, int64_t n)
{
    batch_sort_row(soundings, n);
}

static void packet_words(const void *packet, int k, uint64_t two[2])
{
    (void)k;
    memcpy(&two[0], packet, sizeof two[0]);
    two[1] = 0;
}

static int open_sorter(struct extsort **s, const struct extsort_how *how,
                       const struct sorted_io *io)
{
    int rc = extsort_open(s, io->run, how, -1);
    return rc ? rc : extsort_begin(*s, -1);
}

int sorted_soundings(struct extsort **s, int64_t memory_bytes, const char *scratch,
                     const struct sorted_io *io)
{
    const struct extsort_how how = {
        .order = {.kind = SORT_OWN,
                  .bytes = sizeof(struct pfm_sounding),
                  .key_bytes = BATCH_WORDS * 8,
                  .words = sounding_words,
                  .sort = sort_soundings},
        .lanes = 1,
        .merge_lanes = 1,
        .memory_bytes = memory_bytes,
        .groups = true,
        .scratch = scratch,
        .what = "soundings",
        .queue = io->queue,
    };
    return open_sorter(s, &how, io);
}

int sorted_packets(struct extsort **s, int64_t packet_bytes, int64_t memory_bytes,
                   const char *scratch, const struct sorted_io *io)
{
    const struct extsort_how how = {
        .order = {.kind = SORT_OWN,
                  .bytes = packet_bytes,
                  .key_bytes = 8,
                  .words = packet_words},
        .lanes = 1,
        .merge_lanes = 1,
        .memory_bytes = memory_bytes,
        .scratch = scratch,
        .what = "soundings",
        .queue = io->queue,
    };
    return open_sorter(s, &how, io);
}
