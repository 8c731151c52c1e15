/* ldad: finds the access patterns in a trace, as descriptors, and how those of all
 * ranks relate to each other. It finds them on the fly (algebra/descriptor.h), in
 * memory that does not depend on the number of transfers. */
#include "algebra/descriptor.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/units.h"
#include "iotrace/commands.h"
#include "iotrace/read/access.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 131072 /* a file, a process and a direction each; 1 KiB of memory */
#define DESCRIPTORS 16 /* kept for each stream */
#define ENOUGH 3       /* chunks that are a pattern and no coincidence */
#define ALONE 4        /* different chunks that count if there are no more */
#define OFFSET_MAX ((int64_t)1 << 60)
#define EXPLAINED 0.5 /* a descriptor with a smaller share is no pattern */

struct descriptor {
    struct ldad is;
    int64_t repeats;
};

struct pattern {   /* the pattern of one stream */
    uint32_t file; /* number of the file's name */
    int process;
    bool write;
    int64_t calls, bytes, small, large; /* counts, and sizes of transfers */
    struct ldad_finder finder;
    struct descriptor *found;
    int founds;
    bool unlisted; /* there was no room for further descriptors */
};

struct process {
    int32_t rank, pid;
};

struct patterns {
    struct names files;
    struct pattern *stream;
    int streams, room;
    int64_t unfollowed; /* transfers without room for their stream */
    int64_t unplaced;   /* transfers at unknown offsets */
    struct process *process;
    int processes;
};

/* ---- finding -------------------------------------------------------------- */

static int64_t descriptor_bytes(const struct descriptor *d)
{
    return ldad_bytes(&d->is) * d->repeats;
}

static int ldad_keep(void *arg, const struct ldad *d, int64_t repeats)
{
    struct pattern *p = arg;
    for (int i = 0; i < p->founds; i++)
        if (ldad_same(&p->found[i].is, d)) {
            p->found[i].repeats += repeats;
            return 0;
        }
    if (p->founds == DESCRIPTORS) {
        p->unlisted = true;
        return 0;
    }
    struct descriptor *more =
        mem_grow(p->found, (size_t)p->founds + 1, sizeof *more, "the patterns");
    if (!more)
        return -ENOMEM;
    p->found = more;
    p->found[p->founds++] = (struct descriptor){*d, repeats};
    return 0;
}

static int add_transfer(struct pattern *p, int64_t at, int64_t bytes)
{
    int64_t end;
    if (bytes == 0 || __builtin_add_overflow(at, bytes, &end))
        return 0;
    if (p->calls++ == 0 || bytes < p->small)
        p->small = bytes;
    if (bytes > p->large)
        p->large = bytes;
    log_sum(&p->bytes, bytes);
    p->finder.found = ldad_keep;
    p->finder.arg = p; /* the pattern may have moved since */
    return ldad_finder_add(&p->finder, at, bytes);
}

static int end_pattern(struct pattern *p)
{
    p->finder.arg = p;
    return ldad_finder_end(&p->finder);
}

/* ---- reading -------------------------------------------------------------- */

struct reading {
    struct patterns *all;
    struct log *log;
    int process;
    int first; /* the first stream of this log */
    /* number of the stream + 1, by the log's name and direction */
    int32_t (*stream)[2];
    uint32_t names;
    struct told told;
};

