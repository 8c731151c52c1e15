/* blocktransfer: plain sequential and random transfers, after the block-transfer
 * benchmark of Ulmer's flash-memory report (2008, section 2.1). The suite's worked
 * example: a program states its workload, and layout, io and report do the rest.
 *
 * Memory of a rank: lanes x depth x block size, and 73 KiB for each lane if blocks
 * repeat. Nothing grows with the number of blocks. */
#include "base/err.h"
#include "base/stamp.h"
#include "base/units.h"
#include "block/block.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <string.h>

static struct block block; /* r->context */
static struct block_settings *const set = &block.set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Transfers:"},
    {.kind = OPT_BYTES, .name = "BYTES", .value = &block.set.bytes, .preset = "64M",
     .unit = "B", .min = 1, .max = 9e18, .workload = true,
     .help = "bytes that each rank (with --threads: each of its threads) writes and "
             "then reads; rounded up to whole blocks"},
    {.kind = OPT_BYTES, .name = "block-size", .letter = 'b', .value = &block.set.block,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 1, .max = 9e18,
     .workload = true, .help = "bytes of one transfer"},
    {.kind = OPT_TEXT, .name = "block-sizes", .value = &block.set.sizes,
     .arg = "SIZE:SHARE,...", .workload = true,
     .help = "blocks of several sizes, in shares of their number: 4k:60,64k:30,1m:10",
     .text = "Blocks of several sizes, in shares of their number, instead of "
             "--block-size: *4k:60,64k:30,1m:10* (*bssplit* in *fio*(1)). Shares are "
             "exact: sizes recur in cycles of at most 1000 blocks, and _BYTES_ is "
             "rounded up to whole cycles. Within a cycle they are shuffled, the same "
             "in every file. Every transfer has the size of its block in all phases, "
             "so it is verified as always. Each size has its own figures, for example "
             "_write.write_4096B_p99_us_. Not with --misalign=random, --dedupe, "
             "containers or HDF5."},
    {.kind = OPT_CHOICE, .name = "pattern", .letter = 'p', .value = &block.set.pattern,
     .preset = "SEQUENTIAL", .arg = "PATTERN",
     .choices = "SEQUENTIAL|RANDOM|UNIFORM|ZIPF",
     .workload = true,
     .help = "order of the blocks; RANDOM: every block once, in an order fixed by "
             "--seed; UNIFORM: a random block each time, all equally likely; ZIPF: a "
             "random block each time, some far more often than others",
     .choice_text = {"from the first block to the last",
                     "each block once, in an order that --seed fixes. The order "
                     "differs between ranks, and is the same for writing and reading",
                     "a random block each time, all with the same probability",
                     "a random block each time, some far more often than others "
                     "(--theta)"},
     .text = "The order of the blocks. With *UNIFORM* and *ZIPF* a phase makes one "
             "transfer for each block in the file, so some blocks are drawn several "
             "times and others never. When blocks repeat, two transfers of one block "
             "are in flight together only if both are reads; else the second one and "
             "all that follow wait (*serialize_overlap* in *fio*(1)). Each write has "
             "its own version. The read phase visits blocks in the order in which they "
             "were written, and at the last write of each block it accepts no earlier "
             "version. Not with --collective."},
    {.kind = OPT_INT, .name = "depth", .letter = 'd', .value = &block.set.depth,
     .preset = "1", .arg = "N", .unit = "1", .min = 1, .max = BLOCK_DEPTH_MAX,
     .workload = true,
     .help = "queue depth: transfers in flight",
     .text = "Queue depth: the number of transfers in flight, up to 1024. Synchronous "
             "engines do them one after another. The queue is kept full. Blocks are "
             "stamped and checked meanwhile, which counts as time of the transfers; "
             "the report's note _care_ says how much it was. With --collective "
             "transfers are started in the same order on every rank."},
    {.kind = OPT_CHOICE, .name = "layout", .value = &block.set.layout,
     .preset = "SEGMENTED",
     .arg = "LAYOUT", .choices = "SEGMENTED|INTERLEAVED", .workload = true,
     .help = "where a rank's blocks are in a shared file",
     .choice_text = {"each rank has one contiguous segment",
                     "the first blocks of all ranks are side by side, then the second "
                     "ones"}},
    RUN_LANES(block.set.run),
    {.kind = OPT_REAL, .name = "time", .value = &block.set.run.time_s, .preset = "0",
     .arg = "S", .unit = "s", .min = 0, .max = 1e9, .workload = true,
     .help = "write for S seconds, then read for S seconds, again and again over "
             "BYTES; slower ranks then catch up with the fastest one; 0: transfer all "
             "bytes once",
     .text = "End each phase after this many seconds. If all bytes are transferred "
             "before, it begins again at the first block (*time_based* in *fio*(1)): "
             "writes overwrite with a new version, reads verify the version written "
             "last, *UNIFORM* and *ZIPF* go on drawing. All ranks then catch up with "
             "the fastest one. The figures _write.limit_write_MBps_ and "
             "_read.limit_read_MBps_ are the rates up to the limit, without the sync; "
             "the other figures cover the whole phase. Reads go round over what was "
             "written. Not with --collective; with --filetype=PARTITIONED only with "
             "--once. 0: no limit."},
    {.kind = OPT_FLAG, .name = "once", .value = &block.set.once, .preset = "no",
     .workload = true,
     .help = "with --time: a phase also ends when all BYTES are transferred",
     .text = "With --time: a phase also ends when all _BYTES_ are transferred, which "
             "must then be given: the most that each rank may write, for which there "
             "is room."},
    {.kind = OPT_INT, .name = "mixed", .value = &block.set.mixed, .preset = "0",
     .arg = "PERCENT", .unit = "%", .min = 0, .max = 100, .workload = true,
     .help = "add a mixed phase between writing and reading, with this percentage of "
             "reads; the other transfers overwrite blocks; 0: no such phase",
     .text = "Add the phase *mixed*: as many transfers as were written, in the same "
             "order, with this percentage of reads, which --seed chooses. A read must "
             "find what was written before. The other transfers overwrite the block, "
             "and the read phase expects the new version. With --rank-shift (and "
             "--filetype=SHARED) the reads are of another rank's blocks (*rwmixread* "
             "in *fio*(1)). Rates of this phase are bytes divided by the seconds of "
             "reads and writes together, and are in none of the rates of the whole "
             "run. 0: no such phase."},
    {.kind = OPT_FLAG, .name = "overwrite", .value = &block.set.overwrite,
     .preset = "no", .workload = true,
     .help = "overwrite complete files, which phase lay writes first, so that no "
             "space is allocated during the measurement",
     .text = "Overwrite complete files: a phase *lay* writes them first and syncs "
             "them, unmeasured. Without this option the write phase creates the "
             "files."},
    {.kind = OPT_INT, .name = "fsync", .value = &block.set.fsync, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 9.2e18, .word = "each",
     .workload = true,
     .help = "sync after every N writes of a lane (each: after every write), as part "
             "of the write time; 0: only at the end of the phase, as --cache says",
     .text = "Sync the lane's files after every N writes, and with *each* after every "
             "write, in both phases that write. Transfers in flight are completed "
             "first. The syncs count as part of the write time; latencies are those "
             "of the writes alone (*fsync* in *fio*(1), *-Y* in IOR). Not with an "
             "engine that calls MPI and a shared file, which only all ranks can sync. "
             "0: only where a phase ends (--cache)."},
    {.kind = OPT_CHOICE, .name = "sync", .value = &block.set.sync, .preset = "phase",
     .arg = "HOW", .choices = "phase|fsync|fdatasync|dsync|osync", .workload = true,
     .help = "how each write becomes durable; phase: only where a phase ends, or "
             "--fsync says so",
     .choice_text = {"only where a phase ends (--cache), or after the writes that "
                     "--fsync says",
                     "by *fsync*(2) after each write, or after every N with --fsync",
                     "the same by *fdatasync*(2), which leaves out attributes that no "
                     "reader needs",
                     "files are opened with O_DSYNC: a write is complete when its "
                     "bytes are on stable storage, with any --depth",
                     "the same with O_SYNC, and with all attributes"},
     .text = "How each write of a phase becomes durable. Syncs have figures of their "
             "latencies, _write.fsync_p50_us_, _p99_us_ and _p999_us_; with *dsync* "
             "and *osync* the storage's time is in those of the writes "
             "(_write.write_p50_us_). In *fio*(1) these are *fsync=1*, *fdatasync=1*, "
             "*sync=dsync* and *sync=sync*. *dsync* and *osync* need an engine that "
             "writes by a file descriptor: *posix*, *threads*, *uring*, *libaio* or "
             "*aio*; *fdatasync* also works with *mmap*."},
    {.kind = OPT_FLAG, .name = "write-only", .value = &block.set.write_only,
     .preset = "no", .workload = true,
     .help = "write but do not read; the files are kept for a later run with "
             "--read-only",
     .text = "Write but do not read. The files are kept, as with --keep, unless "
             "--no-keep is given; another run with --read-only reads and verifies "
             "them."},
    {.kind = OPT_TEXT, .name = "read-only", .value = &block.set.read_only,
     .arg = "FILE",
     .help = "read and verify the files that an earlier run kept, with any number of "
             "ranks; FILE is one of them, or the description beside them (.json)",
     .text = "Only read and verify the files that an earlier run kept: FILE is one "
             "of its data files, or the description beside them, _NAME_.json. The "
             "number of ranks and threads may differ. Each block is read once. With "
             "_BYTES_ each worker reads only this much. The description has the block "
             "size, layout and seed, so these options cannot be given. A truncated "
             "file is refused, and a wrong byte is reported with its offset. "
             "Containers also need --filetype=PARTITIONED."},
    {.kind = OPT_TEXT, .name = "input", .value = &block.set.input, .arg = "FILE",
     .help = "only read this existing file or block device; nothing is written or "
             "verified",
     .text = "Only read this existing file or block device, which is never changed. "
             "All ranks and threads read their parts, as --layout says, at the offset "
             "given by --misalign; without _BYTES_, they read the whole of it. Bytes "
             "at the end that do not fill a block are left out. The contents are "
             "unknown, so nothing is verified. The report warns if the file has holes "
             "or was changed during the run. Each node reads its own FILE, which must "
             "have the same length on all nodes."},
    {.kind = OPT_TITLE, .help = "Details of transfers:"},
    {.kind = OPT_REAL, .name = "theta", .value = &block.set.theta, .preset = "1.2",
     .arg = "THETA", .unit = "1", .min = 0.01, .max = 100, .workload = true,
     .help = "ZIPF: the exponent; the k-th most popular block is drawn in proportion "
             "to k^-THETA",
     .text = "Of *ZIPF*: the _k_-th most popular block is drawn with a probability "
             "proportional to _k_^-THETA; which blocks are popular depends on --seed."},
    {.kind = OPT_BYTES, .name = "misalign", .value = &block.set.misalign, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1e12, .word = "random",
     .workload = true,
     .help = "shift every transfer by this many bytes in the file; random: each "
             "transfer by an odd number of its own below 512",
     .text = "Shift every transfer by this many bytes in the file. With *random* each "
             "block is shifted by an odd number of bytes below 512. Blocks do not "
             "overlap: each has 512 bytes of extra room."},
    {.kind = OPT_INT, .name = "files", .value = &block.set.files, .preset = "1",
     .arg = "K", .unit = "1", .min = 1, .max = BLOCK_FILES_MAX, .workload = true,
     .help = "files over which each rank spreads its blocks; transfers go to them in "
             "turn, in one queue",
     .text = "Spread the blocks of a rank (with --threads, of a lane) over this many "
             "files, up to 1024: its own files, or with --filetype=SHARED files that "
             "all ranks share. _BYTES_ is the sum, rounded up to the same number of "
             "blocks in each file. All files are open together, and transfers go to "
             "them in turn, in one queue of --depth (in *fio*(1): *nrfiles* with "
             "*file_service_type=roundrobin*). Only some asynchronous engines can "
             "have several files in a queue: *threads*, *uring* and *libaio*. Not "
             "with --collective, nor with containers."},
    {.kind = OPT_INT, .name = "think", .value = &block.set.think_us, .preset = "0",
     .arg = "US", .unit = "us", .min = 0, .max = 6e7, .workload = true,
     .help = "compute for this many microseconds after every --depth transfers have "
             "completed",
     .text = "Compute for this many microseconds after every --depth transfers have "
             "completed, so none is in flight meanwhile. Its time counts for no "
             "transfer (*thinktime* in *fio*(1)). Without --cache=direct, _read_MBps_ "
             "and _write_MBps_ are left out, since the kernel works in these pauses, "
             "and a warning says so. The last 100 microseconds of a pause are spent "
             "in a loop, the rest asleep."},
    {.kind = OPT_TEXT, .name = "rate", .value = &block.set.rate, .arg = "N/s",
     .workload = true,
     .help = "start this number of transfers or bytes in a second of each lane (500/s, "
             "20MB/s), however long they take; latencies are from the intended start",
     .text = "An open loop: each lane starts this number of transfers (*500/s*) or "
             "bytes (*20MB/s*) in a second, at times that do not wait for the storage. "
             "With --depth transfers in flight the next one starts late, but its "
             "latency is from its intended start, so a stall counts for all transfers "
             "that it delays (*rate* and *rate_iops* in *fio*(1)). The figures "
             "_write.write_waiting_us_ (mean time from the intended start to the "
             "start), _write.write_held_share_ (transfers that were due when no place "
             "in the queue was free) and, with --time, _write.missed_ (those due that "
             "were never started) tell what could not be offered. Rates in MB/s are of "
             "the seconds with transfers in flight, as with --think. Not with "
             "--collective or --think."},
    {.kind = OPT_CHOICE, .name = "arrival", .value = &block.set.arrival,
     .preset = "uniform", .arg = "HOW", .choices = "uniform|poisson", .workload = true,
     .help = "with --rate: intended starts",
     .choice_text = {"at equal distances",
                     "at random, each at a time of its own: distances are exponential "
                     "(*rate_process=poisson* in *fio*(1))"}},
    {.kind = OPT_INT, .name = "compress", .value = &block.set.compress, .preset = "0",
     .arg = "PERCENT", .unit = "%", .min = 0, .max = 100, .workload = true,
     .help = "percentage of the data that repeats and can be compressed away",
     .text = "Percentage of the data that can be compressed away, if --block-size is "
             "a multiple of 512. The word that repeats in each 512 bytes differs "
             "between blocks and versions, so every byte is still verified. The first "
             "56 of each 4096 bytes cannot be compressed."},
    {.kind = OPT_INT, .name = "dedupe", .value = &block.set.dedupe, .preset = "0",
     .arg = "PERCENT", .unit = "%", .min = 0, .max = 100, .workload = true,
     .help = "percentage of blocks that are copies of other blocks of the same rank",
     .text = "Percentage of blocks that are copies of other blocks of the same rank: "
             "exactly this many of every hundred transfers. A copy must equal the "
             "last version of the block that it copies. Without this option no two "
             "blocks are equal, except with --no-verify, which writes the same "
             "--depth blocks of noise again and again. Not with --mixed or patterns "
             "that repeat blocks."},
    RUN_RANK_SHIFT(block.set.run),
    RUN_STRIPE(block.set.run),
    RUN_OPTIONS(block.set.run),
    {.kind = OPT_NOTE, .name = "keep",
     .text = "Beside them is their description (_NAME_.json), by which --read-only "
             "finds and verifies them; it is written once they are complete and on "
             "stable storage. There is no description if --time or a pattern that "
             "repeats blocks has left some out or written some more often than others, "
             "if --mixed, --block-sizes, --files, --misalign=random or --dedupe was "
             "given, or for HDF5 files; a note in the report says so."},
};
/* clang-format on */

