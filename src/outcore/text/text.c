/* outcore text: the entity extraction pipeline of the 2007 study (chapter 4): eight
 * modules in sequence over many small files, coupled by the file system.
 *
 * Bytes, where s(0) is the size of all inputs, and s(m) that of all outputs after
 * module m: rewriting, module m reads passes x s(m - 1) and writes s(m); appending, it
 * writes s(m) - s(m - 1); fused, passes x s(0) are read and s(8) written. A container
 * adds 72 bytes and a line for each file. Every rank reads the models. Opens: 16 files
 * for each input when rewriting or appending; 2 when fused. Memory of a rank: for each
 * lane three times the largest output; the models; 300 bytes and the name for each of
 * its files. */
#include "outcore/text/text.h"
#include "base/err.h"
#include "outcore/commands.h"
#include "outcore/text/made.h"
#include "run/lanes.h"
#include <stdio.h>
#include <string.h>

struct text text;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Text:"},
    {.kind = OPT_TEXT, .name = "DIR", .value = &text.set.input, .workload = true,
     .help = "directory with the stories, searched recursively and never changed; "
             "without it, documents are generated"},
    {.kind = OPT_INT, .name = "files", .value = &text.set.files, .preset = "3183",
     .arg = "N", .unit = "1", .min = 1, .max = 1e9, .workload = true,
     .help = "number of documents to generate, as by outcore gen documents"},
    {.kind = OPT_BYTES, .name = "size", .value = &text.set.size, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1 << 30, .workload = true,
     .help = "bytes per generated document; 0: varied, as news stories",
     .text = "Bytes per generated file; *0*: sizes that vary as those of news "
             "stories, 3,091 on average."},
    {.kind = OPT_FLAG, .name = "faithful", .value = &text.set.faithful, .preset = "no",
     .workload = true,
     .help = "settings of the 2007 study, which other options override: "
             "--update=rewrite --order=module --passes=3 --replace=truncate "
             "--cache=keep",
     .text = "As in the study, unless an option says otherwise: --update=rewrite, "
             "--order=module, --passes=3, --replace=truncate and --cache=keep. "
             "With --cost=none and the default documents this reads 494.7 MB and "
             "writes 204.4 MB, as in the study."},
    {.kind = OPT_CHOICE, .name = "update", .value = &text.set.update,
     .preset = "rewrite", .arg = "HOW", .choices = "rewrite|append|fused",
     .workload = true,
     .help = "how a module adds its section to a file that it has read",
     .choice_help = {"rewrite: writes the whole file again",
                     "append: writes only the section, at the end",
                     "fused: all modules work in memory, between one read and one "
                     "write"},
     .text = "*rewrite* writes the whole output again in each module. *append* "
             "appends only the section. *fused* runs all modules in memory, "
             "between one read of the input and one write of the output."},
    {.kind = OPT_CHOICE, .name = "order", .value = &text.set.order, .preset = "module",
     .arg = "ORDER", .choices = "module|document", .workload = true,
     .choice_help = {"module: all files go through module 1, then all through "
                     "module 2, and so on",
                     "document: each file goes through all modules"},
     .text = "With *module*, all documents go through one module before any goes "
             "through the next. With *document*, each document goes through all "
             "modules. --update=fused is always by document."},
    {.kind = OPT_INT, .name = "passes", .value = &text.set.passes, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 100, .workload = true,
     .help = "times that a module reads each file that it opens",
     .text = "Times that a module reads each file that it opens. With 3 the ratio "
             "of bytes read to bytes written is the study's, 2.42."},
    {.kind = OPT_FLAG, .name = "container", .value = &text.set.container,
     .preset = "no", .workload = true,
     .help = "store all outputs of a rank (with --threads: of a thread) in one file "
             "with an index",
     .text = "Store all outputs of a rank (with --threads, of a thread) in one "
             "file with an index. Each module reads one such file and writes "
             "another."},
    {.kind = OPT_CHOICE, .name = "replace", .value = &text.set.replace,
     .preset = "truncate", .arg = "HOW", .choices = "truncate|rename",
     .workload = true,
     .help = "how files are replaced",
     .choice_help = {"truncate: overwritten in place (O_TRUNC), as in 2007",
                     "rename: written under another name, which is then renamed"},
     .text = "*truncate* overwrites the old output: an interrupted run leaves an "
             "incomplete file. *rename* writes under another name and then "
             "renames: an interrupted run leaves the old or the new output."},
    {.kind = OPT_CHOICE, .name = "cost", .value = &text.set.cost, .preset = "real",
     .arg = "COST", .choices = "real|none|java", .workload = true,
     .help = "what the modules do",
     .choice_help = {"real: extract entities",
                     "none: no computation, generated sections as long as those of "
                     "2007",
                     "java: the same sections, after the processor time given by "
                     "--java"},
     .text = "*real* extracts entities. *none* computes nothing and generates "
             "sections as long as the study's, so everything is I/O. *java* "
             "generates the same sections, after the processor time given by "
             "--java. Its division among the modules is an estimate."},
    {.kind = OPT_TEXT, .name = "output", .value = &text.output.path, .arg = "DIR",
     .help = "directory in which to keep the outputs, NAME.lex for each NAME",
     .text = "Directory in which to keep the outputs. It must not exist, and gets "
             "this name only once all outputs are complete and checked."},
    {.kind = OPT_FLAG, .name = "check", .value = &text.set.check, .preset = "no",
     .workload = true,
     .help = "only read the outputs in DIR, for example those of an interrupted run, "
             "and check that each ends with a whole section",
     .text = "Only read _DIR_, a directory of outputs, and fail at one that does "
             "not end with a whole section, with its name: what a run that was cut "
             "off has torn. The report counts outputs that are *complete* and "
             "*incomplete*, and *leftovers*, which were about to be renamed."},
    RUN_LANES(text.set.run),
    {.kind = OPT_TITLE, .help = "Modules (--cost=real):"},
    {.kind = OPT_TEXT, .name = "lexicon", .value = &text.models.of[0].path,
     .arg = "FILE", .workload = true,
     .help = "file of phrases for module 2, one per line; without it, module 2 "
             "finds nothing",
     .text = "The phrases of module 2, one per line. Every rank reads the file "
             "when the module starts. Without it the module finds nothing."},
    {.kind = OPT_TEXT, .name = "crf", .value = &text.models.of[1].path, .arg = "FILE",
     .workload = true, .help = "model for module 3; without it, module 3 finds "
                               "nothing"},
    {.kind = OPT_TEXT, .name = "maxent", .value = &text.models.of[2].path,
     .arg = "FILE", .workload = true,
     .help = "model for module 4; without it, module 4 finds nothing"},
    {.kind = OPT_TEXT, .name = "weights", .value = &text.set.weights,
     .preset = ".3,.4,.3", .arg = "W,W,W", .workload = true,
     .help = "weights of the votes of modules 2, 3 and 4 for an entity; their "
             "sum is its confidence"},
    {.kind = OPT_CHOICE, .name = "format", .value = &text.set.format, .preset = "auto",
     .arg = "FORMAT", .choices = "xml|plain|auto", .workload = true,
     .help = "format of the documents",
     .choice_help = {"xml: as Reuters' stories of 1987 or 1996",
                     "plain: text only", "auto: detected for each document"},
     .text = "*xml* is Reuters' of 1987 (Reuters-21578) or of 1996 (RCV1); *plain* "
             "has all of a file as its BODY; *auto* looks at each."},
    {.kind = OPT_CHOICE, .name = "bad", .value = &text.set.bad, .preset = "fail",
     .arg = "WHAT", .choices = "fail|skip", .workload = true,
     .help = "what to do with XML that is not well-formed",
     .choice_help = {"fail: end the run",
                     "skip: leave the document out and count it"},
     .text = "*fail* ends the run for a document that is no well-formed XML, or no "
             "story; *skip* leaves it out and counts it."},
    {.kind = OPT_REAL, .name = "table-share", .value = &text.set.table_share,
     .preset = "0.25", .arg = "X", .unit = "1", .min = 0, .max = 1, .workload = true,
     .help = "share of digits and punctuation among non-blank bytes above "
             "which a document counts as a table",
     .text = "Documents with a larger share of digits and punctuation, of all "
             "bytes that are not blank, are tables."},
    {.kind = OPT_TITLE, .help = "Simulated cost:"},
    {.kind = OPT_REAL, .name = "java", .value = &text.set.java_s, .preset = "300",
     .arg = "S", .unit = "s", .min = 0, .max = 1e9, .workload = true,
     .help = "with --cost=java: processor seconds of all modules per 9.84 MB (2007: "
             "300)",
     .text = "Processor seconds of all modules together per 9.84 MB of input."},
    {.kind = OPT_BYTES, .name = "model-bytes", .value = &text.set.model_bytes,
     .preset = "0", .arg = "BYTES", .unit = "B", .min = 0, .max = 1 << 30,
     .workload = true,
     .help = "bytes of the model that each rank reads when module 3 starts, and "
             "again when module 4 starts; the study's first model had 11 MB",
     .text = "Without real modules: bytes of a model that each rank reads when "
             "module 3 starts, and of another one when module 4 does. The study's "
             "first had 11 MB."},
    RUN_OPTIONS_WITH(text.set.run, "SHARED", "no"),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "Each lane has its own files."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "What a module has written is synced within its time, and the cached "
             "pages of each file are dropped before it is read."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "Inputs and outputs are kept."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "The outputs are read again and compared with what the modules make "
             "in memory."},
};
/* clang-format on */

