/* The kernel's counters show what came from below the file system's page cache, not
 * that a device served it: below may be another cache, memory, a host or servers. */
#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include "io/part/container.h"
#include "run/inside.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* if a smaller share of the bytes read came from below, memory served them */
#define FROM_BELOW 0.95

static bool stores(const struct run *r)
{
    return r->engine && io_engine_stores(r->engine);
}

/* ---- nodes ----------------------------------------------------------------------- */

static struct io_nodes nodes; /* those of the run's own files */

/* The sums of a group of nodes, over phases. */
static struct {
    int64_t read_bytes, below_bytes, unknown;
} sums[IO_GROUPS];

/* "63 nodes", or "1 node (n17)": the largest group needs no names. */
static const char *nodes_text(int i, char text[300])
{
    const struct io_group *g = &nodes.group[i];
    bool largest = true;
    for (int k = 0; k < nodes.n; k++)
        largest &= nodes.group[k].nodes <= g->nodes &&
                   (k >= i || nodes.group[k].nodes < g->nodes);
    snprintf(text, 300, "%d node%s%s%s%s", g->nodes, units_s(g->nodes),
             largest ? "" : " (", largest ? "" : g->names, largest ? "" : ")");
    return text;
}

enum { GROUP_STORAGE = 1, GROUP_MOUNT = 6, GROUP_FIELDS = 10 };
static const char *const group_key[GROUP_FIELDS] = {
    "names", "storage", "reads",  "fs",     "source",
    "uuid",  "mount",   "client", "kernel", "limits"};

static void group_values(const struct io_group *g, const char *value[GROUP_FIELDS])
{
    const struct io_place *p = &g->of;
    const char *const all[GROUP_FIELDS] = {g->names, p->name,   io_reads_text(p->reads),
                                           p->fs,    p->source, p->uuid,
                                           p->mount, p->client, p->kernel,
                                           p->limits};
    memcpy(value, all, sizeof all);
}

/* Appends the fields, from the mount on, in which a group differs from others whose
 * storage has the same name. */
static int put_differences(char *text, int n, int size, int i)
{
    const char *mine[GROUP_FIELDS], *other[GROUP_FIELDS];
    group_values(&nodes.group[i], mine);
    for (int f = GROUP_MOUNT; f < GROUP_FIELDS; f++) {
        bool differs = false;
        for (int k = 0; k < nodes.n; k++) {
            group_values(&nodes.group[k], other);
            differs |= !strcmp(mine[GROUP_STORAGE], other[GROUP_STORAGE]) &&
                       strcmp(mine[f], other[f]) != 0;
        }
        if (differs && n < size)
            n += snprintf(text + n, (size_t)(size - n), ", %s %s", group_key[f],
                          mine[f][0] ? mine[f] : "not known");
    }
    return n;
}

/* Reports the groups; in text only if there are several. */
static void tell_nodes(struct run *r)
{
    char text[4096], some[300];
    int n = 0;
    for (int i = 0; i < nodes.n && !r->world.rank; i++) {
        const char *value[GROUP_FIELDS];
        group_values(&nodes.group[i], value);
        report_group(r->report, &(struct report_group){nodes.group[i].nodes,
                                                       GROUP_FIELDS, group_key, value});
        if (n < (int)sizeof text)
            n += snprintf(text + n, sizeof text - (size_t)n, "%sgroup %d: %s, %s",
                          i ? "; " : "", i + 1, nodes_text(i, some),
                          nodes.group[i].of.name);
        if (n < (int)sizeof text)
            n = put_differences(text, n, sizeof text, i);
    }
    if (nodes.n > 1 && !r->world.rank)
        report_note(r->report, "nodes", "%s", text);
}

/* Says, on rank 0, that nodes differ. Ranks that meet in a file or directory cannot do
 * so then. */
static int say_unlike(struct run *r, const char *path, const struct io_nodes *all)
{
    const struct run_options *o = r->options;
    const struct io_place *first = &all->first, *other = &all->other;
    char text[2600];
    bool meant = o->unlike_nodes || o->node_dirs;
    bool meet = !o->node_dirs && !r->input.path &&
                (r->shared || r->workload->meets || o->rank_shift);
    snprintf(text, sizeof text,
             "on %s on node %s (rank %d), and on another file system, %s, on node %s "
             "(rank %d), and %d of the %s that looked differ%s from rank %d",
             first->text, first->host, first->rank, other->text, other->host,
             other->rank, all->unlike, o->node_dirs ? "ranks" : "nodes",
             all->unlike == 1 ? "s" : "", first->rank);
    if (!meant)
        return err_set(-EXDEV, path, -1, "it is %s: check the mounts%s", text,
                       meet ? "" : ", or add --unlike-nodes if that is meant");
    if (meet)
        return err_set(
            -EXDEV, path, -1,
            "it is %s: ranks of several nodes meet in one file or directory "
            "here, and these nodes share none: check the mounts%s",
            text,
            r->workload->meets ? "" : ", or take FILETYPE=UNIQUE without --rank-shift");
    err_tell(r->program->name, "warning", NULL,
             "%s is %s: figures are of different storage", path, text);
    report_warning(r->report, "unlike_nodes",
                   "%s is %s: figures are of different storage", path, text);
    return 0;
}

