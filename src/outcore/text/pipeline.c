#include "base/err.h"
#include "base/format/crc.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/text/text.h"
#include "run/lanes.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return c >= ' ' && c != 0x7f && c != '/' && c != '%' && c != '\\';
}

int text_label(const char *name, char label[TEXT_LABEL])
{
    int at = 0;
    for (const char *c = name; *c; c++) {
        if (at + 3 + (int)sizeof ".lex" > TEXT_LABEL)
            return err_set(-ENAMETOOLONG, name, -1,
                           "the name is too long for that of an output");
        if (is_plain((unsigned char)*c))
            label[at++] = *c;
        else
            at += snprintf(label + at, 4, "%%%02X", (unsigned char)*c);
    }
    label[at] = 0;
    return 0;
}

const char *text_output(const char *label, char out[TEXT_LABEL])
{
    snprintf(out, TEXT_LABEL, "%.*s.lex", TEXT_LABEL - 5, label);
    return out;
}

/* ---- reading --------------------------------------------------------------------- */

/* Checks that a file has the size that was found, or written, before. */
static int pipeline_check_size(struct going *g, struct run_set *s,
                               const struct io_whole *w, int64_t expected, int m)
{
    char path[RUN_SET_PATH];
    if (w->size == expected)
        return 0;
    int rc = err_set(-EIO, run_set_path(s, w->name, path), -1,
                     m ? "module %d finds %lld bytes in the file, and the one before "
                         "it has left %lld: it was torn, or changed meanwhile"
                       : "module %d finds %lld bytes in the file, which had %lld when "
                         "the directory was listed: it was changed meanwhile",
                     m + 1, (long long)w->size, (long long)expected);
    run_fail(g->r, rc);
    return rc;
}

static void drop_pages(struct going *g, struct run_set *s, const struct io_whole *w,
                       int64_t bytes)
{
    char path[RUN_SET_PATH];
    if (!g->r->flush || g->r->failed)
        return;
    run_count_cached(g->r, bytes,
                     run_drop_cached(g->r, run_set_path(s, w->name, path)));
}

static void read_passes(struct going *g, struct run_set *s, struct io_whole *w)
{
    for (int i = 0; i < g->passes && w->size && !g->r->failed; i++) {
        if (i && run_whole_again(s, w))
            break;
        w->buf = g->l->doc.at;
        w->room = w->size;
        run_whole_part(s, w);
    }
}

/* Reads a whole file into the lane's memory. */
static void pipeline_read_file(struct going *g, struct run_set *s, const char *name,
                               int64_t bytes, int m)
{
    struct io_whole w = {.name = name, .fd = -1};
    struct text_out *doc = &g->l->doc;
    doc->bytes = 0;
    run_fail(g->r, grow_room(doc, bytes));
    drop_pages(g, s, &w, bytes);
    if (g->r->failed || run_whole_open(s, &w))
        return;
    if (!pipeline_check_size(g, s, &w, bytes, m))
        read_passes(g, s, &w);
    run_whole_close(s, &w);
    doc->bytes = bytes;
}

/* Adds the expected reads, from the sizes of the file. */
static void expect_read(struct going *g, const struct text_file *f, int m)
{
    g->l->reads += g->passes * (m ? f->bytes : f->in_bytes);
    g->l->opens += m == 0 || !g->p->way.container;
}

void text_read(struct going *g, const struct text_file *f, const char *label, int m)
{
    char name[TEXT_LABEL];
    expect_read(g, f, m);
    if (m == 0)
        pipeline_read_file(g, &g->in, text_name(&g->p->files, f), f->in_bytes, m);
    else if (g->l->from)
        text_container_get(g->l->from, label, f->bytes, &g->l->doc);
    else
        pipeline_read_file(g, &g->out, text_output(label, name), f->bytes, m);
}

/* ---- writing --------------------------------------------------------------------- */

static bool adds(const struct going *g, int m)
{
    return g->p->way.update == TEXT_APPEND && m > 0;
}

static void pipeline_write_file(struct going *g, const char *label, int m)
{
    char name[TEXT_LABEL];
    const struct text_way *way = &g->p->way;
    bool append = adds(g, m);
    const struct text_out *from = append ? &g->l->out : &g->l->doc;
    struct io_whole w = {.name = text_output(label, name),
                         .buf = from->at,
                         .room = from->bytes,
                         .bytes = from->bytes};
    run_whole_write(&g->out, &w, append ? IO_APPEND : way->replace, false);
}

static void write_after(struct going *g, struct text_file *f, const char *label, int m)
{
    if (g->l->to)
        text_container_put(g->l->to, label, &g->l->doc);
    else
        pipeline_write_file(g, label, m);
    f->bytes = g->l->doc.bytes;
}

