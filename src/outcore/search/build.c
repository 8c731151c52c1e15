#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/search/search.h"
#include "run/stream/stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------- */

int64_t build_key_bytes(const struct sort_order *o)
{
    return o->key_at + o->key_bytes;
}

int64_t build_buffer_bytes(const struct pages *p, int depth)
{
    int64_t fetches = depth * fetch_slot_bytes(p);
    int slots = depth < BUILD_SCAN_SLOTS ? depth : BUILD_SCAN_SLOTS;
    int64_t record = (p->record_bytes / IO_DIRECT_ALIGN + 2) * IO_DIRECT_ALIGN;
    int64_t scan = slots * (BUILD_SCAN_BYTES + 2 * record) + IO_DIRECT_ALIGN;
    return fetches > scan ? fetches : scan;
}

static int build_open_lane(struct build_lane *l, int64_t key_bytes, int depth)
{
    l->req = mem_new(depth, sizeof *l->req, "reads");
    l->first.record = mem_new(2, key_bytes, "reads");
    if (!l->req || !l->first.record)
        return -ENOMEM;
    l->last.record = l->first.record + key_bytes;
    return 0;
}

static int64_t build_row_bytes(const struct build *b)
{
    return 2 * ((int64_t)sizeof(int64_t) + build_key_bytes(b->order));
}

int build_open(struct build *b, int ranks, int lanes, int depth)
{
    int rc = 0;
    b->lane = mem_new(lanes, sizeof *b->lane, "lanes");
    b->ranks = mem_new(ranks, build_row_bytes(b), "lanes");
    if (!b->lane || !b->ranks)
        return -ENOMEM;
    for (int i = 0; i < lanes && !rc; i++)
        rc = build_open_lane(&b->lane[i], build_key_bytes(b->order), depth);
    return rc;
}

void build_close(struct build *b, int lanes)
{
    for (int i = 0; b->lane && i < lanes; i++) {
        free(b->lane[i].req);
        free(b->lane[i].first.record);
    }
    free(b->lane);
    free(b->ranks);
    b->lane = NULL;
    b->ranks = NULL;
}

/* ---- order ----------------------------------------------------------------------- */

struct building { /* state of a lane */
    const struct build *b;
    struct build_lane *l;
    struct run_file *file;
    int64_t from, end; /* its pages */
    int64_t page;      /* scan: page whose last record comes next */
};

static int unsorted(const struct run_file *f, const struct pages *p, int64_t before,
                    int64_t after)
{
    return err_set(-EINVAL, f->path, after * p->record_bytes,
                   "the file is not sorted: the record at offset %lld has a larger key "
                   "than the one at offset %lld: sort it first (outcore sort)",
                   (long long)before * p->record_bytes,
                   (long long)after * p->record_bytes);
}

static void keep(const struct building *c, struct build_edge *e, int64_t number,
                 const void *record)
{
    e->number = number;
    memcpy(e->record, record, (size_t)build_key_bytes(c->b->order));
}

/* Checks that n consecutive records are in order with each other, and with the
 * previous ones. */
static void see(const struct building *c, int64_t first, int64_t n, const char *record)
{
    const struct sort_order *o = c->b->order;
    const struct build_edge *last = &c->l->last;
    if (c->l->first.number < 0)
        keep(c, &c->l->first, first, record);
    if (last->number >= 0 && sort_compare(o, last->record, record) > 0)
        run_fail(c->file->run, unsorted(c->file, c->b->pages, last->number, first));
    for (int64_t i = 1; i < n; i++, record += o->bytes)
        if (sort_compare(o, record, record + o->bytes) > 0) {
            run_fail(c->file->run,
                     unsorted(c->file, c->b->pages, first + i - 1, first + i));
            return;
        }
    keep(c, &c->l->last, first + n - 1, record);
}

static void set_word(const struct building *c, int64_t page, const void *record)
{
    c->b->word[page - c->b->from] = sort_word(c->b->order, record, 0);
}

/* ---- a read for each page -------------------------------------------------------- */

static struct fetch_records want_last(void *context, int64_t i, int slot)
{
    const struct building *c = context;
    (void)slot;
    return (struct fetch_records){pages_first(c->b->pages, c->from + i + 1) - 1, 1};
}

