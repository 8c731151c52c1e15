#include "outcore/stream/many.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "run/lanes.h"
#include "run/stream/stream.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- large files ----------------------------------------------------------------- */

#define LARGE_SECTION (1 << 20)

/* ---- contents -------------------------------------------------------------------- */

/* Byte i is byte i % 8, the lowest first, of number i / 8 of the key's
 * random sequence. */
static void large_make(const void *context, int64_t first, int64_t n, void *to)
{
    const struct large *g = context;
    unsigned char *out = to;
    for (int64_t i = first, end = first + n; i < end;) {
        uint64_t x = rng_at(g->key, (uint64_t)(i / 8));
        for (int k = (int)(i % 8); k < 8 && i < end; k++, i++)
            *out++ = (unsigned char)(x >> 8 * k);
    }
}

void large_prepare(struct large *g, int64_t bytes, uint64_t seed)
{
    g->key = rng_key(seed, RNG_MIXED);
    g->rows =
        (struct data_rows){.bytes = 1, .n = bytes, .make = large_make, .context = g};
}

int64_t large_memory(int64_t slots, int64_t slot_bytes)
{
    return (slots + 2) * slot_bytes + 2 * IO_DIRECT_ALIGN;
}

/* ---- reading --------------------------------------------------------------------- */

/* Returns the offset at which lane w of n begins. Sections are not divided. */
static int64_t large_share(const struct large *g, int w, int n)
{
    int64_t sections = units_div_up(g->file.bytes, LARGE_SECTION);
    int64_t at = units_part(sections, w, n) * LARGE_SECTION;
    return at < g->file.bytes ? at : g->file.bytes;
}

/* Gives the n bytes at offset `at` of the file to the sink, section by section. */
static void take_sections(const struct large *g, struct sink *s, int64_t at,
                          const char *data, int64_t n)
{
    while (n > 0) {
        int64_t left = LARGE_SECTION - at % LARGE_SECTION, part = n < left ? n : left;
        sink_take(s, data, part);
        at += part;
        data += part;
        n -= part;
        if (part == left || at == g->file.bytes)
            sink_end(s, NULL);
    }
}

struct reading {
    struct large *g;
    bool plainly;
};

static void large_lane(struct run *r, void *reading)
{
    const struct reading *d = reading;
    struct large *g = d->g;
    struct run_file *f = &g->file.of[r->lane];
    struct run_stream *s;
    int64_t from = large_share(g, r->worker, r->workers), n;
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .from = from,
                                 .bytes =
                                     large_share(g, r->worker + 1, r->workers) - from,
                                 .slot_bytes = g->slot_bytes,
                                 .slots = d->plainly ? 1 : g->slots};
    if (!how.bytes || r->failed)
        return;
    if (run_stream_memory(f, &how) <= large_memory(g->slots, g->slot_bytes))
        how.memory = r->buffer;
    if (run_stream_open(&s, f, &how))
        return;
    for (const char *data; (data = run_stream_next(s, &n)); from += n) {
        take_sections(g, &g->sink[r->lane], from, data, n);
        progress_step(&r->progress, n, r->phase->name);
    }
    run_stream_close(&s);
}

void large_run(struct large *g, struct run *r, bool plainly)
{
    struct reading d = {g, plainly};
    run_lanes(r, large_lane, &d);
}

/* ---- expected sums --------------------------------------------------------------- */

static void expect_lane(struct run *r, void *large)
{
    struct large *g = large;
    int64_t at = large_share(g, r->worker, r->workers);
    int64_t end = large_share(g, r->worker + 1, r->workers);
    int64_t most = large_memory(g->slots, g->slot_bytes);
    for (int64_t n; at < end; at += n) {
        n = end - at < most ? end - at : most;
        large_make(g, at, n, r->buffer);
        take_sections(g, &g->sink[r->lane], at, r->buffer, n);
    }
}

void large_expect(struct large *g, struct run *r)
{
    run_lanes(r, expect_lane, g);
}

/* ---- many files ------------------------------------------------------------------ */

/* ---- listing --------------------------------------------------------------------- */

struct listing {
    const struct run *r;
    struct many *m;
    int64_t all;         /* number of names, on all ranks */
    char path[PATH_MAX]; /* path of the current folder within m->folder, then of a name
                          * in it */
};

/* True, and counted, if the file has vanished since it was listed. */
static bool is_gone(struct listing *l, struct io_folder *d, const char *name)
{
    struct io_whole w = {.name = name};
    bool gone = l->m->passing.skip && !io_whole_is_there(d, &w);
    l->m->gone += gone;
    return gone;
}

/* `at` is the offset of the file's name in l->path. */
static int list_file(struct listing *l, struct io_folder *d, size_t at)
{
    const struct world *w = &l->r->world;
    l->all++;
    if (names_deal(l->path, w->size) != w->rank || is_gone(l, d, l->path + at))
        return 0;
    int rc = io_folder_plain(d, l->path + at);
    return rc ? rc : names_add(&l->m->names, l->path, io_folder_inode(d));
}

static int list_folder(struct listing *l, struct io_folder *d, size_t at);

static int list_below(struct listing *l, struct io_folder *d, size_t at)
{
    struct io_folder *sub;
    int rc = io_folder_enter(&sub, d, l->path + at);
    at = strlen(l->path);
    l->path[at++] = '/';
    rc = rc ? rc : list_folder(l, sub, at);
    io_folder_close(&sub);
    return rc;
}

