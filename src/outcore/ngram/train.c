/* outcore ngram train: counts the n-grams of texts in several languages, and keeps the
 * most frequent ones of each.
 *
 * Bytes: phase train reads all texts, and writes the model. Memory of a rank: 2^(5n) x
 * 8 bytes for counts, slots, and the names of a language. */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/data/output.h"
#include "outcore/ngram/classifier.h"
#include "outcore/ngram/classify.h"
#include "outcore/stream/many.h"
#include "run/stream/stream.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct run_options run;
    struct opt_rest language;
    int64_t n, profile, readers, slots, slot_bytes;
    const char *encoding;
} set;

static struct output output;
static struct languages model;
static struct many many;
static struct sink sink;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Training:"},
    {.kind = OPT_REST, .name = "LANG=DIR", .value = &set.language, .arg = "LANG=DIR",
     .required = true, .workload = true,
     .help = "a language, and the directory with texts in it, searched recursively"},
    {.kind = OPT_INT, .name = "n", .value = &set.n, .preset = "4", .arg = "N",
     .unit = "1", .min = GRAMS_N_LEAST, .max = GRAMS_N_MOST, .workload = true,
     .help = "letters per n-gram"},
    {.kind = OPT_INT, .name = "profile", .value = &set.profile, .preset = "5000",
     .arg = "N", .unit = "1", .min = 1, .max = 1 << 20, .workload = true,
     .help = "number of the most frequent n-grams to keep per language"},
    {.kind = OPT_CHOICE, .name = "encoding", .value = &set.encoding,
     .preset = "utf-8", .arg = "CODE", .choices = "utf-8|latin-1", .workload = true,
     .help = "character encoding of the texts; latin-1: ISO-8859-1"},
    {.kind = OPT_INT, .name = "readers", .value = &set.readers, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 256, .workload = true,
     .help = "reader threads per rank"},
    PASSING_SLOTS(set, "slots per reader"),
    OUTPUT_OPTIONS(output, "file for the model; without it, in --dir"),
    RUN_OPTIONS_WITH(set.run, "SHARED", "yes"),
};
/* clang-format on */

/* ---- counting -------------------------------------------------------------------- */

static struct { /* counts of this rank, which has one consumer */
    struct grams grams;
    int64_t *count; /* for each gram */
    int64_t seen;
    struct profile_gram *profile;
} now;

static int64_t read_bytes, all_grams;

static void train_count(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        now.count[now.grams.gram[i]]++;
    now.seen += n;
}

static void begin_text(void)
{
    grams_begin(&now.grams, (int)set.n, !strcmp(set.encoding, "latin-1"));
}

static void train_take(void *context, const void *data, int64_t bytes)
{
    const char *from = data;
    (void)context;
    for (int64_t n; bytes > 0; bytes -= n, from += n) {
        n = bytes < GRAMS_PART ? bytes : GRAMS_PART;
        train_count(grams_take(&now.grams, from, n));
    }
}

static void train_end(void *context, const char *name)
{
    (void)context;
    (void)name;
    train_count(grams_end(&now.grams));
    begin_text();
}

static const struct sink_ops counting = {train_take, train_end};

/* Splits "en=texts/en" into language and directory. */
static int train_split(const char *language, char name[LANGUAGES_NAME],
                       const char **folder)
{
    const char *equals = strchr(language, '=');
    if (!equals || equals == language || !equals[1])
        return err_usage("\"%s\" is not LANG=DIR, a language and a directory",
                         language);
    *folder = equals + 1;
    if (equals - language >= LANGUAGES_NAME)
        return err_usage("\"%s\": the name of a language has up to %d bytes", language,
                         LANGUAGES_NAME - 1);
    snprintf(name, LANGUAGES_NAME, "%.*s", (int)(equals - language), language);
    return 0;
}

static int keep_profile(struct run *r)
{
    int64_t all = grams_all((int)set.n), distinct, sum[2] = {now.seen, sink.bytes};
    for (int64_t at = 0; at < all; at += 1 << 20)
        world_reduce(r->world.comm, now.count + at,
                     (int)(all - at < 1 << 20 ? all - at : 1 << 20), MPI_INT64_T,
                     MPI_SUM);
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    all_grams += sum[0];
    read_bytes += sum[1];
    int64_t n = profile_of(now.count, all, now.profile, set.profile, &distinct);
    if (n < 0)
        return (int)n;
    for (int64_t i = 0; i < n; i++) {
        int rc = languages_add(&model, now.profile[i].gram, now.profile[i].count);
        if (rc)
            return rc;
    }
    if (!n)
        return err_set(-EINVAL, many.folder.path, -1,
                       "the texts of language %s have no gram: there is nothing to "
                       "learn from them",
                       model.name[model.languages - 1]);
    report_note(r->report, model.name[model.languages - 1],
                "%lld bytes, %lld gram%s, %lld distinct", (long long)sum[1],
                (long long)sum[0], units_s(sum[0]), (long long)distinct);
    return 0;
}

