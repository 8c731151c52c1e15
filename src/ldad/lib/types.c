/* Decodes datatypes: repetitions stay repetitions, lists become sorted tables. */
#include "ldad/lib/types.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A run, a repetition of `inner`, or a list. Offsets are relative to the node's. */
struct types_node {
    int64_t at, size;
    int64_t count, distance; /* repeats of inner; NULL: a run, or a list */
    const struct types_node *inner;
    int64_t items;
    const struct types_item *item; /* NULL: it is no list */
    int64_t first, last, end; /* begin of its first and of its last run, and its end */
    bool descending, overlapping;
};

struct types_item {
    int64_t at, before; /* `before`: bytes of the items in front of it */
    const struct types_node *inner;
};

struct types_room {
    struct types_room *next;
};

/* ---- nodes ----------------------------------------------------------------------- */

/* Allocates memory that lasts as long as the type. */
static void *types_alloc(struct types *t, size_t bytes)
{
    struct types_room *room = mem_new(1, sizeof *room + bytes, "a datatype");
    if (!room)
        return NULL;
    room->next = t->rooms;
    t->rooms = room;
    return room + 1;
}

static const struct types_node *node_run(struct types *t, int64_t at, int64_t size)
{
    struct types_node *n = types_alloc(t, sizeof *n);
    if (n)
        *n = (struct types_node){
            .at = at, .size = size, .first = at, .last = at, .end = at + size};
    return n;
}

/* Updates the flags of a node: a part that begins at `first` follows one whose last run
 * begins at `last` and which ends at `end`. */
static void node_judge(struct types_node *n, int64_t last, int64_t end, int64_t first)
{
    n->descending |= first < last;
    n->overlapping |= first < end;
}

static const struct types_node *node_repeat(struct types *t,
                                            const struct types_node *inner,
                                            int64_t count, int64_t distance)
{
    if (!inner || count == 1)
        return inner;
    if (count <= 0 || !inner->size)
        return node_run(t, 0, 0);
    bool run = !inner->inner && !inner->item;
    if (run && distance == inner->size)
        return node_run(t, inner->at, count * inner->size);
    if (inner->inner && inner->count * inner->distance == distance) {
        count *= inner->count;
        distance = inner->distance;
        inner = inner->inner;
    }
    struct types_node *n = types_alloc(t, sizeof *n);
    if (!n)
        return NULL;
    int64_t low = distance < 0 ? (count - 1) * distance : 0,
            high = distance < 0 ? 0 : 1;
    *n = (struct types_node){.size = count * inner->size,
                             .count = count,
                             .distance = distance,
                             .inner = inner,
                             .first = inner->first + low,
                             .last = inner->last + high * (count - 1) * distance,
                             .end = inner->end + high * (count - 1) * distance,
                             .descending = inner->descending,
                             .overlapping = inner->overlapping};
    node_judge(n, inner->last, inner->end, inner->first + distance);
    return n;
}

/* A list that is being built. */
struct list {
    struct types *t;
    struct types_node *node;
    struct types_item *item;
    bool failed;
};

static struct list list_begin(struct types *t, int64_t most)
{
    struct list l = {.t = t,
                     .node = types_alloc(t, sizeof *l.node),
                     .item = types_alloc(t, ((size_t)most + 1) * sizeof *l.item)};
    l.failed = !l.node || !l.item;
    return l;
}

/* Joins a run with the one before it, if it continues that one; true if it did. */
static bool list_merge(struct list *l, int64_t at, const struct types_node *inner)
{
    struct types_item *before = &l->item[l->node->items - 1];
    const struct types_node *one = before->inner;
    if (one->inner || one->item || inner->inner || inner->item ||
        before->at + one->end != at + inner->at)
        return false;
    before->inner = node_run(l->t, one->at, one->size + inner->size);
    l->failed |= !before->inner;
    return true;
}

static void list_add(struct list *l, int64_t at, const struct types_node *inner)
{
    struct types_node *n = l->node;
    l->failed |= !inner;
    if (l->failed || !inner->size)
        return;
    if (n->items)
        node_judge(n, n->last, n->end, at + inner->first);
    if (!n->items || !list_merge(l, at, inner))
        l->item[n->items++] = (struct types_item){at, n->size, inner};
    int64_t first = at + inner->first, end = at + inner->end;
    n->first = n->items == 1 && !n->size ? first : first < n->first ? first : n->first;
    n->last = at + inner->last;
    n->end = n->size && n->end > end ? n->end : end;
    n->size += inner->size;
    n->descending |= inner->descending;
    n->overlapping |= inner->overlapping;
}