/* Takes a page's last record, which has come with others in the case of direct I/O. */
static void have_last(void *context, const struct fetched *is, int64_t i, int slot)
{
    const struct building *c = context;
    int64_t bytes = c->b->pages->record_bytes;
    int64_t number = pages_first(c->b->pages, c->from + i + 1) - 1;
    int64_t first = (is->offset + bytes - 1) / bytes;
    int64_t seen = c->l->last.number + 1;
    (void)slot;
    first = first > seen ? first : seen;
    see(c, first, number - first + 1, is->data + first * bytes - is->offset);
    set_word(c, c->from + i, is->records);
}

static void build_strided(struct building *c)
{
    struct fetch f = {.pages = c->b->pages,
                      .want = want_last,
                      .have = have_last,
                      .context = c,
                      .n = c->end - c->from,
                      .ordered = true};
    fetch_run(&f, c->file, c->l->req);
    c->l->reads += f.n;
    c->l->bytes += f.bytes;
}

/* ---- the whole file -------------------------------------------------------------- */

static void have_records(struct building *c, int64_t first, int64_t n, const char *data)
{
    int64_t last = pages_first(c->b->pages, c->page + 1) - 1;
    see(c, first, n, data);
    for (; c->page < c->end && last < first + n;
         last = pages_first(c->b->pages, ++c->page + 1) - 1)
        set_word(c, c->page, data + (last - first) * c->b->order->bytes);
}

/* The bytes of a scan: with direct I/O whole blocks, except at the end of the file. */
static int64_t bytes_of_scan(const struct run_file *f, const struct pages *p,
                             const struct run_stream_how *how)
{
    int64_t align = f->run->io_flags & IO_DIRECT ? f->run->direct_align : 1;
    int64_t size = p->records * p->record_bytes;
    int64_t begin = how->from - how->from % align, end = how->from + how->bytes;
    end += (align - end % align) % align;
    return (end < size ? end : size) - begin;
}

static void build_scan(struct building *c)
{
    const struct pages *p = c->b->pages;
    struct run_file *f = c->file;
    struct run_stream *s = NULL;
    int64_t at = pages_first(p, c->from), n = 0;
    struct run_stream_how how = {
        .op = IO_OP_READ,
        .from = at * p->record_bytes,
        .bytes = (pages_first(p, c->end) - at) * p->record_bytes,
        .slots = f->depth < BUILD_SCAN_SLOTS ? f->depth : BUILD_SCAN_SLOTS,
        .record = p->record_bytes,
        .memory = f->run->buffer};
    how.slot_bytes = run_stream_slot_bytes(f, &how, build_buffer_bytes(p, f->depth));
    c->page = c->from;
    if (how.bytes && !run_stream_open(&s, f, &how)) {
        const char *data;
        while ((data = run_stream_next(s, &n))) {
            have_records(c, at, n / p->record_bytes, data);
            at += n / p->record_bytes;
        }
        c->l->bytes += bytes_of_scan(f, p, &how);
    }
    run_stream_close(&s);
}

/* ---- all ------------------------------------------------------------------------- */

void build_words(struct run *r, void *build)
{
    struct build *b = build;
    struct building c = {.b = b, .l = &b->lane[r->lane], .file = &b->of[r->lane]};
    int64_t n = b->end - b->from;
    c.from = b->from + units_part(n, r->lane, r->lanes);
    c.end = b->from + units_part(n, r->lane + 1, r->lanes);
    c.end = c.end - c.from < b->most ? c.end : c.from + b->most;
    c.l->first.number = c.l->last.number = -1;
    c.l->reads = c.l->bytes = 0;
    if (b->scan)
        build_scan(&c);
    else
        build_strided(&c);
}

/* ---- edges ----------------------------------------------------------------------- */

/* A rank's edge: its row has the numbers of the first and the last record, and
 * both records. */
static struct build_edge edge_of(const struct build *b, int rank, bool last)
{
    char *row = b->ranks + rank * build_row_bytes(b);
    struct build_edge e = {.record = row + 2 * sizeof(int64_t) +
                                     last * build_key_bytes(b->order)};
    memcpy(&e.number, row + last * sizeof e.number, sizeof e.number);
    return e;
}

/* Local, after that. The last record of the pages of a rank. */
static struct build_edge build_last_of(const struct build *b, int rank)
{
    return edge_of(b, rank, true);
}