/* Counts a language, in the phase. A failure is kept. */
static void learn(struct run *r, const char *language)
{
    char name[LANGUAGES_NAME];
    const char *folder;
    int rc = train_split(language, name, &folder);
    rc = rc ? rc : many_give(&many, folder);
    rc = rc ? rc : many_list(r, &many);
    if (!rc && languages_begin(&model, name) < 0)
        rc = err_get()->code;
    memset(now.count, 0, (size_t)grams_all((int)set.n) * sizeof *now.count);
    now.seen = 0;
    sink = (struct sink){.ops = &counting};
    begin_text();
    if (!rc) {
        passing_drop(&many.passing, r);
        passing_run(&many.passing, r);
        run_count_cached(r, sink.bytes, many.passing.resident);
    }
    rc = err_agree(r->world.comm, rc ? rc : r->failed);
    rc = rc ? rc : err_agree(r->world.comm, keep_profile(r));
    run_fail(r, rc);
}

/* ---- the model ------------------------------------------------------------------- */

static int64_t lines(void)
{
    return 2 + model.first[model.languages];
}

static int64_t model_bytes(void)
{
    char line[LANGUAGES_LINE];
    int64_t bytes = 0;
    for (int64_t i = 0; i < lines(); i++)
        bytes += languages_line(&model, i, line);
    return bytes;
}

static void write_model(struct run *r)
{
    char line[LANGUAGES_LINE];
    struct run_stream *s;
    struct run_stream_how how = {
        .op = IO_OP_WRITE, .slot_bytes = 1 << 20, .slots = 1, .record = 1};
    if (r->world.rank || run_stream_open(&s, &output.of[0], &how))
        return;
    for (int64_t i = 0; i < lines(); i++) {
        int n = languages_line(&model, i, line);
        run_stream_put(s, line, n);
    }
    run_stream_flush(s);
    run_stream_close(&s);
}

static int train(struct run *r, void *context)
{
    (void)context;
    languages_free(&model);
    model.n = (int)set.n;
    read_bytes = all_grams = 0;
    for (int i = 0; i < set.language.n && !r->failed; i++)
        learn(r, set.language.item[i]);
    if (r->failed)
        return 0;
    if (!output_open(r, &output, model_bytes(), 1 << 20, 1))
        write_model(r);
    return output_close(r, &output, true);
}

static int train_check(struct run *r, void *context)
{
    (void)context;
    return run_moved(r, "train", many.folder.path, read_bytes, model_bytes());
}

static int train_put_away(struct run *r, int rc)
{
    return output_settle(r, &output,
                         !rc && r->options->keep && r->rep == r->options->repeat);
}

static int train_results(struct run *r, int rc)
{
    run_result(r, "languages", model.languages);
    run_result(r, "grams", (double)all_grams);
    run_result(r, "kept", (double)model.first[model.languages]);
    return rc;
}

/* ---- beginning and end ----------------------------------------------------------- */

static int train_plan(struct run *r, struct run_need *n)
{
    char name[LANGUAGES_NAME];
    const char *folder;
    int rc = run_threads(r, 1 + (int)set.readers);
    for (int i = 0; i < set.language.n && !rc; i++)
        rc = train_split(set.language.item[i], name, &folder);
    if (!rc && set.language.n > LANGUAGES_MOST)
        rc = err_usage("%d languages are too many: up to %d", set.language.n,
                       LANGUAGES_MOST);
    many.passing = (struct passing){.path = many.folder.path,
                                    .names = &many.names,
                                    .consumers = 1,
                                    .readers = (int)set.readers,
                                    .slot_bytes = set.slot_bytes,
                                    .sink = &sink};
    many.deep = true;
    output.writers = 1;
    output.role = "model";
    n->order = "by language";
    n->read_bytes = -1;
    n->disk_bytes = n->write_bytes = set.language.n * set.profile * LANGUAGES_LINE / 2;
    n->buffer_bytes = units_round_up(set.slots * set.slot_bytes, BUF_ALIGN);
    n->memory_bytes = r->lanes * n->buffer_bytes + (2 << 20) +
                      grams_all((int)set.n) * (int64_t)sizeof *now.count;
    return rc ? rc : output_plan(r, &output);
}

static int train_open_all(struct run *r)
{
    void *count = NULL;
    int64_t bytes = grams_all((int)set.n) * (int64_t)sizeof *now.count;
    int rc = buf_reserve_huge(&count, bytes, "counts of grams");
    now.count = count;
    now.profile = mem_new(set.profile, sizeof *now.profile, "a profile");
    if (!rc && !now.profile)
        rc = -ENOMEM;
    return rc ? rc : passing_open(&many.passing, r, (int)set.slots);
}

static void train_close_all(struct run *r)
{
    (void)r;
    if (now.count)
        buf_free(now.count);
    free(now.profile);
    many_free(&many);
    output_free(&output);
    languages_free(&model);
}

int ngram_train(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.phase = "train", .body = train}, {.body = train_check}, {.body = NULL}};
    static const struct workload workload = {
        .name = "outcore ngram train",
        .line = "LANG=DIR...",
        .about = "Makes a language model for outcore ngram from sample texts.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_SHARED | RUN_TAKES_LANES | RUN_TAKES_COMPARE,
        .plan = train_plan,
        .open = train_open_all,
        .stages = stages,
        .put_away = train_put_away,
        .results = train_results,
        .close = train_close_all,
    };
    argv[0] = (char *)workload.name;
    return run_main(&workload, argc, argv);
}
