/* outcore stream: feeding a consumer from files; after section 3 of Ulmer's report
 * (2008): a large file in slots, and many small files by readers whose slots one
 * consumer empties.
 *
 * Bytes: the phases alone, read, verify and plain read all bytes of the input; the
 * phases make and write write them; phase sink moves none. Memory of a rank: with
 * --mode=file readers x (slots + 3) x bytes of a slot; with --mode=files (readers + 1)
 * x slots x bytes of a slot, or of the largest document, and the names. */
#include "outcore/stream/stream.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/commands.h"
#include "outcore/stream/sink.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct streaming_settings set;
static struct streaming streaming = {.set = &set};

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Stream:"},
    {.kind = OPT_TEXT, .name = "INPUT", .value = &set.input, .workload = true,
     .help = "file (with --mode=files: directory) to read, never changed; without "
             "it, one is generated",
     .text = "The file (with --mode=files: the directory) to read; it is never "
             "changed. The directory must hold only regular files or links to them "
             "(but see --deep). Without _INPUT_, one is generated."},
    {.kind = OPT_CHOICE, .name = "mode", .value = &set.mode, .preset = "file",
     .arg = "MODE", .choices = "file|files", .workload = true,
     .choice_help = {"file: one large file, a part of it per reader",
                     "files: all files of a directory; readers fill slots, and one "
                     "consumer empties them, file by file"},
     .text = "*file* or *files*, as above."},
    {.kind = OPT_INT, .name = "readers", .value = &set.readers, .preset = "1",
     .arg = "N", .unit = "1", .min = 1, .max = 256, .workload = true,
     .help = "threads per rank that read (with --write: that write); the consumer of "
             "--mode=files is one more"},
    PASSING_SLOTS(set, "slots per reader; with --mode=file --iomode=ASYNC also the "
                       "number of transfers in flight"),
    {.kind = OPT_TEXT, .name = "sink", .value = &set.sink, .preset = "checksum",
     .arg = "SINK", .workload = true,
     .help = "what the consumer does: null, copy, checksum (CRC-32), sleep:US "
             "(microseconds per 1,000,000 bytes) or compress (zlib, level 1)",
     .text = "What the consumer does: *null* nothing, *copy* to a second buffer, "
             "*checksum* the CRC-32 of each file, *sleep:*_US_ microseconds for "
             "each 1,000,000 bytes, in pauses of a millisecond at least, or "
             "*compress* each file, as gzip -1 does (zlib, where the build has it; "
             "the report has *compressed_bytes*)."},
    {.kind = OPT_FLAG, .name = "overlap", .value = &set.overlap, .preset = "no",
     .workload = true,
     .help = "also measure reading alone (with the sink null) and the sink alone, to "
             "report how much of the two overlaps",
     .text = "Also measure reading alone (with the sink *null*) and the sink "
             "alone (from memory)."},
    {.kind = OPT_FLAG, .name = "direct-compare", .value = &set.direct_compare,
     .preset = "no", .workload = true,
     .help = "run twice in each repetition: through the page cache, and around it "
             "(O_DIRECT)",
     .text = "Run twice in each repetition: through the page cache, dropped "
             "before, and around it. The order alternates between repetitions. "
             "Figures belong to one of the two (*at*, \"cache\")."},
    {.kind = OPT_TITLE, .help = "One large file (--mode=file):"},
    {.kind = OPT_BYTES, .name = "bytes", .value = &set.bytes, .preset = "64M",
     .arg = "BYTES", .unit = "B", .min = 1, .max = 9e18, .workload = true,
     .help = "bytes of the generated file",
     .text = "Bytes of the generated large file."},
    {.kind = OPT_TITLE, .help = "Many files (--mode=files):"},
    {.kind = OPT_INT, .name = "files", .value = &set.files, .preset = "3183",
     .arg = "N", .unit = "1", .min = 1, .max = 1e9, .workload = true,
     .help = "how many to generate, as by outcore gen documents",
     .text = "Files to generate, as by *outcore gen documents*."},
    {.kind = OPT_BYTES, .name = "size", .value = &set.size, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1 << 30, .workload = true,
     .help = "bytes per generated file; 0: varied, as news stories",
     .text = "Bytes per generated file; *0*: sizes that vary as those of news "
             "stories, 3,091 on average."},
    {.kind = OPT_TEXT, .name = "list", .value = &set.list, .arg = "FILE",
     .workload = true,
     .help = "read only those listed in FILE, by their paths in the "
             "directory, one per line or separated by zero bytes",
     .text = "Read only the files listed in FILE, by their paths in the directory: "
             "one per line, or each ending with a zero byte (*find -print0*), for "
             "names with line breaks. Only regular files are opened."},
    {.kind = OPT_FLAG, .name = "deep", .value = &set.deep, .preset = "no",
     .workload = true, .help = "search subdirectories too",
     .text = "Search subdirectories too. Links to directories are refused."},
    {.kind = OPT_CHOICE, .name = "vanished", .value = &set.vanished, .preset = "fail",
     .arg = "WHAT", .choices = "fail|skip", .workload = true,
     .help = "what to do if a file is gone or ends early",
     .choice_help = {"fail: end the run", "skip: count it, and read what is left"},
     .text = "*fail*: a file that is gone when it is opened, or ends before its "
             "size at that time, ends the run. *skip*: files that are gone are "
             "left out, files that end early count with what they have, and the "
             "report counts both (_results_: *vanished*, *cut*). With --verify the "
             "sums differ if files change after they were read."},
    {.kind = OPT_CHOICE, .name = "open", .value = &set.open, .preset = "openat",
     .arg = "HOW", .choices = "openat|each|uring", .workload = true,
     .help = "how a reader opens, reads and closes each file",
     .choice_help = {"openat: by its name in the directory",
                     "each: by its whole path",
                     "uring: by one chain of requests in the kernel (io_uring), into "
                     "one slot, which must have room for the whole file"},
     .text = "*openat*: a reader opens each file relative to the directory's "
             "descriptor, reads it and closes it. *each*: by its whole path, as "
             "most programs do. *uring*: the kernel does all three in one chain "
             "(io_uring), into one slot, which must have room for the file; "
             "without io_uring, they are separate calls."},
    {.kind = OPT_CHOICE, .name = "order", .value = &set.order, .preset = "name",
     .arg = "ORDER", .choices = "name|inode|shuffle", .workload = true,
     .help = "order in which they are read",
     .text = "The order of a rank's files: by *name*, by *inode*, or "
             "*shuffle*, at random by the seed."},
    {.kind = OPT_CHOICE, .name = "deal", .value = &set.deal, .preset = "range",
     .arg = "HOW", .choices = "range|cyclic", .workload = true,
     .help = "how the files of a rank are dealt to its readers",
     .choice_help = {"range: consecutive files to each", "cyclic: in turn"},
     .text = "The distribution of a rank's files over its readers: a *range* of "
             "consecutive files each or, with *cyclic*, in turn, so that all "
             "readers work in the same part of the directory."},
    {.kind = OPT_CHOICE, .name = "pick", .value = &set.pick, .preset = "first",
     .arg = "HOW", .choices = "first|round-robin", .workload = true,
     .help = "the reader from which the consumer takes data next",
     .choice_help = {"first: the first one that has some",
                     "round-robin: the next one after the last that has some"}},
    {.kind = OPT_FLAG, .name = "stat", .value = &set.stat, .preset = "no",
     .workload = true, .help = "stat each file before opening it",
     .text = "Stat each file before opening it, and time the calls "
             "(_stat_p50_us_, _stat_p99_us_)."},
    {.kind = OPT_CHOICE, .name = "write", .value = &set.write, .preset = "no",
     .arg = "HOW", .choices = "no|create|rewrite|replace", .workload = true,
     .help = "write files instead of reading them",
     .choice_help = {NULL, "create: as new files",
                     "rewrite: overwriting them in place (O_TRUNC)",
                     "replace: under another name, which is then renamed"},
     .text = "Write documents instead of reading: *create*, as new files in a new "
             "directory; *rewrite*, overwriting them in place (O_TRUNC); "
             "*replace*, under another name, which is then renamed. *no* reads."},
    {.kind = OPT_CHOICE, .name = "fsync", .value = &set.fsync, .preset = "end",
     .arg = "WHEN", .choices = "end|each|none", .workload = true,
     .help = "with --write: when to sync",
     .choice_help = {"end: the file system, once at the end (not with --cache=keep)",
                     "each: every file, by fsync"},
     .text = "When to sync written files: *end* syncs the file system at the end, "
             "unless --cache=keep is given; *each* syncs each file before it is "
             "closed, and with *replace* the directory after renaming; *none* does "
             "not."},
    RUN_OPTIONS_WITH(set.run, "SHARED", "no"),
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "With --mode=file and *SYNC*, a reader fills a slot, passes it to its "
             "consumer, and fills the next; *ASYNC* fills the other slots "
             "meanwhile."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*direct* needs a --slot-size that is a multiple of 4096."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "Checksums of the bytes from the slots are compared with the expected "
             "ones."},
    {.kind = OPT_NOTE, .name = "seed",
     .text = "It is also that of --order=shuffle."},
};
/* clang-format on */

