/* Descriptors compared with lists of bytes: random ones, and those of workloads. */
#include "tap.h"

#include "algebra/descriptor.h"

enum { BYTES = 8192, RANKS = 16 };

static int64_t any(int64_t low, int64_t high)
{
    return low + rand() % (high - low + 1);
}

/* ---- by counting ----------------------------------------------------------- */

struct count {
    unsigned char times[BYTES];
};

static void count_chunk(int64_t at, int64_t size, int64_t end, struct count *c)
{
    for (int64_t i = at; i < at + size && i < end; i++)
        c->times[i] = (unsigned char)(c->times[i] < 2 ? c->times[i] + 1 : 2);
}

static void count_level(const struct ldad *d, int level, int64_t at, int64_t size,
                        int64_t end, struct count *c)
{
    if (level == d->levels) {
        count_chunk(at, size, end, c);
        return;
    }
    const struct ldad_level *l = &d->level[level];
    for (int64_t i = 0; i < l->span / l->stride; i++)
        count_level(d, level + 1, at + i * l->stride, size, end, c);
}

static void count_bytes(const struct ldad *d, struct count *c)
{
    memset(c, 0, sizeof *c);
    count_level(d, 0, d->start, d->size, INT64_MAX, c);
}

/* Counts how often each rank names each byte; false: there is not enough room. */
static bool count_ranks(const struct ldad_plan *p, struct count c[RANKS])
{
    if (p->ranks > RANKS)
        return false;
    for (int64_t r = 0; r < p->ranks; r++) {
        struct ldad d = p->each;
        int64_t rest = r, size = d.size;
        for (int i = p->digits - 1; i >= 0; i--) {
            d.start += rest % p->digit[i].count * p->digit[i].step;
            rest /= p->digit[i].count;
        }
        if (p->starts) {
            d.start += p->starts[r];
            if (r + 1 < p->ranks && size > p->starts[r + 1] - p->starts[r])
                size = p->starts[r + 1] - p->starts[r];
        }
        if (ldad_high(&d) > BYTES)
            return false;
        memset(&c[r], 0, sizeof c[r]);
        count_level(&d, 0, d.start, size, p->end, &c[r]);
    }
    return true;
}

/* ---- random descriptors ---------------------------------------------------- */

/* Draws a stride: within another, adjacent, of one kind, or anything. */
static int64_t any_stride(const struct ldad *d, int how)
{
    int64_t extent = ldad_high(d) - ldad_low(d);
    switch (how) {
    case 0:
        return extent + any(0, 3);
    case 1:
        return extent;
    case 2:
        return d->size * any(1, 12);
    case 3:
        return any(1, 12) * 6 * (rand() % 2 ? 1 : -1);
    default:
        return any(1, 90) * (rand() % 4 ? 1 : -1);
    }
}

static struct ldad any_ldad(void)
{
    struct ldad d;
    do {
        int how = rand() % 6, levels = rand() % 5;
        d = (struct ldad){.start = any(0, 1500), .size = any(1, 12)};
        for (int i = 0; i < levels; i++)
            if (ldad_repeat(&d, any(1, 5), any_stride(&d, how == 5 ? rand() % 5 : how)))
                err_clear();
        for (int i = d.levels - 1; i > 0 && rand() % 3 == 0; i--) { /* order of loops */
            int k = rand() % (i + 1);
            struct ldad_level l = d.level[i];
            d.level[i] = d.level[k];
            d.level[k] = l;
        }
    } while (ldad_high(&d) > BYTES);
    return d;
}

static int64_t any_starts[RANKS];

/* Draws a plan of any kind; a step may lie within, between or around the levels. */
static struct ldad_plan any_plan(void)
{
    struct ldad_plan p = {.end = INT64_MAX, .ranks = 1};
    struct ldad all;
    int how = rand() % 6, levels = rand() % 5, digit[2] = {rand() % 6, rand() % 6};
    all = p.each = (struct ldad){.start = any(0, 20), .size = any(1, 8)};
    /* levels of the union from inside, some of them of ranks */
    for (int i = 0; i < 6; i++) {
        int64_t count = any(1, 4);
        int64_t stride = any_stride(&all, how == 5 ? rand() % 5 : how);
        bool of_rank = i == digit[0] || i == digit[1];
        if ((!of_rank && levels-- <= 0) || ldad_repeat(&all, count, stride)) {
            err_clear();
            continue;
        }
        if (of_rank) {
            p.digit[p.digits++] = (struct ldad_digit){count, rand() % 40 ? stride : 0};
            p.ranks *= count;
        } else if (ldad_repeat(&p.each, count, stride)) {
            err_clear();
        }
    }
    if (rand() % 3 == 0)
        p.end = any(1, ldad_high(&all) + 3);
    if (rand() % 4)
        return p;
    p.digits = 0;
    p.ranks = any(1, 6);
    p.starts = any_starts;
    int64_t most = any(2, rand() % 2 ? 20 : 200);
    for (int64_t r = 1; r < p.ranks; r++)
        any_starts[r] = any_starts[r - 1] + any(1, most);
    if (p.each.levels && rand() % 2) /* room between the periods */
        p.each.levels = 0,
        ldad_repeat(&p.each, 3, any_starts[p.ranks - 1] + p.each.size + any(0, 4));
    ldad_normal(&p.each, &p.each);
    return p;
}

