/* Divides the memory, which decides how many runs there will be, and how many of them
 * can be merged at once. */
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "extsort/inside.h"
#include <errno.h>

/* Sizes in bytes. Measurements show that they make a difference, memory permitting. */
enum {
    WRITE = 1 << 20,         /* one transfer of a run */
    GROUP = 32 << 10,        /* put into the writer's buffer at once */
    CHUNK = 256 << 10,       /* checked together */
    WINDOW_MIN = 256 << 10,  /* the least that the merge has of a run at once */
    WINDOW_MAX = 4096 << 10, /* the most; more is not faster */
    WINDOW_PART = 16         /* the least, if memory is small, as a part of it */
};

void division_file(struct run_file *f, struct run *r, const struct extsort_how *how,
                   const char *path)
{
    int64_t piece = units_round_up(how->merge_bytes, IO_DIRECT_ALIGN);
    int64_t most = piece > EXTSORT_TRANSFER ? piece : EXTSORT_TRANSFER;
    run_file_beside(f, r, path, most, EXTSORT_DEPTH);
    f->queue = how->queue;
}

struct run_stream_how division_stream(const struct division *d,
                                      const struct run_file *f, enum io_op op,
                                      int64_t record, void *memory, int64_t bytes)
{
    struct run_stream_how how = {
        .op = op, .slots = d->slots, .record = record, .memory = memory, .uncut = true};
    how.slot_bytes = run_stream_slot_bytes(f, &how, bytes);
    return how;
}

/* Returns the bytes of a stream whose transfers have about `slot` bytes. */
static int64_t stream_bytes(const struct run_file *f, enum io_op op, int64_t record,
                            int64_t slot, int slots)
{
    int64_t align = f->run->io_flags & IO_DIRECT ? IO_DIRECT_ALIGN : 64;
    struct run_stream_how how = {.op = op, .slots = slots, .record = record};
    slot = slot > record ? slot : record;
    if (slot >= 16 * IO_DIRECT_ALIGN)
        align = IO_DIRECT_ALIGN;
    how.slot_bytes = units_round_up(slot, align);
    return run_stream_memory(f, &how);
}

static int64_t divide_least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t source_bytes(void)
{
    return (int64_t)(sizeof(struct source) + sizeof(struct node));
}

int64_t division_tables(const struct division *d, int lanes)
{
    return most_of(d->fan_in, lanes) * source_bytes();
}

/* Rounds a number of records to whole blocks of a device, if that changes it little. */
static int64_t whole_blocks(int64_t records, int64_t bytes, bool up)
{
    int64_t unit = BUF_ALIGN / (bytes & -bytes);
    if (unit < 1 || records < 16 * unit)
        return records;
    return (up ? records + unit - 1 : records) / unit * unit;
}

static int64_t entry_bytes(const struct extsort_how *how)
{
    return how->order.sort ? 0 : (int64_t)sizeof(struct sort_entry);
}

/* Returns the bytes that a lane needs to sort so many records, beside those for
 * writing. */
static int64_t room_bytes(const struct extsort_how *how, int64_t records)
{
    int64_t room = units_round_up(records * how->order.bytes, BUF_ALIGN) + BUF_ALIGN;
    return units_round_up(room + records * entry_bytes(how), BUF_ALIGN);
}

/* Returns the bytes of the window to a run in the merge. */
static int64_t window_bytes(const struct division *d, const struct extsort_how *how,
                            const struct run_file *f)
{
    int64_t bytes = how->order.bytes;
    int64_t least = stream_bytes(f, IO_OP_READ, bytes, 1, d->slots);
    int64_t window = divide_least_of(d->merging / WINDOW_PART, WINDOW_MIN);
    if (how->merge_bytes)
        window =
            stream_bytes(f, IO_OP_READ, bytes,
                         units_round_up(how->merge_bytes, IO_DIRECT_ALIGN), d->slots);
    return units_round_up(most_of(window, least), BUF_ALIGN);
}

static void split_memory(struct division *d, const struct extsort_how *how,
                         const struct run_file *f)
{
    int64_t bytes = how->order.bytes;
    int64_t least = stream_bytes(f, IO_OP_WRITE, bytes, 1, d->slots);
    int64_t most = stream_bytes(f, IO_OP_WRITE, GROUP, WRITE, d->slots);
    d->each = d->memory / how->lanes / BUF_ALIGN * BUF_ALIGN;
    d->merging = d->memory / how->merge_lanes / BUF_ALIGN * BUF_ALIGN;
    d->writing =
        units_round_up(most_of(divide_least_of(d->each / 16, most), least), BUF_ALIGN);
    d->group = most_of(divide_least_of(GROUP, d->writing / d->slots / 8) / bytes, 1);
    d->capacity = (d->each - d->writing - 2 * BUF_ALIGN) / (bytes + entry_bytes(how));
    d->capacity = whole_blocks(d->capacity, bytes, false);
    d->chunk = most_of(divide_least_of(d->capacity / 64, CHUNK / bytes), 1);
    d->result = how->groups ? d->merging / 8 : 0;
    d->window = window_bytes(d, how, f);
    d->fan_in = (d->merging - d->writing - d->result) / (d->window + source_bytes());
}