enum io_replace streaming_writes(const struct streaming *s)
{
    return !strcmp(s->set->write, "create")    ? IO_MAKE
           : !strcmp(s->set->write, "rewrite") ? IO_TRUNCATE
                                               : IO_RENAME;
}

const char *streaming_path(const struct streaming *s)
{
    return s->work == STREAMING_FILE ? s->large.file.path : s->many.folder.path;
}

/* ---- the run --------------------------------------------------------------------- */

static int begin_repetition(struct run *r, void *context)
{
    struct streaming *s = context;
    r->samples_only = false;
    if (s->work == STREAMING_FILE)
        data_name(r, &s->large.file, "stream", s->set->slot_bytes, (int)s->set->slots);
    else if (!s->many.given)
        run_path(r, "stream", "", s->many.folder.path, sizeof s->many.folder.path);
    return r->failed;
}

static int stream_put_away(struct run *r, int rc)
{
    struct streaming *s = &streaming;
    r->at.name = NULL;
    if (s->work == STREAMING_FILE)
        return data_remove(r, &s->large.file);
    if (s->many.folder.made && r->options->keep && !rc) {
        io_file_keep(r->world.comm, s->many.folder.path);
        s->many.folder.made = false;
    }
    return s->many.given ? 0 : data_folder_remove(r, &s->many.folder);
}