static struct stage stages[6]; /* and the last row has no body */

static void add_stage(struct stage s)
{
    int n = 0;
    while (stages[n].body)
        n++;
    stages[n] = s;
}

/* A write phase over existing files opens them as a read phase does: without their
 * pages in memory. */
static void make_stages(void)
{
    int anew = (set->overwrite ? IO_READ : IO_CREATE) | block.durable;
    if (set->overwrite)
        add_stage((struct stage){.phase = "lay", .body = block_lay_all, .aside = true});
    add_stage((struct stage){
        .phase = "write", .body = block_write_all, .flags = IO_WRITE | anew});
    if (set->mixed)
        add_stage((struct stage){.phase = "mixed",
                                 .body = block_mix_all,
                                 .flags = IO_READ | IO_WRITE | block.durable});
    if (!set->write_only)
        add_stage(
            (struct stage){.phase = "read", .body = block_read_all, .flags = IO_READ});
    if (block.pass)
        add_stage((struct stage){.phase = "verify",
                                 .body = block_check_all,
                                 .flags = IO_READ,
                                 .aside = true});
}

/* A time limit needs a file whose layout does not depend on it, and ranks that need not
 * meet in each transfer. */
static int check_time(const struct run *r)
{
    int rc = block_check_limit(set);
    if (rc || !set->run.time_s)
        return rc;
    if (r->partitioned && !set->once)
        return err_usage("--time: blocks are written again until it is up, and a "
                         "container is written once: add --once");
    if (set->once && opt_find(r->program, "BYTES")->from == OPT_DEFAULT)
        return err_usage("--once needs BYTES, too: the most that each rank may write "
                         "until then, for which there is room");
    return 0;
}

