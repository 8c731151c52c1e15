#include "pfmload/input/scan.h"
#include "base/err.h"
#include "base/format/progress.h"
#include "base/mem.h"
#include "pfmload/input/beams.h"
#include "world/world.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State of this rank's scan. */
struct scanner {
    const struct scan_options *o;
    struct beams beams;
    struct geo_box known; /* of this rank's good files so far, and of the present one */
    struct progress progress;
    int64_t *soundings; /* number in each file; -1: the file is bad */
    int *rank_of;
};

/* ---- one file ------------------------------------------------------------------- */

static bool scan_is_within(const struct scan_options *o, struct geo_point p)
{
    double lon = p.lon < o->west ? p.lon + 360 : p.lon;
    return p.lat >= o->south && p.lat <= o->north && lon >= o->west && lon <= o->east;
}

static double end_of(const struct scan *s, int end)
{
    const struct geo_box *b = &s->box;
    const double ends[SCAN_ENDS] = {s->depth_min, s->depth_max, b->south,   b->north,
                                    b->west[0],   b->east[0],   b->west[1], b->east[1]};
    return ends[end];
}

/* True if a's end is farther out. Of equal ones, the first in the list wins, on any
 * number of ranks. */
static bool is_farther(const struct scan *a, const struct scan *b, int end)
{
    double x = end_of(a, end), y = end_of(b, end);
    if (x != y)
        return end % 2 ? x > y : x < y;
    const struct scan_place *p = &a->place[end], *q = &b->place[end];
    return p->file != q->file ? p->file < q->file : p->ping < q->ping;
}

struct scan_place scan_outlier(const struct scan *s, enum scan_end side)
{
    double n = (double)s->box.n, mean = s->sum[0].lat / n;
    int end = (int)side;
    if (side == SCAN_WEST) { /* the longitudes in which the box is smaller */
        int way = s->box.east[1] - s->box.west[1] < s->box.east[0] - s->box.west[0];
        end += 2 * way;
        mean = s->sum[way].lon / n;
    }
    return s->place[end_of(s, end + 1) - mean > mean - end_of(s, end) ? end + 1 : end];
}

static void scan_join(struct scan *into, const struct scan *other)
{
    for (int i = 0; i < SCAN_ENDS && other->box.n; i++)
        if (!into->box.n || is_farther(other, into, i))
            into->place[i] = other->place[i];
    for (int i = 0; i < 2; i++) {
        into->sum[i].lat += other->sum[i].lat;
        into->sum[i].lon += other->sum[i].lon;
    }
    if (other->box.n && (!into->box.n || other->depth_min < into->depth_min))
        into->depth_min = other->depth_min;
    if (other->box.n && (!into->box.n || other->depth_max > into->depth_max))
        into->depth_max = other->depth_max;
    geo_box_join(&into->box, &other->box);
    for (int i = 0; i < GSF_OUTS; i++)
        into->out[i] += other->out[i];
    into->pings = other->pings > into->pings ? other->pings : into->pings;
    into->beams = other->beams > into->beams ? other->beams : into->beams;
}

/* Places a ping, weighted for the mean. */
static void locate(struct scan *s, const struct gsf_ping *p, int64_t file)
{
    double n = (double)s->box.n, lon = geo_wrap(p->lon);
    for (int i = 0; i < SCAN_ENDS; i++)
        s->place[i] = (struct scan_place){file, p->number};
    for (int i = 0; i < 2; i++)
        s->sum[i] =
            (struct geo_point){n * p->lat, n * (i && lon < 0 ? lon + 360 : lon)};
}

static int scan_ping(struct scanner *c, const struct gsf_ping *p, int64_t number,
                     struct scan *file)
{
    enum gsf_out why = gsf_why_ping_out(p);
    if (why) {
        file->out[why] += p->beams;
        return 0;
    }
    struct scan s = {.depth_min = INFINITY, .depth_max = -INFINITY};
    struct geo_point last = {0, 0};
    int rc = c->o->bounded ? beams_place(&c->beams, p)
                           : beams_place_ends(&c->beams, p, &c->known);
    for (int i = 0; i < p->beams && !rc; i++) {
        struct geo_point at = c->beams.at[i];
        double depth = p->depth[i];
        why = gsf_why_beam_out(p, i);
        if (!why && c->o->bounded && !scan_is_within(c->o, at))
            why = GSF_OUT_AREA;
        s.out[why]++; /* GSF_IN is counted, too, and not used */
        if (why)
            continue;
        s.depth_min = depth < s.depth_min ? depth : s.depth_min;
        s.depth_max = depth > s.depth_max ? depth : s.depth_max;
        if (s.box.n && at.lat == last.lat && at.lon == last.lon)
            s.box.n++; /* as most beams that beams_place_ends does not place */
        else
            geo_box_add(&s.box, at);
        last = at;
        s.beams = i + 1;
    }
    s.pings = s.box.n ? p->number : 0;
    locate(&s, p, number);
    scan_join(file, &s);
    geo_box_join(&c->known, &s.box);
    return rc;
}