/* ---- report ---------------------------------------------------------------------- */

static int stream_results(struct run *r, int rc)
{
    struct streaming *s = &streaming;
    double halves[2] = {(double)(s->found.sum >> 32),
                        (double)(s->found.sum & UINT32_MAX)};
    run_result(r, s->work == STREAMING_FILE ? "sections" : "files",
               (double)s->found.files);
    run_result(r, "bytes", (double)s->found.bytes);
    if (s->many.passing.skip) {
        run_result(r, "vanished", (double)s->gone);
        run_result(r, "cut", (double)s->cut);
    }
    if (s->compress)
        run_result(r, "compressed_bytes", (double)s->compressed);
    if (s->known)
        report_result(r->report, "crc_sum", halves, 2);
    if (s->work == STREAMING_FILE)
        data_again(r, &s->large.file);
    return rc;
}

static int streaming_open_all(struct run *r)
{
    struct streaming *s = &streaming;
    int rc = 0;
    s->sink = mem_new(r->lanes, sizeof *s->sink, "sinks");
    if (!s->sink)
        return -ENOMEM;
    for (int i = 0; i < r->lanes && s->compress; i++)
        if (!(s->sink[i].context = compress_open()))
            return mem_none(NULL, 0, "sinks that compress");
    s->large.sink = s->sink;
    s->many.passing.sink = s->sink;
    if (s->work == STREAMING_FILES)
        rc = passing_open(&s->many.passing, r, (int)s->set->slots);
    if (s->work == STREAMING_FILE && streaming_is_made(s))
        large_prepare(&s->large, s->set->bytes, r->seed);
    else if (streaming_is_made(s))
        documents_prepare(&s->many.documents, s->set->files, s->set->size, r->seed, 0);
    return rc ? rc : s->work == STREAMING_FILE ? data_say(r, &s->large.file) : 0;
}

static void streaming_close_all(struct run *r)
{
    struct streaming *s = &streaming;
    for (int i = 0; i < r->lanes && s->sink; i++)
        compress_close(s->sink[i].context);
    free(s->sink);
    many_free(&s->many);
    data_free(&s->large.file);
}

