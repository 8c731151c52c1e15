#include "pfmload/input/beams.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "world/world.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- readers --------------------------------------------------------------------- */

enum { SLOTS = 2 };

static int reader_fail(struct reader *r, int before)
{
    r->failed |= !before && r->run->failed;
    return r->run->failed;
}

/* Provides the bytes from `at` on; pieces before it are skipped. */
static int reader_read(void *context, int64_t at, const uint8_t **p, int64_t *n)
{
    struct reader *r = context;
    int before = r->run->failed;
    while (at >= r->at + r->bytes) {
        r->at += r->bytes;
        r->piece = run_stream_next(r->stream, &r->bytes);
        if (!r->piece && reader_fail(r, before))
            return r->run->failed;
        if (!r->piece)
            return err_set(-EIO, r->file.path, r->at, "the file ends here");
    }
    *p = r->piece + (at - r->at);
    *n = r->at + r->bytes - at;
    return 0;
}

/* Checks a file before it is opened. A FIFO is refused instead of waited for. */
static int reader_look(const char *path, struct stat *st)
{
    watchdog_arm_as_set("opening", path);
    int rc = stat(path, st) ? -errno : 0;
    watchdog_disarm();
    if (rc)
        return err_set(rc, path, -1, "the file cannot be opened: %s", strerror(-rc));
    return gsf_check_file(path, st);
}

static int reader_stream(struct reader *r, int64_t bytes)
{
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = bytes,
                                 .slot_bytes = GSF_READ_BYTES,
                                 .slots = r->run->async ? SLOTS : 1};
    if (!r->memory) {
        int rc =
            buf_reserve(&r->memory, run_stream_memory(&r->file, &how), "reading files");
        if (rc)
            return rc;
    }
    how.memory = r->memory;
    return run_stream_open(&r->stream, &r->file, &how);
}

int reader_open(struct reader *r, const char *path)
{
    struct stat st;
    int before = r->run->failed, rc = reader_look(path, &st);
    r->at = r->bytes = 0;
    if (rc || before)
        return rc ? rc : before;
    run_file_beside(&r->file, r->run, path, GSF_READ_BYTES, SLOTS);
    r->file.queue = r->queue;
    rc = run_file_open(&r->file, IO_READ);
    if (!rc)
        rc = reader_stream(r, st.st_size);
    reader_fail(r, before);
    struct gsf_source source = {.read = reader_read, .context = r, .bytes = st.st_size};
    if (!rc)
        rc = gsf_open_source(&r->gsf, path, &source);
    if (!rc && r->take_cut)
        gsf_take_cut(r->gsf);
    return rc;
}

void reader_close(struct reader *r)
{
    int before = r->run->failed;
    gsf_close(&r->gsf);
    run_stream_close(&r->stream);
    if (r->file.run)
        run_file_close(&r->file, false);
    r->file.run = NULL;
    reader_fail(r, before);
    if (r->failed)
        r->run->failed = 0;
    r->failed = false;
}

void reader_free(struct reader *r)
{
    buf_free(r->memory);
    r->memory = NULL;
}

/* ---- beams ----------------------------------------------------------------------- */

static int beams_make_room(struct beams *b, int beams)
{
    if (beams <= b->room)
        return 0;
    beams_free(b);
    size_t n = 2 * (size_t)beams;
    b->at = mem_new(n, sizeof *b->at, "beams");
    b->end = mem_new(n, sizeof *b->end, "beams");
    b->across = mem_new(n, sizeof *b->across, "beams");
    b->along = mem_new(n, sizeof *b->along, "beams");
    b->which = mem_new(n, sizeof *b->which, "beams");
    if (!b->at || !b->end || !b->across || !b->along || !b->which)
        return -ENOMEM;
    b->room = 2 * beams;
    return 0;
}

static void place_at_ship(struct beams *b, const struct gsf_ping *p)
{
    for (int i = 0; i < p->beams; i++)
        b->at[i] = (struct geo_point){p->lat, p->lon};
}

int beams_place(struct beams *b, const struct gsf_ping *ping)
{
    struct geo_point here = {ping->lat, ping->lon};
    int rc = beams_make_room(b, ping->beams);
    if (rc)
        return rc;
    if (ping->headed)
        geo_beams(b->how, here, ping->heading, ping->beams, ping->across, ping->along,
                  b->at);
    else
        place_at_ship(b, ping);
    return 0;
}

void beams_free(struct beams *b)
{
    free(b->at);
    free(b->end);
    free(b->across);
    free(b->along);
    free(b->which);
    *b = (struct beams){.how = b->how};
}

/* ---- the ends of a box ----------------------------------------------------------- */

