/* ranks: 1 */
/* Documents from a seed: their sizes compared with those of the definition (computed by
 * another implementation of the normal distribution), and their contents. */
#include "outcore/data/documents.h"
#include "base/format/crc.h"
#include "tap.h"

enum { N = 3183, MOST = 33158 };

static struct documents d;
static char text[MOST + 1];

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_sizes(uint64_t seed)
{
    static int64_t size[N];
    int64_t sum = 0, large = 0;
    documents_prepare(&d, N, 0, seed, 0);
    for (int i = 0; i < N; i++) {
        size[i] = documents_size(&d, i);
        sum += size[i];
        large += size[i] > 10000;
    }
    qsort(size, N, sizeof size[0], by_size);
    tap_ok(sum == 9840000 && documents_bytes(&d) == sum, "9,840,000 bytes (%lld)",
           (long long)sum);
    tap_ok(size[0] == 1118 && size[N - 1] == MOST && documents_most(&d) == MOST,
           "from 1118 to 33,158");
    tap_ok(size[N / 2] == 2450 && large == 52, "median 2450, 52 above 10,000");
    tap_ok(size[100] == 1334 && size[2000] == 2911 && size[3000] == 6558,
           "known quantiles");
}

static uint64_t sum_of(uint64_t seed, int version)
{
    uint64_t sum = 0;
    documents_prepare(&d, N, 0, seed, version);
    for (int i = 0; i < N; i++) {
        documents_make(&d, i, text);
        sum += crc_of(text, documents_size(&d, i));
    }
    return sum;
}

static void test_contents(void)
{
    uint64_t sum = sum_of(1, 0);
    tap_ok(sum == UINT64_C(6799069444715), "the sum of their CRC-32 (%llu)",
           (unsigned long long)sum);
    tap_ok(sum_of(1, 1) != sum && sum_of(2, 0) != sum, "another version, another seed");
    tap_ok(crc_more(crc_of("123", 3), "456789", 6) == 0xcbf43926, "a CRC-32 in parts");
}

static bool is_plain(const char *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if ((t[i] < ' ' && t[i] != '\n') || t[i] > '~')
            return false;
    return true;
}

/* Documents of one size, also those without room for a head. */
static void test_small(void)
{
    static const int64_t sizes[] = {1, 7, DOCUMENTS_MARKED - 1, DOCUMENTS_MARKED, 2048};
    int whole = 0, ended = 0;
    for (int s = 0; s < 5; s++)
        for (int i = 18; i < 20; i++) {
            documents_prepare(&d, 40, sizes[s], 1, 0);
            memset(text, 0, sizeof text);
            documents_make(&d, i, text);
            whole += is_plain(text, sizes[s]) && !text[sizes[s]];
            ended += sizes[s] < DOCUMENTS_MARKED ||
                     !strcmp(text + sizes[s] - 11, "</REUTERS>\n");
        }
    tap_ok(whole == 10, "so many bytes, all of them text");
    tap_ok(ended == 10, "the end of a document is whole");
    tap_ok(documents_bytes(&d) == 40 * 2048, "bytes of all");
    documents_prepare(&d, INT64_MAX, 2, 1, 0);
    tap_ok(documents_bytes(&d) == -1, "more than there can be");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_sizes(1);
    test_sizes(7);
    test_contents();
    test_small();
    return tap_end();
}
