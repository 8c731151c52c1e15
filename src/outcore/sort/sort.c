/* outcore sort: sorts a file of records or vectors that is larger than the memory;
 * after the sort of Ulmer's flash-memory report (2008, section 2.1), whose second phase
 * is one lane (--merge=single).
 *
 * Bytes: as in sorting.h; phase make writes the input, phase verify reads the input and
 * the output. Memory of a rank: --memory, and for each lane the additional memory of
 * making and checking. */
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/data/records.h"
#include "outcore/sort/sorting.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <errno.h>
#include <string.h>

static struct {
    struct run_options run;
    int64_t records, memory, merge_buffer;
    const char *input, *record, *merge;
    bool ascii, keep_runs;
    double duplicates, skew;
} set;

static struct data_file input = {.may_be_empty = true};
static struct output output = {.role = "sorted"};
static struct sorting sorting = {.input = &input, .output = &output};

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Sort:"},
    {.kind = OPT_BYTES, .name = "records", .letter = 'n', .value = &set.records,
     .preset = "1M", .arg = "N", .unit = "1", .min = 1, .max = 9e18, .workload = true,
     .help = "number of records to generate (untimed) and sort; 1M is 2^20"},
    {.kind = OPT_TEXT, .name = "input", .value = &set.input, .arg = "FILE",
     .workload = true, .help = "sort the records in this file, which is never changed",
     .text = "Sort the records in this file, which is never changed. An empty "
             "input makes an empty output, and the report says so."},
    FORM_OPTION(set.record),
    {.kind = OPT_FLAG, .name = "ascii", .value = &set.ascii, .preset = "no",
     .workload = true,
     .help = "--record=100: generate lines of printable characters"},
    {.kind = OPT_REAL, .name = "duplicates", .value = &set.duplicates, .preset = "0",
     .arg = "SHARE", .unit = "1", .min = 0, .max = 1, .workload = true,
     .help = "--record=100: share (0 to 1) of generated records that repeat the key "
             "of an earlier one"},
    {.kind = OPT_REAL, .name = "skew", .value = &set.skew, .preset = "0", .arg = "S",
     .unit = "1", .min = 0, .max = 100, .workload = true,
     .help = "--record=100: draw the first 16 bits of keys from a Zipf distribution "
             "with exponent S; 0: uniform"},
    {.kind = OPT_BYTES, .name = "memory", .letter = 'm', .value = &set.memory,
     .preset = "512M", .arg = "BYTES", .unit = "B", .min = 1 << 16, .max = 9e18,
     .workload = true, .help = "memory limit per rank, for all its threads together"},
    {.kind = OPT_CHOICE, .name = "merge", .value = &set.merge, .preset = "parallel",
     .arg = "HOW", .choices = "single|parallel", .workload = true,
     .choice_help = {"single: one thread per rank merges",
                     "parallel: each thread merges a range of keys"},
     .text = "How runs are merged: *single* or *parallel*, as described above."},
    {.kind = OPT_BYTES, .name = "merge-buffer", .value = &set.merge_buffer,
     .preset = "0", .arg = "BYTES", .unit = "B", .min = 0, .max = 1e12,
     .workload = true,
     .help = "bytes of one read during the merge; 0: as much as --memory allows, up "
             "to 4 MiB"},
    {.kind = OPT_FLAG, .name = "keep-runs", .value = &set.keep_runs, .preset = "no",
     .help = "keep the sorted runs in --dir",
     .text = "Keep the runs in --dir, in one file per rank and pass."},
    OUTPUT_OPTIONS(output, "the sorted file; without it, one in --dir"),
    RUN_LANES(set.run),
    RUN_OPTIONS_WITH(set.run, "SHARED", "no"),
    {.kind = OPT_NOTE, .name = "overwrite",
     .text = "The output cannot be the input file, under any name."},
    {.kind = OPT_NOTE, .name = "threads",
     .text = "The lanes read, sort, merge and write."},
    {.kind = OPT_NOTE, .name = "filetype",
     .text = "It is that of the output: *UNIQUE* makes part files _FILE_.000000 "
             "and so on, one per merging thread; concatenated they are the sorted "
             "file."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "Runs are synced, and their pages dropped, at the end of their phase "
             "and after each pass that merges them into longer ones. *libaio* is "
             "asynchronous with *direct* only."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "The sorted file is kept even without --output, and so is a generated "
             "input."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "The output is checked."},
};
/* clang-format on */

