/* The kernel's counters show what came from below the file system's page cache, not
 * that a device served it: below may be another cache, memory, a host or servers. */
#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include "io/part/container.h"
#include "run/inside.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* if a smaller share of the bytes read came from below, memory served them */
#define FROM_BELOW 0.95

static bool stores(const struct run *r)
{
    return r->engine && io_engine_stores(r->engine);
}

/* ---- comparing nodes ------------------------------------------------------------- */

struct seen { /* findings of a rank that looks */
    char key[512], text[1024], host[64];
};

/* Describes the layers by their kinds, not their names: each node may have its
 * own sda. */
static void describe(const struct run *r, const struct io_stack *s, struct seen *out)
{
    size_t n = 0;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < s->n && n < sizeof out->key; i++) {
        const struct io_layer *l = &s->layer[i];
        n += (size_t)snprintf(out->key + n, sizeof out->key - n, "%d %s %s;", l->level,
                              l->kind, l->level ? "" : l->name);
    }
    io_stack_text(s, out->text, sizeof out->text);
    memcpy(out->host, r->world.host, sizeof out->host);
}

/* Refuses nodes whose storage differs, or warns of them if that is meant. */
static int say_unlike(struct run *r, const char *path, const struct seen *first,
                      const struct seen *other, const int what[2])
{
    char text[2600];
    snprintf(text, sizeof text,
             "on %s on node %s (rank 0), and on another file system, %s, on node %s "
             "(rank %d), and %d of the ranks that looked differ from rank 0",
             first->text, first->host, other->text, other->host, what[0], what[1]);
    if (!r->options->unlike_nodes && !r->options->node_dirs)
        return err_set(-EXDEV, path, -1,
                       "it is %s: check the mounts, or add --unlike-nodes if that is "
                       "meant",
                       text);
    if (r->world.rank)
        return 0;
    err_tell(r->program->name, "warning", NULL, "%s: figures are of different storage",
             text);
    report_warning(r->report, "unlike_nodes", "%s: figures are of different storage",
                   text);
    return 0;
}

/* Compares rank 0's storage with that of all others. Returns 0, or -EXDEV, agreed. */
static int compare_nodes(struct run *r, const char *path, bool look,
                         const struct io_stack *s)
{
    static struct seen mine, first;
    memset(&mine, 0, sizeof mine);
    if (look)
        describe(r, s, &mine);
    first = mine;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, r->world.comm);
    bool differs = look && first.key[0] && strcmp(mine.key, first.key) != 0;
    int what[2] = {differs ? r->world.rank : INT_MAX, differs};
    MPI_Allreduce(MPI_IN_PLACE, &what[0], 1, MPI_INT, MPI_MIN, r->world.comm);
    MPI_Allreduce(MPI_IN_PLACE, &what[1], 1, MPI_INT, MPI_SUM, r->world.comm);
    if (!what[1])
        return 0;
    MPI_Bcast(&mine, sizeof mine, MPI_BYTE, what[0], r->world.comm);
    return err_agree(r->world.comm, say_unlike(r, path, &first, &mine, what));
}

/* ---- finding the storage --------------------------------------------------------- */

/* Finds the storage of `path` that can serve most from memory, among the ranks
 * that look. */
static int find_worst(struct run *r, const char *path, bool look, struct io_stack *s)
{
    struct {
        int reads, rank;
    } worst = {-1, r->world.rank};
    int rc = 0;
    if (look) {
        rc = io_stack_of(path, s);
        worst.reads = (int)s->reads;
    }
    if ((rc = err_agree(r->world.comm, rc)))
        return rc;
    rc = compare_nodes(r, path, look, s);
    if (rc)
        return rc;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MAXLOC, r->world.comm);
    MPI_Bcast(s, sizeof *s, MPI_BYTE, worst.rank, r->world.comm);
    return 0;
}

const char *run_storage_path(const struct run *r)
{
    return r->input.path ? r->input.path : r->options->dir;
}

/* True if the kernel counts bytes fetched from below: those from block devices, with
 * any file system. */
static bool is_counted(const struct io_stack *s)
{
    bool device = s->n && strcmp(s->layer[0].kind, "file system") != 0;
    return device || (s->n >= 2 && s->layer[0].reads == IO_READS_BELOW);
}