/* Limits of a box; a beam beyond one of them may enlarge it. */
struct ends {
    double south, north, west, east;
};

/* Finds the extent of the beams that are loaded, by approximate positions. Returns
 * their number. */
static int reach(const struct beams *b, const struct gsf_ping *p, struct ends *e)
{
    int n = 0;
    *e = (struct ends){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < p->beams; i++) {
        struct geo_point at = b->at[i];
        if (gsf_why_beam_out(p, i))
            continue;
        e->south = at.lat < e->south ? at.lat : e->south;
        e->north = at.lat > e->north ? at.lat : e->north;
        e->west = at.lon < e->west ? at.lon : e->west;
        e->east = at.lon > e->east ? at.lon : e->east;
        n++;
    }
    return n;
}

/* True if the extent comes near 0 or 180 degrees: a box has two ranges of longitudes,
 * which differ there, so all beams are placed. */
static bool is_by_seam(const struct ends *e, double error)
{
    double west = e->west - error, east = e->east + error;
    return west <= -180 || east >= 180 || (west <= 0 && east >= 0);
}

/* Narrows the limits, so that any beam that may be an end of `known` and the beams lies
 * beyond one of them, in spite of an `error` of its position. */
static void draw_in(struct ends *e, struct geo_point error, const struct geo_box *known)
{
    double turn = e->west < 0 ? 360 : 0;
    e->south += 2 * error.lat;
    e->north -= 2 * error.lat;
    e->west += 2 * error.lon;
    e->east -= 2 * error.lon;
    if (!known->n)
        return;
    e->south = fmin(e->south, known->south + error.lat);
    e->north = fmax(e->north, known->north - error.lat);
    e->west = fmin(e->west, fmax(known->west[0], known->west[1] - turn) + error.lon);
    e->east = fmax(e->east, fmin(known->east[0], known->east[1] - turn) - error.lon);
}

/* Selects the beams beyond a limit; one at least, whose place the others get. */
static int pick(struct beams *b, const struct gsf_ping *p, const struct ends *e)
{
    int n = 0, any = 0;
    for (int i = 0; i < p->beams; i++) {
        struct geo_point at = b->at[i];
        if (gsf_why_beam_out(p, i))
            continue;
        any = i;
        if (at.lat <= e->south || at.lat >= e->north || at.lon <= e->west ||
            at.lon >= e->east)
            b->which[n++] = i;
    }
    if (!n)
        b->which[n++] = any;
    return n;
}

/* True if no beam of the ping reaches an end of `known`, or comes near the meridians at
 * which longitudes jump. */
static bool is_inside(const struct gsf_ping *p, const struct geo_box *known)
{
    struct geo_point reach;
    double lon = p->lon, upwards = lon < 0 ? lon + 360 : lon;
    if (!known->n || !geo_beams_reach((struct geo_point){p->lat, lon}, p->beams,
                                      p->across, p->along, &reach))
        return false;
    struct ends e = {.west = lon, .east = lon};
    return !is_by_seam(&e, reach.lon) && p->lat - reach.lat > known->south &&
           p->lat + reach.lat < known->north && lon - reach.lon > known->west[0] &&
           lon + reach.lon < known->east[0] && upwards - reach.lon > known->west[1] &&
           upwards + reach.lon < known->east[1];
}

static void place_picked(struct beams *b, const struct gsf_ping *p, int n)
{
    struct geo_point here = {p->lat, p->lon};
    for (int k = 0; k < n; k++) {
        b->across[k] = p->across[b->which[k]];
        b->along[k] = p->along[b->which[k]];
    }
    geo_beams(b->how, here, p->heading, n, b->across, b->along, b->end);
    for (int i = 0; i < p->beams; i++)
        b->at[i] = b->end[0];
    for (int k = 0; k < n; k++)
        b->at[b->which[k]] = b->end[k];
}

int beams_place_ends(struct beams *b, const struct gsf_ping *ping,
                     const struct geo_box *known)
{
    struct geo_point here = {ping->lat, ping->lon}, error;
    struct ends e;
    int rc = beams_make_room(b, ping->beams);
    if (rc)
        return rc;
    if (b->how == GEO_EXACT && ping->headed && is_inside(ping, known)) {
        place_at_ship(b, ping);
        return 0;
    }
    if (b->how != GEO_EXACT || !ping->headed ||
        !geo_beams_about(here, ping->heading, ping->beams, ping->across, ping->along,
                         b->at, &error) ||
        !reach(b, ping, &e) || is_by_seam(&e, error.lon))
        return beams_place(b, ping);
    draw_in(&e, error, known);
    place_picked(b, ping, pick(b, ping, &e));
    return 0;
}