static void show(const struct ldad_plan *p)
{
    char text[LDAD_TEXT];
    ldad_plan_print(text, sizeof text, p);
    tap_diag("%s", text);
}

static void show_one(const struct ldad *d)
{
    char text[LDAD_TEXT];
    ldad_print(text, sizeof text, d);
    tap_diag("%s", text);
}

/* ---- one descriptor -------------------------------------------------------- */

static bool same_plan(const struct ldad_plan *a, const struct ldad_plan *b)
{
    bool same = ldad_same(&a->each, &b->each) && a->ranks == b->ranks &&
                a->digits == b->digits && a->end == b->end && !a->starts == !b->starts;
    for (int i = 0; i < a->digits && same; i++)
        same = a->digit[i].count == b->digit[i].count &&
               a->digit[i].step == b->digit[i].step;
    for (int64_t r = 0; a->starts && r < a->ranks && same; r++)
        same = a->starts[r] == b->starts[r];
    return same;
}

static bool same_count(const struct ldad *a, const struct ldad *b)
{
    static struct count x, y;
    count_bytes(a, &x);
    count_bytes(b, &y);
    return !memcmp(&x, &y, sizeof x);
}

static bool chunks_are(const struct ldad *d)
{
    static struct count x, y;
    count_bytes(d, &x);
    memset(&y, 0, sizeof y);
    for (int64_t i = 0; i < ldad_chunks(d); i++)
        count_chunk(ldad_chunk(d, i), d->size, INT64_MAX, &y);
    return !memcmp(&x, &y, sizeof x);
}

static bool order_is(const struct ldad *n, const struct count *c)
{
    int64_t before = 0;
    for (int64_t i = 0; i < BYTES; i++) {
        if (ldad_before(n, i) != before || c->times[i] > 1)
            return false;
        if (c->times[i] && ldad_at(n, before) != i)
            return false;
        before += c->times[i];
    }
    return before == ldad_bytes(n) && ldad_before(n, INT64_MAX) == before;
}

static void test_normal(void)
{
    static struct count c;
    int tried = 0, bad = 0, nested = 0;

    for (int i = 0; i < 20000; i++, tried++) {
        struct ldad d = any_ldad(), n;
        int64_t low = 0, high = BYTES;
        bool ordered = ldad_normal(&d, &n);
        count_bytes(&d, &c);
        while (!c.times[low])
            low++;
        while (!c.times[high - 1])
            high--;
        nested += ordered;
        bool good = low == ldad_low(&d) && high == ldad_high(&d) && low == n.start &&
                    same_count(&d, &n) && ldad_bytes(&d) == ldad_bytes(&n) &&
                    chunks_are(&d) && (!ordered || order_is(&n, &c));
        if (!good && !bad++)
            show_one(&d);
    }
    tap_ok(bad == 0 && nested > tried / 4 && nested < tried,
           "%d random descriptors, %d of them in order: same bytes in normal form, and "
           "each is where it says",
           tried, nested);
}

struct tally {
    int yes, no, cannot, wrong;
};

static bool tally_add(struct tally *t, enum ldad_answer a, bool truth)
{
    bool wrong = a != LDAD_CANNOT_TELL && (a == LDAD_YES) != truth;
    t->yes += a == LDAD_YES;
    t->no += a == LDAD_NO;
    t->cannot += a == LDAD_CANNOT_TELL;
    t->wrong += wrong;
    return !wrong;
}

static void tally_tell(const struct tally *t, double most, const char *what)
{
    int all = t->yes + t->no + t->cannot;
    tap_ok(!t->wrong && t->yes > 100 && t->no > 100 && t->cannot <= most * all,
           "%s: %d yes, %d no, %.2f %% cannot tell, %d wrong", what, t->yes, t->no,
           100.0 * t->cannot / all, t->wrong);
}

static void test_single(void)
{
    static struct count c;
    struct tally t = {0};

    for (int i = 0; i < 20000; i++) {
        struct ldad d = any_ldad();
        bool twice = false;
        count_bytes(&d, &c);
        for (int k = 0; k < BYTES; k++)
            twice = twice || c.times[k] > 1;
        if (!tally_add(&t, ldad_single(&d), !twice))
            show_one(&d);
    }
    tally_tell(&t, 0, "no byte of a descriptor twice");
}

static bool share(const struct count *a, const struct count *b)
{
    for (int i = 0; i < BYTES; i++)
        if (a->times[i] && b->times[i])
            return true;
    return false;
}

