/* outcore gen: generates the inputs of the other programs, each from a seed, by all
 * lanes of all ranks. Each kind is described with its code (records.h,
 * documents.h, image.h).
 *
 * Bytes: phase gen writes rows x bytes of a row, or the bytes of all documents. Memory
 * of a lane: DATA_MAKE_MEMORY, or a document. */
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/data/documents.h"
#include "outcore/data/folder.h"
#include "outcore/data/image.h"
#include "outcore/data/make.h"
#include "outcore/data/output.h"
#include "outcore/data/records.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct run_options run;
    const char *kind, *plant, *truth;
    int64_t n, dim, files, size, bytes, width, height, hubs, degree, scale, edgefactor;
    const char *tagger, *bits;
    bool ascii, stars;
    double duplicates, skew;
} set;

#define FVECS ".fvecs"

static struct output output = {.role = "made"};

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Data:"},
    {.kind = OPT_CHOICE, .name = "KIND", .value = &set.kind, .required = true,
     .choices = "records|vectors|documents|model|image|graph|kronecker",
     .workload = true,
     .choice_help = {"records: 100 bytes with a key of 10, as in the Sort Benchmark",
                     "vectors: 32-bit numbers in [0, 1)",
                     "documents: a directory of small text files whose sizes vary as "
                     "those of news stories",
                     "model: a model that labels tokens, for outcore text, with "
                     "random weights",
                     "image: noise, of --width x --height pixels, for outcore "
                     "resample",
                     "graph: edges of a scale-free graph with N vertices, for "
                     "outcore graph",
                     "kronecker: edges of a Graph500 graph with 2^SCALE vertices"}},
    {.kind = OPT_BYTES, .name = "N", .value = &set.n, .unit = "1", .preset = "0",
     .min = 0, .max = 9e18, .workload = true,
     .help = "number of items to make; 1M is 2^20",
     .text = "Number of items; for a graph, of vertices. An image and a Kronecker "
             "graph take no _N_."},
    OUTPUT_OPTIONS(output, "the file (for documents: the directory) to make; "
                           "without it, one in --dir"),
    RUN_LANES(set.run),
    {.kind = OPT_TITLE, .help = "Records:"},
    {.kind = OPT_FLAG, .name = "ascii", .value = &set.ascii, .preset = "no",
     .workload = true, .help = "lines of printable characters",
     .text = "Lines of 10 printable characters as the key, the record's "
             "number in 32 hexadecimal digits, and 52 more digits."},
    {.kind = OPT_REAL, .name = "duplicates", .value = &set.duplicates, .preset = "0",
     .arg = "SHARE", .unit = "1", .min = 0, .max = 1, .workload = true,
     .help = "share (0 to 1) of records that repeat the key of an earlier "
             "one",
     .text = "Share (0 to 1) of records that repeat the key of an earlier "
             "one (record i that of record i/2)."},
    {.kind = OPT_REAL, .name = "skew", .value = &set.skew, .preset = "0", .arg = "S",
     .unit = "1", .min = 0, .max = 100, .workload = true,
     .help = "draw the first 16 bits of keys from a Zipf distribution with "
             "exponent S; 0: uniform",
     .text = "The k-th of the 65536 values of a key's first 16 bits is "
             "drawn in proportion to k^-S. *0*: all values are equally likely."},
    {.kind = OPT_TITLE, .help = "Vectors:"},
    {.kind = OPT_INT, .name = "dim", .value = &set.dim, .preset = "32", .arg = "D",
     .unit = "1", .min = 1, .max = DATA_ROW_MAX / 4, .workload = true,
     .help = "components per vector"},
    {.kind = OPT_TITLE, .help = "Documents:"},
    {.kind = OPT_INT, .name = "files", .value = &set.files, .preset = "0", .arg = "N",
     .unit = "1", .min = 0, .max = 1e9, .workload = true,
     .help = "how many; the same as N",
     .text = "The number of files, like N."},
    {.kind = OPT_BYTES, .name = "size", .value = &set.size, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1 << 30, .workload = true,
     .help = "bytes per document; 0: varied, 3,091 on average, with 3183 "
             "documents between 1118 and 33,158",
     .text = "Bytes per document; *0*: sizes that vary as described "
             "above."},
    {.kind = OPT_TEXT, .name = "plant", .value = &set.plant, .arg = "FILE",
     .workload = true,
     .help = "scatter the phrases in FILE (one per line) among the words",
     .text = "Phrases of FILE, one per line, are placed among the "
             "words, on average one per 32 words. Sizes do not change."},
    {.kind = OPT_TEXT, .name = "truth", .value = &set.truth, .arg = "FILE",
     .help = "with --plant: list where each phrase is, in this new file",
     .text = "With --plant: list the places, to compute the recall of searches. "
             "At the end rank 0 creates this file, which must not exist. It has "
             "one line per planted phrase: the document's name, the phrase's "
             "offset and length in bytes, and the phrase, separated by tabs."},
    {.kind = OPT_TITLE, .help = "Model:"},
    {.kind = OPT_BYTES, .name = "bytes", .value = &set.bytes, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = (1LL << 31) - TAGGER_LINE,
     .workload = true,
     .help = "approximate size; another way to give N, the number of 32-byte "
             "lines",
     .text = "Its size, rounded up to whole lines; another way to give _N_."},
    {.kind = OPT_CHOICE, .name = "tagger", .value = &set.tagger, .preset = "crf",
     .choices = "crf|maxent", .workload = true,
     .help = "kind of module",
     .choice_help = {"crf: conditional random field", "maxent: maximum entropy"},
     .text = "The kind of module. *crf* is a conditional random field, "
             "*maxent* is maximum entropy."},
    {.kind = OPT_TITLE, .help = "Image:"},
    {.kind = OPT_BYTES, .name = "width", .value = &set.width, .preset = "0",
     .arg = "PIXELS", .unit = "1", .min = 0, .max = 9e18, .workload = true,
     .help = "pixels per row"},
    {.kind = OPT_BYTES, .name = "height", .value = &set.height, .preset = "0",
     .arg = "PIXELS", .unit = "1", .min = 0, .max = 9e18, .workload = true,
     .help = "rows"},
    {.kind = OPT_CHOICE, .name = "bits", .value = &set.bits, .preset = "16",
     .choices = "8|16|32", .arg = "BITS", .workload = true,
     .help = "bits per pixel; 32 means floating point",
     .text = "Bits per pixel: *8*, *16*, or *32*, which means floating "
             "point."},
    {.kind = OPT_FLAG, .name = "stars", .value = &set.stars, .preset = "no",
     .workload = true, .help = "a night sky with stars, instead of noise",
     .text = "A night sky instead of noise: one star with a Gaussian "
             "profile in each square of 16 x 16 pixels, few of them bright, and "
             "camera noise."},
    {.kind = OPT_TITLE, .help = "Scale-free graph:"},
    {.kind = OPT_INT, .name = "hubs", .value = &set.hubs, .preset = "45", .arg = "N",
     .unit = "1", .min = 1, .max = 281474976710656, .workload = true,
     .help = "vertices of the initial ring"},
    {.kind = OPT_INT, .name = "degree", .value = &set.degree, .preset = "5",
     .arg = "D", .unit = "1", .min = 1, .max = 281474976710656, .workload = true,
     .help = "average degree of a vertex"},
    {.kind = OPT_TITLE, .help = "Kronecker graph:"},
    {.kind = OPT_INT, .name = "scale", .value = &set.scale, .preset = "0",
     .arg = "SCALE", .unit = "1", .min = 0, .max = 47, .workload = true,
     .help = "2^SCALE vertices",
     .text = "The graph has 2^SCALE vertices."},
    {.kind = OPT_INT, .name = "edgefactor", .value = &set.edgefactor, .preset = "16",
     .arg = "N", .unit = "1", .min = 1, .max = 281474976710656, .workload = true,
     .help = "edges per vertex"},
    RUN_OPTIONS_WITH(set.run, "SHARED", "yes"),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "The lanes write."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "--no-keep removes the file, to measure only the writing."},
};
/* clang-format on */

