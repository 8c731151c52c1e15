#include "outcore/resample/bands.h"
#include "base/units.h"

int64_t bands_strips(const struct bands *b)
{
    return units_div_up(b->how.out.height, b->tile);
}

static struct weights_span stretch(int64_t i, int64_t each, int64_t n)
{
    struct weights_span s = {i * each, n - i * each < each ? n : (i + 1) * each};
    return s;
}

struct weights_span bands_strip(const struct bands *b, int64_t i)
{
    return stretch(i, b->tile, b->how.out.height);
}

int64_t bands_columns(const struct bands *b)
{
    return units_div_up(b->how.out.width, b->tile);
}

struct weights_span bands_column(const struct bands *b, int64_t j)
{
    return stretch(j, b->tile, b->how.out.width);
}

struct weights_span bands_part(const struct bands *b, int64_t p, int64_t parts)
{
    int64_t n = bands_strips(b), height = b->how.out.height;
    int64_t first = units_part(n, p, parts), end = units_part(n, p + 1, parts);
    return (struct weights_span){first < n ? first * b->tile : height,
                                 end < n ? end * b->tile : height};
}

int64_t bands_step(const struct bands *b, int64_t Y, int64_t end)
{
    return b->whole || end - Y < b->tile ? end - Y : b->tile;
}

struct weights_span bands_fresh(const struct bands *b, int64_t Y, int64_t end,
                                int64_t there)
{
    struct weights_span need = weights_need(&b->how.y, Y, end);
    if (b->keeps && need.from < there)
        need.from = there < need.to ? there : need.to;
    return need;
}

int64_t bands_out_row(const struct bands *b, struct weights_span X)
{
    const struct image *m = &b->how.out;
    int64_t pixel = m->bits / 8;
    return (X.to == m->width ? m->row_bytes : X.to * pixel) - X.from * pixel;
}

/* ---- bytes moved ----------------------------------------------------------------- */

static void count_strip(const struct bands *b, int64_t Y, int64_t end, int64_t there,
                        struct bands_count *c)
{
    struct weights_span fresh = bands_fresh(b, Y, end, there);
    int64_t rows = fresh.to - fresh.from;
    c->writes++;
    c->write_bytes += (end - Y) * b->how.out.row_bytes;
    if (!b->reads)
        return;
    c->reads += rows > 0;
    c->read_bytes += rows * b->how.in.row_bytes;
}

static int64_t columns_bytes(const struct bands *b)
{
    int64_t columns = 0;
    for (int64_t j = 0; j < bands_columns(b); j++) {
        struct weights_span X = bands_column(b, j);
        struct weights_span x = weights_need(&b->how.x, X.from, X.to);
        columns += x.to - x.from;
    }
    return columns * (b->how.in.bits / 8);
}

/* Counts a strip's tiles; columns: bytes of a row of all their inputs. */
static void count_tiles(const struct bands *b, int64_t Y, int64_t end, int64_t columns,
                        struct bands_count *c)
{
    struct weights_span need = weights_need(&b->how.y, Y, end);
    c->writes += (end - Y) * bands_columns(b);
    c->write_bytes += (end - Y) * b->how.out.row_bytes;
    if (!b->reads)
        return;
    c->reads += (need.to - need.from) * bands_columns(b);
    c->read_bytes += (need.to - need.from) * columns;
}

struct bands_count bands_expect(const struct bands *b, int64_t p, int64_t parts)
{
    struct weights_span band = bands_part(b, p, parts);
    struct bands_count c = {0};
    int64_t columns = b->by_tiles ? columns_bytes(b) : 0, there = 0;
    for (int64_t Y = band.from, end; Y < band.to; Y = end) {
        end = Y + bands_step(b, Y, band.to);
        if (b->by_tiles)
            count_tiles(b, Y, end, columns, &c);
        else
            count_strip(b, Y, end, there, &c);
        there = weights_need(&b->how.y, Y, end).to;
    }
    return c;
}

/* ---- memory ---------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest needs of whole bands, or of strips, which differ at the edges. */
struct weights_span bands_most(const struct bands *b, int64_t parts)
{
    struct weights_span most = {0, 0};
    int64_t n = b->whole ? parts : bands_strips(b);
    for (int64_t i = 0; i < n; i++) {
        struct weights_span Y = b->whole ? bands_part(b, i, parts) : bands_strip(b, i);
        if (Y.from == Y.to)
            continue;
        struct weights_span y = weights_need(&b->how.y, Y.from, Y.to);
        most.from = larger(most.from, y.to - y.from);
        most.to = larger(most.to, Y.to - Y.from);
    }
    return most;
}

int64_t bands_most_columns(const struct bands *b)
{
    int64_t most = 0;
    for (int64_t j = 0; j < bands_columns(b); j++) {
        struct weights_span X = bands_column(b, j);
        struct weights_span x = weights_need(&b->how.x, X.from, X.to);
        most = larger(most, x.to - x.from);
    }
    return most;
}
