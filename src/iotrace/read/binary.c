/* A log of the recorder: blocks by thread, threads merged by start time.
 *
 * Within a thread, a call is stored behind the calls within it. So its place is found
 * by looking ahead, and the reader returns to them later: a stack of ranges, as deep as
 * calls are nested, whatever the number of calls. */
#include "base/err.h"
#include "base/mem.h"
#include "iotrace/format/program.h"
#include "iotrace/read/log.h"
#include "iotrace/read/names.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_ID ((uint32_t)1 << 22)
#define DAY_NS ((int64_t)86400 * 1000000000)

struct block {
    uint32_t thread, kind;
    uint64_t sequence;
    int64_t index;
};

struct range { /* slots with calls of `level` and those within them */
    int64_t at, end;
    int level;
};

struct cursor { /* position in a thread's records */
    const struct block *block;
    int64_t slots;
    char *window;
    int64_t window_at, window_slots;
    struct range *stack;
    int depth, room;
    struct trace_record head; /* the next record */
};

struct name {
    int64_t at;    /* -1: none */
    int32_t fd;    /* for TRACE_MPI and TRACE_PROGRAM: the file's number */
    uint16_t kind; /* enum trace_name_kind */
    uint16_t place;
    uint32_t mpi, program; /* numbers of a file's facts; 0: none */
};

struct binary {
    struct header header;
    struct block *block;
    int64_t blocks;
    int64_t block_slots;
    struct cursor *cursor;
    int cursors;
    struct cursor **heap; /* ordered by start */
    int heap_n;
    bool primed;
    struct name *name;
    uint32_t names;
    char *text;
    int64_t text_used, text_room, taken;
    int rc; /* the error that stopped the reading */
};

/* Handles a block, its header first; at the file's end it may be incomplete. */
typedef int (*visit_block)(void *arg, const char *block, uint32_t bytes);

/* ---- header --------------------------------------------------------------- */

static int binary_read_header(struct log *l)
{
    struct header *h = &l->binary->header;
    int64_t n = log_read(l, &h->fixed, sizeof h->fixed, 0);
    if (n < 0)
        return (int)n;
    if (n < (int64_t)sizeof h->fixed)
        return err_set(-EINVAL, l->info.path, -1, "the log ends within its header");
    int rc = header_check(h, l->info.path);
    if (rc)
        return rc;
    h->text =
        mem_of(l->info.path, h->fixed.text_bytes + (size_t)1, 1, "reading the log");
    if (!h->text)
        return -ENOMEM;
    n = log_read(l, h->text, h->fixed.text_bytes, h->fixed.header_bytes);
    if (n >= 0 && n < h->fixed.text_bytes)
        n = err_set(-EINVAL, l->info.path, -1, "the log ends within its header");
    return n < 0 ? (int)n : header_read_text(h, l->info.path);
}

/* Converts this process's nanoseconds to rank 0's. */
static int64_t align(const struct trace_header *f, int64_t ns)
{
    int64_t t0 = f->offset_at_ns[0], t1 = f->offset_at_ns[1];
    if (!t0)
        return ns;
    double slope =
        t1 > t0 ? (double)(f->offset_ns[1] - f->offset_ns[0]) / (double)(t1 - t0) : 0;
    /* no clock drifts so much: one of them was set */
    if (slope > 0.01 || slope < -0.01)
        slope = 0;
    return ns + f->offset_ns[0] + (int64_t)(slope * (double)(ns - t0));
}