static struct pattern *add_stream(struct reading *r, uint32_t file, bool write)
{
    struct patterns *all = r->all;
    for (int i = r->first; i < all->streams && all->streams - r->first < 256; i++)
        if (all->stream[i].file == file && all->stream[i].write == write)
            return &all->stream[i]; /* one file under two descriptors */
    if (all->streams == STREAMS)
        return NULL;
    if (all->streams == all->room) {
        int room = all->room ? 2 * all->room : 16;
        struct pattern *more = realloc(all->stream, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        all->stream = more;
        all->room = room;
    }
    struct pattern *p = &all->stream[all->streams++];
    *p = (struct pattern){.file = file, .process = r->process, .write = write};
    return p;
}

static struct pattern *stream_of(struct reading *r, const struct event *e)
{
    bool write = e->class == CLASS_WRITE;
    int32_t(*stream)[2] =
        list_reach(r->stream, &r->names, e->name, sizeof *stream, NULL);
    if (!stream)
        return NULL;
    r->stream = stream;
    int32_t *number = &r->stream[e->name][write];
    if (!*number) {
        uint32_t file = names_add(&r->all->files, log_name(r->log, e->name));
        struct pattern *p = file ? add_stream(r, file, write) : NULL;
        if (!p)
            return NULL;
        *number = (int32_t)(p - r->all->stream) + 1;
    }
    return &r->all->stream[*number - 1];
}

static int count_pattern(struct reading *r, const struct event *e)
{
    bool moves = e->class == CLASS_READ || e->class == CLASS_WRITE;
    bool counts = told_by(&r->told, e) && e->offset < OFFSET_MAX;
    if (!moves || e->bytes < 0 || !e->calls)
        return 0;
    if (!counts) {
        r->all->unplaced += e->level == 0;
        return 0;
    }
    struct pattern *p = stream_of(r, e);
    if (!p) {
        r->all->unfollowed++;
        return 0;
    }
    return add_transfer(p, e->offset, e->bytes);
}

static int patterns_add_process(struct patterns *all, const struct log_info *i)
{
    struct process *more = mem_grow(all->process, (size_t)all->processes + 1,
                                    sizeof *more, "the patterns");
    if (!more)
        return -ENOMEM;
    all->process = more;
    all->process[all->processes++] = (struct process){i->rank, i->pid};
    return 0;
}

static int ldad_read_log(void *arg, struct log *l)
{
    struct patterns *all = arg;
    struct reading r = {
        .all = all, .log = l, .process = all->processes, .first = all->streams};
    struct event e;
    int rc = patterns_add_process(all, log_info(l)), more = 0;
    while (!rc && (more = log_next(l, &e)) == 1)
        rc = count_pattern(&r, &e);
    for (int i = r.first; i < all->streams && !rc; i++)
        rc = end_pattern(&all->stream[i]);
    free(r.stream);
    run_say_notes(l);
    return more < 0 ? more : rc;
}

/* ---- judging -------------------------------------------------------------- */

static bool is_pattern(const struct pattern *p, const struct descriptor *d)
{
    bool enough = d->repeats > 1 || (p->founds <= ALONE && !p->unlisted);
    for (int i = 0; i < d->is.levels; i++)
        enough = enough || ldad_count(&d->is.level[i]) >= ENOUGH;
    return enough;
}

static int64_t explained(const struct pattern *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->founds; i++)
        if (is_pattern(p, &p->found[i]))
            log_sum(&bytes, descriptor_bytes(&p->found[i]));
    return bytes;
}

/* Returns the descriptor that moves most bytes. */
static const struct descriptor *main_of(const struct pattern *p)
{
    const struct descriptor *best = &p->found[0];
    for (int i = 1; i < p->founds; i++)
        if (descriptor_bytes(&p->found[i]) > descriptor_bytes(best))
            best = &p->found[i];
    return best;
}

struct group { /* streams of one file in one direction */
    const struct pattern **stream;
    int streams;
    int64_t bytes, explained, calls;
    bool system; /* outside the scope of summary and findings */
    const char *together;
    bool interleaved, complete; /* the chunks of all processes leave no gap */
};

/* Judges how the streams of a file lie together; `list` has room for a descriptor of
 * each. */
static void judge_together(struct group *g, struct ldad *list)
{
    int64_t low = INT64_MAX, high = 0;
    for (int i = 0; i < g->streams; i++) {
        list[i] = main_of(g->stream[i])->is;
        low = ldad_low(&list[i]) < low ? ldad_low(&list[i]) : low;
        high = ldad_high(&list[i]) > high ? ldad_high(&list[i]) : high;
    }
    enum ldad_relation r = ldad_list_relation(list, g->streams);
    g->together = r == LDAD_ALONE ? "one process" : ldad_relation_text(r);
    g->interleaved = r == LDAD_INTERLEAVED;
    g->complete =
        g->interleaved && ldad_list_tiles(list, g->streams, low, high) == LDAD_YES;
}

