#include "pfmload/area/area_pass.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "hydro/pfm.h"
#include "hydro/pfm_pack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state of a block in a page, as the pass knows it. */
enum { FOREIGN, MINE, CHANGED };

/* Consecutive blocks of the .ndx file. */
struct page {
    int64_t number;  /* -1: empty */
    int64_t used_at; /* p->clock at its last use */
    int64_t blocks;
    bool changed;
    uint8_t *data;
    uint8_t *state; /* one for each block */
};

struct area_pass {
    const struct pfm_head *h;
    const char *path;
    int64_t ndx_bytes, row0, row1;
    struct area_rule rule;
    struct area_io io;
    struct area_counts counts;
    struct area_cell *south, *north; /* the rows beside the band, in one allocation */
    /* The rows of the .bin file that are filtered at a time, and one more; their
     * summaries, and those of the row before. */
    int64_t rows;
    uint8_t *records;
    int64_t from, to; /* range of bytes of the records that have changed */
    struct area_cell *cells;
    struct page page[AREA_PAGES], *last;
    int64_t clock, page_blocks;
};

static int64_t row_bytes(const struct area_pass *p)
{
    return p->h->width * p->h->bin_bytes;
}

/* ---- files ---------------------------------------------------------------------- */

static int read_at(struct area_pass *p, enum area_file file, int64_t offset,
                   int64_t bytes, void *to)
{
    p->counts.reads++;
    p->counts.read_bytes += bytes;
    return p->io.read(p->io.context, file, offset, bytes, to);
}

static int area_pass_write_at(struct area_pass *p, enum area_file file, int64_t offset,
                              int64_t bytes, const void *from)
{
    p->counts.writes++;
    p->counts.written_bytes += bytes;
    return p->io.write(p->io.context, file, offset, bytes, from);
}

/* ---- pages of the .ndx file ----------------------------------------------------- */

/* Writes a page's runs of own blocks. Between them, blocks of other bands are not
 * written: they may be outdated. */
static int write_page(struct area_pass *p, struct page *g)
{
    int64_t size = p->h->block_bytes, from = -1, to = -1;
    int rc = 0;
    for (int64_t i = 0; i <= g->blocks && g->changed && !rc; i++) {
        bool end = i == g->blocks || g->state[i] == FOREIGN;
        if (end && from >= 0)
            rc = area_pass_write_at(p, AREA_NDX,
                                    (g->number * p->page_blocks + from) * size,
                                    (to - from) * size, g->data + from * size);
        if (end)
            from = -1;
        else if (g->state[i] == CHANGED) {
            from = from < 0 ? i : from;
            to = i + 1;
        }
    }
    g->changed = false;
    return rc;
}

static int load_page(struct area_pass *p, struct page *g, int64_t number)
{
    int64_t size = p->h->block_bytes, at = number * p->page_blocks,
            left = p->ndx_bytes / size - at;
    bool alone = p->row0 == 0 && p->row1 == p->h->height;
    int rc = write_page(p, g);
    if (!rc && !g->data) {
        g->data = mem_of(p->path, p->page_blocks * (size + 1), 1, "filtering the file");
        g->state = g->data + p->page_blocks * size;
    }
    if (!rc && !g->data)
        rc = -ENOMEM;
    g->number = -1;
    if (rc)
        return rc;
    g->blocks = left < p->page_blocks ? left : p->page_blocks;
    memset(g->state, alone ? MINE : FOREIGN, (size_t)g->blocks);
    rc = read_at(p, AREA_NDX, at * size, g->blocks * size, g->data);
    g->number = rc ? -1 : number;
    return rc;
}

/* Finds the page with this number; it may replace the least recently used one. */
static int find_page(struct area_pass *p, int64_t number)
{
    struct page *oldest = &p->page[0];
    int rc = 0;
    if (p->last->number == number)
        return 0;
    p->last = NULL;
    for (int i = 0; i < AREA_PAGES && !p->last; i++) {
        struct page *g = &p->page[i];
        oldest = g->used_at < oldest->used_at ? g : oldest;
        p->last = g->number == number ? g : NULL;
    }
    if (!p->last) {
        p->last = oldest;
        rc = load_page(p, oldest, number);
    }
    p->last->used_at = ++p->clock;
    return rc;
}

