/* bins: prints the data of pictures as JSON. Time is in equal slices; a transfer that
 * lasts over several is shared out in proportion. It takes two passes: the first finds
 * how long the run is, the second how much moved when. */
#include "base/format/json.h"
#include "base/mem.h"
#include "iotrace/commands.h"
#include "iotrace/read/access.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"
#include "iotrace/skeleton/skeleton.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LANES_MAX 4096 /* processes with a row of their own */
#define FILES 6        /* files with a map of their own */
#define ALIKE 3        /* of them, files whose names differ in digits only */
#define ROWS 64        /* rows of such a map */
#define BANDS 64       /* bands of ranks in such a map */
#define FOLDERS 4096   /* folders with a row of their own */
#define BITS 64        /* powers of two of sizes and durations */

/* Groups to which a process's time in calls is shared out. */
enum group { GROUP_READ, GROUP_WRITE, GROUP_METADATA, GROUP_WAIT, GROUPS };
static const char *const group_name[] = {"read_s", "write_s", "metadata_s", "wait_s"};

struct lane { /* a process */
    int log;  /* the number of its log */
    int32_t rank, pid;
    int64_t begin_ns, end_ns, covered_ns;
    double *io_s, *read, *written, *group[GROUPS]; /* one value for each slice */
};

struct file { /* a row of names */
    int64_t bytes, end;
    int map;         /* number of its map + 1; 0: none */
    uint32_t folder; /* number of its folder + 1; 0: not looked up yet */
    bool stored;     /* not a pipe, a file of the system or the like */
};

struct folder {
    int64_t calls[CLASSES], errors, ns;
};

struct map {
    uint32_t file;
    double *read, *written;       /* [row][slice] */
    double *read_by, *written_by; /* [row][band of ranks] */
};

struct spread { /* transfers by log2 of bytes and of nanoseconds */
    int64_t calls[BITS][BITS];
    double s[BITS][BITS];
};

struct bins {
    int64_t slices;
    int64_t begin_ns, end_ns;
    struct lane *lane;
    int lanes, room;
    int log; /* number of the log being read, from 0 */
    struct names names;
    struct file *file;
    uint32_t file_room;
    struct map map[FILES];
    int maps;
    int32_t ranks; /* the highest rank + 1 */
    struct names folders;
    struct folder *folder; /* [0]: all folders beyond FOLDERS */
    struct spread *spread; /* reads, and writes */
    bool fill;             /* this is the second pass */
};

struct reading {
    struct bins *b;
    struct log *log;
    int first, lanes; /* lanes of this log */
    uint32_t *global; /* number of a file, by its number in the log */
    uint32_t names;
    struct told told;
};

/* ---- processes and files -------------------------------------------------- */

static struct lane *add_lane(struct reading *r, int32_t pid)
{
    struct bins *b = r->b;
    const struct log_info *i = log_info(r->log);
    if (b->lanes == LANES_MAX) /* all further processes share one lane */
        return &b->lane[LANES_MAX - 1];
    if (b->lanes == b->room) {
        int room = b->room ? 2 * b->room : 16;
        struct lane *more =
            mem_grow(b->lane, room, sizeof *more, "the pictures' figures");
        if (!more)
            return NULL;
        b->lane = more;
        b->room = room;
    }
    struct lane *lane = &b->lane[b->lanes++];
    *lane = (struct lane){.log = b->log, .rank = i->rank, .pid = pid};
    if (i->rank >= b->ranks && i->rank < INT32_MAX)
        b->ranks = i->rank + 1;
    if (!i->table) {
        lane->begin_ns = i->begin_ns;
        lane->end_ns = i->end_ns;
    }
    r->lanes++;
    return lane;
}

static struct lane *bins_lane_of(struct reading *r, int32_t pid)
{
    for (int i = r->first + r->lanes - 1; i >= r->first; i--)
        if (r->b->lane[i].pid == pid)
            return &r->b->lane[i];
    return r->b->fill ? &r->b->lane[r->b->lanes - 1] : add_lane(r, pid);
}