/* Finds the storage of an input, without writing to test the counters. */
static int find_input(struct run *r)
{
    int rc = find_worst(r, r->input.path, r->world.node_rank == 0, &r->stack);
    r->counters = !rc && is_counted(&r->stack);
    return rc;
}

/* Finds the storage. One rank of each node looks; if each rank has its own directory,
 * all do. */
int run_storage_find(struct run *r)
{
    const struct run_options *o = r->options;
    char own[CONTAINER_PATH];
    if (!stores(r))
        return 0;
    if (r->input.path)
        return find_input(r);
    if (!o->node_dirs)
        return find_worst(r, o->dir, r->world.node_rank == 0, &r->stack);
    container_dir(o->node_dirs, r->world.node_rank, r->world.node, r->world.rank, own);
    /* A problem with a directory is reported when a file is made in it. */
    return find_worst(r, access(own, X_OK) ? o->dir : own, true, &r->stack);
}

/* The kernel's counters were tried in --dir. */
int run_reads(struct run *r, const char *path)
{
    if (!stores(r))
        return 0;
    /* If it does not exist, its reader reports that. */
    bool look = r->world.node_rank == 0 && !access(path, F_OK);
    int rc = find_worst(r, path, look, &r->also);
    if (!rc && !is_counted(&r->also))
        r->counters = false;
    return rc;
}

/* The origin that reads may have, over all places. */
static enum io_reads served_by(const struct run *r)
{
    enum io_reads a = r->stack.reads, b = r->also.n ? r->also.reads : a;
    enum io_reads most = a > b ? a : b;
    return a != b && most == IO_READS_MEMORY ? IO_READS_CACHE : most;
}

/* The stack whose reads decide the verdict, and the layer of it that does;
 * NULL: none. */
static const struct io_stack *decisive(const struct run *r, const struct io_layer **l)
{
    const struct io_stack *s =
        r->also.n && r->also.reads > r->stack.reads ? &r->also : &r->stack;
    *l = NULL;
    for (int i = s->n - 1; i >= 0; i--)
        if (s->layer[i].reads == s->reads)
            *l = &s->layer[i];
    return s;
}

void run_storage_tell(struct run *r, struct report_file *f)
{
    static struct report_layer layer[IO_LAYERS];
    static struct io_stripes stripes;
    static char text[2048];
    const struct io_stack *s = &r->stack;
    if (r->world.rank || !stores(r))
        return;
    for (int i = 0; i < s->n; i++) {
        const struct io_layer *l = &s->layer[i];
        layer[i] = (struct report_layer){l->level, l->kind, l->name, l->about,
                                         io_reads_text(l->reads)};
    }
    io_stripes_of(run_storage_path(r), &r->fs, &stripes);
    f->layers = s->n;
    f->layer = layer;
    f->storage = io_stack_text(s, text, sizeof text);
    f->stripe_bytes = stripes.bytes;
    f->stripe_count = stripes.count;
    f->stripe_about = stripes.about;
    if (s->reads == IO_READS_MEMORY && !r->fs.in_memory)
        report_warning(r->report, "cache_below",
                       "%s is on %s: no figure here is about a storage device",
                       run_storage_path(r), text);
}

void run_stripes(struct run *r, const char *path)
{
    struct io_stripes s;
    if (r->striped || r->failed || r->world.rank || !stores(r) || r->partitioned)
        return;
    r->striped = true;
    io_stripes_of(path, &r->fs, &s);
    report_stripes(r->report, "data", s.bytes, s.count, s.about);
    const struct io_striping *asked = &r->striping;
    if ((asked->count > 0 && s.count != asked->count) ||
        (asked->bytes > 0 && s.bytes != asked->bytes))
        report_warning(r->report, "other_stripes",
                       "--stripe=%s: the file has %lld stripe%s of %lld bytes (%s)",
                       r->options->stripe, (long long)s.count, units_s(s.count),
                       (long long)s.bytes, s.about);
}

/* ---- inputs ---------------------------------------------------------------------- */

/* Each node may have another file of this name: they must be equally long. */
static int same_everywhere(const struct run *r, const char *path, int64_t bytes)
{
    int64_t range[2] = {-bytes, bytes};
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MAX, r->world.comm);
    if (-range[0] == range[1])
        return 0;
    return err_set(-EINVAL, path, -1,
                   "the input has %lld bytes for one rank and %lld for another: it is "
                   "not the same on all nodes",
                   (long long)-range[0], (long long)range[1]);
}

