/* ldad jacobi: options, memory, the stencil and an in-core solver to check against, for
 * workloads/jacobi.c. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "base/units.h"
#include "ldad/measure/workload.h"
#include "ldad/workloads/workloads.h"
#include <stdio.h>
#include <string.h>

static struct {
    struct workload_options o;
    int64_t rows, columns, sweeps, chunk;
    const char *decomp;
    bool paper;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Workload:"},
    {.kind = OPT_INT, .name = "rows", .value = &set.rows, .preset = "1024",
     .arg = "N", .unit = "1", .min = 3, .max = 1e9, .workload = true,
     .help = "rows of the grid, including its boundary"},
    {.kind = OPT_INT, .name = "columns", .value = &set.columns, .preset = "1024",
     .arg = "N", .unit = "1", .min = 3, .max = 1 << 26, .workload = true,
     .help = "columns of the grid, 8 bytes per element"},
    {.kind = OPT_INT, .name = "sweeps", .letter = 'n', .value = &set.sweeps,
     .preset = "4", .arg = "N", .unit = "1", .min = 1, .max = 1e6, .workload = true,
     .help = "Jacobi iterations, each from one file into another"},
    {.kind = OPT_CHOICE, .name = "decomp", .value = &set.decomp, .preset = "slabs",
     .arg = "WAY", .choices = "rows|cyclic|slabs", .workload = true,
     .help = "how rows are dealt to ranks: one row at a time, one chunk of rows at a "
             "time, or one slab per rank",
     .text = "The part of the file that a rank writes.",
     .choice_text = {"ranks take turns in single rows", "ranks take turns in chunks",
                     "each rank has one slab"}},
    {.kind = OPT_BYTES, .name = "chunk", .letter = 'c', .value = &set.chunk,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30,
     .workload = true,
     .help = "cyclic and slabs: bytes of one transfer, rounded down to whole rows, "
             "at least one"},
    {.kind = OPT_FLAG, .name = "paper", .value = &set.paper, .preset = "no",
     .workload = true, .help = "the problem of Wang and Kaeli: 4096 rows of 2048 "
                               "numbers, files of 64 MiB"},
    WORKLOAD_OPTIONS(set.o),
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*flush* also acts between the sweeps."},
};
/* clang-format on */

static const char *const role[] = {"grid-a", "grid-b"};
static struct ldad_workload w = {.options = &set.o, .role = role, .files = 2};
static struct jacobi grid;

/* ---- the grid -------------------------------------------------------------------- */

/* Returns a first value. The rim is warm at the top; inside, no two places have the
 * same. */
static double start_value(int64_t row, int64_t column)
{
    if (row == 0)
        return 1;
    if (row == set.rows - 1 || column == 0 || column == set.columns - 1)
        return 0;
    uint64_t x = (uint64_t)(row * set.columns + column) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(x >> 11) / 9007199254740992.0; /* in [0, 1) */
}

static void fill_rows(double *out, int64_t first, int64_t rows)
{
    for (int64_t row = first; row < first + rows; row++)
        for (int64_t column = 0; column < set.columns; column++)
            *out++ = start_value(row, column);
}

/* Relaxes row `row` at its place in a grid; the rim stays as it is. */
static void relax_row(double *restrict out, const double *restrict in, int64_t row)
{
    int64_t n = set.columns;
    if (row == 0 || row == set.rows - 1) {
        memcpy(out, in, (size_t)n * sizeof *out);
        return;
    }
    out[0] = in[0];
    for (int64_t i = 1; i < n - 1; i++)
        out[i] = 0.25 * ((in[i - n] + in[i + n]) + (in[i - 1] + in[i + 1]));
    out[n - 1] = in[n - 1];
}

void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    fill_rows(p->out, first, rows);
}

void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    const double *in = p->in + (first > 0 ? p->columns : 0);
    for (MPI_Offset i = 0; i < rows; i++)
        relax_row(p->out + i * p->columns, in + i * p->columns, first + i);
}

/* ---- the same in core ------------------------------------------------------------ */

/* A band of rows with one more on each side, which messages keep up to date. */
static struct {
    int64_t first, rows;
    double *now, *next;
    void *memory[2];
} core;

static int64_t band_rows(void)
{
    return (set.rows + w.run->world.size - 1) / w.run->world.size;
}

static int64_t core_bytes(void)
{
    return (band_rows() + 2) * set.columns * (int64_t)sizeof(double);
}

static int core_open(void)
{
    int64_t left = set.rows - band_rows() * w.run->world.rank;
    core.first = set.rows - left;
    core.rows = left < 0 ? 0 : left < band_rows() ? left : band_rows();
    for (int i = 0; i < 2; i++) {
        int rc = buf_alloc(&core.memory[i], core_bytes(), "the grid in core");
        if (rc)
            return rc;
    }
    core.now = core.memory[0];
    core.next = core.memory[1];
    return 0;
}

