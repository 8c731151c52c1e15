#include "outcore/search/finding.h"

int64_t finding_before(const struct sort_order *o, const void *records, int64_t n,
                       const void *key)
{
    int64_t low = 0;
    while (n > 0) {
        int64_t half = n / 2;
        const char *middle = (const char *)records + (low + half) * o->bytes;
        bool before = sort_compare(o, middle, key) < 0;
        low = before ? low + half + 1 : low;
        n = before ? n - half - 1 : half;
    }
    return low;
}

/* Begins a look-up. Past the last page there is nothing to read; but one page is read
 * for every key, to check this, too. */
void finding_begin(struct finding *f, const struct sort_order *o,
                   const struct search_index *x, int64_t from, int64_t end,
                   const void *key)
{
    *f = (struct finding){.key = key, .low = from, .high = end, .end = end, .seen = -1};
    if (x) {
        uint64_t word = sort_word(o, key, 0);
        f->low = from + index_below(x, word);
        f->high = word == UINT64_MAX ? end : from + index_below(x, word + 1);
    }
    f->page = f->low + (f->high - f->low) / 2;
    f->page -= f->page == end;
}

/* Settles a search: the key is in page `high`, or at its beginning. */
static enum finding_next settle(struct finding *f, const struct pages *p)
{
    if (f->seen == f->high)
        return FINDING_DONE;
    if (f->high == f->end) {
        f->is = (struct found){.position = pages_first(p, f->end)};
        return FINDING_DONE;
    }
    f->page = f->high;
    return FINDING_READ;
}

enum finding_next finding_look(struct finding *f, const struct sort_order *o,
                               const struct pages *p, const void *records)
{
    int64_t first = pages_first(p, f->page), n = pages_first(p, f->page + 1) - first;
    int64_t before = finding_before(o, records, n, f->key);
    f->reads++;
    if (before == n)
        f->low = f->page + 1;
    else {
        const char *at = (const char *)records + before * o->bytes;
        f->is = (struct found){first + before, !sort_compare(o, at, f->key)};
        f->seen = f->high = f->page;
        f->low = before && f->low < f->page ? f->page : f->low;
    }
    if (f->low > f->high)
        return FINDING_UNSORTED;
    if (f->low == f->high)
        return settle(f, p);
    f->page = f->low + (f->high - f->low) / 2;
    return FINDING_READ;
}
