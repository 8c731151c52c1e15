/* The kernel's counters tell what left the page cache of the file system, not that a
 * device served it: below may be another cache, memory, a host or servers. */
#include "run/storage.h"
#include "base/err.h"
#include "base/units.h"
#include <stdio.h>
#include <string.h>

#define FROM_BELOW 0.95 /* less of the bytes read: memory served them */

static bool stores(const struct run *r)
{
    return r->engine && io_engine_stores(r->engine);
}

int run_storage_find(struct run *r)
{
    struct {
        int reads, rank;
    } worst = {-1, r->world.rank};
    int rc = 0;
    if (!stores(r))
        return 0;
    if (r->world.node_rank == 0) {
        rc = io_stack_of(r->options->dir, &r->stack);
        worst.reads = (int)r->stack.reads;
    }
    if ((rc = err_agree(r->world.comm, rc)))
        return rc;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MAXLOC, r->world.comm);
    MPI_Bcast(&r->stack, sizeof r->stack, MPI_BYTE, worst.rank, r->world.comm);
    return 0;
}

/* The layer to which the whole owes what is said of its reads; NULL: none. */
static const struct io_layer *decisive(const struct io_stack *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->layer[i].reads == s->reads)
            return &s->layer[i];
    return NULL;
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
    io_stripes_of(r->options->dir, &r->fs, 0, &stripes);
    f->layers = s->n;
    f->layer = layer;
    f->storage = io_stack_text(s, text, sizeof text);
    f->stripe_bytes = stripes.bytes;
    f->stripe_count = stripes.count;
    f->stripe_about = stripes.about;
    if (s->reads == IO_READS_MEMORY && !r->fs.in_memory)
        report_warning(r->report, "cache_below",
                       "%s is on %s: no figure here is about a storage device",
                       r->options->dir, text);
}

void run_storage_stripes(struct run *r, const char *path, int64_t bytes)
{
    struct io_stripes s;
    if (r->striped || r->world.rank || !stores(r) || r->partitioned)
        return;
    r->striped = true;
    io_stripes_of(path, &r->fs, bytes, &s);
    report_stripes(r->report, "data", s.bytes, s.count, s.about);
}

/* ---- at the end ------------------------------------------------------------------ */

/* "; 64.0 MiB of the image's 64.0 MiB are in this node's memory now" */
static const char *image_text(const struct run *r, char text[96])
{
    int64_t resident, stored;
    char a[16], b[16];
    text[0] = 0;
    if (r->world.rank == 0 && r->stack.image[0] &&
        io_cache_sample(r->stack.image, &resident, &stored))
        snprintf(text, 96, "; of the image's %s, %s are in memory now",
                 units_bytes(a, stored), units_bytes(b, resident));
    return text;
}

static void warn(struct run *r, double below, double resident)
{
    char stack[2048], image[96];
    if (r->fs.in_memory)
        return;
    if (below >= 0 && below < FROM_BELOW && !r->stack.compresses)
        report_warning(r->report, "served_from_memory",
                       "only %.0f %% of the bytes read came from below the page cache, "
                       "the rest from memory: read figures are not the storage's",
                       below * 100);
    else if ((below < 0 || r->stack.compresses) && resident > 1 - FROM_BELOW)
        report_warning(r->report, "served_from_memory",
                       "%.0f %% of the bytes read were "
                       "in this node's memory before: read figures are not the "
                       "storage's",
                       resident * 100);
    if (r->stack.reads == IO_READS_CACHE)
        report_warning(r->report, "cache_below",
                       "%s is on %s: a cache below the file system, which nothing here "
                       "empties, may have served reads%s",
                       r->options->dir, io_stack_text(&r->stack, stack, sizeof stack),
                       image_text(r, image));
}

void run_storage_shares(struct run *r, struct report_checks *c)
{
    static char why[512];
    const struct io_layer *l = decisive(&r->stack);
    c->device_share = c->below_share = -1;
    if (!r->read_bytes)
        return;
    if (r->counters && r->device_read_bytes >= 0)
        c->below_share = (double)r->device_read_bytes / (double)r->read_bytes;
    if (c->below_share > 1)
        c->below_share = 1;
    if (r->fs.in_memory || r->stack.reads == IO_READS_MEMORY)
        c->device_share = 0;
    else if (r->stack.compresses)
        c->why = "a file system that compresses, and fetches fewer bytes than it reads";
    else if (r->stack.reads <= IO_READS_DEVICE)
        c->device_share = c->below_share;
    else if (l) {
        snprintf(why, sizeof why, "%s (%s)", l->name, l->about);
        c->why = why;
    }
    warn(r, c->below_share, c->resident_share);
}