int run_input(const struct run *r, const char *path, struct io_input *in, bool empty)
{
    int rc = err_agree(r->world.comm, io_input_of(path, in));
    if (!rc)
        rc = err_agree(r->world.comm, same_everywhere(r, path, in->bytes));
    if (rc || in->bytes || empty)
        return rc;
    rc = err_set(-ENODATA, path, -1, "the input is empty: there is nothing to read");
    return err_agree(r->world.comm, rc);
}

void run_input_say(struct run *r, const char *path, const struct io_input *in,
                   const char *rest)
{
    char when[CLOCK_UTC_SIZE];
    report_note(r->report, "input", "%s, a %s of %lld bytes, last modified %s%s", path,
                in->device ? "block device" : "file", (long long)in->bytes,
                clock_date(in->modified_ns, when), rest);
    if (in->bytes > in->stored)
        report_warning(r->report, "input_sparse",
                       "%s has holes, or is compressed: of its %lld bytes %lld are "
                       "stored, and to read the rest takes no device",
                       path, (long long)in->bytes, (long long)in->stored);
}

void run_input_again(struct run *r, const char *path, const struct io_input *in)
{
    struct io_input now;
    if (r->world.rank || !r->engine)
        return;
    if (io_input_of(path, &now))
        err_clear();
    if (now.bytes != in->bytes || now.modified_ns != in->modified_ns)
        report_warning(r->report, "input_changed",
                       "%s was changed while it was read, though not by this run",
                       path);
}

/* ---- at the end ------------------------------------------------------------------ */

/* "; 64.0 MiB of the image's 64.0 MiB are in this node's memory now" */
static const char *image_text(const struct run *r, const struct io_stack *s,
                              char text[96])
{
    int64_t resident, stored;
    char a[16], b[16];
    text[0] = 0;
    if (r->world.rank == 0 && s->image[0] &&
        io_cache_sample(s->image, &resident, &stored))
        snprintf(text, 96, "; of the image's %s, %s are in memory now",
                 units_bytes(a, stored), units_bytes(b, resident));
    return text;
}

static void warn(struct run *r, double below, double resident)
{
    char text[2048], image[96];
    const struct io_layer *l;
    const struct io_stack *s = decisive(r, &l);
    bool compresses = r->stack.compresses || r->also.compresses;
    if (served_by(r) == IO_READS_MEMORY) /* otherwise already reported */
        return;
    if (below >= 0 && below < FROM_BELOW && !compresses)
        report_warning(r->report, "served_from_memory",
                       "only %.0f %% of the bytes read came from below the page cache, "
                       "the rest from memory: read figures are not the storage's",
                       below * 100);
    else if ((below < 0 || compresses) && resident > 1 - FROM_BELOW)
        report_warning(r->report, "served_from_memory",
                       "%.0f %% of the bytes read were "
                       "in this node's memory before: read figures are not the "
                       "storage's",
                       resident * 100);
    if (served_by(r) == IO_READS_CACHE)
        report_warning(r->report, "cache_below",
                       "what was read is on %s: a cache or memory below the file "
                       "system, which nothing here empties, may have served it%s",
                       io_stack_text(s, text, sizeof text), image_text(r, s, image));
}

void run_storage_shares(struct run *r, struct report_checks *c)
{
    static char why[512];
    const struct io_layer *l;
    enum io_reads by = served_by(r);
    decisive(r, &l);
    c->device_share = c->below_share = -1;
    if (!r->read_bytes)
        return;
    if (r->counters && r->device_read_bytes >= 0)
        c->below_share = (double)r->device_read_bytes / (double)r->read_bytes;
    if (c->below_share > 1)
        c->below_share = 1;
    if (by == IO_READS_MEMORY)
        c->device_share = 0;
    else if (r->stack.compresses || r->also.compresses)
        c->why = "a file system that compresses, and fetches fewer bytes than it reads";
    else if (by == IO_READS_DEVICE)
        c->device_share = c->below_share;
    else if (l) {
        snprintf(why, sizeof why, "%s (%s)", l->name, l->about);
        c->why = why;
    }
    warn(r, c->below_share, c->resident_share);
}
