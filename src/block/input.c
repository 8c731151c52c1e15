/* --input and --read-only: reads files that the run did not make. They are opened
 * read-only and never changed, however the run ends.
 *
 * Memory of a rank: for each lane its buffers, and 5 KB for each file that it reads
 * (--read-only of files of ranks: writers divided by the lanes of all ranks). */
#include "base/draw.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "base/units.h"
#include "block/block.h"
#include "block/order.h"
#include "run/kept.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input_lane {
    struct run_file *file; /* the consecutive files that the lane reads */
    int64_t first;         /* number of file[0] */
    int n;
    struct io_queue *queue; /* shared by all of them; NULL: there is one file */
};

static struct input {
    char path[KEPT_PATH];   /* --input, or the description */
    char of_run[KEPT_PATH]; /* named in the report: --input, or a data file */
    struct io_input is;     /* properties of --input */
    bool known;             /* --read-only: `kept` describes the content */
    struct kept kept;
    struct layout layout; /* of the existing blocks */
    struct deal deal;
    int64_t rest; /* bytes at the end that fill no whole block */
    bool random;  /* --pattern asks for random order */
    int64_t read; /* the most blocks that a worker has read in this repetition */
    bool apart;   /* one file per writer: a reader opens those it needs */
    struct input_lane *lane;
    struct run_file *shared; /* the one file, for each lane; NULL: `apart` */
} input;

bool input_given(const struct block_settings *set)
{
    return set->input || set->read_only;
}

/* ---- options -------------------------------------------------------------------- */

static const char *option(const struct block_settings *set)
{
    return set->input ? "--input" : "--read-only";
}

/* Refuses the first of the named options that is on the command line and has no
 * meaning here. */
static int refuse_given(const struct run *r, const char *const names[], const char *why)
{
    const struct block *b = r->context;
    for (int i = 0; names[i]; i++) {
        const struct opt *o = opt_find(r->program, names[i]);
        if (o && o->from == OPT_COMMAND_LINE)
            return err_usage("--%s with %s: %s", names[i], option(&b->set), why);
    }
    return 0;
}

static int check_options(const struct run *r)
{
    static const char *const writes[] = {
        "write-only", "keep",        "node-dirs",  "overwrite", "fsync",
        "sync",       "block-sizes", "mixed",      "compress",  "dedupe",
        "files",      "stripe",      "rank-shift", NULL};
    static const char *const thinks[] = {"think", "rate", "arrival", NULL};
    static const char *const checks[] = {"filetype", "verify", NULL};
    static const char *const shares[] = {"filetype", NULL};
    static const char *const says[] = {"block-size", "misalign", NULL};
    const struct block *b = r->context;
    const struct block_settings *set = &b->set;
    const char *spec;
    int rc = refuse_given(r, writes,
                          "such a run writes nothing, and has not written what it "
                          "reads: leave it out");
    if (!rc && set->input && set->read_only)
        rc = err_usage("--input and --read-only: take one of the two");
    if (!rc && set->input)
        rc = refuse_given(r, strcmp(set->run.verify_how, "no") ? checks : shares,
                          "all ranks read one file, of which nobody knows what is in "
                          "it: leave it out");
    if (!rc && set->read_only)
        rc = refuse_given(
            r, says, "that is as it was when the files were written: leave it out");
    if (!rc)
        rc = refuse_given(r, thinks, "it reads without a pause: leave it out");
    if (!rc && set->input && set->misalign < 0)
        rc = err_usage("--misalign=random with --input: take a number of bytes");
    if (!rc && strcmp(set->pattern, "SEQUENTIAL") && strcmp(set->pattern, "RANDOM"))
        rc = err_usage("--pattern=%s with %s: what is there is read once: take "
                       "SEQUENTIAL or RANDOM",
                       set->pattern, option(set));
    if (!rc)
        rc = io_engine_of_method(set->run.iomethod,
                                 IO_STORES_NOTHING | IO_STORES_FORMAT, &spec);
    return rc ? rc : block_check_limit(set);
}

/* ---- existing files: --input ---------------------------------------------------- */

