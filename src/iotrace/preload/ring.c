/* Storage of records: each thread fills a block of the log's file, mapped shared. When
 * it is full it is copied to the end of the file and emptied: a page that is mapped
 * anew costs ten times as much as one that is written. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/streams.h"
#include "iotrace/preload/sys.h"
#include <pthread.h>
#include <string.h>

__thread struct lane *lane;
__thread uint8_t level;
__thread int vforked;

const uint8_t op_class[OP_COUNT] = {
#define X(e, name, class) [OP_##e] = CLASS_##class,
    TRACE_OPS(X)
#undef X
};

static pthread_key_t key; /* its destructor tells that a thread ends */

static void lane_leave(void *l)
{
    if (lane != l) /* the parent's, in a child that has done nothing yet */
        return;
    facts_thread_ends();
    lane = NULL;
    __atomic_store_n(&((struct lane *)l)->taken, 0, __ATOMIC_RELEASE);
}

static void in_child(void)
{
    lane = NULL; /* another thread of the child may get the same place */
    level = 0;
    recorder_forked();
    /* bytes that passed unseen in the parent belong to the parent */
    streams_note(true);
}

/* Registers both handlers, once in a process: children inherit them. */
void lane_start(void)
{
    extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                                 void *);
    static bool done;
    if (!done) {
        pthread_key_create(&key, lane_leave);
        __register_atfork(NULL, NULL, in_child, NULL);
    }
    done = true;
}

static struct lane *claim(void)
{
    unsigned used = __atomic_load_n(&state->lanes, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < used && i < LANES; i++)
        if (!__atomic_load_n(&state->lane[i].taken, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&state->lane[i].taken, 1, __ATOMIC_ACQUIRE))
            return &state->lane[i];
    unsigned i = __atomic_fetch_add(&state->lanes, 1, __ATOMIC_ACQ_REL);
    if (i >= LANES || __atomic_exchange_n(&state->lane[i].taken, 1, __ATOMIC_ACQUIRE))
        return NULL;
    state->lane[i].number = i;
    return &state->lane[i];
}

struct lane *lane_get(void)
{
    if (!is_running() && !recorder_start())
        return NULL;
    if (!has_lane()) {
        lane = claim();
        if (lane)
            pthread_setspecific(key, lane);
    }
    return lane;
}

/* ---- sums ---- */

static bool is_whole(const struct trace_block *b)
{
    const struct trace_record *r = (const struct trace_record *)(b + 1);
    for (int i = 0; i < RECORDS; i++)
        if (!r[i].op)
            return false;
    return true;
}