static void fill_info(struct log *l)
{
    struct log_info *i = &l->info;
    const struct header *h = &l->binary->header;
    const struct trace_header *f = &h->fixed;
    i->app = header_value(h, "app");
    i->execution = header_value(h, "execution");
    i->exe = header_value(h, "exe");
    i->argv = header_value(h, "argv");
    i->host = header_value(h, "host");
    i->mode = header_value(h, "mode");
    i->cwd = header_value(h, "cwd");
    i->version = f->version;
    i->state = (enum trace_state)f->state;
    i->pid = (int32_t)f->pid;
    i->ppid = (int32_t)f->ppid;
    i->generation = f->generation;
    i->rank = f->rank;
    i->ranks = f->ranks;
    i->dropped = f->dropped;
    i->excluded = f->excluded;
    i->begin_ns = align(f, f->first_ns);
    i->end_ns = align(f, f->unix_ns[1]);
    sscanf(header_value(h, "uring"), "%" SCNu64 ":%" SCNu64, &i->uring_rings,
           &i->uring_unseen);
    const char *const waited[] = {header_value(h, "waited_ns"),
                                  header_value(h, "init_waited_ns"),
                                  header_value(h, "final_waited_ns")};
    sscanf(header_value(h, "loads"), "%" SCNu64 ":%" SCNu64, &i->loads[0],
           &i->loads[1]);
    facts_of_process(&i->process, header_value(h, "cores"), header_value(h, "cpus"),
                     waited, header_value(h, "before"), header_value(h, "io"));
    i->program = program_read_words(header_value(h, "program"));
    i->clock_unknown = f->clock == TRACE_TSC && !h->ns_per_tick;
}

/* ---- names ---------------------------------------------------------------- */

static int room_for_name(struct binary *b, uint32_t id, uint32_t bytes)
{
    if (id > b->names) {
        uint32_t names = id > 2 * b->names ? id : 2 * b->names;
        struct name *more = mem_grow(b->name, names, sizeof *more, "reading the log");
        if (!more)
            return -ENOMEM;
        for (uint32_t i = b->names; i < names; i++)
            more[i] = (struct name){.at = -1, .fd = -1};
        b->name = more;
        b->names = names;
    }
    if (names_take(bytes))
        return -ENOSPC;
    b->taken += bytes;
    if (b->text_used + bytes > b->text_room) {
        int64_t room = 2 * b->text_room + bytes + 4096;
        char *more = mem_grow(b->text, room, 1, "reading the log");
        if (!more)
            return -ENOMEM;
        b->text = more;
        b->text_room = room;
    }
    return 0;
}

/* True if the kind is valid. Logs before version 3 have no facts, and nothing behind
 * the kind. */
static bool is_name_kind(const struct log *l, const struct trace_name *n)
{
    int last = l->info.version < 3 ? TRACE_MARK : TRACE_PROGRAM;
    return n->kind >= TRACE_FILE && n->kind <= last &&
           (n->place == 0 || (l->info.version >= 3 && n->kind == TRACE_FILE));
}

static int add_name(struct log *l, const struct trace_name *n, const char *text,
                    uint32_t bytes)
{
    struct binary *b = l->binary;
    uint32_t length = (uint32_t)strnlen(text, bytes);
    if (n->id == 0 || n->id > NAME_MAX_ID || length == bytes || !is_name_kind(l, n)) {
        l->info.damaged++;
        return 0;
    }
    int rc = room_for_name(b, n->id, length + 1);
    if (rc == -ENOSPC)
        return 0; /* shown as "?" */
    if (rc)
        return rc;
    memcpy(b->text + b->text_used, text, length + 1);
    b->name[n->id - 1] = (struct name){.at = b->text_used,
                                       .fd = n->fd < 0 ? -1 : n->fd,
                                       .kind = n->kind,
                                       .place = n->place};
    b->text_used += length + 1;
    return 0;
}

static int visit_names(void *arg, const char *block, uint32_t bytes)
{
    struct log *l = arg;
    uint32_t at = sizeof(struct trace_block);
    struct trace_name n;
    while (at + sizeof n <= bytes) {
        memcpy(&n, block + at, sizeof n);
        if (n.bytes == 0)
            break;
        if (n.bytes % 8 || n.bytes <= sizeof n || n.bytes > bytes - at) {
            l->info.damaged++; /* the begin of the next one is not known */
            break;
        }
        int rc = add_name(l, &n, block + at + sizeof n, n.bytes - (uint32_t)sizeof n);
        if (rc)
            return rc;
        at += n.bytes;
    }
    return 0;
}