static void test_disjoint(void)
{
    static struct count x, y;
    struct tally t = {0};

    for (int i = 0; i < 20000; i++) {
        struct ldad a = any_ldad(), b = any_ldad();
        if (rand() % 2) { /* of one shape */
            b = a;
            int64_t room = BYTES - ldad_high(&a);
            b.start += any(0, room < 40 ? room : 40);
        }
        count_bytes(&a, &x);
        count_bytes(&b, &y);
        if (!tally_add(&t, ldad_disjoint(&a, &b), !share(&x, &y)))
            show_one(&a), show_one(&b);
    }
    tally_tell(&t, 0, "two descriptors have no byte in common");
}

/* Compares descriptors with long strides that are unrelated. */
static void test_disjoint_long(void)
{
    struct tally t = {0};

    for (int i = 0; i < 3000; i++) {
        struct ldad a = {.start = any(0, 100000), .size = any(1, 9)}, b = a;
        b.start = any(0, 100000);
        ldad_repeat(&a, any(1, 4000), any(9, 30000));
        ldad_repeat(&b, any(1, 4000), any(9, 30000));
        bool truth = true;
        int64_t k = 0, n = ldad_chunks(&b);
        for (int64_t j = 0; j < ldad_chunks(&a); j++) { /* both rise */
            int64_t at = ldad_chunk(&a, j);
            while (k < n && ldad_chunk(&b, k) + b.size <= at)
                k++;
            truth = truth && (k == n || ldad_chunk(&b, k) >= at + a.size);
        }
        if (!tally_add(&t, ldad_disjoint(&a, &b), truth))
            show_one(&a), show_one(&b);
    }
    tally_tell(&t, 0, "two of one level, of thousands of chunks");
}

/* ---- all ranks ------------------------------------------------------------- */

static struct count rank_count[RANKS];

static bool disjoint_by_count(const struct ldad_plan *p)
{
    for (int i = 0; i < BYTES; i++) {
        int ranks = 0;
        for (int64_t r = 0; r < p->ranks; r++)
            ranks += rank_count[r].times[i] > 0;
        if (ranks > 1)
            return false;
    }
    return true;
}

static bool tiles_by_count(int64_t ranks, int64_t begin, int64_t end)
{
    for (int64_t i = 0; i < BYTES; i++) {
        int times = 0;
        for (int64_t r = 0; r < ranks; r++)
            times += rank_count[r].times[i];
        if (times != (i >= begin && i < end))
            return false;
    }
    return true;
}

static int64_t first_by_count(const struct ldad_plan *p, bool last)
{
    for (int64_t k = 0; k < BYTES; k++)
        for (int64_t r = 0, i = last ? BYTES - 1 - k : k; r < p->ranks; r++)
            if (rank_count[r].times[i])
                return i;
    return -1;
}

static void test_plans(void)
{
    struct tally apart = {0}, tile = {0}, table = {0};

    for (int i = 0; i < 20000; i++) {
        struct ldad_plan p = any_plan();
        if (ldad_plan_check(&p) || !count_ranks(&p, rank_count)) {
            err_clear();
            continue;
        }
        int64_t low = first_by_count(&p, false), high = first_by_count(&p, true) + 1;
        if (low < 0)
            continue;
        if (rand() % 6 == 0)
            high += any(-2, 2);
        if (rand() % 12 == 0)
            low += any(-1, 1);
        bool good = tally_add(p.starts ? &table : &apart, ldad_plan_disjoint(&p),
                              disjoint_by_count(&p));
        if (low >= 0 && high > low)
            good = tally_add(&tile, ldad_plan_tiles(&p, low, high),
                             tiles_by_count(p.ranks, low, high)) &&
                   good;
        if (!good)
            show(&p);
    }
    tally_tell(&apart, 0.1, "no byte is two ranks'");
    tally_tell(&table, 0.1, "no byte is two ranks', with a table of starts");
    tally_tell(&tile, 0.1, "ranks tile a range");
}

/* True if the runs of the map are those found by counting. */
static bool runs_are(const struct ldad_map *m, int64_t ranks)
{
    static int64_t whose[BYTES], at[BYTES];
    int64_t next[RANKS] = {0};
    for (int64_t i = 0; i < BYTES; i++) {
        whose[i] = -1;
        at[i] = 0;
        for (int64_t r = 0; r < ranks; r++)
            if (rank_count[r].times[i]) {
                whose[i] = r;
                at[i] = next[r]++;
            }
    }
    for (int64_t r = 0; r < ranks; r++)
        if (ldad_map_bytes(m, r) != next[r] || ldad_map_offset(m, r, next[r]) != -1)
            return false;
    for (int64_t i = 0; i < BYTES;) {
        int64_t most = rand() % 3 ? BYTES - i : any(1, BYTES - i), n = 1, landed;
        while (n < most && whose[i + n] == whose[i])
            n++;
        struct ldad_run run = ldad_map_run(m, i, most);
        if (run.offset != i || run.bytes != n || run.rank != whose[i] ||
            run.at != at[i])
            return false;
        for (int64_t k = i; k < i + n && whose[i] >= 0; k++)
            if (ldad_map_offset(m, whose[i], at[k]) != k)
                return false;
        for (int64_t r = -1; r <= ranks; r++) {
            bool lands = ldad_map_lands(m, r, i, n, &landed);
            if (lands != (r >= 0 && r == whose[i]) || (lands && landed != at[i]))
                return false;
            if (n < most && ldad_map_lands(m, r, i, n + 1, &landed))
                return false;
        }
        i += n;
    }
    return true;
}

