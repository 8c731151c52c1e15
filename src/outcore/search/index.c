#include "outcore/search/index.h"
#include "base/units.h"

/* ---- pages ----------------------------------------------------------------------- */

/* ---- the tree -------------------------------------------------------------------- */

/* ---- pages ----------------------------------------------------------------------- */

/* (a b + add) / c; a 128-bit division takes several times as long. */
static int64_t scaled(int64_t a, int64_t b, int64_t c, int64_t add)
{
    int64_t x;
    if (!__builtin_mul_overflow(a, b, &x) && !__builtin_add_overflow(x, add, &x))
        return x / c;
    return (int64_t)(((__int128)a * b + add) / c);
}

struct pages pages_make(int64_t records, int64_t record_bytes, int64_t block,
                        int64_t align)
{
    struct pages p = {.records = records,
                      .record_bytes = record_bytes,
                      .block = block,
                      .align = align};
    p.n = records ? scaled(records - 1, record_bytes, block, 0) + 1 : 0;
    return p;
}

int64_t pages_first(const struct pages *p, int64_t page)
{
    return page >= p->n ? p->records
                        : scaled(page, p->block, p->record_bytes, p->record_bytes - 1);
}

struct pages_read pages_read_records(const struct pages *p, int64_t first, int64_t n)
{
    int64_t from = first * p->record_bytes, end = from + n * p->record_bytes;
    int64_t size = p->records * p->record_bytes;
    struct pages_read r = {.offset = from - from % p->align, .skip = from % p->align};
    r.whole = units_round_up(end, p->align) - r.offset;
    r.bytes = r.whole < size - r.offset ? r.whole : size - r.offset;
    return r;
}

/* The bytes of a page, from its block's beginning on, even if another record ends
 * there: all reads of pages are aligned alike. */
struct pages_read pages_read_page(const struct pages *p, int64_t page)
{
    int64_t first = pages_first(p, page), next = pages_first(p, page + 1);
    struct pages_read r = pages_read_records(p, first, next - first);
    int64_t before = r.offset - page * p->block;
    r.offset -= before;
    r.skip += before;
    r.bytes += before;
    r.whole += before;
    return r;
}

int64_t pages_most(const struct pages *p)
{
    return p->block % p->record_bytes
               ? p->block + units_round_up(p->record_bytes, p->align)
               : p->block;
}

/* ---- the tree -------------------------------------------------------------------- */

static int64_t index_lines_of(int64_t words)
{
    return units_div_up(words, INDEX_LINE);
}

int64_t index_bytes(int64_t n)
{
    int64_t lines = index_lines_of(n), all = lines;
    while (lines > 1)
        all += lines = index_lines_of(lines);
    return all * INDEX_LINE * (int64_t)sizeof(uint64_t);
}

void index_place(struct search_index *x, int64_t n, void *memory)
{
    uint64_t *at = memory;
    *x = (struct search_index){.n = n, .word = memory};
    for (int64_t lines = index_lines_of(n); lines; lines = index_lines_of(lines)) {
        x->level[x->levels] = at;
        x->lines[x->levels++] = lines;
        at += lines * INDEX_LINE;
        if (lines == 1)
            break;
    }
}

/* Fills up a level with words above every key. */
static void fill_up(uint64_t *level, int64_t words, int64_t lines)
{
    for (int64_t i = words; i < lines * INDEX_LINE; i++)
        level[i] = UINT64_MAX;
}

void index_finish(struct search_index *x)
{
    int64_t words = x->n;
    for (int k = 0; k < x->levels; k++) {
        fill_up(x->level[k], words, x->lines[k]);
        words = x->lines[k];
        for (int64_t i = 0; k + 1 < x->levels && i < words; i++)
            x->level[k + 1][i] = x->level[k][(i + 1) * INDEX_LINE - 1];
    }
}

/* Counts without a branch, which would be unpredictable. */
static int64_t line_below(const uint64_t *line, uint64_t word)
{
    int64_t n = 0;
    for (int i = 0; i < INDEX_LINE; i++)
        n += line[i] < word;
    return n;
}

int64_t index_below(const struct search_index *x, uint64_t word)
{
    int64_t at = 0;
    if (!x->n || x->word[x->n - 1] < word)
        return x->n;
    for (int k = x->levels - 1; k >= 0; k--)
        at = at * INDEX_LINE + line_below(x->level[k] + at * INDEX_LINE, word);
    return at;
}

int64_t index_block_for(int64_t file_bytes, int64_t block, int64_t bytes)
{
    while (block < file_bytes && index_bytes(units_div_up(file_bytes, block)) > bytes)
        block = block > INT64_MAX / 2 ? INT64_MAX : 2 * block;
    return block;
}

/* ---- a place found --------------------------------------------------------------- */

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
static enum finding_next index_settle(struct finding *f, const struct pages *p)
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
        return index_settle(f, p);
    f->page = f->low + (f->high - f->low) / 2;
    return FINDING_READ;
}
