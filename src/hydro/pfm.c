#include "hydro/pfm.h"
#include "base/err.h"
#include "hydro/pfm_head.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file and the part of it that was read last. Bins are read row by row and chains
 * were mostly written in order, so the next bytes are mostly there. */
enum { WINDOW = 1 << 20, SLACK = 8 }; /* slack: bits are taken eight bytes at a time */

struct part {
    int fd;
    char path[4096];
    int64_t bytes;
    int64_t at; /* the window's begin in the file */
    int have;
    uint8_t *window;
};

struct pfm {
    struct pfm_head head;
    struct part bins, blocks;
    struct pfm_sounding *soundings;
    int64_t room;
};

/* ---- files ---------------------------------------------------------------------- */

static int open_part(struct part *f, const char *handle, const char *suffix)
{
    const char *slash = strrchr(handle, '/'), *name = slash ? slash + 1 : handle;
    struct stat st;
    int n = snprintf(f->path, sizeof f->path, "%s.data/%s.%s", handle, name, suffix);
    if (n >= (int)sizeof f->path)
        return err_set(-ENAMETOOLONG, handle, -1, "the path is too long");
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &st))
        return err_set(-errno, f->path, -1, "cannot open this part of the PFM: %s",
                       strerror(errno));
    f->bytes = st.st_size;
    f->window = calloc(1, WINDOW + SLACK);
    return f->window ? 0 : err_set(-ENOMEM, f->path, -1, "no memory to read the file");
}

static void close_part(struct part *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->window);
}

