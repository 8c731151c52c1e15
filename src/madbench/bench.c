#include "madbench/bench.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include <stdio.h>
#include <string.h>

/* ---- gates ----------------------------------------------------------------------- */

/* Concurrency gates: only one of every `mod` ranks transfers at a time (MADbench2's
 * RMOD and WMOD, slide 8: "only 1 MODRW procs does IO simultaneously"). Ranks k mod ..
 * k mod + mod - 1 of `comm` pass a token in order; the last group may be smaller. */

enum { TOKEN = 4711 };

/* Local, but every rank of `comm` must call them equally often. Wait for the previous
 * rank (counted as idle), and let the next one go. mod == 1: no waiting. */
static void gate_enter(struct run *r, MPI_Comm comm, int64_t mod)
{
    int rank;
    if (mod == 1)
        return;
    MPI_Comm_rank(comm, &rank);
    if (rank % mod == 0)
        return;
    enum act before = phase_act(r->phase, ACT_IDLE);
    MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, TOKEN, comm, MPI_STATUS_IGNORE);
    phase_act(r->phase, before);
}

static void gate_leave(struct run *r, MPI_Comm comm, int64_t mod)
{
    int rank, size;
    if (mod == 1)
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if ((rank + 1) % mod == 0 || rank + 1 == size)
        return;
    enum act before = phase_act(r->phase, ACT_IDLE);
    MPI_Send(NULL, 0, MPI_BYTE, rank + 1, TOKEN, comm);
    phase_act(r->phase, before);
}

/* ---- --format=madbench2 ---------------------------------------------------------- */

enum { CC, BW, R, W, TOTAL, LINES };

bool original_asked(const struct settings *s)
{
    return !strcmp(s->format, "madbench2");
}

static bool speaks(const struct bench *b)
{
    const struct run *r = b->run;
    return r->world.rank == 0 && !r->options->quiet;
}

void original_head(const struct bench *b)
{
    const struct settings *s = b->settings;
    if (!speaks(b))
        return;
    printf("\nMADbench 2.0%s\n", b->plan.full ? "" : " IO-mode");
    printf("no_pe = %d  no_pix = %lld  no_bin = %lld  no_gang = %lld  sblocksize = "
           "%lld  fblocksize = %lld  r_mod = %lld  w_mod = %lld\n",
           b->plan.ranks, (long long)s->npix, (long long)s->nbin, (long long)s->ngang,
           (long long)s->sblock, (long long)s->fblock, (long long)s->rmod,
           (long long)s->wmod);
    printf("IOMETHOD = %s  IOMODE = %s  FILETYPE = %s  REMAP = %s", s->run.iomethod,
           s->run.iomode, s->run.filetype, s->remap);
    if (s->bwexp >= 0)
        printf("  BWEXP = %.2f", s->bwexp);
    printf("\n\n");
    fflush(stdout);
}

static void seconds(const struct bench *b, double s[LINES])
{
    const struct phase *p = b->run->phase;
    s[BW] = (double)b->busy_ns / 1e9;
    s[R] = (double)p->act[ACT_READ].ns / 1e9;
    s[W] = (double)(p->act[ACT_WRITE].ns + p->act[ACT_SYNC].ns) / 1e9;
    s[TOTAL] = (double)(p->end_ns - p->begin_ns) / 1e9;
    s[CC] = s[TOTAL] - s[BW] - s[R] - s[W];
}

/* **Collective.** Prints the lines of the phase that has ended: seconds, mean over
 * ranks [minimum:maximum], to two decimals, of
 *   X_bw     busy work
 *   X_r      reading, as the program sees it
 *   X_w      writing, and syncing what was written
 *   X_cc     the rest: calculation and communication, but also opening and closing,
 *            checking blocks, and waiting for other ranks
 *   X_total  the whole phase
 * A line is left out if no rank spent time so, as in MADbench2. */