static int list_folder(struct listing *l, struct io_folder *d, size_t at)
{
    size_t before = strlen(l->m->folder.path) + 1, most = sizeof l->path - 1;
    int rc;
    if (before + at + NAME_MAX >= most)
        return err_set(
            -ENAMETOOLONG, io_folder_path(d), -1,
            "directories are nested too deep: a file's path may have %d bytes",
            PATH_MAX);
    while ((rc = io_folder_next(d, l->path + at, NAME_MAX + 1)) > 0) {
        if (l->m->deep && io_folder_is_folder(d, l->path + at))
            rc = list_below(l, d, at);
        else
            rc = list_file(l, d, at);
        if (rc)
            return rc;
    }
    return rc;
}

/* Reads the names in an open file, each terminated by the byte `end`. */
static int list_names(struct listing *l, struct io_folder *d, FILE *in, int end)
{
    char *name = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = 0;
    while (!rc && (n = getdelim(&name, &room, end, in)) > 0) {
        n -= name[n - 1] == end;
        name[n] = 0;
        const char *at = name + (strncmp(name, "./", 2) ? 0 : 2);
        if (snprintf(l->path, sizeof l->path, "%s", at) >= (int)sizeof l->path)
            rc = err_set(-ENAMETOOLONG, l->m->list, -1, "a name in it is too long");
        else if (*at)
            rc = list_file(l, d, 0);
    }
    if (ferror(in))
        rc = err_set(-EIO, l->m->list, -1, "the list cannot be read");
    free(name);
    return rc;
}

/* If there is a zero byte in the beginning of the list, zero bytes terminate its names,
 * else newlines. */
static int list_named(struct listing *l, struct io_folder *d)
{
    char begin[PATH_MAX];
    FILE *in = fopen(l->m->list, "rb");
    if (!in)
        return err_set(-errno, l->m->list, -1, "the list cannot be opened: %s",
                       strerror(errno));
    size_t n = fread(begin, 1, sizeof begin, in);
    rewind(in);
    int rc = list_names(l, d, in, memchr(begin, 0, n) ? 0 : '\n');
    fclose(in);
    return rc;
}

static int list_all(const struct run *r, struct many *m, struct io_folder *d,
                    int64_t *all)
{
    struct listing l = {.r = r, .m = m};
    m->gone = 0;
    int rc = m->list ? list_named(&l, d) : list_folder(&l, d, 0);
    *all = l.all;
    return rc ? rc : names_sort(&m->names, m->order, rng_key(r->seed, RNG_SEARCHED));
}

/* Fails unless all ranks have found the same number of names: otherwise a name may
 * belong to no rank. */
static int compare_lists(const struct run *r, const struct many *m, int64_t all)
{
    int64_t most[2] = {all, -all};
    world_reduce(r->world.comm, most, 2, MPI_INT64_T, MPI_MAX);
    if (!most[0])
        return err_set(-ENOENT, m->folder.path, -1,
                       "there is no file in the directory");
    if (most[0] == -most[1])
        return 0;
    return err_set(-EIO, m->folder.path, -1,
                   "one rank found %lld names in the directory and another one %lld: "
                   "it changes while it is listed",
                   (long long)most[0], (long long)-most[1]);
}

int many_give(struct many *m, const char *path)
{
    size_t room = sizeof m->folder.path;
    m->given = true;
    return snprintf(m->folder.path, room, "%s", path) < (int)room
               ? 0
               : err_set(-ENAMETOOLONG, path, -1, "the path is too long");
}

int many_list(struct run *r, struct many *m)
{
    struct io_folder *d = NULL;
    int64_t all = 0;
    names_free(&m->names);
    int rc = io_folder_open(&d, MPI_COMM_NULL, m->folder.path, IO_READ | IO_LOCAL);
    rc = rc ? rc : list_all(r, m, d, &all);
    io_folder_close(&d);
    rc = err_agree(r->world.comm, rc);
    return rc ? rc : compare_lists(r, m, all);
}

/* ---- making ---------------------------------------------------------------------- */

void many_write(struct run *r, struct many *m, enum io_replace how, bool sync_each,
                bool sync_end)
{
    struct data_fill fill = {.folder = &m->folder,
                             .documents = &m->documents,
                             .how = how,
                             .sync_each = sync_each,
                             .sync_end = sync_end};
    data_folder_fill(r, &fill);
}

int many_make(struct run *r, struct many *m)
{
    r->aside = r->samples_only = true;
    run_phase_begin(r, "make");
    if (!data_folder_create(r, &m->folder))
        many_write(r, m, IO_MAKE, false, true);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    if (!rc)
        rc = run_moved(r, "make", m->folder.path, 0, documents_bytes(&m->documents));
    return rc;
}

struct expecting {
    const struct documents *documents;
    struct sink *sink; /* one per lane */
};

static void many_expect_lane(struct run *r, void *expecting)
{
    const struct expecting *x = expecting;
    const struct documents *d = x->documents;
    int64_t end = units_part(d->n, r->worker + 1, r->workers);
    for (int64_t i = units_part(d->n, r->worker, r->workers); i < end; i++) {
        documents_make(d, i, r->buffer);
        sink_take(&x->sink[r->lane], r->buffer, documents_size(d, i));
        sink_end(&x->sink[r->lane], NULL);
    }
}

void many_expect(struct run *r, struct many *m, struct sink lane[])
{
    struct expecting x = {&m->documents, lane};
    run_lanes(r, many_expect_lane, &x);
}

void many_free(struct many *m)
{
    names_free(&m->names);
    passing_close(&m->passing);
}