static void test_maps(void)
{
    int tried = 0, bad = 0, maps = 0, tables = 0;

    for (int i = 0; i < 8000; i++) {
        struct ldad_plan p = any_plan();
        struct ldad_map m;
        if (ldad_plan_check(&p) || !count_ranks(&p, rank_count)) {
            err_clear();
            continue;
        }
        tried++;
        if (ldad_map_make(&m, &p)) {
            bad += !err_get()->code;
            err_clear();
            continue;
        }
        maps++;
        tables += p.starts != NULL;
        if ((!disjoint_by_count(&p) || !runs_are(&m, p.ranks)) && !bad++)
            show(&p);
    }
    tap_ok(
        bad == 0 && maps > 1000 && tables > 200 && maps < tried,
        "%d maps (%d by a table) of %d plans: each byte is whose and where they say, "
        "and back; runs are as long as they can be",
        maps, tables, tried);
}

/* ---- relations ------------------------------------------------------------- */

static enum ldad_relation relation(const char *plan)
{
    struct ldad_plan p;
    err_clear();
    if (ldad_plan_parse(plan, &p)) {
        err_print(stderr, "ldad", err_get());
        return LDAD_UNRESOLVED;
    }
    enum ldad_relation r = ldad_plan_relation(&p);
    ldad_plan_free(&p);
    return r;
}

static void relation_is(const char *plan, enum ldad_relation expected)
{
    enum ldad_relation r = relation(plan);
    tap_ok(r == expected, "%s: %s", plan, ldad_relation_text(expected));
    if (r != expected)
        tap_diag("it is said to be %s", ldad_relation_text(r));
}

static void test_relations(void)
{
    /* A loop over chunks, with the count in bytes and in elements of eight bytes. */
    relation_is("ranks=4 step=4096 start=0 [span=32768 stride=16384 size=32768]",
                LDAD_OVERLAPPED);
    relation_is("ranks=4 step=32768 start=0 [span=262144 stride=131072 size=32768]",
                LDAD_INTERLEAVED);
    relation_is("ranks=4 step=1048576 start=0 [size=1048576]", LDAD_SEGMENTED);
    relation_is("ranks=4 step=800 start=0 [size=1000]", LDAD_HALO);
    relation_is("ranks=4 step=-800 start=4000 [size=1000]", LDAD_HALO);
    relation_is("ranks=4 step=400 start=0 [size=1000]", LDAD_OVERLAPPED);
    relation_is("ranks=4 step=0 start=0 [size=1000]", LDAD_OVERLAPPED);
    relation_is("ranks=2x4 step=0,800 start=0 [size=1000]", LDAD_OVERLAPPED);
    relation_is("ranks=1 step=0 start=0 [size=1000]", LDAD_ALONE);
    /* Columns of a matrix of 1024 rows, and blocks of a matrix. */
    relation_is("ranks=4 step=2048 start=0 [span=8388608 stride=8192 size=2048]",
                LDAD_INTERLEAVED);
    relation_is("ranks=2x4 step=524288,2048 start=0 [span=524288 stride=8192 "
                "size=2048]",
                LDAD_INTERLEAVED);
    relation_is("ranks=3 starts=0,400,700 end=1000 start=0 [size=400]", LDAD_SEGMENTED);
    relation_is("ranks=3 starts=0,4,7 start=0 [span=100 stride=10 size=3]",
                LDAD_INTERLEAVED);
    relation_is("ranks=3 starts=0,4,8 start=0 [span=100 stride=10 size=3]",
                LDAD_OVERLAPPED);
}

/* Counts a list's bytes, in its order, and compares first and last bytes to see if
 * regions mix. */
static bool list_is(const struct ldad *list, int n, enum ldad_relation r)
{
    struct count *c = rank_count;
    bool apart = true, mixed = false;
    for (int i = 0; i < n; i++) {
        count_bytes(&list[i], &c[i]);
        for (int k = 0; k < i; k++) {
            apart = apart && !share(&c[i], &c[k]);
            mixed = mixed || (ldad_low(&list[i]) < ldad_high(&list[k]) &&
                              ldad_low(&list[k]) < ldad_high(&list[i]));
        }
    }
    switch (r) {
    case LDAD_ALONE:
        return n == 1;
    case LDAD_SEGMENTED:
        return apart && !mixed;
    case LDAD_INTERLEAVED:
        return apart && mixed;
    case LDAD_HALO:
    case LDAD_OVERLAPPED:
        return !apart;
    default:
        return true;
    }
}

