/* outcore search: look-ups in a sorted file through an index in memory, after the
 * binary search of Ulmer's flash-memory report (2008, section 2.1).
 *
 * Bytes of all ranks, for a file of N bytes in P blocks: phase index reads each page's
 * last record, or the file once (with --cache=direct in whole blocks); phase probe a
 * part of that in both ways; phase lookup a page for each read (index.h: a block, and
 * the next if records reach into it). Phases make, runs and merge are make.h's and
 * sorting.h's; keys and verify are not counted, as they are not part of the work.
 * Memory of a rank: 8 bytes and a seventh for each block of its part of the file (with
 * --split=replicated, of all of it), its look-ups' keys and answers, a round of other
 * ranks' (share.h), and each lane's reads in flight. */
#include "outcore/search/search.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/data/records.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct search_settings set;
static struct search search = {.set = &set};

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "File:"},
    {.kind = OPT_TEXT, .name = "FILE", .value = &set.file,
     .help = "a sorted file, as written by outcore sort; it is never changed. "
             "Without FILE, one is generated and sorted (--records)",
     .text = "The sorted file. It is only read."},
    {.kind = OPT_TEXT, .name = "input", .value = &set.input, .arg = "FILE",
     .help = "the same as FILE"},
    {.kind = OPT_BYTES, .name = "records", .value = &set.records, .preset = "1M",
     .arg = "N", .unit = "1", .min = 1, .max = 9e18, .workload = true,
     .help = "without FILE: records in the generated file"},
    FORM_OPTION(set.record),
    {.kind = OPT_TITLE, .help = "Look-ups:"},
    {.kind = OPT_BYTES, .name = "lookups", .letter = 'n', .value = &set.lookups,
     .preset = "64k", .arg = "N", .unit = "1", .min = 1, .max = 1e15, .workload = true,
     .help = "number of look-ups, over all ranks"},
    {.kind = OPT_REAL, .name = "hit-rate", .value = &set.hit_rate, .preset = "0.5",
     .arg = "SHARE", .unit = "1", .min = 0, .max = 1, .workload = true,
     .help = "share (0 to 1) of look-ups whose key is in the file; the other keys "
             "are random"},
    {.kind = OPT_REAL, .name = "zipf", .value = &set.zipf, .preset = "0", .arg = "S",
     .unit = "1", .min = 0, .max = 100, .workload = true,
     .help = "look up the k-th most popular record in proportion to k^-S; 0: all "
             "records equally",
     .text = "Look up the k-th most popular record in proportion to k to the power "
             "of -S. The order of popularity is random. *0*: all are equally "
             "popular."},
    {.kind = OPT_CHOICE, .name = "keys", .value = &set.keys, .preset = "auto",
     .arg = "HOW", .choices = "auto|read|seed", .workload = true,
     .help = "source of the keys that are in the file",
     .choice_help = {"auto: read with FILE, seed without",
                     "read: from the file, beforehand",
                     "seed: generated as outcore gen --seed generated the records"},
     .text = "Source of the keys that are in the file. *read* takes them from it "
             "beforehand, at random positions. *seed* generates them as *outcore "
             "gen* did for the file that was sorted, with the same --seed. *auto* "
             "is *read* with _FILE_, and *seed* without."},
    {.kind = OPT_INT, .name = "depth", .letter = 'd', .value = &set.depth,
     .preset = "1", .arg = "D", .unit = "1", .min = 1, .max = FETCH_DEPTH_MOST,
     .help = "look-ups in flight per lane, with asynchronous engines",
     .text = "Look-ups in flight per lane, with an asynchronous engine "
             "(--iomethod=uring)."},
    RUN_LANES(set.run),
    {.kind = OPT_TEXT, .name = "sweep-threads", .value = &set.sweep_threads,
     .arg = "LIST", .help = "repeat the look-ups with each of these numbers of "
                            "lanes, for example 1,2,4",
     .text = "Repeat the look-ups with each of these numbers of threads per rank, "
             "for example *1,2,4*. Figures belong to the number (*at*, "
             "\"threads\")."},
    {.kind = OPT_TEXT, .name = "sweep-depth", .value = &set.sweep_depth, .arg = "LIST",
     .help = "the same for --depth"},
    {.kind = OPT_TITLE, .help = "Index:"},
    {.kind = OPT_CHOICE, .name = "index", .value = &set.index, .preset = "memory",
     .arg = "KIND", .choices = "memory|none", .workload = true,
     .choice_help = {"memory: one word per block",
                     "none: binary search in the file"},
     .text = "*memory* is described above; *none* is a binary search among the "
             "blocks."},
    {.kind = OPT_BYTES, .name = "block", .letter = 'b', .value = &set.block,
     .preset = "4k", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30,
     .workload = true,
     .help = "bytes that a look-up reads; if a record continues in the next block, "
             "that is read too",
     .text = "Bytes that a look-up reads, at least one record; the index has one "
             "number per block. If a record continues in the next block, that "
             "block's first 4096 bytes (or more if needed) are read with it. "
             "Blocks that are not multiples of 4096 are read exactly."},
    {.kind = OPT_CHOICE, .name = "build", .value = &set.build, .preset = "auto",
     .arg = "HOW", .choices = "auto|scan|strided",
     .choice_help = {"auto: tries both on a part of the file and takes the faster one",
                     "scan: reads the whole file and checks that it is sorted",
                     "strided: reads one record per block and checks only those"},
     .text = "*scan* reads the whole file in large transfers and checks that it is "
             "sorted. *strided* reads the last record of each block, --depth reads "
             "in flight, and checks that these are sorted. *auto* tries both on a "
             "part of the file and takes the faster one. An unsorted file ends the "
             "run with a message that names two offsets."},
    {.kind = OPT_CHOICE, .name = "split", .value = &set.split, .preset = "keys",
     .arg = "HOW", .choices = "keys|replicated", .workload = true,
     .choice_help = {"keys: each rank indexes a part of the file and receives the "
                     "look-ups for it",
                     "replicated: each rank indexes the whole file"},
     .text = "With *keys* each rank indexes its part of the file and receives the "
             "look-ups for it from the others. With *replicated* each rank indexes "
             "the whole file and does its own look-ups."},
    {.kind = OPT_BYTES, .name = "memory", .letter = 'm', .value = &set.memory,
     .preset = "512M", .arg = "BYTES", .unit = "B", .min = 1, .max = 9e18,
     .help = "memory limit per rank, for the index and for sorting",
     .text = "Memory limit for a rank's index. A larger index is refused, with the "
             "block size that would fit. A generated file is sorted in as much "
             "memory."},
    RUN_OPTIONS_CACHED(set.run, "SHARED", "no", "auto"),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "Each lane looks up keys, with its own descriptor."},
    {.kind = OPT_NOTE, .name = "iomethod",
     .text = "With *mmap* a look-up is a page fault."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "*ASYNC* also reads ahead while the index is built."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*direct* is for blocks that are multiples of 4096, or of the "
             "device's sectors (512, for example). With *flush* cached pages of "
             "the file are dropped before each phase, and look-ups fill the cache "
             "for later ones. The report says what *auto* has chosen."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "It is the generated, sorted file."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "The generated and sorted file, and every answer, are checked after "
             "the look-ups."},
    {.kind = OPT_NOTE, .name = "seed",
     .text = "It is also that of the keys."},
};
/* clang-format on */