/* Finds the block at `at`; it is valid until the next call. */
static int find_block(struct area_pass *p, int64_t at, uint8_t **block, uint8_t **state)
{
    int64_t size = p->h->block_bytes, index = at / size;
    if (at % size || index >= p->ndx_bytes / size)
        return err_set(-EBADMSG, p->path, at,
                       "a chain leads here, where no block begins: blocks have %lld "
                       "bytes, and the file has %lld",
                       (long long)size, (long long)p->ndx_bytes);
    int rc = find_page(p, index / p->page_blocks);
    if (rc)
        return rc;
    index %= p->page_blocks;
    *block = p->last->data + index * size;
    *state = p->last->state + index;
    return 0;
}

/* ---- bins ----------------------------------------------------------------------- */

/* Sets bits of sounding i's validity in its packed form. Fields that this program does
 * not know, such as errors of depths, do not change. */
static void set_validity(const struct pfm_head *h, uint8_t *block, int64_t i,
                         uint32_t bits)
{
    int64_t end = i * h->sounding_bits + h->file_bits + h->line_bits + h->ping_bits +
                  h->beam_bits + h->depth_bits + 2 * h->offset_bits +
                  h->attribute_bits + h->validity_bits;
    for (int64_t bit = end - 1; bits; bit--, bits >>= 1)
        if (bits & 1)
            block[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
}

static bool is_valid(const struct pfm_head *h, const struct pfm_sounding *s)
{
    return !(s->validity & (PFM_INVAL | PFM_DELETED | PFM_REFERENCE)) &&
           s->depth < h->null_raw;
}

/* Cuts among the first n soundings of a block, and adds them to the sums. Returns the
 * number cut. */
static int64_t cut_block(const struct pfm_head *h, uint8_t *block, int64_t n,
                         const struct area_limits *l, struct pfm_sums *sums)
{
    const uint32_t mark = PFM_FILTER_INVAL | PFM_MODIFIED;
    int64_t cut = 0;
    for (int64_t i = 0; i < n; i++) {
        struct pfm_sounding s;
        pfm_get_soundings(h, block, i, &s, 1, -1);
        if (is_valid(h, &s) && area_cuts(l, pfm_depth(h, s.depth))) {
            set_validity(h, block, i, mark);
            s.validity |= mark;
            cut++;
        }
        pfm_sums_add(h, sums, &s, 1);
    }
    return cut;
}

/* Walks the chain of a bin, and cuts. *cut is the number of soundings cut; if there are
 * any, the bin is updated. */
static int cut_bin(struct area_pass *p, const struct area_limits *l,
                   struct pfm_bin *bin, int64_t *cut)
{
    const struct pfm_head *h = p->h;
    struct pfm_sums sums = {0};
    int64_t at = bin->first, length = h->record_length;
    *cut = 0;
    for (int64_t done = 0; done < bin->soundings; done += length) {
        uint8_t *block = NULL, *state = NULL;
        int64_t left = bin->soundings - done, n = left < length ? left : length;
        int rc = find_block(p, at, &block, &state);
        if (rc)
            return rc;
        int64_t here = cut_block(h, block, n, l, &sums);
        *cut += here;
        *state = here || *state == CHANGED ? CHANGED : MINE;
        p->last->changed |= here > 0;
        int64_t next = pfm_get_next(h, block);
        if (!next && left > n)
            return err_set(-EBADMSG, p->path, at,
                           "a chain ends here with %lld of its %lld sounding%s",
                           (long long)done + n, (long long)bin->soundings,
                           units_s(bin->soundings));
        at = next;
    }
    if (*cut)
        pfm_sums_bin(h, &sums, bin);
    return 0;
}

/* True if nothing can be cut, as the extremes are within the limits; they may have
 * been rounded. */
static bool all_within(const struct pfm_head *h, const struct area_limits *l,
                       const struct pfm_bin *bin)
{
    double step = 1 / h->depth_scale;
    return !area_cuts(l, bin->min_filtered - step) &&
           !area_cuts(l, bin->max_filtered + step);
}

/* ---- rows ----------------------------------------------------------------------- */

static struct area_cell cell_of(const struct pfm_bin *bin)
{
    bool data = bin->soundings && bin->validity & PFM_DATA;
    return (struct area_cell){data ? bin->soundings : 0, bin->average_filtered,
                              bin->std};
}

/* Reads n rows of records, and makes their summaries. */
static int read_rows(struct area_pass *p, int64_t row, int64_t n, uint8_t *records,
                     struct area_cell *cell)
{
    const struct pfm_head *h = p->h;
    int rc = 0;
    if (n > 0)
        rc = read_at(p, AREA_BIN, h->header_bytes + row * row_bytes(p),
                     n * row_bytes(p), records);
    for (int64_t i = 0; i < n * h->width && !rc; i++) {
        struct pfm_bin bin;
        pfm_get_bin(h, records + i * h->bin_bytes, &bin);
        cell[i] = cell_of(&bin);
    }
    return rc;
}

/* Filters the bin in `column` of around[1], whose summary is *cell; updates its record
 * if soundings are cut. */
static int filter_bin(struct area_pass *p, const struct area_cell *const around[3],
                      int64_t column, struct area_cell *cell, uint8_t *record,
                      struct pfm_bin *bin)
{
    struct area_counts *c = &p->counts;
    struct area_limits l = area_decide(&p->rule, around, p->h->width, column);
    int64_t cut, at = record - p->records;
    c->bins += cell->n > 0;
    c->decided += l.decides;
    if (!l.decides || all_within(p->h, &l, bin))
        return 0;
    c->opened++;
    int rc = cut_bin(p, &l, bin, &cut);
    if (rc || !cut)
        return rc;
    c->changed++;
    c->cut += cut;
    pfm_put_bin(p->h, record, bin);
    p->from = p->to ? p->from : at;
    p->to = at + p->h->bin_bytes;
    pfm_get_bin(p->h, record, bin); /* as readers will see it */
    if (p->rule.order == AREA_RASTER)
        *cell = cell_of(bin);
    return 0;
}

/* Filters a row with the summaries at `cell` and the records at `records`. */
static int filter_row(struct area_pass *p, int64_t row, struct area_cell *cell,
                      uint8_t *records, struct pfm_extremes *e, uint8_t *coverage)
{
    const struct pfm_head *h = p->h;
    const struct area_cell *north = row + 1 < p->row1     ? cell + h->width
                                    : row + 1 < h->height ? p->north
                                                          : NULL,
                           *around[3] = {row > 0 ? cell - h->width : NULL, cell, north};
    int rc = 0;
    for (int64_t i = 0; i < h->width && !rc; i++) {
        uint8_t *record = records + i * h->bin_bytes;
        struct pfm_bin bin;
        pfm_get_bin(h, record, &bin);
        bin.index = row * h->width + i;
        rc = filter_bin(p, around, i, &cell[i], record, &bin);
        if (e && bin.soundings)
            pfm_extremes_add(e, &bin);
        if (coverage)
            coverage[i] = pfm_coverage(&bin);
    }
    return rc;
}

/* Filters n rows from `first` on, whose records and summaries are in memory with those
 * of the rows beside them, and writes the changed records in one transfer. */
static int filter_rows(struct area_pass *p, int64_t first, int64_t n,
                       struct pfm_extremes *e, uint8_t *coverage)
{
    int64_t width = p->h->width;
    int rc = 0;
    p->from = p->to = 0;
    for (int64_t i = 0; i < n && !rc; i++)
        rc = filter_row(p, first + i, p->cells + (i + 1) * width,
                        p->records + i * row_bytes(p), e,
                        coverage ? coverage + (first + i - p->row0) * width : NULL);
    if (!rc && p->to)
        rc = area_pass_write_at(p, AREA_BIN,
                                p->h->header_bytes + first * row_bytes(p) + p->from,
                                p->to - p->from, p->records + p->from);
    return rc;
}

int area_pass_apply(struct area_pass *p, struct pfm_extremes *e, uint8_t *coverage)
{
    int64_t width = p->h->width, have = 0; /* number of rows in p->records */
    size_t cells = (size_t)width * sizeof(struct area_cell);
    int rc = 0;
    memcpy(p->cells, p->south, cells);
    for (int64_t row = p->row0, n; row < p->row1 && !rc; row += n) {
        int64_t left = p->row1 - row, want = left < p->rows + 1 ? left : p->rows + 1;
        rc = read_rows(p, row + have, want - have, p->records + have * row_bytes(p),
                       p->cells + (1 + have) * width);
        n = left < p->rows ? left : p->rows;
        if (!rc)
            rc = filter_rows(p, row, n, e, coverage);
        have = want - n;
        memmove(p->cells, p->cells + n * width, cells * 2);
        memmove(p->records, p->records + n * row_bytes(p), (size_t)row_bytes(p));
    }
    for (int i = 0; i < AREA_PAGES && !rc; i++)
        rc = write_page(p, &p->page[i]);
    return rc;
}

/* ---- beginning and end ---------------------------------------------------------- */

static int area_pass_make_room(struct area_pass *p)
{
    int64_t width = p->h->width, n = AREA_ROWS_BYTES / row_bytes(p) + 1;
    p->rows = n < p->row1 - p->row0 ? n : p->row1 - p->row0;
    p->page_blocks = (AREA_PAGE_BYTES - 1) / p->h->block_bytes + 1;
    for (int i = 0; i < AREA_PAGES; i++)
        p->page[i].number = -1;
    p->last = &p->page[0];
    p->records = mem_of(p->path, p->rows + 1, row_bytes(p), "filtering rows of bins");
    p->cells = mem_of(p->path, p->rows + 4, width * sizeof *p->cells,
                      "filtering rows of bins");
    if (!p->records || !p->cells)
        return -ENOMEM;
    p->south = p->cells + (p->rows + 2) * width;
    p->north = p->south + width;
    return 0;
}

static int area_pass_check(const struct area_pass *p)
{
    if (p->rule.order == AREA_RASTER && (p->row0 || p->row1 != p->h->height))
        return err_set(-EINVAL, p->path, -1,
                       "the area filter in raster order needs all rows at once: use "
                       "one rank, or two passes");
    if (p->h->bin_attribute_bits)
        return err_set(-ENOTSUP, p->path, -1,
                       "the bins have attributes, which the area filter cannot keep");
    return 0;
}

int area_pass_open(struct area_pass **out, const struct pfm_head *h, const char *path,
                   int64_t ndx_bytes, int64_t row0, int64_t row1,
                   const struct area_rule *rule, const struct area_io *io)
{
    struct area_pass *p = mem_of(path, 1, sizeof *p, "filtering the file");
    *out = p;
    if (!p)
        return -ENOMEM;
    p->h = h;
    p->path = path;
    p->ndx_bytes = ndx_bytes;
    p->row0 = row0;
    p->row1 = row1;
    p->rule = *rule;
    p->io = *io;
    int rc = area_pass_check(p);
    if (!rc)
        rc = area_pass_make_room(p);
    if (!rc && row0 > 0 && row0 < row1)
        rc = read_rows(p, row0 - 1, 1, p->records, p->south);
    if (!rc && row1 < h->height && row0 < row1)
        rc = read_rows(p, row1, 1, p->records, p->north);
    if (rc)
        area_pass_close(out);
    return rc;
}

const struct area_counts *area_pass_counts(const struct area_pass *p)
{
    return &p->counts;
}

void area_pass_close(struct area_pass **p)
{
    if (*p) {
        for (int i = 0; i < AREA_PAGES; i++)
            free((*p)->page[i].data);
        free((*p)->records);
        free((*p)->cells);
    }
    free(*p);
    *p = NULL;
}