/* True if the engine stores blocks in a format of its own. */
static bool formats(void)
{
    const char *spec;
    int rc = io_engine_of_method(set->run.iomethod, IO_STORES_FORMAT, &spec);
    err_clear();
    return rc;
}

/* Refuses combinations of options, each with the reason. */
static int check_together(const struct run *r)
{
    bool repeats = order_repeats(&block.order),
         tells = block_least(&block) >= STAMP_HEADER;
    bool unique = !r->shared, mpi = r->engine && io_engine_calls_mpi(r->engine);
    const struct {
        bool refused;
        const char *why;
    } row[] = {
        {repeats && set->run.collective,
         "--pattern=UNIFORM and ZIPF: a rank waits if a block is still in flight, and "
         "collective transfers cannot wait: take RANDOM"},
        {repeats && r->verify && !tells,
         "--pattern=UNIFORM and ZIPF: a block of less than 56 bytes cannot tell which "
         "write it is of: take larger ones, or --no-verify"},
        {repeats && set->mixed && set->run.rank_shift,
         "--mixed with blocks that repeat: --rank-shift would read what another rank "
         "is "
         "writing: take SEQUENTIAL or RANDOM, or leave it out"},
        {unique && set->mixed && set->run.rank_shift,
         "--mixed with --rank-shift: each rank would need the file of another one "
         "beside its own: take --filetype=SHARED"},
        {r->partitioned && set->mixed,
         "--mixed: a container is read when it is complete: take UNIQUE or SHARED"},
        {r->partitioned && set->overwrite,
         "--overwrite: a container is written once: take UNIQUE or SHARED"},
        {r->partitioned && set->files > 1,
         "--files: a container is several files already: take UNIQUE or SHARED"},
        {set->files > 1 && set->run.collective,
         "--files: transfers of several files in one queue cannot be collective"},
        {block.fsync && mpi && !unique,
         "--fsync and --sync=fsync: MPI syncs a shared file on all ranks at once: take "
         "--filetype=UNIQUE, or an engine that does not call MPI"},
        {set->sizes && opt_find(r->program, "block-size")->from != OPT_DEFAULT,
         "--block-size and --block-sizes: take one of the two"},
        {set->rate && (set->run.collective || set->think_us),
         "--rate: starts are each lane's own: leave out --collective and --think"},
        {set->sizes && set->misalign < 0,
         "--block-sizes: blocks of several sizes are not shifted at random"},
        {set->sizes && set->dedupe,
         "--block-sizes: a copy would have another size than its block: leave out "
         "--dedupe"},
        {set->sizes && (r->partitioned || formats()),
         "--block-sizes: this --filetype or --iomethod has places for blocks of one "
         "size only: take one that stores regular files"},
        {set->misalign < 0 && r->partitioned,
         "--misalign=random: a container has a place for whole blocks only: take "
         "UNIQUE or SHARED"},
        {set->dedupe && (repeats || set->mixed),
         "--dedupe: blocks are copies where all are written as often: leave out "
         "--mixed, and take SEQUENTIAL or RANDOM"},
    };
    for (int i = 0; i < WORKLOAD_COUNT(row); i++)
        if (row[i].refused)
            return err_usage("%s", row[i].why);
    return 0;
}