static const struct types_node *list_end(struct list *l)
{
    if (l->failed)
        return NULL;
    if (!l->node->items)
        return node_run(l->t, 0, 0);
    const struct types_node *only = l->item[0].inner;
    if (l->node->items == 1 && !only->inner && !only->item)
        return node_run(l->t, l->item[0].at + only->at, only->size);
    l->node->item = l->item;
    return l->node;
}

/* Returns the node `inner`, moved by `at` bytes. */
static const struct types_node *node_shift(struct types *t, int64_t at,
                                           const struct types_node *inner)
{
    struct list l = list_begin(t, 1);
    if (!at)
        return inner;
    list_add(&l, at, inner);
    return list_end(&l);
}

/* ---- the kinds of datatypes ------------------------------------------------------ */

/* The arguments with which an MPI_Datatype was made. */
struct contents {
    int combiner, ints, addresses, types;
    int *i;
    MPI_Aint *a;
    MPI_Datatype *d;
};

static const struct types_node *types_node_of(struct types *t, MPI_Datatype type);

static int64_t extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    return extent;
}

static int64_t size_of_type(MPI_Datatype type)
{
    MPI_Count size;
    MPI_Type_size_x(type, &size);
    return size;
}

/* Makes the node of a named type. Of MPI's pairs, only this one has a gap in its
 * data. */
static const struct types_node *node_named(struct types *t, MPI_Datatype type)
{
    struct pair {
        short value;
        int index;
    };
    if (type != MPI_SHORT_INT)
        return node_run(t, 0, size_of_type(type));
    struct list l = list_begin(t, 2);
    list_add(&l, 0, node_run(t, 0, sizeof(short)));
    list_add(&l, offsetof(struct pair, index), node_run(t, 0, sizeof(int)));
    return list_end(&l);
}

/* Makes the node of a block of `count` elements. */
static const struct types_node *node_block(struct types *t, const struct contents *c,
                                           const struct types_node *one, int64_t count)
{
    return node_repeat(t, one, count, extent_of(c->d[0]));
}

/* Makes the node of a vector or hvector, whose distance is in elements or in bytes. */
static const struct types_node *node_vector(struct types *t, const struct contents *c)
{
    const struct types_node *one = types_node_of(t, c->d[0]);
    bool bytes = c->combiner == MPI_COMBINER_HVECTOR;
    int64_t distance = bytes ? c->a[0] : c->i[2] * extent_of(c->d[0]);
    return node_repeat(t, node_block(t, c, one, c->i[1]), c->i[0], distance);
}

/* Makes the node of one of the four indexed types. */
static const struct types_node *node_indexed(struct types *t, const struct contents *c)
{
    const struct types_node *one = types_node_of(t, c->d[0]), *block = NULL;
    bool same = c->combiner == MPI_COMBINER_INDEXED_BLOCK ||
                c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const int *length = c->i + 1;
    const int *at = same ? c->i + 2 : c->i + 1 + c->i[0];
    int64_t extent = extent_of(c->d[0]), before = -1;
    struct list l = list_begin(t, c->i[0]);
    for (int64_t k = 0; k < c->i[0] && one; k++) {
        int n = length[same ? 0 : k];
        if (n != before)
            block = node_block(t, c, one, n);
        before = n;
        list_add(&l, c->addresses ? (int64_t)c->a[k] : at[k] * extent, block);
    }
    return one ? list_end(&l) : NULL;
}

static const struct types_node *node_struct(struct types *t, const struct contents *c)
{
    struct list l = list_begin(t, c->i[0]);
    for (int64_t k = 0; k < c->i[0]; k++)
        if (c->i[1 + k])
            list_add(&l, c->a[k],
                     node_repeat(t, types_node_of(t, c->d[k]), c->i[1 + k],
                                 extent_of(c->d[k])));
    return list_end(&l);
}

/* Makes one dimension of an array: `count` elements from `start` on, each `distance`
 * long. */
static const struct types_node *node_slice(struct types *t,
                                           const struct types_node *inner,
                                           int64_t start, int64_t count,
                                           int64_t distance)
{
    const struct types_node *n = node_repeat(t, inner, count, distance);
    return n ? node_shift(t, start * distance, n) : NULL;
}

static const struct types_node *node_subarray(struct types *t, const struct contents *c)
{
    int dims = c->i[0];
    const int *size = c->i + 1, *sub = size + dims, *start = sub + dims;
    bool rows = start[dims] == MPI_ORDER_C;
    const struct types_node *n = types_node_of(t, c->d[0]);
    int64_t distance = extent_of(c->d[0]);
    for (int k = 0; k < dims; k++) {
        int d = rows ? dims - 1 - k : k;
        n = n ? node_slice(t, n, start[d], sub[d], distance) : NULL;
        distance *= size[d];
    }
    return n;
}