static void ring_add(uint64_t *sum, uint64_t n)
{
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

struct sum { /* sum of consecutive records about the same file */
    uint64_t events, bytes, ticks;
    uint32_t file;
    int way; /* 0: reads, 1: writes, -1: neither */
    uint64_t calls_of, bytes_of, ticks_of;
};

static void flush_sum(struct sum *s)
{
    if (s->calls_of && s->file < NAMES) {
        struct file_sum *f = &state->sum[s->file];
        ring_add(&f->calls[s->way], s->calls_of);
        ring_add(&f->bytes[s->way], s->bytes_of);
        ring_add(&f->ticks[s->way], s->ticks_of);
    }
    s->calls_of = s->bytes_of = s->ticks_of = 0;
}

static void sum_record(struct sum *s, const struct trace_record *r)
{
    int class = op_class[r->op];
    if (r->level || class == CLASS_MARK || class == CLASS_PROCESS)
        return;
    bool copies = class == CLASS_COPY, other = copies && r->flags & TRACE_OTHER_END;
    int way = class == CLASS_READ    ? 0
              : class == CLASS_WRITE ? 1
              : copies               ? !(r->flags & TRACE_SOURCE)
                                     : -1;
    bool moves = way >= 0;
    uint64_t bytes =
        moves && r->result > 0 && !(r->flags & TRACE_ASYNC) ? (uint64_t)r->result : 0;
    if (s->file != r->file || s->way != way)
        flush_sum(s);
    s->file = r->file;
    s->way = way;
    s->events += !other;
    s->bytes += other ? 0 : bytes;
    s->ticks += r->duration;
    if (way >= 0) {
        s->calls_of++;
        s->bytes_of += bytes;
        s->ticks_of += r->duration;
    }
}

static void sum_block(const struct trace_block *b)
{
    const struct trace_record *r = (const struct trace_record *)(b + 1);
    struct sum s = {0};
    for (int i = 0; i < RECORDS; i++)
        if (r[i].op)
            sum_record(&s, &r[i]);
    flush_sum(&s);
    ring_add(&state->events, s.events);
    ring_add(&state->bytes, s.bytes);
    ring_add(&state->ticks, s.ticks);
}

void ring_sum(void)
{
    unsigned late = state->late_blocks;
    for (unsigned i = 0; i < late && i < sizeof state->late / sizeof *state->late; i++)
        sum_block(state->late[i]);
    for (unsigned i = 0; i < state->lanes && i < LANES; i++)
        if (state->lane[i].block)
            sum_block(state->lane[i].block);
}

/* Frees unused space of blocks, if no other thread may write: threads may run on beside
 * exit. */
void ring_trim(void)
{
    for (unsigned i = 0; i < state->lanes && i < LANES; i++) {
        struct lane *l = &state->lane[i];
        if (__atomic_load_n(&l->taken, __ATOMIC_RELAXED) && l != lane)
            continue;
        if (l->block && l->block->reserved < RECORDS)
            log_trim(l->block, sizeof *l->block +
                                   l->block->reserved * sizeof(struct trace_record));
        if (l->profile)
            profile_trim(l->profile);
    }
}

/* ---- when a block is full ---- */

/* Leaves the block in place for ever: a call that this one has interrupted will still
 * write there. */
static void leave_behind(struct trace_block *b)
{
    unsigned i = __atomic_fetch_add(&state->late_blocks, 1, __ATOMIC_RELAXED);
    if (i < sizeof state->late / sizeof *state->late)
        state->late[i] = b;
}

/* Copies a block to the end of the file and empties it. A process killed between the
 * two leaves both: readers take the copy, which is further on in the file. */
static bool empty(struct lane *l, struct trace_block *b)
{
    __atomic_store_n(&l->emptying, 1, __ATOMIC_SEQ_CST);
    if (!log_copy(b)) {
        __atomic_store_n(&l->emptying, 0, __ATOMIC_RELEASE);
        return false;
    }
    if (!recorder.text)
        sum_block(b);
    memset(b + 1, 0, RECORDS * sizeof(struct trace_record));
    __atomic_store_n(&b->sequence, add_here(&l->sequence, 1), __ATOMIC_RELEASE);
    __atomic_store_n(&b->reserved, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&l->emptying, 0, __ATOMIC_RELEASE);
    return true;
}

/* Stops recording. Other threads may run on while the text is made. A thread that was
 * killed at that point, or that this one is a signal handler of, is not waited for
 * longer than a second. */
void ring_freeze(void)
{
    struct timespec a_while = {0, 1000000};
    __atomic_store_n(&recorder.full, true, __ATOMIC_SEQ_CST);
    for (unsigned i = 0, waits = 0; i < state->lanes && i < LANES; i++)
        while (__atomic_load_n(&state->lane[i].emptying, __ATOMIC_ACQUIRE) &&
               &state->lane[i] != lane && waits++ < 1000)
            sys_call(SYS_nanosleep, &a_while, NULL);
}

/* Takes the next block. Meanwhile the block has no owner: a signal handler that comes
 * now gets another one. */
static bool next_block(struct lane *l)
{
    struct trace_block *b = __atomic_exchange_n(&l->block, NULL, __ATOMIC_ACQ_REL);
    struct trace_block *none = NULL;
    bool good = true;
    if (b && !is_whole(b)) {
        leave_behind(b);
        b = NULL;
    }
    if (b)
        good = empty(l, b);
    else
        b = log_block(TRACE_RECORDS, l->number, add_here(&l->sequence, 1));
    if (b && !good)
        b->reserved = RECORDS; /* it never begins again from 0 */
    if (b)
        __atomic_compare_exchange_n(&l->block, &none, b, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    return b && good;
}

bool ring_next(void)
{
    int error = errno;
    struct lane *l = lane_get();
    bool good = l && ((l->block && l->block->reserved < RECORDS) || next_block(l));
    if (!good && recorder.header)
        ring_add(&recorder.header->dropped, 1);
    errno = error;
    return good;
}

/* Counts an event of an excluded file, and the bytes of one that is not recorded. A
 * stream in memory, which has no descriptor, moves none. */
void event_left_out(const struct event *e, enum trace_op op, int64_t result)
{
    int class = op_class[op];
    if (result > 0 && e->fd >= 0 && state) {
        if (class == CLASS_READ || class == CLASS_COPY)
            add_here(&state->passed[0], (uint64_t)result);
        if (class == CLASS_WRITE || class == CLASS_COPY)
            add_here(&state->passed[1], (uint64_t)result);
    }
    if (e->file == FILE_EXCLUDED && recorder.header)
        ring_add(&recorder.header->excluded, 1);
}