/* Fetches the rows of neighbours, from ranks that have rows. */
static void core_exchange(void)
{
    MPI_Comm comm = w.run->world.comm;
    int rank = w.run->world.rank, n = (int)set.columns;
    bool has = core.rows > 0, more = has && core.first + core.rows < set.rows;
    int up = has && rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = more ? rank + 1 : MPI_PROC_NULL;
    double *below = core.now + (core.rows + 1) * set.columns;
    MPI_Sendrecv(core.now + n, n, MPI_DOUBLE, up, 1, below, n, MPI_DOUBLE, down, 1,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(below - n, n, MPI_DOUBLE, down, 2, core.now, n, MPI_DOUBLE, up, 2,
                 comm, MPI_STATUS_IGNORE);
}

static void core_solve(void)
{
    fill_rows(core.now + set.columns, core.first, core.rows);
    for (int64_t s = 0; s < set.sweeps; s++) {
        core_exchange();
        for (int64_t i = 1; i <= core.rows; i++)
            relax_row(core.next + i * set.columns, core.now + i * set.columns,
                      core.first + i - 1);
        double *next = core.next;
        core.next = core.now;
        core.now = next;
    }
}

/* Checks what is read: it is the band that is in core. */
void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows)
{
    int64_t bytes = rows * p->columns * (int64_t)sizeof(double);
    if (!w.run->verify || w.run->failed || !rows)
        return;
    enum act before = workload_care_begin(&w);
    const double *right = core.now + (first - core.first + 1) * p->columns;
    bool same = !memcmp(p->out, right, (size_t)bytes);
    workload_checked(&w, first * p->columns * 8, bytes,
                     same ? NULL
                          : "the in-core solver has other values; " STAMP_WRONG
                            ", here or in a sweep");
    buf_poison(p->out, bytes);
    workload_care_end(&w, before);
}

/* ---- the run --------------------------------------------------------------------- */

/* Ends the current phase of the workload. */
static int end_phase(int failed)
{
    int rc = workload_called(&w, failed);
    if (rc)
        w.run->failed = rc;
    return run_phase_end(w.run);
}

int jacobi_phase(const struct jacobi *p, const char *next, int failed)
{
    (void)p;
    int rc = end_phase(failed);
    run_phase_begin(w.run, next);
    if (rc || !w.run->verify || strcmp(next, "read"))
        return rc;
    enum act before = workload_care_begin(&w);
    core_solve();
    workload_care_end(&w, before);
    return 0;
}

static int phases(struct run *r, void *unused)
{
    (void)unused;
    run_phase_begin(r, "write");
    int failed = jacobi_run(&grid, r->world.comm, w.path[0], w.path[1], w.info);
    return end_phase(failed);
}

static int jacobi_lay_out(struct jacobi *p)
{
    int64_t ranks = w.run->world.size, row_bytes;
    if (set.paper) {
        set.rows = 4096;
        set.columns = 2048;
    }
    bool by_row = !strcmp(set.decomp, "rows");
    row_bytes = set.columns * 8;
    *p = (struct jacobi){
        .rows = set.rows,
        .columns = set.columns,
        .sweeps = set.sweeps,
        .strip = by_row || set.chunk < row_bytes ? 1 : set.chunk / row_bytes,
        .slabs = !strcmp(set.decomp, "slabs")};
    if ((p->strip + 2) * row_bytes > 1 << 30)
        return err_usage("--chunk: the rows that are relaxed at once and two more are "
                         "more than 1 GiB");
    return p->slabs
               ? ldad_plan_blocks(&w.plan, ranks, 0, set.rows * row_bytes, row_bytes)
               : ldad_plan_cyclic(&w.plan, ranks, 0, set.rows * row_bytes,
                                  p->strip * row_bytes);
}

static int64_t strip_bytes(const struct jacobi *p, int64_t more)
{
    return (p->strip + more) * p->columns * (int64_t)sizeof(double);
}

/* Returns the neighbours' rows that are read in a sweep: each band has one on each side
 * of each strip, except above the first row and below the last. */
static int64_t halos(const struct jacobi *p)
{
    int64_t strips = units_div_up(p->rows, p->strip), left = p->rows;
    if (p->slabs)
        for (strips = 0; left > 0; left -= band_rows())
            strips += units_div_up(left < band_rows() ? left : band_rows(), p->strip);
    return 2 * (strips - 1);
}

static int jacobi_plan(struct run *r, struct run_need *n)
{
    struct jacobi *p = &grid;
    w.run = r;
    int rc = jacobi_lay_out(p);
    int64_t bytes = p->rows * p->columns * 8;
    n->order = set.decomp;
    n->buffer_bytes = strip_bytes(p, 2) + strip_bytes(p, 0);
    n->memory_bytes = n->buffer_bytes + (r->verify ? 2 * core_bytes() : 0);
    n->write_bytes = (1 + p->sweeps) * bytes;
    n->read_bytes = n->write_bytes + p->sweeps * halos(p) * p->columns * 8;
    return workload_plan(&w, rc, bytes, n);
}

static int jacobi_open_all(struct run *r)
{
    grid.in = (void *)r->buffer;
    grid.out = (void *)(r->buffer + strip_bytes(&grid, 2));
    int rc = workload_open(r);
    return !rc && r->verify ? core_open() : rc;
}

static void jacobi_release(struct run *r)
{
    for (int i = 0; i < 2; i++)
        buf_free(core.memory[i]);
    workload_close(r);
}

int workload_jacobi(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = workload_begin}, {.body = phases}, {.body = NULL}};
    static const struct workload jacobi = {
        .name = "ldad jacobi",
        .line = "",
        .about =
            "A grid that does not fit into memory is relaxed by Jacobi's method, from "
            "one file into another and back.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.o.run,
        .context = &w,
        .plan = jacobi_plan,
        .open = jacobi_open_all,
        .stages = stages,
        .close = jacobi_release,
        WORKLOAD_HOOKS};
    return workload_main(&jacobi, argc, argv);
}