static void build_put_edge(const struct build *b, int rank, bool last,
                           const struct build_edge *is)
{
    struct build_edge e = edge_of(b, rank, last);
    memcpy(b->ranks + rank * build_row_bytes(b) + last * sizeof is->number, &is->number,
           sizeof is->number);
    memcpy(e.record, is->record, (size_t)build_key_bytes(b->order));
}

static void check_pair(struct run *r, const struct build *b,
                       const struct build_edge *before, const struct build_edge *after)
{
    if (before->number >= 0 && after->number >= 0 &&
        sort_compare(b->order, before->record, after->record) > 0)
        run_fail(r, unsorted(b->of, b->pages, before->number, after->number));
}

/* Combines the edges of this rank's lanes. One without pages is skipped. */
static void put_own_edges(struct run *r, const struct build *b)
{
    const struct build_edge *last = &b->lane->last;
    build_put_edge(b, r->world.rank, false, &b->lane->first);
    build_put_edge(b, r->world.rank, true, last);
    for (int i = 1; i < r->lanes; i++) {
        const struct build_lane *l = &b->lane[i];
        if (l->first.number < 0)
            continue;
        check_pair(r, b, last, &l->first);
        if (last->number < 0)
            build_put_edge(b, r->world.rank, false, &l->first);
        last = &l->last;
        build_put_edge(b, r->world.rank, true, last);
    }
}

void build_join(struct run *r, const struct build *b)
{
    struct build_edge first, before = {.number = -1};
    put_own_edges(r, b);
    enum act act = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, b->ranks, (int)build_row_bytes(b),
                  MPI_BYTE, r->world.comm);
    phase_act(r->phase, act);
    for (int i = r->world.rank - 1; i >= 0 && before.number < 0; i--)
        before = build_last_of(b, i);
    first = edge_of(b, r->world.rank, false);
    check_pair(r, b, &before, &first);
}

/* ---- look-ups of all ranks ------------------------------------------------------- */

enum { ROUND = 65536, LEAST = 64 }; /* keys: of all ranks; of a rank, at least */

static int64_t batch_of(int ranks)
{
    return ROUND / ranks > LEAST ? ROUND / ranks : LEAST;
}

int64_t share_bytes(int ranks, int64_t key_bytes)
{
    int64_t batch = batch_of(ranks), answer = (int64_t)sizeof(int64_t);
    if (ranks == 1)
        return 0;
    return (ranks + 1) * batch * (key_bytes + answer) + batch * answer +
           5 * ranks * (int64_t)sizeof(int);
}

int share_open(struct share *s, const struct build *b, int ranks)
{
    size_t batch = (size_t)batch_of(ranks), all = batch * (size_t)ranks;
    size_t bytes = (size_t)build_key_bytes(b->order);
    *s = (struct share){.build = b,
                        .key_bytes = (int64_t)bytes,
                        .batch = (int64_t)batch,
                        .key = MPI_DATATYPE_NULL};
    if (ranks == 1)
        return 0;
    s->out_keys = mem_new(batch * bytes, 1, "the look-ups of ranks");
    s->in_keys = mem_new(all * bytes, 1, "the look-ups of ranks");
    s->out_answers = mem_new(batch, sizeof *s->out_answers, "the look-ups of ranks");
    s->in_answers = mem_new(all, sizeof *s->in_answers, "the look-ups of ranks");
    s->number = mem_new(batch, sizeof *s->number, "the look-ups of ranks");
    s->out.count = mem_new(ranks * 5, sizeof *s->out.count, "the look-ups of ranks");
    if (!s->out_keys || !s->in_keys || !s->out_answers || !s->in_answers ||
        !s->number || !s->out.count)
        return -ENOMEM;
    s->out.at = s->out.count + ranks;
    s->in.count = s->out.count + 2 * ranks;
    s->in.at = s->out.count + 3 * ranks;
    s->who = s->out.count + 4 * ranks;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &s->key);
    MPI_Type_commit(&s->key);
    return 0;
}

void share_close(struct share *s)
{
    free(s->out_keys);
    free(s->in_keys);
    free(s->out_answers);
    free(s->in_answers);
    free(s->number);
    free(s->out.count);
    if (s->out.count && s->key != MPI_DATATYPE_NULL)
        MPI_Type_free(&s->key);
    memset(s, 0, sizeof *s);
}