static int look_at_input(struct run *r)
{
    struct block *b = r->context;
    struct block_settings *set = &b->set;
    if (strlen(set->input) >= sizeof input.path)
        return err_set(-ENAMETOOLONG, set->input, -1, "the path is too long");
    snprintf(input.path, sizeof input.path, "%s", set->input);
    int rc = run_input(r, input.path, &input.is, false);
    if (rc)
        return rc;
    int64_t bytes = input.is.bytes - set->misalign;
    input.rest = bytes % set->block;
    if (bytes < set->block)
        return err_set(-ENODATA, input.path, -1,
                       "the input has %lld bytes, less than one block of %lld at "
                       "--misalign: take a smaller --block-size",
                       (long long)input.is.bytes, (long long)set->block);
    /* Nobody could tell whether the content is right. */
    set->run.verify = r->verify = false;
    set->run.verify_how = "no";
    set->run.filetype = "SHARED";
    input.layout = (struct layout){.order = LAYOUT_RANK_MAJOR,
                                   .ranks = 1,
                                   .mats = 1,
                                   .blks = bytes / set->block,
                                   .start = set->misalign,
                                   .slot_bytes = set->block};
    snprintf(input.of_run, sizeof input.of_run, "%s", input.path);
    r->input = (struct run_input){.path = input.of_run,
                                  .count = 1,
                                  .bytes = input.is.bytes,
                                  .device = input.is.device};
    return 0;
}

/* ---- existing files: --read-only ------------------------------------------------ */

static int read_description(struct run *r, const char *named)
{
    int rc = 0;
    if (r->world.rank == 0) {
        rc = kept_find(named, input.path);
        rc = rc ? rc : kept_read(&input.kept, input.path);
    }
    if ((rc = err_agree(r->world.comm, rc)))
        return rc;
    MPI_Bcast(input.path, sizeof input.path, MPI_CHAR, 0, r->world.comm);
    MPI_Bcast(&input.kept, sizeof input.kept, MPI_BYTE, 0, r->world.comm);
    return 0;
}

/* Checks one file. *modified_ns becomes the later of its time and the file's. */
static int look_at_file(const struct kept *k, int64_t i, int64_t *modified_ns)
{
    char path[KEPT_PATH];
    struct io_input is;
    struct layout l = kept_layout(k);
    int64_t bytes = layout_file_bytes(&l);
    int rc = kept_file(k, input.path, i, path);
    if (!rc)
        rc = io_input_of(path, &is);
    if (rc)
        return rc;
    *modified_ns = is.modified_ns > *modified_ns ? is.modified_ns : *modified_ns;
    if (is.bytes == bytes && !is.device)
        return 0;
    return err_set(-ESTALE, path, -1,
                   "the file has %lld bytes, and %lld when it was kept: it was changed "
                   "since",
                   (long long)is.bytes, (long long)bytes);
}

/* Each rank checks some files. A container is checked when it is opened. */
static int look_at_files(const struct run *r, int64_t *modified_ns)
{
    const struct kept *k = &input.kept;
    bool container = !strcmp(k->filetype, "PARTITIONED");
    int rc = 0;
    *modified_ns = INT64_MIN;
    for (int64_t i = r->world.rank; i < kept_files(k) && !rc && !container;
         i += r->world.size)
        rc = look_at_file(k, i, modified_ns);
    rc = err_agree(r->world.comm, rc);
    world_reduce(r->world.comm, modified_ns, 1, MPI_INT64_T, MPI_MAX);
    return rc;
}

static int check_kept(const struct run *r)
{
    const struct kept *k = &input.kept;
    bool container = !strcmp(k->filetype, "PARTITIONED");
    if (strcmp(k->program, r->program->name))
        return err_usage("--read-only: %s was written by %s: read it with that",
                         input.path, k->program);
    if (opt_find(r->program, "filetype")->from == OPT_COMMAND_LINE &&
        strcmp(k->filetype, r->options->filetype))
        return err_usage(
            "--filetype with --read-only: %s was written with %s: leave it "
            "out",
            input.path, k->filetype);
    if (container != r->partitioned)
        return err_usage("--read-only: %s was written with FILETYPE=%s: %s", input.path,
                         k->filetype,
                         container ? "add --filetype=PARTITIONED"
                                   : "FILETYPE=PARTITIONED cannot read it");
    if (!k->stamped && r->verify)
        return err_usage("--read-only: %s was written with --no-verify, and cannot be "
                         "checked: add --no-verify",
                         input.path);
    if (strcmp(k->filetype, "SHARED") && !container && r->options->collective)
        return err_usage(
            "--collective with --read-only: the files are of single ranks, "
            "and others read them: leave it out");
    return 0;
}