/* Stamps store numbers and versions of blocks as int. */
static int check_blocks(void)
{
    int64_t blocks = order_blocks(&block.order);
    int64_t most = order_repeats(&block.order) ? INT32_MAX / 2 - 1 : INT32_MAX;
    if (block.order.layout.blks > INT32_MAX || blocks > most)
        return err_usage(
            "BYTES / --block-size makes %lld block%s for each rank, more than "
            "2^%d: take larger blocks",
            (long long)blocks, units_s(blocks), most == INT32_MAX ? 31 : 30);
    return 0;
}

static int blocktransfer_check(struct run *r, int64_t *memory_bytes)
{
    int rc = check_blocks();
    if (!rc)
        rc = block_buffers(r, memory_bytes);
    if (rc)
        return rc;
    *memory_bytes += r->lanes * block_lane_bytes(&block);
    rc =
        block_check_direct(r, set->run.dir, "--block-size and --misalign must be such");
    rc = rc ? rc : check_time(r);
    rc = rc ? rc : check_together(r);
    if (!rc && r->engine && block.durable)
        rc = io_engine_check(r->engine, block.durable);
    if (rc)
        return rc;
    return layout_check(&block.order.layout);
}

static enum order_pattern pattern_asked(void)
{
    static const char *const names[] = {"SEQUENTIAL", "RANDOM", "UNIFORM", "ZIPF"};
    int i = 0;
    while (strcmp(set->pattern, names[i]) != 0)
        i++;
    return (enum order_pattern)i;
}