static int make_list(struct ldad *list)
{
    struct ldad_plan p = any_plan();
    int n = (int)(p.ranks < RANKS ? p.ranks : RANKS);
    if (ldad_plan_check(&p)) {
        err_clear();
        return 0;
    }
    for (int i = 0; i < n; i++) {
        list[i] = ldad_plan_rank(&p, i);
        struct ldad_level *l = &list[i].level[0];
        if (list[i].levels && rand() % 8 == 0 && l->span != l->stride)
            l->span -= l->stride; /* one chunk less */
        if (rand() % 20 == 0)
            list[i].start += any(0, 9);
        if (ldad_high(&list[i]) > BYTES)
            return 0;
    }
    for (int i = 0; i < n; i++) {
        struct ldad swap = list[i];
        int k = rand() % n;
        list[i] = list[k];
        list[k] = swap;
    }
    return n;
}

static void test_lists(void)
{
    struct ldad list[RANKS];
    struct tally tile = {0};
    int tried = 0, bad = 0, many[LDAD_UNRESOLVED + 1] = {0};

    for (int i = 0; i < 20000; i++) {
        int n = make_list(list);
        if (!n)
            continue;
        enum ldad_relation r = ldad_list_relation(list, n);
        tried++;
        many[r]++;
        int64_t low = list[0].start, high = 0;
        for (int k = 0; k < n; k++)
            high = ldad_high(&list[k]) > high ? ldad_high(&list[k]) : high;
        high += rand() % 8 == 0;
        bool good = list_is(list, n, r);
        good = tally_add(&tile, ldad_list_tiles(list, n, low, high),
                         tiles_by_count(n, low, high)) &&
               good;
        if (!good && !bad++)
            for (int k = 0; k < n; k++)
                show_one(&list[k]);
    }
    tally_tell(&tile, 0.01, "lists tile a range");
    tap_ok(bad == 0 && many[LDAD_SEGMENTED] > 100 && many[LDAD_INTERLEAVED] > 100 &&
               many[LDAD_OVERLAPPED] > 100,
           "%d lists: %d segmented, %d interleaved, %d halo, %d overlapped, %d "
           "unresolved, %d wrong",
           tried, many[LDAD_SEGMENTED], many[LDAD_INTERLEAVED], many[LDAD_HALO],
           many[LDAD_OVERLAPPED], many[LDAD_UNRESOLVED], bad);
}

/* Regions of a thousand ranks with a row of each neighbour, except at the ends. */
static void test_halo_list(void)
{
    enum { N = 1000 };
    static struct ldad list[N];
    for (int i = 0; i < N; i++)
        list[i] = (struct ldad){.start = i ? i * 800 - 100 : 0,
                                .size = i && i < N - 1 ? 1000 : 900};
    tap_ok(ldad_list_relation(list, N) == LDAD_HALO, "rows of neighbours are a halo");
    list[4].size += 700;
    tap_ok(ldad_list_relation(list, N) == LDAD_OVERLAPPED, "more than that is none");
}

/* ---- workloads ------------------------------------------------------------- */

/* True if the chunk at `at` belongs to that rank, at that place of its bytes. */
static bool is_run(const struct ldad_map *m, int64_t at, int64_t bytes, int64_t rank,
                   int64_t position)
{
    struct ldad_run r = ldad_map_run(m, at, INT64_MAX - at);
    return r.bytes == bytes && r.rank == rank && r.at == position;
}

