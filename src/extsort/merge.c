/* The merge: a tree of losers (D. Knuth, The Art of Computer Programming, volume 3,
 * 5.4.1), whose nodes keep the first words of keys, so that records are hardly touched
 * before they are copied. */
#include "base/buf.h"
#include "extsort/inside.h"
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* records of a section that are prefetched */

/* ---- sources --------------------------------------------------------------------- */

static inline void prefetch_entry(const struct source *x, int64_t bytes)
{
    if (x->entry + AHEAD >= x->entry_end)
        return;
    const char *record = x->records + x->entry[AHEAD].place * bytes;
    __builtin_prefetch(record);
    __builtin_prefetch(record + bytes - 1);
    if (bytes > 64)
        __builtin_prefetch(record + 64);
}

/* Goes to a source's next record. */
static inline void source_next(const struct merge *m, struct source *x)
{
    int64_t bytes = m->s->how.order.bytes;
    if (x->entry) {
        x->at = ++x->entry < x->entry_end ? x->records + x->entry->place * bytes : NULL;
        prefetch_entry(x, bytes);
        return;
    }
    x->at += bytes;
    if (x->at == x->end)
        runs_next(m, x);
}

/* Makes the node of a source. An ended source comes after all others. */
static inline struct node merge_node_of(const struct merge *m, int64_t i)
{
    const struct sort_order *o = &m->s->how.order;
    const struct source *x = &m->source[i];
    if (!x->at)
        return (struct node){{UINT64_MAX, UINT64_MAX}, i};
    struct node node = {.source = i};
    sort_first_words(o, x->at, node.word);
    return node;
}

/* ---- the tree -------------------------------------------------------------------- */

/* Decides a match in which the first words are equal. */
static bool tie_wins(const struct merge *m, int64_t a, int64_t b)
{
    const struct source *x = &m->source[a], *y = &m->source[b];
    if (!x->at || !y->at)
        return x->at || (!y->at && a < b);
    int differ = sort_compare_from(&m->s->how.order, x->at, y->at, 2);
    return differ ? differ < 0 : a < b;
}

static inline bool wins(const struct merge *m, const struct node *a,
                        const struct node *b)
{
    if (__builtin_expect(a->word[0] == b->word[0], 0)) {
        if (__builtin_expect(a->word[1] == b->word[1], 0))
            return tie_wins(m, a->source, b->source);
        return a->word[1] < b->word[1];
    }
    return a->word[0] < b->word[0];
}

/* Exchanges two words if the mask is set, without a branch, as the winner is
 * unpredictable. */
static inline void exchange_if(uint64_t *a, uint64_t *b, uint64_t mask)
{
    uint64_t differ = (*a ^ *b) & mask;
    *a ^= differ;
    *b ^= differ;
}

/* Source i's first record plays all matches up to the root; losers stay in their
 * nodes. */
static inline void play(struct merge *m, int64_t i)
{
    struct node node = merge_node_of(m, i);
    for (int64_t t = (i + m->sources) / 2; t > 0; t /= 2) {
        struct node *other = &m->tree[t];
        uint64_t mask = 0 - (uint64_t)wins(m, other, &node);
        uint64_t a = (uint64_t)other->source, b = (uint64_t)node.source;
        exchange_if(&other->word[0], &node.word[0], mask);
        exchange_if(&other->word[1], &node.word[1], mask);
        exchange_if(&a, &b, mask);
        other->source = (int64_t)a;
        node.source = (int64_t)b;
    }
    m->tree[0] = node;
}

/* Returns the best of the nodes that source i has beaten. */
static struct node best_loser(const struct merge *m, int64_t i)
{
    int64_t t = (i + m->sources) / 2;
    struct node best = m->tree[t];
    for (t /= 2; t > 0; t /= 2)
        if (wins(m, &m->tree[t], &best))
            best = m->tree[t];
    return best;
}

/* Goes past the winner. A source that wins twice may go on winning, as input is often
 * partly in order: then one match decides, against the best of all others. */
static inline void pass_winner(struct merge *m)
{
    int64_t i = m->tree[0].source;
    source_next(m, &m->source[i]);
    if (m->rival.source >= 0) {
        struct node node = merge_node_of(m, i);
        if (wins(m, &node, &m->rival)) {
            m->tree[0] = node;
            return;
        }
        m->rival.source = -1;
    }
    play(m, i);
    if (m->tree[0].source == i && m->sources > 1)
        m->rival = best_loser(m, i);
}

/* Enters a source for the first time. Without an opponent yet, it waits for one. */
static void enter_tree(struct merge *m, int64_t i)
{
    struct node node = merge_node_of(m, i);
    for (int64_t t = (i + m->sources) / 2; t > 0; t /= 2) {
        struct node other = m->tree[t];
        if (other.source < 0) {
            m->tree[t] = node;
            return;
        }
        if (wins(m, &other, &node)) {
            m->tree[t] = node;
            node = other;
        }
    }
    m->tree[0] = node;
}

/* ---- start and end --------------------------------------------------------------- */

bool merge_before(const struct extsort *s, const uint64_t first[2], const void *record,
                  int64_t source, const struct split *split)
{
    for (int k = 0; k < extsort_sample_words(s); k++) {
        uint64_t word = k < 2 ? first[k] : sort_word(&s->how.order, record, k);
        if (word != split->word[k])
            return word < split->word[k];
    }
    return extsort_exact(s) && source <= split->source;
}