static void plan_order(const struct run *r)
{
    struct order *o = &block.order;
    bool interleaved = !strcmp(set->layout, "INTERLEAVED");
    int64_t slot = o->sizes ? o->cycle_bytes : set->block;
    o->files = set->files;
    o->block = set->block;
    o->misaligned = set->misalign < 0;
    o->pattern = pattern_asked();
    o->mixed = (int)set->mixed;
    o->layout =
        (struct layout){.order = !r->shared    ? LAYOUT_UNIQUE
                                 : interleaved ? LAYOUT_INTERLEAVED
                                               : LAYOUT_RANK_MAJOR,
                        .ranks = r->workers,
                        .mats = 1,
                        .start = o->misaligned ? 1 : set->misalign,
                        .blks = units_div_up(units_div_up(set->bytes, slot), o->files),
                        .slot_bytes = slot + (o->misaligned ? ORDER_ROOM : 0)};
    zipf_prepare(&o->zipf, o->layout.blks * o->cycle, set->theta);
}

/* The seed decides the number of reads in a mixed phase, and the run may choose
 * the seed. */
static void plan_bytes(struct run_need *n)
{
    const struct order *o = &block.order;
    int64_t all = 0, slots = o->layout.blks * o->files * o->layout.ranks;
    bool known = !set->run.time_s && !set->mixed && !(o->sizes && order_repeats(o));
    if (__builtin_mul_overflow(slots, o->sizes ? o->cycle_bytes : set->block, &all))
        known = false;
    n->write_bytes = known ? (1 + set->overwrite) * all : -1;
    n->read_bytes = set->write_only ? 0 : known ? (1 + block.pass) * all : -1;
}

