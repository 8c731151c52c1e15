/* blocktransfer: plain sequential and random transfers, after the block-transfer
 * benchmark of Ulmer's flash-memory report (2008, section 2.1). The suite's worked
 * example: what a program is when layout, io and report do the rest.
 *
 * Memory of a rank: lanes x depth x block size. Nothing grows with the number of
 * blocks. */
#include "base/err.h"
#include "base/units.h"
#include "block/block.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <string.h>

enum { STAGE_VERIFY = 2 };

static struct block block; /* r->context */
static struct block_settings *const set = &block.set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Transfers:"},
    {.kind = OPT_BYTES, .name = "BYTES", .value = &block.set.bytes, .preset = "64M",
     .unit = "B", .min = 1, .max = 9e18, .workload = true,
     .help = "bytes that each rank (with --threads: each thread of it) writes, then "
     "reads; rounded up to whole blocks"},
    {.kind = OPT_BYTES, .name = "block-size", .letter = 'b', .value = &block.set.block,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 1, .max = 9e18,
     .workload = true, .help = "bytes of one transfer"},
    {.kind = OPT_CHOICE, .name = "pattern", .letter = 'p', .value = &block.set.pattern,
     .preset = "SEQUENTIAL", .arg = "PATTERN", .choices = "SEQUENTIAL|RANDOM",
     .workload = true,
     .help = "RANDOM visits every block once, in an order that --seed "
     "fixes"},
    {.kind = OPT_CHOICE, .name = "layout", .value = &block.set.layout,
     .preset = "SEGMENTED",
     .arg = "LAYOUT", .choices = "SEGMENTED|INTERLEAVED", .workload = true,
     .help = "where a rank's blocks are in a shared file"},
    {.kind = OPT_INT, .name = "depth", .letter = 'd', .value = &block.set.depth,
     .preset = "1", .arg = "N", .unit = "1", .min = 1, .max = BLOCK_DEPTH_MAX,
     .workload = true,
     .help = "queue depth: transfers under way at once"},
    {.kind = OPT_BYTES, .name = "misalign", .value = &block.set.misalign, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1e12, .workload = true,
     .help = "shift every transfer by so many bytes in the file"},
    RUN_TIME(block.set.run),
    RUN_LANES(block.set.run),
    RUN_RANK_SHIFT(block.set.run),
    RUN_OPTIONS(block.set.run),
};
/* clang-format on */

static struct stage stages[] = {
    {.phase = "write", .body = block_write_all, .flags = IO_WRITE | IO_CREATE},
    {.phase = "read", .body = block_read_all, .flags = IO_READ},
    [STAGE_VERIFY] = {.phase = "verify",
                      .body = block_check_all,
                      .flags = IO_READ,
                      .aside = true},
    {.body = NULL}};

/* A limit needs a file whose layout does not depend on it, and ranks that need not meet
 * in each transfer. */
static int check_time(const struct run *r)
{
    if (!set->run.time_s)
        return 0;
    if (set->run.collective)
        return err_usage("--time: collective transfers must be as many on every rank, "
                         "and by time they are not: leave out one of the two");
    if (opt_find(r->program, "BYTES")->from == OPT_DEFAULT)
        return err_usage("--time needs BYTES, too: the most that each rank may write "
                         "until then, for which there is room");
    return 0;
}

static int check(const struct run *r, int64_t *memory_bytes)
{
    if (block.order.layout.blks > INT32_MAX)
        return err_usage(
            "BYTES / --block-size makes %lld blocks for each rank, more than "
            "2^31: take larger blocks",
            (long long)block.order.layout.blks);
    if (__builtin_mul_overflow(r->lanes * set->depth, set->block, memory_bytes))
        return err_usage("--threads x --depth x --block-size exceeds 2^63 bytes");
    if (!strcmp(set->run.cache, "direct") &&
        (set->block | set->misalign) % IO_DIRECT_ALIGN)
        return err_usage("--cache=direct moves multiples of %d bytes: --block-size and "
                         "--misalign must be such",
                         IO_DIRECT_ALIGN);
    int rc = check_time(r);
    return rc ? rc : layout_check(&block.order.layout);
}

static int plan(struct run *r, struct run_need *n)
{
    bool interleaved = !strcmp(set->layout, "INTERLEAVED");
    struct layout *layout = &block.order.layout;
    block.order.random = !strcmp(set->pattern, "RANDOM");
    *layout = (struct layout){.order = !r->shared    ? LAYOUT_UNIQUE
                                       : interleaved ? LAYOUT_INTERLEAVED
                                                     : LAYOUT_RANK_MAJOR,
                              .ranks = r->workers,
                              .mats = 1,
                              .start = set->misalign,
                              .blks = units_div_up(set->bytes, set->block),
                              .slot_bytes = set->block};
    int rc = check(r, &n->memory_bytes);
    if (rc)
        return rc;
    r->latencies = true;
    n->layout = layout;
    n->role = "blocks";
    n->depth = (int)set->depth;
    block.pass = r->verify && !strcmp(set->run.verify_how, "pass");
    if (!block.pass)
        stages[STAGE_VERIFY].body = NULL;
    n->steps = (2 + block.pass) * layout->blks;
    n->buffer_bytes = set->depth * set->block;
    n->write_bytes = set->run.time_s ? -1 : layout->ranks * layout->blks * set->block;
    n->read_bytes = set->run.time_s ? -1 : (1 + block.pass) * n->write_bytes;
    return 0;
}

/* The seed is known with the run's id. */
static int open_order(struct run *r)
{
    block.order.seed = r->seed;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct workload blocktransfer = {
        .name = "blocktransfer",
        .line = "[BYTES]",
        .about = "Sequential or random writes, then reads, of whole blocks by every "
                 "rank: the yardstick for what the other programs reach.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &block.set.run,
        .context = &block,
        .takes = (RUN_TAKES_ALL & ~RUN_TAKES_VERIFY) | RUN_TAKES_PASS,
        .plan = plan,
        .open = open_order,
        .stages = stages,
        .figures = block_figures,
    };
    return run_main(&blocktransfer, argc, argv);
}
