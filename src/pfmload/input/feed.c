#include "pfmload/input/feed.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "hydro/pfm.h"
#include "hydro/pfm_pack.h"
#include "pfmload/input/beams.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct feed {
    const struct pfm_head *head;
    struct feed_options o;
    struct beams beams;
    struct swath *swath;      /* NULL: no filter */
    struct pfm_place *places; /* of a ping's beams */
    struct pfm_sounding *soundings;
    int room;
    struct feed_counts counts;
};

/* The file being fed. */
struct source {
    struct gsf *gsf;
    const char *path;
    int64_t number, line;
    bool ended; /* at its end; the filter may still hold pings */
    feed_sink *sink;
    void *context;
};

int feed_open(struct feed **out, const struct pfm_head *h, const struct feed_options *o)
{
    struct feed *f = mem_new(1, sizeof *f, "reading input files");
    *out = f;
    if (!f)
        return -ENOMEM;
    f->head = h;
    f->o = *o;
    f->beams.how = o->how;
    int rc = o->filter ? swath_open(&f->swath, &o->swath) : 0;
    if (rc)
        feed_close(out);
    return rc;
}

void feed_close(struct feed **f)
{
    if (*f) {
        beams_free(&(*f)->beams);
        swath_close(&(*f)->swath);
        free((*f)->places);
        free((*f)->soundings);
    }
    free(*f);
    *f = NULL;
}

const struct feed_counts *feed_counts(const struct feed *f)
{
    return &f->counts;
}

int feed_balance(const struct feed *f)
{
    const struct feed_counts *c = &f->counts;
    int64_t loaded = c->soundings - c->old, out = gsf_out_sum(c->out);
    if (c->beams == loaded + out)
        return 0;
    return err_set(
        -EIO, NULL, -1,
        "%lld beams were read, and %lld were loaded and %lld left out with a "
        "reason: this is an error in pfmload",
        (long long)c->beams, (long long)loaded, (long long)out);
}

/* ---- a ping --------------------------------------------------------------------- */

static int feed_make_room(struct feed *f, int beams)
{
    if (beams <= f->room)
        return 0;
    free(f->places);
    free(f->soundings);
    f->room = 0;
    f->places = mem_new(2 * beams, sizeof *f->places, "reading input files");
    f->soundings = mem_new(2 * beams, sizeof *f->soundings, "reading input files");
    if (!f->places || !f->soundings)
        return -ENOMEM;
    f->room = 2 * beams;
    return 0;
}

static uint32_t validity_of(uint8_t flag)
{
    return !(flag & GSF_BEAM_IGNORE) ? 0
           : flag == GSF_BEAM_FILTER ? PFM_FILTER_INVAL
                                     : PFM_MANUALLY_INVAL;
}

/* Or-s the bits of soundings together: the result fits its fields if each of
 * them does. */
static inline void gather(struct pfm_sounding *all, const struct pfm_sounding *s)
{
    all->file |= s->file;
    all->line |= s->line;
    all->ping |= s->ping;
    all->beam |= s->beam;
    all->depth |= s->depth;
    all->x |= s->x;
    all->y |= s->y;
    all->validity |= s->validity;
}

static inline void feed_count(struct feed_counts *c, const struct pfm_sounding *s)
{
    c->soundings++;
    if (!s->validity)
        return;
    c->manual += (s->validity & PFM_MANUALLY_INVAL) != 0;
    c->filtered += (s->validity & PFM_FILTER_INVAL) != 0;
}

/* Makes the soundings of a ping; *fits is their union by gather(). Returns their
 * number, or -1 if a stored depth would be negative, or as deep as the null depth. */
static int make_soundings(struct feed *f, const struct source *from,
                          const struct gsf_ping *p, const uint8_t *cut,
                          struct pfm_sounding *fits)
{
    const struct pfm_head *h = f->head;
    struct feed_counts c = f->counts;
    struct pfm_sounding *to = f->soundings, all = {0};
    struct pfm_sounding s = {.file = (uint32_t)from->number,
                             .line = (uint16_t)from->line,
                             .ping = (uint32_t)p->number};
    pfm_places(h, f->beams.at, p->beams, f->places);
    for (int i = 0; i < p->beams; i++) {
        double depth = (p->depth[i] + h->depth_offset) * h->depth_scale + 0.5;
        enum gsf_out why = gsf_why_beam_out(p, i);
        if (why) {
            c.out[why]++;
        } else if (!pfm_put_place(h, &f->places[i], &s)) {
            c.out[GSF_OUT_AREA]++;
        } else if (!(depth >= 0 && depth < (double)h->null_raw)) {
            return -1;
        } else {
            s.beam = (uint16_t)(i + 1);
            s.depth = (uint32_t)depth;
            s.validity = cut && cut[i] ? PFM_FILTER_INVAL | PFM_MODIFIED
                                       : validity_of(p->flag[i]);
            c.cut += cut && cut[i];
            gather(&all, &s);
            feed_count(&c, &s);
            *to++ = s;
        }
    }
    f->counts = c;
    *fits = all;
    return (int)(to - f->soundings);
}