static void test_cyclic(void)
{
    struct ldad_plan p;
    struct ldad_map m;
    int64_t row = 16384, rows = 16385, end = 4096 + rows * row - 100;

    err_clear();
    tap_ok(!ldad_plan_cyclic(&p, 24, 4096, rows * row - 100, row) &&
               !ldad_map_make(&m, &p) && ldad_plan_relation(&p) == LDAD_INTERLEAVED &&
               ldad_plan_tiles(&p, 4096, end) == LDAD_YES &&
               ldad_plan_tiles(&p, 4096, end + 1) == LDAD_NO,
           "rows of an image in turn, the last one short");
    tap_ok(is_run(&m, 4096 + 16384 * row, row - 100, 16384 % 24, 16384 / 24 * row) &&
               is_run(&m, 4096 + 16383 * row + 5, row - 5, 16383 % 24,
                      16383 / 24 * row + 5) &&
               is_run(&m, end, INT64_MAX - end, -1, 0) && is_run(&m, 0, 4096, -1, 0),
           "whose its last rows are");
    tap_ok(!ldad_plan_blocks(&p, 24, 0, rows * row, row) && !ldad_map_make(&m, &p) &&
               ldad_plan_relation(&p) == LDAD_SEGMENTED &&
               ldad_plan_tiles(&p, 0, rows * row) == LDAD_YES &&
               ldad_map_bytes(&m, 23) == (rows - 23 * 683) * row &&
               is_run(&m, 683 * row, 683 * row, 1, 0),
           "an image in bands, the last one with fewer rows");
    tap_ok(!ldad_plan_blocks(&p, 4, 0, 5, 2) && !ldad_map_make(&m, &p) &&
               ldad_map_bytes(&m, 2) == 1 && ldad_map_bytes(&m, 3) == 0,
           "more ranks than there are units");
    p = (struct ldad_plan){.ranks = 1, .each = {.size = 4}, .end = INT64_MAX};
    ldad_repeat(&p.each, 2, 10);
    ldad_repeat(&p.each, 3, 14);
    tap_ok(!ldad_map_make(&m, &p) && is_run(&m, 10, 8, 0, 4) && is_run(&m, 4, 6, -1, 0),
           "a run goes on from the end of one level to the next");
}

/* Plans rows of two sizes: the first 300 ranks have one more than the others. */
static void test_balanced(void)
{
    enum { N = 1000 };
    static int64_t starts[N];
    struct ldad_plan p = {.ranks = N, .starts = starts, .each = {.size = 3 * 512}};
    struct ldad_map m;
    int bad = 0;

    for (int r = 1; r < N; r++)
        starts[r] = starts[r - 1] + (r <= 300 ? 3 : 2) * 512;
    p.end = starts[N - 1] + 2 * 512;
    tap_ok(!ldad_map_make(&m, &p) && ldad_plan_tiles(&p, 0, p.end) == LDAD_YES &&
               ldad_plan_tiles(&p, 0, p.end - 1) == LDAD_NO,
           "regions of two sizes, by a table, tile the file");
    for (int r = 0; r < N; r++)
        bad += ldad_map_bytes(&m, r) != (r < 300 ? 3 : 2) * 512 ||
               !is_run(&m, starts[r], ldad_map_bytes(&m, r), r, 0);
    tap_ok(bad == 0, "each of %d ranks has its own", N);
}

/* ---- offsets --------------------------------------------------------------- */

struct found {
    int many;
    struct ldad last;
    int64_t repeats, bytes;
    struct count count;
};

static int on_found(void *arg, const struct ldad *d, int64_t repeats)
{
    struct found *f = arg;
    f->many++;
    f->last = *d;
    f->repeats = repeats;
    f->bytes += repeats * ldad_bytes(d);
    for (int64_t i = 0; i < repeats && ldad_high(d) <= BYTES; i++)
        count_level(d, 0, d->start, d->size, INT64_MAX, &f->count);
    return ldad_check(d);
}

/* Draws a pattern as in programs, whose parts do not touch by chance. */
static struct ldad any_pattern(void)
{
    struct ldad d = {.start = any(0, 500), .size = any(1, 9)};
    int levels = (int)any(0, 3);
    for (int i = 0; i < levels; i++) {
        int64_t extent = ldad_high(&d) - ldad_low(&d);
        ldad_repeat(&d, any(3, 5), extent + 10 * i + any(1, 9));
    }
    return d;
}

static void test_finder(void)
{
    static struct found got;
    static struct count c;
    int bad = 0, lost = 0, tried = 0;

    for (int i = 0; i < 3000; i++, tried++) {
        struct ldad d = any_pattern();
        struct ldad_finder f = {.found = on_found, .arg = &got};
        int64_t times = any(1, 3), cut = any(0, 1) ? d.size : 1;
        got = (struct found){0};
        for (int64_t k = 0; k < times * ldad_chunks(&d); k++)
            for (int64_t b = 0; b < d.size; b += cut)
                ldad_finder_add(&f, ldad_chunk(&d, k % ldad_chunks(&d)) + b, cut);
        struct ldad n;
        ldad_normal(&d, &n);
        bad += ldad_finder_end(&f) || got.bytes != times * ldad_bytes(&d);
        bool same = got.many == 1 && ldad_same(&got.last, &n) && got.repeats == times;
        if (!same && !bad++)
            show_one(&d), show_one(&got.last);
    }
    tap_ok(bad == 0, "%d patterns, some several times, are found in their offsets",
           tried);
    for (int i = 0; i < 3000; i++) {
        struct ldad_finder f = {.found = on_found, .arg = &got};
        int64_t bytes = 0;
        memset(&c, 0, sizeof c);
        got = (struct found){0};
        for (int k = 0; k < 4; k++) {
            struct ldad d = any_ldad();
            bytes += ldad_bytes(&d);
            count_level(&d, 0, d.start, d.size, INT64_MAX, &c);
            for (int64_t n = 0; n < ldad_chunks(&d); n++)
                ldad_finder_add(&f, ldad_chunk(&d, n), d.size);
        }
        lost += ldad_finder_end(&f) || bytes != got.bytes ||
                memcmp(&c, &got.count, sizeof c) != 0;
    }
    tap_ok(lost == 0, "whatever comes, what is found has the same bytes");
}