/* ---- finding the storage --------------------------------------------------------- */

/* Finds the storage of `path` that can serve most from memory, among the ranks that
 * look: with each_rank all, else one of each node. */
static int find_worst(struct run *r, const char *path, bool look, bool each_rank,
                      struct io_stack *s, struct io_nodes *all)
{
    static struct io_place mine;
    memset(&mine, 0, sizeof mine);
    look = look && (each_rank || r->world.node_rank == 0);
    int rc = err_agree(r->world.comm, look ? io_stack_of(path, s) : 0);
    if (rc)
        return rc;
    if (look)
        io_place_of(path, s, &r->world, &mine);
    mine.counted = r->options->node_dirs ? r->counters : r->counts_here;
    rc = io_nodes_find(&r->world, &mine, each_rank, all);
    if (rc)
        return rc;
    if (all == &nodes)
        tell_nodes(r);
    if (all->unlike)
        rc = err_agree(r->world.comm, r->world.rank ? 0 : say_unlike(r, path, all));
    MPI_Bcast(s, sizeof *s, MPI_BYTE, all->worst, r->world.comm);
    return rc;
}

/* Finds the storage of the run's own files. If nodes are unlike, that of rank 0 stands
 * in the report's files, and the others in its nodes. */
static int storage_find_own(struct run *r, const char *path, bool each_rank)
{
    struct io_stack own;
    int rc = find_worst(r, path, true, each_rank, &r->stack, &nodes);
    if (rc || !nodes.unlike)
        return rc;
    r->groups = nodes.n;
    r->group = nodes.own;
    r->counters = nodes.counted;
    rc = err_agree(r->world.comm, r->world.rank ? 0 : io_stack_of(path, &own));
    MPI_Bcast(&own, sizeof own, MPI_BYTE, 0, r->world.comm);
    r->stack = own;
    return rc;
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
    int rc = storage_find_own(r, r->input.path, false);
    r->counters = !rc && !r->groups && is_counted(&r->stack);
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
        return storage_find_own(r, o->dir, false);
    container_dir(o->node_dirs, r->world.node_rank, r->world.node, r->world.rank, own);
    /* A problem with a directory is reported when a file is made in it. */
    return storage_find_own(r, access(own, X_OK) ? o->dir : own, true);
}

