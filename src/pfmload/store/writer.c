#include "pfmload/store/writer.h"
#include "base/err.h"
#include "base/units.h"
#include "hydro/pfm_pack.h"
#include <errno.h>
#include <string.h>

/* ---- streams --------------------------------------------------------------------- */

int writer_stream(struct run_stream **s, struct run_file *file)
{
    struct run_stream_how how = {.op = IO_OP_WRITE,
                                 .slot_bytes = WRITER_TRANSFER,
                                 .slots = 2,
                                 .record = WRITER_PIECE_MAX};
    return run_stream_open(s, file, &how);
}

uint8_t *writer_take(struct run_stream *s, int64_t n)
{
    return memset(run_stream_room(s, n), 0, (size_t)n);
}

/* ---- summaries of bins ---------------------------------------------------------- */

enum { HOLE_MIN = 65536 }; /* bytes; shorter holes are written */

int bin_writer_open(struct bin_writer *w, const struct pfm_head *head,
                    struct run_file *bins, struct run_file *cover)
{
    memset(w, 0, sizeof *w);
    w->head = head;
    w->file = bins;
    int rc = writer_stream(&w->bins, bins);
    return rc ? rc : writer_stream(&w->cover, cover);
}

void bin_writer_close(struct bin_writer *w)
{
    run_stream_close(&w->bins);
    run_stream_close(&w->cover);
}

void bin_writer_begin(struct bin_writer *w, int64_t first)
{
    const struct pfm_head *h = w->head;
    run_stream_seek(w->bins, h->header_bytes + first * h->bin_bytes);
    run_stream_seek(w->cover, pfm_coverage_at(h) + first);
    w->next = first;
}

static void skip(struct run_stream *s, int64_t bytes)
{
    if (bytes >= HOLE_MIN)
        run_stream_seek(s, run_stream_at(s) + bytes);
    else if (bytes)
        writer_take(s, bytes);
}

int bin_writer_put(struct bin_writer *w, const struct pfm_bin *bin)
{
    const struct pfm_head *h = w->head;
    const char *unfit = pfm_bin_unfit(h, bin);
    if (unfit)
        return err_set(-ERANGE, w->file->path, run_stream_at(w->bins),
                       "the %s of the bin in row %lld, column %lld, with %lld "
                       "sounding%s, is too large for a PFM: take smaller bins",
                       unfit, (long long)(bin->index / h->width),
                       (long long)(bin->index % h->width), (long long)bin->soundings,
                       units_s(bin->soundings));
    skip(w->bins, (bin->index - w->next) * h->bin_bytes);
    skip(w->cover, bin->index - w->next);
    pfm_put_bin(h, writer_take(w->bins, h->bin_bytes), bin);
    *writer_take(w->cover, 1) = pfm_coverage(bin);
    pfm_extremes_add(&w->extremes, bin);
    w->next = bin->index + 1;
    return 0;
}

void bin_writer_flush(struct bin_writer *w)
{
    run_stream_flush(w->bins);
    run_stream_flush(w->cover);
}

/* ---- blocks --------------------------------------------------------------------- */

int writer_open(struct writer *w, const struct pfm_head *head, struct run_file *blocks,
                struct run_file *bins, struct run_file *cover)
{
    memset(w, 0, sizeof *w);
    w->head = head;
    w->bin.index = -1;
    int rc = bin_writer_open(&w->bins, head, bins, cover);
    return rc ? rc : writer_stream(&w->blocks, blocks);
}

void writer_close(struct writer *w)
{
    bin_writer_close(&w->bins);
    run_stream_close(&w->blocks);
}

int64_t writer_bytes(const struct pfm_head *head, int64_t n)
{
    return (n + head->record_length - 1) / head->record_length * head->block_bytes;
}

void writer_begin(struct writer *w, int64_t first, int64_t offset)
{
    run_stream_seek(w->blocks, offset);
    bin_writer_begin(&w->bins, first);
}

int writer_end_bin(struct writer *w)
{
    if (w->bin.index < 0)
        return 0;
    pfm_sums_bin(w->head, &w->sums, &w->bin);
    int rc = bin_writer_put(&w->bins, &w->bin);
    w->bin.index = -1;
    return rc;
}

static void begin_bin(struct writer *w, int64_t index)
{
    w->bin.index = index;
    w->bin.first = run_stream_at(w->blocks);
    w->block = NULL;
    memset(&w->sums, 0, sizeof w->sums);
}

/* Adds the next block of the bin after the last one. */
static void add_block(struct writer *w)
{
    w->bin.last = run_stream_at(w->blocks);
    if (w->block)
        pfm_put_next(w->head, w->block, w->bin.last);
    w->block = writer_take(w->blocks, w->head->block_bytes);
}

static int go_to_bin(struct writer *w, int64_t index)
{
    if (index == w->bin.index)
        return 0;
    int rc = writer_end_bin(w);
    begin_bin(w, index);
    return rc;
}

int writer_add(struct writer *w, const struct pfm_sounding *s, int64_t n)
{
    const struct pfm_head *h = w->head;
    int rc = go_to_bin(w, s->bin);
    int64_t place = w->sums.n % h->record_length;
    for (int64_t i = 0, some; i < n; i += some, place = 0) {
        int64_t room = h->record_length - place;
        some = n - i < room ? n - i : room;
        if (!place)
            add_block(w);
        pfm_put_soundings(h, w->block, place, &s[i], some);
    }
    pfm_sums_add(h, &w->sums, s, n);
    return rc;
}

int writer_add_block(struct writer *w, int64_t bin, const uint8_t *block, int64_t n)
{
    const struct pfm_head *h = w->head;
    struct pfm_sounding s[PFM_LENGTH_MAX];
    int rc = go_to_bin(w, bin);
    add_block(w);
    memcpy(w->block, block, (size_t)h->block_bytes);
    pfm_get_soundings(h, block, 0, s, n, bin);
    pfm_sums_add(h, &w->sums, s, n);
    return rc;
}

int writer_end(struct writer *w)
{
    int rc = writer_end_bin(w);
    bin_writer_flush(&w->bins);
    run_stream_flush(w->blocks);
    return rc;
}

int writer_add_sorted(struct writer *w, struct extsort *sorter)
{
    const struct pfm_sounding *s;
    int64_t n;
    int rc = extsort_finish(sorter);
    while (!rc && (s = extsort_group(sorter, 0, &n), n))
        rc = writer_add(w, s, n);
    return rc ? rc : writer_end(w);
}