static int look_at_kept(struct run *r)
{
    struct block *b = r->context;
    struct block_settings *set = &b->set;
    const struct kept *k = &input.kept;
    int rc = read_description(r, set->read_only);
    if (!rc)
        rc = check_kept(r);
    if (!rc)
        rc = look_at_files(r, &input.is.modified_ns);
    if (!rc)
        rc = kept_file(k, input.path, 0, input.of_run);
    if (rc)
        return rc;
    set->block = k->block_bytes;
    set->misalign = k->misalign;
    set->run.filetype = k->filetype;
    input.known = true;
    input.apart = !strcmp(k->filetype, "UNIQUE");
    input.layout = kept_layout(k);
    r->input = (struct run_input){
        .path = input.of_run, .count = kept_files(k), .bytes = k->bytes};
    return 0;
}

/* ---- plan ----------------------------------------------------------------------- */

/* BYTES is the amount that each worker reads; without it, workers read everything. */
static int deal_blocks(struct run *r)
{
    struct block *b = r->context;
    struct block_settings *set = &b->set;
    const struct layout *l = &input.layout;
    int64_t there = l->ranks * l->blks, asked = there;
    bool given = opt_find(r->program, "BYTES")->from != OPT_DEFAULT;
    if (given && (__builtin_mul_overflow(units_div_up(set->bytes, set->block),
                                         (int64_t)r->workers, &asked) ||
                  asked > there))
        return err_usage("%d x BYTES are more than the %lld blocks of %lld bytes that "
                         "%s has: take less, or leave BYTES out to read all of it",
                         r->workers, (long long)there, (long long)set->block,
                         input.path);
    if (asked < r->workers)
        return err_usage("%s has %lld block%s of %lld bytes, and there are %d to read "
                         "them: start fewer ranks or threads%s",
                         input.path, (long long)there, units_s(there),
                         (long long)set->block, r->workers,
                         set->input ? ", or take a smaller --block-size" : "");
    if (asked % r->workers && set->run.collective)
        return err_usage(
            "--collective: %lld blocks are not as many for each of %d "
            "rank%s, as collective transfers must be: give BYTES, or leave "
            "--collective out",
            (long long)asked, r->workers, units_s(r->workers));
    input.deal = (struct deal){.blocks = asked,
                               .workers = r->workers,
                               .interleaved = !strcmp(set->layout, "INTERLEAVED")};
    if (!given)
        set->bytes = deal_count(&input.deal, 0) * set->block;
    return 0;
}

static int check_sizes(struct run *r, int64_t *memory_bytes)
{
    const struct block *b = r->context;
    const struct block_settings *set = &b->set;
    int64_t files = input.apart ? input.layout.ranks / r->workers + 2 : 1;
    int rc = block_buffers(r, memory_bytes);
    if (rc)
        return rc;
    *memory_bytes += r->lanes * files * (int64_t)sizeof(struct run_file);
    return block_check_direct(r, r->input.path,
                              set->input ? "--block-size and --misalign must be such"
                                         : "blocks of this file are not such");
}

int input_plan(struct run *r, struct run_need *n)
{
    struct block *b = r->context;
    struct block_settings *set = &b->set;
    int rc = err_agree(r->world.comm, check_options(r));
    if (!rc)
        rc = set->input ? look_at_input(r) : look_at_kept(r);
    if (!rc)
        rc = deal_blocks(r);
    if (!rc)
        rc = check_sizes(r, &n->memory_bytes);
    if (rc)
        return rc;
    r->shared = !input.apart;
    r->latencies = true;
    input.random = !strcmp(set->pattern, "RANDOM");
    b->pass = r->verify && !strcmp(set->run.verify_how, "pass");
    n->order = layout_text(input.layout.order);
    n->depth = (int)set->depth;
    n->steps = (1 + b->pass) * deal_count(&input.deal, 0);
    n->buffer_bytes = set->depth * set->block;
    n->read_bytes =
        set->run.time_s ? -1 : (1 + b->pass) * input.deal.blocks * set->block;
    return 0;
}

/* ---- files ---------------------------------------------------------------------- */

static int64_t input_file_of(int64_t block)
{
    return input.apart ? block / input.layout.blks : 0;
}