/* Divides how->memory_bytes; false: it is too small. */
static bool divided(struct division *d, const struct run *r,
                    const struct extsort_how *how)
{
    struct run_file f;
    division_file(&f, (struct run *)r, how, "");
    *d = (struct division){.slots = r->async ? 2 : 1, .memory = how->memory_bytes};
    split_memory(d, how, &f);
    d->memory -= how->merge_lanes * division_tables(d, how->lanes);
    split_memory(d, how, &f);
    return d->fan_in >= 2 && d->capacity >= 1;
}

static int too_little(const struct run *r, const struct extsort_how *how)
{
    char bytes[16], piece[16], would[16];
    struct extsort_how more = *how;
    struct division d;
    more.memory_bytes = BUF_ALIGN;
    while (more.memory_bytes < INT64_MAX / 4 &&
           (more.memory_bytes <= how->memory_bytes || !divided(&d, r, &more)))
        more.memory_bytes *= 2;
    return err_usage("%s of memory are too few for %d thread%s to sort records of "
                     "%lld bytes and merge them in pieces of %s: allow more memory (%s "
                     "would do), or take fewer threads or smaller pieces",
                     units_bytes(bytes, how->memory_bytes), how->lanes,
                     units_s(how->lanes), (long long)how->order.bytes,
                     units_bytes(piece, most_of(how->merge_bytes, how->order.bytes)),
                     units_bytes(would, more.memory_bytes));
}

int division_make(struct division *d, const struct run *r,
                  const struct extsort_how *how, int64_t records)
{
    if (!divided(d, r, how))
        return too_little(r, how);
    if (records >= 0 && records <= d->capacity * how->lanes) {
        int64_t each = division_section(d, how, records);
        d->each = d->writing + room_bytes(how, each);
        d->memory = how->lanes * d->each;
        d->capacity = each;
    }
    return 0;
}

int64_t division_section(const struct division *d, const struct extsort_how *how,
                         int64_t records)
{
    int64_t rounds, each;
    if (records < 0)
        return d->capacity;
    rounds = units_div_up(most_of(records, 1), d->capacity * how->lanes);
    each = units_div_up(most_of(records, 1), rounds * how->lanes);
    return divide_least_of(whole_blocks(each, how->order.bytes, true), d->capacity);
}

int64_t division_window(const struct division *d, const struct extsort_how *how,
                        int64_t runs)
{
    int64_t share = (d->merging - d->writing - d->result) / runs;
    if (how->merge_bytes)
        return d->window;
    return divide_least_of(share, WINDOW_MAX) / BUF_ALIGN * BUF_ALIGN;
}

int64_t division_together(const struct division *d, int64_t runs)
{
    if (runs <= d->fan_in)
        return 0;
    /* Merge only as many as make one last merge possible, with long windows. */
    return divide_least_of(units_div_up(runs, d->fan_in), d->fan_in);
}

/* Returns the bytes written in a pass over all runs. With direct I/O each run is filled
 * up to a block. */
static int64_t pass_bytes(const struct run *r, int64_t records, int64_t each,
                          int64_t bytes)
{
    int64_t align = r->io_flags & IO_DIRECT ? IO_DIRECT_ALIGN : 1;
    return records / each * units_round_up(each * bytes, align) +
           units_round_up(records % each * bytes, align);
}

int extsort_expect(const struct run *r, const struct extsort_how *how, int64_t records,
                   struct extsort_counts *c)
{
    struct division d;
    int64_t runs, together;
    int rc = division_make(&d, r, how, records);
    *c = (struct extsort_counts){.records = records, .memory_bytes = rc ? 0 : d.memory};
    if (rc)
        return rc;
    c->memory_bytes += how->merge_lanes * division_tables(&d, how->lanes);
    if (records <= d.capacity * how->lanes)
        return 0;
    int64_t each = division_section(&d, how, records);
    runs = c->runs = units_div_up(records, each);
    c->write_bytes = pass_bytes(r, records, each, how->order.bytes);
    while ((together = division_together(&d, runs))) {
        each *= together;
        runs = units_div_up(runs, together);
        c->write_bytes += pass_bytes(r, records, each, how->order.bytes);
        c->passes++;
    }
    c->read_bytes = c->write_bytes;
    return 0;
}