/* The kernel's counters were tried in --dir. */
int run_reads(struct run *r, const char *path)
{
    static struct io_nodes also;
    if (!stores(r))
        return 0;
    /* If it does not exist, its reader reports that. */
    int rc = find_worst(r, path, !access(path, F_OK), false, &r->also, &also);
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

/* Says that stripes or layers are those of rank 0's group, if there are others. */
static const char *of_group(const struct run *r, const char *text, char out[2048])
{
    snprintf(out, 2048, "%s%s", r->groups ? "group 1: " : "", text);
    return out;
}

void run_storage_tell(struct run *r, struct report_file *f)
{
    static struct report_layer layer[IO_LAYERS];
    static struct io_stripes stripes;
    static char text[2040], layers[2048], about[2048];
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
    f->storage = of_group(r, io_stack_text(s, text, sizeof text), layers);
    f->stripe_bytes = stripes.bytes;
    f->stripe_count = stripes.count;
    f->stripe_about = of_group(r, stripes.about, about);
    if (s->reads == IO_READS_MEMORY && !r->fs.in_memory && !r->groups)
        report_warning(r->report, "cache_below",
                       "%s is on %s: no figure here is about a storage device",
                       run_storage_path(r), text);
}

/* Without a sync, the file system may not have decided yet where data goes. */
static void look_stored(struct run *r, const char *path)
{
    struct io_stored *s = &r->stored;
    if (r->flush && (!r->shared || !r->world.rank) &&
        !io_stored_of(path, r->fs.mount, s))
        s->data = 0;
}

void run_stripes(struct run *r, const char *path)
{
    struct io_stripes s;
    char about[2048];
    if (r->striped || r->failed || !stores(r) || r->partitioned)
        return;
    r->striped = true;
    look_stored(r, path);
    if (r->world.rank)
        return;
    io_stripes_of(path, &r->fs, &s);
    report_stripes(r->report, "data", s.bytes, s.count, of_group(r, s.about, about));
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
    world_reduce(r->world.comm, range, 2, MPI_INT64_T, MPI_MAX);
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

/* ---- what is stored -------------------------------------------------------------- */

#define STORED_OTHER 0.02         /* a smaller difference is not worth a line */
enum { STORED_SLACK = 64 << 10 }; /* of each file: the ends of blocks, lists of them */

static void say_stored(struct run *r, int64_t stored, int64_t data, bool less)
{
    char a[16], b[16];
    const char *about = r->stored.about;
    report_note(r->report, "stored", "%s for %s of data (%.0f %%): %s%s%s%s",
                units_bytes(a, stored), units_bytes(b, data),
                100 * (double)stored / (double)data,
                less ? "the file system compresses, or stores equal data once"
                     : "space is allocated ahead, or data is stored more than once",
                *about ? " (" : "", about, *about ? ")" : "");
}

/* **Collective.** Reports what is stored of the files that ranks have looked at. */
static void tell_stored(struct run *r)
{
    int64_t sum[3] = {r->stored.stored, r->stored.data, r->stored.data > 0};
    if (!r->stored.data)
        sum[0] = 0;
    world_reduce(r->world.comm, sum, 3, MPI_INT64_T, MPI_SUM);
    double slack = STORED_OTHER * (double)sum[1] + (double)(STORED_SLACK * sum[2]);
    double more = (double)(sum[0] - sum[1]);
    if (!sum[2])
        return;
    r->stack.compresses |= more < -slack;
    report_stored(r->report, "data", sum[0], sum[1], r->stored.about);
    if (more > slack || more < -slack)
        say_stored(r, sum[0], sum[1], more < 0);
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

void run_storage_warn(struct run *r, const struct report_checks *c)
{
    double below = c->below_share, resident = c->resident_share;
    char text[2048], image[96];
    const struct io_layer *l;
    const struct io_stack *s = decisive(r, &l);
    bool compresses = r->stack.compresses || r->also.compresses;
    if (r->groups || !r->origin.read_bytes || served_by(r) == IO_READS_MEMORY)
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

/* ---- by groups of nodes ---------------------------------------------------------- */

/* The slowest lane's nanoseconds of this rank's phase, as its rates count them; and
 * what it has read, of this what came from below, and what it has written. */
static void own_sums(struct run *r, bool mixed, int64_t ns[2], int64_t bytes[4])
{
    const struct phase *const *p = lanes_phases(r);
    for (int i = 0; i < r->lanes; i++) {
        const struct phase_act *read = &p[i]->act[ACT_READ],
                               *write = &p[i]->act[ACT_WRITE];
        int64_t of[2] = {read->ns, write->ns + p[i]->act[ACT_SYNC].ns};
        if (mixed)
            of[0] = of[1] = of[0] + of[1];
        for (int k = 0; k < 2; k++)
            ns[k] = of[k] > ns[k] ? of[k] : ns[k];
        bool told = read->device_bytes >= 0;
        bytes[0] += read->bytes;
        bytes[1] += write->bytes;
        bytes[2] += told ? read->device_bytes : 0;
        bytes[3] += read->device_bytes == PHASE_DEVICE_UNKNOWN;
    }
    bytes[3] += !r->counters && bytes[0];
}

static void group_figures(struct run *r, int i, const int64_t ns[2],
                          const int64_t bytes[2])
{
    static const char *const kinds[2] = {"read", "write"};
    for (int k = 0; k < 2; k++) {
        char name[48];
        snprintf(name, sizeof name, "group%d_%s_MBps", i + 1, kinds[k]);
        if (bytes[k] && ns[k])
            run_figure(r, r->phase->name, name, "MB/s", "higher",
                       "bytes of the ranks of this group of nodes / its slowest rank's "
                       "seconds of such transfers, and of syncs with writes / 1e6",
                       (double)bytes[k] / (double)ns[k] * 1e3);
    }
}

void run_storage_rates(struct run *r, const struct report_rate *rate)
{
    int64_t ns[IO_GROUPS][2] = {{0}}, bytes[IO_GROUPS][4] = {{0}};
    if (!r->groups)
        return;
    own_sums(r, rate->mixed, ns[r->group], bytes[r->group]);
    bool root = !r->world.rank;
    MPI_Reduce(root ? MPI_IN_PLACE : ns, ns, 2 * r->groups, MPI_INT64_T, MPI_MAX, 0,
               r->world.comm);
    MPI_Reduce(root ? MPI_IN_PLACE : bytes, bytes, 4 * r->groups, MPI_INT64_T, MPI_SUM,
               0, r->world.comm);
    for (int i = 0; i < r->groups && root; i++) {
        if (!r->samples_only)
            group_figures(r, i, ns[i], bytes[i]);
        if (r->aside)
            continue;
        sums[i].read_bytes += bytes[i][0];
        sums[i].below_bytes += bytes[i][2];
        sums[i].unknown += bytes[i][3];
    }
}

enum fault { NO_FAULT, IN_MEMORY, FROM_MEMORY, CACHE_BELOW };

/* The fault of a group's reads that deserves a warning. */
static enum fault group_fault(const struct io_place *p, double below, double resident)
{
    if (p->reads == IO_READS_MEMORY)
        return IN_MEMORY;
    if (below >= 0 && below < FROM_BELOW && !p->compresses)
        return FROM_MEMORY;
    if ((below < 0 || p->compresses) && resident > 1 - FROM_BELOW)
        return FROM_MEMORY;
    return p->reads == IO_READS_CACHE ? CACHE_BELOW : NO_FAULT;
}

/* Says what served the reads of a group. */
static void say_group(struct run *r, int i, double below, double resident)
{
    static const struct {
        const char *code, *text;
    } faults[] = {
        [IN_MEMORY] = {"file_system_in_memory",
                       "no figure of these nodes is about a storage device"},
        [FROM_MEMORY] = {"served_from_memory",
                         "memory served reads: their figures are not the storage's"},
        [CACHE_BELOW] = {"cache_below",
                         "a cache or memory below the file system, which "
                         "nothing here empties, may have served reads"}};
    const struct io_place *p = &nodes.group[i].of;
    char some[300], label[24], share[96] = "", cached[64] = "";
    enum fault fault = group_fault(p, below, resident);
    if (below >= 0)
        snprintf(share, sizeof share,
                 "; %.1f %% of its bytes read came from below the page cache",
                 100 * below);
    if (resident >= 0)
        snprintf(cached, sizeof cached, "; in memory before reading: %.1f %%",
                 100 * resident);
    snprintf(label, sizeof label, "group %d", i + 1);
    report_note(r->report, label, "%s: %s%s%s", nodes_text(i, some), p->text, share,
                cached);
    if (fault)
        report_warning(r->report, faults[fault].code, "group %d, %s, is on %s: %s",
                       i + 1, some, p->text, faults[fault].text);
}

/* Says on rank 0 what served the reads, and reports no share of all nodes. */
static void share_by_group(struct run *r, struct report_checks *c)
{
    int64_t looked[IO_GROUPS][2] = {{0}};
    bool root = !r->world.rank;
    looked[r->group][0] = r->origin.looked_bytes;
    looked[r->group][1] = r->origin.resident_bytes;
    MPI_Reduce(root ? MPI_IN_PLACE : looked, looked, 2 * r->groups, MPI_INT64_T,
               MPI_SUM, 0, r->world.comm);
    c->by_group = true;
    for (int i = 0; i < r->groups && root; i++) {
        double below = -1, resident = -1;
        if (sums[i].read_bytes && !sums[i].unknown)
            below = (double)sums[i].below_bytes / (double)sums[i].read_bytes;
        if (looked[i][0])
            resident = (double)looked[i][1] / (double)looked[i][0];
        report_group_shares(r->report, i, below > 1 ? 1 : below, resident);
        if (sums[i].read_bytes)
            say_group(r, i, below > 1 ? 1 : below, resident);
    }
}

void run_storage_shares(struct run *r, struct report_checks *c)
{
    static char why[512];
    const struct io_layer *l;
    enum io_reads by = served_by(r);
    int64_t sum[2] = {r->origin.looked_bytes, r->origin.resident_bytes};
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    decisive(r, &l);
    tell_stored(r);
    c->device_share = c->below_share = -1;
    c->resident_share = sum[0] > 0 ? (double)sum[1] / (double)sum[0] : -1;
    if (r->groups) {
        share_by_group(r, c);
        return;
    }
    if (!r->origin.read_bytes)
        return;
    if (r->counters && r->origin.device_read_bytes >= 0)
        c->below_share =
            (double)r->origin.device_read_bytes / (double)r->origin.read_bytes;
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
}