static bool is_made(void)
{
    return !set.input;
}

int search_depth_most(const struct search *s)
{
    return (int)(s->sweep.n && !s->sweeps_threads ? s->sweep.is[s->sweep.n - 1]
                                                  : s->set->depth);
}

int64_t search_request_bytes(const struct search *s)
{
    int64_t slot = fetch_slot_bytes(&s->pages), scan = BUILD_SCAN_BYTES;
    int64_t record = units_round_up(s->form.order.bytes, IO_DIRECT_ALIGN);
    scan = record > scan ? record : scan;
    return slot > scan ? slot : scan;
}

/* ---- generated rows -------------------------------------------------------------- */

static void make_rows(const void *context, int64_t first, int64_t n, void *to)
{
    const struct search *s = context;
    if (s->form.kind == FORM_VECTORS)
        vectors_make(s->vectors, FORM_DIM, first, n, to);
    else
        records_make(&s->records, first, n, to);
}

static void start_rows(uint64_t seed)
{
    search.vectors = rng_key(seed, RNG_VECTORS);
    search.records = (struct records){.key = rng_key(seed, RNG_RECORDS)};
    records_prepare(&search.records);
}

/* ---- the plan -------------------------------------------------------------------- */

static int settle_file(const struct run *r)
{
    if (set.file && set.input)
        return err_usage("FILE and --input are two names for the same: leave out one");
    set.input = set.file ? set.file : set.input;
    if (!is_made() && opt_find(r->program, "records")->from == OPT_COMMAND_LINE)
        return err_usage("--records is of a file that is made, and %s is there: leave "
                         "out one of the two",
                         set.input);
    return form_parse(&search.form, set.record);
}

