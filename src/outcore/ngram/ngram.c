/* outcore ngram: classifies many documents by language, by their n-grams; after section
 * 3.6 of Ulmer's report (2008), whose classifier was an FPGA.
 *
 * Bytes: each of phases read, read_classify, end_to_end and verify reads all bytes of
 * the documents; end_to_end writes a line for each. Memory of a rank: lanes x (slots x
 * bytes of a slot + memory of a reading), and the names. Of a node: the tables, 2^(5n)
 * masks of 2 to 8 bytes. */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/ngram/classify.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct run_options run;
    const char *folder, *model, *method, *stages, *order, *encoding;
    int64_t readers, slots, slot_bytes, consumers, bloom_bits, hashes, ranks;
} set;

static struct classify job;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Classifying:"},
    {.kind = OPT_TEXT, .name = "DIR", .value = &set.folder, .required = true,
     .workload = true,
     .help = "directory with the documents, searched recursively and never changed. "
             "If the first subdirectory of a document's path is named after a "
             "language of the model, that is the expected answer",
     .text = "The directory with the documents, searched recursively and never "
             "changed. All else in it must be regular files or links to them."},
    {.kind = OPT_TEXT, .name = "model", .value = &set.model, .arg = "FILE",
     .workload = true,
     .help = "the model: the n-grams of each language, made by outcore ngram train",
     .text = "The model, which rank 0 reads for all ranks."},
    {.kind = OPT_CHOICE, .name = "method", .value = &set.method, .preset = "table",
     .arg = "METHOD", .choices = "table|bloom|rank", .workload = true,
     .choice_help = {"table: an exact table of the languages of each n-gram",
                     "bloom: Bloom filters, which are smaller and sometimes wrong",
                     "rank: compares the order of the most frequent n-grams (Cavnar "
                     "and Trenkle)"},
     .text = "The method: *table*, *bloom* or *rank*, as described above."},
    {.kind = OPT_CHOICE, .name = "stages", .value = &set.stages, .preset = "all",
     .arg = "STAGES", .choices = "read|read+classify|all|each", .workload = true,
     .choice_help = {"read: only reads documents",
                     "read+classify: also classifies them",
                     "all: also writes a line with the language of each",
                     "each: makes three passes, one of each kind"},
     .text = "Documents are *read*, *read+classify*, or *all*; *each* makes three "
             "passes, one of each kind."},
    {.kind = OPT_INT, .name = "threads", .value = &set.consumers, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 256, .workload = true,
     .help = "threads per rank that classify"},
    {.kind = OPT_INT, .name = "readers", .value = &set.readers, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 256, .workload = true,
     .help = "reader threads per classifying thread"},
    PASSING_SLOTS(set, "slots per reader"),
    {.kind = OPT_CHOICE, .name = "order", .value = &set.order, .preset = "name",
     .arg = "ORDER", .choices = "name|inode|shuffle", .workload = true,
     .help = "order in which documents are read",
     .text = "The order of a rank's documents: by *name*, by *inode*, or "
             "*shuffle*, at random by the seed."},
    {.kind = OPT_CHOICE, .name = "encoding", .value = &set.encoding,
     .preset = "utf-8", .arg = "CODE", .choices = "utf-8|latin-1", .workload = true,
     .help = "character encoding of the documents; latin-1: ISO-8859-1",
     .text = "Encoding of the documents: *utf-8* or *latin-1* (ISO-8859-1)."},
    {.kind = OPT_BYTES, .name = "bloom-bits", .value = &set.bloom_bits,
     .preset = "16384", .arg = "BITS", .unit = "1", .min = 64, .max = 65536,
     .workload = true,
     .help = "bloom: bits per language and hash function, a power of 2",
     .text = "With *bloom*: m, a power of 2 from 64 to 65536."},
    {.kind = OPT_INT, .name = "bloom-hashes", .value = &set.hashes, .preset = "4",
     .arg = "K", .unit = "1", .min = 1, .max = CLASSIFIER_HASHES, .workload = true,
     .help = "bloom: number of hash functions",
     .text = "With *bloom*: k, up to 8."},
    {.kind = OPT_INT, .name = "ranks-kept", .value = &set.ranks, .preset = "400",
     .arg = "N", .unit = "1", .min = 1, .max = CLASSIFIER_RANKS, .workload = true,
     .help = "rank: number of the most frequent n-grams to compare",
     .text = "With *rank*: the most frequent grams of a document and of a language "
             "to compare."},
    OUTPUT_OPTIONS(job.output,
                   "results: each classifying thread writes FILE.000000 and so on; "
                   "without it, in --dir, and removed at the end"),
    RUN_OPTIONS_WITH(set.run, "UNIQUE", "no"),
    {.kind = OPT_NOTE, .name = "output",
     .text = "The files have temporary names until all is checked."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*direct* needs a --slot-size that is a multiple of 4096."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "The documents are read again in a simple way, and the answers are "
             "compared."},
    {.kind = OPT_NOTE, .name = "seed",
     .text = "It is that of --order=shuffle."},
};
/* clang-format on */