/* ---- the plan -------------------------------------------------------------------- */

/* Refuses options that have no effect in this mode. */
static int stream_check_options(const struct run *r, const struct streaming *s)
{
    static const struct {
        const char *name;
        unsigned works; /* bits of enum streaming_work */
        bool made;
    } row[] = {{"bytes", 1 << STREAMING_FILE, true},
               {"files", 1 << STREAMING_FILES | 1 << STREAMING_WRITE, true},
               {"size", 1 << STREAMING_FILES | 1 << STREAMING_WRITE, true},
               {"pick", 1 << STREAMING_FILES, false},
               {"open", 1 << STREAMING_FILES, false},
               {"order", 1 << STREAMING_FILES, false},
               {"deal", 1 << STREAMING_FILES, false},
               {"stat", 1 << STREAMING_FILES, false},
               {"list", 1 << STREAMING_FILES, false},
               {"deep", 1 << STREAMING_FILES, false},
               {"vanished", 1 << STREAMING_FILES, false},
               {"write", 1 << STREAMING_FILES | 1 << STREAMING_WRITE, false},
               {"fsync", 1 << STREAMING_WRITE, false},
               {"overlap", 1 << STREAMING_FILE | 1 << STREAMING_FILES, false},
               {"direct-compare", 1 << STREAMING_FILE | 1 << STREAMING_FILES, false},
               {"sink", 1 << STREAMING_FILE | 1 << STREAMING_FILES, false},
               {"iomethod", 1 << STREAMING_FILE, false},
               {"iomode", 1 << STREAMING_FILE, false}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (opt_find(r->program, row[i].name)->from == OPT_COMMAND_LINE &&
            (!(row[i].works & 1u << s->work) || (row[i].made && !streaming_is_made(s))))
            return err_usage("--%s is of no use here: leave it out", row[i].name);
    if ((s->set->list || s->set->deep) && streaming_is_made(s))
        return err_usage("--list and --deep need an existing directory: name it");
    if (s->set->list && s->set->deep)
        return err_usage(
            "--list says what is read, and --deep reads all: leave out one");
    if (s->work == STREAMING_WRITE && !streaming_is_made(s))
        return err_usage("--write makes files of its own: leave %s out", s->set->input);
    return 0;
}

static int plan_sink(struct streaming *s)
{
    s->compress = !strcmp(s->set->sink, "compress");
    if (s->compress && !compress_is_here())
        return err_usage("--sink=compress needs zlib, which this build does without");
    return sink_parse(&s->how, s->compress ? "null" : s->set->sink);
}

static int stream_check_direct(const struct run *r, const struct streaming *s)
{
    bool direct = r->io_flags & IO_DIRECT || s->set->direct_compare;
    if (direct && s->set->slot_bytes % IO_DIRECT_ALIGN)
        return err_usage("--slot-size=%lld is no multiple of %d, as transfers past the "
                         "page cache are",
                         (long long)s->set->slot_bytes, IO_DIRECT_ALIGN);
    if (s->set->direct_compare &&
        opt_find(r->program, "cache")->from == OPT_COMMAND_LINE)
        return err_usage("--direct-compare does both: leave --cache out");
    return 0;
}

static int plan_file(struct run *r, struct streaming *s, struct run_need *n)
{
    int rc;
    s->large.slots = (int)s->set->slots;
    s->large.slot_bytes = s->set->slot_bytes;
    large_prepare(&s->large, s->set->bytes, 0);
    if (streaming_is_made(s))
        rc = data_planned(r, &s->large.file, &s->large.rows);
    else
        rc = data_given(r, &s->large.file, s->set->input, 1, true);
    s->copy_at = large_memory(s->set->slots, s->set->slot_bytes);
    n->read_bytes = s->large.file.bytes;
    return rc;
}

static int plan_given(struct run *r, struct many *m, const char *path)
{
    int64_t files = 0;
    int rc = many_give(m, path);
    rc = rc ? rc : many_list(r, m);
    if (rc)
        return rc;
    MPI_Allreduce(&m->names.n, &files, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    r->input = (struct run_input){.path = m->folder.path, .count = files};
    return 0;
}

/* Plans mode files. When reading, lane 0 is the consumer. */
static int plan_files(struct run *r, struct streaming *s, struct run_need *n)
{
    struct passing *p = &s->many.passing;
    int64_t room = 0;
    *p = (struct passing){.path = s->many.folder.path,
                          .names = &s->many.names,
                          .consumers = 1,
                          .readers = (int)s->set->readers,
                          .slot_bytes = s->set->slot_bytes,
                          .chains = !strcmp(s->set->open, "uring"),
                          .by_path = !strcmp(s->set->open, "each"),
                          .looks = s->set->stat,
                          .cyclic = !strcmp(s->set->deal, "cyclic"),
                          .skip = !strcmp(s->set->vanished, "skip"),
                          .round_robin = strcmp(s->set->pick, "first") != 0};
    s->many.order = names_order_of(s->set->order);
    s->many.deep = s->set->deep;
    s->many.list = s->set->list;
    documents_prepare(&s->many.documents, s->set->files, s->set->size, 0, 0);
    if (streaming_is_made(s)) {
        room = data_folder_room(&s->many.documents);
        n->read_bytes = documents_bytes(&s->many.documents);
    }
    int64_t of_slots =
        (s->work == STREAMING_FILES ? s->set->slots : 1) * s->set->slot_bytes;
    s->copy_at = room > of_slots ? room : of_slots;
    return streaming_is_made(s) ? 0 : plan_given(r, &s->many, s->set->input);
}

static int64_t count_passes(const struct run *r, const struct streaming *s)
{
    int64_t again =
        r->verify && (s->how.how != CONSUME_CHECKSUM || s->work == STREAMING_WRITE);
    int64_t timed = s->work == STREAMING_WRITE ? 0 : 1 + s->set->overlap;
    return (timed + again) * (1 + s->set->direct_compare);
}

static int stream_plan(struct run *r, struct run_need *n)
{
    struct streaming *s = &streaming;
    s->work = !strcmp(s->set->mode, "file")  ? STREAMING_FILE
              : !strcmp(s->set->write, "no") ? STREAMING_FILES
                                             : STREAMING_WRITE;
    int rc = stream_check_options(r, s);
    rc = rc ? rc : plan_sink(s);
    rc = rc ? rc : stream_check_direct(r, s);
    rc = rc ? rc : run_threads(r, (int)s->set->readers + (s->work == STREAMING_FILES));
    rc = rc ? rc : s->work == STREAMING_FILE ? plan_file(r, s, n) : plan_files(r, s, n);
    if (rc)
        return rc;
    n->buffer_bytes = units_round_up(
        s->copy_at + (s->how.how == CONSUME_COPY ? s->set->slot_bytes : 0), BUF_ALIGN);
    r->latencies = r->io_shares = true;
    n->order = "by number";
    n->depth = s->work == STREAMING_FILE && r->queues ? (int)s->set->slots : 1;
    n->memory_bytes = r->lanes * n->buffer_bytes;
    n->disk_bytes = streaming_is_made(s) ? n->read_bytes : 0;
    n->files = !streaming_is_made(s)       ? 0
               : s->work == STREAMING_FILE ? 1
                                           : s->set->files;
    n->write_bytes = n->disk_bytes * (1 + (streaming_writes(s) != IO_MAKE &&
                                           s->work == STREAMING_WRITE));
    n->read_bytes *= count_passes(r, s);
    return 0;
}

int outcore_stream(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = begin_repetition, .context = &streaming},
        {.body = streaming_repetition, .context = &streaming},
        {.body = NULL}};
    static const struct workload stream = {
        .name = "outcore stream",
        .line = "[INPUT]",
        .about = "Feeds a consumer from a large file, or from many small ones.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_SHARED | RUN_TAKES_DIRECT | RUN_TAKES_LANES |
                 RUN_TAKES_ASYNC | RUN_TAKES_VERIFY | RUN_TAKES_COMPARE,
        .plan = stream_plan,
        .open = streaming_open_all,
        .stages = stages,
        .put_away = stream_put_away,
        .results = stream_results,
        .close = streaming_close_all,
    };
    argv[0] = (char *)stream.name;
    return run_main(&stream, argc, argv);
}
