/* ldad: the access patterns in a trace, as descriptors.
 *
 * Transfers of one rank that go on where the last one ended are one chunk; chunks of
 * one size at a constant distance are a run, LDAD(start, span, stride, size); runs that
 * are alike and begin at a constant distance are a run of runs. All is found on the
 * fly, in memory that does not depend on the number of transfers. */
#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "iotrace/access.h"
#include "iotrace/commands.h"
#include "iotrace/names.h"
#include "iotrace/runs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 65536    /* of a file, a rank and a direction each */
#define DESCRIPTORS 16   /* kept of each stream */
#define ENOUGH 3         /* chunks that make a pattern, and not a coincidence */
#define ALONE 4          /* so many different chunks, if that is all there is */
#define PAIRS_RANKS 4096 /* compared with each other: the first so many */
#define OFFSET_MAX ((int64_t)1 << 60)
#define EXPLAINED 0.5 /* below this share, a pattern is none */

struct run_of { /* of chunks */
    int64_t start, stride, size, count;
};

struct descriptor {
    struct run_of inner;
    int64_t outer_stride, outer_count; /* of such runs; 1: it is one */
    int64_t repeats;
};

struct pattern {   /* of one stream */
    uint32_t file; /* number of its name */
    int process;
    bool write;
    int64_t calls, bytes, small, large; /* of transfers */
    int64_t chunk_at, chunk_end;        /* being put together; equal: none */
    bool chunk;
    struct run_of run;     /* of chunks, being found */
    struct descriptor row; /* of runs, being found; outer_count 0: none */
    struct descriptor *found;
    int founds;
    int64_t unlisted, lost; /* descriptors there was no room for, and their bytes */
};

struct process {
    int32_t rank, pid;
};

struct patterns {
    struct names files;
    struct pattern *stream;
    int streams, room;
    int64_t unfollowed; /* transfers there was no room for */
    int64_t unplaced;   /* transfers whose offset is not known */
    struct process *process;
    int processes;
};

static int no_memory(void)
{
    return err_set(-ENOMEM, NULL, -1, "no memory for the patterns");
}

/* ---- finding -------------------------------------------------------------- */

static int64_t descriptor_bytes(const struct descriptor *d)
{
    return d->inner.size * d->inner.count * d->outer_count * d->repeats;
}

static bool same_run(const struct run_of *a, const struct run_of *b)
{
    return a->stride == b->stride && a->size == b->size && a->count == b->count;
}

static int keep(struct pattern *p, const struct descriptor *d)
{
    for (int i = 0; i < p->founds; i++) {
        struct descriptor *f = &p->found[i];
        if (same_run(&f->inner, &d->inner) && f->inner.start == d->inner.start &&
            f->outer_stride == d->outer_stride && f->outer_count == d->outer_count) {
            f->repeats += d->repeats;
            return 0;
        }
    }
    if (p->founds == DESCRIPTORS) {
        p->unlisted++;
        p->lost += descriptor_bytes(d);
        return 0;
    }
    struct descriptor *more = realloc(p->found, ((size_t)p->founds + 1) * sizeof *more);
    if (!more)
        return no_memory();
    p->found = more;
    p->found[p->founds++] = *d;
    return 0;
}

static int end_row(struct pattern *p)
{
    int rc = p->row.outer_count ? keep(p, &p->row) : 0;
    p->row.outer_count = 0;
    return rc;
}

/* A run is complete: another of its row, or the first of the next one. */
static int add_run(struct pattern *p, const struct run_of *run)
{
    struct descriptor *d = &p->row;
    int64_t last = d->inner.start + (d->outer_count - 1) * d->outer_stride;
    if (d->outer_count && same_run(&d->inner, run)) {
        int64_t jump = run->start - last;
        if (jump == 0 && d->outer_count == 1) {
            d->repeats++;
            return 0;
        }
        if (d->repeats == 1 && (d->outer_count == 1 || jump == d->outer_stride)) {
            d->outer_stride = jump;
            d->outer_count++;
            return 0;
        }
    }
    int rc = end_row(p);
    *d = (struct descriptor){.inner = *run, .outer_count = 1, .repeats = 1};
    return rc;
}

static int end_run(struct pattern *p)
{
    struct run_of run = p->run;
    p->run.count = 0;
    if (run.count == 1)
        run.stride = 0;
    return run.count ? add_run(p, &run) : 0;
}

/* Of two chunks it is not known yet whether they are a run: the first one alone may be
 * the rest of something, and the second one the beginning. */