/* Finds the files that hold the lane's blocks, which are consecutive files. */
static int lane_make(struct run *r, struct input_lane *l)
{
    if (input.shared) {
        *l = (struct input_lane){.file = &input.shared[r->lane], .n = 1};
        return 0;
    }
    int64_t last = deal_count(&input.deal, r->worker) - 1;
    l->first = input_file_of(deal_block(&input.deal, r->worker, 0));
    int64_t n = input_file_of(deal_block(&input.deal, r->worker, last)) - l->first + 1;
    l->n = (int)n;
    l->file = mem_new(n, sizeof *l->file, "files");
    return l->file ? 0 : -ENOMEM;
}

/* Notes the origin of kept files in the report: their readers know more than
 * of others. */
static void say_kept(struct run *r)
{
    const struct kept *k = &input.kept;
    char when[CLOCK_UTC_SIZE];
    report_note(r->report, "kept",
                "%s: %lld x %lld blocks of %lld bytes, %s, %s, written by run %s of "
                "version %s; last modified %s",
                input.path, (long long)k->writers, (long long)k->blocks,
                (long long)k->block_bytes, k->filetype, k->layout, k->run_id,
                k->version, clock_date(input.is.modified_ns, when));
}

static void say_what(struct run *r)
{
    if (input.known)
        say_kept(r);
    else
        run_input_say(r, input.path, &input.is,
                      "; nothing is verified, as nobody here wrote it");
    if (input.rest)
        report_note(r->report, "rest",
                    "the last %lld bytes, which are no whole block, are not read",
                    (long long)input.rest);
}

static void warn_of_change(struct run *r)
{
    bool container = input.known && !strcmp(input.kept.filetype, "PARTITIONED");
    if (input.known && !container && !r->verify &&
        input.is.modified_ns != input.kept.modified_ns)
        report_warning(r->report, "input_changed",
                       "the files of %s were changed or copied after they were kept, "
                       "and nothing is verified",
                       input.path);
}

int input_open(struct run *r)
{
    int rc = 0;
    input.lane = mem_new(r->lanes, sizeof *input.lane, "lanes");
    if (!input.apart)
        input.shared = mem_new(r->lanes, sizeof *input.shared, "lanes");
    if (!input.lane || (!input.apart && !input.shared))
        return -ENOMEM;
    for (int i = 0; i < r->lanes && !rc; i++)
        rc = lane_make(run_lane_of(r, i), &input.lane[i]);
    say_what(r);
    warn_of_change(r);
    return rc;
}

void input_close(struct run *r)
{
    for (int i = 0; input.lane && !input.shared && i < r->lanes; i++)
        free(input.lane[i].file);
    free(input.lane);
    free(input.shared);
    input.lane = NULL;
    input.shared = NULL;
}

int input_results(struct run *r, int rc)
{
    if (!rc && !input.known)
        run_input_again(r, input.path, &input.is);
    return rc;
}

/* Opens the single-writer files that a lane reads; other lanes may read them
 * as well. */
static void lane_open(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct input_lane *l = &((struct input_lane *)context)[r->lane];
    char path[KEPT_PATH];
    int64_t bytes = layout_file_bytes(&input.layout);
    int depth = (int)b->set.depth, rc = 0;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    if (l->n > 1)
        rc = run_queue_open(r, &l->queue, depth, b->set.block);
    phase_act(r->phase, before);
    run_fail(r, rc);
    for (int i = 0; i < l->n && !r->failed; i++) {
        run_fail(r, kept_file(&input.kept, input.path, l->first + i, path));
        run_file_local(&l->file[i], r, path, bytes, b->set.block, depth);
        l->file[i].queue = l->queue;
        run_file_open(&l->file[i], IO_READ);
    }
}

static void lane_close(struct run *r, void *context)
{
    struct input_lane *l = &((struct input_lane *)context)[r->lane];
    for (int i = 0; i < l->n; i++)
        if (l->file[i].io)
            run_file_close(&l->file[i], false);
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    io_queue_close(&l->queue);
    phase_act(r->phase, before);
}

/* Opens a shared file on all ranks together, as the run's own files are opened. */
static void open_shared(struct run *r)
{
    const struct block *b = r->context;
    struct run_file *f = input.shared;
    for (int i = 0; i < r->lanes; i++)
        run_file_at(&f[i], run_lane_of(r, i), input.of_run, true, true,
                    input.layout.ranks * input.layout.blks * b->set.block +
                        input.layout.start,
                    b->set.block, (int)b->set.depth);
    run_file_open_lanes(f, r->lanes, IO_READ);
}