static int scan_file(struct scanner *c, const char *path, int64_t number,
                     struct scan *file)
{
    struct gsf_ping ping;
    int64_t at = 0;
    int rc = reader_open(c->o->reader, path);
    struct gsf *g = c->o->reader->gsf;
    while (!rc && (rc = gsf_next(g, &ping)) == 1) {
        rc = scan_ping(c, &ping, number, file);
        progress_step(&c->progress, gsf_position(g) - at, "scanning");
        at = gsf_position(g);
    }
    reader_close(c->o->reader);
    return rc;
}

/* ---- this rank's files ---------------------------------------------------------- */

static int64_t scan_bytes_of(const struct list *l, const int *rank_of, int rank)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < l->n; i++)
        bytes += rank_of[i] == rank ? l->file[i].bytes : 0;
    return bytes;
}

/* Scans this rank's files in the order of the list. Returns the first file whose
 * recorded failure ends everything, or l->n. */
static int64_t scan_mine(struct scanner *c, struct list *l, int rank, struct scan *s)
{
    int64_t i = 0;
    progress_start(&c->progress, c->o->progress && !rank,
                   scan_bytes_of(l, c->rank_of, rank));
    for (; i < l->n; i++) {
        struct scan file = {0};
        if (c->rank_of[i] != rank)
            continue;
        c->known = s->box;
        int rc = scan_file(c, l->file[i].path, i, &file);
        if (rc && (!c->o->skip_bad || rc == -ENOMEM || list_mark_bad(l, i, NULL)))
            break;
        if (!rc)
            scan_join(s, &file);
        c->soundings[i] = rc ? -1 : file.box.n;
    }
    progress_clear(&c->progress);
    return i;
}

/* ---- all ranks ------------------------------------------------------------------ */

/* Agrees on the failure of the first bad file in the list, if there is one. */
static int scan_agree(MPI_Comm comm, int64_t stopped, int64_t n)
{
    int64_t first;
    MPI_Allreduce(&stopped, &first, 1, MPI_INT64_T, MPI_MIN, comm);
    bool mine = stopped == first && first < n;
    if (!mine)
        err_clear();
    return err_agree(comm, mine ? err_get()->code : 0);
}

static void join_op(void *in, void *sum, int *n, MPI_Datatype *type)
{
    const struct scan *from = in;
    struct scan *into = sum;
    (void)type;
    for (int i = 0; i < *n; i++)
        scan_join(&into[i], &from[i]);
}

static void join_all(struct scan *s, MPI_Comm comm)
{
    struct scan mine = *s;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous((int)sizeof mine, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(join_op, 1, &op);
    MPI_Allreduce(&mine, s, 1, type, op, comm);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* Gives all ranks the results of each rank's files. */
static int share_files(const struct scanner *c, struct list *l, int rank, MPI_Comm comm)
{
    enum { PIECE = 1 << 20 };
    int rc = 0;
    for (int64_t at = 0; at < l->n; at += PIECE)
        world_reduce(comm, c->soundings + at,
                     (int)(l->n - at < PIECE ? l->n - at : PIECE), MPI_INT64_T,
                     MPI_SUM);
    for (int64_t i = 0; i < l->n; i++) {
        char why[LIST_WHY] = "";
        l->file[i].soundings = c->soundings[i] > 0 ? c->soundings[i] : 0;
        if (c->soundings[i] >= 0)
            continue;
        if (c->rank_of[i] == rank)
            snprintf(why, sizeof why, "%s", l->file[i].bad);
        MPI_Bcast(why, sizeof why, MPI_CHAR, c->rank_of[i], comm);
        if (c->rank_of[i] != rank && list_mark_bad(l, i, why))
            rc = -ENOMEM;
    }
    return err_agree(comm, rc);
}

static int scan_all(struct scan *s, struct scanner *c, MPI_Comm comm, struct list *l)
{
    int rank, size, rc = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!c->soundings || !c->rank_of)
        rc = -ENOMEM;
    if (!rc)
        rc = list_deal(l, size, c->rank_of);
    if ((rc = err_agree(comm, rc)))
        return rc;
    rc = scan_agree(comm, scan_mine(c, l, rank, s), l->n);
    if (rc)
        return rc;
    join_all(s, comm);
    rc = share_files(c, l, rank, comm);
    for (int64_t i = 0; i < l->n; i++)
        s->bad += l->file[i].bad != NULL;
    return rc;
}

int scan_files(struct scan *s, MPI_Comm comm, struct list *l,
               const struct scan_options *o)
{
    struct scanner c = {
        .o = o,
        .beams.how = o->how,
        .soundings = mem_new(l->n, sizeof *c.soundings, "scanning input files"),
        .rank_of = mem_new(l->n, sizeof *c.rank_of, "scanning input files")};
    memset(s, 0, sizeof *s);
    int rc = scan_all(s, &c, comm, l);
    beams_free(&c.beams);
    free(c.soundings);
    free(c.rank_of);
    return rc;
}