/* Links files to their facts. A file that MPI has opened again has those of the last
 * time. */
static void link_facts(struct binary *b)
{
    for (uint32_t id = 1; id <= b->names; id++) {
        const struct name *n = &b->name[id - 1];
        if (n->fd <= 0 || (uint32_t)n->fd > b->names)
            continue;
        if (n->kind == TRACE_MPI)
            b->name[n->fd - 1].mpi = id;
        if (n->kind == TRACE_PROGRAM)
            b->name[n->fd - 1].program = id;
    }
}

static const char *binary_fact(const struct log *l, uint32_t id,
                               enum trace_name_kind kind)
{
    const struct binary *b = l->binary;
    const struct name *n =
        id && id <= b->names ? &b->name[id - 1] : &(const struct name){.at = -1};
    uint32_t fact = kind == TRACE_PLACE ? n->place
                    : kind == TRACE_MPI ? n->mpi
                                        : n->program;
    if (n->kind != TRACE_FILE || !fact || fact > b->names ||
        b->name[fact - 1].kind != kind)
        return NULL;
    return b->text + b->name[fact - 1].at;
}

static const char *binary_name(const struct log *l, uint32_t id)
{
    const struct binary *b = l->binary;
    if (id == 0)
        return "";
    if (id > b->names || b->name[id - 1].at < 0)
        return "?";
    return b->text + b->name[id - 1].at;
}

static bool binary_is_file(const struct log *l, uint32_t id, int32_t *fd)
{
    const struct binary *b = l->binary;
    if (id == 0 || id > b->names || b->name[id - 1].kind != TRACE_FILE)
        return false;
    *fd = b->name[id - 1].fd;
    return true;
}

static uint32_t binary_names(const struct log *l)
{
    return l->binary->names;
}

/* Returns a file's number, by which readers count; all files without a name have the
 * same. */
static uint32_t known_file(const struct binary *b, uint32_t id)
{
    return id <= b->names ? id : b->names + 1;
}

/* ---- blocks --------------------------------------------------------------- */

static int64_t block_count(const struct log *l)
{
    int64_t size = l->binary->header.fixed.block_bytes;
    return (l->size + size - 1) / size;
}

/* Reads the head of block `index`. Returns 1, or 0: the block was not taken, or is
 * damaged. */