static struct file *bins_file_of(struct reading *r, uint32_t id)
{
    struct bins *b = r->b;
    uint32_t *global =
        list_reach(r->global, &r->names, id, sizeof *global, "the pictures' figures");
    if (!global)
        return NULL;
    r->global = global;
    bool first = !r->global[id];
    if (first)
        r->global[id] = names_add(&b->names, log_name(r->log, id));
    uint32_t n = r->global[id];
    struct file *file =
        list_reach(b->file, &b->file_room, n, sizeof *file, "the pictures' figures");
    if (!file)
        return NULL;
    b->file = file;
    if (first)
        b->file[n].stored = skeleton_kind(log_name(r->log, id)) == SKELETON_FILE;
    return &b->file[n];
}

/* Finds the row of the folder that a file is in. */
static struct folder *folder_of(struct bins *b, struct file *f, const char *name)
{
    if (!f->folder) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s", name);
        char *slash = strrchr(folder, '/');
        if (slash)
            slash[slash == folder] = 0;
        uint32_t n = b->folders.n < FOLDERS
                         ? names_add(&b->folders, slash ? folder : ".")
                         : names_find(&b->folders, folder);
        f->folder = n + 1;
    }
    return &b->folder[f->folder - 1];
}

/* ---- first pass: duration and sizes --------------------------------------- */

static int bins_measure(struct reading *r, const struct event *e, bool placed)
{
    struct lane *lane = bins_lane_of(r, e->pid);
    int64_t end_ns = e->start_ns + e->duration_ns;
    if (!lane)
        return -ENOMEM;
    if (!lane->begin_ns || e->start_ns < lane->begin_ns)
        lane->begin_ns = e->start_ns;
    if (end_ns > lane->end_ns)
        lane->end_ns = end_ns;
    if (!placed || e->bytes <= 0)
        return 0;
    struct file *f = bins_file_of(r, e->name);
    if (!f)
        return -ENOMEM;
    log_sum(&f->bytes, e->bytes);
    if (e->offset < INT64_MAX / 2 && e->offset + e->bytes > f->end)
        f->end = e->offset + e->bytes;
    return 0;
}

/* ---- second pass: amounts ------------------------------------------------- */

static double slice_ns(const struct bins *b)
{
    double all = (double)(b->end_ns - b->begin_ns);
    return all > 0 ? all / (double)b->slices : 1;
}

/* Shares `value` out over the slices of [from, to). */
static void share_out(const struct bins *b, double *slice, int64_t from, int64_t to,
                      double value)
{
    double width = slice_ns(b), length = (double)(to - from);
    double at = (double)(from - b->begin_ns) / width;
    double end = (double)(to - b->begin_ns) / width;
    int64_t i = (int64_t)at;
    i = i < 0 ? 0 : i >= b->slices ? b->slices - 1 : i;
    if (length <= 0 || end <= (double)(i + 1)) {
        slice[i] += value;
        return;
    }
    double per = value / (end - at), given = 0;
    for (; i < b->slices - 1 && (double)(i + 1) < end; i++) {
        double part = per * ((double)(i + 1) - (at > (double)i ? at : (double)i));
        slice[i] += part;
        given += part;
    }
    slice[i] += value - given; /* nothing is lost in rounding */
}

static void fill_map(const struct bins *b, const struct file *f, const struct event *e,
                     int32_t rank)
{
    const struct map *m = &b->map[f->map - 1];
    double *grid = e->file_class == CLASS_READ ? m->read : m->written;
    double *by = e->file_class == CLASS_READ ? m->read_by : m->written_by;
    double height = (double)f->end / ROWS;
    int64_t first = (int64_t)((double)e->offset / height);
    int64_t last = (int64_t)((double)(e->offset + e->bytes - 1) / height);
    first = first >= ROWS ? ROWS - 1 : first;
    last = last >= ROWS ? ROWS - 1 : last;
    int64_t end_ns = e->start_ns + e->duration_ns;
    int64_t band = rank < 0 ? 0 : (int64_t)rank * BANDS / b->ranks;
    double part = (double)e->bytes / (double)(last - first + 1);
    for (int64_t row = first; row <= last; row++) {
        share_out(b, grid + row * b->slices, e->begun_ns, end_ns, part);
        by[row * BANDS + band] += part;
    }
}

static enum group group_of(enum trace_class class)
{
    switch (class) {
    case CLASS_READ:
        return GROUP_READ;
    case CLASS_WRITE:
    case CLASS_COPY:
        return GROUP_WRITE;
    case CLASS_OPEN:
    case CLASS_CLOSE:
    case CLASS_SEEK:
    case CLASS_META:
    case CLASS_MAP:
        return GROUP_METADATA;
    default:
        return GROUP_WAIT;
    }
}