/* No rank reads before all have dropped the cached pages of their files. */
static void input_open_all(struct run *r)
{
    if (!input.apart) {
        open_shared(r);
        return;
    }
    run_lanes(r, lane_open, input.lane);
    enum act before = phase_act(r->phase, ACT_IDLE);
    r->failed = err_agree(r->world.comm, r->failed);
    phase_act(r->phase, before);
}

static void input_close_all(struct run *r)
{
    if (input.apart)
        run_lanes(r, lane_close, input.lane);
    else
        run_file_close_lanes(input.shared, r->lanes, false);
}

/* ---- transfers ------------------------------------------------------------------ */

struct lane_work {
    struct run *r;
    const struct block *b;
    const struct block_work *w;
    const struct input_lane *files;
};

struct place { /* of a block */
    int64_t writer, block;
    struct extent e;
};

/* The place of this lane's block number i; numbers go round. */
static struct place input_place_of(const struct lane_work *l, int64_t i)
{
    const struct run *r = l->r;
    const struct layout *y = &input.layout;
    int64_t n = deal_count(&input.deal, r->worker);
    if (i >= n)
        i %= n;
    if (input.random)
        i = shuffle(i, n, order_key(r->seed, r->worker));
    int64_t at = deal_block(&input.deal, r->worker, i);
    bool interleaved = y->order == LAYOUT_INTERLEAVED;
    struct place p = {.writer = interleaved ? at % y->ranks : at / y->blks,
                      .block = interleaved ? at / y->ranks : at % y->blks};
    p.e = layout_at(y, p.writer, 0, p.block);
    return p;
}

static struct run_file *file_at(const struct lane_work *l, const struct place *p)
{
    return &l->files->file[input.apart ? p->e.file - l->files->first : 0];
}

static struct io_req request(const void *lane_work, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    struct place p = input_place_of(l, i);
    struct io_req req = {.op = IO_OP_READ,
                         .buf = l->r->buffer + slot * l->b->set.block,
                         .offset = p.e.offset,
                         .bytes = p.e.bytes,
                         .file = file_at(l, &p)->io};
    if (l->w->checks)
        run_poison(l->r, req.buf, req.bytes);
    return req;
}

static void check_block(void *lane_work, const struct io_req *req, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    struct place p = input_place_of(l, i);
    struct stamp s = kept_stamp(&input.kept, p.writer, p.block);
    (void)slot;
    run_check_stamp(file_at(l, &p), req->buf, req->offset, req->bytes, &s);
}

/* Reads up to the limit, or what is left. Lanes may have unequal numbers of blocks. */
static void read_blocks(struct run *r, void *work)
{
    struct io_req req[BLOCK_DEPTH_MAX];
    struct lane_work l = {r, r->context, work, &input.lane[r->lane]};
    int64_t mine = deal_count(&input.deal, r->worker);
    int64_t total = mine && (block_loops(l.b) || l.w->total < mine) ? l.w->total : mine;
    struct run_queue q = {.make = request,
                          .done = l.w->checks ? check_block : NULL,
                          .context = &l,
                          .from = r->made,
                          .total = total > r->made ? total - r->made : 0,
                          .limit_s = l.w->limit_s,
                          .untimed = l.w->untimed,
                          .all_visible = l.w->checks};
    run_queue(l.files->file, req, &q);
}

static int read_stage(struct run *r, struct block_work *w)
{
    input_open_all(r);
    block_transfer(r, read_blocks, w);
    input_close_all(r);
    return 0;
}

int input_read_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {.op = IO_OP_READ,
                           .checks = r->verify && !b->pass,
                           .limit_s = b->set.run.time_s,
                           .total = block_loops(b) ? BLOCK_ENDLESS
                                                   : deal_count(&input.deal, 0)};
    (void)context;
    int rc = read_stage(r, &w);
    input.read = w.total;
    return rc;
}

/* --verify=pass: reads the same blocks again, and checks them. */
int input_check_all(struct run *r, void *context)
{
    struct block_work w = {
        .op = IO_OP_READ, .checks = true, .untimed = true, .total = input.read};
    (void)context;
    return read_stage(r, &w);
}