static int block_head(struct log *l, int64_t index, struct trace_block *head)
{
    static const struct trace_block nothing;
    int64_t n =
        log_read(l, head, sizeof *head, index * l->binary->header.fixed.block_bytes);
    if (n < 0)
        return (int)n;
    if (n == sizeof *head && !memcmp(head->magic, "BLK\n", 4) &&
        head->kind - TRACE_RECORDS <= TRACE_PROFILE - TRACE_RECORDS)
        return 1;
    if (n == sizeof *head && memcmp(head, &nothing, sizeof nothing) != 0)
        l->info.damaged_blocks++;
    return 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int index_blocks(struct log *l)
{
    struct binary *b = l->binary;
    int64_t n = block_count(l), room = 0;
    for (int64_t i = 1; i < n; i++) {
        struct trace_block head;
        int rc = block_head(l, i, &head);
        if (rc < 0)
            return rc;
        if (rc == 0)
            continue;
        if (b->blocks == room) {
            room = room ? 2 * room : 16;
            struct block *more =
                mem_grow(b->block, room, sizeof *more, "reading the log");
            if (!more)
                return -ENOMEM;
            b->block = more;
        }
        b->block[b->blocks++] = (struct block){.thread = head.thread,
                                               .kind = head.kind,
                                               .sequence = head.sequence,
                                               .index = i};
    }
    /* The recorder makes a block as long as it will be before it uses it: a shorter one
     * has been cut, and what followed is missing. */
    uint64_t whole = (uint64_t)(l->size / b->header.fixed.block_bytes);
    if (b->header.fixed.blocks > whole)
        l->info.missing_blocks = b->header.fixed.blocks - whole;
    return 0;
}

static int binary_read_block(struct log *l, const struct block *b, visit_block visit,
                             void *arg)
{
    uint32_t size = l->binary->header.fixed.block_bytes;
    char *block = mem_of(l->info.path, size, 1, "reading the log");
    if (!block)
        return -ENOMEM;
    int64_t n = log_read(l, block, size, b->index * size);
    int rc = n < 0 ? (int)n : visit(arg, block, (uint32_t)n);
    free(block);
    return rc;
}

static int each_block(struct log *l, enum trace_kind kind, visit_block visit, void *arg)
{
    const struct binary *b = l->binary;
    int rc = 0;
    for (int64_t i = 0; i < b->blocks && !rc; i++)
        if (b->block[i].kind == kind)
            rc = binary_read_block(l, &b->block[i], visit, arg);
    return rc;
}

struct count {
    const struct header *header;
    int64_t *records;
};

struct profile_visit {
    struct log *log;
    int (*visit)(void *arg, const struct trace_profile *p, int op, int64_t ns);
    void *arg;
};

/* True if counts are plausible. Larger ones are damage, and would overflow in sums. */
static bool is_sane(const struct trace_profile *p)
{
    const uint64_t most = (uint64_t)1 << 48;
    bool sane = p->count < most && p->errors <= p->count && p->bytes < most << 12;
    for (int i = 0; i < TRACE_SIZES; i++)
        sane &= p->sizes[i] < most && p->times[i] < most;
    return sane;
}

static int visit_profile(void *arg, const char *block, uint32_t bytes)
{
    struct profile_visit *v = arg;
    const struct header *h = &v->log->binary->header;
    struct trace_profile p;
    int rc = 0;
    for (uint32_t at = sizeof(struct trace_block); at + sizeof p <= bytes && !rc;
         at += sizeof p) {
        memcpy(&p, block + at, sizeof p);
        if (p.count == 0)
            break;
        p.file = known_file(v->log->binary, p.file);
        if (p.flags & TRACE_ASYNC && !(p.flags & TRACE_OTHERS)) {
            p.count = p.errors; /* the others count when they complete */
            memset(p.times, 0, sizeof p.times);
        }
        if (p.op >= h->ops || h->op[p.op] < 0 || !is_sane(&p) ||
            header_duration(h, p.ticks) >= LOG_DURATION_NS)
            v->log->info.damaged++;
        else if (!(p.flags & TRACE_OTHER_END)) {
            log_profiled(&v->log->info, h->op[p.op], &p);
            rc = v->visit(v->arg, &p, h->op[p.op], header_duration(h, p.ticks));
        }
    }
    return rc;
}

static int binary_profile(struct log *l,
                          int (*visit)(void *arg, const struct trace_profile *p, int op,
                                       int64_t ns),
                          void *arg)
{
    struct profile_visit v = {l, visit, arg};
    return each_block(l, TRACE_PROFILE, visit_profile, &v);
}

static int count_slots(void *arg, const char *block, uint32_t bytes)
{
    const struct count *c = arg;
    const struct header *h = c->header;
    struct trace_record r;
    for (uint32_t at = sizeof(struct trace_block); at + h->fixed.record_bytes <= bytes;
         at += h->fixed.record_bytes) {
        header_record(h, block + at, &r);
        *c->records += r.op != 0;
    }
    return 0;
}

/* Chooses the fuller of two copies of a block: the process was killed while it made the
 * second, or while it emptied the first. */
static int fuller(struct log *l, const struct block *a, const struct block *b)
{
    int64_t records[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct count c = {&l->binary->header, &records[i]};
        int rc = binary_read_block(l, i ? b : a, count_slots, &c);
        if (rc)
            return rc;
    }
    return records[0] > records[1] ? 0 : 1;
}

/* Sorts blocks: those of records come first, by thread and in their order, each once.
 * Returns their number, or -errno. */
static int64_t sort_blocks(struct log *l)
{
    struct binary *b = l->binary;
    int64_t n = 0;
    if (b->blocks)
        qsort(b->block, (size_t)b->blocks, sizeof *b->block, by_thread);
    for (int64_t i = 0; i < b->blocks && b->block[i].kind == TRACE_RECORDS; i++) {
        struct block *last = n ? &b->block[n - 1] : NULL;
        bool again = last && last->thread == b->block[i].thread &&
                     last->sequence == b->block[i].sequence;
        int second = again ? fuller(l, last, &b->block[i]) : 1;
        if (second < 0)
            return second;
        if (second)
            b->block[again ? n - 1 : n++] = b->block[i];
    }
    return n;
}

static int make_cursors(struct log *l)
{
    struct binary *b = l->binary;
    b->block_slots =
        (b->header.fixed.block_bytes - (int64_t)sizeof(struct trace_block)) /
        b->header.fixed.record_bytes;
    int64_t blocks = sort_blocks(l);
    if (blocks < 0)
        return (int)blocks;
    for (int64_t i = 0; i < blocks; i++)
        b->cursors += i == 0 || b->block[i].thread != b->block[i - 1].thread;
    b->cursor =
        mem_of(l->info.path, b->cursors + 1, sizeof *b->cursor, "reading the log");
    b->heap = mem_of(l->info.path, b->cursors + 1, sizeof *b->heap, "reading the log");
    if (!b->cursor || !b->heap)
        return -ENOMEM;
    struct cursor *c = b->cursor - 1;
    for (int64_t i = 0; i < blocks; i++) {
        if (i == 0 || b->block[i].thread != b->block[i - 1].thread)
            (++c)->block = &b->block[i];
        c->slots += b->block_slots;
    }
    l->info.threads = b->cursors;
    return 0;
}

static int binary_open(struct log *l)
{
    struct binary *b = l->binary =
        mem_of(l->info.path, 1, sizeof *l->binary, "reading the log");
    if (!b)
        return -ENOMEM;
    int rc = binary_read_header(l);
    if (rc)
        return rc;
    fill_info(l);
    rc = index_blocks(l);
    rc = rc ? rc : each_block(l, TRACE_NAMES, visit_names, l);
    link_facts(b);
    return rc;
}

static void binary_close(struct log *l)
{
    struct binary *b = l->binary;
    if (!b)
        return;
    for (int i = 0; i < b->cursors && b->cursor; i++) {
        free(b->cursor[i].window);
        free(b->cursor[i].stack);
    }
    header_free(&b->header);
    names_give(b->taken);
    free(b->block);
    free(b->cursor);
    free(b->heap);
    free(b->name);
    free(b->text);
    free(b);
    l->binary = NULL;
}

/* ---- one thread ----------------------------------------------------------- */

/* Reads the window around `slot`; what the file lacks is zero. */
static int load_window(struct log *l, struct cursor *c, int64_t slot)
{
    struct binary *b = l->binary;
    int64_t bytes = b->header.fixed.record_bytes;
    int64_t fit = log_window_bytes / bytes;
    fit = fit < 1 ? 1 : fit > b->block_slots ? b->block_slots : fit;
    if (!c->window &&
        !(c->window = mem_of(l->info.path, fit * bytes, 1, "reading the log")))
        return -ENOMEM;
    int64_t in_block = slot % b->block_slots;
    int64_t n = b->block_slots - in_block < fit ? b->block_slots - in_block : fit;
    int64_t at = c->block[slot / b->block_slots].index * b->header.fixed.block_bytes +
                 (int64_t)sizeof(struct trace_block) + in_block * bytes;
    int64_t got = log_read(l, c->window, n * bytes, at);
    if (got < 0)
        return (int)got;
    memset(c->window + got, 0, (size_t)(n * bytes - got));
    c->window_at = slot;
    c->window_slots = n;
    return 0;
}

static bool moves_sanely(const struct header *h, const struct trace_record *r)
{
    return r->result < LOG_BYTES || !op_moves(op_get(h->op[r->op])->class);
}

/* Reads the record in `slot`. Returns 1: it is good; 0: it is no record; -errno. */
static int binary_look(struct log *l, struct cursor *c, int64_t slot,
                       struct trace_record *r)
{
    const struct header *h = &l->binary->header;
    if (slot < c->window_at || slot >= c->window_at + c->window_slots) {
        int rc = load_window(l, c, slot);
        if (rc)
            return rc;
    }
    header_record(h, c->window + (slot - c->window_at) * h->fixed.record_bytes, r);
    if (r->op == 0 || r->op >= h->ops || h->op[r->op] < 0)
        return 0;
    int64_t since = header_time(h, r->start) - h->fixed.first_ns;
    return since > -DAY_NS && since < 3650 * DAY_NS &&
           header_duration(h, r->duration) < LOG_DURATION_NS &&
           r->start + r->duration >= r->start && moves_sanely(h, r);
}

/* Counts a slot without a record, by the reason. */
static void count_bad(struct log *l, const struct trace_record *r)
{
    static const struct trace_record nothing;
    if (r->op != 0)
        l->info.damaged++;
    else if (memcmp(r, &nothing, sizeof *r) != 0)
        l->info.unfinished++;
}

static int push_range(struct cursor *c, struct range r)
{
    if (c->depth == c->room) {
        int room = c->room ? 2 * c->room : 4;
        struct range *more = mem_grow(c->stack, room, sizeof *more, "reading the log");
        if (!more)
            return -ENOMEM;
        c->stack = more;
        c->room = room;
    }
    c->stack[c->depth++] = r;
    return 0;
}

/* Finds the first call of the range's own level, which begins before all calls of
 * higher levels that are stored before it. Returns 1: *at is its slot; 0: there is
 * none, and the range's level becomes the lowest that it has. */
static int find_own(struct log *l, struct cursor *c, struct range *r, int64_t *at)
{
    int lowest = UINT8_MAX + 1;
    for (int64_t slot = r->at; slot < r->end; slot++) {
        int rc = binary_look(l, c, slot, &c->head);
        if (rc < 0)
            return rc;
        if (rc == 1 && c->head.level <= r->level) {
            *at = slot;
            return 1;
        }
        if (rc == 1 && c->head.level < lowest)
            lowest = c->head.level;
    }
    r->level = lowest; /* the process ended within the call that made them */
    return 0;
}

/* Skips what is no record at the range's begin. Returns 1: there is one. */
static int skip_bad(struct log *l, struct cursor *c, struct range *r)
{
    int rc = 0;
    while (r->at < r->end && (rc = binary_look(l, c, r->at, &c->head)) == 0) {
        count_bad(l, &c->head);
        r->at++;
    }
    return r->at < r->end ? rc : 0;
}

/* Puts the thread's next call into c->head. Returns 1, 0 at the end, or -errno. */
static int advance_thread(struct log *l, struct cursor *c)
{
    while (c->depth > 0) {
        struct range *r = &c->stack[c->depth - 1];
        int rc = skip_bad(l, c, r);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            c->depth--;
            continue;
        }
        int64_t own = r->at;
        rc = c->head.level <= r->level ? 1 : find_own(l, c, r, &own);
        if (rc < 0)
            return rc;
        if (rc == 0)
            continue;
        struct range within = {.at = r->at, .end = own, .level = r->level + 1};
        r->at = own + 1;
        if (within.at < within.end && (rc = push_range(c, within)) < 0)
            return rc;
        return 1;
    }
    return 0;
}

