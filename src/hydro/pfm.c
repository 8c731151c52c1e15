#include "hydro/pfm.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/wide.h"
#include "hydro/pfm_pack.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a callback for each finished read and write --------------------------------- */

static inline void told_transfer(const struct told *t, bool write, int64_t bytes,
                                 int64_t ns)
{
    if (t->transfer)
        t->transfer(t->context, write, bytes, ns);
}

/* ---- the file -------------------------------------------------------------------- */

struct pfm;

/* A file and its part that was read last. Bins are read row by row, and chains were
 * mostly written in order: each part that follows the last one is twice as large. If
 * chains are scattered over the file, a jump reads only a page. */
enum { PAGE = 4096, WINDOW = 1 << 20 };

struct part {
    int fd;
    char path[PFM_PATH];
    int64_t bytes;
    int64_t at; /* offset of the window */
    int64_t have, want;
    uint8_t *window;
    struct told told; /* called for each read */
};

struct pfm {
    struct pfm_head head;
    struct pfm_extremes extremes;
    struct part bins, blocks;
    struct pfm_sounding *soundings;
    int64_t room;
};

/* ---- files ---------------------------------------------------------------------- */

int pfm_path(char path[PFM_PATH], const char *handle, const char *suffix)
{
    const char *slash = strrchr(handle, '/'), *name = slash ? slash + 1 : handle;
    int n = snprintf(path, PFM_PATH, "%s.data/%s.%s", handle, name, suffix);
    return n < PFM_PATH ? 0
                        : err_set(-ENAMETOOLONG, handle, -1, "the path is too long");
}

static int open_part(struct part *f, const char *handle, const char *suffix)
{
    struct stat st;
    int rc = pfm_path(f->path, handle, suffix);
    if (rc)
        return rc;
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &st))
        return err_set(-errno, f->path, -1, "this part of the PFM cannot be opened: %s",
                       strerror(errno));
    f->bytes = st.st_size;
    f->window = mem_of(f->path, WINDOW, 1, "reading the file");
    return f->window ? 0 : -ENOMEM;
}

static void close_part(struct part *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->window);
}