static int settle_keys(void)
{
    bool seed = !strcmp(set.keys, "seed") || (is_made() && strcmp(set.keys, "read"));
    if (search.form.kind == FORM_OTHER && is_made())
        return err_usage("--record=%s: there is no generator of such records: give a "
                         "FILE, or take vector or 100",
                         set.record);
    if (search.form.kind == FORM_OTHER && seed)
        return err_usage("--record=%s: there is no generator of such records, whose "
                         "keys --keys=seed could make: take --keys=read",
                         set.record);
    static const enum keys_kind kind[] = {[FORM_RECORDS] = KEYS_RECORDS,
                                          [FORM_VECTORS] = KEYS_VECTORS,
                                          [FORM_OTHER] = KEYS_BYTES};
    search.keys = (struct keys){.order = &search.form.order,
                                .pages = &search.pages,
                                .kind = kind[search.form.kind],
                                .read = !seed,
                                .hit_rate = set.hit_rate,
                                .skew = set.zipf,
                                .key_bytes = build_key_bytes(&search.form.order)};
    return 0;
}

static int settle_sweep(struct run *r)
{
    int rc = 0;
    if (set.sweep_threads && set.sweep_depth)
        return err_usage("--sweep-threads and --sweep-depth: take one of the two");
    search.sweeps_threads = set.sweep_threads;
    if (set.sweep_threads)
        rc = form_numbers(&search.sweep, "sweep-threads", set.sweep_threads, 1,
                          RUN_LANES_MAX);
    if (set.sweep_depth)
        rc = form_numbers(&search.sweep, "sweep-depth", set.sweep_depth, 1,
                          FETCH_DEPTH_MOST);
    if (rc || !set.sweep_threads)
        return rc;
    return run_threads(r, (int)search.sweep.is[search.sweep.n - 1]);
}

static int settle_options(struct run *r)
{
    search.indexed = !strcmp(set.index, "memory");
    search.split = search.indexed && !strcmp(set.split, "keys");
    search.how = !strcmp(set.build, "auto")   ? SEARCH_AUTO
                 : !strcmp(set.build, "scan") ? SEARCH_SCAN
                                              : SEARCH_STRIDED;
    int rc = settle_file(r);
    if (!rc)
        rc = settle_keys();
    if (!rc)
        rc = settle_sweep(r);
    if (!rc && search.form.order.bytes > set.block)
        rc = err_usage("--block=%lld is less than a record of %lld bytes",
                       (long long)set.block, (long long)search.form.order.bytes);
    return rc;
}

static int find_file(struct run *r, struct run_need *n)
{
    struct search *s = &search;
    int64_t bytes = s->form.order.bytes;
    if (!is_made()) {
        set.records = 0;
        return data_given(r, &s->sorted, set.input, bytes, true);
    }
    s->rows = (struct data_rows){
        .bytes = bytes, .n = set.records, .make = make_rows, .context = s};
    s->output = (struct output){.role = "sorted"};
    s->sorting = (struct sorting){.order = s->form.order,
                                  .input = &s->unsorted,
                                  .output = &s->output,
                                  .memory_bytes = set.memory};
    int rc = data_planned(r, &s->unsorted, &s->rows);
    if (!rc)
        rc = data_planned(r, &s->sorted, &s->rows);
    if (!rc)
        rc = output_plan(r, &s->output);
    if (!rc)
        rc = sorting_plan(r, &s->sorting, n);
    s->sorted.given = true; /* for the look-ups: the sort makes it */
    n->disk_bytes += s->sorted.bytes;
    n->write_bytes += s->sorted.bytes;
    return rc;
}

/* The most pages in a rank's index. */
static int64_t index_pages(const struct run *r)
{
    return search.split ? units_div_up(search.pages.n, r->world.size) : search.pages.n;
}