/* ---- kinds ----------------------------------------------------------------------- */

static struct records records;

static struct vectors vectors;

static int64_t records_start(uint64_t seed, const void **context)
{
    records = (struct records){.key = rng_key(seed, RNG_RECORDS),
                               .ascii = set.ascii,
                               .duplicates = set.duplicates,
                               .skew = set.skew};
    records_prepare(&records);
    *context = &records;
    return RECORDS_BYTES;
}

static void records_rows(const void *context, int64_t first, int64_t n, void *to)
{
    records_make(context, first, n, to);
}

static bool gen_ends_with(const char *path, const char *end)
{
    size_t n = path ? strlen(path) : 0, m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

/* Starts vectors: raw, or as in .fvecs, each after its dimension. */
static int64_t vectors_start(uint64_t seed, const void **context)
{
    vectors = (struct vectors){rng_key(seed, RNG_VECTORS), set.dim};
    *context = &vectors;
    int64_t head = gen_ends_with(output.path, FVECS) ? (int64_t)sizeof(int32_t) : 0;
    return set.dim * (int64_t)sizeof(float) + head;
}

static void vectors_make_rows(const void *context, int64_t first, int64_t n, void *to)
{
    const int32_t dim = (int32_t)set.dim;
    char *at = to;
    if (!gen_ends_with(output.path, FVECS)) {
        vectors_rows(context, first, n, to);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(at, &dim, sizeof dim);
        vectors_rows(context, first + i, 1, at + sizeof dim);
        at += sizeof dim + (size_t)dim * sizeof(float);
    }
}

static struct tagger tagger;

static int64_t model_start(uint64_t seed, const void **context)
{
    tagger = (struct tagger){rng_key(seed, RNG_TAGGERS), !strcmp(set.tagger, "maxent")};
    *context = &tagger;
    return TAGGER_LINE;
}

static void model_rows(const void *context, int64_t first, int64_t n, void *to)
{
    tagger_make(context, first, n, to);
}

static struct image_made picture;

/* Starts an image. Its rows are bytes: the head does not have the size of a row
 * of pixels. */
static int64_t image_start(uint64_t seed, const void **context)
{
    picture.key = rng_key(seed, set.stars ? RNG_STARS : RNG_IMAGE);
    *context = &picture;
    return 1;
}

static struct graphs_made graph;

static int64_t graph_start(uint64_t seed, const void **context)
{
    graphs_seed(&graph, seed);
    *context = &graph;
    return GRAPHS_EDGE;
}

static struct documents documents;
static struct plant plant;
static struct data_folder folder;

/* Starts documents, each a row of its own size. */
static int64_t documents_start(uint64_t seed, const void **context)
{
    documents_prepare(&documents, set.n, set.size, seed, 0);
    documents.phrase = plant.phrase;
    documents.phrases = plant.n;
    *context = &documents;
    return 0;
}

/* Computes the bytes of an image from its size in pixels. */
static int count_image(void)
{
    if (set.n)
        return err_usage("an image has no N: --width and --height say how large it is");
    if (!set.width || !set.height)
        return err_usage("how large is the image? --width and --height say it");
    picture.stars = set.stars;
    picture.image = image_of(set.width, set.height, atoi(set.bits));
    if (image_is_fits(output.path))
        image_to_fits(&picture.image);
    int rc = image_settle(&picture.image, 1, NULL);
    if (!rc)
        set.n = image_bytes(&picture.image);
    return rc;
}

/* Parses the graph by the name that outcore graph uses, which makes the same edges
 * from it. */
static int count_edges(const char *name)
{
    int rc = graphs_parse(&graph, name);
    set.n = graph.rows;
    return rc;
}

static int count_graph(void)
{
    char name[96];
    if (!set.n)
        return err_usage("how many vertices?");
    snprintf(name, sizeof name, "S:%" PRId64 ",%" PRId64 ",%" PRId64, set.hubs, set.n,
             set.degree);
    return count_edges(name);
}

static int count_kronecker(void)
{
    char name[96];
    if (set.n)
        return err_usage("a Kronecker graph has no N: --scale says how large it is");
    if (!set.scale)
        return err_usage("how large is the graph? --scale says it");
    snprintf(name, sizeof name, "kronecker:%" PRId64 ",%" PRId64, set.scale,
             set.edgefactor);
    return count_edges(name);
}

struct kind {
    const char *name;
    const char *options; /* names of its own options, between blanks */
    /* Prepares the context of `rows`; returns the bytes of a row. */
    int64_t (*start)(uint64_t seed, const void **context);
    /* Makes rows. NULL: a directory of documents. */
    void (*rows)(const void *context, int64_t first, int64_t n, void *to);
    /* Sets set.n, if it follows from options of the kind; NULL: N gives it. */
    int (*count)(void);
};

static const struct kind kinds[] = {
    {"records", " ascii duplicates skew ", records_start, records_rows, NULL},
    {"vectors", " dim ", vectors_start, vectors_make_rows, NULL},
    {"documents", " files size plant truth ", documents_start, NULL, NULL},
    {"model", " bytes tagger ", model_start, model_rows, NULL},
    {"image", " width height bits stars ", image_start, image_make, count_image},
    {"graph", " hubs degree ", graph_start, graphs_make, count_graph},
    {"kronecker", " scale edgefactor ", graph_start, graphs_make, count_kronecker},
};
static const struct kind *kind;

/* Names that promise a format; kind: the one that is written so, NULL: none. */
static const struct {
    const char *end, *kind;
} formats[] = {{".fits", "image"}, {FVECS, "vectors"}, {".npy", NULL},  {".npz", NULL},
               {".bvecs", NULL},   {".ivecs", NULL},   {".png", NULL},  {".tif", NULL},
               {".tiff", NULL},    {".mtx", NULL},     {".hdf5", NULL}, {".h5", NULL}};

static struct data_rows rows;
static int64_t bytes; /* of all rows */

/* ---- the run --------------------------------------------------------------------- */

static bool is_of(const struct kind *k, const char *option)
{
    const char *at = strstr(k->options, option);
    return at && at[-1] == ' ' && at[strlen(option)] == ' ';
}

/* Refuses options of another kind, which would have no effect. */
static int gen_check_options(const struct run *r)
{
    static const char *const own[] = {
        "dim",   "ascii", "duplicates", "skew",   "files", "size",
        "plant", "truth", "bytes",      "tagger", "width", "height",
        "bits",  "stars", "hubs",       "degree", "scale", "edgefactor"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (opt_find(r->program, own[i])->from == OPT_COMMAND_LINE &&
            !is_of(kind, own[i]))
            return err_usage("--%s is of no use to %s: leave it out", own[i],
                             kind->name);
    if (kind->count)
        return kind->count();
    int64_t other = set.files ? set.files : units_div_up(set.bytes, TAGGER_LINE);
    if (!set.n && !other)
        return err_usage("how many %s?", kind->name);
    if (set.n && other)
        return err_usage("N and --%s both say how many: leave out one",
                         set.files ? "files" : "bytes");
    if (set.truth && !set.plant)
        return err_usage("--truth tells where phrases are: of which --plant?");
    set.n += other;
    return 0;
}

static int check_name(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (gen_ends_with(output.path, formats[i].end) &&
            (!formats[i].kind || strcmp(formats[i].kind, kind->name) != 0))
            return err_usage(
                "--output=%s: gen %s does not write the format of that name: "
                "images are raw (.llimg) or .fits, vectors raw or " FVECS
                ", all others raw; take another name",
                output.path, kind->name);
    if (gen_ends_with(output.path, FVECS) && set.dim == DATA_ROW_MAX / 4)
        return err_usage("--dim=%d is one too many for " FVECS, DATA_ROW_MAX / 4);
    return 0;
}

/* The bytes of all rows; -1: more than possible. */
static int64_t all_bytes(void)
{
    int64_t all;
    if (!kind->rows)
        return documents_bytes(&documents);
    return __builtin_mul_overflow(rows.n, rows.bytes, &all) ? -1 : all;
}

static int gen_plan(struct run *r, struct run_need *n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, set.kind))
            kind = &kinds[i];
    int rc = check_name();
    rc = rc ? rc : gen_check_options(r);
    if (rc)
        return rc;
    output.writers = kind->rows ? r->lanes : 1;
    output.folder = !kind->rows;
    rc = set.plant ? err_agree(r->world.comm, plant_read(&plant, set.plant)) : 0;
    if (rc)
        return rc;
    rows = (struct data_rows){.n = set.n, .make = kind->rows};
    rows.bytes = kind->start(0, &rows.context);
    bytes = all_bytes();
    if (bytes < 0)
        return err_usage("this many %s would exceed 2^63 - 1 bytes", kind->name);
    n->order = "by number";
    n->disk_bytes = n->write_bytes = bytes;
    n->buffer_bytes = kind->rows ? 0 : data_folder_room(&documents);
    n->memory_bytes =
        r->lanes * (kind->rows ? (int64_t)DATA_MAKE_MEMORY : n->buffer_bytes);
    r->output = (struct run_output){output.path, bytes};
    return output_plan(r, &output);
}