static int split_run(struct pattern *p)
{
    struct run_of first = p->run;
    if (first.count != 2)
        return end_run(p);
    first.count = 1;
    p->run.start += p->run.stride;
    p->run.count = 1;
    first.stride = 0;
    return add_run(p, &first);
}

static int add_chunk(struct pattern *p, int64_t at, int64_t size)
{
    struct run_of *r = &p->run;
    for (int tries = 0; tries < 3; tries++) {
        if (r->count == 0) {
            *r = (struct run_of){at, 0, size, 1};
            return 0;
        }
        bool alike = size == r->size;
        if (alike && r->count == 1 && at != r->start) {
            r->stride = at - r->start;
            r->count = 2;
            return 0;
        }
        if (alike && r->count > 1 && at == r->start + r->count * r->stride) {
            r->count++;
            return 0;
        }
        int rc = alike ? split_run(p) : end_run(p);
        if (rc)
            return rc;
    }
    return 0;
}

static int end_chunk(struct pattern *p)
{
    if (!p->chunk)
        return 0;
    p->chunk = false;
    return add_chunk(p, p->chunk_at, p->chunk_end - p->chunk_at);
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
    p->bytes += bytes;
    if (p->chunk && at == p->chunk_end) {
        p->chunk_end = end;
        return 0;
    }
    int rc = end_chunk(p);
    p->chunk_at = at;
    p->chunk_end = end;
    p->chunk = true;
    return rc;
}

static int end_pattern(struct pattern *p)
{
    int rc = end_chunk(p);
    rc = rc ? rc : end_run(p);
    return rc ? rc : end_row(p);
}

/* ---- reading -------------------------------------------------------------- */

