/* Compares the outputs of pipelines with those that modules make in memory. */
#include "base/err.h"
#include "base/format/crc.h"
#include "outcore/text/pipeline.h"
#include "run/lanes.h"
#include <string.h>

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

static void compare(struct going *g, const char *label)
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
        compare(g, label);
}

static void go(struct run *r, void *of)
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
    run_lanes(r, go, &g);
}