/* ---- modules --------------------------------------------------------------------- */

/* --bad=skip skips malformed input; other errors end the run. */
static bool is_skipped(struct going *g, struct text_file *f, int rc)
{
    if (rc != -EBADMSG || !g->p->way.skip_bad || g->r->failed)
        return false;
    err_clear();
    f->skipped = true;
    g->l->skipped++;
    return true;
}

/* Runs module m: its section gets into `out`, and is appended to `doc`. */
static int pipeline_work(struct going *g, struct text_file *f, const char *label, int m)
{
    struct text_lane *l = g->l;
    int rc = text_step(&g->p->work, l->room, m, label, &l->doc, f->in_bytes, &l->out);
    text_linger(&g->p->work, m, f->in_bytes);
    if (m == 0)
        l->doc.bytes = 0;
    rc = rc ? rc : grow_room(&l->doc, l->out.bytes);
    if (rc && !is_skipped(g, f, rc))
        run_fail(g->r, rc);
    if (rc)
        return rc;
    memcpy(l->doc.at + l->doc.bytes, l->out.at, (size_t)l->out.bytes);
    l->doc.bytes += l->out.bytes;
    return 0;
}

/* Adds the expected writes, from the sizes of the file before and after. */
static void expect_write(struct going *g, int64_t before, int64_t after, int m)
{
    g->l->writes += after - (adds(g, m) ? before : 0);
    g->l->opens += !g->p->way.container;
}

static void through_modules(struct going *g, struct text_file *f)
{
    char label[TEXT_LABEL];
    bool fused = g->p->way.update == TEXT_FUSED;
    run_fail(g->r, text_label(text_name(&g->p->files, f), label));
    for (int m = g->first; m <= g->last && !g->r->failed; m++) {
        int64_t before = f->bytes;
        if (!fused || m == g->first)
            text_read(g, f, label, m);
        if (g->r->failed || pipeline_work(g, f, label, m))
            return;
        if (!fused || m == g->last) {
            expect_write(g, before, g->l->doc.bytes, m);
            write_after(g, f, label, m);
        }
    }
}

static void open_containers(struct going *g)
{
    if (!g->p->way.container)
        return;
    if (g->first)
        text_container_open(&g->l->from, &g->out, g->r, g->first - 1,
                            g->l->in_container);
    text_container_make(&g->l->to, &g->out, g->r, g->last);
    g->l->opens += (g->first > 0) + 1;
}

static void close_containers(struct going *g)
{
    if (!g->p->way.container)
        return;
    if (g->first)
        g->l->reads += text_container_close(&g->l->from, true);
    int64_t more = text_container_end(&g->l->to, &g->l->in_container);
    g->l->writes += more;
}

void text_begin_lane(struct going *g, struct run *r, const struct going *of)
{
    *g = *of;
    g->r = r;
    g->l = &g->p->lane[r->lane];
    g->l->reads = g->l->writes = g->l->opens = 0;
    run_set_input(&g->in, r, g->p->in);
    run_set_input(&g->out, r, g->p->out.path);
    run_set_open(&g->in, IO_READ);
    if (g->p->out.made)
        run_set_open(&g->out, IO_READ | IO_WRITE);
}

void text_end_lane(struct going *g, bool written)
{
    run_set_close(&g->in, false);
    run_set_close(&g->out, written);
}

static void pipeline_go(struct run *r, void *of)
{
    struct going g;
    text_begin_lane(&g, r, of);
    const struct text_files *f = &g.p->files;
    open_containers(&g);
    for (int64_t i = f->first[r->lane]; i < f->first[r->lane + 1] && !r->failed; i++) {
        if (!f->is[i].skipped)
            through_modules(&g, &f->is[i]);
        progress_step(&r->progress, 1, r->phase->name);
    }
    close_containers(&g);
    text_end_lane(&g, true);
}

void pipeline_run(struct run *r, struct pipeline *p, int first, int last)
{
    struct going g = {.p = p, .first = first, .last = last, .passes = p->way.passes};
    run_lanes(r, pipeline_go, &g);
}

/* ---- expected bytes -------------------------------------------------------------- */

int pipeline_judge(struct run *r, struct pipeline *p, const char *phase)
{
    int64_t sum[3] = {p->models, 0, p->models_opened};
    for (int i = 0; i < r->lanes; i++) {
        sum[0] += p->lane[i].reads;
        sum[1] += p->lane[i].writes;
        sum[2] += p->lane[i].opens;
    }
    world_reduce(r->world.comm, sum, 3, MPI_INT64_T, MPI_SUM);
    int rc = run_moved(r, phase, p->out.path, sum[0], sum[1]);
    int64_t opened =
        r->last.op[PHASE_OP_OPEN].calls + r->last.op[PHASE_OP_CREATE].calls;
    if (rc || opened == sum[2])
        return rc;
    return err_set(-EIO, p->out.path, -1,
                   "phase %s has opened files %lld time%s, expected %lld", phase,
                   (long long)opened, units_s(opened), (long long)sum[2]);
}