/* ---- checks of options ----------------------------------------------------------- */

static bool is_given(const struct run *r, const char *option)
{
    return opt_find(r->program, option)->from != OPT_DEFAULT;
}

static void settle_faithful(struct run *r)
{
    if (!text.set.faithful)
        return;
    if (!is_given(r, "passes"))
        text.set.passes = 3;
    if (!is_given(r, "cache"))
        r->options->cache = "keep", r->flush = false;
}

static int check_way(const struct run *r)
{
    bool fused = !strcmp(text.set.update, "fused");
    bool append = !strcmp(text.set.update, "append");
    if (fused && is_given(r, "order") && !strcmp(text.set.order, "module"))
        return err_usage("--update=fused takes each document through all modules: "
                         "leave out --order=module");
    if (text.set.container && append)
        return err_usage("a container is written once: --update=append is of files of "
                         "their own");
    if (text.set.container && text.set.passes > 1 && !fused)
        return err_usage("a container is read once: leave out --passes");
    if (text.set.container && !fused && !strcmp(text.set.order, "document"))
        return err_usage("a container is written by all documents of a module: "
                         "--order=document needs --update=fused there");
    if (text.set.container && is_given(r, "replace"))
        return err_usage("a container replaces no file: leave out --replace");
    return 0;
}