/* ---- text ------------------------------------------------------------------ */

static void test_text(void)
{
    char text[LDAD_TEXT], again[LDAD_TEXT], plan[2 * LDAD_TEXT];
    int bad = 0, long_ones = 0;

    err_clear();
    for (int i = 0; i < 20000; i++) {
        struct ldad d = any_ldad(), e;
        struct ldad_plan p = any_plan(), q;
        ldad_print(text, sizeof text, &d);
        bad += ldad_parse(text, &e) || !ldad_same(&d, &e);
        if (ldad_plan_check(&p)) {
            err_clear();
            continue;
        }
        ldad_plan_print(plan, sizeof plan, &p);
        bool same = !ldad_plan_parse(plan, &q) && same_plan(&p, &q);
        if (!same && !bad++)
            show(&p);
        ldad_plan_print(again, sizeof again, &q);
        bad += ldad_plan_print(NULL, 0, &p) != (int64_t)strlen(plan) ||
               strcmp(plan, again) != 0;
        ldad_plan_free(&q);
    }
    tap_ok(bad == 0, "what is printed is read as what it was");
    struct ldad d = {INT64_MAX, INT64_MIN, LDAD_LEVELS, {{0, 0}}};
    for (int i = 0; i < LDAD_LEVELS; i++)
        d.level[i] = (struct ldad_level){INT64_MIN, INT64_MIN};
    struct ldad_plan p = {INT64_MAX, d, 3, {{0, 0}}, NULL, INT64_MAX - 1};
    for (int i = 0; i < LDAD_DIGITS; i++)
        p.digit[i] = (struct ldad_digit){INT64_MIN, INT64_MIN};
    long_ones = (int)ldad_plan_print(text, sizeof text, &p);
    tap_ok(long_ones < LDAD_TEXT && long_ones == (int)strlen(text),
           "the longest text, of %d characters, has room", long_ones);
}

static void text_is(const char *text, const char *expected)
{
    struct ldad d;
    char out[LDAD_TEXT] = "";
    err_clear();
    if (!ldad_parse(text, &d))
        ldad_print(out, sizeof out, &d);
    tap_ok(!strcmp(out, expected), "\"%s\" is read", text);
}

static void refused(const char *text, int code, const char *sentence)
{
    struct ldad d;
    struct ldad_plan p;
    err_clear();
    int rc =
        !strncmp(text, "ranks", 5) ? ldad_plan_parse(text, &p) : ldad_parse(text, &d);
    tap_ok(tap_refused(rc, code, sentence), "\"%s\" is refused", text);
}

