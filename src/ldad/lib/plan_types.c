/* Makes a plan from the views of all ranks: the levels of repetition that each rank
 * accesses, and the digits by which their starts differ. All ranks look at the same
 * records, and come to the same result. */
#include "base/mem.h"
#include "io/part/part_file.h"
#include "ldad/lib/file.h"
#include "world/world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR (INT64_C(1) << 59) /* end of a plan that has none */

enum { LEVELS = LDAD_LEVELS - 3 }; /* the other levels are for copies and for ranks */

/* The pattern of a rank's view. */
struct pattern {
    /* start and bytes of a run; bytes 0: levels cannot describe it */
    int64_t start, bytes;
    int64_t extent; /* distance of copies; 0: there are no gaps */
    int64_t levels;
    struct types_level level[LEVELS];
};

static struct pattern pattern_of(int64_t disp, const struct types *t)
{
    struct pattern p = {.start = disp, .bytes = FAR};
    int64_t start = 0, bytes = 0;
    if (t->row)
        return p;
    int levels = t->size && !t->overlapping
                     ? types_levels(t, p.level, LEVELS, &start, &bytes)
                     : -1;
    p.start += start;
    p.levels = levels;
    p.bytes = levels < 0 ? 0 : bytes;
    p.extent = t->extent;
    return p;
}

/* True if both differ only by their starts and `bytes`. */
static bool pattern_alike(const struct pattern *a, const struct pattern *b)
{
    return a->bytes && b->bytes && a->extent == b->extent && a->levels == b->levels &&
           !memcmp(a->level, b->level, (size_t)a->levels * sizeof *a->level);
}

/* ---- differences of ranks -------------------------------------------------------- */

/* Finds the digits, least significant first, whose steps make the starts. */
static int digits_of(const struct pattern *p, int64_t n, struct ldad_digit *digit)
{
    int digits = 0;
    int64_t unit = 1; /* ranks within one step of this digit */
    while (unit < n && digits < LDAD_DIGITS) {
        int64_t step = p[unit].start - p[0].start, count = 1;
        while ((count + 1) * unit <= n &&
               p[count * unit].start - p[(count - 1) * unit].start == step)
            count++;
        digit[digits++] = (struct ldad_digit){count, step};
        unit *= count;
    }
    return unit == n ? digits : -1;
}

static bool digits_hold(const struct pattern *p, int64_t n, const struct ldad_digit *d,
                        int digits)
{
    for (int64_t r = 0; r < n; r++) {
        int64_t at = p[0].start, rest = r;
        for (int i = 0; i < digits; i++) {
            at += rest % d[i].count * d[i].step;
            rest /= d[i].count;
        }
        if (at != p[r].start)
            return false;
    }
    return true;
}

static bool set_digits(struct ldad_plan *plan, const struct pattern *p, int64_t n)
{
    struct ldad_digit digit[LDAD_DIGITS] = {{1, 0}};
    int digits = n > 1 ? digits_of(p, n, digit) : 1;
    if (digits < 1 || !digits_hold(p, n, digit, digits))
        return false;
    plan->digits = digits;
    for (int i = 0; i < digits; i++)
        plan->digit[digits - 1 - i] = digit[i];
    return true;
}

/* Sets a table of starts, for regions of any length that follow each other. */
static bool set_starts(struct ldad_plan *plan, const struct pattern *p, int64_t n,
                       int64_t *starts)
{
    for (int64_t r = 0; r < n; r++) {
        starts[r] = p[r].start - p[0].start;
        if (r && starts[r] <= starts[r - 1])
            return false;
        if (r && p[r - 1].extent && p[r - 1].start + p[r - 1].bytes != p[r].start)
            return false;
    }
    plan->digits = 0;
    plan->starts = starts;
    return true;
}

/* ---- the plan -------------------------------------------------------------------- */

static bool is_map(const struct ldad_plan *plan)
{
    struct err before = *err_get();
    struct ldad_map map;
    int rc = ldad_plan_check(plan);
    if (!rc)
        rc = ldad_map_make(&map, plan);
    if (rc)
        err_put(&before);
    return !rc;
}

/* Sets the descriptor of rank 0; `copies`: it repeats without an end, as a view
 * does. */
static bool set_each(struct ldad_plan *plan, const struct pattern *p, bool copies)
{
    struct err before = *err_get();
    struct ldad *d = &plan->each;
    *d = (struct ldad){.start = p->start, .size = p->bytes};
    int rc = 0;
    for (int64_t i = p->levels - 1; i >= 0 && !rc; i--)
        rc = ldad_repeat(d, p->level[i].count, p->level[i].distance);
    if (!rc && copies && p->extent)
        rc = ldad_repeat(d, FAR / p->extent, p->extent);
    if (rc)
        err_put(&before);
    return !rc;
}