/* Reads at least n bytes at `at`, and up to f->want if the file has them. */
static int pfm_fill(struct part *f, int64_t at, int64_t n)
{
    f->at = at;
    f->have = 0;
    while (f->have < n) {
        int64_t began = clock_ns();
        ssize_t got = pread(f->fd, f->window + f->have, (size_t)(f->want - f->have),
                            at + f->have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return err_set(got ? -errno : -EIO, f->path, at + f->have, "%s",
                           got ? strerror(errno) : "the file ends too early");
        f->have += got;
        told_transfer(&f->told, false, got, clock_ns() - began);
    }
    return 0;
}

void pfm_tell(struct pfm *p, struct told told)
{
    p->bins.told = p->blocks.told = told;
}

/* Makes n bytes at `at` available, both within the file, and n far below the window. */
static int see(struct part *f, int64_t at, int64_t n, const uint8_t **p)
{
    int rc = 0;
    if (at < f->at || at + n > f->at + f->have) {
        bool follows = at >= f->at && at <= f->at + f->have;
        int64_t begin = at - at % PAGE, least = at + n - begin;
        f->want = units_round_up(follows ? 2 * f->want : least, PAGE);
        f->want = f->want > WINDOW ? WINDOW : f->want < least ? least : f->want;
        rc = pfm_fill(f, begin, least);
    }
    *p = f->window + (at - f->at);
    return rc;
}

/* ---- opening -------------------------------------------------------------------- */

/* Checks a handle file. A FIFO is refused instead of waited for. */
int pfm_check_handle(const char *path)
{
    char line[128] = "";
    struct stat st;
    bool there = !stat(path, &st);
    if (there && !S_ISREG(st.st_mode))
        return err_set(-EINVAL, path, -1, "this is no regular file, and so no PFM");
    FILE *f = there ? fopen(path, "re") : NULL;
    if (!f)
        return err_set(-errno, path, -1, "the file cannot be opened: %s",
                       strerror(errno));
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    if (!got || !strstr(line, "PFM Handle File"))
        return err_set(-EBADMSG, path, -1,
                       "this is not a PFM: its first line does not say \"PFM Handle "
                       "File\"");
    return 0;
}

static int pfm_read_head(struct pfm *p)
{
    struct part *f = &p->bins;
    char *text = mem_of(f->path, PFM_HEADER_BYTES + 1, 1, "reading the file");
    const uint8_t *from;
    int64_t n = f->bytes < PFM_HEADER_BYTES ? f->bytes : PFM_HEADER_BYTES;
    if (!text)
        return -ENOMEM;
    int rc = n ? see(f, 0, n, &from) : 0;
    if (!rc && n)
        memcpy(text, from, (size_t)n);
    if (!rc)
        rc = pfm_head_parse(&p->head, text, f->path);
    if (!rc)
        pfm_extremes_parse(&p->extremes, &p->head, text);
    free(text);
    int64_t need = 0;
    const struct pfm_head *h = &p->head;
    if (!rc && (__builtin_mul_overflow(h->width * h->bin_bytes, h->height, &need) ||
                need > f->bytes - h->header_bytes))
        rc = err_set(-EBADMSG, f->path, f->bytes,
                     "the file is cut short: it has no room for %lld x %lld bins",
                     (long long)h->width, (long long)h->height);
    return rc;
}

int pfm_open(struct pfm **out, const char *path)
{
    struct pfm *p = mem_of(path, 1, sizeof *p, "reading the file");
    *out = p;
    if (!p)
        return -ENOMEM;
    p->bins.fd = p->blocks.fd = -1;
    int rc = pfm_check_handle(path);
    if (!rc)
        rc = open_part(&p->bins, path, "bin");
    if (!rc)
        rc = open_part(&p->blocks, path, "ndx");
    if (!rc)
        rc = pfm_read_head(p);
    if (rc)
        pfm_close(out);
    return rc;
}

void pfm_close(struct pfm **p)
{
    if (*p) {
        close_part(&(*p)->bins);
        close_part(&(*p)->blocks);
        free((*p)->soundings);
    }
    free(*p);
    *p = NULL;
}

const struct pfm_head *pfm_head(const struct pfm *p)
{
    return &p->head;
}

const struct pfm_extremes *pfm_extremes(const struct pfm *p)
{
    return &p->extremes;
}

int64_t pfm_blocks(const struct pfm *p)
{
    return p->blocks.bytes / p->head.block_bytes;
}

/* ---- bins and chains ------------------------------------------------------------ */

int pfm_bin(struct pfm *p, int64_t row, int64_t column, struct pfm_bin *bin)
{
    const struct pfm_head *h = &p->head;
    const uint8_t *record;
    int64_t at = h->header_bytes + (row * h->width + column) * h->bin_bytes;
    int rc = see(&p->bins, at, h->bin_bytes, &record);
    if (rc)
        return rc;
    bin->index = row * h->width + column;
    pfm_get_bin(h, record, bin);
    return 0;
}

static int pfm_make_room(struct pfm *p, int64_t n)
{
    if (n <= p->room)
        return 0;
    struct pfm_sounding *s =
        mem_grow(p->soundings, n * 2, sizeof *s, "a bin's soundings");
    if (!s)
        return -ENOMEM;
    p->soundings = s;
    p->room = 2 * n;
    return 0;
}

static int check_block(struct pfm *p, int64_t at, uint8_t *used)
{
    int64_t size = p->head.block_bytes, index = at / size;
    if (at > p->blocks.bytes - size)
        return err_set(-EBADMSG, p->blocks.path, at,
                       "a chain leads out of the file, which has %lld bytes",
                       (long long)p->blocks.bytes);
    if (at % size)
        return err_set(-EBADMSG, p->blocks.path, at,
                       "a chain leads into the middle of a block of %lld bytes",
                       (long long)size);
    if (used && used[index / 8] & 1 << index % 8)
        return err_set(-EBADMSG, p->blocks.path, at,
                       "a block belongs to two chains, or twice to one");
    if (used)
        used[index / 8] |= (uint8_t)(1 << index % 8);
    return 0;
}

/* Reads the soundings of a block, at most `left`, and the next block of the chain. */
static int take_block(struct pfm *p, int64_t at, int64_t left, int64_t index,
                      struct pfm_sounding *s, int64_t *next)
{
    const struct pfm_head *h = &p->head;
    const uint8_t *block;
    int rc = see(&p->blocks, at, h->block_bytes, &block);
    if (!rc)
        pfm_get_soundings(h, block, 0, s,
                          left < h->record_length ? left : h->record_length, index);
    *next = rc ? 0 : pfm_get_next(h, block);
    return rc;
}

int pfm_chain(struct pfm *p, const struct pfm_bin *bin, struct pfm_walk *walk,
              const struct pfm_sounding **s)
{
    struct pfm_walk alone = {0}, *w = walk ? walk : &alone;
    int64_t length = p->head.record_length, at = bin->first, last = at, done = 0;
    *s = NULL;
    if ((bin->soundings + length - 1) / length > pfm_blocks(p))
        return err_set(-EBADMSG, p->blocks.path, -1,
                       "a bin has %lld sounding%s, more than there are in all blocks",
                       (long long)bin->soundings, units_s(bin->soundings));
    int rc = pfm_make_room(p, bin->soundings);
    for (; done < bin->soundings && !rc; done += length) {
        w->blocks++;
        w->links += done > 0;
        w->in_order += done > 0 && at == last + p->head.block_bytes;
        last = at;
        rc = check_block(p, at, w->used);
        if (!rc)
            rc = take_block(p, at, bin->soundings - done, bin->index,
                            p->soundings + done, &at);
        if (!rc && !at && done + length < bin->soundings)
            rc = err_set(-EBADMSG, p->blocks.path, last,
                         "a chain ends here with %lld of its %lld sounding%s",
                         (long long)done + length, (long long)bin->soundings,
                         units_s(bin->soundings));
    }
    if (!rc && bin->soundings && (last != bin->last || at))
        rc = err_set(
            -EBADMSG, p->blocks.path, last,
            "a chain of %lld sounding%s ends here, going on at %lld, and its bin "
            "says that it ends at %lld",
            (long long)bin->soundings, units_s(bin->soundings), (long long)at,
            (long long)bin->last);
    *s = p->soundings;
    return rc;
}

/* ---- the summary that a bin should have ----------------------------------------- */

void pfm_recompute(const struct pfm_head *h, const struct pfm_sounding *s, int64_t n,
                   struct pfm_bin *bin)
{
    struct pfm_sums sums = {0};
    int64_t soundings = bin->soundings;
    pfm_sums_add(h, &sums, s, n);
    pfm_sums_bin(h, &sums, bin);
    bin->soundings = soundings;
}

/* ---- places ---------------------------------------------------------------------- */

/* One side of the grid. */
struct axis {
    double first, bin, bins; /* degrees; and number of bins */
    double largest;          /* largest offset in a bin */
};

/* The grid may begin this many degrees above the bounds, due to rounding in
 * the header. */
static const double rounded = 1e-9;

/* True within the grid. No branches, as the loop is vectorised. */
static inline int32_t is_within(const struct axis *a, double at)
{
    double x = at - a->first;
    int32_t after = x >= -rounded, before = x / a->bin < a->bins;
    return after & before;
}

/* The bin of a coordinate; any bin for one outside. */
static inline int32_t bin_of(const struct axis *a, double at)
{
    double bin = (at - a->first) / a->bin;
    bin = bin > 0 ? bin : 0;
    return (int32_t)(bin < a->bins ? bin : a->bins);
}

/* The offset within the bin, as in the library: the distance from the bin's edge is a
 * float on the way. */
static inline int32_t offset_of(const struct axis *a, double at, int32_t bin)
{
    float degrees = (float)(at - (a->first + bin * a->bin));
    double x = degrees / a->bin * a->largest + 0.5;
    x = x >= 1 ? x : 0;
    return (int32_t)(x < a->largest ? x : a->largest);
}

WIDE_EXACT static void places(struct axis ax, struct axis ay, const struct geo_point *p,
                              int n, struct pfm_place *to)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double lat = p[i].lat, lon = p[i].lon;
        lon += lon < ax.first - rounded ? 360 : 0;
        int32_t column = bin_of(&ax, lon), row = bin_of(&ay, lat);
        int32_t within = is_within(&ax, lon) & is_within(&ay, lat);
        to[i].column = column | (within - 1);
        to[i].row = row;
        to[i].x = offset_of(&ax, lon, column);
        to[i].y = offset_of(&ay, lat, row);
    }
}