static void ldad_judge(struct group *g, struct ldad *list)
{
    for (int i = 0; i < g->streams; i++) {
        log_sum(&g->bytes, g->stream[i]->bytes);
        g->calls += g->stream[i]->calls;
        log_sum(&g->explained, explained(g->stream[i]));
    }
    g->together = "irregular";
    if ((double)g->explained >= EXPLAINED * (double)g->bytes)
        judge_together(g, list);
}

static int by_file(const void *a, const void *b)
{
    const struct pattern *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->write != y->write)
        return x->write ? 1 : -1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* ---- showing -------------------------------------------------------------- */

static void put_who(const struct process *p, char out[32])
{
    if (p->rank >= 0)
        snprintf(out, 32, "rank %d", p->rank);
    else
        snprintf(out, 32, "process %d", p->pid);
}

static void ldad_put_descriptor(const struct descriptor *d, FILE *out)
{
    char text[LDAD_TEXT];
    ldad_print(text, sizeof text, &d->is);
    fprintf(out, "    %s", text);
    if (d->repeats > 1)
        fprintf(out, ", repeated: %lld times in all", (long long)d->repeats);
    fputc('\n', out);
}

static void patterns_put_text(const struct patterns *all, const struct group *g,
                              int64_t top)
{
    char name[PLAIN_PATH], bytes[16], who[32], small[16], large[16];
    const struct pattern *p = g->stream[0];
    printf("%s\n  %s by %d process%s: %s%s; %s in %lld transfer%s, %.1f %% explained\n",
           plain(name, sizeof name, names_get(&all->files, p->file)),
           p->write ? "written" : "read", g->streams, g->streams == 1 ? "" : "es",
           g->together,
           !g->interleaved ? ""
           : g->complete   ? ", without gaps"
                           : ", with gaps",
           units_bytes(bytes, g->bytes), (long long)g->calls, units_s(g->calls),
           g->bytes ? 100 * (double)g->explained / (double)g->bytes : 0);
    for (int i = 0; i < g->streams && i < top; i++) {
        p = g->stream[i];
        put_who(&all->process[p->process], who);
        printf("  %s: %s in %lld transfer%s of %s to %s\n", who,
               units_bytes(bytes, p->bytes), (long long)p->calls, units_s(p->calls),
               units_bytes(small, p->small), units_bytes(large, p->large));
        for (int k = 0; k < p->founds; k++)
            if (is_pattern(p, &p->found[k]))
                ldad_put_descriptor(&p->found[k], stdout);
        if (explained(p) < p->bytes)
            printf("    %s follow no pattern\n",
                   units_bytes(bytes, p->bytes - explained(p)));
    }
    if (g->streams > top)
        printf("  ... and %lld more (--top, or --json for all)\n",
               (long long)(g->streams - top));
}

/* Puts a descriptor. The text has all levels; the numbers are those of the two
 * innermost. */
static void put_json_descriptor(struct json *j, const struct descriptor *d)
{
    char text[LDAD_TEXT];
    const struct ldad *l = &d->is;
    struct ldad_level inner = {l->size, l->size}, outer = {0, 0};
    if (l->levels > 0)
        inner = l->level[l->levels - 1];
    if (l->levels > 1)
        outer = l->level[l->levels - 2];
    ldad_print(text, sizeof text, l);
    json_object_flat(j, NULL);
    json_text(j, "text", text);
    json_int(j, "start", l->start);
    json_int(j, "span", inner.span);
    json_int(j, "stride", inner.stride);
    json_int(j, "size", l->size);
    json_int(j, "count", ldad_count(&inner));
    json_int(j, "outer_stride", outer.stride);
    json_int(j, "outer_count", outer.stride ? ldad_count(&outer) : 1);
    json_int(j, "repeats", d->repeats);
    json_end_object(j);
}