/* Makes a plan with one region for each rank; the last one's length is free. */
static bool plan_regions(struct ldad_plan *plan, const struct pattern *p, int64_t n,
                         int64_t *starts)
{
    struct pattern most = p[0];
    for (int64_t r = 0; r < n; r++) {
        if (p[r].levels)
            return false;
        most.bytes = p[r].bytes > most.bytes ? p[r].bytes : most.bytes;
    }
    *plan = (struct ldad_plan){.ranks = n, .end = INT64_MAX};
    if (n < 2 || !set_each(plan, &most, false) || !set_starts(plan, p, n, starts))
        return false;
    if (p[0].extent)
        plan->end = p[n - 1].start + p[n - 1].bytes;
    return is_map(plan);
}

/* Makes the plan; false: there is none. starts[n] is room for its table. */
static bool plan_make(struct ldad_plan *plan, const struct pattern *p, int64_t n,
                      int64_t *starts)
{
    bool same = true;
    for (int64_t r = 0; r < n; r++) {
        if (!pattern_alike(&p[0], &p[r]))
            return false;
        same = same && p[r].bytes == p[0].bytes;
    }
    *plan = (struct ldad_plan){.ranks = n, .end = INT64_MAX};
    if (same && p[0].extent && set_each(plan, p, true) && set_digits(plan, p, n) &&
        is_map(plan))
        return true;
    return plan_regions(plan, p, n, starts);
}

/* Gathers all ranks' patterns in *all (the caller frees it). */
static int gather_patterns(MPI_Comm comm, const struct pattern *mine,
                           struct pattern **all, int64_t **starts, int *n)
{
    MPI_Comm_size(comm, n);
    *all = mem_new(*n, sizeof **all, "views");
    *starts = mem_new(*n, sizeof **starts, "views");
    int rc = *all && *starts ? 0 : -ENOMEM;
    rc = err_agree(comm, rc);
    if (!rc)
        MPI_Allgather(mine, sizeof *mine, MPI_BYTE, *all, sizeof *mine, MPI_BYTE, comm);
    return rc;
}

int libldad_plan_by_view(ldad_file fh)
{
    struct ldad_plan plan;
    struct pattern *all = NULL;
    int64_t *starts = NULL;
    int n;
    if (!fh->auto_plan || !(fh->flags & IO_WRITE) || io_file_partition(fh->io).parts)
        return 0;
    struct pattern mine = pattern_of(fh->view.displacement, fh->view.file);
    int rc = gather_patterns(fh->comm, &mine, &all, &starts, &n);
    if (!rc && plan_make(&plan, all, n, starts))
        rc = part_file_plan(fh->io, &plan);
    free(all);
    free(starts);
    return rc;
}

static int types_print_plan(const struct ldad_plan *plan, char *text, int room)
{
    if (ldad_plan_print(text, room, plan) < room)
        return 0;
    return err_set(-EINVAL, NULL, -1, "the plan has more than %d characters", room - 1);
}

static int plan_from(MPI_Comm comm, MPI_Offset disp, const struct types *t, char *text,
                     int room)
{
    struct ldad_plan plan;
    struct pattern *all = NULL, mine = {0};
    int64_t *starts = NULL;
    int n;
    if (t && !t->descending && disp >= 0)
        mine = pattern_of(disp, t);
    int rc = gather_patterns(comm, &mine, &all, &starts, &n);
    if (!rc && plan_make(&plan, all, n, starts))
        rc = types_print_plan(&plan, text, room);
    else if (!rc)
        rc = err_set(-EINVAL, NULL, -1,
                     "no plan follows from these views: ranks overlap, go back in the "
                     "file, or are too irregular to be said in a line");
    free(all);
    free(starts);
    return err_agree(comm, rc);
}

int ldad_plan_from_filetypes(MPI_Comm comm, MPI_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, char *plan, int room)
{
    struct err before = libldad_enter();
    struct types *t = NULL;
    (void)etype; /* it only is the unit of offsets; bytes stay in place */
    int rc = types_of(filetype, &t);
    rc = err_agree(comm, rc);
    if (!rc)
        rc = plan_from(comm, disp, t, plan, room);
    types_release(t);
    return libldad_leave(NULL, &before, rc);
}