static int check_index(const struct run *r)
{
    char takes[16], may[16];
    int64_t bytes = index_bytes(index_pages(r));
    int64_t file = search.sorted.bytes / (search.split ? r->world.size : 1);
    if (!search.indexed || bytes <= set.memory)
        return 0;
    return err_usage(
        "the index of a rank takes %s with blocks of %lld bytes, and --memory is %s: "
        "with --block=%lld it would fit",
        units_bytes(takes, bytes), (long long)set.block, units_bytes(may, set.memory),
        (long long)index_block_for(file, set.block, set.memory));
}

static void search_fill_need(const struct run *r, struct run_need *n)
{
    struct search *s = &search;
    int depth = search_depth_most(s);
    int64_t key = s->keys.key_bytes, mine = units_div_up(set.lookups, r->world.size);
    int64_t lane = depth * (int64_t)(sizeof(struct io_req) + sizeof(struct lookup)) +
                   (int64_t)sizeof(struct lookups_lane) + 2 * key;
    n->buffer_bytes = build_buffer_bytes(&s->pages, depth);
    int64_t memory = r->lanes * (lane + n->buffer_bytes) + mine * (key + 8) +
                     (s->split ? share_bytes(r->world.size, key) : 0) +
                     r->world.size * 2 * (key + 8) +
                     (s->indexed ? index_bytes(index_pages(r)) : 0);
    n->order = "sorted";
    n->depth = depth;
    n->memory_bytes += memory;
    n->steps +=
        set.lookups * (s->sweep.n ? s->sweep.n : 1) + (s->indexed ? s->pages.n : 0);
    n->read_bytes = -1;
}

static int search_plan(struct run *r, struct run_need *n)
{
    struct search *s = &search;
    int rc = err_agree(r->world.comm, settle_options(r));
    if (rc)
        return rc;
    const char *place = is_made() ? set.run.dir : set.input;
    run_settle_cache(r, place, set.block % IO_DIRECT_ALIGN == 0);
    rc = err_agree(r->world.comm, find_file(r, n));
    if (rc)
        return rc;
    bool fits = run_direct_fits(r, place, set.block);
    s->pages = pages_make(s->sorted.bytes / s->form.order.bytes, s->form.order.bytes,
                          set.block, set.block % r->direct_align ? 1 : r->direct_align);
    s->first = units_part(set.lookups, r->world.rank, r->world.size);
    s->n = units_part(set.lookups, r->world.rank + 1, r->world.size) - s->first;
    rc = check_index(r);
    if (!rc && !fits)
        rc = run_refuse_direct(r, "--block must be such");
    r->latencies = true;
    search_fill_need(r, n);
    return rc;
}

/* ---- beginning and end ----------------------------------------------------------- */

static int open_memory(struct run *r, struct search *s)
{
    s->key = mem_new(s->n * s->keys.key_bytes + 1, 1, "look-ups");
    s->answer = mem_new(s->n, sizeof *s->answer, "look-ups");
    s->req = mem_new(r->lanes, sizeof *s->req, "look-ups");
    if (!s->key || !s->answer || !s->req)
        return -ENOMEM;
    return s->indexed ? buf_alloc(&s->words, index_bytes(index_pages(r)), "the index")
                      : 0;
}

/* Sets the range of the rank's pages, and their words in its index. */
static void place_index(const struct run *r, struct search *s)
{
    int64_t P = r->world.size, n = s->pages.n;
    s->build.from = units_part(n, r->world.rank, P);
    s->build.end = units_part(n, r->world.rank + 1, P);
    s->lookups.from = s->split ? s->build.from : 0;
    s->lookups.end = s->split ? s->build.end : n;
    if (!s->indexed)
        return;
    index_place(&s->index, s->lookups.end - s->lookups.from, s->words);
    s->build.word = s->index.word + (s->build.from - s->lookups.from);
}