/* Feeds a ping. `cut` has a byte for each beam; NULL: nothing is cut. */
static int feed_ping(struct feed *f, const struct source *from,
                     const struct gsf_ping *p, const uint8_t *cut)
{
    struct pfm_sounding all = {0};
    enum gsf_out why = gsf_why_ping_out(p);
    f->counts.pings++;
    f->counts.pings_single += p->single;
    f->counts.beams += p->beams;
    f->counts.out[why] += why ? p->beams : 0;
    if (why)
        return 0;
    int rc = beams_place(&f->beams, p);
    if (!rc)
        rc = feed_make_room(f, p->beams);
    if (rc)
        return rc;
    int n = make_soundings(f, from, p, cut, &all);
    if (n < 0)
        return err_set(-ERANGE, from->path, p->offset,
                       "ping %lld: a sounding is not within the depths that this PFM "
                       "can hold, %g m to below %g m",
                       (long long)p->number, 0.0 - f->head->depth_offset,
                       f->head->null_depth);
    const char *unfit = pfm_unfit(f->head, &all);
    if (unfit || p->number > UINT32_MAX)
        return err_set(-ERANGE, from->path, p->offset,
                       "ping %lld: the %s of a sounding does not fit into the bits "
                       "that this PFM has for it",
                       (long long)p->number, unfit ? unfit : "ping");
    return n ? from->sink(from->context, f->soundings, n) : 0;
}

/* ---- sources -------------------------------------------------------------------- */

static int check_numbers(const struct source *from)
{
    if (from->number >= 0 && from->number <= UINT32_MAX && from->line >= 0 &&
        from->line <= UINT16_MAX)
        return 0;
    return err_set(-ERANGE, from->path, -1,
                   "file %lld, line %lld: a PFM has no such numbers",
                   (long long)from->number, (long long)from->line);
}

/* Reads the next ping, through the filter if there is one. Returns 1, 0 or -errno
 * as gsf_next. */
static int next_ping(struct feed *f, struct source *from, struct gsf_ping *ping,
                     const uint8_t **cut)
{
    *cut = NULL;
    if (!f->swath)
        return gsf_next(from->gsf, ping);
    while (!swath_next(f->swath, ping, cut)) {
        int rc = from->ended ? 0 : gsf_next(from->gsf, ping);
        if (rc < 0 || from->ended)
            return rc;
        from->ended = !rc;
        if (from->ended)
            swath_flush(f->swath);
        else if ((rc = swath_push(f->swath, ping)))
            return rc;
    }
    return 1;
}

int feed_file(struct feed *f, int64_t number, const char *path, feed_sink *sink,
              void *context)
{
    struct source from = {.path = path,
                          .number = number,
                          .line = number + f->o.line_shift,
                          .sink = sink,
                          .context = context};
    struct gsf_ping ping;
    const uint8_t *cut;
    int rc = check_numbers(&from);
    if (rc)
        return rc;
    rc = reader_open(f->o.reader, path);
    from.gsf = f->o.reader->gsf;
    f->counts.files += !rc;
    while (!rc && (rc = next_ping(f, &from, &ping, &cut)) == 1)
        rc = feed_ping(f, &from, &ping, cut);
    if (!rc && gsf_cut(from.gsf) >= 0)
        f->counts.cut_bytes += gsf_bytes(from.gsf) - gsf_cut(from.gsf);
    reader_close(f->o.reader);
    return rc;
}

static bool is_same_grid(const struct pfm_head *a, const struct pfm_head *b)
{
    return a->width == b->width && a->height == b->height && a->min_x == b->min_x &&
           a->min_y == b->min_y && a->bin_x == b->bin_x && a->bin_y == b->bin_y &&
           a->offset_bits == b->offset_bits && a->depth_scale == b->depth_scale &&
           a->depth_offset == b->depth_offset;
}

static int feed_chain(struct feed *f, struct pfm *p, const struct pfm_bin *bin,
                      feed_sink *sink, void *context)
{
    const struct pfm_sounding *s;
    struct pfm_sounding all = {0};
    int rc = pfm_chain(p, bin, NULL, &s);
    for (int64_t i = 0; i < bin->soundings && !rc; i++) {
        gather(&all, &s[i]);
        feed_count(&f->counts, &s[i]);
        f->counts.old++;
    }
    const char *unfit = rc ? NULL : pfm_unfit(f->head, &all);
    if (unfit)
        rc = err_set(-ERANGE, NULL, -1,
                     "the %s of a sounding of the PFM that is added to does not fit "
                     "into the bits that the new one has for it",
                     unfit);
    return rc ? rc : sink(context, s, bin->soundings);
}

int feed_pfm(struct feed *f, struct pfm *p, int64_t row0, int64_t row1, feed_sink *sink,
             void *context)
{
    int rc = 0;
    if (!is_same_grid(pfm_head(p), f->head))
        return err_set(-EINVAL, NULL, -1,
                       "the PFM that is added to has another grid, or stores depths "
                       "in another way, than the new one");
    for (int64_t row = row0; row < row1 && !rc; row++)
        for (int64_t column = 0; column < f->head->width && !rc; column++) {
            struct pfm_bin bin;
            rc = pfm_bin(p, row, column, &bin);
            if (!rc && bin.soundings)
                rc = feed_chain(f, p, &bin, sink, context);
        }
    return rc;
}

/* ---- fingerprints --------------------------------------------------------------- */

/* Combines both halves of the product, whose factors are unlikely to be 0. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(a ^ RNG_STEP) * (b ^ RNG_MIX_1);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t feed_hash(const struct pfm_sounding *s, int64_t n)
{
    uint64_t sum = 0;
    for (; n > 0; n--, s++) {
        uint32_t validity = s->validity & ~(uint32_t)(PFM_FILTER_INVAL | PFM_MODIFIED);
        uint64_t who =
            fold((uint64_t)s->file << 32 | s->ping, (uint64_t)s->bin << 16 | s->beam);
        uint64_t what =
            fold((uint64_t)s->depth << 32 | validity, (uint64_t)s->x << 16 | s->y);
        sum += fold(who, what ^ RNG_MIX_2);
    }
    return sum;
}