static struct form form;
static struct records records;
static uint64_t vectors_key;
static struct data_rows rows;
static struct check_answer answer;

/* ---- the input ------------------------------------------------------------------- */

static void make_records(const void *context, int64_t first, int64_t n, void *to)
{
    records_make(context, first, n, to);
}

static void make_vectors(const void *context, int64_t first, int64_t n, void *to)
{
    vectors_make(*(const uint64_t *)context, FORM_DIM, first, n, to);
}

static void set_rows(uint64_t seed)
{
    bool vectors = form.kind == FORM_VECTORS;
    vectors_key = rng_key(seed, RNG_VECTORS);
    records = (struct records){.key = rng_key(seed, RNG_RECORDS),
                               .ascii = set.ascii,
                               .duplicates = set.duplicates,
                               .skew = set.skew};
    records_prepare(&records);
    rows = (struct data_rows){.bytes = form.order.bytes,
                              .n = set.records,
                              .make = vectors ? make_vectors : make_records,
                              .context = vectors ? (const void *)&vectors_key
                                                 : (const void *)&records};
}

/* ---- the plan -------------------------------------------------------------------- */

static bool said(const struct run *r, const char *option)
{
    return opt_find(r->program, option)->from == OPT_COMMAND_LINE;
}

static int check_made(const struct run *r)
{
    static const char *const made[] = {"ascii", "duplicates", "skew"};
    for (int i = 0; i < 3; i++) {
        if (said(r, made[i]) && set.input)
            return err_usage("--%s with --input: nothing is made: leave out one of "
                             "the two",
                             made[i]);
        if (said(r, made[i]) && form.kind != FORM_RECORDS)
            return err_usage("--%s is for --record=100", made[i]);
    }
    if (set.input && said(r, "records"))
        return err_usage("--records and --input: leave out one of the two");
    if (!set.input && form.kind == FORM_OTHER)
        return err_usage("--record=%s: nothing makes such records: give an --input, or "
                         "take vector or 100",
                         set.record);
    return 0;
}

static int sort_plan_input(struct run *r)
{
    int rc = form_parse(&form, set.record);
    if (!rc)
        rc = check_made(r);
    if (!rc)
        rc = output_apart(&output, set.input);
    if ((rc = err_agree(r->world.comm, rc)))
        return rc;
    set_rows(0);
    return set.input ? data_given(r, &input, set.input, form.order.bytes, false)
                     : data_planned(r, &input, &rows);
}

static void add_need(const struct run *r, struct run_need *n)
{
    int64_t of_lane = set.input ? CHECK_MEMORY : DATA_MAKE_MEMORY;
    n->order = "by key";
    n->files = set.input ? 1 : 2;
    n->memory_bytes += r->lanes * of_lane;
    n->disk_bytes += set.input ? 0 : input.bytes;
    n->write_bytes += set.input ? 0 : input.bytes;
    n->read_bytes += r->verify ? 2 * input.bytes : 0;
}

static int sort_plan(struct run *r, struct run_need *n)
{
    int rc = sort_plan_input(r);
    if (rc)
        return rc;
    sorting.order = form.order;
    sorting.memory_bytes = set.memory;
    sorting.merge_bytes = set.merge_buffer;
    sorting.single = !strcmp(set.merge, "single");
    sorting.keep_runs = set.keep_runs;
    rc = sorting_plan(r, &sorting, n);
    if (!rc)
        rc = output_plan(r, &output);
    r->output = (struct run_output){output.path, input.bytes};
    add_need(r, n);
    r->io_shares = true;
    return rc;
}

/* ---- the run --------------------------------------------------------------------- */