/* Makes the elements of rank `r`, if `size` elements are dealt out in blocks to `ranks`
 * in turn. */
static const struct types_node *node_cyclic(struct types *t,
                                            const struct types_node *inner,
                                            int64_t size, int64_t block, int64_t ranks,
                                            int64_t r, int64_t distance)
{
    int64_t round = block * ranks, whole = size / round,
            rest = size % round - r * block;
    rest = rest < 0 ? 0 : rest < block ? rest : block;
    whole += rest == block;
    rest = rest == block ? 0 : rest;
    struct list l = list_begin(t, 2);
    const struct types_node *one = node_repeat(t, inner, block, distance);
    list_add(&l, r * block * distance, node_repeat(t, one, whole, round * distance));
    if (rest)
        list_add(&l, (r * block + whole * round) * distance,
                 node_repeat(t, inner, rest, distance));
    return list_end(&l);
}

/* Makes a distributed dimension: `how` and the argument follow MPI's rules. */
static const struct types_node *node_dealt(struct types *t,
                                           const struct types_node *inner, int64_t size,
                                           int how, int64_t arg, int64_t ranks,
                                           int64_t r, int64_t distance)
{
    if (how == MPI_DISTRIBUTE_NONE)
        return node_slice(t, inner, 0, size, distance);
    if (how == MPI_DISTRIBUTE_CYCLIC)
        return node_cyclic(t, inner, size, arg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : arg,
                           ranks, r, distance);
    int64_t block = arg == MPI_DISTRIBUTE_DFLT_DARG ? (size + ranks - 1) / ranks : arg;
    int64_t start = r * block, count = size - start < block ? size - start : block;
    return node_slice(t, inner, start, count > 0 ? count : 0, distance);
}

static const struct types_node *node_darray(struct types *t, const struct contents *c)
{
    int rank = c->i[1], dims = c->i[2];
    const int *size = c->i + 3, *how = size + dims, *arg = how + dims;
    const int *grid = arg + dims;
    bool rows = grid[dims] == MPI_ORDER_C;
    const struct types_node *n = types_node_of(t, c->d[0]);
    int64_t distance = extent_of(c->d[0]);
    for (int k = 0; k < dims && n; k++) {
        int d = rows ? dims - 1 - k : k, below = 1;
        for (int j = d + 1; j < dims; j++) /* the grid is always in rows */
            below *= grid[j];
        n = node_dealt(t, n, size[d], how[d], arg[d], grid[d], rank / below % grid[d],
                       distance);
        distance *= size[d];
    }
    return n;
}

static const struct types_node *types_unknown(int combiner)
{
    err_set(-EOPNOTSUPP, NULL, -1,
            "a datatype is of a kind (combiner %d) that cannot be taken apart",
            combiner);
    return NULL;
}

static const struct types_node *node_made(struct types *t, const struct contents *c)
{
    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return types_node_of(t, c->d[0]);
    case MPI_COMBINER_CONTIGUOUS:
        return node_block(t, c, types_node_of(t, c->d[0]), c->i[0]);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return node_vector(t, c);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return node_indexed(t, c);
    case MPI_COMBINER_STRUCT:
        return node_struct(t, c);
    case MPI_COMBINER_SUBARRAY:
        return node_subarray(t, c);
    case MPI_COMBINER_DARRAY:
        return node_darray(t, c);
    default:
        return types_unknown(c->combiner);
    }
}

static void contents_free(struct contents *c)
{
    for (int k = 0; c->d && k < c->types; k++) {
        int i, a, d, combiner;
        MPI_Type_get_envelope(c->d[k], &i, &a, &d, &combiner);
        if (combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
            combiner != MPI_COMBINER_F90_COMPLEX &&
            combiner != MPI_COMBINER_F90_INTEGER)
            MPI_Type_free(&c->d[k]);
    }
    free(c->i);
    free(c->a);
    free(c->d);
}

static const struct types_node *types_node_of(struct types *t, MPI_Datatype type)
{
    struct contents c = {0};
    const struct types_node *n = NULL;
    MPI_Type_get_envelope(type, &c.ints, &c.addresses, &c.types, &c.combiner);
    if (!c.types)
        return node_named(t, type);
    c.i = mem_new(c.ints + 1, sizeof *c.i, "a datatype");
    c.a = mem_new(c.addresses + 1, sizeof *c.a, "a datatype");
    c.d = mem_new(c.types + 1, sizeof(MPI_Datatype), "a datatype");
    if (c.i && c.a && c.d &&
        MPI_Type_get_contents(type, c.ints, c.addresses, c.types, c.i, c.a, c.d) ==
            MPI_SUCCESS)
        n = node_made(t, &c);
    else
        c.types = 0;
    contents_free(&c);
    return n;
}

