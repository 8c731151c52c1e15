/* Speed of the modules of outcore text, one core: text_modules TEXT LEXICON CRF MAXENT
 * ("-": none). Reads TEXT as BODY, 4 KiB at a time as a document each, and prints MB
 * of BODY per second of the processor's for each module, the best of five rounds; and
 * the time to load what they are given. Not part of make check. */
#include "base/err.h"
#include "outcore/text/modules/job.h"
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { DOCUMENT = 4096, ROUNDS = 5 };

static struct text_tools *tools;
static struct text_room *room;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct text_bytes file(const char *path)
{
    struct text_bytes b = {.name = path};
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    if (!f)
        return b;
    fseek(f, 0, SEEK_END);
    b.bytes = ftell(f);
    rewind(f);
    char *at = malloc((size_t)b.bytes + 1);
    if (!at || fread(at, 1, (size_t)b.bytes, f) != (size_t)b.bytes)
        exit(EXIT_FAILED);
    b.at = at;
    fclose(f);
    return b;
}

/* Module m of one document, whose .lex it is. */
static void one(int m, const char *at, int64_t bytes, struct text_out *lex, bool keep)
{
    static struct text_out section;
    if (text_module(tools, room, m, "document", m ? lex->at : at,
                    m ? lex->bytes : bytes, &section)) {
        err_print(stderr, "text_modules", err_get());
        exit(EXIT_FAILED);
    }
    if (keep)
        text_put(lex, section.at, section.bytes);
}

/* Module by module, as they are in --order=module: each has the caches to itself. The
 * clock is asked once a round: it takes as long as some modules do for a document. */
static void measure(const struct text_bytes *text, double best[TEXT_MODULES])
{
    struct text_out *lex =
        calloc((size_t)text->bytes / DOCUMENT + 1, sizeof(struct text_out));
    for (int m = 0; m < TEXT_MODULES && lex; m++)
        for (int round = 0; round < ROUNDS; round++) {
            double begun = now();
            for (int64_t at = 0, n; at < text->bytes; at += n) {
                n = text->bytes - at < DOCUMENT ? text->bytes - at : DOCUMENT;
                one(m, text->at + at, n, &lex[at / DOCUMENT], round == ROUNDS - 1);
            }
            double seconds = now() - begun;
            best[m] = round && best[m] < seconds ? best[m] : seconds;
        }
    free(lex);
}

int main(int argc, char **argv)
{
    struct text_given g = {
        .format = TEXT_FORMAT_PLAIN, .weight = {.3, .4, .3}, .table_share = .25};
    double best[TEXT_MODULES];
    if (argc != 5)
        return EXIT_USAGE;
    struct text_bytes text = file(argv[1]);
    g.lexicon = file(argv[2]);
    g.crf = file(argv[3]);
    g.maxent = file(argv[4]);
    double begun = now();
    if (text_tools_load(&tools, &g) || text_room_make(&room)) {
        err_print(stderr, "text_modules", err_get());
        return EXIT_FAILED;
    }
    printf("load       %8.3f s\n", now() - begun);
    measure(&text, best);
    for (int m = 0; m < TEXT_MODULES; m++)
        printf("%-10s %8.1f MB/s\n", text_module_names[m],
               (double)text.bytes / 1e6 / best[m]);
    return EXIT_GOOD;
}