static void original_phase(const struct bench *b)
{
    static const char *const name[LINES] = {"_cc   ", "_bw   ", "_r    ", "_w    ",
                                            "_total"};
    const char *phase = bench_phase_name[b->phase];
    MPI_Comm comm = b->run->world.comm;
    double mine[LINES], sum[LINES], min[LINES], max[LINES];
    seconds(b, mine);
    MPI_Reduce(mine, sum, LINES, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(mine, min, LINES, MPI_DOUBLE, MPI_MIN, 0, comm);
    MPI_Reduce(mine, max, LINES, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (!speaks(b))
        return;
    for (int i = 0; i < LINES; i++) {
        if (i == TOTAL)
            printf("          -------\n");
        if (sum[i] > 0)
            printf("%s%s%10.2f   [%10.2f:%10.2f]\n", phase, name[i],
                   sum[i] / b->plan.ranks, min[i], max[i]);
    }
    printf("\n");
    fflush(stdout);
}

void original_result(double dc)
{
    printf("\ndC[0] = %.5e\n", dc);
}

/* ---- passes ---------------------------------------------------------------------- */

const char *const bench_phase_name[PHASES] = {"S", "D", "W", "C"};

/* Advances transfers in libraries that do so only when they are called. */
static void poll_file(void *bench)
{
    run_poll(&((struct bench *)bench)->file);
}

int bench_open(struct bench *b, struct run *r, const struct settings *s,
               const struct plan *p)
{
    int rc = 0;
    memset(b, 0, sizeof *b);
    b->run = r;
    b->settings = s;
    b->plan = *p;
    b->alpha = s->bwexp;
    b->work = true;
    b->suffix = "";
    MPI_Comm_split(r->world.comm, p->gang, r->world.rank, &b->gang);
    for (int i = 0; i < p->buffers && !rc; i++) {
        rc = buf_alloc(&b->buf[i], p->buffer_bytes, "a share of a matrix");
        run_buffer(r, b->buf[i], p->buffer_bytes);
    }
    return err_agree(r->world.comm, rc);
}

void bench_close(struct bench *b)
{
    for (int i = 0; i < MADBENCH_BUFFERS_MOST; i++)
        buf_free(b->buf[i]);
    if (b->gang != MPI_COMM_NULL)
        MPI_Comm_free(&b->gang);
}

int bench_pass(struct bench *b, const struct pass *how, int (*call)(void *), void *arg)
{
    int rc = run_mode(b->run, how->mode, how->verify);
    memset(b->rate, 0, sizeof b->rate);
    b->suffix = how->suffix;
    b->run->samples_only = *how->suffix;
    b->work = how->work;
    b->tick = (struct tick){.call = b->run->async ? poll_file : NULL, .arg = b};
    if (!rc)
        rc = call(arg);
    int removed = run_file_remove(&b->file);
    return rc ? rc : removed;
}

/* ---- phases ------------------------------------------------------------------ */

int bench_phase_begin(struct bench *b, enum bench_phase phase, int flags)
{
    static const int moves[PHASES] = {[PHASE_W] = 1, [PHASE_C] = 2};
    char name[16];
    snprintf(name, sizeof name, "%s%s", bench_phase_name[phase], b->suffix);
    run_phase_begin(b->run, name);
    if (flags & IO_CREATE)
        run_file_name(&b->file, b->run, "matrices", &b->plan.bins, b->plan.buffer_bytes,
                      b->run->async ? MADBENCH_DEPTH : 1);
    b->place = run_shifted(b->run, moves[phase]);
    if (flags)
        run_file_of(&b->file, b->place);
    b->phase = phase;
    b->writes = flags & IO_WRITE;
    b->busy_ns = 0;
    return flags ? run_file_open(&b->file, flags) : 0;
}

int bench_phase_end(struct bench *b)
{
    run_await(&b->file, &b->ahead);
    b->fetched = false;
    run_await(&b->file, &b->back);
    run_file_close(&b->file, b->writes);
    int rc = run_phase_end(b->run);
    b->rate[b->phase] = b->run->last;
    if (!rc && original_asked(b->settings))
        original_phase(b);
    return rc;
}

/* ---- one share's I/O --------------------------------------------------------- */

struct share bench_bin(const struct bench *b, int64_t bin)
{
    return (struct share){.offset = layout_at(&b->plan.bins, b->place, bin, 0).offset,
                          .bytes = grid_share_bytes_of(&b->plan.big, b->place),
                          .turns = b->run->world.comm};
}

struct share bench_group(const struct bench *b, int64_t group)
{
    int writer = run_shifted(b->run, b->phase == PHASE_W ? 0 : 1);
    return (struct share){
        .offset = layout_at(&b->plan.gang_bins, b->place, group, 0).offset,
        .bytes = grid_share_bytes_of(&b->plan.small, writer % b->plan.gang_ranks),
        .turns = b->gang};
}

static struct run_io bench_transfer(const struct bench *b, enum io_op op,
                                    const void *buf, const struct share *s)
{
    return (struct run_io){.req = {.op = op,
                                   .buf = (void *)buf,
                                   .offset = s->offset,
                                   .bytes = units_round_up(s->bytes, b->plan.align)}};
}

static void start_read(struct bench *b, void *buf, const struct share *s)
{
    run_poison(b->run, buf, s->bytes);
    b->ahead = bench_transfer(b, IO_OP_READ, buf, s);
    gate_enter(b->run, s->turns, b->settings->rmod);
    run_submit(&b->file, &b->ahead);
    gate_leave(b->run, s->turns, b->settings->rmod);
}

void bench_fetch(struct bench *b, void *buf, struct share s)
{
    start_read(b, buf, &s);
    b->fetched = true;
}

void bench_read(struct bench *b, void *buf, struct share s)
{
    if (!b->fetched)
        start_read(b, buf, &s);
    b->fetched = false;
    run_await(&b->file, &b->ahead);
}

void bench_write(struct bench *b, const void *buf, struct share s)
{
    run_await(&b->file, &b->back);
    b->back = bench_transfer(b, IO_OP_WRITE, buf, &s);
    gate_enter(b->run, s.turns, b->settings->wmod);
    run_submit(&b->file, &b->back);
    gate_leave(b->run, s.turns, b->settings->wmod);
}

struct share bench_read_bin(struct bench *b, void *const in[2], int64_t bin)
{
    struct share s = bench_bin(b, bin);
    int64_t next = bin + 1, gangs = b->plan.gangs;
    bench_read(b, in[bin % 2], s);
    if (next < b->settings->nbin && (gangs == 1 || next % gangs != 0))
        bench_fetch(b, in[next % 2], bench_bin(b, next));
    return s;
}

int bench_groups_ahead(const struct bench *b)
{
    return b->plan.gangs > 1;
}

void bench_step(struct bench *b)
{
    char what[64];
    snprintf(what, sizeof what, "phase %s  rep %d/%lld", b->run->phase->name,
             b->run->rep, (long long)b->settings->run.repeat);
    progress_step(&b->run->progress, 1, what);
}