/* ---- cache ----------------------------------------------------------------------- */

static void types_free(struct types *t)
{
    while (t->rooms) {
        struct types_room *next = t->rooms->next;
        free(t->rooms);
        t->rooms = next;
    }
    free(t);
}

struct types *types_keep(struct types *t)
{
    t->users++;
    return t;
}

void types_release(struct types *t)
{
    if (t && !--t->users)
        types_free(t);
}

static int forget_type(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)extra;
    types_release(value);
    return MPI_SUCCESS;
}

/* Returns the attribute key under which a datatype keeps its decoded form. */
static int types_key(void)
{
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_type, &key, NULL);
    return key;
}

static int types_make(MPI_Datatype type, struct types **out)
{
    MPI_Aint low, extent;
    struct types *t = mem_new(1, sizeof *t, "a datatype");
    *out = NULL;
    if (!t)
        return -ENOMEM;
    t->users = 1;
    t->root = types_node_of(t, type);
    if (!t->root) {
        int rc = err_get()->code;
        types_free(t);
        return rc ? rc : mem_none(NULL, 0, "a datatype");
    }
    MPI_Type_get_extent(type, &low, &extent);
    t->size = t->root->size;
    t->low = low;
    t->extent = extent;
    t->row = t->size == extent && !t->root->at && !t->root->inner && !t->root->item;
    t->descending = t->root->descending || (t->size && t->root->first < 0);
    t->overlapping = t->root->overlapping;
    *out = t;
    return 0;
}

int types_of(MPI_Datatype type, struct types **t)
{
    int found = 0;
    MPI_Type_get_attr(type, types_key(), t, &found);
    if (found) {
        types_keep(*t);
        return 0;
    }
    int rc = types_make(type, t);
    if (!rc)
        MPI_Type_set_attr(type, types_key(), types_keep(*t));
    return rc;
}

/* ---- questions ------------------------------------------------------------------- */

/* Returns the last item that begins at `pos` bytes of data or before. */
static const struct types_item *item_of(const struct types_node *n, int64_t pos)
{
    int64_t low = 0, high = n->items - 1;
    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;
        if (n->item[mid].before <= pos)
            low = mid;
        else
            high = mid - 1;
    }
    return &n->item[low];
}

static struct types_run run_in(const struct types_node *n, int64_t pos)
{
    int64_t at = 0;
    while (n->inner || n->item) {
        if (n->item) {
            const struct types_item *item = item_of(n, pos);
            at += item->at;
            pos -= item->before;
            n = item->inner;
        } else {
            int64_t k = pos / n->inner->size;
            at += k * n->distance;
            pos -= k * n->inner->size;
            n = n->inner;
        }
    }
    return (struct types_run){at + n->at + pos, n->size - pos};
}

/* Finds a run. Copies follow each other, so a run may continue in the next copy. */
static struct types_run run_at(const struct types *t, int64_t pos)
{
    int64_t copy = pos / t->size;
    struct types_run r = run_in(t->root, pos - copy * t->size);
    r.at += copy * t->extent;
    return r;
}

struct types_run types_at(const struct types *t, int64_t pos, int64_t most)
{
    if (t->row)
        return (struct types_run){pos, most};
    struct types_run r = run_at(t, pos);
    while (r.bytes < most) {
        struct types_run next = run_at(t, pos + r.bytes);
        if (next.at != r.at + r.bytes)
            break;
        r.bytes += next.bytes;
    }
    r.bytes = r.bytes < most ? r.bytes : most;
    return r;
}

int64_t types_before(const struct types *t, int64_t at)
{
    if (at <= 0 || !t->size)
        return 0;
    if (t->row || t->extent <= 0)
        return at;
    int64_t copy = at / t->extent, low = 0, high;
    copy -= copy > 0; /* runs may reach into the next copy */
    low = copy * t->size;
    high = (copy + 2) * t->size;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (run_at(t, mid).at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int types_levels(const struct types *t, struct types_level *level, int most,
                 int64_t *start, int64_t *bytes)
{
    const struct types_node *n = t->root;
    int levels = 0;
    *start = 0;
    while (n->inner || n->item) {
        if (n->item && n->items > 1)
            return -1;
        if (n->item) {
            *start += n->item[0].at;
            n = n->item[0].inner;
            continue;
        }
        if (levels == most)
            return -1;
        level[levels++] = (struct types_level){n->count, n->distance};
        n = n->inner;
    }
    *start += n->at;
    *bytes = n->size;
    return levels;
}
