#include "outcore/knn/classify.h"
#include "base/err.h"
#include "outcore/knn/entries.h"
#include "outcore/knn/labels.h"
#include "run/blocks.h"
#include <errno.h>
#include <stdlib.h>

enum { REQUEST = 1 << 16 };

int64_t classify_memory(const struct scan *s)
{
    int64_t each =
        (int64_t)(sizeof(struct entry) + sizeof(struct extent) + sizeof(int32_t));
    return s->most * s->k * each + s->most * (int64_t)sizeof(int32_t) +
           (ENTRIES_DEPTH + 2) * REQUEST;
}

int classify_open(struct classify *c, const struct scan *s)
{
    if (c->path && c->bytes != s->rows.n && c->bytes != 2 * s->rows.n)
        return err_set(-EINVAL, c->path, -1,
                       "the file of labels has %lld bytes, and there are %lld vectors: "
                       "it must have one byte, or two, for each",
                       (long long)c->bytes, (long long)s->rows.n);
    c->label = malloc((size_t)s->most * sizeof *c->label);
    c->near = malloc((size_t)(s->most * s->k) * sizeof *c->near);
    if (c->label && c->near)
        return 0;
    return err_set(-ENOMEM, NULL, -1, "no memory for labels");
}

void classify_close(struct classify *c)
{
    free(c->label);
    free(c->near);
    c->label = c->near = NULL;
}

/* ---- labels of the neighbours ---------------------------------------------------- */

struct reading {
    const struct classify *c;
    const struct scan *s;
    const struct entry *entry;
};

static void put(const struct reading *w, int64_t i, int32_t label)
{
    w->c->near[w->entry[i].query * w->s->k + w->entry[i].place] = label;
}

static void have_read(void *reading, const struct extent *e, int64_t i,
                      const void *data)
{
    const uint8_t *p = data;
    put(reading, i, e->bytes == 1 ? p[0] : p[0] | p[1] << 8);
}

static void read_labels(struct run *r, struct reading *w, struct extent *e, int64_t n)
{
    int64_t width = w->c->bytes / w->s->rows.n;
    struct run_file f;
    for (int64_t i = 0; i < n; i++)
        e[i] =
            (struct extent){.offset = (int64_t)w->entry[i].id * width, .bytes = width};
    entries_file(&f, r, w->c->path, REQUEST);
    if (run_file_open(&f, IO_READ))
        return;
    run_blocks_read(&f, e, n, ENTRIES_BLOCK, have_read, w);
    run_file_close(&f, false);
}

static void find_labels(struct run *r, struct classify *c, const struct scan *s)
{
    size_t most = (size_t)(s->packed.n * s->k);
    struct entry *entry = malloc(most * sizeof *entry);
    struct extent *e = malloc(most * sizeof *e);
    struct reading w = {c, s, entry};
    for (size_t i = 0; i < most; i++)
        c->near[i] = LABELS_NONE;
    if (!entry || !e)
        run_fail(r, err_set(-ENOMEM, NULL, -1, "no memory for labels"));
    int64_t n = entry && e ? entries_of(s, 0, s->packed.n, entry) : 0;
    for (int64_t i = 0; i < n && !c->path; i++)
        put(&w, i, labels_made(r->seed, entry[i].id, c->classes));
    if (c->path && n)
        read_labels(r, &w, e, n);
    free(entry);
    free(e);
}

int classify_answer(struct run *r, struct classify *c, struct scan *s)
{
    r->aside = r->samples_only = true;
    run_phase_begin(r, "classify");
    if (r->world.rank == 0) {
        find_labels(r, c, s);
        for (int64_t q = 0; q < s->packed.n; q++)
            c->label[q] = labels_vote(c->near + q * s->k, s->k);
    }
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    return rc;
}