/* Plans a run on given files, which only reads them. */
static int plan_input(struct run *r, struct run_need *n)
{
    int rc = input_plan(r, n);
    add_stage((struct stage){.phase = "read", .body = input_read_all});
    if (block.pass)
        add_stage(
            (struct stage){.phase = "verify", .body = input_check_all, .aside = true});
    return rc;
}

static void plan_sync(struct run *r)
{
    const char *how = set->sync;
    bool data = !strcmp(how, "fdatasync"), calls = data || !strcmp(how, "fsync");
    block.fsync = set->fsync < 0 || (calls && !set->fsync) ? 1 : set->fsync;
    block.durable = data                    ? IO_DATA_SYNC
                    : !strcmp(how, "dsync") ? IO_DSYNC
                    : !strcmp(how, "osync") ? IO_OSYNC
                                            : 0;
    r->sync_latencies = block.fsync > 0;
}

static int plan(struct run *r, struct run_need *n)
{
    memset(stages, 0, sizeof stages);
    if (input_given(set))
        return plan_input(r, n);
    keep_settle(r);
    int rc = block_sizes_plan(&block);
    rc = rc ? rc : block_rate_plan(&block);
    if (rc)
        return rc;
    plan_order(r);
    plan_sync(r);
    block.content = (struct content){(int)set->compress, (int)set->dedupe};
    block.stamps = r->verify || set->compress || set->dedupe;
    rc = blocktransfer_check(r, &n->memory_bytes);
    if (rc)
        return rc;
    r->latencies = true;
    n->layout = &block.order.layout;
    n->role = "blocks";
    n->files = set->files;
    n->depth = (int)set->depth;
    block.pass = r->verify && !set->write_only && !strcmp(set->run.verify_how, "pass");
    make_stages();
    for (const struct stage *s = stages; s->body; s++)
        n->steps += block_loops(&block) ? 0 : order_blocks(&block.order);
    n->buffer_bytes = set->depth * set->block;
    plan_bytes(n);
    return 0;
}

