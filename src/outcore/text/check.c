/* Checks a folder of outputs, such as a run that was cut off leaves: each must end with
 * a whole section. */
#include "base/err.h"
#include "outcore/text/text.h"
#include "outcore/text/walk.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct checking {
    struct pipeline *p;
    int64_t complete, incomplete, leftovers; /* of all lanes, after the phase */
};

/* Takes NAME from "NAME.lex". A renaming run's temporary files, ".NAME.lex." and a
 * suffix, belong to no document. */
static bool label_of(const char *name, char label[TEXT_LABEL])
{
    size_t n = strlen(name);
    const char *last = strrchr(name, '/');
    snprintf(label, TEXT_LABEL, "%s", last ? last + 1 : name);
    if (n < 5 || strcmp(name + n - 4, ".lex") || strlen(label) < 5)
        return false;
    label[strlen(label) - 4] = 0;
    return true;
}

static bool is_leftover(const char *name)
{
    const char *last = strrchr(name, '/');
    last = last ? last + 1 : name;
    return *last == '.' && strstr(last, ".lex.");
}

static void judge(struct going *g, const char *path, const char *label,
                  struct checking *c)
{
    enum act before = phase_act(g->r->phase, ACT_CHECK);
    struct walk w = walk_sections(label, g->l->doc.at, g->l->doc.bytes);
    bool whole = w.sections == WALK_SECTIONS;
    phase_act(g->r->phase, before);
    if (w.wrong)
        run_set_wrong(&g->in, path, "%s%s at byte %lld: %s",
                      *w.section ? "section " : "the beginning", w.section,
                      (long long)w.at, w.wrong);
    else
        run_set_right(&g->in);
    __atomic_add_fetch(whole ? &c->complete : &c->incomplete, !w.wrong,
                       __ATOMIC_RELAXED);
}

static void check_file(struct going *g, const struct text_file *f, struct checking *c)
{
    char label[TEXT_LABEL];
    const char *name = text_name(&g->p->files, f);
    if (is_leftover(name)) {
        __atomic_add_fetch(&c->leftovers, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!label_of(name, label)) {
        char path[RUN_SET_PATH];
        run_fail(g->r, err_set(-EINVAL, run_set_path(&g->in, name, path), -1,
                               "--check needs a directory with outputs, NAME.lex"));
        return;
    }
    text_read(g, f, label, 0);
    if (!g->r->failed)
        judge(g, name, label, c);
}

static void go(struct run *r, void *checking)
{
    struct checking *c = checking;
    struct going g, of = {.p = c->p, .passes = 1};
    text_begin_lane(&g, r, &of);
    const struct text_files *f = &c->p->files;
    for (int64_t i = f->first[r->lane]; i < f->first[r->lane + 1] && !r->failed; i++)
        check_file(&g, &f->is[i], c);
    text_end_lane(&g, false);
}

int text_check_all(struct run *r)
{
    struct checking c = {.p = &text.pipe};
    run_phase_begin(r, "check");
    run_lanes(r, go, &c);
    int rc = run_phase_end(r);
    rc = rc ? rc : pipeline_judge(r, &text.pipe, "check");
    int64_t sum[3] = {c.complete, c.incomplete, c.leftovers};
    MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT64_T, MPI_SUM, r->world.comm);
    run_result(r, "complete", (double)sum[0]);
    run_result(r, "incomplete", (double)sum[1]);
    run_result(r, "leftovers", (double)sum[2]);
    run_rep_end(r);
    r->samples_only = true;
    return rc;
}