static int log2_of(int64_t value)
{
    return value > 0 ? 63 - __builtin_clzll((uint64_t)value) : 0;
}

/* Counts a call of the program by its size and duration, or by its folder. */
static int fill_call(struct reading *r, const struct event *e)
{
    enum trace_class class = (enum trace_class)e->class;
    struct file *f = bins_file_of(r, e->name);
    if (!f)
        return -ENOMEM;
    if (!f->stored)
        return 0;
    if (class == CLASS_READ || class == CLASS_WRITE) {
        struct spread *s = &r->b->spread[class == CLASS_WRITE];
        int64_t took_ns = e->start_ns + e->duration_ns - e->begun_ns;
        int size = log2_of(e->bytes), time = log2_of(took_ns);
        s->calls[size][time] += e->bytes > 0;
        s->s[size][time] += e->bytes > 0 ? (double)took_ns * 1e-9 : 0;
        return 0;
    }
    struct folder *d = folder_of(r->b, f, log_name(r->log, e->name));
    d->calls[class]++;
    d->errors += e->bytes < 0;
    log_sum(&d->ns, e->duration_ns);
    return 0;
}

static int bins_fill(struct reading *r, const struct event *e, bool placed)
{
    const struct bins *b = r->b;
    struct lane *lane = bins_lane_of(r, e->pid);
    int64_t end_ns = e->start_ns + e->duration_ns;
    enum trace_class class = (enum trace_class)e->class;
    if (placed && e->bytes > 0 && e->offset < INT64_MAX / 2) {
        const struct file *f = bins_file_of(r, e->name);
        if (f && f->map)
            fill_map(b, f, e, lane->rank);
    }
    if (e->level > 0 || !op_is_io(class) || e->other_end)
        return 0;
    bool counts = e->calls && (b->ranks == 0 || lane->rank >= 0);
    int rc = counts ? fill_call(r, e) : 0;
    int64_t from = e->start_ns > lane->covered_ns ? e->start_ns : lane->covered_ns;
    if (end_ns > from) {
        share_out(b, lane->io_s, from, end_ns, (double)(end_ns - from) * 1e-9);
        share_out(b, lane->group[group_of((enum trace_class)e->time_class)], from,
                  end_ns, (double)(end_ns - from) * 1e-9);
    }
    if (end_ns > lane->covered_ns)
        lane->covered_ns = end_ns;
    if (op_moves(class) && e->bytes > 0)
        share_out(b, class == CLASS_READ ? lane->read : lane->written, e->begun_ns,
                  end_ns, (double)e->bytes);
    return rc;
}

/* ---- passes --------------------------------------------------------------- */

static int bins_read_log(void *arg, struct log *l)
{
    struct bins *b = arg;
    struct reading r = {.b = b, .log = l, .first = b->fill ? 0 : b->lanes};
    struct event e;
    int rc = 0, more;
    if (!b->fill && !log_info(l)->table && !add_lane(&r, log_info(l)->pid))
        rc = -ENOMEM;
    if (b->fill) {
        while (r.first < b->lanes - 1 && b->lane[r.first].log < b->log)
            r.first++;
        while (r.first + r.lanes < b->lanes && b->lane[r.first + r.lanes].log == b->log)
            r.lanes++;
        if (b->lanes > 0)
            b->lane[b->lanes - 1].covered_ns = 0; /* other logs may share this lane */
    }
    while (!rc && (more = log_next(l, &e)) != 0) {
        bool placed = more == 1 && told_by(&r.told, &e);
        rc = more < 0  ? more
             : b->fill ? bins_fill(&r, &e, placed)
                       : bins_measure(&r, &e, placed);
    }
    b->log++;
    if (b->fill)
        run_say_notes(l);
    free(r.global);
    return rc;
}

static void widen_bins(struct bins *b)
{
    for (int i = 0; i < b->lanes; i++) {
        const struct lane *l = &b->lane[i];
        if (l->begin_ns && (!b->begin_ns || l->begin_ns < b->begin_ns))
            b->begin_ns = l->begin_ns;
        if (l->end_ns > b->end_ns)
            b->end_ns = l->end_ns;
    }
}