static int text_check_settings(const struct run *r)
{
    if (text.set.input && (is_given(r, "files") || is_given(r, "size")))
        return err_usage("--files and --size are of documents that are made, and %s is "
                         "given",
                         text.set.input);
    if (text.set.check && !text.set.input)
        return err_usage("--check reads a directory of outputs: name it");
    if (is_given(r, "java") && strcmp(text.set.cost, "java"))
        return err_usage("--java is of --cost=java");
    return check_way(r);
}

/* Checks the options that only real modules have. */
static int check_real(const struct run *r)
{
    static const char *const only[] = {"lexicon", "crf",         "maxent", "weights",
                                       "bad",     "table-share", "format"};
    bool real = !strcmp(text.set.cost, "real");
    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++)
        if (is_given(r, only[i]) && !real)
            return err_usage("--%s is of --cost=real", only[i]);
    if (real && text.set.model_bytes)
        return err_usage("--model-bytes makes models that nobody can use: --cost=real "
                         "has --crf and --maxent");
    return 0;
}

static int settle_given(void)
{
    struct text_given *g = &text.pipe.given;
    int end = 0;
    g->table_share = text.set.table_share;
    g->format = !strcmp(text.set.format, "xml")     ? TEXT_FORMAT_XML
                : !strcmp(text.set.format, "plain") ? TEXT_FORMAT_PLAIN
                                                    : TEXT_FORMAT_AUTO;
    int n = sscanf(text.set.weights, "%lf,%lf,%lf%n", &g->weight[0], &g->weight[1],
                   &g->weight[2], &end);
    for (int i = 0; i < n && i < TEXT_VOTES; i++)
        if (!(g->weight[i] >= 0 && g->weight[i] <= 1e6))
            n = 0;
    return n == TEXT_VOTES && !text.set.weights[end]
               ? 0
               : err_usage("--weights=%s is not three numbers from 0 on, with commas",
                           text.set.weights);
}

static void settle_way(void)
{
    text.pipe.way = (struct text_way){
        .update = !strcmp(text.set.update, "fused")    ? TEXT_FUSED
                  : !strcmp(text.set.update, "append") ? TEXT_APPEND
                                                       : TEXT_REWRITE,
        .container = text.set.container,
        .passes = (int)text.set.passes,
        .replace = !strcmp(text.set.replace, "rename") ? IO_RENAME : IO_TRUNCATE};
    text.pipe.way.by_document =
        text.pipe.way.update == TEXT_FUSED || !strcmp(text.set.order, "document");
    text.pipe.way.skip_bad = !strcmp(text.set.bad, "skip");
    text.pipe.work.cost = !strcmp(text.set.cost, "java")   ? TEXT_COST_JAVA
                          : !strcmp(text.set.cost, "none") ? TEXT_COST_NONE
                                                           : TEXT_COST_REAL;
    text.pipe.work.java_s = text.set.java_s;
    text.models.made_bytes = text.set.model_bytes;
}

/* ---- the plan -------------------------------------------------------------------- */

