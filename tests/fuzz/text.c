/* libFuzzer target: the first byte decides about the others: a lexicon or a model,
 * which then works on them; or a .lex for a module to continue. One that is accepted as
 * whole gets a section, with which the next module accepts it, too. */
#include "fuzz.h"
#include "outcore/text/modules/job.h"

static void load(int which, const char *text, int64_t bytes)
{
    struct text_given g = {.format = TEXT_FORMAT_PLAIN, .weight = {.3, .4, .3}};
    struct text_bytes *given[] = {&g.lexicon, &g.crf, &g.maxent};
    struct text_tools *tools;
    struct text_room *room;
    struct text_out lex = {.most = 1 << 20}, section = {.most = 1 << 20};
    *given[which] = (struct text_bytes){"given", text, bytes};
    fuzz_demand(!text_room_make(&room));
    int rc = text_tools_load(&tools, &g);
    fuzz_ended(rc);
    for (int m = 0; m < TEXT_MODULES && !rc; m++) {
        rc = text_module(tools, room, m, "x", m ? lex.at : text, m ? lex.bytes : bytes,
                         &section);
        fuzz_demand(!rc || rc == -EFBIG);
        fuzz_ended(rc);
        text_put(&lex, section.at, section.bytes);
        if (!rc && !lex.failed)
            fuzz_demand(!text_check(m + 1, "x", lex.at, lex.bytes));
    }
    if (tools)
        text_tools_free(tools);
    text_room_free(room);
    free(lex.at);
    free(section.at);
}

static void go_on(int m, const char *text, int64_t bytes)
{
    struct text_tools tools = {.format = TEXT_FORMAT_XML, .weight = {.3, .4, .3}};
    struct text_room *room;
    struct text_out section = {.most = 1 << 20};
    fuzz_demand(!text_room_make(&room));
    int rc = text_module(&tools, room, m, "x", text, bytes, &section);
    fuzz_ended(rc);
    if (!rc && m) {
        struct text_out lex = {0};
        text_put(&lex, text, bytes);
        text_put(&lex, section.at, section.bytes);
        fuzz_demand(!text_check(m + 1, "x", lex.at, lex.bytes));
        free(lex.at);
    }
    text_room_free(room);
    free(section.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    int which = data[0] % (3 + TEXT_MODULES);
    if (which < 3)
        load(which, text, (int64_t)size - 1);
    else
        go_on(which - 3, text, (int64_t)size - 1);
    free(text);
    return 0;
}