static void put_json_stream(struct json *j, const struct patterns *all,
                            const struct pattern *p)
{
    json_object(j, NULL);
    json_int(j, "rank", all->process[p->process].rank);
    json_int(j, "pid", all->process[p->process].pid);
    json_int(j, "calls", p->calls);
    json_int(j, "bytes", p->bytes);
    json_int(j, "explained_bytes", explained(p));
    json_array(j, "descriptors");
    for (int k = 0; k < p->founds; k++)
        if (is_pattern(p, &p->found[k]))
            put_json_descriptor(j, &p->found[k]);
    json_end_array(j);
    json_end_object(j);
}

static void ldad_put_json(struct json *j, const struct patterns *all,
                          const struct group *g)
{
    json_object(j, NULL);
    json_text(j, "name", names_get(&all->files, g->stream[0]->file));
    json_text(j, "direction", g->stream[0]->write ? "write" : "read");
    json_text(j, "pattern", g->together);
    json_bool(j, "without_gaps", g->complete);
    json_int(j, "bytes", g->bytes);
    json_int(j, "explained_bytes", g->explained);
    json_array(j, "processes");
    for (int i = 0; i < g->streams; i++)
        put_json_stream(j, all, g->stream[i]);
    json_end_array(j);
    json_end_object(j);
}

static int by_scope_and_bytes(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->system != y->system)
        return x->system ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/* Groups streams of one file and direction. Most bytes come first, files of the system
 * last. */
static int make_groups(const struct patterns *all, struct group *group,
                       const struct pattern **list, int n, struct ldad *room)
{
    int groups = 0;
    for (int i = 0; i < n; i++) {
        struct group *g = groups ? &group[groups - 1] : NULL;
        if (!g || list[i]->file != g->stream[0]->file ||
            list[i]->write != g->stream[0]->write)
            group[groups++] = (struct group){.stream = &list[i], .streams = 1};
        else
            g->streams++;
    }
    for (int i = 0; i < groups; i++) {
        ldad_judge(&group[i], room);
        const char *name = names_get(&all->files, group[i].stream[0]->file);
        group[i].system = file_fold(name) != FOLD_NONE;
    }
    qsort(group, (size_t)groups, sizeof *group, by_scope_and_bytes);
    return groups;
}

static void show_all(const struct patterns *all, const struct group *group, int groups,
                     struct json *j, int64_t top)
{
    for (int i = 0; i < groups && (j || i < top); i++)
        if (j)
            ldad_put_json(j, all, &group[i]);
        else
            patterns_put_text(all, &group[i], top);
    if (groups > top && !j)
        printf("... and %lld more (--top, or --json for all)\n",
               (long long)(groups - top));
    if (groups == 0 && !j)
        puts("there are no transfers whose place in a file is known");
}

static int show_groups(struct patterns *all, struct json *j, int64_t top)
{
    size_t most = (size_t)all->streams + 1;
    const struct pattern **list = mem_new(most, sizeof *list, "the patterns");
    struct group *group = mem_new(most, sizeof *group, "the patterns");
    struct ldad *room = mem_new(most, sizeof *room, "the patterns");
    int n = 0, rc = list && group && room ? 0 : -ENOMEM;
    for (int i = 0; i < all->streams && !rc; i++)
        if (all->stream[i].founds)
            list[n++] = &all->stream[i];
    if (!rc)
        show_all(all, group, make_groups(all, group, list, n, room), j, top);
    free(list);
    free(group);
    free(room);
    return rc;
}

static int ldad_show(struct patterns *all, const char *json, int64_t top)
{
    if (all->streams)
        qsort(all->stream, (size_t)all->streams, sizeof *all->stream, by_file);
    if (all->unplaced)
        err_tell("iotrace", "note", NULL,
                 "%lld transfers are left out: the log does not say where in their "
                 "files they are",
                 (long long)all->unplaced);
    if (all->unfollowed)
        err_tell("iotrace", "note", NULL,
                 "%lld transfers are left out: the first %d files of all processes are "
                 "followed",
                 (long long)all->unfollowed, STREAMS);
    if (!json)
        return show_groups(all, NULL, top);
    struct outfile out;
    int rc = outfile_open(&out, json, OUTFILE_STREAM);
    if (rc)
        return rc;
    struct json j;
    json_start(&j, out.file);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-ldad");
    json_int(&j, "schema_version", 1);
    json_int(&j, "unplaced_transfers", all->unplaced);
    json_int(&j, "unfollowed_transfers", all->unfollowed);
    json_array(&j, "files");
    rc = show_groups(all, &j, top);
    json_end_array(&j);
    json_end_object(&j);
    json_finish(&j);
    return outfile_close(&out, rc);
}