/* ---- all threads ---------------------------------------------------------- */

static void binary_sift_down(struct binary *b, int i)
{
    struct cursor *c = b->heap[i];
    for (int child; (child = 2 * i + 1) < b->heap_n; i = child) {
        if (child + 1 < b->heap_n &&
            b->heap[child + 1]->head.start < b->heap[child]->head.start)
            child++;
        if (c->head.start <= b->heap[child]->head.start)
            break;
        b->heap[i] = b->heap[child];
    }
    b->heap[i] = c;
}

/* Reads every thread's first call. */
static int prime(struct log *l)
{
    struct binary *b = l->binary;
    int rc = make_cursors(l);
    for (int i = 0; i < b->cursors && rc >= 0; i++) {
        struct cursor *c = &b->cursor[i];
        rc = push_range(c, (struct range){.at = 0, .end = c->slots, .level = 0});
        if (rc < 0 || (rc = advance_thread(l, c)) != 1)
            continue;
        b->heap[b->heap_n++] = c;
    }
    for (int i = b->heap_n / 2 - 1; i >= 0; i--)
        binary_sift_down(b, i);
    b->primed = true;
    return rc < 0 ? rc : 0;
}

static int64_t binary_bytes_of(enum trace_class class, const struct trace_record *r)
{
    if (r->result < 0)
        return -1;
    return op_moves(class) && !(r->flags & TRACE_ASYNC) ? r->result : 0;
}