static int sort_open_all(struct run *r)
{
    set_rows(r->seed);
    int rc = data_say(r, &input);
    return rc ? rc : sorting_open(r, &sorting);
}

static int sort_make(struct run *r, void *context)
{
    (void)context;
    data_name(r, &input, "input", SORTING_READ_BYTES, SORTING_READ_DEPTH);
    return data_make(r, &input, &rows);
}

static int sort(struct run *r, void *context)
{
    (void)context;
    return sorting_run(r, &sorting);
}

/* Adds the processor time per byte, unless the input is empty. */
static void processor_figure(struct run *r, double bytes)
{
    if (bytes > 0)
        run_figure(r, "sort", "cpu_s_per_GB", "s/GB", "lower",
                   "processor seconds of all ranks' processes in both phases / bytes "
                   "of the input x 1e9",
                   sorting.cpu_s / bytes * 1e9);
}

static void figures(struct run *r)
{
    const struct sorting *s = &sorting;
    double bytes = (double)input.bytes, wall_s = s->wall_s;
    run_figure(r, "sort", "wall_s", "s", "lower",
               "seconds of phases runs and merge, each of its slowest rank", wall_s);
    run_figure(r, "sort", "MBps", "MB/s", "higher",
               "bytes of the input / seconds of both phases / 1e6",
               bytes / wall_s / 1e6);
    run_figure(r, "sort", "moved_MBps", "MB/s", "higher",
               "bytes read and written in both phases / their seconds / 1e6",
               (double)(s->read_bytes + s->write_bytes) / wall_s / 1e6);
    processor_figure(r, bytes);
    run_figure(r, "sort", "records_per_s", "1/s", "higher",
               "records / seconds of both phases", (double)s->records / wall_s);
}

static int sort_verify(struct run *r, void *context)
{
    (void)context;
    return r->verify ? check_sorted(r, &sorting, &answer) : 0;
}

static int sort_put_away(struct run *r, int rc)
{
    int removed = data_remove(r, &input);
    int settled = output_settle(r, &output, !rc && r->rep == r->options->repeat);
    return removed ? removed : settled;
}

static void say_answer(struct run *r)
{
    double halves[2] = {(double)(answer.sum >> 32), (double)(answer.sum & UINT32_MAX)};
    report_result(r->report, "checksum", halves, 2);
    run_result(r, "duplicates", (double)answer.duplicates);
    report_note(r->report, "checksum",
                "CRC-32 sum %llx of %lld record%s; %lld keys repeat the one before, as "
                "valsort counts",
                (unsigned long long)answer.sum, (long long)answer.records,
                units_s(answer.records), (long long)answer.duplicates);
}

static int sort_results(struct run *r, int rc)
{
    const struct sorting *s = &sorting;
    if (rc)
        return rc;
    run_result(r, "records", (double)s->records);
    if (!s->records)
        report_warning(r->report, "input_empty",
                       "the input is empty, and so is the output");
    run_result(r, "runs", (double)s->runs);
    run_result(r, "passes", (double)s->passes);
    run_result(r, "bytes_moved", (double)(s->read_bytes + s->write_bytes));
    if (r->verify)
        say_answer(r);
    data_again(r, &input);
    return 0;
}

static void sort_close_all(struct run *r)
{
    (void)r;
    sorting_close(&sorting);
    output_free(&output);
    data_free(&input);
}

int outcore_sort(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = sort_make}, {.body = sort}, {.body = sort_verify}, {.body = NULL}};
    static const struct workload work = {
        .name = "outcore sort",
        .line = "",
        .about = "Sorts a file that may be larger than memory, with several threads "
                 "and ranks.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_ASYNC |
                 RUN_TAKES_DIRECT | RUN_TAKES_LANES | RUN_TAKES_VERIFY |
                 RUN_TAKES_COMPARE,
        .plan = sort_plan,
        .open = sort_open_all,
        .stages = stages,
        .figures = figures,
        .put_away = sort_put_away,
        .results = sort_results,
        .close = sort_close_all,
    };
    argv[0] = (char *)work.name;
    return run_main(&work, argc, argv);
}