static void test_bad_text(void)
{
    text_is("start=4096 [size=65536]", "start=4096 [size=65536]");
    text_is(" start=0[ span=40  stride=10[size=2]] ",
            "start=0 [span=40 stride=10 size=2]");
    text_is("start=0 [span=40 stride=20 [span=20 stride=10 size=2]]",
            "start=0 [span=40 stride=20 [span=20 stride=10 size=2]]");
    refused("", -EINVAL, "start=");
    refused("start=", -EINVAL, "a number is expected at character 7");
    refused("start= 4 [size=2]", -EINVAL, "a number");
    refused("start=0 size=2", -EINVAL, "[ is expected");
    refused("start=0 [size=2", -EINVAL, "] is expected");
    refused("start=0 [size=2]]", -EINVAL, "the end");
    refused("start=0 [span=40 size=2]", -EINVAL, "stride=");
    refused("start=0 [span=40 stride=10]", -EINVAL, "size=");
    refused("start=0 [span=45 stride=10 size=2]", -EINVAL, "strides");
    refused("start=0 [span=0 stride=10 size=2]", -EINVAL, "strides");
    refused("start=0 [span=10 stride=0 size=2]", -EINVAL, "strides");
    refused("start=0 [size=0]", -EINVAL, "one byte");
    refused("start=-1 [size=1]", -EINVAL, "before the file");
    refused("start=5 [span=-20 stride=-10 size=1]", -EINVAL, "before the file");
    refused("start=9223372036854775808 [size=1]", -EOVERFLOW, "63 bits");
    refused("start=9223372036854775807 [size=1]", -EOVERFLOW, "2^63");
    refused("start=0 [span=9223372036854775807 stride=1 size=2]", -EOVERFLOW, "2^63");
    refused("start=0 [span=-9223372036854775808 stride=-1 size=2]", -EINVAL, "strides");
    refused("start=0 [span=2 stride=2 [span=2 stride=2 [span=2 stride=2 [span=2 "
            "stride=2 [span=2 stride=2 [span=2 stride=2 [span=2 stride=2 [span=2 "
            "stride=2 [span=2 stride=2 size=1]]]]]]]]]",
            -EINVAL, "no further level");
    refused("ranks=4 start=0 [size=1]", -EINVAL, "step= or starts=");
    refused("ranks=0 step=1 start=0 [size=1]", -EINVAL, "at least one rank");
    refused("ranks=2x0 step=1,1 start=0 [size=1]", -EINVAL, "at least one rank");
    refused("ranks=2x2x2x2 step=1,1,1,1 start=0 [size=1]", -EINVAL, "step=");
    refused("ranks=2x2 step=1 start=0 [size=1]", -EINVAL, "a comma");
    refused("ranks=3 starts=0,5 start=0 [size=1]", -EINVAL, "a start for each rank");
    refused("ranks=4000000000 starts=0,5 start=0 [size=1]", -EINVAL, "for each rank");
    refused("ranks=3 starts=0,5,x start=0 [size=1]", -EINVAL, "a number");
    refused("ranks=3 starts=0,5,5 start=0 [size=1]", -EINVAL, "larger");
    refused("ranks=2 starts=1,5 start=0 [size=1]", -EINVAL, "must be 0");
    refused("ranks=2 starts=0,5 start=0 [span=6 stride=2 size=2]", -EINVAL, "touch");
    refused("ranks=2 step=-1 start=0 [size=1]", -EINVAL, "before the file");
    refused("ranks=2 step=1 end=0 start=0 [size=1]", -EINVAL, "no bytes");
    refused("ranks=9223372036854775807 step=2 start=0 [size=1]", -EOVERFLOW, "2^63");
    refused("ranks=4294967296x4294967296 step=1,1 start=0 [size=1]", -EINVAL, "rank");
    refused("ranks=2 starts=0,9223372036854775807 start=0 [size=1]", -EOVERFLOW,
            "2^63");
}

/* ---- size ------------------------------------------------------------------ */

static void test_large(void)
{
    struct ldad_plan p;
    struct ldad_map m;
    const int64_t k = INT64_C(1) << 40, all = INT64_MAX / (k << 10) * (k << 10);
    int64_t at;

    err_clear();
    tap_ok(!ldad_plan_cyclic(&p, 1 << 20, 0, all, 1 << 20) && !ldad_map_make(&m, &p) &&
               ldad_plan_tiles(&p, 0, all) == LDAD_YES &&
               is_run(&m, all - 1, 1, (1 << 20) - 1, all / (1 << 20) - 1) &&
               ldad_map_offset(&m, (1 << 20) - 1, all / (1 << 20) - 1) == all - 1,
           "a million ranks and 2^63 bytes");
    tap_ok(!ldad_map_lands(&m, 0, INT64_MAX - 5, 100, &at) &&
               !ldad_map_lands(&m, 0, -1, 1, &at) &&
               !ldad_map_lands(&m, 0, all - 1, 100, &at),
           "transfers beyond the end land nowhere");
    tap_ok(ldad_plan_cyclic(&p, INT64_C(1) << 32, 0, 1, INT64_C(1) << 32) ==
                   -EOVERFLOW &&
               ldad_plan_cyclic(&p, 3, INT64_MAX - 10, 10, 4) == -EOVERFLOW &&
               ldad_plan_blocks(&p, 3, 1, INT64_MAX, 4) == -EOVERFLOW,
           "what would wrap is an error");
    struct ldad a = {.start = 0, .size = 1}, b = {.start = 1, .size = 1};
    tap_ok(!ldad_repeat(&a, INT64_MAX / 1000003, 1000003) &&
               !ldad_repeat(&b, INT64_MAX / 1000004, 1000004) &&
               ldad_disjoint(&a, &b) == LDAD_NO,
           "strides that meet after a million million bytes");
    b = (struct ldad){.start = 1, .size = 1};
    tap_ok(!ldad_repeat(&b, INT64_MAX / 1000004 / 1000003, 2 * INT64_C(1000003)) &&
               ldad_disjoint(&a, &b) == LDAD_YES,
           "and such that never do");
    struct ldad_finder f = {.found = on_found, .arg = &(struct found){0}};
    err_clear();
    tap_ok(ldad_finder_add(&f, INT64_MAX, 1) == -EOVERFLOW &&
               ldad_repeat(&a, 2, INT64_MAX) == -EOVERFLOW,
           "offsets that would wrap are an error, too");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    srand(20030623);
    test_normal();
    test_single();
    test_disjoint();
    test_disjoint_long();
    test_plans();
    test_maps();
    test_relations();
    test_lists();
    test_halo_list();
    test_cyclic();
    test_balanced();
    test_finder();
    test_text();
    test_bad_text();
    test_large();
    return tap_end();
}