int pipeline_open(struct pipeline *p, struct run *r)
{
    p->lane = mem_new(r->lanes, sizeof *p->lane, "lanes");
    if (!p->lane)
        return -ENOMEM;
    int rc = 0;
    for (int i = 0; i < r->lanes && !rc && p->work.cost == TEXT_COST_REAL; i++)
        rc = text_room_make(&p->lane[i].room);
    return rc;
}

void pipeline_close(struct pipeline *p, struct run *r)
{
    for (int i = 0; p->lane && i < r->lanes; i++) {
        grow_free(&p->lane[i].doc);
        grow_free(&p->lane[i].out);
        grow_free(&p->lane[i].all);
        text_room_free(p->lane[i].room);
    }
    for (int m = 0; m < TEXT_STEPS; m++) {
        text_tools_free(p->work.tools[m]);
        p->work.tools[m] = NULL;
    }
    free(p->lane);
    p->lane = NULL;
    deal_free(&p->files);
}

/* ---- the check ------------------------------------------------------------------- */

/* Compares the outputs of pipelines with those that modules make in memory. */

/* Makes all sections, one after another, in l->all; the input is in l->doc. */
static int make_all(struct going *g, const struct text_file *f, const char *label)
{
    struct text_lane *l = g->l;
    int rc = 0;
    l->all.bytes = 0;
    enum act before = phase_act(g->r->phase, ACT_CHECK);
    for (int m = 0; m < TEXT_STEPS && !rc; m++) {
        rc = text_step(&g->p->work, l->room, m, label, m ? &l->all : &l->doc,
                       f->in_bytes, &l->out);
        rc = rc ? rc : grow_room(&l->all, l->out.bytes);
        if (rc)
            break;
        memcpy(l->all.at + l->all.bytes, l->out.at, (size_t)l->out.bytes);
        l->all.bytes += l->out.bytes;
    }
    phase_act(g->r->phase, before);
    return rc;
}

static int64_t first_difference(const struct text_out *a, const struct text_out *b)
{
    int64_t i = 0;
    while (i < a->bytes && i < b->bytes && a->at[i] == b->at[i])
        i++;
    return i;
}

static void pipeline_compare(struct going *g, const char *label)
{
    char name[TEXT_LABEL];
    const struct text_out *found = &g->l->doc, *expected = &g->l->all;
    enum act before = phase_act(g->r->phase, ACT_CHECK);
    int64_t at = first_difference(found, expected);
    g->l->crc += crc_of(found->at, found->bytes);
    phase_act(g->r->phase, before);
    if (at == found->bytes && at == expected->bytes)
        run_set_right(&g->out);
    else
        run_set_wrong(&g->out, text_output(label, name),
                      "%lld bytes are not the %lld that the modules make, from byte "
                      "%lld on",
                      (long long)found->bytes, (long long)expected->bytes,
                      (long long)at);
}

static void verify_file(struct going *g, const struct text_file *f)
{
    char label[TEXT_LABEL];
    run_fail(g->r, text_label(text_name(&g->p->files, f), label));
    if (!g->r->failed)
        text_read(g, f, label, 0);
    if (!g->r->failed)
        run_fail(g->r, make_all(g, f, label));
    if (!g->r->failed)
        text_read(g, f, label, TEXT_STEPS);
    if (!g->r->failed)
        pipeline_compare(g, label);
}

static void verify_go(struct run *r, void *of)
{
    struct going g;
    text_begin_lane(&g, r, of);
    const struct text_files *f = &g.p->files;
    g.l->crc = 0;
    if (g.p->way.container) {
        text_container_open(&g.l->from, &g.out, r, TEXT_STEPS - 1, g.l->in_container);
        g.l->opens++;
    }
    for (int64_t i = f->first[r->lane]; i < f->first[r->lane + 1] && !r->failed; i++)
        if (!f->is[i].skipped)
            verify_file(&g, &f->is[i]);
    if (g.p->way.container)
        g.l->reads += text_container_close(&g.l->from, false);
    text_end_lane(&g, false);
}

void pipeline_verify(struct run *r, struct pipeline *p)
{
    struct going g = {.p = p, .passes = 1};
    run_lanes(r, verify_go, &g);
}