static int make_lanes(struct bins *b)
{
    size_t n = (size_t)b->slices;
    for (int i = 0; i < b->lanes; i++) {
        struct lane *l = &b->lane[i];
        l->io_s = mem_new((3 + GROUPS) * n, sizeof *l->io_s, "the pictures' figures");
        if (!l->io_s)
            return -ENOMEM;
        l->read = l->io_s + n;
        l->written = l->read + n;
        for (size_t k = 0; k < GROUPS; k++)
            l->group[k] = l->written + (k + 1) * n;
    }
    b->folder = mem_new(FOLDERS + 1, sizeof *b->folder, "the pictures' figures");
    b->spread = mem_new(2, sizeof *b->spread, "the pictures' figures");
    if (!b->folder || !b->spread)
        return -ENOMEM;
    return 0;
}

/* True if they differ in digits only. */
static bool same_but_digits(const char *a, const char *b)
{
    while (*a || *b) {
        bool digits = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!digits && *a != *b)
            return false;
        do
            a++;
        while (digits && isdigit((unsigned char)*a));
        do
            b++;
        while (digits && isdigit((unsigned char)*b));
    }
    return true;
}

/* True if there are enough maps of similar files: of those, such as one for each rank,
 * a few stand for all. */
static bool has_alike(const struct bins *b, uint32_t file)
{
    const char *name = names_get(&b->names, file);
    int n = 0;
    for (int i = 0; i < b->maps; i++)
        n += same_but_digits(name, names_get(&b->names, b->map[i].file));
    return n >= ALIKE;
}

/* Gives a map to each of the files in which most bytes move. */
static int make_maps(struct bins *b)
{
    for (b->maps = 0; b->maps < FILES; b->maps++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i <= b->names.n && i < b->file_room; i++)
            if (!b->file[i].map && b->file[i].end > 0 && b->file[i].stored &&
                (!best || b->file[i].bytes > b->file[best].bytes) && !has_alike(b, i))
                best = i;
        if (!best)
            break;
        struct map *m = &b->map[b->maps];
        m->file = best;
        m->read = mem_new(2 * ROWS * (b->slices + BANDS), sizeof *m->read,
                          "the pictures' figures");
        if (!m->read)
            return -ENOMEM;
        m->written = m->read + ROWS * b->slices;
        m->read_by = m->written + ROWS * b->slices;
        m->written_by = m->read_by + ROWS * BANDS;
        b->file[best].map = b->maps + 1;
    }
    return 0;
}

/* ---- JSON ----------------------------------------------------------------- */

static void put_slices(struct json *j, const char *key, const double *v, int64_t n)
{
    json_array_flat(j, key);
    for (int64_t i = 0; i < n; i++)
        json_real(j, NULL, v[i]);
    json_end_array(j);
}

/* Puts seconds, rounded to microseconds: pictures need no more. */
static void put_rounded(struct json *j, const char *key, const double *s, int64_t n)
{
    json_array_flat(j, key);
    for (int64_t i = 0; i < n; i++)
        json_real(j, NULL, (double)(int64_t)(s[i] * 1e6 + 0.5) / 1e6);
    json_end_array(j);
}

static double since(const struct bins *b, int64_t ns)
{
    return (double)(ns - b->begin_ns) * 1e-9;
}

static void put_lane(struct json *j, const struct bins *b, const struct lane *l)
{
    json_object(j, NULL);
    json_int(j, "rank", l->rank);
    json_int(j, "pid", l->pid);
    json_real(j, "begin_s", since(b, l->begin_ns));
    json_real(j, "end_s", since(b, l->end_ns));
    put_slices(j, "io_s", l->io_s, b->slices);
    put_slices(j, "read_bytes", l->read, b->slices);
    put_slices(j, "written_bytes", l->written, b->slices);
    for (int k = 0; k < GROUPS; k++)
        put_rounded(j, group_name[k], l->group[k], b->slices);
    json_end_object(j);
}

static void put_grid(struct json *j, const char *key, const double *v, int64_t slices)
{
    json_array(j, key);
    for (int row = 0; row < ROWS; row++)
        put_slices(j, NULL, v + row * slices, slices);
    json_end_array(j);
}

static void put_map(struct json *j, const struct bins *b, const struct map *m)
{
    json_object(j, NULL);
    json_text(j, "name", names_get(&b->names, m->file));
    json_int(j, "bytes", b->file[m->file].bytes);
    json_int(j, "end", b->file[m->file].end);
    put_grid(j, "read_bytes", m->read, b->slices);
    put_grid(j, "written_bytes", m->written, b->slices);
    put_grid(j, "read_bytes_by_rank", m->read_by, BANDS);
    put_grid(j, "written_bytes_by_rank", m->written_by, BANDS);
    json_end_object(j);
}