struct reading {
    struct patterns *all;
    struct log *log;
    int process;
    int first;            /* stream of this log */
    int32_t (*stream)[2]; /* by the log's name and direction: number + 1 */
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
    if (e->name >= r->names) {
        uint32_t names = e->name + 1 > 2 * r->names ? e->name + 1 : 2 * r->names;
        int32_t(*more)[2] = realloc(r->stream, names * sizeof *more);
        if (!more)
            return NULL;
        memset(more + r->names, 0, (names - r->names) * sizeof *more);
        r->stream = more;
        r->names = names;
    }
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

static int visit(struct reading *r, const struct event *e)
{
    bool moves = e->class == CLASS_READ || e->class == CLASS_WRITE;
    bool counts = told_by(&r->told, e) && e->offset < OFFSET_MAX;
    if (!moves || e->bytes < 0)
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

static int add_process(struct patterns *all, const struct log_info *i)
{
    struct process *more =
        realloc(all->process, ((size_t)all->processes + 1) * sizeof *more);
    if (!more)
        return no_memory();
    all->process = more;
    all->process[all->processes++] = (struct process){i->rank, i->pid};
    return 0;
}

static int read_log(void *arg, struct log *l)
{
    struct patterns *all = arg;
    struct reading r = {
        .all = all, .log = l, .process = all->processes, .first = all->streams};
    struct event e;
    int rc = add_process(all, log_info(l)), more = 0;
    while (!rc && (more = log_next(l, &e)) == 1)
        rc = visit(&r, &e);
    for (int i = r.first; i < all->streams && !rc; i++)
        rc = end_pattern(&all->stream[i]);
    free(r.stream);
    run_say_notes(l);
    return more < 0 ? more : rc;
}

/* ---- judging -------------------------------------------------------------- */

static bool is_pattern(const struct pattern *p, const struct descriptor *d)
{
    return d->inner.count >= ENOUGH || d->outer_count >= ENOUGH || d->repeats > 1 ||
           (p->founds <= ALONE && !p->unlisted);
}

static int64_t explained(const struct pattern *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->founds; i++)
        if (is_pattern(p, &p->found[i]))
            bytes += descriptor_bytes(&p->found[i]);
    return bytes;
}

/* The descriptor that moves most. */
static const struct descriptor *main_of(const struct pattern *p)
{
    const struct descriptor *best = &p->found[0];
    for (int i = 1; i < p->founds; i++)
        if (descriptor_bytes(&p->found[i]) > descriptor_bytes(best))
            best = &p->found[i];
    return best;
}

static int64_t low_end(const struct descriptor *d)
{
    int64_t a = d->inner.start, b = a + (d->inner.count - 1) * d->inner.stride;
    int64_t low = a < b ? a : b, o = (d->outer_count - 1) * d->outer_stride;
    return o < 0 ? low + o : low;
}

static int64_t high_end(const struct descriptor *d)
{
    int64_t a = d->inner.start, b = a + (d->inner.count - 1) * d->inner.stride;
    int64_t high = (a > b ? a : b) + d->inner.size,
            o = (d->outer_count - 1) * d->outer_stride;
    return o > 0 ? high + o : high;
}

/* Whether chunks of `a` lie upon chunks of `b`: by their phases where both are runs of
 * one stride, else by their ends. */
static bool overlaps(const struct descriptor *a, const struct descriptor *b)
{
    if (high_end(a) <= low_end(b) || high_end(b) <= low_end(a))
        return false;
    int64_t stride = llabs(a->inner.stride);
    if (a->outer_count > 1 || b->outer_count > 1 || !stride ||
        stride != llabs(b->inner.stride))
        return true;
    int64_t phase = (low_end(b) - low_end(a)) % stride;
    phase = phase < 0 ? phase + stride : phase;
    return phase < a->inner.size || phase + b->inner.size > stride;
}

enum together { ALONE_THERE, SEGMENTED, INTERLEAVED, OVERLAPPED, IRREGULAR };
static const char *const together_name[] = {"one process", "segmented", "interleaved",
                                            "overlapped", "irregular"};

struct group { /* streams of one file in one direction */
    const struct pattern **stream;
    int streams;
    int64_t bytes, explained, calls;
    enum together together;
    bool complete; /* interleaved: the chunks of all leave no gap */
};

static enum together judge_pairs(const struct group *g)
{
    bool within = false;
    for (int i = 0; i < g->streams && i < PAIRS_RANKS; i++)
        for (int k = 0; k < i; k++) {
            const struct descriptor *a = main_of(g->stream[i]),
                                    *b = main_of(g->stream[k]);
            if (overlaps(a, b))
                return OVERLAPPED;
            within |= high_end(a) > low_end(b) && high_end(b) > low_end(a);
        }
    return within ? INTERLEAVED : SEGMENTED;
}

static void judge(struct group *g)
{
    const struct pattern *p = g->stream[0];
    for (int i = 0; i < g->streams; i++) {
        g->bytes += g->stream[i]->bytes;
        g->calls += g->stream[i]->calls;
        g->explained += explained(g->stream[i]);
    }
    if ((double)g->explained < EXPLAINED * (double)g->bytes)
        g->together = IRREGULAR;
    else if (g->streams == 1)
        g->together = ALONE_THERE;
    else
        g->together = judge_pairs(g);
    const struct run_of *r = &main_of(p)->inner;
    g->complete = g->together == INTERLEAVED && r->stride == g->streams * r->size;
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

static int64_t span(const struct run_of *r)
{
    return r->count > 1 ? r->count * r->stride : r->size;
}

static int64_t stride(const struct run_of *r)
{
    return r->count > 1 ? r->stride : r->size;
}

static void put_descriptor(const struct descriptor *d, FILE *out)
{
    fprintf(out, "    LDAD(start %lld, span %lld, stride %lld, size %lld)",
            (long long)d->inner.start, (long long)span(&d->inner),
            (long long)stride(&d->inner), (long long)d->inner.size);
    if (d->outer_count > 1)
        fprintf(out, ", %lld times at a stride of %lld", (long long)d->outer_count,
                (long long)d->outer_stride);
    if (d->repeats > 1)
        fprintf(out, ", repeated: %lld times in all", (long long)d->repeats);
    fputc('\n', out);
}

static void put_text(const struct patterns *all, const struct group *g, int64_t top)
{
    char bytes[16], who[32], small[16], large[16];
    const struct pattern *p = g->stream[0];
    printf("%s\n  %s by %d process%s: %s%s; %s in %lld transfers, %.1f %% explained\n",
           names_get(&all->files, p->file), p->write ? "written" : "read", g->streams,
           g->streams == 1 ? "" : "es", together_name[g->together],
           g->together != INTERLEAVED ? ""
           : g->complete              ? ", without gaps"
                                      : ", with gaps",
           units_bytes(bytes, g->bytes), (long long)g->calls,
           g->bytes ? 100 * (double)g->explained / (double)g->bytes : 0);
    for (int i = 0; i < g->streams && i < top; i++) {
        p = g->stream[i];
        put_who(&all->process[p->process], who);
        printf("  %s: %s in %lld transfers of %s to %s\n", who,
               units_bytes(bytes, p->bytes), (long long)p->calls,
               units_bytes(small, p->small), units_bytes(large, p->large));
        for (int k = 0; k < p->founds; k++)
            if (is_pattern(p, &p->found[k]))
                put_descriptor(&p->found[k], stdout);
        if (explained(p) < p->bytes)
            printf("    %s follow no pattern\n",
                   units_bytes(bytes, p->bytes - explained(p)));
    }
    if (g->streams > top)
        printf("  ... and %lld more (--top, or --json for all)\n",
               (long long)(g->streams - top));
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
    for (int k = 0; k < p->founds; k++) {
        const struct descriptor *d = &p->found[k];
        if (!is_pattern(p, d))
            continue;
        json_object_flat(j, NULL);
        json_int(j, "start", d->inner.start);
        json_int(j, "span", span(&d->inner));
        json_int(j, "stride", stride(&d->inner));
        json_int(j, "size", d->inner.size);
        json_int(j, "count", d->inner.count);
        json_int(j, "outer_stride", d->outer_stride);
        json_int(j, "outer_count", d->outer_count);
        json_int(j, "repeats", d->repeats);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void put_json(struct json *j, const struct patterns *all, const struct group *g)
{
    json_object(j, NULL);
    json_text(j, "name", names_get(&all->files, g->stream[0]->file));
    json_text(j, "direction", g->stream[0]->write ? "write" : "read");
    json_text(j, "pattern", together_name[g->together]);
    json_bool(j, "without_gaps", g->complete);
    json_int(j, "bytes", g->bytes);
    json_int(j, "explained_bytes", g->explained);
    json_array(j, "processes");
    for (int i = 0; i < g->streams; i++)
        put_json_stream(j, all, g->stream[i]);
    json_end_array(j);
    json_end_object(j);
}

static int by_bytes(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/* Streams of one file and direction stand together; most bytes come first. */
static int make_groups(struct group *group, const struct pattern **list, int n)
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
    for (int i = 0; i < groups; i++)
        judge(&group[i]);
    qsort(group, (size_t)groups, sizeof *group, by_bytes);
    return groups;
}

static int show_groups(struct patterns *all, struct json *j, int64_t top)
{
    const struct pattern **list = calloc((size_t)all->streams + 1, sizeof *list);
    if (!list)
        return no_memory();
    int n = 0;
    for (int i = 0; i < all->streams; i++)
        if (all->stream[i].founds)
            list[n++] = &all->stream[i];
    struct group *group = calloc((size_t)n + 1, sizeof *group);
    int groups = group ? make_groups(group, list, n) : 0;
    for (int i = 0; i < groups && (j || i < top); i++)
        if (j)
            put_json(j, all, &group[i]);
        else
            put_text(all, &group[i], top);
    if (groups > top && !j)
        printf("... and %lld more (--top, or --json for all)\n",
               (long long)(groups - top));
    free(group);
    if (n == 0 && !j)
        puts("there are no transfers whose place in a file is known");
    free(list);
    return 0;
}

static int show(struct patterns *all, const char *json, int64_t top)
{
    if (all->streams)
        qsort(all->stream, (size_t)all->streams, sizeof *all->stream, by_file);
    if (all->unplaced)
        fprintf(stderr,
                "iotrace: %lld transfers are left out: the log does not say where in "
                "their files they are\n",
                (long long)all->unplaced);
    if (all->unfollowed)
        fprintf(stderr,
                "iotrace: %lld transfers are left out: they are to more than %d "
                "files\n",
                (long long)all->unfollowed, STREAMS);
    if (!json)
        return show_groups(all, NULL, top);
    FILE *out = command_create(json, true);
    if (!out)
        return -EIO;
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-ldad");
    json_int(&j, "schema_version", 1);
    json_int(&j, "unplaced_transfers", all->unplaced);
    json_array(&j, "files");
    int rc = show_groups(all, &j, top);
    json_end_array(&j);
    json_end_object(&j);
    if (!rc && json_finish(&j))
        rc = err_set(-EIO, json, -1, "it cannot be written");
    int end = command_finish(out, json);
    return rc ? rc : end;
}

static void free_patterns(struct patterns *all)
{
    for (int i = 0; i < all->streams; i++)
        free(all->stream[i].found);
    free(all->stream);
    free(all->process);
    names_free(&all->files);
}

int command_ldad(int argc, char **argv)
{
    const char *path = NULL, *json = NULL;
    int64_t top;
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &path, .required = true,
         .help = "a run's folder, or a log of the recorder"},
        {OPT_TEXT, "json", .value = &json, .arg = "FILE",
         .help = "as JSON, into this file (-: standard output), instead of the text"},
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
    struct patterns all = {0};
    struct run r;
    int rc = run_find(&r, path);
    rc = rc ? rc : run_each(&r, read_log, &all);
    rc = rc ? rc : show(&all, json, top);
    status = run_verdict(&r, rc);
    free_patterns(&all);
    run_free(&r);
    return status;
}