void pfm_places(const struct pfm_head *h, const struct geo_point *p, int n,
                struct pfm_place *to)
{
    double largest = (double)((1 << h->offset_bits) - 1);
    struct axis ax = {h->min_x, h->bin_x, (double)h->width, largest};
    struct axis ay = {h->min_y, h->bin_y, (double)h->height, largest};
    places(ax, ay, p, n, to);
}

/* ---- sums of a bin --------------------------------------------------------------- */

static void sums_add_depth(struct pfm_sums_part *p, uint32_t depth)
{
    if (!p->n || depth < p->min)
        p->min = depth;
    if (!p->n || depth > p->max)
        p->max = depth;
    p->n++;
    p->sum += depth;
    p->squares += (uint64_t)depth * depth;
}

void pfm_sums_add(const struct pfm_head *h, struct pfm_sums *sums,
                  const struct pfm_sounding *s, int64_t n)
{
    struct pfm_sums sum = *sums;
    sum.n += n;
    for (int64_t i = 0; i < n; i++) {
        uint32_t validity = s[i].validity, depth = s[i].depth;
        sum.validity |= validity;
        if (validity & (PFM_DELETED | PFM_REFERENCE) || depth >= h->null_raw)
            continue;
        sums_add_depth(validity & PFM_INVAL ? &sum.bad : &sum.good, depth);
    }
    *sums = sum;
}