/* ---- owners ---------------------------------------------------------------------- */

static void find_who(struct share *s, int ranks)
{
    s->who_n = 0;
    for (int i = 0; i < ranks; i++)
        if (build_last_of(s->build, i).number >= 0)
            s->who[s->who_n++] = i;
}

/* The owner of a key: the first rank whose last record is not before it; else the
 * last one. */
static int owner(const struct share *s, const char *key)
{
    int low = 0;
    for (int n = s->who_n - 1; n > 0;) {
        int half = n / 2;
        const char *last = build_last_of(s->build, s->who[low + half]).record;
        bool before = sort_compare(s->build->order, last, key) < 0;
        low = before ? low + half + 1 : low;
        n = before ? n - half - 1 : half;
    }
    return s->who[low];
}

/* ---- a round --------------------------------------------------------------------- */

static int64_t build_add_up(struct share_round *x, int ranks)
{
    int64_t sum = 0;
    for (int i = 0; i < ranks; i++) {
        x->at[i] = (int)sum;
        sum += x->count[i];
    }
    return sum;
}

/* Sorts n keys by owners. */
static void build_pack(struct share *s, int ranks, const char *keys, int64_t n)
{
    memset(s->out.count, 0, (size_t)ranks * sizeof *s->out.count);
    for (int64_t i = 0; i < n; i++) {
        s->out_answers[i] = owner(s, keys + i * s->key_bytes);
        s->out.count[s->out_answers[i]]++;
    }
    build_add_up(&s->out, ranks);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = s->out.at[s->out_answers[i]]++;
        memcpy(s->out_keys + to * s->key_bytes, keys + i * s->key_bytes,
               (size_t)s->key_bytes);
        s->number[to] = i;
    }
    build_add_up(&s->out, ranks);
}

static void build_look_up(struct run *r, struct lookups *l, const char *keys, int64_t n,
                          int64_t *answer)
{
    l->keys = keys;
    l->n = n;
    l->answer = answer;
    memset(answer, 0xff, (size_t)n * sizeof *answer);
    atomic_store(&l->next, 0);
    run_lanes(r, lookups_run, l);
}

static int64_t send_keys(struct run *r, struct share *s)
{
    MPI_Comm comm = r->world.comm;
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_barrier(comm);
    phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoall(s->out.count, 1, MPI_INT, s->in.count, 1, MPI_INT, comm);
    int64_t come = build_add_up(&s->in, r->world.size);
    MPI_Alltoallv(s->out_keys, s->out.count, s->out.at, s->key, s->in_keys, s->in.count,
                  s->in.at, s->key, comm);
    phase_act(r->phase, before);
    return come;
}

static void send_answers(struct run *r, struct share *s, int64_t n, int64_t *answer)
{
    MPI_Comm comm = r->world.comm;
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_barrier(comm);
    phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoallv(s->in_answers, s->in.count, s->in.at, MPI_INT64_T, s->out_answers,
                  s->out.count, s->out.at, MPI_INT64_T, comm);
    for (int64_t i = 0; i < n; i++)
        answer[s->number[i]] = s->out_answers[i];
    phase_act(r->phase, before);
}

/* Looks up keys in rounds. Ranks with no more keys to send continue answering. */
void share_look_up(struct run *r, struct share *s, struct lookups *l, const char *keys,
                   int64_t n, int64_t *answer)
{
    int64_t left = n;
    if (!s->who) {
        build_look_up(r, l, keys, n, answer);
        return;
    }
    find_who(s, r->world.size);
    world_reduce(r->world.comm, &left, 1, MPI_INT64_T, MPI_MAX);
    for (; left > 0; left -= s->batch) {
        int64_t now = n < s->batch ? n : s->batch;
        enum act before = phase_act(r->phase, ACT_COMMUNICATE);
        build_pack(s, r->world.size, keys, now);
        phase_act(r->phase, before);
        int64_t come = send_keys(r, s);
        build_look_up(r, l, s->in_keys, come, s->in_answers);
        send_answers(r, s, now, answer);
        keys += now * s->key_bytes;
        answer += now;
        n -= now;
    }
}