static void free_patterns(struct patterns *all)
{
    for (int i = 0; i < all->streams; i++)
        free(all->stream[i].found);
    free(all->stream);
    free(all->process);
    names_free(&all->files);
}

/* Refuses to write an empty skeleton, so that a file from an earlier run stays. */
static int refuse_empty(const struct skeleton *s)
{
    for (int i = 0; i < s->streams; i++)
        if (s->stream[i].sum.bytes)
            return 0;
    return err_set(-ENODATA, NULL, -1,
                   "--skeleton: the logs have no transfer, so there is nothing to "
                   "describe or to replay, and nothing is written; --include=GLOB "
                   "takes files of the system, too");
}

static int ldad_skeleton(struct run *r, const char *path,
                         const struct opt_list *include)
{
    struct skeleton *s = mem_new(1, sizeof *s, "the patterns");
    if (s)
        s->include = include;
    int rc = s ? skeleton_make(s, r) : -ENOMEM;
    rc = rc ? rc : refuse_empty(s);
    struct outfile out = {0};
    struct json j;
    rc = rc ? rc : outfile_open(&out, path, OUTFILE_STREAM);
    if (!rc) {
        json_start(&j, out.file);
        rc = skeleton_put(s, &j);
        json_finish(&j);
    }
    rc = outfile_close(&out, rc);
    if (s)
        skeleton_free(s);
    free(s);
    return rc ? err_set(-EIO, path, -1, "it cannot be written") : 0;
}

static int ldad_patterns(struct run *r, const char *json, int64_t top)
{
    struct patterns all = {0};
    int rc = run_each(r, ldad_read_log, &all);
    rc = rc ? rc : ldad_show(&all, json, top);
    free_patterns(&all);
    return rc;
}

int command_ldad(int argc, char **argv)
{
    const char *path = NULL, *json = NULL, *skeleton = NULL;
    struct opt_list include = {.n = 0};
    int64_t top;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &path, .required = true,
         .help = "a run's directory, or a log of the recorder"},
        {OPT_TEXT, "json", .value = &json, .arg = "FILE",
         .help = "as JSON, into this file (-: standard output), instead of the text"},
        {OPT_TEXT, "skeleton", .value = &skeleton, .arg = "FILE",
         .help = "the run's transfers by file role, phase and rank as JSON, without "
                 "any name, into this file (-: standard output)",
         .text = "Write the run's I/O as a few kilobytes of JSON without names of "
                 "files, programs, users or hosts, and without data. doc/skeleton.md "
                 "describes the format. *replay*(1) makes the same calls again, and "
                 "*leadline whatif* measures other ways of I/O."},
        {OPT_LIST, "include", .value = &include, .arg = "GLOB",
         .help = "with --skeleton only files whose name matches; may be repeated",
         .text = "With *--skeleton*: only files whose whole name matches, as in "
                 "\"/scratch/*\"; may be repeated. By default files of the system and "
                 "of interpreters (such as a Python's modules) are left out."},
        {OPT_INT, "top", .value = &top, .preset = "8", .arg = "N",
         .help = "files shown, and processes of each"}};
    const struct opt_program p = {
        "iotrace ldad", "RUN",
        "Finds regular patterns in the offsets of each file's transfers, and how those "
        "of all ranks lie to each other.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    struct run r;
    int rc = run_find(&r, path);
    if (!rc && skeleton)
        rc = ldad_skeleton(&r, skeleton, &include);
    /* the second pass finds them again */
    r.unreadable = json && !rc ? 0 : r.unreadable;
    if (!rc && (json || !skeleton))
        rc = ldad_patterns(&r, json, top);
    status = run_verdict(&r, rc);
    run_free(&r);
    return status;
}