static struct pfm_sums_part pfm_join(const struct pfm_sums_part *a,
                                     const struct pfm_sums_part *b)
{
    if (!a->n || !b->n)
        return a->n ? *a : *b;
    return (struct pfm_sums_part){.n = a->n + b->n,
                                  .sum = a->sum + b->sum,
                                  .squares = a->squares + b->squares,
                                  .min = a->min < b->min ? a->min : b->min,
                                  .max = a->max > b->max ? a->max : b->max};
}

/* The standard deviation. n * squares - sum^2 is exact: below 2^126. */
static double deviation(const struct pfm_head *h, const struct pfm_sums_part *p)
{
    if (p->n < 2)
        return 0;
    unsigned __int128 n = (unsigned __int128)p->n, sum = (unsigned __int128)p->sum;
    double spread = (double)(n * p->squares - sum * sum);
    return sqrt(spread / ((double)p->n * (double)(p->n - 1))) / h->depth_scale;
}

static double mean(const struct pfm_head *h, const struct pfm_sums_part *p)
{
    return p->n ? (double)p->sum / (double)p->n / h->depth_scale - h->depth_offset
                : h->null_depth;
}

void pfm_sums_bin(const struct pfm_head *h, const struct pfm_sums *sums,
                  struct pfm_bin *bin)
{
    const struct pfm_sums_part *good = &sums->good, both = pfm_join(good, &sums->bad);
    const struct pfm_sums_part *all = &both;
    double none = h->null_depth;
    bin->soundings = sums->n;
    bin->valid = good->n;
    bin->validity = good->n ? sums->validity | PFM_DATA : sums->validity & ~PFM_DATA;
    bin->std = deviation(h, good);
    bin->average_filtered = mean(h, good);
    bin->min_filtered = good->n ? pfm_depth(h, good->min) : none;
    bin->max_filtered = good->n ? pfm_depth(h, good->max) : none;
    bin->average = mean(h, all);
    bin->min = all->n ? pfm_depth(h, all->min) : none;
    bin->max = all->n ? pfm_depth(h, all->max) : none;
}
