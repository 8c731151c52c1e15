/* Counters and histograms instead of events, or beside them: they are in blocks of the
 * log, so that they outlive the process however it ends. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"

enum {
    ENTRIES = (TRACE_BLOCK - sizeof(struct trace_block)) / sizeof(struct trace_profile),
    BLOCKS_MOST = 3, /* blocks of a thread: constant memory */
    SLOTS = 2048     /* more than all their entries */
};

/* A thread's index of its entries. */
struct profile {
    struct trace_block *block;
    uint64_t blocks;
    struct trace_profile *last; /* most calls are like the one before */
    struct trace_profile *slot[SLOTS];
    struct trace_profile *others[OP_COUNT];
};

static struct profile *profile_of(struct lane *l)
{
    if (l->profile)
        return l->profile;
    void *p = sys_mmap(sizeof(struct profile), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct profile *none = NULL;
    if (p != MAP_FAILED &&
        !__atomic_compare_exchange_n(&l->profile, &none, p, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        sys_munmap(p, sizeof(struct profile));
    return l->profile;
}

static struct trace_profile *new_entry(struct lane *l, struct profile *p, uint32_t most)
{
    for (;;) {
        struct trace_block *b = p->block;
        uint32_t i = b ? take_one(&b->reserved) : ENTRIES;
        if (i < ENTRIES)
            return (struct trace_profile *)(b + 1) + i;
        if (p->blocks >= most)
            return NULL;
        b = log_block(TRACE_PROFILE, l->number, p->blocks++);
        if (!b)
            return NULL;
        p->block = b;
    }
}

static struct trace_profile *profile_make(struct lane *l, struct profile *p,
                                          uint32_t file, enum trace_op op, int flags,
                                          uint32_t most)
{
    struct trace_profile *t = new_entry(l, p, most);
    if (t) {
        t->file = file;
        t->op = (uint16_t)op;
        t->level = level;
        t->flags = (uint8_t)flags;
    }
    return t;
}

static struct trace_profile *other(struct lane *l, struct profile *p, enum trace_op op)
{
    if (!p->others[op])
        p->others[op] = profile_make(l, p, 0, op, TRACE_OTHERS, BLOCKS_MOST + 1);
    return p->others[op];
}

/* True if the entry matches. A file can be both ends of copies: those have an entry
 * each. */
static bool is_it(const struct trace_profile *t, uint32_t file, enum trace_op op,
                  int flags)
{
    const int ends = TRACE_OTHER_END | TRACE_SOURCE | TRACE_OTHERS;
    return t->file == file && t->op == op && t->level == level &&
           (t->flags & ends) == (flags & ends);
}

static struct trace_profile *profile_find(struct lane *l, struct profile *p,
                                          uint32_t file, enum trace_op op, int flags)
{
    uint32_t h = (file * 2654435761u) ^ (op * 40503u) ^ (uint32_t)level << 7;
    h ^= h >> 15;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct trace_profile **s = &p->slot[(h + i) % SLOTS];
        if (!*s)
            *s = profile_make(l, p, file, op, flags, BLOCKS_MOST);
        if (!*s)
            break;
        if (is_it(*s, file, op, flags))
            return *s;
    }
    return other(l, p, op);
}

static struct trace_profile *entry_of(uint32_t file, enum trace_op op, int flags)
{
    int error = errno;
    struct lane *l = lane_get();
    struct profile *p = l ? profile_of(l) : NULL;
    struct trace_profile *t = p ? profile_find(l, p, file, op, flags) : NULL;
    if (t)
        p->last = t;
    else if (recorder.header)
        __atomic_fetch_add(&recorder.header->dropped, 1, __ATOMIC_RELAXED);
    errno = error;
    return t;
}

/* Returns the class of a number: 0: 0, 1: 1, 2: 2..3, 3: 4..7 and so on; the last has
 * the rest. */
static unsigned octave(uint64_t n, unsigned most)
{
    unsigned b = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
    return b < most ? b : most - 1;
}

static bool moves_bytes(enum trace_op op)
{
    int class = op_class[op];
    return class == CLASS_READ || class == CLASS_WRITE || class == CLASS_COPY;
}

void profile_add(const struct event *e, enum trace_op op, int64_t result, int flags)
{
    struct trace_profile *t =
        LIKELY(lane && lane->profile) ? lane->profile->last : NULL;
    if (UNLIKELY(!t || !is_it(t, e->file, op, flags)))
        t = entry_of(e->file, op, flags);
    if (UNLIKELY(!t))
        return;
    uint64_t ticks = e->end > e->start ? e->end - e->start : 0;
    uint64_t ns = (uint64_t)((double)ticks * recorder.ns_per_tick);
    add_here(&t->count, 1);
    add_here(&t->ticks, ticks);
    add_here(&t->times[octave(ns, TRACE_TIMES)], 1);
    if (UNLIKELY(result < 0))
        add_here(&t->errors, 1);
    else if (moves_bytes(op) && !(flags & TRACE_ASYNC)) {
        add_here(&t->bytes, (uint64_t)result);
        add_here(&t->sizes[octave((uint64_t)result, TRACE_SIZES)], 1);
    }
}

/* ---- for the summary ---- */

static void sum_entry(const struct trace_profile *t)
{
    int class = op_class[t->op];
    if (t->level || class == CLASS_MARK || class == CLASS_PROCESS)
        return;
    bool copies = class == CLASS_COPY, other = copies && t->flags & TRACE_OTHER_END;
    bool writes = class == CLASS_WRITE || (copies && !(t->flags & TRACE_SOURCE));
    state->events += other ? 0 : t->count;
    state->ticks += t->ticks;
    state->bytes += other ? 0 : t->bytes;
    if (t->file < NAMES && moves_bytes(t->op)) {
        struct file_sum *s = &state->sum[t->file];
        s->calls[writes] += t->count;
        s->bytes[writes] += t->bytes;
        s->ticks[writes] += t->ticks;
    }
}

void profile_sum(void)
{
    for (unsigned i = 0; i < state->lanes && i < LANES; i++) {
        struct profile *p = state->lane[i].profile;
        for (int s = 0; p && s < SLOTS; s++)
            if (p->slot[s])
                sum_entry(p->slot[s]);
        for (int op = 0; p && op < OP_COUNT; op++)
            if (p->others[op])
                sum_entry(p->others[op]);
    }
}

void profile_trim(const struct profile *p)
{
    struct trace_block *b = p->block;
    if (b && b->reserved < ENTRIES)
        log_trim(b, sizeof *b + b->reserved * sizeof(struct trace_profile));
}