/* Puts lists of [bytes, seconds, calls, total seconds], the first two as powers of
 * two. */
static void bins_put_spread(struct json *j, const char *key, const struct spread *s)
{
    json_array(j, key);
    for (int i = 0; i < BITS; i++)
        for (int k = 0; k < BITS; k++) {
            if (!s->calls[i][k])
                continue;
            json_array_flat(j, NULL);
            json_int(j, NULL, i);
            json_int(j, NULL, k);
            json_int(j, NULL, s->calls[i][k]);
            json_real(j, NULL, s->s[i][k]);
            json_end_array(j);
        }
    json_end_array(j);
}

static void put_folder(struct json *j, const struct bins *b, uint32_t n)
{
    const struct folder *d = &b->folder[n];
    int64_t calls = 0;
    for (int k = 0; k < CLASSES; k++)
        calls += d->calls[k];
    if (!calls)
        return;
    json_object_flat(j, NULL);
    json_text(j, "name", n ? names_get(&b->folders, n) : "(further directories)");
    json_int(j, "calls", calls);
    json_int(j, "errors", d->errors);
    json_real(j, "seconds", (double)d->ns * 1e-9);
    for (int k = 0; k < CLASSES; k++)
        if (d->calls[k])
            json_int(j, op_class_name((enum trace_class)k), d->calls[k]);
    json_end_object(j);
}

static void bins_put_calls(struct json *j, const struct bins *b)
{
    json_object(j, "sizes");
    bins_put_spread(j, "read", &b->spread[0]);
    bins_put_spread(j, "write", &b->spread[1]);
    json_end_object(j);
    json_array(j, "folders");
    for (uint32_t n = 0; n <= b->folders.n; n++)
        put_folder(j, b, n);
    json_end_array(j);
}

static int bins_put_json(const struct bins *b, const char *run, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-bins");
    json_int(&j, "schema_version", 1);
    json_text(&j, "run", run);
    json_real(&j, "begin_s", (double)b->begin_ns * 1e-9);
    json_real(&j, "seconds", since(b, b->end_ns));
    json_int(&j, "slices", b->slices);
    json_array(&j, "processes");
    for (int i = 0; i < b->lanes; i++)
        put_lane(&j, b, &b->lane[i]);
    json_end_array(&j);
    json_array(&j, "files");
    for (int i = 0; i < b->maps; i++)
        put_map(&j, b, &b->map[i]);
    json_end_array(&j);
    bins_put_calls(&j, b);
    json_end_object(&j);
    json_finish(&j); /* the end of the program reports what could not be written */
    return 0;
}

static void free_bins(struct bins *b)
{
    for (int i = 0; i < b->lanes; i++)
        free(b->lane[i].io_s);
    for (int i = 0; i < FILES; i++)
        free(b->map[i].read);
    free(b->lane);
    free(b->file);
    free(b->folder);
    free(b->spread);
    names_free(&b->names);
    names_free(&b->folders);
}

int command_bins(int argc, char **argv)
{
    const char *path = NULL;
    struct bins b = {0};
    struct opt table[] = {{OPT_TEXT, "RUN", .value = &path, .required = true,
                           .help = "a run's directory, or a log"},
                          {OPT_INT, "slices", .value = &b.slices, .preset = "200",
                           .arg = "N", .min = 1, .max = 10000,
                           .help = "parts that the time is divided into"}};
    const struct opt_program p = {
        "iotrace bins", "RUN",
        "What iotrace plot and iotrace report draw, as JSON on standard output: I/O "
        "time and bytes of each process and bytes by place in the largest files, by "
        "slice of time; transfers by size and duration; other calls by directory.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    struct run r;
    int rc = run_find(&r, path);
    rc = rc ? rc : run_each(&r, bins_read_log, &b);
    widen_bins(&b);
    rc = rc ? rc : make_lanes(&b);
    rc = rc ? rc : make_maps(&b);
    b.fill = true;
    b.log = 0;
    r.unreadable = 0; /* the second pass counts them again */
    rc = rc ? rc : run_each(&r, bins_read_log, &b);
    rc = rc ? rc : bins_put_json(&b, path, stdout);
    status = run_verdict(&r, rc);
    free_bins(&b);
    run_free(&r);
    return status;
}