/* Returns the file's descriptor, or the new one of a call without a name. */
static int32_t binary_fd_of(const struct binary *b, enum trace_class class,
                            const struct trace_record *r)
{
    if (r->file && r->file <= b->names && b->name[r->file - 1].fd >= 0)
        return b->name[r->file - 1].fd;
    bool made = class == CLASS_OPEN && r->result >= 0 && r->result <= INT32_MAX;
    return made ? (int32_t)r->result : -1;
}

static void fill_event(struct log *l, struct event *e, const struct trace_record *r,
                       uint32_t thread)
{
    struct binary *b = l->binary;
    uint16_t op = (uint16_t)b->header.op[r->op];
    enum trace_class class = op_get(op)->class;
    int64_t start = header_time(&b->header, r->start);
    int64_t end = header_time(&b->header, r->start + r->duration);
    *e = (struct event){.start_ns = align(&b->header.fixed, start),
                        .duration_ns = end - start,
                        .bytes = binary_bytes_of(class, r),
                        .offset = r->offset < 0 ? -1 : r->offset,
                        .request = r->request,
                        .result = r->result,
                        .name = known_file(b, r->file),
                        .thread = thread,
                        .pid = l->info.pid,
                        .fd = binary_fd_of(b, class, r),
                        .op = op,
                        .class = (uint8_t) class,
                        .level = r->level,
                        .flags = r->flags};
}

static int binary_next(struct log *l, struct event *e)
{
    struct binary *b = l->binary;
    if (!b->primed)
        b->rc = prime(l);
    if (b->rc || b->heap_n == 0)
        return b->rc;
    struct cursor *c = b->heap[0];
    fill_event(l, e, &c->head, c->block->thread);
    int rc = advance_thread(l, c);
    if (rc < 0)
        b->rc = rc;
    if (rc == 0)
        b->heap[0] = b->heap[--b->heap_n];
    if (b->heap_n > 0)
        binary_sift_down(b, 0);
    return 1;
}

const struct log_kind binary_kind = {
    .begins = TRACE_MAGIC,
    .open = binary_open,
    .next = binary_next,
    .name = binary_name,
    .names = binary_names,
    .is_file = binary_is_file,
    .fact = binary_fact,
    .profile = binary_profile,
    .close = binary_close,
};