static int open_parts(struct run *r, struct search *s)
{
    int depth = search_depth_most(s);
    s->build =
        (struct build){.of = s->sorted.of, .order = &s->form.order, .pages = &s->pages};
    s->lookups = (struct lookups){.of = s->sorted.of,
                                  .order = &s->form.order,
                                  .pages = &s->pages,
                                  .index = s->indexed ? &s->index : NULL,
                                  .key_bytes = s->keys.key_bytes};
    int rc = build_open(&s->build, r->world.size, r->lanes, depth);
    if (!rc)
        rc = lookups_open(&s->lookups, r->lanes, depth);
    if (!rc)
        rc = share_open(&s->share, &s->build, s->split ? r->world.size : 1);
    if (rc)
        return rc;
    for (int i = 0; i < r->lanes; i++)
        s->req[i] = s->build.lane[i].req;
    place_index(r, s);
    return 0;
}

static void search_tell(struct run *r)
{
    int64_t available = world_memory_available();
    int64_t node = index_bytes(index_pages(r)) * r->world.node_ranks;
    const struct pages *p = &search.pages;
    report_note(r->report, "file",
                "%lld record%s of %lld bytes in %lld block%s of %lld",
                (long long)p->records, units_s(p->records), (long long)p->record_bytes,
                (long long)p->n, units_s(p->n), (long long)p->block);
    if (search.indexed && available > 0 && node > available / 10)
        report_warning(r->report, "large_index",
                       "the indexes of a node's ranks take more than a tenth of the "
                       "memory that was available: the page cache has less%s",
                       search.split ? "" : " (--split=keys takes less)");
}

static int search_open_all(struct run *r)
{
    struct search *s = &search;
    int rc = is_made() ? sorting_open(r, &s->sorting) : data_say(r, &s->sorted);
    if (!rc)
        rc = open_memory(r, s);
    if (!rc)
        rc = open_parts(r, s);
    if ((rc = err_agree(r->world.comm, rc)))
        return rc;
    start_rows(r->seed);
    keys_prepare(&s->keys, r->seed);
    search_tell(r);
    return 0;
}

static int search_put_away(struct run *r, int rc)
{
    struct search *s = &search;
    r->at.name = NULL;
    r->aside = r->samples_only = false;
    int removed = data_remove(r, &s->sorted);
    if (is_made()) {
        int other = data_remove(r, &s->unsorted);
        int settled = output_settle(r, &s->output, !rc);
        removed = removed ? removed : other ? other : settled;
    }
    return removed;
}

static int search_results(struct run *r, int rc)
{
    const struct search *s = &search;
    const struct search_answers *a = &s->answers;
    int n = set.lookups < SEARCH_FIRST ? (int)set.lookups : SEARCH_FIRST;
    double first[SEARCH_FIRST];
    for (int i = 0; i < n; i++)
        first[i] = (double)a->first[i];
    if (!is_made())
        data_again(r, &s->sorted);
    if (!s->answered)
        return rc;
    run_result(r, "lookups", (double)set.lookups);
    run_result(r, "reads_per_lookup", (double)a->reads / (double)set.lookups);
    run_result(r, "index_bytes", s->indexed ? (double)index_bytes(index_pages(r)) : 0);
    run_result(r, "found", (double)a->found);
    run_result(r, "positions_sum", (double)a->sum);
    report_result(r->report, "first_positions", first, n);
    return rc;
}

static void search_close_all(struct run *r)
{
    struct search *s = &search;
    share_close(&s->share);
    lookups_close(&s->lookups, r->lanes);
    build_close(&s->build, r->lanes);
    buf_free(s->words);
    free(s->key);
    free(s->answer);
    free(s->req);
    data_free(&s->sorted);
    if (is_made()) {
        sorting_close(&s->sorting);
        output_free(&s->output);
        data_free(&s->unsorted);
    }
}

int outcore_search(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = search_repetition, .context = &search}, {.body = NULL}};
    static const struct workload search_workload = {
        .name = "outcore search",
        .line = "[FILE]",
        .about = "Looks up keys in a sorted file that is larger than memory, with an "
                 "index in memory and one read per look-up.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_SHARED | RUN_TAKES_ASYNC | RUN_TAKES_DIRECT |
                 RUN_TAKES_AUTO | RUN_TAKES_LANES | RUN_TAKES_VERIFY |
                 RUN_TAKES_COMPARE,
        .plan = search_plan,
        .open = search_open_all,
        .stages = stages,
        .put_away = search_put_away,
        .results = search_results,
        .close = search_close_all,
    };
    argv[0] = (char *)search_workload.name;
    return run_main(&search_workload, argc, argv);
}