/* ---- stages ---------------------------------------------------------------------- */

static bool is_asked(enum classify_stage s)
{
    static const char *const name[STAGES] = {"read", "read+classify", "all"};
    return !strcmp(set.stages, "each") || !strcmp(set.stages, name[s]);
}

static int ngram_work(struct run *r, void *context)
{
    enum classify_stage last = STAGE_READ;
    int rc = 0;
    (void)context;
    for (enum classify_stage s = 0; s < STAGES && !rc; s++) {
        if (!is_asked(s))
            continue;
        rc = classify_pass(r, &job, s);
        if (!rc)
            classify_figures(r, &job, s);
        last = s;
    }
    if (rc)
        return rc;
    if (last != STAGE_READ)
        classify_answer_figures(r, &job);
    return r->verify && strcmp(set.stages, "read") != 0 ? classify_verify(r, &job) : 0;
}

static int ngram_put_away(struct run *r, int rc)
{
    bool done = !rc && job.output.path && r->rep == r->options->repeat;
    return is_asked(STAGE_ALL) ? output_settle(r, &job.output, done) : 0;
}

static int ngram_results(struct run *r, int rc)
{
    classify_results(r, &job);
    return rc;
}

/* ---- beginning and end ----------------------------------------------------------- */

static int open_lanes(struct run *r)
{
    job.lane = mem_new(r->lanes, sizeof *job.lane, "sinks");
    job.sink = mem_new(r->lanes, sizeof *job.sink, "sinks");
    if (!job.lane || !job.sink)
        return -ENOMEM;
    job.many.passing.sink = job.sink;
    for (int i = 0; i < r->lanes; i++) {
        int64_t bytes = reading_memory(&job.classifier);
        void *memory;
        int rc = buf_alloc(&memory, bytes, "a document's grams");
        if (rc)
            return rc;
        memset(memory, 0, (size_t)bytes);
        job.lane[i] = (struct answers){.model = &job.model, .reading = memory};
        reading_open(memory, &job.classifier);
    }
    return passing_open(&job.many.passing, r, (int)set.slots);
}

static int ngram_open_all(struct run *r)
{
    int rc = load_tables_open(r, &job.tables, &job.model, &job.how, &job.classifier);
    rc = rc ? rc : err_agree(r->world.comm, open_lanes(r));
    report_note(r->report, "model", "%d language%s, %lld gram%s of %d letter%s, by %s",
                job.model.languages, units_s(job.model.languages),
                (long long)job.model.first[job.model.languages],
                units_s(job.model.first[job.model.languages]), job.model.n,
                units_s(job.model.n), set.method);
    return rc || r->input.path ? rc : run_reads(r, job.many.folder.path);
}

static void ngram_close_all(struct run *r)
{
    for (int i = 0; job.lane && i < r->lanes; i++)
        if (job.lane[i].reading)
            buf_free(job.lane[i].reading);
    free(job.lane);
    free(job.sink);
    load_tables_close(&job.tables);
    many_free(&job.many);
    output_free(&job.output);
    languages_free(&job.model);
}

/* ---- the plan -------------------------------------------------------------------- */