/* The seed is known only after the run has its id. */
static int open_blocks(struct run *r)
{
    if (input_given(set))
        return input_open(r);
    order_begin(&block.order, r->seed);
    return block_lanes_open(&block, r->lanes);
}

static void close_blocks(struct run *r)
{
    input_close(r);
    block_lanes_close(&block, r->lanes);
}

static int put_away(struct run *r, int rc)
{
    return input_given(set) ? rc : keep_describe(r, rc);
}

static int results(struct run *r, int rc)
{
    return input_given(set) ? input_results(r, rc) : rc;
}

int main(int argc, char **argv)
{
    static const struct workload blocktransfer = {
        .name = "blocktransfer",
        .line = "[BYTES]",
        .about = "Every rank writes and then reads whole blocks, sequentially or at "
                 "random. The result is the yardstick for the other programs.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &block.set.run,
        .context = &block,
        .takes =
            (RUN_TAKES_ALL & ~RUN_TAKES_VERIFY) | RUN_TAKES_PASS | RUN_TAKES_COMPARE,
        .plan = plan,
        .open = open_blocks,
        .close = close_blocks,
        .stages = stages,
        .figures = block_figures,
        .put_away = put_away,
        .results = results,
    };
    return run_main(&blocktransfer, argc, argv);
}