static int gen_open_all(struct run *r)
{
    kind->start(r->seed, &rows.context);
    return 0;
}

static int gen_make_folder(struct run *r)
{
    struct data_fill fill = {
        .folder = &folder, .documents = &documents, .how = IO_MAKE, .sync_end = true};
    output_folder(r, &output, folder.path);
    if (!data_folder_create(r, &folder))
        data_folder_fill(r, &fill);
    return 0;
}

static int gen_make(struct run *r, void *context)
{
    (void)context;
    if (!kind->rows)
        return gen_make_folder(r);
    if (!output_open(r, &output, bytes, DATA_SLOT_BYTES, DATA_SLOTS))
        data_write(r, output.of, &rows, NULL);
    return output_close(r, &output, true);
}

static int gen_check(struct run *r, void *context)
{
    (void)context;
    return kind->rows ? data_written(r, "gen", output.of->path, bytes)
                      : run_moved(r, "gen", folder.path, 0, bytes);
}

/* Writes the truth about the phrases in the documents. */
static int write_truth(struct run *r)
{
    int rc = r->world.rank ? 0 : plant_truth(&documents, set.truth, r->buffer);
    return err_agree(r->world.comm, rc);
}

static int gen_put_away(struct run *r, int rc)
{
    bool done = !rc && r->options->keep && r->rep == r->options->repeat;
    if (kind->rows)
        return output_settle(r, &output, done);
    int named = done && folder.made ? output_folder_done(r, &output) : 0;
    if (done && !named && set.truth)
        named = write_truth(r);
    folder.made &= !done || named;
    int removed = data_folder_remove(r, &folder);
    return named ? named : removed;
}