static int ngram_check_options(const struct run *r)
{
    static const struct {
        const char *name, *method;
    } row[] = {
        {"bloom-bits", "bloom"}, {"bloom-hashes", "bloom"}, {"ranks-kept", "rank"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (opt_find(r->program, row[i].name)->from == OPT_COMMAND_LINE &&
            strcmp(set.method, row[i].method) != 0)
            return err_usage("--%s is of no use with --method=%s: leave it out",
                             row[i].name, set.method);
    if (!set.model)
        return err_usage("which languages? --model=FILE says, of outcore ngram train");
    if (job.output.path && !is_asked(STAGE_ALL))
        return err_usage("--stages=%s writes no results: leave --output out",
                         set.stages);
    if (set.bloom_bits & (set.bloom_bits - 1))
        return err_usage("--bloom-bits=%lld is no power of 2",
                         (long long)set.bloom_bits);
    if (r->io_flags & IO_DIRECT && set.slot_bytes % IO_DIRECT_ALIGN)
        return err_usage("--slot-size=%lld is no multiple of %d, as transfers past the "
                         "page cache are",
                         (long long)set.slot_bytes, IO_DIRECT_ALIGN);
    return 0;
}

static void ngram_take_options(void)
{
    job.how =
        (struct classifier_how){.method = !strcmp(set.method, "table")   ? METHOD_TABLE
                                          : !strcmp(set.method, "bloom") ? METHOD_BLOOM
                                                                         : METHOD_RANK,
                                .latin1 = !strcmp(set.encoding, "latin-1"),
                                .bloom_bits = set.bloom_bits,
                                .hashes = (int)set.hashes,
                                .ranks = set.ranks};
    job.many.passing = (struct passing){.path = job.many.folder.path,
                                        .names = &job.many.names,
                                        .consumers = (int)set.consumers,
                                        .readers = (int)set.readers,
                                        .slot_bytes = set.slot_bytes};
    job.many.deep = true;
    job.many.order = names_order_of(set.order);
    job.output.writers = (int)set.consumers;
    job.output.role = "results";
}

static int ngram_list(struct run *r)
{
    int rc = many_give(&job.many, set.folder);
    return rc ? rc : many_list(r, &job.many);
}

/* The most bytes that may be written. */
static int64_t lines_bytes(const struct run *r)
{
    int64_t most = job.many.names.used + job.many.names.n * ANSWERS_LINE;
    world_reduce(r->world.comm, &most, 1, MPI_INT64_T, MPI_SUM);
    return most;
}

static int ngram_plan(struct run *r, struct run_need *n)
{
    int rc = ngram_check_options(r);
    if (rc)
        return rc;
    ngram_take_options();
    rc = run_threads(r, passing_lanes(&job.many.passing));
    rc = rc ? rc : load_model(r, set.model, &job.model);
    rc = rc ? rc : ngram_list(r);
    if (rc)
        return rc;
    if (!is_asked(STAGE_ALL))
        r->input = (struct run_input){.path = job.many.folder.path};
    else {
        n->disk_bytes = lines_bytes(r);
        r->output = (struct run_output){job.output.path, n->disk_bytes};
    }
    r->latencies = r->io_shares = true;
    n->order = "by name";
    n->read_bytes = n->write_bytes = -1;
    n->buffer_bytes = units_round_up(set.slots * set.slot_bytes, BUF_ALIGN);
    job.classifier = (struct classifier){.how = job.how, .n = job.model.n};
    n->memory_bytes =
        classifier_memory(&job.model, &job.how) / r->world.node_ranks +
        r->lanes * (n->buffer_bytes + ANSWERS_BLOCK + reading_memory(&job.classifier));
    return is_asked(STAGE_ALL) ? output_plan(r, &job.output) : 0;
}

static int classify(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = ngram_work}, {.body = NULL}};
    static const struct workload ngram = {
        .name = "outcore ngram",
        .line = "DIR --model=FILE",
        .about = "Classifies documents by language: readers feed an n-gram "
                 "classifier. outcore ngram train makes its model (see outcore ngram "
                 "train --help).",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_DIRECT | RUN_TAKES_LANES |
                 RUN_TAKES_VERIFY | RUN_TAKES_COMPARE,
        .plan = ngram_plan,
        .open = ngram_open_all,
        .stages = stages,
        .put_away = ngram_put_away,
        .results = ngram_results,
        .close = ngram_close_all,
    };
    argv[0] = (char *)ngram.name;
    return run_main(&ngram, argc, argv);
}

int outcore_ngram(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "train"))
        return ngram_train(argc - 1, argv + 1);
    return classify(argc, argv);
}