static int fill(struct part *f, int64_t at, int64_t n)
{
    f->at = at;
    f->have = 0;
    while (f->have < n) {
        ssize_t got =
            pread(f->fd, f->window + f->have, (size_t)(WINDOW - f->have), at + f->have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return err_set(got ? -errno : -EIO, f->path, at + f->have, "%s",
                           got ? strerror(errno) : "the file ends too early");
        f->have += (int)got;
    }
    return 0;
}

/* n bytes at `at`, both within the file, and n far below the window. */
static int see(struct part *f, int64_t at, int64_t n, const uint8_t **p)
{
    int rc = 0;
    if (at < f->at || at + n > f->at + f->have)
        rc = fill(f, at, n);
    *p = f->window + (at - f->at);
    return rc;
}

/* ---- bits ----------------------------------------------------------------------- */

struct bits {
    const uint8_t *from;
    int64_t at; /* the next bit */
};

/* The next n bits, at most PFM_FIELD_MAX of them, the highest first. */
static uint64_t take(struct bits *b, int64_t n)
{
    uint64_t word;
    memcpy(&word, b->from + b->at / 8, sizeof word);
    word = be64toh(word) << b->at % 8;
    b->at += n;
    return n ? word >> (64 - n) : 0;
}

static double take_depth(struct bits *b, const struct pfm_head *h)
{
    return (double)take(b, h->depth_bits) / h->depth_scale - h->depth_offset;
}

/* ---- opening -------------------------------------------------------------------- */

/* A handle file says what it is in its first line. */
static int check_handle(const char *path)
{
    char line[128] = "";
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set(-errno, path, -1, "cannot open the file: %s", strerror(errno));
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    if (!got || !strstr(line, "PFM Handle File"))
        return err_set(-EBADMSG, path, -1,
                       "this is not a PFM: its first line does not say \"PFM Handle "
                       "File\"");
    return 0;
}

static int read_head(struct pfm *p)
{
    struct part *f = &p->bins;
    char *text = calloc(1, PFM_HEADER_BYTES + 1);
    const uint8_t *from;
    int64_t n = f->bytes < PFM_HEADER_BYTES ? f->bytes : PFM_HEADER_BYTES;
    if (!text)
        return err_set(-ENOMEM, f->path, -1, "no memory to read the file");
    int rc = n ? see(f, 0, n, &from) : 0;
    if (!rc && n)
        memcpy(text, from, (size_t)n);
    if (!rc)
        rc = pfm_head_parse(&p->head, text, f->path);
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
    struct pfm *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return err_set(-ENOMEM, path, -1, "no memory to read the file");
    p->bins.fd = p->blocks.fd = -1;
    int rc = check_handle(path);
    if (!rc)
        rc = open_part(&p->bins, path, "bin");
    if (!rc)
        rc = open_part(&p->blocks, path, "ndx");
    if (!rc)
        rc = read_head(p);
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

int64_t pfm_blocks(const struct pfm *p)
{
    return p->blocks.bytes / p->head.block_bytes;
}

/* ---- bins and chains ------------------------------------------------------------ */

int pfm_bin(struct pfm *p, int64_t row, int64_t column, struct pfm_bin *bin)
{
    const struct pfm_head *h = &p->head;
    struct bits b = {0};
    int64_t at = h->header_bytes + (row * h->width + column) * h->bin_bytes;
    int rc = see(&p->bins, at, h->bin_bytes, &b.from);
    if (rc)
        return rc;
    bin->soundings = (int64_t)take(&b, h->count_bits);
    bin->std = (double)take(&b, h->std_bits) / h->std_scale;
    bin->average_filtered = take_depth(&b, h);
    bin->min_filtered = take_depth(&b, h);
    bin->max_filtered = take_depth(&b, h);
    bin->average = take_depth(&b, h);
    bin->min = take_depth(&b, h);
    bin->max = take_depth(&b, h);
    bin->valid = h->version >= 7 ? (int64_t)take(&b, h->count_bits) : -1;
    b.at += h->bin_attribute_bits;
    bin->validity = (uint32_t)take(&b, h->validity_bits);
    bin->first = (int64_t)take(&b, h->pointer_bits);
    bin->last = (int64_t)take(&b, h->pointer_bits);
    return 0;
}

static int make_room(struct pfm *p, int64_t n)
{
    if (n <= p->room)
        return 0;
    struct pfm_sounding *s = realloc(p->soundings, (size_t)n * 2 * sizeof *s);
    if (!s)
        return err_set(-ENOMEM, p->blocks.path, -1,
                       "no memory for a bin of %lld "
                       "soundings",
                       (long long)n);
    p->soundings = s;
    p->room = 2 * n;
    return 0;
}

static void take_sounding(struct bits *b, const struct pfm_head *h,
                          struct pfm_sounding *s)
{
    int64_t end = b->at + h->sounding_bits;
    s->file = (int64_t)take(b, h->file_bits);
    s->line = (int64_t)take(b, h->line_bits);
    s->ping = (int64_t)take(b, h->ping_bits);
    s->beam = (int64_t)take(b, h->beam_bits);
    s->raw_depth = (int64_t)take(b, h->depth_bits);
    s->depth = (double)s->raw_depth / h->depth_scale - h->depth_offset;
    s->x = (int64_t)take(b, h->offset_bits);
    s->y = (int64_t)take(b, h->offset_bits);
    b->at += h->attribute_bits;
    s->validity = (uint32_t)take(b, h->validity_bits);
    b->at = end;
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

/* Takes what a block holds, at most `left` soundings, and where the chain goes on. */
static int take_block(struct pfm *p, int64_t at, int64_t left, struct pfm_sounding *s,
                      int64_t *next)
{
    const struct pfm_head *h = &p->head;
    struct bits b = {0};
    int rc = see(&p->blocks, at, h->block_bytes, &b.from);
    for (int64_t i = 0; i < h->record_length && i < left && !rc; i++)
        take_sounding(&b, h, s + i);
    b.at = h->sounding_bits * h->record_length;
    *next = rc ? 0 : (int64_t)take(&b, h->pointer_bits);
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
                       "a bin has %lld soundings, more than there are in all blocks",
                       (long long)bin->soundings);
    int rc = make_room(p, bin->soundings);
    for (; done < bin->soundings && !rc; done += length) {
        w->blocks++;
        w->links += done > 0;
        w->in_order += done > 0 && at == last + p->head.block_bytes;
        last = at;
        rc = check_block(p, at, w->used);
        if (!rc)
            rc = take_block(p, at, bin->soundings - done, p->soundings + done, &at);
        if (!rc && !at && done + length < bin->soundings)
            rc = err_set(-EBADMSG, p->blocks.path, last,
                         "a chain ends here with %lld of its %lld soundings",
                         (long long)(done + length), (long long)bin->soundings);
    }
    if (!rc && bin->soundings && (last != bin->last || at))
        rc = err_set(
            -EBADMSG, p->blocks.path, last,
            "a chain of %lld soundings ends here, going on at %lld, and its bin "
            "says that it ends at %lld",
            (long long)bin->soundings, (long long)at, (long long)bin->last);
    *s = p->soundings;
    return rc;
}

/* ---- what a bin should say ------------------------------------------------------ */

/* Sums of distances from the first depth: squares of depths themselves would leave few
 * digits for what deep soundings differ by. */
struct sums {
    int64_t n;
    double first, sum, squares, min, max;
};

static void add(struct sums *s, double z)
{
    if (!s->n++)
        s->first = s->min = s->max = z;
    s->min = fmin(s->min, z);
    s->max = fmax(s->max, z);
    s->sum += z - s->first;
    s->squares += (z - s->first) * (z - s->first);
}

static double mean(const struct sums *s)
{
    return s->first + s->sum / (double)s->n;
}

static double deviation(const struct sums *s)
{
    if (s->n < 2)
        return 0;
    double n = (double)s->n, v = (s->squares - s->sum * s->sum / n) / (n - 1);
    return v > 0 ? sqrt(v) : 0;
}

void pfm_recompute(const struct pfm_head *h, const struct pfm_sounding *s, int64_t n,
                   struct pfm_bin *bin)
{
    struct sums all = {0}, good = {0};
    double none = h->null_depth;
    bin->validity = 0;
    for (int64_t i = 0; i < n; i++) {
        bin->validity |= s[i].validity;
        if (s[i].validity & (PFM_DELETED | PFM_REFERENCE) || s[i].depth >= none)
            continue;
        add(&all, s[i].depth);
        if (!(s[i].validity & PFM_INVAL))
            add(&good, s[i].depth);
    }
    bin->validity = good.n ? bin->validity | PFM_DATA : bin->validity & ~PFM_DATA;
    bin->valid = good.n;
    bin->std = deviation(&good);
    bin->average_filtered = good.n ? mean(&good) : none;
    bin->min_filtered = good.n ? good.min : none;
    bin->max_filtered = good.n ? good.max : none;
    bin->average = all.n ? mean(&all) : none;
    bin->min = all.n ? all.min : none;
    bin->max = all.n ? all.max : none;
}