static int gen_results(struct run *r, int rc)
{
    double n = (double)rows.n, of_each = (double)rows.bytes, all = (double)bytes;
    if (kind->rows == image_make)
        n = (double)set.height;
    report_result(r->report, "rows", &n, 1);
    if (kind->rows && kind->rows != image_make)
        report_result(r->report, "row_bytes", &of_each, 1);
    else
        report_result(r->report, "bytes", &all, 1);
    return rc;
}

static void gen_close_all(struct run *r)
{
    (void)r;
    plant_free(&plant);
    output_free(&output);
}

int outcore_gen(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.phase = "gen", .body = gen_make}, {.body = gen_check}, {.body = NULL}};
    static const struct workload gen = {
        .name = "outcore gen",
        .line = "KIND [N]",
        .about = "Makes inputs for the other workloads. The same seed gives the same "
                 "bytes with any number of ranks and threads.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes =
            RUN_TAKES_SHARED | RUN_TAKES_DIRECT | RUN_TAKES_LANES | RUN_TAKES_ASYNC,
        .plan = gen_plan,
        .open = gen_open_all,
        .stages = stages,
        .put_away = gen_put_away,
        .results = gen_results,
        .close = gen_close_all,
    };
    argv[0] = (char *)gen.name;
    return run_main(&gen, argc, argv);
}