static bool source_before(const struct merge *m, int64_t i, const struct split *split)
{
    struct node node = merge_node_of(m, i);
    return merge_before(m->s, node.word, m->source[i].at, i, split);
}

/* Reads the rest of the stretches that were asked for. So they are checked to their
 * ends, and the bytes are those that were expected. */
static void drain_sources(struct merge *m)
{
    for (int64_t i = 0; i < m->sources && m->running && !m->r->failed; i++)
        while (m->source[i].at && m->source[i].stream)
            runs_next(m, &m->source[i]);
}

void merge_end(struct merge *m)
{
    for (int64_t i = 0; i < m->sources && m->running; i++)
        run_stream_close(&m->source[i].stream);
    m->sources = 0;
    m->running = m->given = false;
}

/* Starts a run at the first record that is not before `from`; returns the record's
 * place. */
static int64_t start_run(struct extsort *s, int lane, struct source *x,
                         const struct split *from, const struct split *until,
                         char *window)
{
    struct merge *m = &s->lane[lane].merge;
    int64_t i = x - m->source, begin, end;
    split_chunks(s, i, from, until, &begin, &end);
    int64_t place = begin * s->d.chunk;
    if (begin >= end)
        return place < x->run->records ? place : x->run->records;
    if (runs_read(s, lane, x, begin, end, window,
                  division_window(&s->d, &s->how, m->sources)))
        return 0;
    runs_next(m, x);
    if (!from || (extsort_exact(s) && i == from->source))
        return place;
    for (; x->at && source_before(m, i, from); place++)
        source_next(m, x);
    return place;
}

static int64_t start_section(const struct extsort *s, struct source *x, int64_t i,
                             const struct split *from, const struct split *until)
{
    const struct lane *l = sections_held(s, i);
    int64_t begin = from ? split_place(s, i, from) : 0;
    int64_t end = until ? split_place(s, i, until) : l->n;
    x->records = l->records;
    if (begin == end)
        return begin;
    x->at = sections_record(s, l, begin);
    if (s->how.order.sort)
        x->end = x->at + (end - begin) * s->how.order.bytes;
    else {
        x->entry = l->entry + begin;
        x->entry_end = l->entry + end;
    }
    return begin;
}

static char *merge_memory(const struct extsort *s, int lane)
{
    return s->memory + lane * s->d.merging + s->d.writing;
}

int merge_start(struct extsort *s, int lane, int64_t first, int64_t n,
                const struct split *from, const struct split *until, int64_t *place)
{
    struct merge *m = &s->lane[lane].merge;
    char *window = merge_memory(s, lane);
    int64_t bytes = n ? division_window(&s->d, &s->how, n) : 0;
    *place = 0;
    m->sources = n;
    m->running = s->runs.n > 0;
    m->given = false;
    m->rival.source = -1;
    m->until = m->running ? until : NULL;
    for (int64_t i = 0; i < n; i++) {
        m->source[i] =
            (struct source){.run = m->running ? &s->runs.run[first + i] : NULL};
        m->tree[i].source = -1;
    }
    for (int64_t i = 0; i < n && !m->r->failed; i++)
        *place += m->running ? start_run(s, lane, &m->source[i], from, until,
                                         window + i * bytes)
                             : start_section(s, &m->source[i], i, from, until);
    for (int64_t i = 0; i < n; i++)
        enter_tree(m, i);
    m->result = window + n * bytes;
    m->result_records = (s->d.merging - s->d.writing - n * bytes) / s->how.order.bytes;
    return m->r->failed;
}

/* ---- what comes out -------------------------------------------------------------- */

/* Goes past the record that the caller was given. */
static inline void pass_given(struct merge *m)
{
    if (!m->given)
        return;
    m->given = false;
    pass_winner(m);
}

/* Returns the next record; NULL: there is none. */
static inline const char *winner(const struct merge *m)
{
    const struct node *first = &m->tree[0];
    const char *at = m->source[first->source].at;
    if (!at || !m->until)
        return at;
    return merge_before(m->s, first->word, at, first->source, m->until) ? at : NULL;
}

static int64_t ended(struct merge *m)
{
    drain_sources(m);
    merge_end(m);
    return 0;
}

int64_t merge_take(struct merge *m, void *to, int64_t most, bool alike)
{
    int64_t bytes = m->s->how.order.bytes, n = 0;
    char *out = to;
    if (!m->sources || m->r->failed)
        return ended(m);
    pass_given(m);
    uint64_t first = m->tree[0].word[0];
    const char *record = NULL;
    for (; n < most && (record = winner(m)); n++, out += bytes) {
        if (alike && m->tree[0].word[0] != first)
            break;
        extsort_copy(out, record, bytes);
        pass_winner(m);
    }
    if (n < most && !record)
        ended(m);
    return m->r->failed ? 0 : n;
}

const void *merge_record(struct merge *m)
{
    if (m->sources && !m->r->failed)
        pass_given(m);
    const char *record = m->sources && !m->r->failed ? winner(m) : NULL;
    m->given = record;
    if (!record)
        ended(m);
    return record;
}