static int text_plan_input(struct run *r)
{
    struct many *m = &text.many;
    m->deep = true;
    documents_prepare(&m->documents, text.set.files, text.set.size, 0, 0);
    if (!text.set.input)
        return 0;
    int rc = many_give(m, text.set.input);
    rc = rc ? rc : many_list(r, m);
    return rc ? rc : deal_files(r, m, &text.pipe.files);
}

/* Computes the bytes read and written from the sizes of generated sections. */
static void plan_bytes(const struct run *r, struct run_need *n)
{
    bool fused = text.pipe.way.update == TEXT_FUSED;
    const struct documents *d = &text.many.documents;
    int64_t size[TEXT_STEPS + 1] = {documents_bytes(d)};
    char name[RUN_SET_NAME];
    for (int64_t i = 0; i < d->n; i++)
        for (int m = 0; m < TEXT_STEPS; m++)
            size[m + 1] += made_bytes(m, run_set_member(i, name), documents_size(d, i));
    n->disk_bytes = size[0] + size[TEXT_STEPS] + 2 * text.set.model_bytes;
    n->write_bytes = size[0] + (fused ? size[TEXT_STEPS] : 0);
    n->read_bytes = (fused ? text.set.passes * size[0] : 0) +
                    (r->verify ? size[0] + size[TEXT_STEPS] : 0);
    for (int m = 0; m < TEXT_STEPS && !fused; m++) {
        n->read_bytes += text.set.passes * size[m];
        n->write_bytes +=
            size[m + 1] - (text.pipe.way.update == TEXT_APPEND && m ? size[m] : 0);
    }
    n->read_bytes += 2 * text.set.model_bytes * r->world.size;
    n->write_bytes += 2 * text.set.model_bytes;
}

/* Counts generated inputs and models, and the outputs at the end. */
static int64_t count_files(const struct run *r)
{
    int64_t documents = text.many.given ? text.pipe.files.all : text.many.documents.n;
    if (text.set.check)
        return 0;
    return (text.many.given ? 0 : documents) + (text.set.model_bytes ? 2 : 0) +
           (text.set.container ? r->workers : documents);
}

static int text_plan(struct run *r, struct run_need *n)
{
    settle_faithful(r);
    int rc = text_check_settings(r);
    rc = rc ? rc : check_real(r);
    rc = rc ? rc : settle_given();
    if (rc)
        return rc;
    settle_way();
    text.output.role = "lex";
    text.output.writers = 1;
    text.output.folder = true;
    rc = output_plan(r, &text.output);
    rc = rc ? rc : models_plan(&text.models);
    rc = rc ? rc : text_plan_input(r);
    if (rc)
        return rc;
    r->latencies = r->io_shares = true;
    int64_t room = 0;
    n->read_bytes = n->write_bytes = -1;
    n->disk_bytes = text.set.check    ? 0
                    : text.many.given ? 6 * text.pipe.files.in_bytes
                                      : 7 * documents_bytes(&text.many.documents);
    if (!text.many.given)
        room = data_folder_room(&text.many.documents);
    if (!text.many.given && text.pipe.work.cost != TEXT_COST_REAL)
        plan_bytes(r, n);
    n->files = count_files(r);
    n->order = "by size";
    n->buffer_bytes = room;
    n->memory_bytes =
        r->lanes * (room + 18 * (room ? room : text.pipe.files.most_bytes));
    return 0;
}

static int text_open_all(struct run *r)
{
    run_describe(r, NULL, false, 1);
    int rc = pipeline_open(&text.pipe, r);
    if (text.many.given)
        rc = rc ? rc : run_reads(r, text.many.folder.path);
    else
        documents_prepare(&text.many.documents, text.set.files, text.set.size, r->seed,
                          0);
    return rc;
}

static void text_close_all(struct run *r)
{
    pipeline_close(&text.pipe, r);
    many_free(&text.many);
    grow_free(&text.models.memory);
    output_free(&text.output);
}

int outcore_text(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = text_begin},
                                          {.body = text_make},
                                          {.body = text_run},
                                          {.body = text_verify},
                                          {.body = NULL}};
    static const struct workload workload = {
        .name = "outcore text",
        .line = "[DIR]",
        .about = "Passes many small documents through eight modules that exchange "
                 "files, as the entity extraction of the 2007 study did.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &text.set.run,
        .takes =
            RUN_TAKES_SHARED | RUN_TAKES_LANES | RUN_TAKES_VERIFY | RUN_TAKES_COMPARE,
        .own_calls = true,
        .plan = text_plan,
        .open = text_open_all,
        .stages = stages,
        .put_away = text_put_away,
        .results = text_results,
        .close = text_close_all,
    };
    argv[0] = (char *)workload.name;
    return run_main(&workload, argc, argv);
}
