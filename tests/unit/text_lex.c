/* The helper with which text_modules.py analyses files; no test by itself. Runs all
 * modules on each file: text_lex FORMAT LEXICON CRF MAXENT FILE... ("-": none) writes
 * for each a line with the bytes of its .lex, and the .lex; or a line "-1 SENTENCE". */
#include "base/err.h"
#include "outcore/text/modules/job.h"
#include <stdlib.h>

static struct text_bytes file(const char *path)
{
    struct text_bytes b = {.name = path};
    char *at = NULL;
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    if (!f)
        return b;
    for (size_t n = 1; n; b.bytes += (int64_t)n) {
        at = realloc(at, (size_t)b.bytes + 65536);
        n = fread(at + b.bytes, 1, 65536, f);
    }
    fclose(f);
    b.at = at;
    return b;
}

static int all(const struct text_tools *tools, struct text_room *room,
               const struct text_bytes *in, struct text_out *lex)
{
    static struct text_out section;
    lex->bytes = lex->failed = 0;
    for (int m = 0; m < TEXT_MODULES; m++) {
        const struct text_bytes old = {in->name, lex->at, lex->bytes};
        const struct text_bytes *from = m ? &old : in;
        int rc = text_module(tools, room, m, in->name, from->at, from->bytes, &section);
        if (rc)
            return rc;
        text_put(lex, section.at, section.bytes);
    }
    return text_check(TEXT_MODULES, in->name, lex->at, lex->bytes);
}

int main(int argc, char **argv)
{
    static const char *const format[] = {"xml", "plain", "auto"};
    struct text_given g = {.weight = {.3, .4, .3}, .table_share = .25};
    struct text_tools *tools = NULL;
    struct text_room *room = NULL;
    struct text_out lex = {0};
    if (argc < 5)
        return EXIT_USAGE;
    while (strcmp(format[g.format], argv[1]) != 0)
        g.format++;
    g.lexicon = file(argv[2]);
    g.crf = file(argv[3]);
    g.maxent = file(argv[4]);
    int rc = text_room_make(&room);
    if (!rc)
        rc = text_tools_load(&tools, &g);
    for (int i = 5; i < argc && !rc; i++) {
        struct text_bytes in = file(argv[i]);
        if (all(tools, room, &in, &lex)) {
            printf("-1 %s (offset %lld)\n", err_get()->text,
                   (long long)err_get()->offset);
            err_clear();
        } else {
            printf("%lld\n", (long long)lex.bytes);
            fwrite(lex.at, 1, (size_t)lex.bytes, stdout);
        }
        free((char *)in.at);
    }
    if (rc)
        err_print(stderr, "text_lex", err_get());
    text_tools_free(tools);
    text_room_free(room);
    free((char *)g.lexicon.at);
    free((char *)g.crf.at);
    free((char *)g.maxent.at);
    free(lex.at);
    return rc ? EXIT_FAILED : EXIT_GOOD;
}
