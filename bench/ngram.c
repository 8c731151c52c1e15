/* outcore ngram's classifiers in memory: MB a second of processor time, and how many
 * documents are of each language.
 *
 *   bench/ngram MODEL TEXT BYTES METHOD SECONDS
 *
 * TEXT is cut into documents of BYTES each; METHOD is 0 (table), 1 (Bloom) or 2 (rank).
 * It prints the rate, and a sum of all scores, which no change of speed may change. */
#include "outcore/ngram/classifier.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *whole(const char *path, int64_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) || (*bytes = ftell(f)) < 0) {
        perror(path);
        exit(1);
    }
    char *data = malloc((size_t)*bytes + 1);
    rewind(f);
    if (!data || fread(data, 1, (size_t)*bytes, f) != (size_t)*bytes) {
        perror(path);
        exit(1);
    }
    fclose(f);
    return data;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t pass(struct reading *t, const char *text, int64_t bytes, int64_t each)
{
    int64_t score[LANGUAGES_MOST] = {0};
    uint64_t sum = 0;
    for (int64_t i = 0; i + each <= bytes; i += each) {
        reading_take(t, text + i, each);
        struct reading_verdict v = reading_end(t, score);
        sum = sum * 31 + (uint64_t)(v.grams + v.language);
        for (int l = 0; l < LANGUAGES_MOST; l++)
            sum = sum * 31 + (uint64_t)score[l];
    }
    return sum;
}

static void measure(const struct classifier *c, const char *text, int64_t bytes,
                    int64_t each, double seconds)
{
    struct reading *t = aligned_alloc(64, (size_t)(reading_memory(c) + 63) / 64 * 64);
    memset(t, 0, (size_t)reading_memory(c));
    reading_open(t, c);
    uint64_t sum = pass(t, text, bytes, each);
    double begun = cpu_s(), took = 0;
    int64_t passes = 0;
    for (; took < seconds; took = cpu_s() - begun, passes++)
        pass(t, text, bytes, each);
    printf("%.1f %016" PRIx64 "\n",
           (double)passes * (double)(bytes / each * each) / took / 1e6, sum);
    free(t);
}

int main(int argc, char **argv)
{
    static struct languages m;
    struct classifier c;
    int64_t model_bytes, bytes;
    if (argc != 6)
        return fprintf(stderr, "usage: ngram MODEL TEXT BYTES METHOD SECONDS\n"), 2;
    char *model = whole(argv[1], &model_bytes), *text = whole(argv[2], &bytes);
    struct classifier_how how = {.method = (enum method)atoi(argv[4]),
                                 .bloom_bits = 16384,
                                 .hashes = 4,
                                 .ranks = 400};
    if (languages_parse(&m, argv[1], model, model_bytes))
        return fprintf(stderr, "%s is no model\n", argv[1]), 1;
    void *memory = calloc(1, (size_t)classifier_memory(&m, &how));
    classifier_make(&c, &m, &how, memory, true);
    measure(&c, text, bytes, atoll(argv[3]), atof(argv[5]));
    free(memory);
    free(model);
    free(text);
    languages_free(&m);
    return 0;
}
