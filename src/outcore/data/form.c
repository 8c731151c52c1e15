#include "outcore/data/form.h"
#include "base/err.h"
#include "base/units.h"
#include "outcore/data/records.h"
#include <stdio.h>
#include <string.h>

/* Parses numbers separated by commas. Returns their number, at most `most`; -1:
 * invalid text. */
static int split(const char *text, int64_t *is, int most)
{
    int n = 0;
    for (const char *at = text;; at++) {
        char word[24];
        size_t length = strcspn(at, ",");
        if (n == most || length >= sizeof word)
            return -1;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (units_parse_int(word, &is[n++]))
            return -1;
        at += length;
        if (!*at)
            return n;
    }
}

int form_parse(struct form *f, const char *text)
{
    int64_t is[3];
    *f = (struct form){.kind = FORM_OTHER};
    if (!strcmp(text, "vector")) {
        f->kind = FORM_VECTORS;
        f->order = (struct sort_order){
            .kind = SORT_FLOATS, .bytes = 4 * FORM_DIM, .key_bytes = 4 * FORM_DIM};
        return 0;
    }
    if (!strcmp(text, "100")) {
        f->kind = FORM_RECORDS;
        f->order = (struct sort_order){
            .kind = SORT_BYTES, .bytes = RECORDS_BYTES, .key_bytes = RECORDS_KEY_BYTES};
        return 0;
    }
    if (split(text, is, 3) != 3)
        return err_usage("--record: \"%s\" is not vector, 100 or BYTES,AT,LENGTH",
                         text);
    if (is[0] < 1 || is[1] < 0 || is[2] < 1 || is[2] > is[0] - is[1])
        return err_usage("--record=%s: a key of %lld bytes from byte %lld on is not "
                         "within a record of %lld bytes",
                         text, (long long)is[2], (long long)is[1], (long long)is[0]);
    f->order = (struct sort_order){
        .kind = SORT_BYTES, .bytes = is[0], .key_at = is[1], .key_bytes = is[2]};
    return 0;
}

int form_numbers(struct form_numbers *x, const char *option, const char *text,
                 int64_t least, int64_t most)
{
    x->n = split(text, x->is, FORM_NUMBERS);
    bool right = x->n > 0;
    for (int i = 0; i < x->n && right; i++)
        right = x->is[i] >= (i ? x->is[i - 1] + 1 : least) && x->is[i] <= most;
    if (right)
        return 0;
    return err_usage("--%s: \"%s\" is no list of up to %d numbers from %lld to %lld, "
                     "each larger than the one before, such as 1,2,4",
                     option, text, FORM_NUMBERS, (long long)least, (long long)most);
}
